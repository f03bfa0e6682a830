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
from os import PathLike
from types import MappingProxyType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
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
    return _domain(annotation).is_per_row


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
    return _domain(annotation).words


def schema(annotation: Any) -> dict[str, Any]:
    """Return the values that an annotation allows, as JSON Schema.

    Functions cannot be expressed in JSON.

    >>> schema(Proportion | None)
    {'anyOf': [{'type': 'number', 'minimum': 0, 'maximum': 1}, {'type': 'null'}]}
    """
    return _domain(annotation).schema or {}


def choices(annotation: Any) -> list[str]:
    """Return the names that an annotation lists.

    >>> choices(Literal["max", "mean"] | None)
    ['max', 'mean']
    """
    return [*_domain(annotation).names]


class _Domain(NamedTuple):
    """The values that an annotation allows."""

    accepts: Callable[[Any], bool]
    words: str
    schema: dict[str, Any] | None  # None for functions
    names: Sequence[str] = ()
    is_parsed: bool = False
    is_per_row: bool = False
    is_level: bool = False  # a proportion that may have been given in percent


def _domain(annotation: Any) -> _Domain:
    """Return the values that an annotation allows."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return _union([_domain(member) for member in arguments])
    if origin is Literal:
        kinds, listed = set(map(type, arguments)), ", ".join(map(repr, arguments))
        return _Domain(
            lambda value: type(value) in kinds and value in arguments,
            f"one of {listed}" if len(arguments) > 1 else listed,
            {"enum": list(arguments)},
            [value for value in arguments if isinstance(value, str)],
        )
    if origin is Annotated:
        return _marked(_domain(arguments[0]), arguments[1])
    if annotation is Callable or origin is Callable:
        return _Domain(callable, "a function", None)
    if origin in (Sequence, list, tuple):
        item = _domain(arguments[0])
        return _Domain(
            lambda value: (
                isinstance(value, Sequence)
                and not isinstance(value, _NO_LISTS)
                and all(map(item.accepts, value))
            ),
            f"a list in which each is {item.words}",
            {"type": "array", "items": item.schema or {}},
        )
    if origin in (Mapping, dict):
        return _Domain(lambda v: isinstance(v, Mapping), "an object with keys and values", _OBJECT)
    if isinstance(annotation, type) and issubclass(annotation, PathLike):
        return _Domain(lambda v: isinstance(v, str | PathLike), "a path", {"type": "string"})
    kind = type(None) if annotation is None else annotation
    words, name, abstract = _PLAIN.get(kind, ("a value", "", object))
    # A fraction is a real number too, but numpy functions cannot handle it.
    others = (bool, Fraction) if kind in (int, float) else ()
    return _Domain(
        lambda v: type(v) is kind or (isinstance(v, abstract) and not isinstance(v, others)),
        words,
        {"type": name} if name else {},
    )


_OBJECT = {"type": "object"}
_PLAIN: Mapping[Any, tuple[str, str, Any]] = {
    bool: ("True or False", "boolean", bool),
    int: ("an integer", "integer", Integral),
    float: ("a number", "number", Real),
    str: ("a string", "string", str),
    type(None): ("None", "null", type(None)),
}


def _union(members: Sequence[_Domain]) -> _Domain:
    # Parsers come last: they raise errors about values that another member may accept.
    tests = [member.accepts for member in sorted(members, key=lambda member: member.is_parsed)]
    described = [member.words for member in members]
    schemas = [member.schema for member in members if member.schema is not None]
    return _Domain(
        lambda value: any(test(value) for test in tests),
        (", or " if any("," in words for words in described) else " or ").join(described),
        schemas[0] if len(schemas) == 1 else {"anyOf": schemas},
        [name for member in members for name in member.names],
        is_per_row=any(member.is_per_row for member in members),
        is_level=any(member.is_level for member in members),
    )


def _marked(base: _Domain, marker: Any) -> _Domain:
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
            ends = {"minimum": marker.low, "maximum": marker.high}
            bounds = {
                f"exclusive{key.capitalize()}" if marker.strict else key: end
                for key, end in ends.items()
                if math.isfinite(end)
            }
            return _Domain(
                lambda value: base.accepts(value) and value in marker,
                f"{base.words}{marker}",
                (base.schema or {}) | bounds,
                is_level=marker == Range(0, 1, strict=True),
            )
        case OneOf():
            names = list(marker.names)
            words = f"one of {', '.join(map(repr, names))}"
            accepts = lambda value: isinstance(value, str) and value in marker.names  # noqa: E731
            return _Domain(accepts, words, {"enum": names}, names)
        case Parsed():
            return base._replace(accepts=parses, words=marker.description, is_parsed=True)
    accepts = base.accepts if base.schema == _OBJECT else is_list
    return _Domain(accepts, f"one {marker.item} per row", base.schema, is_per_row=True)


@cache  # equal annotations accept the same values, though they may list them in another order
def _acceptance(annotation: Any) -> Callable[[Any], bool]:
    """Return the function that tells whether an annotation allows a value.

    Small batches call it often.
    """
    return _domain(annotation).accepts


def _hint(annotation: Any, value: Any) -> str:
    if isinstance(value, str):
        return nearest(value, choices(annotation))
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if is_number and bool(1 < value < 100) and _domain(annotation).is_level:
        return f"; for {float(value):g} % pass {float(value) / 100:g}"
    return ""


# The lowest and the highest value, None if unbounded; the first matching pattern counts.
# A score that is not a number, such as a name, has None instead of the pair.
Ranges = Mapping[str, tuple[float | None, float | None] | None]

SHARES: Ranges = MappingProxyType({"*": (0.0, 1.0)})


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


def range_of_rows(name: str, ranges: Ranges, values: Iterable[float]) -> tuple[float, float]:
    """Return the range of a score of rows as declared; else 0 to 1 if all are 0 or 1, or no end.

    NaN does not count. The range of others without a negative one begins at 0, as that of errors.

    >>> range_of_rows("acc", {"*": (-1, 1)}, [0.5]), range_of_rows("acc", {}, [0.0, 1.0, math.nan])
    ((-1.0, 1.0), (0.0, 1.0))
    >>> range_of_rows("acc", {}, [0.5])
    (0.0, inf)
    """
    distinct = {value for value in values if not math.isnan(value)}
    low = 0.0 if min(distinct, default=0.0) >= 0 else -math.inf
    observed = low, 1.0 if distinct <= {0, 1} else math.inf
    return (score_range(name, ranges) if ranges else None) or observed
