"""Thoughts of models: the text that some write before their answer, between marks.

A block that opens the text is a thought, up to its closing mark. Since prompts often open it, a
closing mark that nothing opened ends one, too. A block that is opened and never closed was cut off:
there is no answer. Marks inside an answer are part of it.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from ...statistics.arguments.checks import shown
from ...statistics.arguments.domains import Parsed

_MARKS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<seed:think>", "</seed:think>"),
)
# In the messages of gpt-oss, thoughts have a channel of their own, and so has the answer.
_ANALYSIS = re.compile(r"\s*+(?:<\|start\|>assistant)?<\|channel\|>analysis<\|message\|>")
_END_OF_ANALYSIS = re.compile(r"<\|end\|>|(?=<\|start\|>|<\|channel\|>)")
_FINAL = "<|channel|>final<|message|>"
_HEADER = re.compile(r"\s*+(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>")
_GAP = re.compile(r"\s*\n|\s*")  # after a mark; the indentation of the answer is its own


def _check_marks(value: Any) -> None:
    is_pair = isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2
    if not is_pair or not all(isinstance(mark, str) and mark for mark in value):
        raise ValueError(
            f"must be 'keep', 'strip' or [opening mark, closing mark], got {shown(value)}"
        )


Thoughts = (
    Literal["keep", "strip"]
    | Annotated[Sequence[str], Parsed(_check_marks, "[opening mark, closing mark]")]
)


def answer_of(text: str, thoughts: Thoughts) -> str | None:
    """Return what the option `thoughts` leaves of a text; None if that is no answer.

    >>> answer_of("<think>2 + 2</think>4", "strip"), answer_of("(2 + 2) 4", ["(", ")"])
    ('4', '4')
    """
    if thoughts == "keep":
        return text
    return without_thoughts(text, None if thoughts == "strip" else (thoughts[0], thoughts[1]))


@lru_cache
def _openings(pairs: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    """Return the pattern of an opening mark, which has one group for each."""
    return re.compile(rf"\s*+(?:{'|'.join(f'({re.escape(opening)})' for opening, _ in pairs)})")


_OPENING = _openings(_MARKS)


def without_thoughts(text: str, marks: tuple[str, str] | None = None) -> str | None:
    r"""Return the text after the thoughts; None if one is opened and never closed.

    Args:
        text: the text of a model. If it has no thoughts, it is returned as it is.
        marks: the opening and the closing mark of thoughts, in place of those of known models.

    >>> without_thoughts("<think>2 + 2</think>\n\n4"), without_thoughts("2 + 2</think> 4")
    ('4', '4')
    >>> without_thoughts("<think>2 + 2") is None, without_thoughts("the tag <think>")
    (True, 'the tag <think>')
    >>> without_thoughts("<plan>2 + 2</plan>4", ("<plan>", "</plan>"))
    '4'
    """
    pairs = _MARKS if marks is None else (marks,)
    opening = _OPENING if marks is None else _openings(pairs)
    start = 0
    while block := opening.match(text, start):
        closing = pairs[(block.lastindex or 0) - 1][1]
        end = text.find(closing, block.end())
        if end < 0:
            return None
        start = end + len(closing)
    if marks is None and "|" in text:  # a letter is found much faster than a word
        while block := _ANALYSIS.match(text, start):
            closed = _END_OF_ANALYSIS.search(text, block.end())
            if not closed:
                return None
            start = closed.end()
        header = _HEADER.match(text, start)
        start = header.end() if header else start
    if not start and (marks is not None or "/" in text):
        start = max(_end_of_unopened(text, *pair) for pair in pairs)
    if not start and marks is None and "|" in text:
        start = _end_of_unopened(text, "<|channel|>", _FINAL)
    return text[_GAP.match(text, start).end() :] if start else text  # type: ignore[union-attr]


def _end_of_unopened(text: str, opening: str, closing: str) -> int:
    """Return where the last closing mark ends, if nothing opens the first one, else 0."""
    if closing[0] not in text:
        return 0
    last = text.rfind(closing)
    is_opened = last >= 0 and opening in text[: text.find(closing)]
    return 0 if last < 0 or is_opened else last + len(closing)
