"""Columns of labels, or of scores and true labels, read as a task of classification."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Column, Floats, Integers
from ...statistics.arguments.checks import OptionError, RowError
from ...statistics.arithmetic.contingency import (
    ContingencyTable,
    contingency,
    encoded,
    whole_labels,
)
from ..thresholds.areas import ColumnScores, RowScores
from ..thresholds.score_rows import (
    THRESHOLD,
    check_probabilities,
    check_range,
    finite_scores,
    is_scores,
)
from .classes import Classes, Distances, check_one_label, classes, score_classes
from .confusion import LabelCounts, exact_numbers, label_counts, label_matrix
from .multilabel import LabelIndicators, has_one_label

Codes = Callable[[], tuple[Integers, Integers]]
_NO_CODES: Integers = np.zeros(0, np.int64)  # of rows of several labels


@dataclass(frozen=True)
class ClassifiedRows:
    """True labels beside predicted ones, and the scores that these follow from.

    Args:
        table: the count of each pair of a reference (row) and a prediction (column); or rows of
            several labels.
        task: the labels.
        weights: of the rows; None if they are equal.
        codes: returns the positions of reference and prediction of each row in `task.all_labels`,
            unless rows have several labels.
        scores: of the positive label, or of each label; None if predictions are labels.
        columns: the option `labels`, or the labels of the columns of probabilities.
        probabilities: whether scores are from 0 to 1.

    """

    table: ContingencyTable | LabelIndicators
    task: Classes
    weights: Floats | None
    codes: Codes = lambda: (_NO_CODES, _NO_CODES)
    scores: ColumnScores | None = None
    columns: Any = None
    probabilities: bool = True

    @property
    def multilabel(self) -> bool:
        """Return whether rows have several labels."""
        return isinstance(self.table, LabelIndicators)

    @property
    def binary(self) -> RowScores | None:
        """Return the scores of the positive one of two labels; None if there are others."""
        if self.scores is None or self.multilabel or self.scores.scores.shape[1] > 1:
            return None
        return self.scores.by_label[0]

    @property
    def settled(self) -> dict[str, Any]:
        """Return the options of some of the rows, which have the labels of all."""
        task = self.task
        of_pair = {} if task.positive is None else {"pos_label": task.positive_label}
        return {"labels": self.columns, "average": task.average} | of_pair

    def counts(self, distances: Distances | None = None) -> LabelCounts:
        """Return the exact counts of all labels."""
        if isinstance(self.table, LabelIndicators):
            return self.table.counts()
        return label_counts(self.table, self.task, distances)

    def kinds(self, average: str) -> tuple[LabelCounts, NDArray[Any]] | None:
        """Return the kinds of rows of several labels and how many rows there are of each.

        None unless scores are averaged over rows.
        """
        if not isinstance(self.table, LabelIndicators) or average != "samples":
            return None
        kinds, codes = self.table.kinds(self.task)
        return kinds, exact_numbers(self.table.totals(codes, kinds.support.size))

    def matrix(self, task: Classes) -> NDArray[Any]:
        """Return the confusion matrix of the selected labels, or one for each label of rows."""
        if isinstance(self.table, LabelIndicators):
            matrices: NDArray[Any] = self.table.matrices[task.selection]
            return matrices
        return label_matrix(self.table, task)


def classified(
    predictions: Column,
    references: Column,
    weights: Floats | None = None,
    *,
    threshold: float = THRESHOLD,
    probabilities: bool = True,
    labels: Any = None,
    pos_label: Any = None,
    average: str | None = None,
) -> ClassifiedRows:
    """Return rows of labels, of 0 and 1 for each label, of scores or of probabilities.

    Args:
        predictions: one label per row, or rows of 0 and 1; a float per row, the score of the
            positive label, or rows of floats, one per label, in the order of `labels`, or of the
            sorted labels of the references. A row of one label is that label.
        references: one label per row, also whole numbers stored as floats; or rows of 0 and 1.
        weights: of the rows, checked; None for equal weights.
        threshold: rows with at least this score are predicted positive; must be given explicitly
            for scores outside 0 to 1. With several labels, the most probable one is predicted, the
            first in a tie.
        probabilities: whether rows of floats add up to 1; otherwise they have only areas.
        labels: as in `classes.classes`, like the following options; of rows of 0 and 1 their
            positions.
        pos_label: the positive label, to which single scores refer.
        average: how to average over labels.

    Raises:
        ValueError: rows and options do not fit together; names the row if there is one.

    >>> rows = classified(np.array([0.1, 0.7, 0.4]), [0, 1, 1])
    >>> rows.table.matrix().tolist(), rows.task.labels
    ([[1, 0], [1, 1]], [0, 1])
    """
    options = {"labels": labels, "pos_label": pos_label, "average": average}
    is_flat = has_one_label(references)
    several = bool(np.ndim(references[0])) and not is_flat
    if not is_scores(predictions):
        if is_flat and has_one_label(predictions):
            predictions, references = np.ravel(predictions), np.ravel(references)
        if np.ndim(references[0]):
            return _indicators(LabelIndicators(predictions, references, weights), labels, average)
        return _labels(predictions, references, weights, options)
    if not several:
        check_one_label(average)
        references = whole_labels("references", np.ravel(references) if is_flat else references)
    scores, ends = finite_scores(predictions)
    if several:
        check_range(scores, ends, threshold)
        table = LabelIndicators((scores >= threshold).view(np.uint8), references, weights)
        rows = _indicators(table, labels, average)
        shown = rows.task.selection
        columns = ColumnScores(scores[:, shown], table.references[:, shown] == 1, weights)
        return replace(rows, scores=columns)
    names: Any = None
    if scores.ndim == 2:
        task, names, codes = _columns_of_labels(scores, references, options)
        if probabilities:
            check_probabilities(scores)
        elif scores.shape[1] == 2:
            raise OptionError(
                "probabilities",
                "False is for rows of three scores or more; of two labels, pass "
                "the score of the positive one",
            )
        if scores.shape[1] > 2:
            return _probabilities(scores, codes, weights, task, names, probabilities)
        # Each column belongs to a label, so that texts need no `pos_label`.
        if pos_label is None and isinstance(names[0], str):
            options["pos_label"] = task.positive_label
        positive = names.index(task.all_labels[task.positive or 0])
        scores = np.ascontiguousarray(scores[:, positive])
    rows = _scores(scores, references, weights, threshold, options)
    check_range(scores, ends, threshold)
    return replace(rows, columns=labels if names is None else names)


def _labels(
    predictions: Column, references: Column, weights: Floats | None, options: dict[str, Any]
) -> ClassifiedRows:
    check_one_label(options["average"])
    if isinstance(references[0], str) and not isinstance(predictions[0], str):
        raise RowError(
            "predictions",
            0,
            f"is {predictions[0]}, a number, but references are texts, such as {references[0]!r}; "
            "pass both as the same type, or floats for scores",
        )
    columns = whole_labels("references", references), whole_labels("predictions", predictions)
    table = contingency(*columns, weights)
    present = [*table.row_labels, *table.column_labels]
    task = classes(present, references=table.row_labels, **options)

    def codes() -> tuple[Integers, Integers]:
        references, predictions = (
            task.positions(present)[codes] for present, codes in map(encoded, columns)
        )
        return references, predictions

    return ClassifiedRows(table, task, weights, codes, columns=options["labels"])


def _indicators(indicators: LabelIndicators, labels: Any, average: str | None) -> ClassifiedRows:
    task = indicators.task(labels=labels, average=average)
    return ClassifiedRows(indicators, task, indicators.weights, columns=labels)


def _scores(
    scores: Floats,
    references: Column,
    weights: Floats | None,
    threshold: float,
    options: dict[str, Any],
) -> ClassifiedRows:
    """Return rows of scores of the positive label."""
    table = contingency(references, scores >= threshold, weights)
    task = score_classes(table.row_labels, **options)
    positive = task.positive or 0
    label = task.all_labels[positive]
    # The labels for False and for True
    column_labels = [task.all_labels[1 - positive], label]
    table = replace(table, column_labels=[column_labels[found] for found in table.column_labels])
    present = {*table.row_labels, *table.column_labels}
    absent = frozenset(p for p in task.absent if task.all_labels[p] not in present)
    if isinstance(references, np.ndarray) and references.dtype.kind in "biu":
        is_positive = references == label
    else:
        is_positive = np.fromiter(map(label.__eq__, references), bool, len(references))

    def codes() -> tuple[Integers, Integers]:
        references, predictions = (
            np.where(column, positive, 1 - positive)
            for column in (is_positive, scores >= threshold)
        )
        return references, predictions

    columns = ColumnScores(scores[:, np.newaxis], is_positive[:, np.newaxis], weights)
    return ClassifiedRows(table, replace(task, absent=absent), weights, codes, columns)


def _columns_of_labels(
    scores: Floats, references: Column, options: dict[str, Any]
) -> tuple[Classes, list[Any], Integers]:
    """Return the task, the label of each column, and the column of each reference."""
    present, codes = encoded(references)
    task = classes(present, references=present, **options)
    names = present if options["labels"] is None else task.labels
    if scores.shape[1] != len(names):
        raise ValueError(
            f"predictions have {scores.shape[1]} columns, but there are {len(names)} labels; "
            "labels=[...] must name the label of each column"
        )
    indices = {label: index for index, label in enumerate(names)}
    for label in present:
        if label not in indices:
            raise ValueError(f"references hold {label!r}, which is not one of the labels")
    return task, names, np.array([indices[label] for label in present])[codes]


def _probabilities(
    scores: Floats,
    references: Integers,
    weights: Floats | None,
    task: Classes,
    names: list[Any],
    probabilities: bool,
) -> ClassifiedRows:
    """Return rows of probabilities of three labels or more."""
    predictions = scores.argmax(axis=1)
    table = contingency(references, predictions, weights)
    table = replace(
        table,
        row_labels=[names[index] for index in table.row_labels],
        column_labels=[names[index] for index in table.column_labels],
    )
    columns = ColumnScores(scores, references, weights)

    def codes() -> tuple[Integers, Integers]:
        positions = task.positions(names)
        return positions[references], positions[predictions]

    return ClassifiedRows(table, task, weights, codes, columns, names, probabilities)
