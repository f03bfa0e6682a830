"""Verdicts of tasks: statuses, references of every type, and the numbers of the modules."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.module.catalog.catalog import load_without_evaluate
from metric_commons.scorers import task
from tests.tables import by_table

BOXES = [r"\boxed{\frac12}", r"So $\boxed{3}$.", "3", r"\boxed{f(2)}", r"\boxed{}", r"\boxed{"]
REFERENCES = ["0.5", "2", "3", "2f", "1", "1"]


def rows(verdicts):
    return [(verdict.score, verdict.status) for verdict in verdicts]


def test_statuses_of_mathematics():
    assert rows(task("math").verdicts(BOXES, REFERENCES)) == [
        (1.0, "scored"),
        (0.0, "scored"),
        (0.0, "unparsed"),
        (0.0, "undecided"),
        (0.0, "undecided"),  # an empty box
        (0.0, "unparsed"),
    ]
    assert task("math", undecided=None).verdict(*(BOXES[3], "2f")).score is None


@pytest.mark.parametrize(
    "reference", [None, float("nan"), [], [None], r"\left( see figure", "", np.nan, np.array([])]
)
def test_a_reference_that_cannot_be_read_is_never_a_reward(reference):
    assert rows([task("math").verdict(r"\boxed{1}", reference)]) == [(None, "unreadable")]
    assert rows([task("math").verdict("no box", reference)]) == [(None, "unreadable")]


def test_the_module_of_mathematics_judges_the_whole_text():
    texts, references = ["0.5", r"\boxed{2}", "3", r"so \boxed{2}"], ["1/2", "2", "2", "2"]
    module = load_without_evaluate("math_equivalence")
    columns = module.compute(predictions=texts, references=references, per_example=True)
    judged = task("math_equivalence")

    assert judged.name == "math_equivalence"
    scores = [verdict.score for verdict in judged.verdicts(texts, references)]
    assert scores == columns["per_example"]["math_equivalence"] == [1.0, 1.0, 0.0, 0.0]
    assert [v.score for v in task("math", extract=()).verdicts(texts, references)] == scores
    assert task("math_equivalence", extract="boxed").verdict(texts[3], "2").score == 1.0


@by_table("reference, step")
def test_a_solution_as_reference_is_read_by_a_step_or_not_at_all(reference, step):
    assert rows([task("math").verdict(r"\boxed{2}", reference)]) == [(None, "unreadable")]
    assert rows([task("math", extract_references=step).verdict(r"\boxed{2}", reference)]) == [
        (1.0, "scored")
    ]


@pytest.mark.parametrize(
    "reference",
    ["x is 5", "A: 26", "So x = 5", "Result: 3", r"**Answer:** $\frac12$", r"we get \boxed{2}"],
)
def test_sentences_and_labels_are_not_references(reference):
    assert rows([task("math", extract=()).verdict(reference, reference)]) == [(None, "unreadable")]
    assert task("math").reference_problem(reference) == f"cannot be read: {reference!r}"


@by_table("reference")
def test_answers_with_letters_and_words_are_references(reference):
    assert task("math", extract=()).verdict(reference, reference).score == 1.0


def test_unreadable_goes_before_equal():
    text = r"\left( see figure"

    assert rows([task("math", extract=()).verdict(text, text)]) == [(None, "unreadable")]
    assert rows([task("math").verdict(r"\boxed{2}", [text, "2"])]) == [(1.0, "scored")]


@pytest.mark.parametrize(
    "reference", [2, 2.0, "2", ["1", "2"], [1, 2], np.int64(2), np.array([1.0, 2.0]), ("$2$",)]
)
def test_references_may_be_numbers_and_lists(reference):
    assert task("math").verdict(r"\boxed{2}", reference).score == 1.0


def test_a_dictionary_as_reference_is_an_error_that_lists_its_fields():
    with pytest.raises(TypeError, match="got the fields 'ground_truth', 'style'"):
        task("math").verdict("1", {"ground_truth": "1", "style": "rule"})


@by_table("completion, score")
def test_completions_are_texts_or_messages(completion, score):
    assert task("math").verdict(completion, "2").score == score


@pytest.mark.parametrize(
    ("reference", "score"),
    [
        *(("B", 1.0), ("(b)", 1.0), ("B.", 1.0), (1, 1.0), (np.int64(1), 1.0), (["A", 1], 1.0)),
        *(("A", 0.0), (0, 0.0), ("BC", None), (26, None), (True, None), ("", None), (-1, None)),
    ],
)
def test_references_of_choices(reference, score):
    assert task("choice").verdict("The answer is (B).", reference).score == score


def test_found_needs_no_reference():
    assert rows(task("found", extract="gsm8k").verdicts(["#### 3", "3"], [None, None])) == [
        (1.0, "scored"),
        (0.0, "unparsed"),
    ]


TEXTS = ["The cat", "a dog barks", "", "cat cat", "London."]
ACCEPTED = [["cat"], ["dog", "A dog"], ["x"], ["the cat"], ["Paris", "london"]]


@by_table("module, options")
def test_scores_are_those_of_the_module(module, options):
    columns = load_without_evaluate(module, **options).compute(
        predictions=TEXTS, references=ACCEPTED, per_example=True
    )["per_example"]
    judged = task(module, **options)

    verdicts = judged.verdicts(TEXTS, ACCEPTED)
    first = next(iter(columns))
    assert [verdict.score for verdict in verdicts] == columns[first]
    assert judged.name == judged.score == first
    assert all(
        dict(verdict.scores)
        == {name: values[row] for name, values in columns.items() if name != first}
        for row, verdict in enumerate(verdicts)
    )
    assert [judged.verdict(*row).score for row in zip(TEXTS, ACCEPTED, strict=True)] == (
        columns[first]
    )


@pytest.mark.parametrize(
    ("module", "options", "error", "problem"),
    [
        ("mth", {}, ValueError, "there is no module 'mth'; did you mean 'math'"),
        ("math", {"extract": "bxed"}, ValueError, "extract: unknown step 'bxed'; did you mean"),
        ("math", {"extract": {"regex": "("}}, ValueError, "extract: '\\('"),
        ("math", {"extract": []}, ValueError, "extract: a chain needs at least one step"),
        ("math", {"extract": "gpqa_choices"}, ValueError, "needs the choices of each row"),
        ("math", {"extract_references": "gsm9k"}, ValueError, "extract_references: unknown"),
        ("math", {"percent": "any"}, ValueError, "percent must be one of"),
        ("math", {"relative_tolerance": -1}, ValueError, "relative_tolerance must be a number"),
        ("math", {"undecided": "0"}, ValueError, "undecided must be"),
        ("math", {"score": "f1"}, ValueError, "score"),
        ("math", {"tolerance": 1}, TypeError, "tolerance"),
        ("qa_f1", {"score": "f1"}, ValueError, "has no score 'f1' of rows"),
        ("qa_f1", {"normalizer": "squat"}, ValueError, "did you mean 'squad'"),
        ("qa_f1", {"normaliser": "squad"}, TypeError, "normaliser"),
    ],
)
def test_settings_are_checked_when_the_task_is_made(module, options, error, problem):
    with pytest.raises(error, match=problem):
        task(module, **options)


def first_word(text):
    return text.split()[0] if text.split() else None


TASKS = [
    task("math", extract=["strip_think", {"regex": "[0-9]+", "group": -1}], name="number"),
    task("choice"),
    task("found", extract=first_word),
    task("qa_f1", normalizer="lower"),
    task("rouge_n_l", rouge_types=["rougeL"], explain=True),
    task("json_match", schema={"type": "object"}),
    task("tool_calls"),
    task("instruction_following"),
]


@pytest.mark.parametrize("judged", TASKS, ids=lambda judged: judged.name)
def test_tasks_are_values(judged):
    copy = pickle.loads(pickle.dumps(judged))

    assert copy == judged
    assert hash(copy) == hash(judged)
    assert copy.verdicts(["1", "{}"], ["1", "{}"]) == judged.verdicts(["1", "{}"], ["1", "{}"])
    assert len({*TASKS, copy}) == len(TASKS)
    with pytest.raises(AttributeError):
        judged.name = "other"


MARKUP = "\\boxed{}[]()<>$#: answeris,0123^_frac\"'`\ud800\x00"


@pytest.mark.parametrize("judged", TASKS, ids=lambda judged: judged.name)
@given(text=st.text() | st.text(MARKUP))
def test_nothing_that_a_model_writes_raises(judged, text):
    for completion in (text, rf"\boxed{{{text}}}", [{"role": "assistant", "content": text}]):
        verdict = judged.verdict(completion, "[]")
        assert verdict.score is None or 0 <= verdict.score <= 1


MESSAGES = [
    {"role": "assistant", "tool_calls": calls}
    for calls in ("f()", [3], [{}], [{"function": None}], [{"function": {"name": 3}}], {"a": 1})
]


@pytest.mark.parametrize("message", MESSAGES, ids=str)
def test_broken_calls_have_the_reward_zero(message):
    call = [{"name": "f", "arguments": {}}]

    assert [v.score for v in task("tool_calls").verdicts([[message], "[f()]"], [call, call])] == [
        0.0,
        1.0,
    ]


@by_table("module, text, reference, reason")
def test_reasons_are_sentences(module, text, reference, reason):
    score = "f1" if module == "json_match" else None
    assert task(module, explain=True, score=score).verdict(text, reference).reason == reason
