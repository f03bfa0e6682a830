"""Functions as lm-eval 0.4.13 calls them: `process_results(doc, results)`, `aggregation(items)`.

`examples/clients/with_lm_eval.py` runs lm-eval itself.
"""

import math
import pickle
from itertools import pairwise

import pytest

from metric_commons import load
from metric_commons.frameworks.harnesses.lm_eval import CorpusScore, corpus, estimate, rows
from metric_commons.statistics import interval

PREDICTIONS = ["York city", "Oslo", "it is Bern", ""]
REFERENCES = [["New York", "NYC"], ["Oslo"], ["Bern"], ["Rome"]]


def test_rows_have_all_scores_of_compute():
    process_results = rows("qa_f1", reference="meta.answers", normalizer="lower")
    columns = load("qa_f1", normalizer="lower").compute(
        predictions=PREDICTIONS, references=REFERENCES, per_example=True
    )["per_example"]

    found = [
        process_results({"meta": {"answers": accepted}}, [text])
        for text, accepted in zip(PREDICTIONS, REFERENCES, strict=True)
    ]

    assert found == [
        dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
    ]


def test_several_samples_of_a_question():
    """`repeats: 4`, with a filter that keeps all samples."""
    process_results = rows("math", reference="answer", estimates=["low"], cluster="source")
    samples = [r"\boxed{1/2}", r"\boxed{0.5}", r"\boxed{3}", "?"]

    found = process_results({"answer": "0.5", "source": 7}, [samples])

    assert found == {
        "math": 0.5,
        "unparsed": 0.25,
        "avg@4": 0.5,
        "pass@4": 1.0,
        "maj@4": 1.0,
        "math_low": 0.5,
    }
    assert rows("error_rate")({"answer": "a b"}, [["a b", "a c"]]) == {
        "wer": 0.25,
        "avg@2": 0.25,
        "pass@2": 1.0,
        "maj@2": 0.5,
    }


def test_a_text_without_an_answer_is_counted():
    process_results = rows("math")

    assert process_results({"solution": "2"}, ["2"]) == {"math": 0.0, "unparsed": 1.0}
    assert process_results({"solution": "2"}, [r"\boxed{2}"]) == {"math": 1.0, "unparsed": 0.0}
    assert rows("qa_f1", extract="boxed")({"answer": "2"}, ["2"]) == {
        "qa_f1": 0.0,
        "qa_precision": 0.0,
        "qa_recall": 0.0,
        "unparsed": 1.0,
    }


def test_a_document_whose_reference_cannot_be_read_has_no_scores():
    assert rows("math")({"solution": None}, [r"\boxed{2}"]) == {}
    assert rows("qa_f1")({"answers": []}, ["a"]) == {}


@pytest.mark.parametrize(
    ("doc", "message"),
    [
        ({"answer": "a", "gold": "b"}, "reference=.*answer, gold"),
        ({"question": "a"}, "reference=.*question"),
    ],
)
def test_the_field_of_references_must_be_clear(doc, message):
    with pytest.raises(ValueError, match=message):
        rows("qa_f1")(doc, ["a"])


def test_a_missing_field_is_named():
    with pytest.raises(ValueError, match=r"no field 'meta.answers'; there are question"):
        rows("qa_f1", reference="meta.answers")({"meta": {"question": "a"}}, ["a"])
    with pytest.raises(ValueError, match=r"no field 'meta.answers'; there are none"):
        rows("qa_f1", reference="meta.answers")({"meta": "a"}, ["a"])


def test_estimates_are_those_of_the_mean():
    scores, labels = [1.0, 0.5, 0.0, 1.0], ["a", "a", "b", "c"]
    process_results = rows("qa_f1", reference="answers", estimates=["low"], cluster="source")
    doc = {"answers": "a", "source": 7}

    item = process_results(doc, ["a"])["qa_f1_low"]
    assert (item, item.cluster) == (1.0, "7")
    assert math.isnan(sum([item, item]) / 2)  # what lm-eval makes of a score that metric_list omits
    assert math.fsum([item, item]) == 2.0  # lm-eval takes means of what metric_list leaves out
    assert pickle.loads(pickle.dumps(item)).cluster == "7"
    for name in ("low", "high", "standard_error"):
        alone, clustered = interval(scores), interval(scores, clusters=labels)
        assert estimate(name)(scores) == getattr(alone, name)
        assert estimate(name)(list(zip(scores, labels, strict=True))) == getattr(clustered, name)
        assert estimate(name).__name__ == name
    ends = [estimate("low", level)(scores) for level in (0.8, 0.9, 0.95, 0.99)]
    assert all(wider < narrower for narrower, wider in pairwise(ends))


def test_items_have_all_a_cluster_or_none():
    with pytest.raises(ValueError, match="1 of 2 items have no cluster"):
        estimate("low")([(1.0, "a"), 0.0])


@pytest.mark.parametrize("module", ["chrf", "bleu", "ter"])
def test_scores_of_a_corpus_are_those_of_compute(module):
    items = list(zip(REFERENCES, PREDICTIONS, strict=True))
    expected = load(module).compute(
        predictions=PREDICTIONS, references=REFERENCES, standard_error=True
    )

    assert corpus(module)(items) == expected[module]
    assert corpus(module, what="standard_error")(items) == expected["standard_error"][module]


def test_options_of_a_corpus_are_kept():
    items = [("a b c", "a b d")]
    expected = load("chrf").compute(predictions=["a b d"], references=["a b c"], word_order=2)

    found = corpus("chrf", word_order=2)

    assert found(items) == expected["chrf"] != corpus("chrf")(items)
    assert pickle.loads(pickle.dumps(found)) == found
    assert pickle.loads(pickle.dumps(found))(items) == found(items)
    assert (found.__name__, CorpusScore("ter", what="standard_error").__name__) == (
        "chrf_score",
        "ter_standard_error",
    )


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: rows("qa_ff1"), ValueError, "did you mean 'qa_f1'"),
        (lambda: rows("qa_f1", extract="boxd"), ValueError, "did you mean 'boxed'"),
        (lambda: rows("qa_f1", score="f2"), ValueError, "score"),
        (lambda: rows("qa_f1", estimates=["lower"]), ValueError, "did you mean 'low'"),
        (lambda: rows("qa_f1", cluster="source"), ValueError, "cluster is for estimates"),
        (lambda: rows("qa_f1", normaliser="squad"), TypeError, "did you mean 'normalizer'"),
        (lambda: estimate("median"), ValueError, "what must be one of"),
        (lambda: estimate("low", 95), ValueError, "level must be a number strictly between"),
        (lambda: corpus("chrff"), ValueError, "did you mean 'chrf'"),
        (lambda: corpus("chrf", "bleu"), ValueError, "chrf has no score 'bleu'"),
        (lambda: corpus("chrf", what="error"), ValueError, "what must be one of"),
        (lambda: corpus("chrf", words=2), TypeError, "words"),
    ],
)
def test_errors_when_a_function_is_made(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_scores_above_one_have_an_interval():
    assert estimate("high")([0.5, 3.0]) > 1
    assert estimate("low")([-1.0, 3.0]) < 0
    assert math.isnan(estimate("standard_error")([1.0]))
