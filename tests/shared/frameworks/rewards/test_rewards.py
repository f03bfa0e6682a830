"""Rewards: numbers of the modules, logs, warnings, checks; the same wherever they run."""

import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pandas as pd
import pytest
from datasets import Dataset

import metric_commons
from metric_commons import rewards
from tests.threads import at_once

COMPLETIONS = [r"\boxed{\frac12}", r"So $\boxed{3}$.", "3", r"\boxed{2f}", r"\boxed{1}"]
SOLUTIONS = ["0.5", "2", "3", "f(2)", r"\left( see figure"]


class Log:
    """Collects what a reward logs, as a trainer does."""

    def __init__(self):
        self.columns, self.metrics = {}, {}

    def call(self, reward, *arguments, **columns):
        return reward(
            *arguments,
            log_extra=self.columns.__setitem__,
            log_metric=self.metrics.__setitem__,
            **columns,
        )


def test_the_logs_have_answers_and_proportions():
    log = Log()

    assert log.call(rewards.math(), COMPLETIONS, solution=SOLUTIONS) == [1.0, 0.0, 0.0, 0.0, None]
    assert log.columns["math_answer"] == [r"\frac12", "3", "", "2f", "1"]
    assert [*log.columns] == ["math_answer"]
    assert log.metrics == {"math/unparsed": 0.2, "math/undecided": 0.2, "math/unreadable": 0.2}


def test_the_log_has_reasons_where_they_are_asked_for():
    log = Log()
    log.call(rewards.math(explain=True, name="m"), COMPLETIONS[:1], solution=["2"])

    assert log.columns["m_reason"] == [r"m is 0: the answer is '\\frac12', accepted is '2'."]


CALL = {"name": "f", "arguments": {"a": 1}}
CALLING = {"role": "assistant", "content": "", "tool_calls": [{"function": CALL}]}
TOOLS = {"tools": [{"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}}}]}
NO_COMMA = {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}
BOTH = {"instruction_id_list": ["punctuation:no_comma", "startend:quotation"], "kwargs": [{}, {}]}
NOTHING = {"instruction_id_list": [], "kwargs": []}


@pytest.mark.parametrize(
    ("reward", "completions", "columns", "expected"),
    [
        (rewards.answers(), ["a cat", "dog"], {"answer": [["cat"], "cat"]}, [1.0, 0.0]),
        (rewards.answers("qa_recall"), ["a cat"], {"answer": ["big cat"]}, [0.5]),
        (rewards.answers("qa_em", column="gold"), ["Cat."], {"gold": ["cat"]}, [1.0]),
        (rewards.answers("substring_recall"), ["a cat sat"], {"answer": ["cat"]}, [1.0]),
        (rewards.choice(column="label"), ["(B)", "C"], {"label": [1, 1]}, [1.0, 0.0]),
        (rewards.rouge("rouge2_recall"), ["the cat sat"], {"summary": ["the cat"]}, [1.0]),
        (rewards.rouge("rougeLsum"), ["the cat"], {"summary": ["the cat"]}, [1.0]),
        (rewards.found("gsm8k"), ["#### 3", "3"], {}, [1.0, 0.0]),
        (
            rewards.tools(),
            ["[f(a=1)]", [{"role": "assistant", "content": "[f(a=1)]"}], [CALLING], "No.", "f()"],
            {"expected_calls": [[CALL]] * 4 + ["["]},
            [1.0, 1.0, 1.0, 0.0, None],
        ),
        (
            rewards.tools("recall", column="calls", match="superset", arguments="ignore"),
            ["[f(), g()]", "[g()]"],
            {"calls": [[CALL], [CALL]]},
            [1.0, 0.0],
        ),
        (
            rewards.tools(arguments="bfcl"),
            ["[f(a=1)]"],
            {"expected_calls": [{"tool_calls": [{"name": "f", "arguments": {"a": [1]}}]} | TOOLS]},
            [1.0],
        ),
        (rewards.json("exact_match", list_order="any"), ["[2, 1]"], {"answer": [[1, 2]]}, [1.0]),
        (rewards.json(), ["1", "1", "["], {"answer": ["NaN", "1", "1"]}, [None, 1.0, 0.0]),
        *(
            (
                rewards.instructions(score),
                ["One, two", "One two", [{"role": "assistant", "content": 'Yes:\n"One"'}], "", ""],
                {"instructions": [NO_COMMA, BOTH, json.dumps(BOTH), None, NO_COMMA | NOTHING]},
                [*expected, None, None],
            )
            for score, expected in (
                ("prompt_level_strict_acc", [0.0, 0.0, 0.0]),
                ("prompt_level_loose_acc", [0.0, 0.0, 1.0]),
                ("inst_level_strict_acc", [0.0, 0.5, 0.5]),
                ("inst_level_loose_acc", [0.0, 0.5, 1.0]),
            )
        ),
        (rewards.instructions(column="rules"), ["One"], {"rules": [NO_COMMA]}, [1.0]),
        (
            rewards.math(extract=["strip_think", "final_answer"], relative_tolerance=0.1),
            ["<think>The answer is 3.</think>The answer is 2.1."],
            {"solution": [2]},
            [1.0],
        ),
    ],
)
def test_kinds(reward, completions, columns, expected):
    assert reward(completions, **columns) == expected
    assert reward(completions=completions, prompts=["?"] * len(completions), **columns) == expected
    assert reward([], **{name: [] for name in columns}) == []


@pytest.mark.parametrize(
    ("make", "error", "problem"),
    [
        (lambda: rewards.answers("bleu"), ValueError, "score must be one of 'qa_em'"),
        (lambda: rewards.answers(normalizer="squat"), ValueError, "did you mean 'squad'"),
        (lambda: rewards.rouge("rogueL"), ValueError, "rogueL"),
        (lambda: rewards.rouge("rougeL_f1"), ValueError, "no score 'rougeL_f1' of rows"),
        (lambda: rewards.found("bx"), ValueError, "unknown step 'bx'"),
        (lambda: rewards.math(percent="no"), ValueError, "percent must be one of"),
        (lambda: rewards.choice(extract=3), ValueError, "unknown step 3"),
        (lambda: rewards.tools("exactmatch"), ValueError, "has no score 'exactmatch' of rows; did"),
        (lambda: rewards.tools(match="unordered"), ValueError, "match must be one of"),
        (lambda: rewards.json("schema_valid"), ValueError, "has no score 'schema_valid'"),
        (lambda: rewards.json(no_such=1), TypeError, "no_such"),
        (lambda: rewards.instructions("strict"), ValueError, "has no score 'strict' of rows"),
        (lambda: rewards.instructions(checks="mended"), ValueError, "checks must be one of"),
        (lambda: rewards.math_trainer, AttributeError, "has no attribute 'math_trainer'"),
    ],
)
def test_errors_come_before_training(make, error, problem):
    with pytest.raises(error, match=problem):
        make()


def test_a_missing_column_and_lengths_that_differ_are_errors():
    columns = {"answer": ["1"], "trainer_state": object(), "level": [3], "prompts": ["?"]}

    with pytest.raises(ValueError, match=r"no column 'solution'; it has answer, level, prompts; p"):
        rewards.math()([r"\boxed{1}"], **columns)
    with pytest.raises(ValueError, match="2 texts, but 1 references"):
        rewards.math()(["1", "2"], solution=["1"])


@pytest.mark.parametrize(
    ("references", "problem"),
    [
        ([r"We have $x=2$ so the answer is \boxed{2}."] * 2, "pass column= .* extract_references="),
        ([None, None], "the first is missing; pass column="),
    ],
)
def test_a_batch_without_readable_references_is_one_warning(references, problem):
    with pytest.warns(UserWarning, match=f"column 'solution' can be read.*{problem}") as caught:
        assert rewards.math()(["1", "2"], solution=references) == [None, None]
    assert len(caught) == 1


def test_one_row_is_not_a_reason_for_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rewards.math()(["1"], solution=[None]) == [None]


ROWS = [{"solution": solution, "level": 1} for solution in SOLUTIONS]


@pytest.mark.parametrize(
    "dataset",
    [ROWS, Dataset.from_list(ROWS), pd.DataFrame(ROWS), {"solution": SOLUTIONS}, iter(ROWS)],
)
def test_references_are_checked_before_training(dataset):
    found = rewards.math().check(dataset)

    assert (found.rows, found.readable) == (5, 4)
    assert found.unreadable == ((4, r"cannot be read: '\\left( see figure'"),)
    assert str(found).splitlines() == [
        "4 of 5 references can be read",
        r"row 4 cannot be read: '\\left( see figure'",
    ]


def test_a_check_names_ten_rows():
    solutions = [rf"Let $x=1$, then \boxed{{{n}}}." for n in range(12)]
    found = rewards.math().check({"solution": solutions})

    assert [row for row, _ in found.unreadable] == list(range(10))
    assert str(found).splitlines()[-1] == "and 2 more"
    assert rewards.math(extract_references="boxed").check({"solution": [r"\boxed{2}", "2"]}) == (
        *(2, 1),
        ((1, "cannot be read: '2'"),),
    )


def test_checks_of_other_kinds():
    assert rewards.choice().check({"answer": ["A", 3, "AB", None]}).readable == 2
    assert rewards.json().check({"answer": ['{"a": 1}', "{", None]}).unreadable[1] == (
        2,
        "is missing",
    )
    assert rewards.instructions().check({"instructions": [{}]}).readable == 0
    assert rewards.found().check({"x": [1]}).rows == 0
    assert rewards.math().check([{"solution": {"a": 1}}]).unreadable[0][1].startswith("is {'a': 1}")
    with pytest.raises(ValueError, match="there is no column 'solution'; the columns are 'answer'"):
        rewards.math().check({"answer": ["1"]})


@pytest.mark.parametrize("reward", [rewards.math(), rewards.rouge(), rewards.tools()])
def test_rewards_are_values(reward):
    copy = pickle.loads(pickle.dumps(reward))

    assert copy == reward
    assert hash(copy) == hash(reward)
    assert copy.__name__ == reward.__name__
    assert pickle.loads(pickle.dumps(reward.verl)).__self__ == reward
    with pytest.raises(AttributeError):
        reward.column = "other"


MANY = COMPLETIONS * 40
COLUMN = SOLUTIONS * 40


def test_threads_agree_with_one_thread():
    reward = rewards.math()
    expected = reward(MANY, solution=COLUMN)

    assert at_once(lambda _: reward(MANY, solution=COLUMN)) == [expected] * 8


@pytest.mark.processes
def test_processes_agree_with_one_thread():
    reward = rewards.answers(column="solution")
    expected = reward(COMPLETIONS, solution=SOLUTIONS)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert pool.submit(reward, COMPLETIONS, solution=SOLUTIONS).result() == expected


def test_mathematics_needs_no_main_thread_no_signal_and_no_child_process(monkeypatch):
    def forbidden(*arguments, **options):
        raise AssertionError("a signal, or a child process")

    for name in ("signal", "setitimer", "alarm", "pthread_kill"):
        monkeypatch.setattr(signal, name, forbidden)
    for name in ("fork", "posix_spawn", "system", "popen"):
        monkeypatch.setattr(os, name, forbidden)
    for owner in (subprocess, multiprocessing.process.BaseProcess):
        monkeypatch.setattr(owner, {subprocess: "Popen"}.get(owner, "start"), forbidden)
    hostile = ["(" * 1_500, "2^" * 700 + "2", "9" * 1_900 + "!", r"\boxed{" * 200 + "1" + "}" * 200]
    module = metric_commons.load("math_equivalence")

    def work():
        assert threading.current_thread() is not threading.main_thread()
        found = rewards.math()([*COMPLETIONS, *hostile], solution=[*SOLUTIONS, *["1"] * 4])
        return found, module.compute(predictions=["1/2", *hostile], references=["0.5", *["7"] * 4])

    with ThreadPoolExecutor(1) as pool:
        found, result = pool.submit(work).result()

    assert found[: len(COMPLETIONS)] == rewards.math()(COMPLETIONS, solution=SOLUTIONS)
    assert result["math_equivalence"] == 0.2


LIGHT = r"""
import sys, time
from metric_commons import rewards
rewards.math()([r"\boxed{0.5}"], solution=["1/2"])
rewards.choice()(["(B)"], answer=["B"])
rewards.math_verl, rewards.choice_verl, rewards.found_trl
heavy = {"numpy", "scipy", "evaluate", "datasets", "asyncio", "sympy", "math_verify", "signal"}
heavy |= {"difflib", "json", "pathlib", "subprocess", "urllib"}
print(sorted(heavy & set(sys.modules)))
"""


@pytest.mark.processes
def test_mathematics_and_choices_need_no_library():
    done = subprocess.run(
        [sys.executable, "-I", "-W", "error", "-c", LIGHT], capture_output=True, text=True
    )

    assert (done.stdout, done.stderr) == ("[]\n", "")
