"""The syntax of Python expressions, read in many threads at once."""

import ast
from contextlib import suppress

_ATTEMPTS = 100


def parsed_expression(text: str) -> ast.expr:
    """Return the syntax tree of an expression.

    Up to Python 3.12, the threads of a process share the counter of depth that `ast.parse` checks
    at its end: a thread that another one interrupted has a SystemError, whatever the text.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: as `ast.parse`.
        SystemError: other threads interrupted every attempt.

    >>> ast.unparse(parsed_expression("[1,  'a']"))
    "[1, 'a']"
    """
    for _ in range(_ATTEMPTS):
        with suppress(SystemError):
            return ast.parse(text, mode="eval").body
    raise SystemError("the text cannot be parsed beside the other threads")
