"""Names of ranking measures: ndcg@10, P@5, rbp(p=0.95), err(max_grade=4)@20."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from ..numbers.checks import nearest
from ..numbers.domains import Parsed

_ANY_DEPTH = (
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
_TO_A_DEPTH = ("precision", "f1", "judged")  # these divide by the cutoff
_WHOLE_RANKING = ("rprec", "bpref", "gm_map", "num_q", "num_ret", "num_rel", "num_rel_ret")
_ALIASES = {"p": "precision", "success": "hit_rate"}
_KNOWN = (*_ANY_DEPTH, *_TO_A_DEPTH, *_WHOLE_RANKING, *_ALIASES)

_SYNTAX = re.compile(r"(\w+)(?:\((\w+)=([0-9.]+)\))?(?:@([1-9][0-9]{0,8}))?", re.ASCII)
_PARAMETERS = {"rbp": ("p", 0.8), "err": ("max_grade", 4.0)}
_GREATEST_GRADE = 1000.0  # 2**1000 gains are still far from infinite

# Measures that are no means over queries.
AGGREGATION: Mapping[str, str] = MappingProxyType({"gm_map": "geometric_mean", "num_*": "sum"})

EVERY = 2**62  # the cutoff of a measure without one: no ranking is as long


class Measure(NamedTuple):
    """One measure, as `parse_measures` understands its name."""

    name: str  # as asked, and as the result calls it
    kind: str  # such as "ndcg"
    cutoff: int = EVERY  # the first so many documents count
    parameter: float = 0.0  # p of rbp, max_grade of err


def parse_measures(measures: Any) -> tuple[Measure, ...]:
    """The measures that some names mean; upper and lower case are the same.

    `P` stands for precision and `success` for hit_rate. Without `@` a measure looks at the whole
    ranking; precision, f1 and judged divide by the cutoff and so need one.

    Args:
        measures: one name or several, all different.

    Raises:
        ValueError: no names, one twice, or one that means nothing; says which.

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
    return tuple(map(_parsed, names))


Measures = Annotated[
    str | Sequence[str], Parsed(parse_measures, "a name such as 'ndcg@10', or a list of names")
]


def _parsed(name: str) -> Measure:
    parts = _SYNTAX.fullmatch(name.strip().lower())
    if parts is None:
        raise ValueError(
            f"cannot read the measure {name!r}; names look like 'ndcg@10' or 'err(max_grade=4)@20'"
        )
    word, option, value, depth = parts.groups()
    kind = _ALIASES.get(word, word)
    if word not in _KNOWN:
        hint = nearest(word, _KNOWN) or f"; there are {', '.join(_KNOWN)}"
        raise ValueError(f"there is no measure {name!r}{hint}")
    if depth and kind in _WHOLE_RANKING:
        raise ValueError(f"{name!r} has a cutoff, but {kind} looks at the whole ranking")
    if not depth and kind in _TO_A_DEPTH:
        raise ValueError(f"{name!r} needs a cutoff, such as '{word}@10'")
    parameter = _parameter(name, kind, option, value)
    return Measure(name, kind, int(depth) if depth else EVERY, parameter)


def _parameter(name: str, kind: str, option: str | None, value: str | None) -> float:
    known, default = _PARAMETERS.get(kind, (None, 0.0))
    if option is None or value is None:
        return default
    if option != known:
        told = f"only '{known}'" if known else "no parameter"
        raise ValueError(f"{name!r} has the parameter {option!r}, but {kind} has {told}")
    try:
        number = float(value)
    except ValueError:
        raise ValueError(f"{name!r}: {option} must be a number, got {value!r}") from None
    if kind == "rbp" and not 0 < number < 1:
        raise ValueError(f"{name!r}: p must lie strictly between 0 and 1, got {value}")
    if kind == "err" and not 0 < number <= _GREATEST_GRADE:
        raise ValueError(
            f"{name!r}: max_grade must be above 0 and at most {_GREATEST_GRADE:g}, got {value}"
        )
    return number
