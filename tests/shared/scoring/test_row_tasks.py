"""Verdicts on single rows equal the scores of modules, and no text of a model raises an error."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.catalog.catalog import load_without_evaluate
from metric_commons.scoring.row_tasks import reference_texts, row_task, text_of

MODULES = ["qa_f1", "qa_em", "substring_recall", "rouge_n_l", "chrf", "bleu", "ter", "error_rate"]
PREDICTIONS = ["the York city", "", "New York", "a b c d"]
REFERENCES = ["New York", "x", "New York", "a b d"]
SOLUTIONS = [r"\boxed{0.5}", r"\boxed{f(2)}", "none", r"\boxed{3}", r"\boxed{\frac{1}{}"]
TARGETS = [["1", "1/2"], "2f", "1", 4, "7"]

anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@pytest.mark.parametrize("module", MODULES)
def test_scores_equal_those_of_the_module(module):
    columns = load_without_evaluate(module).compute(
        predictions=PREDICTIONS, references=REFERENCES, per_example=True
    )["per_example"]
    task = row_task(module)

    verdicts = task.verdicts(PREDICTIONS, REFERENCES)

    first, *others = columns
    assert task.score_names == [first, *others]
    assert [verdict.score for verdict in verdicts] == columns[first]
    for name in others:
        assert [verdict.scores[name] for verdict in verdicts] == columns[name]
    assert verdicts == [task.verdict(*row) for row in zip(PREDICTIONS, REFERENCES, strict=True)]


def test_mathematics_equals_its_module():
    columns = load_without_evaluate("math_equivalence", extract="boxed").compute(
        predictions=SOLUTIONS, references=[reference_texts(t) for t in TARGETS], per_example=True
    )["per_example"]

    verdicts = row_task("math").verdicts(SOLUTIONS, TARGETS)

    assert [verdict.score for verdict in verdicts] == columns["math_equivalence"]
    assert [verdict.status for verdict in verdicts] == [
        "scored",
        "undecided",
        "unparsed",
        "scored",
        "unparsed",
    ]


@pytest.mark.parametrize("reference", [None, float("nan"), [], r"\left( see figure"])
def test_an_unreadable_reference_says_nothing_even_about_the_same_text(reference):
    task = row_task("math", explain=True)

    verdict = task.verdict(rf"\boxed{{{reference}}}", reference)

    assert (verdict.score, verdict.status) == (None, "unreadable")
    assert verdict.reason == "The reference cannot be read, so nothing is said about this answer."


def test_one_readable_reference_is_enough():
    assert row_task("math").verdict(r"\boxed{2}", [r"\left( see figure", "2"]).score == 1.0


@pytest.mark.parametrize(
    ("text", "reference", "score"),
    [
        ("The answer is (B).", "B", 1.0),
        ("The answer is (B).", "(b)", 1.0),
        ("The answer is (B).", 1, 1.0),
        ("The answer is (B).", np.int64(0), 0.0),
        ("(A) or (B)", "B", 0.0),
        ("B", "blue", None),
        ("B", True, None),
        ("B", 26, None),
    ],
)
def test_letters(text, reference, score):
    assert row_task("choice").verdict(text, reference).score == score


def test_the_form_of_an_answer_needs_no_reference():
    task = row_task("found", extract="gsm8k", explain=True)

    assert [verdict.score for verdict in task.verdicts(["#### 4", "4"], [None, "4"])] == [1.0, 0.0]
    assert task.verdict("4", None).reason == "No answer was found in the text ('gsm8k')."


def test_reasons_name_what_is_missing_and_what_is_too_much():
    task = row_task("qa_f1", explain=True)

    assert task.verdict("the York city", ["New York", "NYC"]).reason == (
        "qa_f1 is 0.5: the answer is 'the York city', accepted is 'New York' or 'NYC'. "
        "Missing: new. Too much: city."
    )
    assert task.verdict("NYC", ["New York", "NYC"]).reason == (
        "qa_f1 is 1: the answer is 'NYC', accepted is 'New York' or 'NYC'."
    )
    assert row_task("math", explain=True).verdict("2", "2").reason == (
        "No answer was found in the text (boxed); accepted is '2'."
    )
    assert row_task("math", explain=True).verdict(r"\boxed{f(2)}", "2f").reason == (
        "It is not proved that 'f(2)' equals '2f', and not disproved either."
    )


def test_an_answer_is_extracted_before_it_is_scored():
    task = row_task("qa_em", extract=["strip_think", "boxed"], extract_references="gsm8k")

    verdicts = task.verdicts([r"<think>x</think>\boxed{18}", "18"], ["#### 18", ["#### 18", "18"]])

    assert [(verdict.score, verdict.answer) for verdict in verdicts] == [(1.0, "18"), (0.0, None)]


def test_values_of_json_and_tool_calls():
    assert row_task("json_match").verdict('{"a": 1}', {"a": 1}).score == 1.0
    assert row_task("json_match").verdict({"a": 1}, {"a": 1}).score == 1.0
    calls = [{"name": "f", "arguments": {"a": 1}}]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    assert row_task("tool_calls").verdict([message], calls).score == 1.0
    assert row_task("tool_calls").verdict("[f(a=1)]", calls).score == 1.0
    assert row_task("json_match").verdict("{}", "{").status == "unreadable"


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("qa_ff1",), {}, "did you mean 'qa_f1'"),
        (("truthful_mc",), {}, "does not score rows of texts"),
        (("classification",), {}, "does not score rows of texts"),
        (("code_eval",), {}, "does not score rows of texts"),
        (("qa_f1",), {"score": "qa_f2"}, "did you mean 'qa_f1'"),
        (("qa_f1",), {"normalizer": "squat"}, "did you mean 'squad'"),
        (("qa_f1",), {"extract": "boxd"}, "extract: there is no step 'boxd'; did you mean 'boxed'"),
        (("qa_f1",), {"extract": "gpqa_choices"}, "choices is missing"),
        (("choice",), {"extract_references": 3}, "extract_references"),
        (("math",), {"percent": "never"}, "percent must be one of"),
    ],
)
def test_errors_when_a_task_is_made(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        row_task(*arguments, **options)


@pytest.mark.parametrize("module", ["math", "choice", "found", "qa_f1"])
def test_an_unknown_option_is_an_error(module):
    with pytest.raises(TypeError, match="percents"):
        row_task(module, percents="either")


def test_lengths_that_differ_are_an_error():
    with pytest.raises(ValueError, match="2 texts, but 1 references"):
        row_task("qa_f1").verdicts(["a", "b"], ["a"])


def test_a_dictionary_is_not_a_reference():
    with pytest.raises(TypeError, match="has the fields text"):
        row_task("qa_f1").verdict("a", {"text": "a"})


@pytest.mark.parametrize("module", ["math", "choice", "found", "qa_f1", "json_match", "tool_calls"])
@given(prediction=anything)
def test_nothing_that_a_model_writes_raises(module, prediction):
    reference = {"choice": "B", "json_match": "[]", "tool_calls": "[]"}.get(module, "1")

    verdict = TASKS[module].verdict(prediction, reference)

    assert verdict.score is not None
    assert verdict.reason


TASKS = {
    module: row_task(module, explain=True)
    for module in ("math", "choice", "found", "qa_f1", "json_match", "tool_calls")
}


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_tasks_can_be_pickled(task):
    copy = pickle.loads(pickle.dumps(task))

    assert copy.verdict("1", "[]") == task.verdict("1", "[]")


def test_texts_of_messages():
    parts = [{"type": "image"}, {"type": "text", "text": "4"}]
    messages = [{"role": "assistant", "content": "5"}, {"role": "assistant", "content": parts}]

    assert text_of(messages) == "4"
    assert text_of([{"role": "user", "content": "5"}]) == ""
    assert text_of({"content": None}) == ""
    assert text_of({"answer": 1}) == "{'answer': 1}"
