"""Influences of rows on scores of classification, by which systems are compared.

Those on a mean of rows, such as accuracy, are the scores of rows but for a constant; those on the
area under the ROC curve are DeLong's placements.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Column, Floats, take
from ...statistics.arguments.checks import check_weights
from ..thresholds.calibration import bin_scores, bin_sums, calibration, unseen_in_bins
from .classes import counted_rows
from .classification_measures import label_measures
from .classified_rows import ClassifiedRows, classified
from .curve_scores import calibrated, curve_scores
from .label_intervals import label_influences, of_means

_DIGITS = 9  # of an influence; equal rows have equal ones
_SORTED = ("_auc", "average_precision")  # scores that depend on the order of rows alone
_OF_TASK = ("threshold", "probabilities", "labels", "pos_label", "average")
_OF_LABELS = ("beta", "zero_division", "adjusted", "kappa_weights")
_OF_CURVES = ("multi_class", "max_fpr", "top_k")


def classification_influences(
    predictions: Column, references: Column, **options: Any
) -> dict[str, Floats]:
    """Return the influence of each row on scores, times the number of rows, but for a constant.

    Rows that are left out by `ignore_index` are NaN. Areas depend on the order of rows, so of two
    systems, one after the other, each has the ranks of its scores, which may differ in size.

    Args:
        predictions: as in `classification_scores`, like all other arguments, of system A and then
            of system B; options that do not change single scores have no effect.
        references: the same, twice.
        **options: those of `classification_scores`, with one value of `sample_weight` for each row.

    >>> values = classification_influences([0, 0, 1, 1] + [1, 1, 1, 1], [0, 1, 1, 1] * 2)
    >>> a, b = values["recall"][:4], values["recall"][4:]
    >>> round(float(a.mean() - b.mean()), 4)
    -0.3333
    """
    number = len(references)
    weights = check_weights("sample_weight", options.get("sample_weight"), number)
    counting = np.arange(number)
    if options.get("ignore_index") is not None:
        counting = counted_rows(references, options["ignore_index"])
        predictions, references = take(predictions, counting), take(references, counting)
        weights = None if weights is None else weights[counting]
    of_task, of_labels, of_curves = (
        {name: options[name] for name in names if name in options}
        for names in (_OF_TASK, _OF_LABELS, _OF_CURVES)
    )
    shares = np.ones(counting.size)
    if weights is not None:
        shares = weights * (counting.size / weights.sum())

    def of_scores(rows: ClassifiedRows) -> dict[str, Floats]:
        return {
            name: of_means(of_rows(), shares)
            for name, (value, of_rows) in curve_scores(rows, **of_curves).scores.items()
            if not isinstance(value, list) and not math.isnan(value)
        }

    rows = classified(predictions, references, weights, **of_task)
    values: dict[str, Floats] = {}
    if rows.scores is not None:
        values = of_scores(rows)
        ranks = np.concatenate([_ranks(half) for half in np.split(rows.scores.scores, 2)])
        if rows.task.average != "samples":
            ranked = of_scores(replace(rows, scores=replace(rows.scores, scores=ranks)))
            values |= {name: ranked[name] for name in ranked if name.endswith(_SORTED)}
    if rows.task.average != "none":
        values |= label_influences(rows, label_measures(rows, **of_labels), shares)
    columns = {name: np.full(number, np.nan) for name in values}
    for name, of_rows in values.items():
        columns[name][counting] = of_rows.round(_DIGITS)
    return columns


def _ranks(scores: Floats) -> Floats:
    """Return the ranks of all scores together, from 0 to 1; equal scores have equal ones.

    >>> _ranks(np.array([0.5, 3.0, 0.5])).round(2).tolist()
    [0.33, 0.83, 0.33]
    """
    _, positions, counts = np.unique(scores, return_inverse=True, return_counts=True)
    middles = (np.cumsum(counts) - counts / 2) / scores.size
    ranks: Floats = middles[positions].reshape(scores.shape)
    return ranks


def weighted_calibration(
    predictions: Column, references: Column, **options: Any
) -> tuple[Callable[[Floats], dict[str, Floats]], int]:
    """Return how calibration errors follow from weights of rows, and the number of unseen rows.

    These come after the rows: at the edges of each bin, positive and negative.

    >>> scores, unseen = weighted_calibration([0.3, 0.8], [0, 1], calibration_bins=2)
    >>> scores(np.eye(2 + unseen, 2).sum(axis=1, keepdims=True))["ece"].round(3)
    array([0.25])
    """
    kept = np.arange(len(references))
    if options.get("ignore_index") is not None:
        kept = counted_rows(references, options["ignore_index"])
    of_task = {name: options[name] for name in _OF_TASK if name in options}
    rows = classified(take(predictions, kept), take(references, kept), None, **of_task)
    columns: Any = rows.scores  # labels have no calibration
    scored = calibrated(rows, columns)
    strategy = options.get("calibration_strategy", "uniform")
    binned = calibration(scored.counts, options["calibration_bins"], strategy)
    of_rows, unseen = bin_sums(scored, binned)[0], unseen_in_bins(binned)
    table = np.zeros((len(references), unseen.shape[1]))
    table[kept] = of_rows.reshape(kept.size, -1, table.shape[1]).sum(axis=1)
    sums = np.concatenate([table, unseen]).T
    return lambda weights: bin_scores(sums @ weights), len(unseen)
