"""The agreement of two scores, or of two rankings, on the order of the same systems."""

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Annotated, Any, Literal

import numpy as np

from ...statistics.arguments.arrays import Column
from ...statistics.arguments.checks import OptionError, RowError, shown
from ...statistics.arguments.domains import Level, Range, checked_options
from ...statistics.intervals.rank_correlations import (
    CORRELATIONS,
    Estimate,
    PairedScores,
    correlation_interval,
)
from .rank_biased_overlap import Overlap, TieConvention, flat_ranking, rank_biased_overlap

Measure = Literal[
    "kendall_tau_a",
    "kendall_tau_b",
    "pairwise_accuracy",
    "tau_ap_a",
    "tau_ap_b",
    "spearman",
    "pearson",
    "weightedtau",
    "rbo",
]
Measures = Measure | Sequence[Measure]
Persistence = Annotated[float, Range(0, 1, strict=True)]

_OF_SCORES = ("kendall_tau_b", "tau_ap_b")


@checked_options
def ranking_agreement(
    predictions: Column,
    references: Column,
    *,
    measures: Measures | None = None,
    p: Persistence = 0.9,
    ties: TieConvention = "a",
    confidence_level: Level | None = None,
) -> dict[str, Any]:
    """Return the measures by name, and their intervals if requested.

    Args:
        predictions: estimated scores of systems, one per row; or rankings, each a list of groups of
            tied items, or {"item": [...], "rank": [...]}.
        references: their true scores; or the rankings to compare with.
        measures: for scores "kendall_tau_a", "kendall_tau_b", "pairwise_accuracy", "tau_ap_a",
            "tau_ap_b", "spearman", "pearson" and "weightedtau"; for rankings "rbo". None for
            "kendall_tau_b" and "tau_ap_b", or for "rbo".
        p: for "rbo", the probability that a reader continues from one place to the next.
        ties: for "rbo": "a" is the mean over all orders of tied items, "b" is corrected for the
            information that ties lose, "w" takes ties for equal places, as in sports.
        confidence_level: also return intervals, with systems as units.

    Raises:
        ValueError: a row or an option is not valid.

    >>> ranking_agreement([0.9, 0.7, 0.8], [30.0, 10.0, 20.0], measures="kendall_tau_b")
    {'kendall_tau_b': 1.0}
    """
    of_scores = isinstance(predictions, np.ndarray) or isinstance(predictions[0], float)
    names = _names(measures, of_scores=of_scores)
    if of_scores:
        return _of_scores(predictions, references, names, confidence_level)
    result: dict[str, Any] = dict(_of_rankings(predictions, references, p, ties))
    if confidence_level is not None:
        result |= {"confidence_interval": {}, "interval": {}, "standard_error": {}}
    return result


def ranked_items(columns: Mapping[str, Any], **_: Any) -> dict[str, Any]:
    """Return the columns with rankings as items and ranks, which a state can keep.

    >>> ranked_items({"predictions": [[["a"], ["b", "c"]]]})
    {'predictions': [{'item': ['a', 'b', 'c'], 'rank': [0, 1, 1]}]}
    """
    return {name: _as_ranked_items(column) for name, column in columns.items()}


def _as_ranked_items(column: Any) -> Any:
    if isinstance(column, np.ndarray) or not isinstance(column[0], list):
        return column
    return [
        {
            "item": [item for group in ranking for item in group],
            "rank": [rank for rank, group in enumerate(ranking) for _ in group],
        }
        for ranking in column
    ]


def _groups(name: str, row: int, ranking: Any) -> list[list[str]]:
    """Return a ranking as groups of tied items.

    Raises:
        RowError: there is not one rank for each item.
    """
    if isinstance(ranking, list):
        return ranking
    items, ranks = ranking["item"], ranking["rank"]
    if len(items) != len(ranks):
        raise RowError(name, row, f"has {len(items)} items, but {len(ranks)} ranks")
    # Tied items get an order that does not depend on their order in the row.
    pairs = sorted(zip(ranks, items, strict=True))
    return [[item for _, item in group] for _, group in groupby(pairs, key=lambda pair: pair[0])]


def _names(measures: Any, *, of_scores: bool) -> list[str]:
    """Return the measures requested.

    Raises:
        ValueError: a measure does not apply to inputs of this shape, or there are none.
    """
    if measures is None:
        return list(_OF_SCORES if of_scores else ("rbo",))
    names = [measures] if isinstance(measures, str) else list(dict.fromkeys(measures))
    if not names:
        raise OptionError("measures", "is empty; name at least one")
    for name in names:
        if (name == "rbo") == of_scores:
            shape = "rankings" if name == "rbo" else "scores"
            raise OptionError(
                "measures", f"{shown(name)} needs {shape} as predictions and references"
            )
    return names


def _of_scores(
    predictions: Any, references: Any, names: Sequence[str], confidence_level: float | None
) -> dict[str, Any]:
    columns = []
    for name, column in (("predictions", predictions), ("references", references)):
        values = np.asarray(column, np.float64) + 0.0
        if not np.isfinite(values).all():
            row = int((~np.isfinite(values)).argmax())
            raise RowError(name, row, f"is {values[row]}; a score is a finite number")
        columns.append(values)
    scores = PairedScores(*columns)
    estimates = {
        name: CORRELATIONS[name](scores) if scores.size > 1 else Estimate(math.nan)
        for name in names
    }
    result: dict[str, Any] = {name: estimate.value for name, estimate in estimates.items()}
    if confidence_level is None:
        return result
    all_intervals = {
        name: correlation_interval(name, estimate, scores.size, confidence_level)
        for name, estimate in estimates.items()
    }
    intervals = {name: interval for name, interval in all_intervals.items() if interval is not None}
    return result | {
        "confidence_interval": {name: [i.low, i.high] for name, i in intervals.items()},
        "interval": {name: i.method for name, i in intervals.items()},
        "standard_error": {name: i.standard_error for name, i in intervals.items()},
    }


def _of_rankings(
    predictions: Any, references: Any, p: float, ties: TieConvention
) -> dict[str, float]:
    """Return the means of the overlaps of all pairs of rankings."""
    first, second = (
        [flat_ranking(name, row, _groups(name, row, ranking)) for row, ranking in enumerate(column)]
        for name, column in (("predictions", predictions), ("references", references))
    )
    overlaps = [rank_biased_overlap(*pair, p, ties) for pair in zip(first, second, strict=True)]
    means = (math.fsum(column) / len(overlaps) for column in zip(*overlaps, strict=True))
    return dict(zip(Overlap._fields, means, strict=True))
