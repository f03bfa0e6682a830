"""Extraction: chains of steps, what is unparsed, and what is no step."""

import random
import re

import pytest

from metric_commons import State, load, score
from metric_commons.statistics.arguments.checks import OptionError
from metric_commons.text import extract_answers
from metric_commons.text.extraction.community_steps import inspect_line
from metric_commons.text.extraction.step_chains import STEPS
from tests.tables import by_table

MODULES = ["qa_em", "qa_f1", "substring_recall", "rouge_n_l"]
RATE = {"regex": "rate ([0-9]+)"}


def found(text, steps, **options):
    (answer,) = extract_answers([text], steps, **options)
    return answer


# Steps


@by_table("text, code")
def test_code_is_the_last_block(text, code):
    assert found(text, "code_fence") == code


@by_table("text, answer")
def test_citations_are_cut_as_alce_does(text, answer):
    assert found(text, "strip_citations") == answer


def test_the_choices_of_each_row_are_its_own():
    texts = ["it is red", "it is red", "it is blue", "so: B"]
    choices = [["red", "blue"], ["blue", "Red."], ["blue", "red"], ["x", "y"]]

    assert extract_answers(texts, "gpqa_choices", choices) == ["(A)", "(B)", "(A)", "(B)"]


@by_table("choices, message")
def test_choices_are_lists_of_texts(choices, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        extract_answers(["a", "b"], "gpqa_choices", choices)


# Chains, patterns and functions


def test_each_step_reads_what_the_one_before_it_found():
    assert found("<think>\\boxed{2}</think>so $x = \\boxed{3}$", ["strip_think", "boxed"]) == "3"
    assert found("<think>\\boxed{2}</think>so 3", ["strip_think", "boxed"]) is None
    assert found("<think>\\boxed{2}", ["strip_think", "boxed"]) is None
    assert found("rate 12", [RATE, str.strip, lambda text: text[:1]]) == "1"


@by_table("pattern, answer")
def test_a_pattern_takes_one_of_its_matches(pattern, answer):
    assert found("b 1 2 3", pattern) == answer


def test_equal_texts_are_read_once():
    calls = []

    def step(text):
        calls.append(text)
        return text or None

    assert extract_answers(["a", "b", "a", ""], step) == ["a", "b", "a", None]
    assert sorted(calls) == ["", "a", "b"]


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ("boxd", ": unknown step 'boxd'; did you mean 'boxed'?"),
        ([], ": a chain needs at least one step"),
        (["boxed", 3], f": unknown step 3; the steps are {', '.join(STEPS)}"),
        (
            {"group": 1},
            ": a pattern is 'regex' with optional 'group', not {'group': 1}",
        ),
        (
            {"regex": "a", "flags": 1},
            ": a pattern is 'regex' with optional 'group', not",
        ),
        ({"regex": "a", "group": True}, ": 'group' must be the number of a match, got True"),
        (
            {"regex": "("},
            ": '(' is not a pattern: missing ), unterminated subpattern at position 0",
        ),
    ],
)
@pytest.mark.parametrize("option", ["extract", "extract_references"])
def test_what_is_no_step_is_refused(option, steps, problem):
    with pytest.raises(OptionError) as caught:
        load("qa_em", **{option: steps})
    assert str(caught.value).startswith(option + problem)


def test_a_function_that_returns_no_text_is_refused():
    with pytest.raises(ValueError, match=r"^a step returns a str or None, got int for 'a b'$"):
        extract_answers(["a b"], len)


# What is unparsed


@pytest.mark.parametrize("name", MODULES)
def test_an_unparsed_row_scores_nothing_whatever_the_reference(name):
    always = {"empty_reference": "always"} if name == "substring_recall" else {}
    result = load(name, extract=RATE, **always).compute(
        predictions=["", "the rate 5", "nothing", "rate 5"],
        references=["", "5", ["", "nothing"], "5"],
        per_example=True,
        groups=["a", "a", "b", "b"],
    )
    rows = result["per_example"]

    assert rows.pop("unparsed") == [1.0, 0.0, 1.0, 0.0]
    assert result["unparsed"] == 0.5
    assert {label: group["unparsed"] for label, group in result["groups"].items()} == {
        "a": 0.5,
        "b": 0.5,
    }
    for key, values in rows.items():
        assert values == [0.0, 0.0 if key.startswith("rouge2") else 1.0] * 2
        assert result[key] == sum(values) / 4


@pytest.mark.parametrize("name", MODULES)
def test_an_answer_of_nothing_is_an_answer(name):
    result = load(name).compute(
        predictions=["<think></think>"], references=["Paris"], extract="strip_think"
    )

    assert result["unparsed"] == 0.0


@pytest.mark.parametrize("name", MODULES)
def test_without_extraction_there_is_no_share_of_unparsed_rows(name):
    assert "unparsed" not in load(name).compute(predictions=["a"], references=["a"])
    assert "unparsed" not in load(name).compute(
        predictions=["5"], references=["rate 5"], extract_references=RATE
    )


def test_references_are_cut_where_that_is_asked_for():
    qa_em = load("qa_em", extract="gsm8k", extract_references="gsm8k")
    data = {
        "predictions": ["#### 5", "#### 6", "#### 7"],
        "references": ["2 + 3 #### 5", ["2 + 3 #### 5", "#### 6"], "#### 5"],
    }

    assert qa_em.compute(**data) == {"qa_em": 2 / 3, "unparsed": 0.0}
    data["references"][1] = ["#### 5", "six"]
    problem = r"references\[1\] has no answer that extract_references finds: 'six'"
    with pytest.raises(ValueError, match=rf"^{problem}$"):
        qa_em.compute(**data)


# Everywhere


def test_a_state_holds_a_chain_and_counts_what_is_unparsed(tmp_path):
    options = {"extract": ["strip_think", RATE], "normalizer": "gsm8k"}
    data = {"predictions": ["rate 5", "<think>", "rate 6"], "references": ["5", "", "7"]}
    parts = [State("qa_em", **options) for _ in range(3)]
    for row, part in enumerate(parts):
        part.update(**{name: column[row : row + 1] for name, column in data.items()})
    total, *others = parts
    for number, part in enumerate(others):
        part.save(path := tmp_path / f"{number}.jsonl")
        total.merge(State.read(path))

    assert total.result() == load("qa_em", **options).compute(**data)
    with pytest.raises(ValueError, match=r"^extract is a function, which a state cannot hold$"):
        State("qa_em", extract=["boxed", str.strip])
    with pytest.raises(ValueError, match="extract is 'boxed' in some and 'gsm8k' in others"):
        State("qa_em", extract="boxed").merge(State("qa_em", extract="gsm8k"))


def test_a_state_takes_the_choices_of_its_rows():
    state = State("qa_em", extract="gpqa_choices", normalizer="none")
    data = {"predictions": ["red!", "blue"], "references": ["(A)", "(A)"]}
    choices = [["red", "blue"], ["red", "blue"]]
    state.update(**data, choices=choices)

    assert state.result() == {"qa_em": 0.5, "unparsed": 0.0}


def test_the_signature_names_the_chain():
    results = score(
        "qa_em",
        predictions=["rate 5", "none"],
        references=["5", "6"],
        options={"extract": ["strip_think", RATE, str.strip, first_word]},
    )
    (line,) = results.signatures()
    chain = f'strip_think,{{"regex": "rate ([0-9]+)"}},str.strip,{__name__}:first_word'

    assert f"|extract={chain}|rows=2|" in line
    assert results.systems["predictions"]["qa_em"].lower_is_better == ["unparsed"]


def first_word(text):
    return text.split()[0]


@pytest.mark.long
def test_the_last_line_is_what_the_pattern_of_inspect_finds():
    pattern = re.compile(r"(?i)ANSWER\s*:\s*([^\n]+)\s*\Z")
    dice = random.Random(0)
    pieces = [
        "ANSWER",
        "answer",
        "an\u017fwer",
        ":",
        " ",
        "\n",
        "x",
        "\t",
        "\x1c",
        "\u2028",
        "ANSWER: ",
    ]
    for _ in range(20_000):
        text = "".join(dice.choices(pieces, k=dice.randrange(14)))
        match = pattern.search(text)
        assert inspect_line(text) == (match[1] if match else None)
    assert inspect_line("Answer: x " * 30_000 + "\n!") is None  # or it would take a minute
