"""Valid values of options and scores.

The annotation of an option defines its valid values; check, wording and schema follow.

An annotation is built from `bool`, `int`, `float`, `str`, `None`, `Literal`, functions, sequences,
mappings, unions of these, and `Annotated` with one of the classes below.

>>> check_option("ties", "frist", Literal["first", "expected"])
Traceback (most recent call last):
ValueError: ties must be one of 'first', 'expected', got 'frist'; did you mean 'first'?
"""

import math
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import cache, wraps
from inspect import signature
from numbers import Integral, Real
from pathlib import Path
from types import MappingProxyType
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from .checks import OptionError, nearest, shown

_NO_LISTS = str | bytes | bytearray | memoryview  # sequences that count as one value

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, or strictly between the two."""

    low: float
    high: float = math.inf
    strict: bool = False
    infinite: bool = False  # whether infinity is allowed
    nan: bool = False  # whether NaN is allowed

    def __contains__(self, number: Any) -> bool:
        is_integer = type(number) is not float and isinstance(number, Integral)
        if is_integer and abs(int(number)) >= 2**63:
            return False  # too large for an array, and some are too large for a float
        if number != number:
            return self.nan
        if number in (math.inf, -math.inf):
            return self.infinite
        if self.strict:
            return bool(self.low < number < self.high)
        return bool(self.low <= number <= self.high)

    def __str__(self) -> str:
        or_nan = ", or NaN" if self.nan else ""
        if self.strict and self.high == math.inf:
            return f" above {self.low:g}{or_nan}"
        if self.strict:
            return f" strictly between {self.low:g} and {self.high:g}{or_nan}"
        if self.high < math.inf:
            return f" from {_shown_number(self.low)} to {_shown_number(self.high)}{or_nan}"
        return (f", at least {self.low:g}" if self.low > -math.inf else ", not infinite") + or_nan


def _shown_number(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"


@dataclass(frozen=True, eq=False)  # compared by identity: a table is not hashable
class OneOf:
    """A name from a table, which may grow."""

    names: Collection[str]


@dataclass(frozen=True, eq=False)
class Parsed:
    """A value that a parser accepts; the parser raises its own error for anything else."""

    parse: Callable[[Any], object]
    description: str


@dataclass(frozen=True)
class PerRow:
    """A column beside the inputs, whose rows are checked where they are read."""

    item: str


Proportion = Annotated[float, Range(0, 1)]
Level = Annotated[float, Range(0, 1, strict=True)]
Finite = Annotated[float, Range(-math.inf)]
Positive = Annotated[float, Range(0, strict=True)]
NonNegative = Annotated[float, Range(0)]
Count = Annotated[int, Range(1)]
Resamples = Annotated[int, Range(1, 10_000_000)]  # each takes 8 bytes per score
Length = Annotated[int, Range(1, 100)]  # of n-grams; time grows with its square
Bins = Annotated[int, Range(1, 1_000_000)]
Seed = Annotated[int, Range(0)]
Jobs = Annotated[int, Range(1, 512)]  # processes: more might leave a machine no memory
Names = Sequence[str]
Labels = Annotated[Sequence[Any], PerRow("label")]
CrossedLabels = Labels | Annotated[Mapping[str, Any], PerRow("label of each field")]
Weights = Annotated[Sequence[float], PerRow("number")]
NumberLists = Annotated[Sequence[Sequence[float]], PerRow("list of numbers")]


def is_per_row(annotation: Any) -> bool:
    """Return whether an option may have a value for each row.

    >>> is_per_row(Labels | None), is_per_row(Proportion)
    (True, False)
    """
    return bool(item_per_row(annotation))


def item_per_row(annotation: Any) -> str:
    """Return the name of the value that an option has for each row; empty if it has none.

    >>> item_per_row(Weights | None), item_per_row(Labels | None), item_per_row(Proportion)
    ('number', 'label', '')
    """
    if isinstance(annotation, PerRow):
        return annotation.item
    return next(filter(None, map(item_per_row, get_args(annotation))), "")


def check_option(name: str, value: Any, annotation: Any) -> None:
    """Check that the annotation allows the value.

    Raises:
        OptionError: it does not; the message says what is accepted, and suggests a similar name.

    >>> check_option("n_resamples", 0, Resamples)
    Traceback (most recent call last):
    ValueError: n_resamples must be an integer from 1 to 10,000,000, got 0
    >>> check_option("confidence_level", 95, Level | None)
    Traceback (most recent call last):
    ValueError: confidence_level must be a number strictly between 0 and 1 or None, got 95; \
for 95 % pass 0.95
    """
    _check(name, value, annotation, _acceptance(annotation))


def _check(name: str, value: Any, annotation: Any, accepts: Callable[[Any], bool]) -> None:
    try:
        accepted = accepts(value)
    except OptionError:
        raise
    except ValueError as error:  # from a parser, which need not know the name of the option
        problem = str(error).removeprefix(f"{name} ")
        raise OptionError(name, problem if problem != str(error) else f": {error}") from error
    if not accepted:
        raise OptionError(
            name, f"must be {describe(annotation)}, got {shown(value)}{_hint(annotation, value)}"
        )


def checked_options(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function to check its keyword arguments against their annotations first.

    >>> @checked_options
    ... def total(values, *, weight: Proportion = 1.0):
    ...     return sum(values) * weight
    >>> total([1, 2], weight=2)
    Traceback (most recent call last):
    ValueError: weight must be a number from 0 to 1, got 2
    """

    @cache
    def checks() -> dict[str, tuple[Any, Any, Callable[[Any], bool]]]:
        hints = get_type_hints(function, include_extras=True)  # late: they name what follows
        return {
            name: (parameter.default, hints[name], _acceptance(hints[name]))
            for name, parameter in signature(function).parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY and name in hints
        }

    @wraps(function)
    def checked(*columns: P.args, **options: P.kwargs) -> T:
        for name, value in options.items():
            check = checks().get(name)
            if check is not None and value is not check[0]:  # a default needs no check
                _check(name, value, *check[1:])
        return function(*columns, **options)

    return checked


def describe(annotation: Any) -> str:
    """Describe in words what an annotation allows.

    >>> describe(Literal["macro", "micro"] | None), describe(Sequence[Count])
    ("one of 'macro', 'micro', or None", 'a list in which each is an integer, at least 1')
    """
    plain = {bool: "True or False", int: "an integer", float: "a number", str: "a string"}
    plain[Path] = "a path"
    match _parts(annotation):
        case "union", members:
            described = [describe(member) for member in members]
            return (", or " if any("," in words for words in described) else " or ").join(described)
        case "literal", values:
            listed = ", ".join(map(repr, values))
            return f"one of {listed}" if len(values) > 1 else listed
        case "annotated", (base, marker):
            match marker:
                case Range():
                    return f"{describe(base)}{marker}"
                case OneOf():
                    return f"one of {', '.join(map(repr, marker.names))}"
                case Parsed():
                    return marker.description
                case _:
                    return f"one {marker.item} per row"
        case "function", _:
            return "a function"
        case "list", (item,):
            return f"a list in which each is {describe(item)}"
        case "object", _:
            return "an object with keys and values"
        case _:
            return "None" if annotation in (None, type(None)) else plain.get(annotation, "a value")


def schema(annotation: Any) -> dict[str, Any]:
    """Return the values that an annotation allows, as JSON Schema.

    Functions cannot be expressed in JSON.

    >>> schema(Proportion | None)
    {'anyOf': [{'type': 'number', 'minimum': 0, 'maximum': 1}, {'type': 'null'}]}
    """
    names = {bool: "boolean", int: "integer", float: "number", type(None): "null"}
    names |= dict.fromkeys((str, Path), "string")
    match _parts(annotation):
        case "union", members:
            schemas = [schema(member) for member in members if _parts(member)[0] != "function"]
            return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
        case "literal", values:
            return {"enum": list(values)}
        case "annotated", (base, marker):
            match marker:
                case Range():
                    ends = {"minimum": marker.low, "maximum": marker.high}
                    bounds = {
                        f"exclusive{key.capitalize()}" if marker.strict else key: end
                        for key, end in ends.items()
                        if math.isfinite(end)
                    }
                    return schema(base) | bounds
                case OneOf():
                    return {"enum": list(marker.names)}
                case _:
                    return schema(base)
        case "list", (item,):
            return {"type": "array", "items": schema(item)}
        case "object", _:
            return {"type": "object"}
        case _:
            if get_origin(annotation) is dict:
                return {"type": "object"}
            return {"type": names[annotation]} if annotation in names else {}


def choices(annotation: Any) -> list[str]:
    """Return the names that an annotation lists.

    >>> choices(Literal["max", "mean"] | None)
    ['max', 'mean']
    """
    match _parts(annotation):
        case "union", members:
            return [name for member in members for name in choices(member)]
        case "literal", values:
            return [value for value in values if isinstance(value, str)]
        case "annotated", (_, OneOf(names)):
            return list(names)
    return []


def _parts(annotation: Any) -> tuple[str, tuple[Any, ...]]:
    """Return the kind of an annotation, and its arguments."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return "union", arguments
    if origin is Literal:
        return "literal", arguments
    if origin is Annotated:
        return "annotated", arguments
    if annotation is Callable or origin is Callable:
        return "function", ()
    if origin in (Sequence, list, tuple):
        return "list", arguments[:1]
    if origin in (Mapping, dict):
        return "object", ()
    return "plain", ()


@cache  # equal annotations accept the same values, though they may list them in another order
def _acceptance(annotation: Any) -> Callable[[Any], bool]:
    """Return the function that tells whether an annotation allows a value.

    Small batches call it often.
    """
    match _parts(annotation):
        case "union", members:
            return _any_acceptance(members)
        case "literal", values:
            kinds = set(map(type, values))
            return lambda value: type(value) in kinds and value in values
        case "annotated", (base, PerRow()) if _parts(base)[0] == "object":
            return _acceptance(base)
        case "annotated", (base, marker):
            return _marked_acceptance(_acceptance(base), marker)
        case "function", _:
            return callable
        case "list", (item,):
            accepts_item = _acceptance(item)
            return lambda value: (
                isinstance(value, Sequence)
                and not isinstance(value, _NO_LISTS)
                and all(map(accepts_item, value))
            )
        case "object", _:
            return lambda value: isinstance(value, Mapping)
    if annotation in (None, type(None)):
        return lambda value: value is None
    if annotation is int or annotation is float:
        kind = Integral if annotation is int else Real
        # A fraction is a real number too, but numpy functions cannot handle it.
        return lambda value: (
            type(value) is annotation
            or (isinstance(value, kind) and not isinstance(value, bool | Fraction))
        )
    if annotation in (bool, str):
        return lambda value: isinstance(value, annotation)
    if annotation is Path:
        return lambda value: isinstance(value, str | Path)
    return lambda value: True


def _any_acceptance(members: Sequence[Any]) -> Callable[[Any], bool]:
    # Parsers come last: they raise errors about values that another member may accept.
    ordered_members = sorted(members, key=lambda member: isinstance(_marker(member), Parsed))
    tests = [_acceptance(member) for member in ordered_members]
    allows_none = type(None) in members

    def accepts(value: Any) -> bool:
        if value is None and allows_none:  # the most common case
            return True
        return any(test(value) for test in tests)

    return accepts


def _marked_acceptance(accepts_base: Callable[[Any], bool], marker: Any) -> Callable[[Any], bool]:
    def parses(value: Any) -> bool:
        if isinstance(value, bytes | bytearray | memoryview):
            return False
        marker.parse(value)
        return True

    def is_list(value: Any) -> bool:
        has_items = hasattr(value, "__len__") and getattr(value, "shape", None) != ()
        return has_items and not isinstance(value, _NO_LISTS | Set | Mapping)

    match marker:
        case Range():
            return lambda value: accepts_base(value) and value in marker
        case OneOf():
            return lambda value: isinstance(value, str) and value in marker.names
        case Parsed():
            return parses
    return is_list


def _hint(annotation: Any, value: Any) -> str:
    if isinstance(value, str):
        return nearest(value, choices(annotation))
    if isinstance(value, Integral) and abs(int(value)) >= 2**63:
        return "; it has more than 63 bits"
    kind, parts = _parts(annotation)
    members = parts if kind == "union" else (annotation,)
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    is_percent = is_number and bool(1 < value < 100)
    if is_percent and Range(0, 1, strict=True) in map(_marker, members):
        return f"; for {float(value):g} % pass {float(value) / 100:g}"
    return ""


def _marker(annotation: Any) -> Any:
    """Return the marker of an `Annotated` type; None for other types."""
    kind, parts = _parts(annotation)
    return parts[1] if kind == "annotated" else None


# The lowest and the highest value, None if unbounded; the first matching pattern counts.
# A score that is not a number, such as a name, has None instead of the pair.
Ranges = Mapping[str, tuple[float | None, float | None] | None]

SHARES: Ranges = MappingProxyType({"*": (0.0, 1.0)})

_ROUNDING = 1e-9  # relative tolerance at the ends, for sums of rounded terms


def score_range(name: str, ranges: Ranges) -> tuple[float, float] | None:
    """Return the lowest and the highest value of a score; None if it is not a number.

    >>> score_range("mcc", {"mcc": (-1, 1), "*": (0, None)})
    (-1.0, 1.0)
    >>> score_range("log_loss", {"mcc": (-1, 1), "*": (0, None)})
    (0.0, inf)
    """
    fits = (ends for pattern, ends in ranges.items() if fnmatchcase(name.lower(), pattern))
    ends = next(fits, (None, None))
    if ends is None:
        return None
    low, high = ends
    return -math.inf if low is None else float(low), math.inf if high is None else float(high)


def check_score(name: str, value: Any, ranges: Ranges) -> None:
    """Check that a score may have this value; an undefined score is None or NaN.

    Lists and objects, such as curves and confusion matrices, are not inspected.

    Raises:
        ValueError: the value is out of range, or not a number.

    >>> check_score("qa_em", 7.5, SHARES)
    Traceback (most recent call last):
    ValueError: qa_em is 7.5, but must lie between 0 and 1
    """
    ends = score_range(name, ranges)
    if ends is None or value is None or isinstance(value, list | tuple | Mapping):
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} is {value!r}, but must be a number")
    low, high = ends
    room = _ROUNDING * max([1.0, *(abs(end) for end in ends if math.isfinite(end))])
    if value < low - room or value > high + room:
        expected = f"lie between {low:g} and {high:g}"
        if math.isinf(high):
            expected = f"be at least {low:g}"
        elif math.isinf(low):
            expected = f"be at most {high:g}"
        raise ValueError(f"{name} is {value!r}, but must {expected}")


def range_of_rows(name: str, ranges: Ranges, values: Iterable[float]) -> tuple[float, float]:
    """Return the range of a score of rows: as declared, or else as observed; NaN does not count.

    >>> range_of_rows("acc", {}, [0.5, math.nan]), range_of_rows("acc", {"*": (-1, 1)}, [0.5])
    ((0.0, 1.0), (-1.0, 1.0))
    """
    declared = score_range(name, ranges) if ranges else None
    defined = [value for value in values if not math.isnan(value)] or [0.0]
    return declared or observed_range(min(defined), max(defined))


def observed_range(minimum: float, maximum: float) -> tuple[float, float]:
    """Return the probable range of a score, from its extremes: 0 to 1, 0 or more, or any number.

    >>> observed_range(0.2, 1.0), observed_range(3.0, 56.0)
    ((0.0, 1.0), (0.0, inf))
    """
    if minimum < 0:
        return -math.inf, math.inf
    return 0.0, 1.0 if maximum <= 1 + _ROUNDING else math.inf
