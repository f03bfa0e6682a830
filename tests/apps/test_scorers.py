"""Scorers as the frameworks call them, with stand-ins for the classes of their results.

The scripts in `examples/clients/` run the frameworks themselves: dspy 3.4.1, mlflow-skinny 3.17.2
and promptfoo 0.121.20.
"""

import inspect

import pytest

from metric_commons import load
from metric_commons.frameworks.harnesses.row_scorers import scorer
from metric_commons.scorers import task
from tests.client_stand_ins import Record, install

ANSWERS = ["New York", "NYC"]
REASON = "qa_f1 is 0.5: the answer is 'York city', accepted is 'New York' or 'NYC'."
SCORES = {"qa_f1": 0.5, "qa_precision": 0.5, "qa_recall": 0.5}
SIGNATURE = task("qa_f1").signature
RECORD = {"status": "scored", **SCORES, "signature": SIGNATURE}
PLAIN = ["dspy", "promptfoo"]


@pytest.fixture
def clients(monkeypatch):
    install(monkeypatch)


def test_dspy_gets_a_number():
    score = scorer("dspy", "qa_f1")

    assert score(Record(answer=ANSWERS), Record(answer="York city"), None) == 0.5
    assert score(Record(answer=None), Record(answer="York city")) == 0.0
    assert list(inspect.signature(score).parameters) == ["gold", "pred", "trace"]


@pytest.mark.usefixtures("clients")
def test_mlflow_gets_feedback_whose_mean_it_reports():
    made = scorer("mlflow", "qa_f1")
    expectations = {"expected_response": ANSWERS}

    texts = made.f(outputs="York city", expectations=expectations)
    fields = made.f(outputs={"response": "York city"}, expectations=expectations)

    assert texts == fields
    assert (texts.name, texts.value, texts.rationale) == ("qa_f1", 0.5, REASON)
    assert texts.source.source_type == "CODE"
    assert texts.metadata == {name: str(value) for name, value in RECORD.items()}
    assert (made.name, made.aggregations) == ("qa_f1", ["mean"])
    assert made.f(outputs="a", expectations={"expected_response": None}).value is None


def test_promptfoo_gets_a_grade():
    get_assert = scorer("promptfoo", "qa_f1", reference="cities")

    assert get_assert("NYC", {"vars": {"cities": ANSWERS}})["pass"] is True
    assert get_assert("York city", {"vars": {"cities": ANSWERS}}) == {
        "pass": False,
        "score": 0.5,
        "reason": REASON,
        "namedScores": SCORES,
        "metadata": {"signature": SIGNATURE},
    }


def test_scores_are_those_of_compute():
    predictions, references = ["York city", "it is Oslo", ""], [ANSWERS, ["Oslo"], ["Bern"]]
    expected = load("rouge_n_l").compute(
        predictions=predictions, references=references, per_example=True
    )["per_example"]["rougeL"]
    score = scorer("promptfoo", "rouge_n_l", score="rougeL")

    found = [
        score(text, {"vars": {"expected": accepted}})["score"]
        for text, accepted in zip(predictions, references, strict=True)
    ]
    assert found == expected


def test_an_answer_of_another_type_is_judged_as_a_text():
    assert scorer("dspy", "qa_em")(Record(answer=42), Record(answer=42)) == 1.0


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("dspi", "qa_f1"), {}, ValueError, "framework must be one of.*did you mean 'dspy'"),
        (("dspy", "qa_ff1"), {}, ValueError, "did you mean 'qa_f1'"),
        (("dspy", "qa_f1"), {"score": "f2"}, ValueError, "score"),
        (("dspy", "qa_f1"), {"extract": "boxd"}, ValueError, "did you mean 'boxed'"),
        (("dspy", "qa_f1"), {"normaliser": "squad"}, TypeError, "did you mean 'normalizer'"),
        (("dspy", "qa_f1"), {"threshold": 1}, TypeError, "threshold"),
    ],
)
def test_errors_when_a_scorer_is_made(arguments, options, error, message):
    with pytest.raises(error, match=message):
        scorer(*arguments, **options)


def test_a_field_that_is_not_there_lists_those_that_are():
    with pytest.raises(ValueError, match="no field 'answer'; there are text, id"):
        scorer("promptfoo", "qa_f1")({"text": "a", "id": 1}, {"vars": {"expected": "a"}})
    with pytest.raises(ValueError, match="no field 'answer'; there are text"):
        scorer("dspy", "qa_f1")(Record(answer="a"), Record(text="a"))
    with pytest.raises(ValueError, match="no field 'expected'; there are city"):
        scorer("promptfoo", "qa_f1")("a", {"vars": {"city": "a"}})


@pytest.mark.parametrize("framework", PLAIN)
def test_scorers_look_like_plain_functions(framework):
    score = scorer(framework, "qa_f1", name="f1")

    assert inspect.isfunction(score)
    assert score.__name__ == score.__qualname__ == "f1"
    assert score.__doc__ == "f1 of metric-commons."
