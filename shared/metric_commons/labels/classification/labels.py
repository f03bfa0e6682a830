"""Scores of columns of labels, computed from the counts of pairs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Annotated, Any

import numpy as np

from ...statistics.arguments.arrays import Column, Floats, Integers
from ...statistics.arguments.checks import OptionError, RowError, check_weights
from ...statistics.arguments.domains import Range
from ...statistics.arithmetic.contingency import (
    ContingencyTable,
    contingency,
    encoded,
    whole_labels,
)
from .classes import Classes, KappaWeights, LabelDistances, check_one_label, classes
from .confusion import (
    LabelCounts,
    Matrix,
    confusion_scores,
    label_counts,
    label_matrix,
    label_report,
    shown_matrix,
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


@dataclass(frozen=True)
class LabelMeasures:
    """The scores of predicted labels, and their options.

    Precision, recall, F, false positive rate and specificity are for the positive label, or
    averages over the selected labels, or lists of them. The other scores are over all labels and
    rows. Every ratio is one of exact integers, or of sums of weights rounded once, and is itself
    rounded once.

    Args:
        table: the count of each pair of a reference (row) and a prediction (column); or rows of
            several labels, which have no balanced accuracy, correlation and kappa.
        task: the labels, and the kind of average.
        beta: `f_beta` gives recall beta times the weight of precision; it is a score of its own
            if beta is not 1.
        zero_division: the value of a ratio without a denominator: a number from 0 to 1, or NaN,
            which averages leave out. A false positive rate of 0 would be perfect: without negatives
            it is NaN unless `zero_division` is another number than 0.
        adjusted: whether the balanced accuracy of chance is 0.
        kappa_weights: the weight of a wrong label in kappa: the number of steps in the order of
            `labels`, "linear", or its square, "quadratic"; None for equal weights.
    """

    table: ContingencyTable | LabelIndicators
    task: Classes
    beta: float = 1.0
    zero_division: float = 0.0
    adjusted: bool = False
    kappa_weights: KappaWeights | None = None
    distances: LabelDistances | None = field(init=False, default=None)  # for a weighted kappa

    def __post_init__(self) -> None:
        if self.is_multilabel and (self.adjusted or self.kappa_weights is not None):
            name = "adjusted" if self.adjusted else "kappa_weights"
            raise OptionError(name, "needs one label per row, not several")
        weights = self.kappa_weights
        distances = None if weights is None else LabelDistances.of_task(self.task, weights)
        object.__setattr__(self, "distances", distances)
        if self.task.average == "none":  # as in scikit-learn, a list has no label that no row has
            absent = self.task.absent
            present = [position for position in self.task.selection if position not in absent]
            object.__setattr__(self, "task", replace(self.task, selection=present))

    @property
    def is_multilabel(self) -> bool:
        """Return whether rows have several labels."""
        return isinstance(self.table, LabelIndicators)

    @cached_property
    def counts(self) -> LabelCounts:
        """Return the exact counts of all labels."""
        if isinstance(self.table, LabelIndicators):
            return self.table.counts()
        return label_counts(self.table, self.task, self.distances)

    @cached_property
    def measure(self) -> Callable[..., dict[str, Floats]]:
        """Return the function from counts to scores."""
        return partial(
            confusion_scores,
            task=self.task,
            beta=self.beta,
            zero_division=self.zero_division,
            multilabel=self.is_multilabel,
            adjusted=self.adjusted,
            distances=self.distances,
        )

    @cached_property
    def scores(self) -> dict[str, Any]:
        """Return the scores: numbers, or lists of them."""
        table = self.table
        kinds = table.row_kinds(self.task) if isinstance(table, LabelIndicators) else None
        found = self.measure(self.counts, kinds=kinds)
        return {name: score.tolist() for name, score in found.items()}

    def result(
        self,
        further_scores: Mapping[str, Any],
        *,
        confusion_matrix: Matrix = False,
        report: bool = False,
    ) -> dict[str, Any]:
        """Return the scores, with the confusion matrix and the report if they are requested.

        Args:
            further_scores: other scores of the same rows.
            confusion_matrix: also return it and its `labels`, as in `shown_matrix`.
            report: also return the scores of each label and their averages.
        """
        table, task, result = self.table, self.task, dict(self.scores)
        if task.average == "none":
            support = self.counts.select(task.selection).support.tolist()
            result["support"] = support if self.counts.is_whole else [*map(float, support)]
        result |= further_scores
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
            result["report"] = label_report(self.counts, task, rows, self.zero_division)
        is_listed = any(isinstance(score, list) for score in result.values())
        if confusion_matrix is not False or is_listed:
            result["labels"] = task.labels
        return result


def label_scores(
    table: ContingencyTable | LabelIndicators,
    task: Classes,
    *,
    confusion_matrix: Matrix = False,
    report: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """Return the scores of predicted labels and, on request, the confusion matrix.

    Args:
        table: as in `LabelMeasures`, like the options.
        task: the labels, and the kind of average.
        confusion_matrix: as in `LabelMeasures.result`.
        report: the same.
        **options: those of `LabelMeasures`.

    >>> table, task = label_table([0, 0, 1, 1, 0], [0, 1, 0, 1, 0])
    >>> scores = label_scores(table, task, confusion_matrix=True)
    >>> scores["accuracy"], scores["recall"], scores["confusion_matrix"]
    (0.6, 0.5, [[2, 1], [1, 1]])
    """
    measures = LabelMeasures(table, task, **options)
    return measures.result({}, confusion_matrix=confusion_matrix, report=report)
