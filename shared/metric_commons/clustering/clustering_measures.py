"""From columns of clusters, and of points or true labels, to scores."""

import math
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np

from ..numbers.arrays import Column, Integers
from ..numbers.checks import check_measures
from ..numbers.contingency import contingency
from ..numbers.domains import Count, Level, Parsed, Resamples, Seed, checked_options
from ..statistics.draws import random_rows, resampled_totals
from ..statistics.intervals import interval, resampled_interval
from ..statistics.proportions import Interval
from ..statistics.summary import mean, reported
from .agreement import LABEL_MEASURES, agreement, cell_counts
from .centroids import calinski_harabasz, davies_bouldin, spreads
from .clusters import Clusters, as_coordinates
from .silhouette import Metric, silhouettes

POINT_MEASURES = ("silhouette", "davies_bouldin", "calinski_harabasz")

_SORTED_POINTS = 1 << 14  # up to so many points are sorted before centroids are computed


Measures = Annotated[
    str | Sequence[str],
    Parsed(
        partial(check_measures, supported=(*POINT_MEASURES, *LABEL_MEASURES)),
        "a measure, or a list of them",
    ),
]


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
    """The measures by name, and on request scores of points and intervals.

    Args:
        predictions: the cluster of each row, an int or a text.
        references: points, a row of coordinates each; or true labels, ints or texts.
        measures: names from `POINT_MEASURES` or from `LABEL_MEASURES`; None for all that go with
            the references.
        metric: of the silhouette; the other measures are Euclidean.
        per_example: also return the silhouette of each point; NaN for those not in the sample.
        sample_size: take the silhouette of so many points alone, drawn without replacement.
        confidence_level: also return bootstrap intervals of the silhouette, or of scores of labels.
        n_resamples: how often the bootstrap resamples.
        seed: of the resampling, and of the sample.

    Raises:
        ValueError: a row or an option is not what it may be, or measures do not go with these
            references.

    >>> scores = clustering_scores([0, 0, 1, 1], [0, 0, 1, 2], measures=["ari", "nmi"])
    >>> {name: round(score, 4) for name, score in scores.items()}
    {'ari': 0.5714, 'nmi': 0.8}
    >>> clustering_scores([0, 0, 1], [[0.0], [1.0], [5.0]], measures="davies_bouldin")
    {'davies_bouldin': 0.1111111111111111}
    """
    are_labels = len(references) > 0 and np.ndim(references[0]) == 0
    if are_labels and isinstance(references, np.ndarray) and references.dtype.kind == "f":
        as_coordinates(references)  # raises the error about points of one dimension
    names = _measure_names(measures, are_labels=are_labels)
    bootstrap: dict[str, Any] | None = None
    if confidence_level is not None:
        bootstrap = {
            "confidence_level": confidence_level,
            "n_resamples": n_resamples,
            "seed": seed,
        }
    if are_labels:
        result = _label_scores(predictions, references, names, bootstrap)
        return result | ({"per_example": {}} if per_example else {})
    return _point_scores(
        predictions, references, names, metric, per_example, sample_size, seed, bootstrap
    )


def _measure_names(measures: Any, *, are_labels: bool) -> list[str]:
    """The names of the measures, all of which go with references of labels, or of points."""
    available = LABEL_MEASURES if are_labels else POINT_MEASURES
    if measures is None:
        return list(available)
    names = check_measures(measures, (*POINT_MEASURES, *LABEL_MEASURES))
    for name in names:
        if name not in available:
            expected, present = ("points", "labels") if are_labels else ("true labels", "points")
            raise ValueError(
                f"measures holds {name!r}, which needs {expected}; references are {present}"
            )
    return names


# Points


def _point_scores(
    predictions: Column,
    references: Column,
    measures: Sequence[str],
    metric: str,
    per_example: bool,
    sample_size: int | None,
    seed: int,
    bootstrap: dict[str, Any] | None,
) -> dict[str, Any]:
    """The measures of points; `bootstrap` has the options of intervals."""
    scores, per_point = {}, {}
    intervals: dict[str, Interval | list[Interval]] = {}
    clusters = None
    if "silhouette" in measures:
        clusters = Clusters(references, predictions, directions=metric == "cosine")
        sample = None
        if sample_size is not None and sample_size < len(clusters):
            sample = _sample(len(clusters), sample_size, seed)
        values = silhouettes(clusters, squared=metric != "euclidean", positions=sample)
        scores["silhouette"] = mean(values)
        if per_example:
            all_values = np.full(len(clusters), math.nan)
            all_values[slice(None) if sample is None else sample] = values
            per_point["silhouette"] = clusters.in_row_order(all_values).tolist()
        if bootstrap:
            intervals["silhouette"] = interval(
                values, method="bootstrap", bounds=(-1.0, 1.0), **bootstrap
            )
    if set(measures) - {"silhouette"}:
        if clusters is None or metric == "cosine":
            sort_points = len(references) <= _SORTED_POINTS
            clusters = Clusters(references, predictions, sort_points=sort_points)
        spread = spreads(clusters)
        scores["davies_bouldin"] = davies_bouldin(spread)
        scores["calinski_harabasz"] = calinski_harabasz(spread)
    result: dict[str, Any] = {name: scores[name] for name in measures}
    if per_example:
        result["per_example"] = per_point
    if bootstrap:
        result |= reported(intervals)
    return result


def _sample(rows: int, size: int, seed: int) -> Integers:
    """The positions of so many rows, drawn without replacement; ascending.

    Rows are drawn with replacement until enough different ones have come up; each counts when it is
    drawn for the first time.
    """
    words = np.random.PCG64(int(seed))
    is_drawn = np.zeros(rows, bool)
    while (lacking := size - int(np.count_nonzero(is_drawn))) > 0:
        draws = random_rows(words, rows, 2 * lacking)
        fresh = draws[~is_drawn[draws]]
        first_draws = np.sort(np.unique(fresh, return_index=True)[1])
        is_drawn[fresh[first_draws[:lacking]]] = True
    return np.flatnonzero(is_drawn)


# Labels


def _label_scores(
    predictions: Column,
    references: Column,
    measures: Sequence[str],
    bootstrap: dict[str, Any] | None,
) -> dict[str, Any]:
    """The measures of agreement; `bootstrap` has the options of intervals."""
    table = contingency(references, predictions)
    counts = cell_counts(table, table.counts[np.newaxis])
    result: dict[str, Any] = {name: agreement(name, counts)[0] for name in measures}
    if bootstrap:
        level = float(bootstrap["confidence_level"])
        # Rows of the same labels are alike, so a resample is a table of other counts.
        totals = resampled_totals(
            table.counts,
            np.arange(len(table.counts))[:, np.newaxis],
            len(table.counts),
            n_resamples=int(bootstrap["n_resamples"]),
            seed=int(bootstrap["seed"]),
        )
        resamples = cell_counts(table, np.ascontiguousarray(totals.T))
        result |= reported(
            {
                name: resampled_interval(np.array(agreement(name, resamples)), level)
                for name in measures
            }
        )
    return result
