"""Equations, inequalities, chains of them, statements, and named values."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from typing import cast

from ..algebra.enclosures import are_equal, is_within, real_sign
from ..algebra.exact_values import (
    EMPTY,
    DecimalValue,
    Exp,
    Opaque,
    Value,
    half_unit,
    rational,
    symbol,
)
from ..algebra.work_limits import UndecidedError
from .conventions import Context
from .expressions import GREEK, parse_expression
from .notation import ROW_END, Token, split_answer, split_at_signs
from .real_sets import REALS, as_real_set, complement, intersection, interval, points, union
from .structures import (
    EVERY_INTEGER,
    Bracketed,
    Collection,
    Equation,
    Inequalities,
    Infinity,
    MathObject,
    NamedValues,
    Noted,
    Piecewise,
    Quantity,
    Ratio,
    RealSet,
    Statement,
    Words,
    as_value,
)
from .units import measured


def parse_amount(all_tokens: Sequence[Token], context: Context) -> MathObject:
    r"""Return the meaning of a formula with the text after it; "± 3" is the list 3, -3.

    Raises:
        UndecidedError: it is not understood.

    >>> from .notation import tokens
    >>> parse_amount(tokens(r"10 \text{ billion}"), Context()).fraction
    Fraction(10000000000, 1)
    """
    if not all_tokens:
        raise UndecidedError("nothing")
    if all_tokens[0].is_command("bigcup"):
        return _union_of_all(all_tokens, context)
    ratio, colons = split_at_signs(all_tokens, ":")
    if colons:
        text = "".join(token.text for token in all_tokens)
        return Ratio(tuple(parse_expression(part, context) for part in ratio), text)
    if len(all_tokens) == 3 and all_tokens[1].text == "to" and all_tokens[1].kind != "sign":
        ends = [parse_expression(all_tokens[index : index + 1], context) for index in (0, 2)]
        return Ratio(tuple(ends), "".join(token.text for token in all_tokens))  # 3 to 4
    if [token.text for token in all_tokens[1:-1]] == ["out", "of"]:
        part, whole = (as_value(_values([all_tokens[end]], context)) for end in (0, -1))
        return part / whole
    amount, suffix = measured(all_tokens, context)
    if (suffix.noun or suffix.note) and any(token.is_sign("*") for token in amount):
        raise UndecidedError("a product with a noun, such as the sides of a matrix")
    number = _values(amount, context)
    if suffix.scale != 1:
        number = as_value(number) * rational(suffix.scale)
    if suffix.note:
        return Noted(number, suffix.note)
    if suffix.unit is None and not suffix.noun and not suffix.is_percent:
        return number
    if isinstance(number, Collection) and not number.in_braces:
        items = (
            Quantity(item, suffix.unit, suffix.noun, suffix.is_percent) for item in number.items
        )
        return Collection(tuple(items))
    return Quantity(number, suffix.unit, suffix.noun, suffix.is_percent)


def _union_of_all(all_tokens: Sequence[Token], context: Context) -> Noted:
    r"""Read \bigcup_{k=-\infty}^{\infty} (k, k + 1), which is equal to a union of the same sets."""
    texts = "".join(token.text for token in all_tokens[:14])
    bounds = re.match(r"bigcup_\{(\w)=-∞\}\^(?:\{∞\}|∞)", texts)
    if bounds is None:
        raise UndecidedError("a union without bounds")
    start = 10 + 2 * bounds[0].endswith("}")
    letters = {**context.values_of_letters, bounds[1]: symbol(EVERY_INTEGER)}
    context = replace(context, values_of_letters=letters)
    return Noted(parse_expression(all_tokens[start:], context), "union")


def _values(amount: Sequence[Token], context: Context) -> MathObject:
    """Return one value, or a list of two where the formula has ±."""
    signs = [token.text for token in amount if token.is_sign("±∓")]
    if not signs:
        return parse_expression(amount, context)
    if signs.count("±") > 1:
        raise UndecidedError("several ±")
    contents = [parse_expression(amount, replace(context, plus_minus=sign)) for sign in (1, -1)]
    match contents:
        case [Collection(items, True), Collection(more_items, True)]:  # {1 ± 2, 5} is one set
            return Collection((*items, *more_items), in_braces=True)
        case [Bracketed(), Bracketed()]:
            raise UndecidedError("± inside brackets")
    return Collection(tuple(contents))


SIGNS = "=≈<>≤≥≠∈"
_EQUALITIES = "=≈"
_MIRRORED = {"<": ">", ">": "<", "≤": "≥", "≥": "≤"}
_NAME = re.compile(
    r"""(?:\\text\ )?(?:
        [A-Za-z]'*(?:_\w+)?                                       # x, a_37, y'
      | [A-Z]{2,5}'?|[A-Z]\^-1                                    # AB, B^-1
      | [A-Za-z]'*(?:_\w+)?\((?:[A-Za-z]|[A-Z]{2}|\d+)(?:,(?:[A-Za-z]|\d+))*\)  # f(x), f(2), P(AB)
      | \(LETTER(?:_\w+)?(?:,LETTER(?:_\w+)?)*\)                  # (x,y)
      | LETTER_\w+|[A-Za-z]\^-1\([a-z]\)                          # lambda_1, f^-1(x)
      | d[a-z]/d[a-z]                                             # dy/dx
      | \|[A-Z]{1,3}\|                                            # |AB|
    )""".replace("LETTER", f"(?:[A-Za-z]|{'|'.join(sorted(GREEK))})"),
    re.VERBOSE,
)
_FUNCTION_OF_LETTER = re.compile(r"([A-Za-z]'*(?:_\w+)?)\(([a-z])\)")
_GEOMETRIC = r"(?:\|?[A-Z]{1,6}\|?|[A-Za-z]_\w+)"
_GEOMETRIC_RATIO = re.compile(rf"{_GEOMETRIC}(?:[:/]{_GEOMETRIC})+|[a-z](?::[a-z])+")
_COMMANDS_OF_NAMES = set("angle triangle overline overrightarrow vec hat bar".split())
_EVENT = re.compile(r"[A-Z]\([^()]*[=<>≤≥⦃][^()]*\)|[A-Z]_\w\((?:vec)?\w\)")  # P(X = 5)
_TUPLE_OF_NAMES = re.compile(r"\(([^()]*,[^()]*)\)")


def parse_item(item: Sequence[Token], context: Context) -> MathObject:
    r"""Return one part of an answer: a relation or an amount.

    Raises:
        UndecidedError: it is not understood.

    >>> from .notation import tokens
    >>> parse_item(tokens("x = 5"), Context()).name
    'x'
    """
    item = _without_arrow(item)
    if any(token.is_sign("≡") for token in item):
        raise UndecidedError("a congruence")
    if len(item) > 1 and item[0].is_sign("≈"):
        item = item[1:]
    sides, signs = split_at_signs(item, SIGNS)
    if not signs:
        return _amount(item, context)
    if any(token.is_sign("±∓") for token in item):
        return _with_both_signs(item, sides, signs, context)
    if not all(sides):
        raise UndecidedError("a relation without a side")
    if set(signs) <= set(_EQUALITIES):
        return _equation(sides, signs, context)
    if signs == ["∈"]:
        return _membership(sides[0], sides[1], item, context)
    if set(signs) <= set("<>≤≥≠"):
        return _inequality(sides, signs, context)
    raise UndecidedError("several kinds of relations")


def _without_arrow(item: Sequence[Token]) -> Sequence[Token]:
    r"""Return g(x) = 2x for g: x \mapsto 2x."""
    is_map = len(item) > 4 and item[1].is_sign(":") and item[3].is_command("mapsto")
    if not (is_map and item[0].kind == item[2].kind == "word"):
        return item
    signs = [Token("sign", sign) for sign in "()="]
    return [item[0], signs[0], item[2], signs[1], signs[2], *item[4:]]


def _with_both_signs(
    item: Sequence[Token],
    sides: Sequence[Sequence[Token]],
    signs: Sequence[str],
    context: Context,
) -> MathObject:
    """Read x ≠ ± 4, which excludes both, and y - 7 = ± 3x, which is either of two equations."""
    name = name_of(sides[0]) if signs == ["="] else None
    if name is not None:
        return _named(name, sides[0], sides[1], context)
    if signs not in (["="], ["≠"]) or not all(sides):
        raise UndecidedError("± in a relation")
    readings = []
    for sign in (1, -1):
        signed = replace(context, plus_minus=sign)
        if signs == ["="]:
            values = [_required_value(side, signed) for side in sides]
            readings.append(_unnamed_equation(values, signed))
        else:
            readings.append(_inequality(sides, signs, signed))
    if sum(token.is_sign("±∓") for token in item) > 1:
        raise UndecidedError("several ±")
    match readings:
        case [Equation(_, first, RealSet() as numbers), Equation(_, second, RealSet() as others)]:
            if signs == ["≠"] and first == second:
                return Equation(None, first, intersection(numbers, others))
        case [Equation(Value() as difference), Equation(Value() as other)] if signs == ["="]:
            return _either(difference, other)
    raise UndecidedError("± in a relation")


def _either(first: Value, second: Value) -> Equation:
    """Return the equation whose solutions are those of both."""
    letters = first.letters | second.letters
    if len(letters) == 1:
        [letter] = letters
        roots = []
        for difference in (first, second):
            parts = linear(difference, letter)
            if parts is None or not real_sign(parts[0]):
                break
            roots.append(-(parts[1] / parts[0]))
        else:
            return Equation(first * second, letter, Collection(tuple(roots)))
    return Equation(first * second)


def _amount(tokens: Sequence[Token], context: Context) -> MathObject:
    is_cases = len(tokens) > 7 and "".join(t.text for t in tokens[:4]) == "begin{cases}"
    return _piecewise(tokens, context) if is_cases else parse_amount(tokens, context)


def _piecewise(tokens: Sequence[Token], context: Context) -> Piecewise:
    r"""Return \begin{cases} 5x & x < -5 \\ x^2 & x \ge -5 \end{cases}."""
    if [token.text for token in tokens[-4:]] != ["end", "{", "cases", "}"]:
        raise UndecidedError("cases beside other parts")
    pieces: list[tuple[RealSet, Value]] = []
    letters: set[str] = set()
    others: list[Value] = []
    for row in split_at_signs(tokens[4:-4], ROW_END).parts:
        if not row:
            continue
        parts = split_at_signs(row, "&").parts
        if len(parts) != 2:
            raise UndecidedError("cases without conditions")
        formula, condition = (_trimmed(part) for part in parts)
        value = _required_value(formula, context)
        if [token.text.lower() for token in condition] in (["otherwise"], ["else"]):
            others.append(value)
            continue
        content = _condition(condition, context)
        letters.add(content.name or "")
        pieces.append((cast(RealSet, content.content), value))
    if len(letters) != 1 or len(others) > 1:
        raise UndecidedError("cases that are not of one letter")
    rest = complement(union(numbers for numbers, _ in pieces))
    pieces += [(rest, value) for value in others]
    return Piecewise(letters.pop(), tuple(pieces))


def _trimmed(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return a cell without the comma behind it and the word "if" before it."""
    words = {"if", "for", "when", ", if", "if "}
    while tokens and (tokens[0].text.lower() in words or tokens[0].is_sign(",")):
        tokens = tokens[1:]
    while tokens and tokens[-1].is_sign(",;."):
        tokens = tokens[:-1]
    return tokens


def _condition(condition: Sequence[Token], context: Context) -> Equation:
    parts, separators = split_answer(condition)
    sets, names = [], set()
    for part in parts:
        match parse_item(part, context):
            case Equation(_, name, RealSet() as numbers):
                sets.append(numbers)
                names.add(name)
    if not sets or len(sets) < len(parts) or len(names) != 1 or len(set(separators)) > 1:
        raise UndecidedError("a condition that is not understood")
    joined = union(sets) if "or" in separators else reduce(intersection, sets)
    return Equation(None, names.pop(), joined)


def name_of(side: Sequence[Token]) -> str | None:
    r"""Return the name that a side is, such as x, f(x), AB, (x,y), \frac{AB}{CD}, or None."""
    texts = []
    if side and side[0].kind == "command" and side[0].text in ("lim", "int"):
        return "".join(token.text for token in side)
    for token in side:
        is_known = token.kind != "command" or token.text in _COMMANDS_OF_NAMES | GREEK
        if not is_known and len(side) > 1 and token.text != "frac":
            return None
        texts.append(token.text)
    if len(side) == 1 and side[0].kind in ("text", "command"):
        return None if texts[0] in ("frac", "ldots") else texts[0]
    text = "".join(texts)
    if text.startswith("frac{"):
        text = text.removeprefix("frac").replace("}{", "}/{", 1)
    text = text.replace("{", "").replace("}", "")
    for command in _COMMANDS_OF_NAMES:
        text = text.removeprefix(command)
    if _EVENT.fullmatch(text):
        return text
    if _NAME.fullmatch(text) or _GEOMETRIC_RATIO.fullmatch(text):
        return None if text in ("e", "i") else text.replace("dy/dx", "y'")
    return None


# Equations


def _equation(
    sides: Sequence[Sequence[Token]], signs: Sequence[str], context: Context
) -> MathObject:
    name = name_of(sides[0])
    if len(sides) > 2:
        return _chain(sides, signs, name, context)
    left, right = sides
    if name is None and signs == ["≈"]:
        return _rounded(left, right, context)
    if name is None and name_of(right) is not None:
        swapped = _value(left, context)
        if swapped is not None and not _unknowns([swapped]):
            name, left, right = name_of(right), right, left
    if name is not None:
        return _named(name, left, right, context)
    return _unnamed_equation([_required_value(side, context) for side in sides], context)


def _rounded(left: Sequence[Token], right: Sequence[Token], context: Context) -> MathObject:
    """Read 40/3 ≈ 13.33 minutes as 40/3 minutes, if the decimal is a rounding of it."""
    value, content = _required_value(left, context), parse_amount(right, context)
    number = content.number if isinstance(content, Quantity) else content
    if not isinstance(number, DecimalValue) or not is_within(value, number, half_unit(number)):
        raise UndecidedError("≈ between numbers that are not roundings")
    return replace(content, number=value) if isinstance(content, Quantity) else value


def _unnamed_equation(values: Sequence[Value], context: Context) -> MathObject:
    difference = values[0] - values[1]
    if not _unknowns(values) or not values[0].crosswise_difference(values[1]):
        return Statement(tuple(values), ("=",))
    return Equation(difference, has_denominator=context.has_denominator)


def _named(
    name: str, left: Sequence[Token], right: Sequence[Token], context: Context
) -> MathObject:
    function = _FUNCTION_OF_LETTER.fullmatch(name)
    if function and function[2] != "x" and all(token.text != "x" for token in right):
        letters = {**context.values_of_letters, function[2]: symbol("x")}  # f(t) = 2t is f(x) = 2x
        content = _amount(right, replace(context, values_of_letters=letters))
        return Equation(None, f"{function[1]}(x)", content)
    content = _amount(right, context)
    names = _TUPLE_OF_NAMES.fullmatch(name)
    if names and isinstance(content, Bracketed):
        parts = names[1].split(",")
        if len(parts) == len(content.items) and len(set(parts)) == len(parts):
            return NamedValues(tuple(parts), content.items)
    difference = None
    if isinstance(content, Value):
        letter = _value(left, replace(context, is_latex=True))  # in which I is a letter
        if letter is not None and not letter.crosswise_difference(content):
            return Statement((letter, content), ("=",))
        difference = None if letter is None else letter - content
    return Equation(difference, name, content)


def _chain(
    sides: Sequence[Sequence[Token]], signs: Sequence[str], name: str | None, context: Context
) -> MathObject:
    """Read x = 5 + 6 = 11 as x = 11, and x = π ≈ 3.14 as x = π, if all sides are proved equal."""
    values = [_required_value(side, context) for side in sides[1 if name else 0 :]]
    if name is None:
        if _unknowns(values):
            raise UndecidedError("a chain of equations")
        return Statement(tuple(values), ("=",) * (len(values) - 1))
    last = len(sides) - 1
    for index, (left, right) in enumerate(pairwise(values), start=1):
        is_rounded = signs[index] == "≈" and isinstance(right, DecimalValue)
        if is_rounded and right is values[-1] and is_within(left, right, half_unit(right)):
            last -= 1
        elif not are_equal(left, right):
            raise UndecidedError("a chain with a link that is not proved")
    return _named(name, sides[0], sides[last], context)


def _value(side: Sequence[Token], context: Context) -> Value | None:
    try:
        content = parse_expression(side, context)
    except UndecidedError:
        return None
    return content if isinstance(content, Value) else None


def _required_value(side: Sequence[Token], context: Context) -> Value:
    return as_value(parse_expression(side, context))


def _unknowns(values: Iterable[Value]) -> set[str]:
    """Return the letters of values; a nameless one stands for functions that are not analysed."""
    return set[str]().union(*(value.unknowns for value in values))


def _membership(
    left: Sequence[Token], right: Sequence[Token], item: Sequence[Token], context: Context
) -> MathObject:
    """Read x ∈ (1, 2) as the interval; k ∈ Z is a condition, kept as words."""
    name = name_of(left)
    if name is None:
        raise UndecidedError("an element that is not a name")
    if all(token.kind == "text" for token in right):
        return Words("".join(token.text for token in item))
    content = parse_amount(right, context)
    numbers = None if isinstance(content, Collection) else as_real_set(content)
    if numbers is None and not isinstance(content, Collection):
        raise UndecidedError("a set that is not known")
    return Equation(None, name, content if numbers is None else numbers)


# Inequalities


def _inequality(
    sides: Sequence[Sequence[Token]], signs: Sequence[str], context: Context
) -> MathObject:
    absolute = _absolute_inequality(sides, signs, context)
    if absolute is not None:
        return absolute
    contents = [parse_expression(side, context) for side in sides]
    contents, signs = _ascending(contents, signs)
    values = [content for content in contents if isinstance(content, Value)]
    letters = _unknowns(values)
    if not letters:
        if len(values) < len(contents):
            raise UndecidedError("an inequality of infinities")
        return Statement(tuple(values), tuple(signs))
    if len(letters) == 1:
        [letter] = letters
        sets = [
            _solutions(left, right, sign, letter)
            for sign, (left, right) in zip(signs, pairwise(contents), strict=True)
        ]
        solved = [numbers for numbers in sets if numbers is not None]
        if len(solved) == len(sets):
            return Equation(None, letter, reduce(intersection, solved))
    if len(values) < len(contents):
        raise UndecidedError("an inequality of infinities")
    differences = [left - right for left, right in pairwise(values)]
    return Inequalities(tuple(signs), tuple(differences))


def _ascending(
    contents: Sequence[MathObject], signs: Sequence[str]
) -> tuple[list[MathObject], list[str]]:
    """Return the sides and signs, rearranged so that all signs are <, ≤ or ≠."""
    if all(sign in ">≥" for sign in signs):
        return [*reversed(contents)], [_MIRRORED[sign] for sign in reversed(signs)]
    if not all(sign in "<≤" for sign in signs) and list(signs) != ["≠"]:
        raise UndecidedError("signs that point in different ways")
    return [*contents], [*signs]


def _solutions(left: MathObject, right: MathObject, sign: str, letter: str) -> RealSet | None:
    """Return the numbers for which left < right; None if it is not linear in the letter."""
    if isinstance(left, Infinity) or isinstance(right, Infinity):
        other = right if isinstance(left, Infinity) else left
        is_letter = isinstance(other, Value) and other.is_equal(symbol(letter))
        if is_letter and (left == Infinity(-1) or right == Infinity(1)):  # which is always true
            return REALS
        raise UndecidedError("an inequality of infinities")
    slope_and_rest = linear(as_value(left) - as_value(right), letter)
    if slope_and_rest is None:
        return None
    slope, constant_part = slope_and_rest
    slope_sign = real_sign(slope)
    if not slope_sign:
        return None
    end = -(constant_part / slope)
    if sign == "≠":
        return complement(points([end]))
    has_end = sign == "≤"
    if slope_sign > 0:  # slope * x + rest < 0
        return interval(Infinity(-1), end, False, has_end)
    return interval(end, Infinity(1), has_end, False)


def linear(value: Value, letter: str) -> tuple[Value, Value] | None:
    """Return slope and rest of slope * letter + rest; None for any other form.

    >>> from ..algebra.exact_values import plain_fraction, rational
    >>> slope, rest = linear(symbol("x") + symbol("x") - rational(3), "x")
    >>> plain_fraction(slope), plain_fraction(rest)
    (Fraction(2, 1), Fraction(-3, 1))
    """
    if not value.is_polynomial:
        return None
    slope, constant_part = Value({}), Value({})
    for monomial, constant in value.numerator.items():
        exponents = dict(monomial)
        exponent = exponents.pop(letter, 0)
        if any(_depends(generator) for generator in exponents) or exponent not in (0, 1):
            return None
        part = Value({frozenset(exponents.items()): constant})
        slope, constant_part = (
            (slope + part, constant_part) if exponent else (slope, constant_part + part)
        )
    return slope, constant_part


def _depends(generator: object) -> bool:
    """Return whether a generator is, or may be, a function of letters."""
    if isinstance(generator, Exp):
        return generator.monomial != EMPTY
    return generator != "pi" and isinstance(generator, str | Opaque)


def _absolute_inequality(
    sides: Sequence[Sequence[Token]], signs: Sequence[str], context: Context
) -> MathObject | None:
    """Return |2x - 1| < 3 as a set of numbers; None for any other form."""
    if len(signs) != 1 or signs[0] == "≠":
        return None
    (left, right), sign = sides, signs[0]
    if _is_between_bars(right):
        left, right, sign = right, left, _MIRRORED[sign]
    if not _is_between_bars(left):
        return None
    inner, limit = _value(left[1:-1], context), _value(right, context)
    if inner is None or limit is None or len(inner.letters) != 1 or _unknowns([limit]):
        return None
    [letter] = inner.letters
    has_end = "≤" if sign in "≤≥" else "<"
    is_below = sign in "<≤"
    pairs = [(inner, limit), (-limit, inner)] if is_below else [(limit, inner), (inner, -limit)]
    first, second = (_solutions(*pair, has_end, letter) for pair in pairs)
    if first is None or second is None:
        return None
    numbers = intersection(first, second) if is_below else union([first, second])
    return Equation(None, letter, numbers)


def _is_between_bars(side: Sequence[Token]) -> bool:
    bars = [index for index, token in enumerate(side) if token.is_sign("|")]
    return bars == [0, len(side) - 1] and len(side) > 2
