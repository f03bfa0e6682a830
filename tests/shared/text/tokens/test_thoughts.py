"""Thoughts: what follows them is read as if it stood alone, by every module and reward."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons import rewards
from metric_commons.module.catalog.catalog import load_without_evaluate, names
from metric_commons.text.tokens.thoughts import answer_of, without_thoughts
from tests.spec import drawn_examples
from tests.tables import tabled

ANALYSIS = "<|channel|>analysis<|message|>"
FINAL = "<|start|>assistant<|channel|>final<|message|>"
MARKS = tabled(__file__, "MARKS")
WRAPPED = [
    *(lambda text, o=o, c=c: f"{o}Hm: 3?{c}\n\n{text}" for o, c in MARKS.items()),
    *(lambda text, o=o, c=c: f" \n{o}{c} {text}" for o, c in MARKS.items()),
    *(lambda text, c=c: f"Hm: 3?{c}\n{text}" for c in MARKS.values()),
    *(lambda text, o=o, c=c: f"{o}a{c}\n{o}b{c}\n{text}" for o, c in list(MARKS.items())[:7]),
    lambda text: f"<think>[THINK]</think>{text}",
    lambda text: f"a</think>b</think>{text}",
    lambda text: f"{FINAL}{text}",
]
CUT_OFF = [f"{space}{opening}The answer is 7" for opening in MARKS for space in ("", "\n ")]
UNTOUCHED = ["the tag <think>", "a <think>b</think> c", "", " x ", "a < b", "[1, 2]", "<answer>"]
CALLS = tabled(__file__, "CALLS")


def scores(module, prediction, reference, **options):
    columns = {"predictions": [prediction], "references": [reference]}
    if module == "sari":
        columns["sources"] = ["a cat was sitting"]
    return load_without_evaluate(module).compute(**columns, **options)


@pytest.mark.parametrize("wrap", WRAPPED)
@pytest.mark.parametrize("text", ["4", "    return 1", "a </b> c", "x\n</y>\n", "[1]"])
def test_what_follows_thoughts_is_the_answer(wrap, text):
    if not wrap("x")[:-1].endswith("\n"):  # blanks after a mark are not the answer's
        text = text.lstrip()
    assert without_thoughts(wrap(text)) == text


@pytest.mark.parametrize("text", CUT_OFF)
def test_thoughts_that_are_cut_off_have_no_answer(text):
    assert without_thoughts(text) is None


@pytest.mark.parametrize("text", UNTOUCHED)
def test_other_texts_are_their_own_answers(text):
    assert without_thoughts(text) is text


def test_marks_of_ones_own_replace_those_of_models():
    assert answer_of("<plan>a</plan>b", ("<plan>", "</plan>")) == "b"
    assert answer_of("<think>a</think>b", ("<plan>", "</plan>")) == "<think>a</think>b"
    assert answer_of("<plan>a", ("<plan>", "</plan>")) is None


@pytest.mark.parametrize("value", ["drop", ["<a>"], ["<a>", ""], [1, 2], {"<a>": "</a>"}])
def test_other_values_of_the_option_are_refused(value):
    with pytest.raises(ValueError, match="thoughts"):
        scores("qa_em", "a", "a", thoughts=value)
    with pytest.raises(ValueError, match="thoughts"):
        rewards.math(thoughts=value)


def test_every_module_that_extracts_answers_is_tried():
    readers = {name for name in names() if "extract" in load_without_evaluate(name).options}

    assert readers - {"repeated_sampling"} == CALLS.keys()


@pytest.mark.parametrize("module", CALLS)
@drawn_examples(30)
@given(wrap=st.sampled_from(WRAPPED))
def test_a_module_reads_a_wrapped_text_as_the_text(module, wrap):
    text, reference = CALLS[module]
    plain = scores(module, text, reference)

    assert scores(module, wrap(text), reference, thoughts="strip") == plain | {"unparsed": 0.0}
    assert scores(module, wrap(text), reference) == scores(module, wrap(text), reference)


@pytest.mark.parametrize("module", CALLS)
def test_a_thought_that_is_cut_off_is_unparsed_and_wrong(module):
    text, reference = CALLS[module]
    cut_off = scores(module, f"<think>{text}", reference, thoughts="strip")
    worst = scores(module, "", reference)
    perfect = scores(module, text, reference)
    name = load_without_evaluate(module).main_score or next(iter(perfect))

    assert cut_off["unparsed"] == 1.0
    assert cut_off[name] == (0.0 if module == "sari" else worst[name])


def test_an_unanswerable_question_is_not_answered_by_a_cut_off_thought():
    assert scores("squad_v2", "<think>no", [], thoughts="strip")["exact"] == 0.0
    assert scores("squad_v2", "<think>no</think>", [], thoughts="strip")["exact"] == 1.0


def test_samples_are_read_one_by_one():
    samples = [["<think>a</think>b", "b", "<think>b"]]
    result = load_without_evaluate("repeated_sampling").compute(
        predictions=samples, references=["b"], thoughts="strip"
    )

    assert result == {"maj@n": 1.0, "unparsed": pytest.approx(1 / 3)}


REWARDS = {
    "math": (rewards.math(column="r"), r"so \boxed{5}", "5"),
    "choice": (rewards.choice(column="r"), "The answer is C.", "C"),
    "qa_em": (rewards.answers("qa_em", column="r"), "Oslo", ["Oslo"]),
    "rouge": (rewards.rouge(column="r"), "the cat sat", "the cat sat"),
    "json": (rewards.json(column="r"), '{"a": 1}', {"a": 1}),
    "instructions": (rewards.instructions(column="r"), *CALLS["instruction_following"]),
}


@pytest.mark.parametrize("name", REWARDS)
@drawn_examples(30)
@given(wrap=st.sampled_from(WRAPPED))
def test_a_reward_reads_a_wrapped_text_as_the_text(name, wrap):
    reward, text, reference = REWARDS[name]
    verdict = reward.verdicts([wrap(text)], [reference])[0]

    assert verdict.score == 1.0 == reward.verdicts([text], [reference])[0].score


@pytest.mark.parametrize("name", REWARDS)
@pytest.mark.parametrize("opening", MARKS)
def test_a_reward_of_a_cut_off_thought_is_0(name, opening):
    reward, text, reference = REWARDS[name]
    verdict = reward.verdicts([opening + text], [reference])[0]

    assert (verdict.score, verdict.status) == (0.0, "unparsed")


def test_a_reward_may_keep_thoughts():
    kept = rewards.answers("qa_em", thoughts="keep")
    own = rewards.answers("qa_em", thoughts=["<plan>", "</plan>"])

    assert kept(["<think>a</think>b"], answer=["b"]) == [0.0]
    assert own(["<plan>a</plan>b", "<plan>b"], answer=["b", "b"]) == [1.0, 0.0]
    assert kept != own
    assert hash(own) == hash(rewards.answers("qa_em", thoughts=("<plan>", "</plan>")))


@pytest.mark.parametrize(
    "text",
    [
        *("<think></think>" * 50_000, "<think>" * 99_999, "</think>" * 99_999),
        *(" " * 500_000, ANALYSIS * 9_999),
    ],
    ids=range(5),
)
def test_long_thoughts_take_little_time(text):
    start = process_time()
    without_thoughts(text)

    assert process_time() - start < 2
