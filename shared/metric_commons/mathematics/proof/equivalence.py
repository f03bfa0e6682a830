"""Whether two answers mean the same: yes, no, or undecided. Only a proof is a yes or a no."""

import re
from fractions import Fraction
from itertools import product
from typing import Any, Literal, NamedTuple, Self, cast

from ...statistics.arguments.domains import NonNegative, checked_options
from ..algebra.exact_values import Value, rational
from ..algebra.work_limits import UndecidedError, limited_work, on_own_stack
from ..parsing.conventions import DEFAULT, LIKELY, MAX_FORMS, Conventions
from ..parsing.mathematical_answers import Answer, Unreadable, parse_answer, plain_text
from ..parsing.structures import (
    ChosenContent,
    Collection,
    Equation,
    MathObject,
    Quantity,
    Words,
)
from .comparisons import Lists, Percent, Rounding, Rules, scaled
from .item_matching import any_of
from .problem_sets import SETTLED, Dataset

Reason = Literal[
    "", "unreadable reference", "unreadable prediction", "two readings", "not decided",
    "too much work",
]  # fmt: skip

# White space does not matter, unless it separates numbers or words: 7 3/4 is not 73/4.
_SPACE = re.compile(r"(?<![\w.,\\])\s+|\s+(?![\w.,])")
_SCALES = (None, rational(Fraction(1, 100)), rational(100))
_DECIMAL_COMMA = re.compile(r"(?<=[0-9])\{?,\}?(?=[0-9])")
_GROUPS = re.compile(r"(?<![0-9.,])[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?![0-9.])")
_SHORT_SCALE = re.compile("[0-9][0-9.,]*[kKMB]")  # thousands, millions or billions, or a letter
_CHOICE = re.compile(r"(?:\\text ?\{)? ?\(?([A-H])\)? ?\}?")
_INDICES = frozenset("jklmn")
_UNIT_FORMS = {"bare_units", "doubtful_unit"}


class EquivalenceVerdict(NamedTuple):
    """Whether two answers are equal, or why that is undecided."""

    is_equal: bool | None
    reason: Reason = ""


def equivalent(reference: str, prediction: str, **options: Any) -> bool | None:
    r"""Return whether two answers mean the same; None if neither equality nor difference is proved.

    Args:
        reference: the accepted answer.
        prediction: the answer that is judged.
        **options: of `rules_of`, such as `percent` and `relative_tolerance`.

    >>> equivalent(r"\frac{1}{2}", "0.5"), equivalent("2", "3")
    (True, False)
    >>> equivalent("1", r"\sin^2 x + \cos^2 x")
    True
    >>> print(equivalent("f(2)", "2f"))
    None
    """
    return verdict(reference, prediction, rules_of(**options)).is_equal


@checked_options
def rules_of(
    *,
    percent: Percent = "either",
    lists: Lists = "either",
    rounding: Rounding = "none",
    decimal_comma: bool = False,
    relative_tolerance: NonNegative = 0.0,
    absolute_tolerance: NonNegative = 0.0,
    dataset: Dataset = None,
) -> Rules:
    """Return the rules by which answers are equal.

    Args:
        percent: the meaning of 28% beside a number without a percent sign: "either" 28 or 0.28,
            "value" 0.28, "ignore" 28; "any_scale" accepts a hundredth and a hundredfold of any
            number.
        lists: whether repetitions count in lists without braces: not with "set"; with "multiset";
            with "sequence", and so does the order; "either" decides if "set" and "multiset" agree.
        rounding: "reference" accepts numbers that round to a decimal of the reference.
        decimal_comma: whether a comma between digits is the decimal mark.
        relative_tolerance: two numbers are equal if they differ by at most this proportion of
            the reference, also in tuples, lists, sets and matrices.
        absolute_tolerance: or by at most this.
        dataset: a data set whose conventions are followed.

    >>> rules_of(lists="set", relative_tolerance=0.05).relative_tolerance
    Fraction(1, 20)
    """
    # Read as the decimals that were written: 0.05 is 1/20.
    relative, absolute = (
        Fraction(str(float(share))) for share in (relative_tolerance, absolute_tolerance)
    )
    settled = SETTLED.get(dataset or "", ())
    return Rules(percent, lists, rounding, decimal_comma, relative, absolute, settled)


def readable(text: str, *, decimal_comma: bool = False) -> bool:
    r"""Return whether a text is understood: as a formula, a structure of formulas, or words.

    A reference that is not understood is equal only to the same text.

    >>> readable(r"\frac{1}{2}"), readable(r"\frac{1}{")
    (True, False)
    """
    if decimal_comma:
        text = _with_decimal_points(text)
    return isinstance(parse_answer(text, DEFAULT), Answer)


@on_own_stack(EquivalenceVerdict(None, "too much work"))
def verdict(reference: str, prediction: str, rules: Rules) -> EquivalenceVerdict:
    """Return whether two answers are equal by rules.

    >>> verdict("1/2", "0.5", Rules())
    EquivalenceVerdict(is_equal=True, reason='')
    """
    if _squeezed(reference) == _squeezed(prediction) != "":
        return EquivalenceVerdict(True)
    comparison = _Comparison.of(reference, prediction, rules)
    left, right = comparison.answers(DEFAULT)
    if isinstance(left, Unreadable) or isinstance(right, Unreadable):
        if plain_text(reference) == plain_text(prediction) != "":
            return EquivalenceVerdict(True)
        if isinstance(left, Unreadable):
            return _undecided(left.reason, "unreadable reference")
        return _undecided(cast(Unreadable, right).reason, "unreadable prediction")
    try:
        with limited_work():
            if left.forms or right.forms:
                result = comparison.under_all_conventions()
            else:  # as with most answers
                result = _verdict_of(_same_answers(left, right, rules))
            return result if result.is_equal is not False else _certified(left, right)
    except UndecidedError as error:
        return _undecided(str(error), "not decided")


def _undecided(cause: str, reason: Reason) -> EquivalenceVerdict:
    is_work = cause.startswith("too much work")
    return EquivalenceVerdict(None, "too much work" if is_work else reason)


def _verdict_of(is_equal: bool | None) -> EquivalenceVerdict:
    return EquivalenceVerdict(is_equal, "not decided" if is_equal is None else "")


def _certified(left: Answer, right: Answer) -> EquivalenceVerdict:
    """Return that answers differ, unless they may differ in notation alone.

    A word is a product of letters where the other side has its letters, too. Names that differ in
    case, or in an accent, may be the same.
    """
    if any(not set(word) <= right.letters for word in left.products):
        return EquivalenceVerdict(None, "unreadable reference")
    if any(not set(word) <= left.letters for word in right.products):
        return EquivalenceVerdict(None, "unreadable prediction")
    if any(_SHORT_SCALE.fullmatch(answer.text) for answer in (left, right)):
        return EquivalenceVerdict(None, "two readings")
    unshared = left.letters - right.letters, right.letters - left.letters
    if not any(map(_INDICES.isdisjoint, unshared)):
        return EquivalenceVerdict(None, "not decided")  # x = 2πn and x = 2πk
    names = [_names(answer.content) for answer in (left, right)]
    plain = [{name.rpartition(" ")[2].casefold() for name in side} for side in names]
    if names[0] != names[1] and plain[0] == plain[1]:
        return EquivalenceVerdict(None, "not decided")
    return EquivalenceVerdict(False)


def _names(content: MathObject) -> set[str]:
    """Return the letters of a formula, also of one with a name."""
    inner = content.content if isinstance(content, Equation) else content
    return inner.letters if isinstance(inner, Value) else set()


def _squeezed(text: str) -> str:
    """Return the text without white space that does not matter.

    >>> _squeezed(" 7 3/4 + x "), _squeezed("7  3/4+x")
    ('7 3/4+x', '7 3/4+x')
    """
    words = text.split()
    return words[0] if len(words) == 1 else _SPACE.sub("", " ".join(words))


def _with_decimal_points(text: str) -> str:
    """Return 1.000,5 as 1000.5.

    >>> _with_decimal_points("1.000,5"), _with_decimal_points("0.111")
    ('1000.5', '0.111')
    """
    text = _GROUPS.sub(lambda match: match[0].replace(".", ""), text)
    return _DECIMAL_COMMA.sub(".", text)


class _Comparison(NamedTuple):
    """Two texts that are compared by rules, with the same conventions on both sides."""

    reference: str
    prediction: str
    rules: Rules

    @classmethod
    def of(cls, reference: str, prediction: str, rules: Rules) -> Self:
        if rules.decimal_comma:
            reference, prediction = map(_with_decimal_points, (reference, prediction))
        return cls(reference, prediction, rules)

    def answers(self, conventions: Conventions) -> tuple[Answer | Unreadable, Answer | Unreadable]:
        return parse_answer(self.reference, conventions), parse_answer(self.prediction, conventions)

    def forms(self, conventions: Conventions) -> set[str]:
        """Return the forms that two conventions read differently."""
        answers = self.answers(conventions)
        return {form for a in answers if isinstance(a, Answer) for form in a.forms}

    def under_all_conventions(self) -> EquivalenceVerdict:
        """Return the verdict if all readings agree.

        5 m is five metres or five times m; the other side may decide it.
        """
        forms = self.forms(DEFAULT)
        if not forms & _UNIT_FORMS:
            return self._agreed(DEFAULT, forms)
        units, letters = Conventions(bare_units=True), Conventions(bare_units=False)
        answers = [answer for answer in self.answers(units) if isinstance(answer, Answer)]
        as_letters = self._agreed(letters, forms)
        if not all(_is_amount(answer.content) for answer in answers):
            return as_letters
        as_units = self._agreed(units, forms)
        if as_units.is_equal is as_letters.is_equal or "bare_units" in self.rules.settled:
            return as_units
        is_sure = any(_has_unit(a.content) and "doubtful_unit" not in a.forms for a in answers)
        if as_units.is_equal and is_sure:
            return as_units
        if as_units.is_equal is False and not as_letters.is_equal:
            return as_units
        return EquivalenceVerdict(None, "two readings")

    def _agreed(self, start: Conventions, forms: set[str]) -> EquivalenceVerdict:
        """Return the verdict on which all choices for these forms agree."""
        settled = _UNIT_FORMS.union(self.rules.settled)
        names = sorted(forms - settled)
        if len(names) > MAX_FORMS:
            return EquivalenceVerdict(None, "two readings")
        verdicts: list[bool | None] = []
        for choices in product((True, False), repeat=len(names)):
            conventions = start._replace(**dict(zip(names, choices, strict=True)))
            left, right = self.answers(conventions)
            if isinstance(left, Answer) and isinstance(right, Answer):
                verdicts.append(_same_answers(left, right, self.rules))
            else:
                verdicts.append(None)
            if verdicts[0] and LIKELY.issuperset(names):
                return EquivalenceVerdict(True)  # by the likely reading
            new_forms = self.forms(conventions) - settled.union(names)
            if new_forms:
                return self._agreed(start, new_forms.union(names))
            if verdicts[-1] is not verdicts[0]:
                return EquivalenceVerdict(None, "two readings")
        return _verdict_of(verdicts[0])


def _is_amount(content: MathObject) -> bool:
    """Return whether all letters of a content belong to units."""
    match content:
        case Value():
            return not content.letters
        case Quantity(number):
            return _is_amount(number)
        case Equation(_, _, inner) if inner is not None:
            return _is_amount(inner)
        case Collection(items):
            return all(map(_is_amount, items))
    return False


def _has_unit(content: MathObject) -> bool:
    match content:
        case Quantity(_, unit):
            return unit is not None
        case Equation(_, _, inner) if inner is not None:
            return _has_unit(inner)
        case Collection(items):
            return any(map(_has_unit, items))
    return False


def _same_answers(left: Answer, right: Answer, rules: Rules) -> bool | None:
    contents = left.content, right.content
    texts = left.text, right.text
    for one, other in ((left, right), (right, left)):
        if isinstance(one.content, ChosenContent):
            letter = _CHOICE.fullmatch(other.text)
            if letter:
                return one.content.letter == letter[1].casefold()
    if isinstance(contents[0], Words) != isinstance(contents[1], Words):
        word, formula = (left, right) if isinstance(contents[0], Words) else (right, left)
        text = cast(Words, word.content).text
        return formula.text.strip("() .").casefold() == text or None
    if texts[0] != texts[1] and len(texts[0]) == 1 and texts[0].casefold() == texts[1].casefold():
        return None  # a choice may be written in lower case
    if rules.percent != "any_scale":
        return rules.equal(*contents)
    return any_of(rules.equal(scaled(contents[0], scale), contents[1]) for scale in _SCALES)
