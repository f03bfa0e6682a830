"""The syntax of Python texts, read in many threads at once."""

import ast
from contextlib import suppress
from typing import Any, Literal

_ATTEMPTS = 100


def syntax_tree(text: str, mode: Literal["exec", "eval"]) -> Any:
    """Return the syntax tree of a program, or of an expression with the mode "eval".

    Up to Python 3.12, the threads of a process share the counter of depth that `ast.parse` checks
    at its end: a thread that another one interrupted has a SystemError, whatever the text.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse`.
        SystemError: other threads interrupted every attempt.

    >>> ast.unparse(syntax_tree("[1,  'a']", "eval"))
    "[1, 'a']"
    """
    for _ in range(_ATTEMPTS):
        with suppress(SystemError):
            return ast.parse(text, mode=mode)
    raise SystemError("the text cannot be parsed beside the other threads")
