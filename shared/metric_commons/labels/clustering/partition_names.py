"""Names of clustering measures: silhouette, ari, nmi(average_method=max), v_measure(beta=2)."""

import math
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from ...statistics.arguments.checks import OptionError, check_measures, measure_parts
from ...statistics.arguments.domains import Parsed

POINT_MEASURES = ("silhouette", "davies_bouldin", "calinski_harabasz")
LABEL_MEASURES = ("ari", "nmi", "v_measure", "homogeneity", "completeness")
FURTHER_LABEL_MEASURES = ("ami", "rand", "fowlkes_mallows", "purity", "pair_confusion")
AVERAGES = ("arithmetic", "geometric", "min", "max")

_PARAMETERS = {"nmi": "average_method", "ami": "average_method", "v_measure": "beta"}
_NAMES = (*POINT_MEASURES, *LABEL_MEASURES, *FURTHER_LABEL_MEASURES)


class ClusteringMeasure(NamedTuple):
    """One measure, as parsed from its name."""

    name: str  # as the caller wrote it; the key of the result
    kind: str  # such as "nmi"
    average: str = "arithmetic"  # of both entropies
    beta: float = 1.0  # the weight of completeness relative to homogeneity


def parse_measures(measures: Any) -> list[ClusteringMeasure]:
    """Parse the names of one or several measures, checked to be known and distinct.

    >>> parse_measures("nmi(average_method=max)")
    [ClusteringMeasure(name='nmi(average_method=max)', kind='nmi', average='max', beta=1.0)]
    >>> parse_measures("nmi(average_method=mean)")
    Traceback (most recent call last):
    ValueError: measures holds 'nmi(average_method=mean)', but average_method is one of \
arithmetic, geometric, min, max
    """
    return [
        _with_parameter(name) or ClusteringMeasure(name, name)
        for name in check_measures(measures, _NAMES, _with_parameter)
    ]


Measures = Annotated[str | Sequence[str], Parsed(parse_measures, "a measure, or a list of them")]


def _with_parameter(name: str) -> ClusteringMeasure | None:
    """Return the measure, if its name has a parameter."""
    kind, parameter, value = measure_parts(name)
    if not parameter or _PARAMETERS.get(kind) != parameter:
        return None
    if parameter == "average_method":
        if value not in AVERAGES:
            raise OptionError(
                "measures", f"holds {name!r}, but {parameter} is one of {', '.join(AVERAGES)}"
            )
        return ClusteringMeasure(name, kind, average=value)
    try:
        beta = float(value)
    except ValueError:
        beta = math.nan
    if not 0 <= beta < math.inf:
        raise OptionError("measures", f"holds {name!r}, but beta is a number, at least 0")
    return ClusteringMeasure(name, kind, beta=beta)
