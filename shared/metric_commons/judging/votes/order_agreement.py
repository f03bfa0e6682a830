"""The agreement of two scores, or of two rankings, on the order of the same systems.

Rank-biased overlap (RBO) of rankings, which may have ties, other items and other lengths, is the
mean agreement of both rankings over all depths that a reader reaches who continues from
each place with the probability p. Beyond the end of a ranking the agreement is unknown, so RBO has
a minimum and a maximum possible value, and an extrapolated one.

There are three conventions for ties: "a" is the mean over all orders of tied items; "b" is the same
divided by the agreement that ties make possible; with "w" tied items share a place, as in sports.

Source:
    Webber, Moffat and Zobel, A similarity measure for indefinite rankings (2010). Corsi and Urbano,
    The treatment of ties in rank-biased overlap (2024).
"""

import math
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Column, Floats, Integers
from ...statistics.arguments.checks import OptionError, RowError, check_finite, shown
from ...statistics.arguments.domains import Range, checked_options
from ...statistics.arithmetic.rank_correlations import CORRELATIONS, Estimate, PairedScores
from ...statistics.intervals.correlation_intervals import correlation_interval
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.summary import Measured, RowMeans, interval_of, summarize_inputs

TieConvention = Literal["a", "b", "w"]


class Overlap(NamedTuple):
    """The extrapolated, the minimum and the maximum possible value, and their difference."""

    rbo: float
    rbo_min: float
    rbo_max: float
    rbo_residual: float


class FlatRanking(NamedTuple):
    """The items of a ranking from its top, with the first and the last place of their group."""

    items: list[str]
    top: Integers  # places count from 0
    bottom: Integers

    @property
    def is_tied(self) -> bool:
        """Return whether any items are tied."""
        return bool((self.top < self.bottom).any())

    def seen(self, ties: TieConvention) -> Floats:
        """The proportion of each place's group that is seen at its depth, shape (places,)."""
        if ties == "w":
            return np.ones(self.top.size)
        depth = np.arange(1, self.top.size + 1)
        return (depth - self.top) / (self.bottom - self.top + 1)


def flat_ranking(name: str, row: int, ranking: Sequence[Sequence[str]]) -> FlatRanking:
    """Return a ranking with its groups of tied items spelled out.

    Raises:
        ValueError: it is empty, has an empty group, or an item twice.

    >>> flat_ranking("predictions", 0, [["a"], ["b", "c"]]).bottom.tolist()
    [0, 2, 2]
    """
    if not ranking:
        raise RowError(name, row, "is empty; the overlap of an empty ranking is undefined")
    if not all(ranking):
        raise RowError(name, row, "has an empty group of ties")
    sizes = np.array([len(group) for group in ranking])
    items = [item for group in ranking for item in group]
    if len(set(items)) < len(items):
        duplicate = next(item for number, item in enumerate(items) if item in items[:number])
        raise RowError(name, row, f"has {shown(duplicate)} twice")
    ends = np.cumsum(sizes)
    return FlatRanking(items, np.repeat(ends - sizes, sizes), np.repeat(ends - 1, sizes))


def rank_biased_overlap(
    first: FlatRanking, second: FlatRanking, p: float, ties: TieConvention
) -> Overlap:
    """RBO of two rankings.

    Args:
        first: a ranking.
        second: the other one.
        p: the probability of continuing to the next place, strictly between 0 and 1.
        ties: the convention for ties.

    >>> rankings = [flat_ranking("predictions", 0, ranking) for ranking in ("abc", "acb")]
    >>> round(rank_biased_overlap(*rankings, 0.9, "a").rbo, 6)
    0.955
    """
    shorter, longer = sorted((first, second), key=lambda ranking: len(ranking.items))
    if not shorter.is_tied and not longer.is_tied:
        ties = "w"  # without ties all conventions agree, and this one is the fastest
    short, long = len(shorter.items), len(longer.items)
    depth = np.arange(1, long + 1)
    overlaps = _common(shorter, longer, ties)

    # The items of the longer ranking that the shorter one does not have, at each depth.
    shorter_items = set(shorter.items)
    upto = np.append(0, np.cumsum([item not in shorter_items for item in longer.items]))
    complete = begun = upto[longer.bottom + 1]
    if ties != "w":
        complete = upto[np.where(longer.bottom == depth - 1, depth, longer.top)]
    share = longer.seen(ties)

    def unseen(number: Integers) -> Floats:
        """Return the amount seen at each depth of the first `number` of these items."""
        whole, part = np.minimum(number, complete), np.minimum(number, begun)
        return np.asarray(whole + share * np.maximum(part - whole, 0), np.float64)

    # The mean proportion seen of the items that have begun.
    mean = np.divide(unseen(begun), begun, out=np.zeros(long), where=begun > 0)
    in_shorter = _extent(shorter, ties)
    # Missing places of a ranking are treated as untied.
    in_shorter = np.append(in_shorter, depth[short:])
    in_longer = _extent(longer, ties)
    divisor = depth.astype(np.float64)
    if ties == "w":
        divisor = (in_shorter + in_longer) / 2
    elif ties == "b":
        divisor = np.sqrt(in_shorter) * np.sqrt(in_longer)

    last = overlaps[short - 1] / divisor[short - 1]
    extra = np.maximum(depth - short, 0)
    upper_overlaps = overlaps + unseen(extra)
    extrapolated = overlaps + extra * last * mean
    powers = p ** depth.astype(np.float64)
    total = float(overlaps[-1])

    tail_min = total * (-math.log1p(-p) - float((powers / depth).sum()))
    last_needed = long + short - round(total)  # the depth at which all items have been seen
    depths_below = np.arange(long + 1, last_needed + 1)
    common = (2 * depths_below - long - short + total) / depths_below
    tail_max = float((common * p**depths_below).sum()) + p ** (last_needed + 1) / (1 - p)
    tail = (total + (long - short) * last) / long * p ** (long + 1) / (1 - p)

    def value(overlaps: Floats, of_tail: float) -> float:
        return (1 - p) / p * (float((overlaps / divisor * powers).sum()) + float(of_tail))

    minimum, maximum = value(overlaps, tail_min), value(upper_overlaps, tail_max)
    return Overlap(value(extrapolated, tail), minimum, maximum, maximum - minimum)


def _extent(ranking: FlatRanking, ties: TieConvention) -> Floats:
    """Return the items seen at each depth of a ranking.

    Their number, or the sum of squares of shares.
    """
    if ties == "w":
        return np.asarray(ranking.bottom + 1, np.float64)
    share = ranking.seen(ties)
    return np.asarray(ranking.top + (ranking.bottom - ranking.top + 1) * share**2, np.float64)


def _common(shorter: FlatRanking, longer: FlatRanking, ties: TieConvention) -> Floats:
    """Return the overlap at each depth of the longer ranking.

    The sum over items of products of shares.
    """
    positions = {item: position for position, item in enumerate(longer.items)}
    pairs = [(i, positions[item]) for i, item in enumerate(shorter.items) if item in positions]
    size = len(longer.items)
    complete = np.zeros(size + 1)
    partial = np.zeros(size)
    for i, j in pairs:
        start = max(int(shorter.top[i]), int(longer.top[j]))
        end = start if ties == "w" else max(int(shorter.bottom[i]), int(longer.bottom[j]))
        complete[end] += 1
        if start < end:
            depth = np.arange(start, end)
            partial[start:end] += _share(shorter, i, depth) * _share(longer, j, depth)
    return np.asarray(np.cumsum(complete[:size]) + partial, np.float64)


def _share(ranking: FlatRanking, position: int, depth: Integers) -> Floats:
    """Return the proportion of an item that is seen at these depths, which count from 0."""
    top, bottom = int(ranking.top[position]), int(ranking.bottom[position])
    return np.minimum((depth - top + 1) / (bottom - top + 1), 1.0)


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
    **uncertainty: Any,
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
        **uncertainty: the options of `summarize_inputs`; systems are the rows.

    Raises:
        ValueError: a row or an option is not valid.

    >>> ranking_agreement([0.9, 0.7, 0.8], [30.0, 10.0, 20.0], measures="kendall_tau_b")
    {'kendall_tau_b': 1.0}
    """
    of_scores = isinstance(predictions, np.ndarray) or isinstance(predictions[0], float)
    names = _names(measures, of_scores=of_scores)
    kernel = partial(_of_scores, names) if of_scores else partial(_of_rankings, p, ties)
    columns = {"predictions": predictions, "references": references}
    return summarize_inputs(kernel, columns, **uncertainty)


def _of_rankings(
    p: float,
    ties: TieConvention,
    *,
    predictions: Column,
    references: Column,
    uncertainty: Uncertainty | None = None,
) -> Measured:
    """Return the mean overlap of rankings and its interval."""
    first, second = (
        [flat_ranking(name, row, _groups(name, row, ranking)) for row, ranking in enumerate(column)]
        for name, column in (("predictions", predictions), ("references", references))
    )
    overlaps = [rank_biased_overlap(*pair, p, ties) for pair in zip(first, second, strict=True)]
    columns = dict(zip(Overlap._fields, np.array(overlaps).T, strict=True))
    return RowMeans(columns).measured(uncertainty)


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
    names: Sequence[str],
    *,
    predictions: Any,
    references: Any,
    uncertainty: Uncertainty | None = None,
) -> Measured:
    """Return correlations of scores and their intervals."""
    columns = []
    for name, column in (("predictions", predictions), ("references", references)):
        values = np.asarray(column, np.float64) + 0.0
        check_finite(name, values, "a score is a finite number")
        columns.append(values)
    scores = PairedScores(*columns)
    result: dict[str, Any] = {}
    intervals: dict[str, Interval] = {}
    for name in names:
        estimate = CORRELATIONS[name](scores) if scores.size > 1 else Estimate(math.nan)
        result[name] = estimate.value
        if uncertainty is None:
            continue
        with interval_of(name):
            found = correlation_interval(name, scores, estimate, uncertainty)
        if found is not None:
            intervals[name] = found
    return result, intervals
