"""Extraction of the answer from the text of a model, before texts are compared.

A model does not answer "18": it thinks aloud and ends with "#### 18", a box, or "The answer is".
The extraction rule changes scores by points, so it is an option, which signatures name: the name of
a step in `STEPS`, a pattern, a function, or a chain of these. A text in which a step finds nothing
is *unparsed*: its row scores 0, whatever the reference, and is counted.

Patterns of users are matched within a time limit. Python's `re` tries alternatives one after
another, so that a pattern such as "(a+)+$" takes exponential time, and cannot be stopped by another
thread. Patterns whose work is bounded by their form and the length of a text are matched directly;
all others in a separate process with a clock. Both use `re`, so the matches are the same.
"""

import json
import math
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from importlib import import_module
from itertools import pairwise, repeat
from typing import Annotated, Any

import numpy as np

from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.checks import OptionError, RowError
from ...statistics.arguments.domains import OneOf, Parsed, PerRow, checked_options
from ...statistics.intervals.summary import Average, summarize
from ...statistics.intervals.sums import RowStatistics
from ..tokens.thoughts import Thoughts, answer_of
from .community_steps import gpqa_choices
from .pattern_worker import SCRIPT, nth_match
from .step_chains import SECONDS, STEPS, step_functions

_EXCERPT = 60  # characters of a text in a message
_FAST = 5_000_000  # steps of `re`, which take less than the time limit on any machine
_START = 1.0  # seconds that the start of a process may take, where it has no clock
_COUNTED_REPEATS = 3  # repetitions that are counted one by one
_SINGLE = set("LITERAL NOT_LITERAL IN ANY RANGE CATEGORY".split())
_LOOPS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}

TIMED_OUT = object()  # the answer to a text that took too long

Extraction = (
    Annotated[
        Annotated[str, OneOf(STEPS)] | dict[str, Any] | list[Any],
        Parsed(
            step_functions,
            "the name of a step, {'regex': pattern, 'group': number}, a list of steps",
        ),
    ]
    | Callable[[str], str | None]
    | None
)
Choices = Annotated[Sequence[Any], PerRow("list of choices")] | None


def extract_answers(
    texts: Sequence[str], steps: Any, choices: Sequence[Sequence[str]] | None = None
) -> list[str | None]:
    r"""Return the answer in each text, or None if there is none. Equal texts are read once.

    Args:
        texts: texts of models.
        steps: a name in `STEPS`, `{"regex": pattern, "group": number}`, a function from str to str
            or None, or a list of these: each reads the result of the previous one. A text for which
            a pattern takes longer than a second, or its "seconds", has no answer.
        choices: the options of each row, for the step `gpqa_choices`.

    Raises:
        ValueError: a step is unknown, or needs choices that are missing.

    >>> extract_answers(["<think>hm</think>#### 1,080", "18"], ["strip_think", "gsm8k"])
    ['1,080', None]
    >>> extract_answers(["A: 1 A: 2"], {"regex": "A: ([0-9])", "group": -1})
    ['2']
    """
    answers = _answers_in_time(texts, steps, choices)
    return [None if answer is TIMED_OUT else answer for answer in answers]


def _answers_in_time(texts: Sequence[str], steps: Any, choices: Any = None) -> list[Any]:
    """Return the result of `extract_answers`, with TIMED_OUT for answers that took too long."""
    chain = step_functions(steps, PatternStep)
    row_choices: Iterable[tuple[str, ...]] = repeat(())
    if any(step is gpqa_choices for step in chain):
        row_choices = _checked_choices(choices, len(texts))
    rows = list(zip(texts, row_choices, strict=False))
    distinct = list(dict.fromkeys(rows))
    answers: list[Any] = [text for text, _ in distinct]
    for step in chain:
        remaining = [row for row, answer in enumerate(answers) if isinstance(answer, str)]
        inputs = [answers[row] for row in remaining]
        if isinstance(step, PatternStep):
            outcomes = step.answers(inputs)
        elif step is gpqa_choices:
            options = (distinct[row][1] for row in remaining)
            outcomes = [step(text, listed) for text, listed in zip(inputs, options, strict=True)]
        else:
            outcomes = list(map(step, inputs))
        for row, answer in zip(remaining, outcomes, strict=True):
            answers[row] = answer
    answer_of = dict(zip(distinct, answers, strict=True))
    return [answer_of[row] for row in rows]


def _has_pattern(steps: Any) -> bool:
    """Return whether one of the steps is a pattern, which may take too long."""
    listed = steps if isinstance(steps, list | tuple) else [steps]
    return any(isinstance(step, Mapping) for step in listed)


def _checked_choices(choices: Any, rows: int) -> list[tuple[str, ...]]:
    if choices is None:
        raise OptionError("choices", "is missing; the step 'gpqa_choices' needs one list per row")
    if len(choices) != rows:
        raise OptionError("choices", f"has {len(choices)} lists, but there are {rows} rows")
    lists = [tuple(texts) if isinstance(texts, list | tuple) else () for texts in choices]
    for row, texts in enumerate(lists):
        if not texts or not all(isinstance(text, str) for text in texts):
            raise RowError("choices", row, f"is {choices[row]!r}; expected a list of str")
    return lists


def read_answers(
    texts: Sequence[str], *, thoughts: Thoughts, extract: Any = None, choices: Any = None
) -> tuple[Sequence[str], dict[str, Floats]]:
    """Return the answer in each text, blank if there is none, and rates of rows without one.

    These are `unparsed` and, with a pattern, `timed_out`; there are none if texts are answers.

    >>> answers, rates = read_answers(["<think>hm</think>#### 18"], thoughts="strip")
    >>> answers, rates["unparsed"].tolist()
    (['#### 18'], [0.0])
    """
    if thoughts == "keep" and extract is None:
        return texts, {}
    stripping = [] if thoughts == "keep" else [partial(answer_of, thoughts=thoughts)]
    steps = extract if isinstance(extract, list | tuple) else [extract]
    chain = [*stripping, *(step for step in steps if step is not None)]
    answers = _answers_in_time(texts, chain, choices)
    rates = {"unparsed": np.array([float(not isinstance(answer, str)) for answer in answers])}
    if _has_pattern(chain):
        rates["timed_out"] = np.array([float(answer is TIMED_OUT) for answer in answers])
    return [answer if isinstance(answer, str) else "" for answer in answers], rates


@checked_options
def summarize_extracted(
    scores: Callable[[Sequence[str], Sequence[Any]], Mapping[str, Floats] | RowStatistics],
    predictions: Sequence[str],
    references: Sequence[Any],
    reference_scores: Container[str] = (),
    averages: Mapping[str, Average] | None = None,
    *,
    thoughts: Thoughts = "keep",
    extract: Extraction = None,
    extract_references: Extraction = None,
    choices: Choices = None,
    **summary: Any,
) -> dict[str, Any]:
    """Return the result of a module that compares texts, or the answers in them; see `summarize`.

    Without thoughts, or with `extract`, it also has `unparsed`, the proportion of predictions
    without an answer; with a pattern also `timed_out`, the proportion of those for which the
    pattern took too long.

    Args:
        scores: the function from predictions and references to the scores of rows, by name, or to
            their statistics.
        predictions: one text per row.
        references: the reference, or references, of each row.
        reference_scores: names of scores that do not depend on the prediction.
        averages: as in `summarize`.
        thoughts: whether the thoughts of a model, such as `<think>...</think>`, are part of a
            prediction ("keep"), or only what follows them is ("strip", or with marks of your own
            [opening mark, closing mark]). A prediction whose thoughts are cut off has no answer.
        extract: how to extract the answer from a prediction, before it is normalized: the name of a
            step, such as "boxed" or "gsm8k" (the card of qa_em lists them), or of several with
            vertical bars between them, of which the first that finds something counts; a pattern, a
            function from str to str or None; or a list of these, each of which reads the result of
            the previous one. A prediction without an answer scores 0.
        extract_references: the same for references, each of which must have an answer.
        choices: for the step "gpqa_choices": one list of choices per row.
        **summary: the options of `summarize`.

    >>> def same(predictions, references):
    ...     return {"same": np.array(predictions) == np.array(references)}
    >>> summarize_extracted(same, ["so #### 18", "18"], ["18", ""], extract="gsm8k")
    {'same': 0.5, 'unparsed': 0.5}
    """
    if extract_references is not None:
        references = reference_answers(references, extract_references, choices)
    texts, rates = read_answers(predictions, thoughts=thoughts, extract=extract, choices=choices)
    values = scores(texts, references)
    if isinstance(values, RowStatistics):
        return summarize(values.with_means(rates), **summary)
    columns = dict(values)
    if rates:
        columns |= {
            name: np.where(rates["unparsed"], 0.0, column)
            for name, column in values.items()
            if name not in reference_scores
        }
    return summarize(columns | rates, averages, **summary)


def extract_samples(
    predictions: Sequence[Sequence[str]], **options: Any
) -> tuple[Sequence[Sequence[str]], dict[str, Floats]]:
    """Return the answer in each of the texts of a row, and rates by row, as in `read_answers`.

    >>> samples = [["#### 18", "18"], ["#### 7"]]
    >>> answers, rates = extract_samples(samples, extract="gsm8k", thoughts="keep")
    >>> answers, rates["unparsed"].tolist()
    ([['18', ''], ['7']], [0.5, 0.0])
    """
    texts, rates = read_answers([text for row in predictions for text in row], **options)
    ends = np.cumsum([0, *map(len, predictions)])
    rows = [texts[start:end] for start, end in pairwise(ends.tolist())]
    means = {
        name: np.array(
            [column[start:end].mean() if end > start else 0.0 for start, end in pairwise(ends)]
        )
        for name, column in rates.items()
    }
    return rows, means


def reference_answers(references: Sequence[Any], steps: Any, choices: Any = None) -> list[Any]:
    """Return the references with the answer in place of each text.

    Raises:
        RowError: a reference has no answer.
    """
    numbers: list[int] = []
    texts: list[str] = []
    for row, reference in enumerate(references):
        _mapped(texts.append, reference)
        numbers += [row] * (len(texts) - len(numbers))
    row_choices = None if choices is None else [choices[row] for row in numbers]
    answers = extract_answers(texts, steps, row_choices)
    for row, text, answer in zip(numbers, texts, answers, strict=True):
        if answer is None:
            problem = f"has no answer that extract_references finds: {text[:_EXCERPT]!r}"
            raise RowError("references", row, problem)
    remaining = iter(answers)
    return [_mapped(lambda _: next(remaining), reference) for reference in references]


def _mapped(function: Callable[[str], Any], reference: Any) -> Any:
    """Return a reference with the results of a function in place of its texts."""
    if isinstance(reference, str):
        return function(reference)
    return [_mapped(function, inner) for inner in reference]


class PatternStep:
    """The step that takes one match of a pattern, without white space at its ends.

    Args:
        pattern: a regular expression of Python.
        group: the number of the match, from 0, or from -1 at the end.
        seconds: the time limit for each text, in processor time; on Windows the mean time of texts.

    Raises:
        re.error: it is not a regular expression.

    >>> PatternStep("[0-9]+", -1).answers(["16 - 3 = 13", "none"])
    ['13', None]
    """

    def __init__(self, pattern: str, group: int = 0, seconds: float = SECONDS) -> None:
        self._pattern, self._group, self._seconds = pattern, group, seconds
        self._compiled = re.compile(pattern)

    def answers(self, texts: Sequence[str]) -> list[Any]:
        """Return the answer in each text: None if there is none, TIMED_OUT if it took too long."""
        answers: list[Any] = [None] * len(texts)
        slow = []
        for row, text in enumerate(texts):
            if work_bound(self._pattern, len(text)) <= _FAST:
                answers[row] = nth_match(self._compiled, self._group, text)
            else:
                slow.append(row)
        while slow:
            timed_answers = self._timed([texts[row] for row in slow])
            for row, answer in zip(slow, timed_answers, strict=False):
                answers[row] = answer
            slow = slow[len(timed_answers) :]
        return answers

    def _timed(self, texts: Sequence[str]) -> list[Any]:
        """Return the answers of one process, up to the first text that takes too long."""
        lines = map(json.dumps, ([self._pattern, self._group, self._seconds], *texts))
        has_clock = hasattr(signal, "setitimer")
        try:
            process = subprocess.run(
                [sys.executable, "-I", "-S", SCRIPT],
                input="\n".join(lines),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="ascii",
                timeout=None if has_clock else _START + self._seconds * len(texts),
            )
            is_late = process.returncode == -getattr(signal, "SIGVTALRM", 0)
            output: str | bytes = process.stdout
        except subprocess.TimeoutExpired as error:
            is_late, output = True, error.stdout or b""
        answers = list(map(json.loads, output.splitlines()))
        if len(answers) == len(texts):
            return answers
        if not is_late:
            raise RuntimeError("the process of a pattern has ended")
        return [*answers, TIMED_OUT]


def work_bound(pattern: str, length: int) -> float:
    """Return a bound of the steps in which `re` finds all matches in a text of this length.

    From each position there is a number of ways to match, and each takes at most as many steps as
    the pattern has parts. A loop over one character has one end per length. A loop over anything
    longer may have exponentially many ends, so it has no bound here.

    >>> work_bound("[0-9]+x?", 1000) <= 9 * 2 * 1000 * 1001, work_bound("(a+)+$", 28)
    (True, inf)
    """
    return float(length + 1) * (len(pattern) + 1) * _ways(_tree(pattern), length)


@lru_cache(maxsize=256)
def _tree(pattern: str) -> Any:
    """Return the parts of a pattern, as `re` itself parses it."""
    return import_module("re._parser").parse(pattern)


def _ways(tree: Any, length: int) -> float:
    """Return the number of ways in which a part of a pattern may match from one position."""
    ways = 1.0
    for operator, argument in tree:
        name = str(operator)
        if name in _SINGLE or name == "AT":
            continue
        if name == "SUBPATTERN":
            ways *= _ways(argument[-1], length)
        elif name == "BRANCH":
            ways *= sum(_ways(branch, length) for branch in argument[1])
        elif name in _LOOPS:
            low, high, body = argument
            if len(body) == 1 and str(body[0][0]) in _SINGLE:
                ways *= max(min(int(high), length) - int(low), 0) + 1
            elif int(high) <= _COUNTED_REPEATS:
                inner = _ways(body, length)
                ways *= sum(inner**count for count in range(int(low), int(high) + 1))
            else:
                return math.inf
        else:  # look-around, references to groups, conditions
            return math.inf
    return ways
