"""Valid values of the arguments of instructions, which annotate the checks."""

from typing import Annotated, Any, Literal

from ...statistics.arguments.checks import shown
from ...statistics.arguments.domains import Parsed

Relation = Literal["less than", "at least"]


def fulfills(number: int, bound: float, relation: Relation) -> bool:
    """Return whether a number is less than a bound, or at least the bound.

    >>> fulfills(3, 3, "at least"), fulfills(3, 3, "less than")
    (True, False)
    """
    return number < bound if relation == "less than" else number >= bound


def _check(accepted: bool, value: Any, description: str) -> None:
    if not accepted:
        raise ValueError(f"must be {description}, got {shown(value)}")


def _check_number(value: Any) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    _check(is_number and value >= 0 and value % 1 == 0, value, "an integer, at least 0")


def _check_text(value: Any) -> None:
    _check(isinstance(value, str) and value.strip() != "", value, "a text that is not blank")


def _check_texts(value: Any) -> None:
    accepted = isinstance(value, list) and all(isinstance(text, str) and text for text in value)
    _check(accepted and bool(value), value, "a list of texts, at least one")


def _check_character(value: Any) -> None:
    _check(isinstance(value, str) and len(value.strip()) == 1, value, "one character")


Number = Annotated[float, Parsed(_check_number, "an integer, at least 0")]
Text = Annotated[str, Parsed(_check_text, "a text that is not blank")]
Texts = Annotated[list[str], Parsed(_check_texts, "a list of texts, at least one")]
Character = Annotated[str, Parsed(_check_character, "one character")]
