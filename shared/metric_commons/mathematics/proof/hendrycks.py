r"""Equality of answers as in `hendrycks_math`: as texts, after normalization of LaTeX.

It is the rule that came with the MATH data set (Hendrycks et al. 2021), in the form of lm-eval. It
does not parse mathematics: 0.5 is \frac{1}{2}, but 0.25 is not \frac{1}{4}. Some texts it cannot
normalize; if one of two texts is such a text, both are compared unchanged.
"""

import re
from typing import Annotated, Any

from ...statistics.arguments.shapes import Scalar

_DELETED = tuple("\\left \\right ^{\\circ} ^\\circ \\$".split())
_Texts = Annotated[Any, Scalar(str)]
_ROOT = re.compile(r"\\sqrt([^{])", re.DOTALL)
_EMPTY_ROOT = re.compile(r"\\sqrt(?=\\sqrt|\Z)")


class _UntidyError(ValueError):
    """A text cannot be normalized."""


def hendrycks_equal(left: str, right: str) -> bool:
    r"""Return whether two answers are the same text after normalization.

    >>> hendrycks_equal(r"\dfrac12", "1/2"), hendrycks_equal(r"\frac{1}{4}", "0.25")
    (True, False)
    """
    try:
        return tidied(left) == tidied(right)
    except _UntidyError:
        return left == right


def competition_math(*, predictions: _Texts, references: _Texts) -> dict[str, float]:
    r"""Return the result of `competition_math` in `evaluate`: the proportion of equal texts.

    >>> competition_math(predictions=[r"\frac{1}{2}", "3"], references=["1/2", "4"])
    {'accuracy': 0.5}
    """
    right = sum(map(hendrycks_equal, predictions, references))
    return {"accuracy": right / len(predictions)}


def tidied(text: str) -> str:
    r"""Return the text without white space and units, and with braces around arguments.

    Raises:
        ValueError: it cannot be normalized.

    >>> tidied(r"x = \tfrac{3}4\text{ cm}")
    '\\frac{3}4'
    """
    text = text.replace("\n", "").replace(r"\!", "").replace("\\\\", "\\")
    text = text.replace("tfrac", "frac").replace("dfrac", "frac")
    for command in _DELETED:
        text = text.replace(command, "")
    text = _without_unit(text).replace(r"\%", "")
    text = text.replace(" .", " 0.").replace("{.", "{0.")
    if text.startswith("."):
        text = f"0{text}"
    name, equals, value = text.partition("=")
    if equals and "=" not in value and len(name) <= 2:  # "x = 5"
        text = value
    if _EMPTY_ROOT.search(text):
        raise _UntidyError("a root of nothing")
    text = _ROOT.sub(r"\\sqrt{\1}", text).replace(" ", "")
    text = _with_braces(text)
    return r"\frac{1}{2}" if text == "0.5" else _as_fraction(text)


def _without_unit(text: str) -> str:
    r"""Return the text before a unit, which begins with \text{ and a space."""
    amount, *units = text.split(r"\text{ ")
    if len(units) > 1:
        raise _UntidyError("several units")
    return amount


def _with_braces(text: str) -> str:
    r"""Return \frac12 with braces; if an argument is missing, the whole text is unchanged."""
    head, *fractions = text.split(r"\frac")
    for index, arguments in enumerate(fractions):
        if not arguments:
            raise _UntidyError("a fraction of nothing")
        if arguments[0] == "{":
            continue
        if len(arguments) == 1:
            return text
        numerator, denominator, tail = arguments[0], arguments[1], arguments[2:]
        second = denominator if denominator == "{" else f"{{{denominator}}}"
        fractions[index] = f"{{{numerator}}}{second}{tail}"
    return r"\frac".join([head, *fractions])


def _as_fraction(text: str) -> str:
    r"""Return a quotient of two integers with \frac."""
    if text.count("/") != 1:
        return text
    numerator, denominator = text.split("/")
    try:
        integers = int(numerator), int(denominator)
    except ValueError as error:
        raise _UntidyError("a quotient of numbers that are not integers") from error
    is_plain = text == f"{integers[0]}/{integers[1]}"
    return rf"\frac{{{integers[0]}}}{{{integers[1]}}}" if is_plain else text
