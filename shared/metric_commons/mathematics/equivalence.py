"""Whether two answers mean the same: yes, no, or undecided. Only a proof is a yes."""

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Literal

from ..numbers.domains import NonNegative, checked_options
from .exact_values import Value, rational
from .mathematical_answers import Answer, parse_answer
from .polynomials import Polynomial, product
from .structures import (
    BasedNumber,
    Bracketed,
    Collection,
    Equation,
    Inequalities,
    Inequality,
    Infinity,
    MathObject,
    Matrix,
    Ratio,
    SetUnion,
)
from .work_limits import UndecidedError, limited_work, spend

Percent = Literal["either", "value", "ignore", "any_scale"]

# White space is no matter, unless it parts numbers or words: 7 3/4 is not 73/4.
_SPACE = re.compile(r"(?<![\w.,\\])\s+|\s+(?![\w.,])")
_HUNDREDTH = Fraction(1, 100)
# Beside something of another kind, these may still mean the same.
_AMBIGUOUS = (Collection, Ratio, BasedNumber, Equation)
_AMBIGUOUS_STRUCTURES = (*_AMBIGUOUS, SetUnion, Inequality, Inequalities)


@checked_options
def equivalent(
    reference: str,
    prediction: str,
    *,
    percent: Percent = "either",
    relative_tolerance: NonNegative = 0.0,
    absolute_tolerance: NonNegative = 0.0,
) -> bool | None:
    r"""Whether two answers mean the same; None where that cannot be decided exactly.

    Args:
        reference: the accepted answer.
        prediction: the answer that is judged.
        percent: what 28% means beside a number without a percent sign: "either" 28 or 0.28, "value"
            0.28, "ignore" 28; "any_scale" accepts a hundredth and a hundredfold of any number.
        relative_tolerance: two rational numbers are equal if they differ by at most this share of
            the reference.
        absolute_tolerance: or by at most this.

    >>> equivalent(r"\frac{1}{2}", "0.5"), equivalent("2", "3")
    (True, False)
    >>> print(equivalent("1", r"\sin^2 x + \cos^2 x"))
    None
    """
    if _squeezed(reference) == _squeezed(prediction) != "":
        return True
    left, right = parse_answer(reference), parse_answer(prediction)
    if left is None or right is None:
        return None
    if left.word is not None or right.word is not None:
        return _same_words(left, right)
    if left.unit and right.unit and left.unit != right.unit:
        return None
    tolerance = None
    if relative_tolerance or absolute_tolerance:
        tolerance = _Tolerance(relative_tolerance, absolute_tolerance)
    try:
        with limited_work():
            return _same_contents(left, right, percent, tolerance)
    except UndecidedError:
        return None


def _squeezed(text: str) -> str:
    """The text without white space that is no matter.

    >>> _squeezed(" 7 3/4 + x "), _squeezed("7  3/4+x")
    ('7 3/4+x', '7 3/4+x')
    """
    return _SPACE.sub("", " ".join(text.split()))


def _same_words(left: Answer, right: Answer) -> bool | None:
    """Two words are compared; a word beside a formula may still be how the formula is written."""
    if left.word is not None and right.word is not None:
        return left.word == right.word
    word, formula = (left.word, right) if left.word is not None else (right.word, left)
    return formula.text.strip("() .").casefold() == word or None


def _same_contents(
    left: Answer, right: Answer, percent: Percent, tolerance: "_Tolerance | None"
) -> bool | None:
    if left.names and right.names and sorted(map(str, left.names)) != sorted(map(str, right.names)):
        return None
    if len({*left.names}) > 1 or len({*right.names}) > 1:
        return _same_by_name(left, right) if left.is_percent == right.is_percent else None
    if left.is_percent != right.is_percent and (left.unit or right.unit):
        return None
    reference, prediction = _content(left), _content(right)
    same = equal if tolerance is None else tolerance.accepts
    return _any(
        same(_scaled(reference, scale), _scaled(prediction, prediction_scale))
        for scale, prediction_scale in _scales(left, right, percent)
    )


def _scales(left: Answer, right: Answer, percent: Percent) -> Iterable[tuple[Fraction, Fraction]]:
    """By what both sides are multiplied before they are compared, in turn."""
    plain = Fraction(1), Fraction(1)
    value = (
        _HUNDREDTH if left.is_percent else Fraction(1),
        _HUNDREDTH if right.is_percent else Fraction(1),
    )
    if percent == "any_scale":
        return [(value[0] * scale, value[1]) for scale in (1, _HUNDREDTH, 100)]
    if left.is_percent == right.is_percent:
        return [plain]
    return {"either": [plain, value], "value": [value], "ignore": [plain]}[percent]


class _Tolerance:
    """Compares rational numbers with a tolerance, and everything else without."""

    def __init__(self, relative: float, absolute: float) -> None:
        # Read as the decimals that were written: 0.05 is 1/20.
        self._relative, self._absolute = (Fraction(str(float(n))) for n in (relative, absolute))

    def accepts(self, reference: MathObject, prediction: MathObject) -> bool | None:
        """Whether the prediction is equal to the reference or close to it."""
        if isinstance(reference, Value) and isinstance(prediction, Value):
            target, number = reference.fraction, prediction.fraction
            if target is not None and number is not None:
                allowed = max(self._absolute, self._relative * abs(target))
                return abs(number - target) <= allowed
        return equal(reference, prediction)


def equal(left: MathObject, right: MathObject) -> bool | None:
    """Whether two mathematical objects are equal; None where that is not decided.

    Raises:
        UndecidedError: to tell would cost too much.
    """
    spend(1)
    if isinstance(left, Value) and isinstance(right, Value):
        return left.equals(right)
    match left, right:
        case Infinity(left_sign), Infinity(right_sign):
            return left_sign == right_sign
        case Bracketed(left_brackets, left_items), Bracketed(right_brackets, right_items):
            return left_brackets == right_brackets and _all_equal(left_items, right_items)
        case Matrix(left_rows), Matrix(right_rows):
            if [*map(len, left_rows)] != [*map(len, right_rows)]:
                return False
            return _all(map(_all_equal, left_rows, right_rows))
        case Collection(left_items), Collection(right_items):
            return _same_items(left_items, right_items)
        # Other parts may make up the same union, other numbers the same ratio.
        case SetUnion(left_parts), SetUnion(right_parts):
            return _same_items(left_parts, right_parts) or None
        case Ratio(left_parts), Ratio(right_parts):
            return _all_equal(left_parts, right_parts) or None
        case BasedNumber(left_digits, left_base), BasedNumber(right_digits, right_base):
            return left_digits.equals(right_digits) if left_base.equals(right_base) else None
        case Equation(left_difference), Equation(right_difference):
            return _proportional(left_difference, right_difference, positive=False) or None
        case Inequality(), Inequality():
            return _same_inequality(left, right) or None
        case Inequalities(left_parts), Inequalities(right_parts):
            return _all_equal(left_parts, right_parts) or None
        case (Collection(_, True), Bracketed()) | (Bracketed(), Collection(_, True)):
            return False
    has_value = isinstance(left, Value) or isinstance(right, Value)
    ambiguous = _AMBIGUOUS if has_value else _AMBIGUOUS_STRUCTURES
    return None if isinstance(left, ambiguous) or isinstance(right, ambiguous) else False


def _all_equal(left: Sequence[MathObject], right: Sequence[MathObject]) -> bool | None:
    return len(left) == len(right) and _all(map(equal, left, right))


def _same_items(left: Sequence[MathObject], right: Sequence[MathObject]) -> bool | None:
    """Whether both have the same items, in any order; one that is there twice counts once."""
    left_items, right_items = _distinct(left), _distinct(right)
    if len(left_items) != len(right_items):
        return False
    for item in left_items:
        verdicts = [equal(item, candidate) for candidate in right_items]
        if True not in verdicts:
            return None if None in verdicts else False
        del right_items[verdicts.index(True)]
    return True


def _distinct(items: Sequence[MathObject]) -> list[MathObject]:
    distinct: list[MathObject] = []
    for item in items:
        if not any(equal(item, candidate) for candidate in distinct):
            distinct.append(item)
    return distinct


def _same_inequality(left: Inequality, right: Inequality) -> bool:
    if left.sign != right.sign:
        return False
    return _proportional(left.difference, right.difference, positive=left.sign != "≠")


def _proportional(left: Value, right: Value, *, positive: bool) -> bool:
    """Whether one difference is a rational multiple of the other: 2x - 2 = 0 says that x = 1."""
    numerators: list[Polynomial] = [
        product(left.numerator, right.denominator),
        product(right.numerator, left.denominator),
    ]
    if set(numerators[0]) != set(numerators[1]):
        return False
    ratios = {numerators[0][monomial] / numerators[1][monomial] for monomial in numerators[0]}
    return not ratios or (len(ratios) == 1 and (not positive or ratios.pop() > 0))


def _scaled(content: MathObject, factor: Fraction) -> MathObject:
    """Numbers, and the items of tuples and collections, times a factor."""
    if factor == 1:
        return content

    def scaled(items: Sequence[MathObject]) -> tuple[MathObject, ...]:
        return tuple(_scaled(item, factor) for item in items)

    match content:
        case Value():
            return content * rational(factor)
        case Bracketed(brackets, items):
            return Bracketed(brackets, scaled(items))
        case Collection(items, in_braces):
            return Collection(scaled(items), in_braces)
        case SetUnion(parts):
            return SetUnion(scaled(parts))
        case Matrix(rows):
            return Matrix(tuple(map(scaled, rows)))
    return content  # infinities, ratios and equations stay what they are


def _same_by_name(left: Answer, right: Answer) -> bool | None:
    """x=2, y=3: values go by their names or, where one side has none, by their places."""
    left_contents, right_contents = _parts(left), _parts(right)
    if not (left.names and right.names):
        return _all_equal(left_contents, right_contents) or None
    if len(left_contents) != len(left.names) or len(right_contents) != len(right.names):
        return None
    values = dict(zip(right.names, right_contents, strict=True))
    if len(values) != len(right.names):
        return None
    pairs = zip(left.names, left_contents, strict=True)
    return _all(equal(content, values[name]) for name, content in pairs)


def _parts(answer: Answer) -> Sequence[MathObject]:
    """The values of an answer, or of the only tuple that it is."""
    match answer.content:
        case Collection(items, False) | Bracketed("()", items):
            return items
    return [_content(answer)]


def _content(answer: Answer) -> MathObject:
    if answer.content is None:
        raise UndecidedError("a word")
    return answer.content


def _all(verdicts: Iterable[bool | None]) -> bool | None:
    """False if any is, else None if any is, else True."""
    verdicts = list(verdicts)
    return False if False in verdicts else None if None in verdicts else True


def _any(verdicts: Iterable[bool | None]) -> bool | None:
    """True if any is, else None if any is, else False."""
    undecided = False
    for verdict in verdicts:
        if verdict:
            return True
        undecided |= verdict is None
    return None if undecided else False
