"""Metrics as lighteval 0.13.0 calls them, with stand-ins for its classes.

`examples/clients/with_lighteval.py` runs lighteval itself.
"""

import math
import pickle
from types import SimpleNamespace

import pytest

from metric_commons import load
from metric_commons.frameworks.harnesses.lighteval import (
    CorpusAggregation,
    corpus_metric,
    mean_of_scored,
    metric,
)
from metric_commons.frameworks.harnesses.lm_eval import CorpusScore
from tests.client_stand_ins import install

PREDICTIONS = ["York city", "Oslo", ""]
GOLDS = [["New York", "NYC"], ["Oslo"], ["Rome"]]


@pytest.fixture(autouse=True)
def lighteval(monkeypatch):
    install(monkeypatch)


def doc(golds):
    return SimpleNamespace(get_golds=lambda: golds)


def response(*texts):
    return SimpleNamespace(final_text=list(texts))


def test_all_scores_of_rows_and_their_means():
    made = metric("qa_f1")
    expected = load("qa_f1").compute(predictions=PREDICTIONS, references=GOLDS)

    rows = [
        made.sample_level_fn.compute(doc=doc(golds), model_response=response(text))
        for golds, text in zip(GOLDS, PREDICTIONS, strict=True)
    ]

    assert made.metric_name == list(expected)
    assert made.category == "generative"
    for name, mean in expected.items():
        assert made.corpus_level_fn[name]([row[name] for row in rows]) == mean
        assert "mean" in made.corpus_level_fn[name].__name__


def test_the_best_sample_counts():
    compute = metric("qa_f1").sample_level_fn.compute

    found = compute(doc=doc(["New York"]), model_response=response("a", "York city", None))

    assert found == {"qa_f1": 0.5, "qa_precision": 0.5, "qa_recall": 0.5}


def test_the_best_of_several_errors_is_the_lowest():
    made = metric("error_rate")

    found = made.sample_level_fn.compute(doc=doc(["a b"]), model_response=response("a c", "a b"))

    assert found == {"wer": 0.0}
    assert made.higher_is_better == {"wer": False}


def test_rows_without_a_reference_are_left_out():
    compute = metric("math").sample_level_fn.compute

    found = compute(doc=doc([r"\left( see"]), model_response=response(r"\boxed{1}"))

    assert math.isnan(found["math"])
    assert mean_of_scored([found["math"], 1.0, 0.0]) == 0.5
    assert math.isnan(mean_of_scored([]))


def test_texts_without_an_answer_score_zero():
    compute = metric("qa_f1", extract="boxed").sample_level_fn.compute

    assert set(compute(doc=doc(["1"]), model_response=response("1")).values()) == {0.0}


def test_scores_of_the_corpus():
    made = corpus_metric("chrf", word_order=2)
    items = [
        SimpleNamespace(golds=golds, preds=[text, "other"])
        for golds, text in zip(GOLDS, PREDICTIONS, strict=True)
    ]
    expected = load("chrf").compute(predictions=PREDICTIONS, references=GOLDS, word_order=2)

    assert made.corpus_level_fn(items) == expected["chrf"]
    assert (made.metric_name, made.higher_is_better) == ("chrf", True)
    assert corpus_metric("ter").higher_is_better is False


def test_an_aggregation_can_be_sent_to_a_pool():
    aggregation = CorpusAggregation(CorpusScore("chrf"))

    assert pickle.loads(pickle.dumps(aggregation)) == aggregation
    assert aggregation.__name__ == "chrf_chrf"


@pytest.mark.parametrize("make", [metric, corpus_metric])
def test_errors_when_a_metric_is_made(make):
    with pytest.raises(ValueError, match="did you mean 'chrf'"):
        make("chrff")
    with pytest.raises(ValueError, match="score"):
        make("chrf", score="bleu")
    with pytest.raises(TypeError, match="words"):
        make("chrf", words=2)
