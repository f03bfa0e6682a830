"""Scores of columns of labels, computed from the counts of pairs."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from ...statistics.arguments.arrays import Column, Integers
from ...statistics.arguments.checks import OptionError, RowError, check_weights
from ...statistics.arguments.domains import Level, Range, Resamples, Seed, checked_options
from ...statistics.arithmetic.contingency import (
    ContingencyTable,
    contingency,
    encoded,
    whole_labels,
)
from ...statistics.intervals.methods import Method
from ...statistics.intervals.summary import Estimator, uncertainty
from .classes import Classes, KappaWeights, LabelDistances, check_one_label, classes
from .confusion import (
    Matrix,
    confusion_scores,
    label_counts,
    label_matrix,
    label_report,
    shown_matrix,
)
from .label_intervals import (
    LabelClusters,
    label_estimators,
)
from .multilabel import LabelIndicators, has_one_label


def label_table(
    predictions: Column,
    references: Column,
    *,
    labels: Any = None,
    pos_label: Any = None,
    average: str | None = None,
    sample_weight: Any = None,
) -> tuple[ContingencyTable | LabelIndicators, Classes]:
    """Return the table of references and predictions, and the labels of the task.

    Args:
        predictions: one label per row, or rows of 0 and 1; a row of one label is that label.
        references: the same; labels may be whole numbers stored as floats.
        labels: the labels to average over and to show; for rows of 0 and 1, their positions.
        pos_label: the positive label of two; None as in `classes.classes`.
        average: how to average over labels.
        sample_weight: one finite, non-negative number per row; None for equal weights.

    Raises:
        ValueError: a row or an option is not valid.

    >>> table, task = label_table([1, 0], [1.0, 1.0])
    >>> table.matrix().tolist(), task.labels
    ([[1, 1]], [0, 1])
    """
    options = {"labels": labels, "pos_label": pos_label, "average": average}
    if has_one_label(predictions) and has_one_label(references):
        predictions, references = np.ravel(predictions), np.ravel(references)
    if np.ndim(references[0]):
        indicators = LabelIndicators(predictions, references, sample_weight)
        return indicators, indicators.task(labels=labels, average=average)
    check_one_label(average)
    weights = check_weights("sample_weight", sample_weight, len(references))
    if isinstance(references[0], str) and not isinstance(predictions[0], str):
        raise RowError(
            "predictions",
            0,
            f"is {predictions[0]}, a number, but references are texts, such as {references[0]!r}; "
            "pass both as the same type, or floats for scores",
        )
    table = contingency(
        whole_labels("references", references), whole_labels("predictions", predictions), weights
    )
    labels_present = [*table.row_labels, *table.column_labels]
    return table, classes(labels_present, references=table.row_labels, **options)


def label_positions(
    predictions: Column, references: Column, task: Classes
) -> tuple[Integers, Integers]:
    """Return the positions of the reference and the prediction of each row in `task.all_labels`.

    >>> _, task = label_table([1, 0], [1, 1])
    >>> [positions.tolist() for positions in label_positions([1, 0], [1, 1], task)]
    [[1, 1], [1, 0]]
    """
    if has_one_label(predictions) and has_one_label(references):
        predictions, references = np.ravel(predictions), np.ravel(references)

    def positions(name: str, column: Column) -> Integers:
        present, codes = encoded(whole_labels(name, column))
        codes_of_task: Integers = task.positions(present)[codes]
        return codes_of_task

    return positions("references", references), positions("predictions", predictions)


Beta = Annotated[float, Range(0, infinite=True)]
ZeroDivision = Annotated[float, Range(0, 1, nan=True)]


@checked_options
def label_scores(
    table: ContingencyTable | LabelIndicators,
    task: Classes,
    *,
    further_scores: Mapping[str, Any] | None = None,
    confusion_matrix: Matrix = False,
    report: bool = False,
    beta: Beta = 1.0,
    zero_division: ZeroDivision = 0.0,
    adjusted: bool = False,
    kappa_weights: KappaWeights | None = None,
    further_estimators: Mapping[str, Estimator] | None = None,
    clusters: LabelClusters | None = None,
    confidence_level: Level | None = None,
    interval: Method = "auto",
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
) -> dict[str, Any]:
    """Return the scores of predicted labels and, on request, the confusion matrix.

    Precision, recall, F, false positive rate and specificity are for the positive label, or
    averages over the selected labels, or lists of them. The other scores are over all labels and
    rows. Every ratio is one of exact integers, or of sums of weights rounded once, and is itself
    rounded once.

    Args:
        table: the count of each pair of a reference (row) and a prediction (column); or rows of
            several labels, which have no balanced accuracy, correlation and kappa.
        task: the labels, and the kind of average.
        further_scores: other scores of the same rows, to be added to the result.
        confusion_matrix: also return `confusion_matrix` and its `labels`, as in `shown_matrix`.
        report: also return `report`, the scores of each label and their averages.
        beta: `f_beta` gives recall beta times the weight of precision; it is a score of its own
            if beta is not 1.
        zero_division: the value of a ratio without a denominator: a number from 0 to 1, or NaN,
            which averages leave out. A false positive rate of 0 would be perfect: without negatives
            it is NaN unless `zero_division` is another number than 0.
        adjusted: whether the balanced accuracy of chance is 0.
        kappa_weights: the weight of a wrong label in kappa: the number of steps in the order of
            `labels`, "linear", or its square, "quadratic"; None for equal weights.
        further_estimators: the functions that return the intervals of the other scores.
        clusters: the counts of each cluster of rows; None if rows are independent.
        confidence_level: also return intervals of each score, such as 0.95, under
            `confidence_interval`, with the accompanying keys.
        interval: the method, as in `statistics.interval`; "bootstrap" resamples rows, or clusters.
            Scores that do not support a method have that of "auto".
        n_resamples: the number of resamples.
        seed: for the resampling.

    Raises:
        ValueError: an option is not valid.

    >>> table, task = label_table([0, 0, 1, 1, 0], [0, 1, 0, 1, 0])
    >>> scores = label_scores(table, task, confusion_matrix=True)
    >>> scores["accuracy"], scores["recall"], scores["confusion_matrix"]
    (0.6, 0.5, [[2, 1], [1, 1]])
    """
    multilabel = isinstance(table, LabelIndicators)
    if multilabel and (adjusted or kappa_weights is not None):
        raise OptionError(
            "adjusted" if adjusted else "kappa_weights", "needs one label per row, not several"
        )
    distances = None if kappa_weights is None else LabelDistances.of_task(task, kappa_weights)
    if task.average == "none":  # as in scikit-learn, a list has no label that is in no row
        present = [position for position in task.selection if position not in task.absent]
        task = replace(task, selection=present)
    counts = (
        table.counts()
        if isinstance(table, LabelIndicators)
        else label_counts(table, task, distances)
    )
    kinds = table.row_kinds(task) if isinstance(table, LabelIndicators) else None
    measure = partial(
        confusion_scores,
        task=task,
        beta=beta,
        zero_division=zero_division,
        multilabel=multilabel,
        adjusted=adjusted,
        distances=distances,
    )
    scores = measure(counts, kinds=kinds)
    result: dict[str, Any] = {name: score.tolist() for name, score in scores.items()}
    if task.average == "none":
        support = counts.select(task.selection).support.tolist()
        result["support"] = support if counts.is_whole else [*map(float, support)]
    result |= further_scores or {}
    if confusion_matrix is not False:
        matrix = (
            table.matrices[task.selection]
            if isinstance(table, LabelIndicators)
            else label_matrix(table, task)
        )
        result["confusion_matrix"] = shown_matrix(matrix, confusion_matrix).tolist()
    if report:
        rows = None
        if isinstance(table, LabelIndicators):
            rows = table.row_kinds(replace(task, average="samples"))
        result["report"] = label_report(counts, task, rows, zero_division)
    if confusion_matrix is not False or any(isinstance(score, list) for score in result.values()):
        result["labels"] = task.labels
    if confidence_level is None:
        return result
    estimators = label_estimators(
        table,
        task,
        counts,
        measure,
        {name: result[name] for name in scores},
        clusters=clusters,
        distances=distances,
        adjusted=adjusted,
    )
    return result | uncertainty(
        estimators | dict(further_estimators or {}),
        confidence_level=confidence_level,
        interval=interval,
        n_resamples=n_resamples,
        seed=seed,
    )
