"""Functions as lm-eval 0.4.13 calls them: `process_results(doc, results)`, `aggregation(items)`.

`examples/clients/with_lm_eval.py` runs lm-eval itself.
"""

import pickle

import pytest

from metric_commons import load
from metric_commons.frameworks.harnesses.lm_eval import corpus, rows

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


def test_of_several_samples_scores_are_means():
    """`repeats: 4`, with a filter that keeps all samples."""
    samples = [r"\boxed{1/2}", r"\boxed{0.5}", r"\boxed{3}", "?"]

    found = rows("math", reference="answer")({"answer": "0.5", "source": 7}, [samples])
    assert found == {"math": 0.5, "unparsed": 0.25}
    assert rows("error_rate")({"answer": "a b"}, [["a b", "a c"]]) == {"wer": 0.25}


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


@pytest.mark.parametrize("module", ["chrf", "bleu", "ter"])
def test_scores_of_a_corpus_are_those_of_compute(module):
    items = list(zip(REFERENCES, PREDICTIONS, strict=True))
    expected = load(module).compute(predictions=PREDICTIONS, references=REFERENCES)

    assert corpus(module)(items) == expected[module]


def test_options_of_a_corpus_are_kept():
    items = [("a b c", "a b d")]
    expected = load("chrf").compute(predictions=["a b d"], references=["a b c"], word_order=2)

    found = corpus("chrf", word_order=2)

    assert found(items) == expected["chrf"] != corpus("chrf")(items)
    assert pickle.loads(pickle.dumps(found)) == found
    assert pickle.loads(pickle.dumps(found))(items) == found(items)
    assert found.__name__ == "chrf_chrf"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: rows("qa_ff1"), ValueError, "did you mean 'qa_f1'"),
        (lambda: rows("qa_f1", extract="boxd"), ValueError, "did you mean 'boxed'"),
        (lambda: rows("qa_f1", score="f2"), ValueError, "score"),
        (lambda: rows("qa_f1", normaliser="squad"), TypeError, "did you mean 'normalizer'"),
        (lambda: corpus("chrff"), ValueError, "did you mean 'chrf'"),
        (lambda: corpus("chrf", "bleu"), ValueError, "chrf has no score 'bleu'"),
        (lambda: corpus("chrf", words=2), TypeError, "words"),
    ],
)
def test_errors_when_a_function_is_made(make, error, message):
    with pytest.raises(error, match=message):
        make()
