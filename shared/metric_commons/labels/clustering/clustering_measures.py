"""Scores of clusters, from columns of clusters and of points or true labels."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Column, Integers
from ...statistics.arguments.domains import Count, Level, Resamples, Seed, checked_options
from ...statistics.arithmetic.contingency import contingency, whole_labels
from ...statistics.intervals.intervals import interval
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.summary import mean, reported
from ...statistics.resampling.row_units import random_rows
from .agreement import agreement, agreement_intervals, cell_counts
from .centroids import calinski_harabasz, davies_bouldin, spreads
from .clusters import PointClusters
from .partition_names import (
    LABEL_MEASURES,
    POINT_MEASURES,
    ClusteringMeasure,
    Measures,
    parse_measures,
)
from .silhouette import Metric, silhouettes, silhouettes_of_distances

_SORTED_POINTS = 1 << 14  # up to this many points are sorted before centroids are computed


@checked_options
def clustering_scores(
    predictions: Column,
    references: Column,
    *,
    measures: Measures | None = None,
    metric: Metric = "euclidean",
    per_example: bool = False,
    sample_size: Count | None = None,
    confidence_level: Level | None = None,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
) -> dict[str, Any]:
    """Return the measures by name and, on request, scores of points and intervals.

    Args:
        predictions: the cluster of each row, an int or a text; or a whole number as a float.
        references: points, a row of coordinates each; or true labels, as predictions; or for
            "precomputed" the distances of a row to all rows.
        measures: names, as in `partition_names`; None for those of points, or for the adjusted Rand
            index and normalized information of labels.
        metric: the metric of the silhouette; the other measures are Euclidean.
        per_example: also return the silhouette of each point; NaN for those not in the sample.
        sample_size: compute the silhouette of only this many points, drawn without replacement.
        confidence_level: also return intervals of the silhouette, or of scores of labels.
        n_resamples: the number of draws for the intervals of scores of labels.
        seed: for the draws and the sample.

    Raises:
        ValueError: a row or an option is not valid, or measures do not apply to these references.

    >>> scores = clustering_scores([0, 0, 1, 1], [0, 0, 1, 2], measures=["ari", "nmi"])
    >>> {name: round(score, 4) for name, score in scores.items()}
    {'ari': 0.5714, 'nmi': 0.8}
    >>> clustering_scores([0, 0, 1], [[0.0], [1.0], [5.0]], measures="davies_bouldin")
    {'davies_bouldin': 0.1111111111111111}
    """
    are_labels = len(references) > 0 and np.ndim(references[0]) == 0
    predictions = whole_labels("predictions", predictions, "a cluster is a whole number or a text")
    if are_labels:
        references = whole_labels("references", references, _ONE_DIMENSION)
    chosen = _chosen_measures(measures, are_labels=are_labels, metric=metric)
    uncertain: dict[str, Any] | None = None
    if confidence_level is not None:
        uncertain = {"confidence_level": confidence_level, "n_resamples": n_resamples, "seed": seed}
    if not are_labels:
        kinds = [measure.kind for measure in chosen]
        return _point_scores(
            predictions, references, kinds, metric, per_example, sample_size, seed, uncertain
        )
    table = contingency(references, predictions)
    counts = cell_counts(table, table.counts[np.newaxis])
    result: dict[str, Any] = {measure.name: agreement(measure, counts)[0] for measure in chosen}
    if uncertain:
        scores = [measure for measure in chosen if measure.kind != "pair_confusion"]
        result |= reported(agreement_intervals(table, scores, result, **uncertain))
    return result | ({"per_example": {}} if per_example else {})


_ONE_DIMENSION = "a label is a whole number or a text, and points in one dimension are rows"


def _chosen_measures(measures: Any, *, are_labels: bool, metric: str) -> list[ClusteringMeasure]:
    """Return the measures, checked to apply to references that are labels, points or distances."""
    if measures is None:
        if are_labels:
            return parse_measures(LABEL_MEASURES)
        return parse_measures("silhouette" if metric == "precomputed" else POINT_MEASURES)
    parsed = parse_measures(measures)
    for measure in parsed:
        if (measure.kind in POINT_MEASURES) is are_labels:
            expected, present = ("points", "labels") if are_labels else ("true labels", "points")
            raise ValueError(
                f"measures holds {measure.name!r}, which needs {expected}; references are {present}"
            )
        if metric == "precomputed" and measure.kind != "silhouette":
            raise ValueError(
                f"measures holds {measure.name!r}, which needs points; references are distances"
            )
    return parsed


# Points


def _point_scores(
    predictions: Column,
    references: Column,
    measures: Sequence[str],
    metric: str,
    per_example: bool,
    sample_size: int | None,
    seed: int,
    uncertain: dict[str, Any] | None,
) -> dict[str, Any]:
    """Return the measures of points; `uncertain` has the options of intervals."""
    scores, per_point = {}, {}
    intervals: dict[str, Interval | list[Interval]] = {}
    clusters = None
    if "silhouette" in measures:
        precomputed = metric == "precomputed"
        clusters = PointClusters(
            references, predictions, directions=metric == "cosine", sort_points=not precomputed
        )
        sample = None
        if sample_size is not None and sample_size < len(clusters):
            sample = _sample(len(clusters), sample_size, seed)
        if precomputed:
            values = silhouettes_of_distances(clusters, positions=sample)
        else:
            values = silhouettes(clusters, squared=metric != "euclidean", positions=sample)
        scores["silhouette"] = mean(values)
        if per_example:
            all_values = np.full(len(clusters), math.nan)
            all_values[slice(None) if sample is None else sample] = values
            per_point["silhouette"] = clusters.in_row_order(all_values).tolist()
        if uncertain:
            intervals["silhouette"] = interval(values, bounds=(-1.0, 1.0), **uncertain)
    if set(measures) - {"silhouette"}:
        if clusters is None or metric == "cosine":
            sort_points = len(references) <= _SORTED_POINTS
            clusters = PointClusters(references, predictions, sort_points=sort_points)
        spread = spreads(clusters)
        scores["davies_bouldin"] = davies_bouldin(spread)
        scores["calinski_harabasz"] = calinski_harabasz(spread)
    result: dict[str, Any] = {name: scores[name] for name in measures}
    if per_example:
        result["per_example"] = per_point
    if uncertain:
        result |= reported(intervals)
    return result


def _sample(rows: int, size: int, seed: int) -> Integers:
    """Return the positions of this many rows, drawn without replacement; ascending.

    Rows are drawn with replacement until there are enough distinct ones; repetitions are ignored.
    """
    words = np.random.PCG64(int(seed))
    is_drawn = np.zeros(rows, bool)
    while (lacking := size - int(np.count_nonzero(is_drawn))) > 0:
        draws = random_rows(words, rows, 2 * lacking)
        fresh = draws[~is_drawn[draws]]
        first_draws = np.sort(np.unique(fresh, return_index=True)[1])
        is_drawn[fresh[first_draws[:lacking]]] = True
    return np.flatnonzero(is_drawn)
