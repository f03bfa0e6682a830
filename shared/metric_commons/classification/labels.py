"""From columns of labels to their scores, by way of a table of how often each pair occurs."""

import math
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import numpy as np

from ..numbers.arrays import Column, Floats
from ..numbers.checks import check_weights
from ..numbers.contingency import ContingencyTable, contingency
from ..numbers.domains import Count, Level, Range, Seed, checked_options
from .classes import Classes, as_labels, classes
from .confusion import confusion_matrix, confusion_scores, label_counts, resampled_label_counts
from .multilabel import LabelIndicators


def label_table(
    predictions: Column,
    references: Column,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = None,
    sample_weight: Any = None,
) -> tuple[ContingencyTable | LabelIndicators, Classes]:
    """The table of references and predictions, and the labels of the task.

    Args:
        predictions: a label a row, or a row of 0 and 1; a row of one label is that label.
        references: the same; labels may be whole numbers in floats.
        labels: those to average over and to show; of rows of 0 and 1 their positions.
        pos_label: the positive label of two.
        average: how to average over labels.
        sample_weight: a finite number a row, at least 0; None weighs all alike.

    Raises:
        ValueError: a row or an option is not what it may be.

    >>> table, task = label_table([1, 0], [1.0, 1.0])
    >>> table.matrix().tolist(), task.labels
    ([[1, 1]], [0, 1])
    """
    options = {"labels": labels, "pos_label": pos_label, "average": average}
    if _has_one_label_a_row(predictions) and _has_one_label_a_row(references):
        predictions, references = np.ravel(predictions), np.ravel(references)
    if np.ndim(references[0]):
        indicators = LabelIndicators(predictions, references, sample_weight)
        positions = range(indicators.references.shape[1])
        if average == "binary":
            raise ValueError("average='binary' is of two labels, not of rows of several")
        task = classes([*positions], **options | {"average": average or "macro"})
        if task.all_labels != [*positions]:
            raise ValueError(f"labels are the positions 0 to {len(positions) - 1}, got {labels!r}")
        return indicators, task
    weights = check_weights("sample_weight", sample_weight, len(references))
    table = contingency(
        as_labels("references", references), as_labels("predictions", predictions), weights
    )
    return table, classes([*table.row_labels, *table.column_labels], **options)


def _has_one_label_a_row(column: Column) -> bool:
    """Whether the column holds rows, each of one label."""
    if isinstance(column, np.ndarray):
        return column.ndim == 2 and column.shape[1] == 1
    return isinstance(column[0], list) and set(map(len, column)) == {1}


Beta = Annotated[float, Range(0, infinite=True)]
ZeroDivision = Annotated[float, Range(0, 1, nan=True)]


@checked_options
def label_scores(
    table: ContingencyTable | LabelIndicators,
    task: Classes,
    *,
    further_scores: Mapping[str, Any] | None = None,
    beta: Beta = 1.0,
    zero_division: ZeroDivision = 0.0,
    confidence_level: Level | None = None,
    n_resamples: Count = 10_000,
    seed: Seed = 0,
) -> dict[str, Any]:
    """The scores of predicted labels, and the confusion matrix.

    Precision, recall, F, false positive rate and specificity are those of the positive label, or
    averages over the selected labels, or lists of them. The other scores are of all labels and
    rows. Every ratio is one of exact integers, or of sums of weights rounded once, and is itself
    rounded once.

    Args:
        table: how often references (rows) and predictions (columns) have which labels; or rows of
            several labels, which have no balanced accuracy, correlation and kappa.
        task: the labels, and how to average over them.
        further_scores: other scores of the same rows, to be returned with these.
        beta: `f_beta` gives recall beta times the weight of precision; it is a score of its own
            if beta is not 1.
        zero_division: the value of a ratio without a denominator: a number from 0 to 1, or NaN,
            which averages leave out. A false positive rate of 0 would be perfect: without negatives
            it is NaN unless `zero_division` is another number than 0.
        confidence_level: also return percentile intervals of each score, such as 0.95, under
            `confidence_interval`.
        n_resamples: how often the rows are resampled for them.
        seed: of the resampling.

    Raises:
        ValueError: an option is not what it may be.

    >>> table, task = label_table([0, 0, 1, 1, 0], [0, 1, 0, 1, 0])
    >>> scores = label_scores(table, task)
    >>> scores["accuracy"], scores["recall"], scores["confusion_matrix"]
    (0.6, 0.5, [[2, 1], [1, 1]])
    """
    if isinstance(table, LabelIndicators):
        counts, matrix = table.counts(), table.matrices[task.selection].tolist()
        resampled_counts = table.resampled_counts
    else:
        counts, matrix = label_counts(table, task), confusion_matrix(table, task)
        resampled_counts = partial(resampled_label_counts, table, task)
    measure = partial(
        confusion_scores,
        task=task,
        beta=beta,
        zero_division=zero_division,
        multilabel=isinstance(table, LabelIndicators),
    )
    result: dict[str, Any] = {name: score.tolist() for name, score in measure(counts).items()}
    result["confusion_matrix"] = matrix
    result["labels"] = task.labels
    result |= further_scores or {}
    if confidence_level is not None:
        resampled_scores = measure(resampled_counts(n_resamples=n_resamples, seed=seed))
        intervals = {
            name: _percentile_ends(values, confidence_level).tolist()
            for name, values in resampled_scores.items()
        }
        result["confidence_interval"] = intervals | result.pop("confidence_interval", {})
    return result


def _percentile_ends(values: Floats, level: float) -> Floats:
    """Both ends of the percentile interval of resampled scores, which are on the last axis.

    Resamples in which a score is not defined are left out.
    """
    tails = [(1 - level) / 2, (1 + level) / 2]
    ends = np.full((*values.shape[:-1], 2), math.nan)
    for index in np.ndindex(values.shape[:-1]):
        defined = values[index][~np.isnan(values[index])]
        if defined.size:
            ends[index] = np.quantile(defined, tails)
    return ends
