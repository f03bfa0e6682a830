r"""Whole answers: "x = 5 \text{ cm}" is the value 5 with the name x and the unit cm."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from .exact_values import rational
from .expressions import FUNCTIONS, is_product_of_letters, parse_expression
from .inequalities import SIGNS, parse_inequality
from .notation import Token, closing_brace, split, tokens
from .structures import Collection, Equation, MathObject, Ratio, as_value
from .units import without_unit
from .work_limits import UndecidedError, limited_work


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What an answer says; either `word` or `content` is there."""

    text: str  # without the signs that mark mathematics
    word: str | None = None
    content: MathObject | None = None
    names: tuple[str | None, ...] = ()  # to which values are given: of "x=2, y=3" x and y
    unit: tuple[str, ...] = ()
    is_percent: bool = False


_MARKS = (("$$", "$$"), ("$", "$"), (r"\[", r"\]"), (r"\(", r"\)"))
_DECIMAL = re.compile(r"-?[0-9]{1,300}(?:\.[0-9]{1,300})?")
_FONT = re.compile(r"\\(?:text|textbf|textrm|mathrm|mathbf)\s?\{([^{}]*)\}")
_CHOICE = re.compile(r"\s*\(?\s*([A-Z])\s*\)?\.?\s*")
_NAME = re.compile(
    r"""[A-Za-z]+ (?:\([A-Za-z]\))? (?:_?\{?[A-Za-z0-9]*\}?)?  # x, AB, f(x), a_{37}
    | \([A-Za-z](?:,[A-Za-z])*\)  # (x,y)
    """,
    re.VERBOSE,
)
_SHORT_WORDS = {"no", "am", "pm", "ne", "nw", "se", "sw"}
_NO_WORDS = {"sqrt", "pi", "inf", "infinity", "and", "or", "frac", *FUNCTIONS}


@lru_cache(10_000)
def parse_answer(text: str) -> Answer | None:
    r"""What an answer says; None if that is not understood.

    >>> answer = parse_answer(r"$x = 5 \text{ cm}$")
    >>> answer.content.fraction, answer.names, answer.unit
    (Fraction(5, 1), ('x',), ('cm',))
    >>> parse_answer(r"\text{Evelyn}").word
    'evelyn'
    """
    try:
        with limited_work():
            return _answer(_unmarked(text))
    except UndecidedError:
        return None


def _unmarked(text: str) -> str:
    r"""The text without what marks it as mathematics or an answer: $...$, \boxed{}, a full stop."""
    text = text.strip()
    for left, right in _MARKS:
        inner = text[len(left) : -len(right)]
        if len(text) >= len(left + right) and text == left + inner + right and left not in inner:
            text = inner.strip()
    if text.endswith(("..", "…")):
        raise UndecidedError("something is left out")
    text = text.rstrip(".,;: ")
    box = r"\boxed{"
    if (
        text.startswith(box)
        and text.endswith("}")
        and closing_brace(text, len(box)) == len(text) - 1
    ):
        text = text[len(box) : -1].strip()
    return text


def _answer(text: str) -> Answer:
    if _DECIMAL.fullmatch(text):  # most answers are; this is shorter, and says the same
        return Answer(text=text, content=rational(Fraction(text)))
    choice = _CHOICE.fullmatch(_FONT.sub(r"\1", text))
    if choice and text != choice[1]:  # a bare C is a letter, (C) and \text{C} are words
        return Answer(text=text, word=choice[1].casefold())
    all_tokens = tokens(text)
    if _is_text(all_tokens):
        words = " ".join(token.text for token in all_tokens).casefold().replace(",", ", ")
        return Answer(text=text, word=" ".join(words.strip(" .").split()))
    parts = [part for part in split(all_tokens, ",;") if part]
    if not parts:
        raise UndecidedError("nothing")
    return _formulas(text, parts)


def _is_text(all_tokens: Sequence[Token]) -> bool:
    match all_tokens:
        case []:
            return False
        case [Token("text")]:
            return True
    return all(token.kind == "word" and _is_word(token.text) for token in all_tokens)


def _is_word(word: str) -> bool:
    """Whether this is a word, and no letters or the name of a function."""
    lower = word.lower()
    is_long = len(word) > 2 and not is_product_of_letters(word)
    return (is_long or lower in _SHORT_WORDS) and lower not in _NO_WORDS


def _formulas(text: str, parts: Sequence[Sequence[Token]]) -> Answer:
    """An answer of one formula, or of several with commas between them."""
    if len(parts) == 1:
        [part] = parts
        if any(token.is_sign(SIGNS) for token in part):
            name, content = parse_inequality(part)
            return Answer(text=text, content=content, names=(name,) if name else ())
        sides = split(part, "=")
        if len(sides) == 2 and all(sides) and _name(sides[0]) is None:
            left, right = (as_value(parse_expression(side)) for side in sides)
            return Answer(text=text, content=Equation(left - right))
    contents: list[MathObject] = []
    names, units, percents = [], set(), set()
    for part in parts:
        name, amount = _named(part)
        quantity = without_unit(amount)
        names.append(name)
        units.add(quantity.unit)
        percents.add(quantity.is_percent)
        contents += _values(quantity.amount)
    units.discard(())
    if len(units) > 1 or len(percents) > 1:
        raise UndecidedError("several units")
    return Answer(
        text=text,
        content=contents[0] if len(contents) == 1 else Collection(tuple(contents)),
        names=tuple(names) if any(names) else (),
        unit=units.pop() if units else (),
        is_percent=percents.pop(),
    )


def _named(part: Sequence[Token]) -> tuple[str | None, Sequence[Token]]:
    """The name on the left of = or ∈, if there is one, and what it is."""
    sides = split(part, "=∈")
    if len(sides) == 1:
        return None, part
    name = _name(sides[0])
    if len(sides) > 2 or name is None or not sides[1]:
        raise UndecidedError("an equation beside other parts")
    return name, sides[1]


def _name(side: Sequence[Token]) -> str | None:
    """The name that a side of an equation is, such as x, f(x) or (x,y)."""
    text = "".join(token.text for token in side)
    return text.replace("{", "").replace("}", "") if _NAME.fullmatch(text) else None


def _values(amount: Sequence[Token]) -> list[MathObject]:
    """What a formula stands for: a ratio, one value, or two where it has ±."""
    ratio = split(amount, ":")
    if len(ratio) > 1:
        return [Ratio(tuple(parse_expression(part) for part in ratio))]
    signs = [token.text for token in amount if token.is_sign("±∓")]
    if signs.count("±") > 1:
        raise UndecidedError("several ±")
    contents = [parse_expression(amount, sign) for sign in ((1, -1) if signs else (1,))]
    match contents:
        case [Collection(items, True), Collection(more_items, True)]:  # {1 ± 2, 5} is one set
            return [Collection((*items, *more_items), in_braces=True)]
    return contents
