"""Scores of clusters, from columns of clusters and of points or true labels."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Column, Floats, Integers
from ...statistics.arguments.domains import Count, Level, Resamples, Seed, checked_options
from ...statistics.arithmetic.contingency import contingency, whole_labels
from ...statistics.intervals.intervals import mean_interval
from ...statistics.intervals.methods import DrawnMethod, Uncertainty
from ...statistics.intervals.summary import Measured, mean, summarize_inputs
from ...statistics.resampling.row_units import random_rows
from .agreement import agreement, agreement_intervals
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
    interval: DrawnMethod = "auto",
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
        confidence_level: also return intervals of scores of labels, and by "bootstrap" of the
            silhouette.
        interval: the method.
        n_resamples: the number of draws.
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
    silhouette_of_rows: dict[str, list[float]] = {}

    def of_labels(
        *, predictions: Column, references: Column, uncertainty: Uncertainty | None
    ) -> Measured:
        table = contingency(references, predictions)
        result: dict[str, Any] = {measure.name: agreement(measure, table) for measure in chosen}
        if uncertainty is None:
            return result, {}
        scores = [measure for measure in chosen if measure.kind != "pair_confusion"]
        return result, agreement_intervals(table, scores, result, uncertainty)

    def of_points(
        *, predictions: Column, references: Column, uncertainty: Uncertainty | None
    ) -> Measured:
        scores, values = _point_scores(
            predictions, references, [m.kind for m in chosen], metric, sample_size, seed
        )
        if values is None:
            return scores, {}
        silhouette_of_rows.setdefault("silhouette", values.tolist())
        if uncertainty is None or uncertainty.method != "bootstrap":
            return scores, {}
        rows = np.flatnonzero(~np.isnan(values))
        found = mean_interval(values[rows], uncertainty, bounds=(-1.0, 1.0))
        return scores, {"silhouette": found._replace(rows=rows.size)}

    kernel = of_labels if are_labels else of_points
    columns = {"predictions": predictions, "references": references}
    result = summarize_inputs(
        kernel,
        columns,
        confidence_level=confidence_level,
        interval=interval,
        n_resamples=n_resamples,
        seed=seed,
    )
    return result | ({"per_example": silhouette_of_rows} if per_example else {})


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


def _point_scores(
    predictions: Column,
    references: Column,
    measures: Sequence[str],
    metric: str,
    sample_size: int | None,
    seed: int,
) -> tuple[dict[str, Any], Floats | None]:
    """Return the measures of points, and the silhouette of each if it is one of them."""
    scores, of_rows, clusters = {}, None, None
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
        all_values = np.full(len(clusters), math.nan)
        all_values[slice(None) if sample is None else sample] = values
        of_rows = clusters.in_row_order(all_values)
    if set(measures) - {"silhouette"}:
        if clusters is None or metric == "cosine":
            sort_points = len(references) <= _SORTED_POINTS
            clusters = PointClusters(references, predictions, sort_points=sort_points)
        spread = spreads(clusters)
        scores["davies_bouldin"] = davies_bouldin(spread)
        scores["calinski_harabasz"] = calinski_harabasz(spread)
    return {name: scores[name] for name in measures}, of_rows


def _sample(rows: int, size: int, seed: int) -> Integers:
    """Return the positions of this many rows, drawn without replacement; ascending.

    Rows are drawn with replacement until there are enough distinct ones; repetitions are ignored.
    """
    words = np.random.PCG64(int(seed))
    found: dict[int, None] = {}
    while len(found) < size:
        found |= dict.fromkeys(random_rows(words, rows, 2 * (size - len(found))).tolist())
    return np.sort(list(found)[:size])
