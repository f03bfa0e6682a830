"""Pseudovalues of classification: a value of each row, whose mean is the score.

Systems are compared by them, row by row. Where a score is a mean of rows, such as accuracy, its
pseudovalues are the scores of rows; elsewhere a pseudovalue is the score plus the influence of the
row on it, which is the score of rows to first order. Those of the area under the ROC curve are
DeLong's placements.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Column, Floats, take
from ...statistics.arguments.checks import check_weights
from ..thresholds.score_rows import THRESHOLD
from .classes import LabelDistances, counted_rows
from .classification_measures import Tabulated, positions_of_rows, tabulated
from .confusion import confusion_scores
from .curve_scores import curve_scores
from .label_intervals import cell_counters, counts_of, indicator_counters, scores_of_kinds
from .multilabel import LabelIndicators, kinds_of_rows

_STEP = 1e-4  # of a row, in numerical slopes
_DIGITS = 9  # of a pseudovalue; equal rows have equal ones


def classification_pseudovalues(
    predictions: Column, references: Column, **options: Any
) -> dict[str, Floats]:
    """Return the pseudovalues of each score that is a number, shape (rows,).

    Rows that are left out by `ignore_index` are NaN.

    Args:
        predictions: as in `classification_scores`, like all other arguments; options that do not
            change single scores have no effect.
        references: the same.
        **options: those of `classification_scores`.

    >>> values = classification_pseudovalues([0, 0, 1, 1], [0, 1, 1, 1])
    >>> values["accuracy"].tolist(), round(float(values["f1"].mean()), 4)
    ([1.0, 0.0, 1.0, 1.0], 0.8)
    >>> scores = np.array([0.1, 0.4, 0.35, 0.8])
    >>> classification_pseudovalues(scores, [0, 0, 1, 1])["roc_auc"].round(2).tolist()
    [1.46, 0.04, 0.04, 1.46]
    """
    rows, number = np.arange(len(references)), len(references)
    weights = check_weights("sample_weight", options.get("sample_weight"), rows.size)
    if options.get("ignore_index") is not None:
        rows = counted_rows(references, options["ignore_index"])
        predictions, references = take(predictions, rows), take(references, rows)
        weights = None if weights is None else weights[rows]
    rows_of_task = tabulated(
        predictions,
        references,
        threshold=options.get("threshold", THRESHOLD),
        probabilities=options.get("probabilities", True),
        sample_weight=weights,
        **{name: options.get(name) for name in ("labels", "pos_label", "average")},
    )
    values: dict[str, Floats] = {}
    if rows_of_task[2].average != "none":
        values = _label_values(predictions, references, rows_of_task, weights, options)
    curves = ("multi_class", "max_fpr", "top_k", "calibration_bins", "calibration_strategy")
    measured = curve_scores(rows_of_task[0], **{n: options[n] for n in curves if n in options})
    for name, (score, influences) in measured.scores.items():
        if not isinstance(score, list):  # scores of several labels may count once for each label
            changes = influences().reshape(rows.size, -1).sum(axis=1)
            values[name] = score + rows.size * changes
    columns = {name: np.full(number, np.nan) for name in values}
    for name, of_rows in values.items():
        columns[name][rows] = of_rows.round(_DIGITS)
    return columns


_ONE_BY_ONE = ("log_loss", "brier", "ece", "mce", "top_")  # means of rows, or of bins of scores


def paired_classification_pseudovalues(
    first: Mapping[str, Any], second: Mapping[str, Any], **options: Any
) -> dict[str, tuple[Floats, Floats]]:
    """Return the pseudovalues of the scores of two systems, on the same rows.

    Those of scores of labels, and of areas, are influences at the rows of both systems together.
    Exchanging the systems in some rows then changes no influence, so that the test by sign flips
    does not err more often than it says, however few positives there are. Of areas these rows have
    the ranks of scores, since systems may have scores of different sizes.

    Args:
        first: the predictions and references of one system.
        second: those of the other one.
        **options: those of `classification_scores`.

    >>> references = [0, 1, 1, 1]
    >>> a, b = ({"predictions": p, "references": references} for p in ([0, 0, 1, 1], [1, 1, 1, 1]))
    >>> values = paired_classification_pseudovalues(a, b)["recall"]
    >>> round(float(values[0].mean() - values[1].mean()), 4)
    -0.3333
    """
    number = len(first["references"])
    alone = [classification_pseudovalues(**columns, **options) for columns in (first, second)]
    values = {name: (alone[0][name], alone[1][name]) for name in alone[0] if name in alone[1]}
    weights = options.get("sample_weight")
    if weights is not None:
        options["sample_weight"] = np.concatenate([np.asarray(weights)] * 2)
    references = _joined(first["references"], second["references"])
    predictions = first["predictions"], second["predictions"]
    together = classification_pseudovalues(_joined(*predictions), references, **options)
    areas = [name for name in values if name.endswith(("_auc", "average_precision"))]
    for name in values.keys() - {*areas}:
        if not name.startswith(_ONE_BY_ONE):
            values[name] = together[name][:number], together[name][number:]
    if (
        areas
        and options.get("average") != "samples"
        and (np.ndim(predictions[0]) == 1 or len(predictions[0][0]) > 2)
    ):
        options["probabilities"] = np.ndim(predictions[0]) == 1
        ranks = np.concatenate([_ranks(np.asarray(scores)) for scores in predictions])
        together = classification_pseudovalues(ranks, references, **options)
        values |= {name: (together[name][:number], together[name][number:]) for name in areas}
    return values


def _joined(first: Column, second: Column) -> Column:
    """Return two columns as one."""
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return np.concatenate([first, second])
    return [*first, *second]


def _ranks(scores: Floats) -> Floats:
    """Return the ranks of all scores together, from 0 to 1; equal scores have equal ones.

    >>> _ranks(np.array([0.5, 3.0, 0.5])).round(2).tolist()
    [0.33, 0.83, 0.33]
    """
    _, positions, counts = np.unique(scores, return_inverse=True, return_counts=True)
    middles = (np.cumsum(counts) - counts / 2) / scores.size
    ranks: Floats = middles[positions].reshape(scores.shape)
    return ranks


def _label_values(
    predictions: Column,
    references: Column,
    tabulated_rows: Tabulated,
    weights: Floats | None,
    options: Mapping[str, Any],
) -> dict[str, Floats]:
    """Return the pseudovalues of scores of labels, from their slopes in the counts."""
    predicted, table, task = tabulated_rows
    number = len(references)
    shares = np.ones(number) if weights is None else weights * (number / weights.sum())
    of_indicators = isinstance(table, LabelIndicators)
    distances = options.get("kappa_weights")
    if distances is not None:
        distances = LabelDistances.of_task(task, distances)
    measure = partial(
        confusion_scores,
        task=task,
        beta=options.get("beta", 1.0),
        zero_division=options.get("zero_division", 0.0),
        multilabel=of_indicators,
        adjusted=options.get("adjusted", False),
        distances=distances,
    )
    of_kinds: dict[str, Floats] = {}
    if isinstance(table, LabelIndicators):
        counters, cells = indicator_counters(table, None), np.arange(number)
        if task.average == "samples":
            kinds_of_labels, codes = kinds_of_rows(table, task)
            of_kinds = scores_of_kinds(kinds_of_labels, measure)
            measure = partial(measure, task=replace(task, average="macro"))
    else:
        true, guessed = positions_of_rows(predictions, references, predicted, task)
        size = len(task.all_labels)
        kinds, cells = np.unique(true * size + guessed, return_inverse=True)
        counters = cell_counters(kinds // size, kinds % size, size, distances)
    totals = np.bincount(cells, shares, len(counters)) @ counters
    with np.errstate(all="ignore"):
        scores = measure(counts_of(totals[:, np.newaxis]))
        moved = measure(counts_of(totals[:, np.newaxis] + _STEP * counters.T))
    values = {}
    for name, start in scores.items():
        if of_kinds and name != "hamming_loss":
            values[name] = _of_means(of_kinds[name][codes], shares)
            continue
        slopes = (moved[name] - start) / _STEP
        values[name] = float(start[0]) + number * shares * slopes[cells]
    values["accuracy"] = _of_means(counters[cells, -3], shares)
    return values


def _of_means(scores: Floats, shares: Floats) -> Floats:
    """Return the pseudovalues of a mean of rows; rows that do not count, which are NaN, have it.

    >>> _of_means(np.array([1.0, 0.0, np.nan]), np.ones(3)).tolist()
    [1.25, -0.25, 0.5]
    """
    counting = ~np.isnan(scores)
    shares = np.where(counting, shares, 0.0)
    if not shares.any():
        return scores
    shares = shares * (scores.size / shares.sum())
    mean = float(np.where(counting, scores, 0.0) @ shares) / scores.size
    return np.where(counting, mean + shares * (scores - mean), mean)
