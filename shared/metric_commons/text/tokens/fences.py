"""Fenced code in Markdown: CommonMark 0.31.2, section 4.5, and what models make of it.

A fence that never closes ends with the text; a sole closing fence, whose opening one was part of
the prompt, ends code that begins with the text. Models also open a fence behind other words, close
it behind the last line of code, and open another one before the first is closed.
"""

import ast
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...statistics.arguments.python_syntax import syntax_tree

_PYTHON = frozenset({"python", "python3", "py", "py3"})
_LONGEST = 100_000  # characters; a longer text is not parsed to see whether it is Python
# The usual fence, which is read in a fifth of the time if it is the only one.
_USUAL = re.compile(r"(?<![^\n])```([\w+#-]*+)[ \t]*+\n([^`]*+)(?<![^\n])```[ \t]*+(?:\n|\Z)")
_RUN = re.compile("`{3,}|~{3,}")
_CONTAINER = re.compile(r"[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])(?:[ \t]+|(?=[`~>])))*")
_LANGUAGE = re.compile(r"[{.]*([\w+#-]*)")
_WORD = re.compile(r"[\w+#.-]*")


class Fence(NamedTuple):
    """The code between two fences, without their indentation, and its language, or ""."""

    language: str
    code: str


class _Opening(NamedTuple):
    before: str  # of its line
    marks: str
    info: str
    start: int  # of the marks
    end: int  # where the next line starts


def fences(text: str) -> list[Fence]:
    r"""Return all fenced code of a text.

    >>> fences("1. So:\n   ~~~sh\n   ls\n   ~~~\n2. Or `dir`.")
    [Fence(language='sh', code='ls\n')]
    >>> fences("print(1)\n```\nDone.")
    [Fence(language='', code='print(1)\n')]
    """
    first, has_tildes = text.find("```"), "~~~" in text
    if first < 0 and not has_tildes:
        return []
    usual = _USUAL.match(text, first)
    if usual and not has_tildes and text.find("```", usual.end()) < 0:
        return [Fence(usual[1].lower(), usual[2])]
    blocks: list[Fence] = []
    opened: _Opening | None = None
    position = 0  # where a line starts
    while run := _RUN.search(text, position):
        start = max(position, text.rfind("\n", position, run.start()) + 1)
        end = text.find("\n", run.end()) + 1 or len(text)
        line = _Opening(
            text[start : run.start()], run[0], text[run.end() : end].strip(), run.start(), end
        )
        position = end if end > run.end() else len(text) + 1
        if opened is None:
            opened = line if _opens(line) else None
        elif not line.marks.startswith(opened.marks):
            continue
        elif not line.before.strip(" \t>"):
            if not line.info and len(line.before) <= len(opened.before) + 3:
                blocks.append(_block(opened, text[opened.end : start]))
                opened = None
            elif _WORD.match(text, run.end()).end() > run.end():  # type: ignore[union-attr]
                blocks.append(_block(opened, text[opened.end : start]))
                opened = line
        elif not line.info:
            blocks.append(_block(opened, text[opened.end : run.start()]))
            opened = None
    if opened is not None:
        before, rest = text[: opened.start], text[opened.end :]
        is_alone = not blocks and not opened.info and before.strip()
        if is_alone and (not rest.strip() or (is_program(before) and not is_program(rest))):
            blocks.append(Fence("", before))
        elif rest.strip():
            blocks.append(_block(opened, rest))
    return blocks


def _opens(line: _Opening) -> bool:
    if line.marks[0] == "`" and "`" in line.info:  # code within a line
        return False
    if _CONTAINER.fullmatch(line.before):
        return True
    return line.marks[0] == "`" not in line.before and _WORD.fullmatch(line.info) is not None


def _block(opening: _Opening, code: str) -> Fence:
    container = _CONTAINER.match(opening.before)[0]  # type: ignore[index] # may be empty
    if container:
        indentation = container.rpartition(">")[2]
        blank = r"\t" if indentation.startswith("\t") else " "
        prefix = rf"^(?:[ \t]*>){{0,{container.count('>')}}}{blank}{{0,{len(indentation)}}}"
        code = re.sub(prefix, "", code, flags=re.MULTILINE)
    return Fence(_LANGUAGE.match(opening.info)[1].lower(), code)  # type: ignore[index]


def last_code(blocks: Sequence[Fence], can_read: Callable[[Fence], bool]) -> str | None:
    """Return the last code that can be read, else the last; None without any."""
    if len(blocks) < 2:
        return blocks[0].code if blocks else None
    return next(filter(can_read, reversed(blocks)), blocks[-1]).code


def is_program(code: str) -> bool:
    """Return whether a text is a program in Python that does anything; no text is run.

    >>> is_program("print(1)"), is_program("Done."), is_program("Done"), is_program("# nothing")
    (True, False, False, False)
    """
    if len(code) > _LONGEST:
        return True
    try:
        statements = syntax_tree(code, "exec").body
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        return False
    return any(
        not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Name | ast.Constant)
        for node in statements
    )


def fenced_program(text: str) -> str | None:
    r"""Return the fenced program in Python; None without any.

    A fence that is marked as Python comes before one without a mark, and one that Python can parse
    before one that it cannot; among equals the last counts.

    >>> fenced_program("First:\n```\nx\n```\n```python\nprint(1)\n```\n")
    'print(1)\n'
    >>> fenced_program("print(1)")
    """
    blocks = fences(text)
    unmarked = [block for block in blocks if not block.language]
    marked = [block for block in blocks if block.language in _PYTHON]
    return last_code(unmarked + marked, lambda block: is_program(block.code))


def fenced_code(text: str) -> str | None:
    r"""Return the last fenced code; of code that is marked as Python, the last that can be parsed.

    >>> fenced_code("So:\n```python\nprint(1)\n```\nDone.")
    'print(1)\n'
    """
    return last_code(
        fences(text), lambda block: block.language not in _PYTHON or is_program(block.code)
    )
