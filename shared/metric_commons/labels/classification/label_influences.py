"""Influences of rows on scores of classification, by which systems are compared.

Those on a mean of rows, such as accuracy, are the scores of rows but for a constant; those on the
area under the ROC curve are DeLong's placements.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Column, Floats, take
from ...statistics.arguments.checks import check_weights
from ..thresholds.calibration import BinSums, bin_scores, calibration
from ..thresholds.score_rows import THRESHOLD
from .classes import LabelDistances, counted_rows
from .classification_measures import Tabulated, positions_of_rows, tabulated
from .confusion import confusion_scores
from .curve_scores import calibrated, curve_scores
from .label_intervals import cell_counters, counts_of, indicator_counters, scores_of_kinds
from .multilabel import LabelIndicators, kinds_of_rows

_STEP = 1e-4  # of a row, in numerical slopes
_DIGITS = 9  # of an influence; equal rows have equal ones
_SORTED = ("_auc", "average_precision")  # scores that depend on the order of rows alone
_OF_BINS = ("ece", "mce")  # which are not smooth in the rows
_OF_LABELS = ("labels", "pos_label", "average")
_OF_CURVES = ("multi_class", "max_fpr", "top_k", "calibration_bins", "calibration_strategy")


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
    rows, number = np.arange(len(references)), len(references)
    weights = check_weights("sample_weight", options.get("sample_weight"), rows.size)
    if options.get("ignore_index") is not None:
        rows = counted_rows(references, options["ignore_index"])
        predictions, references = take(predictions, rows), take(references, rows)
        weights = None if weights is None else weights[rows]

    def rows_of_task(predicted: Column, probabilities: bool) -> Tabulated:
        return tabulated(
            predicted,
            references,
            threshold=options.get("threshold", THRESHOLD),
            probabilities=probabilities,
            sample_weight=weights,
            **{name: options.get(name) for name in _OF_LABELS},
        )

    of_curves = {name: options[name] for name in _OF_CURVES if name in options}

    def of_scores(table: Tabulated) -> dict[str, Floats]:
        return {
            name: rows.size * influences().reshape(rows.size, -1).sum(axis=1)
            for name, (score, influences) in curve_scores(table[0], **of_curves).scores.items()
            if not isinstance(score, list) and name not in _OF_BINS
        }

    table = rows_of_task(predictions, options.get("probabilities", True))
    values = of_scores(table)
    shape = np.shape(predictions) if values else ()
    if values and options.get("average") != "samples" and (len(shape) == 1 or shape[1] > 2):
        halves = np.split(np.asarray(predictions, np.float64), 2)
        ranks = np.concatenate([_ranks(scores) for scores in halves])
        of_ranks = of_scores(rows_of_task(ranks, len(shape) == 1))
        values |= {name: v for name, v in of_ranks.items() if name.endswith(_SORTED)}
    if table[2].average != "none":
        values |= _label_values(predictions, references, table, weights, options)
    columns = {name: np.full(number, np.nan) for name in values}
    for name, of_rows in values.items():
        columns[name][rows] = of_rows.round(_DIGITS)
    return columns


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
    given: dict[str, Any] = {"threshold": THRESHOLD, "probabilities": True}
    given |= {name: options[name] for name in (*given, *_OF_LABELS) if name in options}
    predicted: Any = tabulated(take(predictions, kept), take(references, kept), **given)[0]
    rows = calibrated(predicted)
    strategy = options.get("calibration_strategy", "uniform")
    sums = BinSums.of(rows, calibration(rows.counts, options["calibration_bins"], strategy))
    table = np.zeros((len(references), sums.table.shape[1]))
    table[kept] = sums.table.reshape(kept.size, -1, table.shape[1]).sum(axis=1)
    columns = np.concatenate([table, sums.unseen])
    return lambda weights: bin_scores(columns.T @ weights), len(sums.unseen)


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
    """Return the influences on scores of labels, from their slopes in the counts."""
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
        values[name] = number * shares * slopes[cells]
    values["accuracy"] = _of_means(counters[cells, -3], shares)
    return values


def _of_means(scores: Floats, shares: Floats) -> Floats:
    """Return the influences on a mean of rows; rows that do not count, which are NaN, have none.

    >>> _of_means(np.array([1.0, 0.0, np.nan]), np.ones(3)).tolist()
    [0.75, -0.75, 0.0]
    """
    counting = ~np.isnan(scores)
    shares = np.where(counting, shares, 0.0)
    if not shares.any():
        return scores
    shares = shares * (scores.size / shares.sum())
    mean = float(np.where(counting, scores, 0.0) @ shares) / scores.size
    return np.where(counting, shares * (scores - mean), 0.0)
