"""The instructions of each row, read from JSON and checked."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_type_hints

from ...statistics.arguments.checks import OptionError, RowError, nearest, shown
from ...statistics.arguments.domains import check_option
from .instruction_kinds import KINDS
from .response_languages import LANGUAGES, Language
from .responses import Check

Checks = Literal["ifeval", "corrected"]


class Instruction(NamedTuple):
    """The id of an instruction, and whether a response follows it."""

    name: str
    check: Check


def read_instructions(
    references: Sequence[str], *, checks: Checks = "ifeval", language: Language = "langdetect"
) -> list[list[Instruction]]:
    """Return the instructions of each row.

    Args:
        references: JSON texts of {"instruction_id_list": [...], "kwargs": [...]}; other keys, such
            as the prompt, are ignored. `kwargs` has the arguments of each instruction, as an object
            or its JSON text; the whole list may be a JSON text, too. An argument that is null
            counts as missing.
        checks: "ifeval" or "corrected".
        language: as in `instruction_statistics`.

    Raises:
        ValueError: a row has no instructions, an unknown one, or one without its arguments.

    >>> reference = '{"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}'
    >>> [[instruction]] = read_instructions([reference])
    >>> instruction.name
    'punctuation:no_comma'
    """
    rows = []
    for row, reference in enumerate(references):
        try:
            rows.append(_instructions(reference, checks, any_language=callable(language)))
        except ValueError as error:
            raise RowError("references", row, str(error)) from None
    return rows


def _instructions(reference: str, checks: Checks, *, any_language: bool) -> list[Instruction]:
    content = _json(reference)
    if not isinstance(content, Mapping):
        raise ValueError(
            'is not an object {"instruction_id_list": [...], "kwargs": [...]} of JSON, but '
            f"{shown(reference)}"
        )
    lists: dict[str, list[Any]] = {}
    for key in ("instruction_id_list", "kwargs"):
        if key not in content:
            raise ValueError(f"has no {key!r}")
        value = _from_text(content[key])
        if not isinstance(value, list):
            raise ValueError(f"has {shown(content[key])} as {key!r}; expected a list")
        lists[key] = value
    names, arguments = lists.values()
    if not names:
        raise ValueError("has no instructions; every row needs at least one")
    if len(names) != len(arguments):
        raise ValueError(
            f"has {len(names)} instructions in 'instruction_id_list', but {len(arguments)} objects "
            "in 'kwargs'"
        )
    return [
        _instruction(*pair, checks, any_language=any_language)
        for pair in zip(names, arguments, strict=True)
    ]


def _instruction(name: Any, kwargs: Any, checks: Checks, *, any_language: bool) -> Instruction:
    if not isinstance(name, str) or name not in KINDS:
        hint = nearest(name, KINDS) if isinstance(name, str) else ""
        raise ValueError(f"has an unknown instruction {shown(name)}{hint}")
    value = _from_text(kwargs)
    if not isinstance(value, Mapping | None):
        raise ValueError(f"has {shown(kwargs)} as arguments of {name}; expected an object")
    arguments = {key: value for key, value in (value or {}).items() if value is not None}
    kind = KINDS[name]
    for key in kind.arguments:
        if key not in arguments:
            raise ValueError(f"lacks the argument {key!r} of {name}")
    for key in arguments:
        if key not in kind.arguments:
            raise ValueError(
                f"has an argument {key!r} that {name} does not take{nearest(key, kind.arguments)}"
            )
    hints = get_type_hints(kind.ifeval, include_extras=True)
    try:
        for key, argument in arguments.items():
            check_option(key, argument, hints[key])
        if name == "language:response_language" and not any_language:
            _check_language(arguments["language"])
        if name == "length_constraints:nth_paragraph_first_word":
            _check_position(arguments["nth_paragraph"], arguments["num_paragraphs"])
    except OptionError as error:
        raise ValueError(f": in {name} {error}") from None
    build = (kind.corrected if checks == "corrected" else None) or kind.ifeval
    try:
        return Instruction(name, build(**arguments))
    except re.error as error:
        raise ValueError(
            f"has an invalid regular expression in {shown(arguments)} of {name}: "
            f"{error}; checks='corrected' compares literal texts"
        ) from None


def _check_language(language: str) -> None:
    if language not in LANGUAGES:
        raise OptionError(
            "language",
            f"must be a code that langdetect may return, one of {', '.join(sorted(LANGUAGES))}, "
            f"got {shown(language)}",
        )


def _check_position(nth_paragraph: float, num_paragraphs: float) -> None:
    if not 1 <= nth_paragraph <= num_paragraphs:
        raise OptionError(
            "nth_paragraph",
            f"must be from 1 to num_paragraphs, {num_paragraphs}, got {nth_paragraph}",
        )


def _from_text(value: Any) -> Any:
    """Return the value, read from JSON if it is a text; the text if it is not JSON."""
    return _json(value) if isinstance(value, str) else value


def _json(text: str) -> Any:
    """Return the value of a JSON text; the text itself if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
