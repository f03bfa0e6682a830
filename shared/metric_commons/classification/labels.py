"""From columns of labels to their scores, by way of a table of how often each pair occurs."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import numpy as np

from ..numbers.arrays import Column, Floats, Integers
from ..numbers.checks import check_weights
from ..numbers.contingency import ContingencyTable, contingency, encoded
from ..numbers.domains import Count, Level, Range, Seed, checked_options
from ..statistics.methods import Method
from ..statistics.summary import uncertainty
from .classes import Classes, as_labels, classes
from .confusion import confusion_matrix, confusion_scores, label_counts, resampled_label_counts
from .label_intervals import ClusteredCounts, Estimator, label_estimators
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


def label_positions(
    predictions: Column, references: Column, task: Classes
) -> tuple[Integers, Integers]:
    """For each row where its reference and its prediction are in `task.all_labels`.

    >>> _, task = label_table([1, 0], [1, 1])
    >>> [positions.tolist() for positions in label_positions([1, 0], [1, 1], task)]
    [[1, 1], [1, 0]]
    """
    if _has_one_label_a_row(predictions) and _has_one_label_a_row(references):
        predictions, references = np.ravel(predictions), np.ravel(references)

    def positions(name: str, column: Column) -> Integers:
        present, codes = encoded(as_labels(name, column))
        codes_of_task: Integers = task.positions(present)[codes]
        return codes_of_task

    return positions("references", references), positions("predictions", predictions)


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
    further_estimators: Mapping[str, Estimator] | None = None,
    clusters: ClusteredCounts | None = None,
    confidence_level: Level | None = None,
    interval: Method = "auto",
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
        further_estimators: of the other scores the functions that return their intervals.
        clusters: the counts of each cluster of rows; None if rows stand alone.
        confidence_level: also return intervals of each score, such as 0.95, under
            `confidence_interval`, with what comes beside them.
        interval: how, as in `statistics.interval`; "bootstrap" resamples rows, or clusters.
        n_resamples: how often they are resampled.
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
    names = list(result)
    result["confusion_matrix"] = matrix
    result["labels"] = task.labels
    result |= further_scores or {}
    weighted = table.weights is not None

    def resampled(n_resamples: int, seed: int) -> dict[str, Floats]:
        if clusters is not None:
            return measure(clusters.resampled(n_resamples, seed))
        return measure(resampled_counts(n_resamples=n_resamples, seed=seed))

    estimators = label_estimators(
        counts, task, names, weighted=weighted, clusters=clusters, resampled=resampled
    )
    return result | uncertainty(
        estimators | dict(further_estimators or {}),
        confidence_level=confidence_level,
        interval=interval,
        n_resamples=n_resamples,
        seed=seed,
    )
