"""Names of ranking measures: ndcg@10, P@5, rbp(p=0.95), err(max_grade=4)@20."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from ..numbers.checks import nearest
from ..numbers.domains import Parsed

_OPTIONAL_CUTOFF = (
    "ndcg",
    "ndcg_exp",
    "dcg",
    "dcg_exp",
    "map",
    "mrr",
    "recall",
    "hit_rate",
    "err",
    "rbp",
)
_REQUIRED_CUTOFF = ("precision", "f1", "judged")  # divided by the cutoff
_WITHOUT_CUTOFF = ("rprec", "bpref", "gm_map", "num_q", "num_ret", "num_rel", "num_rel_ret")
_ALIASES = {"p": "precision", "success": "hit_rate"}
_NAMES = (*_OPTIONAL_CUTOFF, *_REQUIRED_CUTOFF, *_WITHOUT_CUTOFF, *_ALIASES)

_SYNTAX = re.compile(r"(\w+)(?:\((\w+)=([0-9.]+)\))?(?:@([1-9][0-9]{0,8}))?", re.ASCII)
_PARAMETERS = {"rbp": ("p", 0.8), "err": ("max_grade", 4.0)}  # name and default
LARGEST_GRADE = 1000.0  # the sum of thousands of gains of 2**1000 is still finite

# Measures that are no means over queries.
AGGREGATION: Mapping[str, str] = MappingProxyType({"gm_map": "geometric_mean", "num_*": "sum"})

NO_CUTOFF = 2**62  # longer than any ranking


class Measure(NamedTuple):
    """One measure, as `parse_measures` understands its name."""

    name: str  # as the caller wrote it; the key of the result
    kind: str  # such as "ndcg"
    cutoff: int = NO_CUTOFF  # only documents up to this rank count
    parameter: float = 0.0  # p of rbp, max_grade of err


def parse_measures(measures: Any) -> tuple[Measure, ...]:
    """The measures with these names; upper and lower case are the same.

    `P` is precision and `success` is hit_rate. Without a cutoff (`@10`) a measure covers the whole
    ranking. Precision, f1 and judged divide by the cutoff and therefore need one.

    Args:
        measures: one name or several, all different.

    Raises:
        ValueError: there is no name, a name occurs twice, or there is no such measure.

    >>> parse_measures("P@5")
    (Measure(name='P@5', kind='precision', cutoff=5, parameter=0.0),)
    >>> [measure.parameter for measure in parse_measures(["err@20", "rbp(p=0.95)"])]
    [4.0, 0.95]
    >>> parse_measures(["ndgc@10"])
    Traceback (most recent call last):
    ValueError: there is no measure 'ndgc@10'; did you mean 'ndcg'?
    """
    names = [measures] if isinstance(measures, str) else measures
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"measures must be names such as 'ndcg@10', got {measures!r}")
    if not names:
        raise ValueError("measures is empty; name at least one, such as 'ndcg@10'")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"measures holds {name!r} more than once")
    return tuple(map(_parse, names))


Measures = Annotated[
    str | Sequence[str], Parsed(parse_measures, "a name such as 'ndcg@10', or a list of names")
]


def _parse(name: str) -> Measure:
    parts = _SYNTAX.fullmatch(name.strip().lower())
    if parts is None:
        raise ValueError(
            f"cannot read the measure {name!r}; names look like 'ndcg@10' or 'err(max_grade=4)@20'"
        )
    word, parameter, value, cutoff = parts.groups()
    kind = _ALIASES.get(word, word)
    if word not in _NAMES:
        hint = nearest(word, _NAMES) or f"; there are {', '.join(_NAMES)}"
        raise ValueError(f"there is no measure {name!r}{hint}")
    if cutoff and kind in _WITHOUT_CUTOFF:
        raise ValueError(f"{name!r} has a cutoff, but {kind} looks at the whole ranking")
    if not cutoff and kind in _REQUIRED_CUTOFF:
        raise ValueError(f"{name!r} needs a cutoff, such as '{word}@10'")
    number = _parameter(name, kind, parameter, value)
    return Measure(name, kind, int(cutoff) if cutoff else NO_CUTOFF, number)


def _parameter(name: str, kind: str, parameter: str | None, value: str | None) -> float:
    """The value of the measure's parameter, or its default."""
    valid, default = _PARAMETERS.get(kind, (None, 0.0))
    if parameter is None or value is None:
        return default
    if parameter != valid:
        choice = f"only '{valid}'" if valid else "no parameter"
        raise ValueError(f"{name!r} has the parameter {parameter!r}, but {kind} has {choice}")
    try:
        number = float(value)
    except ValueError:
        raise ValueError(f"{name!r}: {parameter} must be a number, got {value!r}") from None
    if kind == "rbp" and not 0 < number < 1:
        raise ValueError(f"{name!r}: p must lie strictly between 0 and 1, got {value}")
    if kind == "err" and not 0 < number <= LARGEST_GRADE:
        raise ValueError(
            f"{name!r}: max_grade must be above 0 and at most {LARGEST_GRADE:g}, got {value}"
        )
    return number
