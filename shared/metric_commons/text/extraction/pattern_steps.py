"""Patterns of users, which are matched within a time limit.

Python's `re` tries alternatives one after another, so that a pattern such as "(a+)+$" takes
exponential time, and cannot be stopped by another thread. Patterns whose work is bounded by their
form and the length of a text are matched directly; all others in a separate process with a clock.
Both use `re`, so the matches are the same.
"""

import json
import math
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

from .pattern_worker import SCRIPT, nth_match
from .step_chains import SECONDS

_FAST = 5_000_000  # steps of `re`, which take less than the time limit on any machine
_START = 1.0  # seconds that the start of a process may take, where it has no clock
_COUNTED_REPEATS = 3  # repetitions that are counted one by one
_SINGLE = {"LITERAL", "NOT_LITERAL", "IN", "ANY", "RANGE", "CATEGORY"}
_LOOPS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}

TIMED_OUT = object()  # the answer to a text that took too long


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
