"""Predicted scores beside their references: of the positive label, or of each label of a row."""

from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Booleans, Column, Integers
from ...statistics.arguments.checks import OptionError, check_weights
from ...statistics.arithmetic.contingency import (
    ContingencyTable,
    contingency,
    encoded,
    whole_labels,
)
from ..thresholds.areas import OneVsRest, RowScores
from ..thresholds.score_rows import THRESHOLD, check_probabilities, check_range, finite_scores
from .classes import Classes, check_one_label, classes, score_classes
from .multilabel import LabelIndicators, has_one_label


class PredictedScores:
    """References with predicted scores of the positive label, or probabilities of each label.

    Args:
        predictions: one float per row; or rows of floats that add up to 1, one per label, in the
            order of `labels`, or of the sorted labels of the references.
        references: one label per row.
        threshold: rows with at least this score are predicted positive; must be given explicitly
            for scores outside 0 to 1. With several labels, the most probable one is predicted, the
            first in a tie.
        labels: as in `classes.classes`, like the following options.
        pos_label: the positive label, to which the scores refer.
        average: how to average over labels.
        sample_weight: one finite, non-negative number per row; None for equal weights.
        probabilities: whether rows of floats are probabilities; otherwise they are arbitrary
            scores, which have only areas.

    Raises:
        ValueError: scores, labels and options do not fit together; names the row if there is one.

    >>> predicted = PredictedScores(np.array([0.1, 0.7, 0.4]), [0, 1, 1])
    >>> predicted.table.matrix().tolist()
    [[1, 0], [1, 1]]

    """

    task: Classes
    table: ContingencyTable
    references: NDArray[Any]  # whether positive; with several labels, the column of each reference
    columns: Any

    def __init__(
        self,
        predictions: Column,
        references: Column,
        *,
        threshold: float = THRESHOLD,
        labels: Any = None,
        pos_label: Any = None,
        average: str | None = None,
        sample_weight: Any = None,
        probabilities: bool = True,
    ) -> None:
        self.probabilities = probabilities
        self._threshold = threshold
        self.columns = labels  # the labels of probability rows, in the order of their columns
        self.weights = check_weights("sample_weight", sample_weight, len(references))
        if has_one_label(references):
            references = np.ravel(references)
        references = whole_labels("references", references)
        self.scores, self._range = finite_scores(predictions)
        options = {"labels": labels, "pos_label": pos_label, "average": average}
        check_one_label(average)
        if self.binary:
            self._take_scores(references, threshold, options)
        else:
            self._take_probabilities(references, threshold, options)

    @property
    def binary(self) -> bool:
        """Return whether there is one score per row."""
        return self.scores.ndim == 1

    @cached_property
    def rows(self) -> RowScores:
        """Return the scores of a binary task."""
        return RowScores(self.scores, self.references, self.weights)

    @cached_property
    def one_vs_rest(self) -> OneVsRest:
        """Return the probabilities of several labels."""
        return OneVsRest(self.scores, self.references, self.weights)

    def label_positions(self) -> tuple[Integers, Integers]:
        """The positions of the reference and the prediction of each row in `task.all_labels`."""
        if not self.binary:
            columns = self.task.positions(self.columns)
            return columns[self.references], columns[self.scores.argmax(axis=1)]
        positive = self.task.positive or 0
        references, predictions = (
            np.where(is_positive, positive, 1 - positive)
            for is_positive in (self.references, self.scores >= self._threshold)
        )
        return references, predictions

    def _take_scores(self, references: Column, threshold: float, options: dict[str, Any]) -> None:
        table = contingency(references, self.scores >= threshold, self.weights)
        task = score_classes(table.row_labels, **options)
        positive = task.positive or 0
        check_range(self.scores, self._range, threshold)
        positions = [1 - positive, positive]  # of the labels for False and for True
        column_labels = [task.all_labels[positions[decision]] for decision in table.column_labels]
        present = {*table.row_labels, *column_labels}
        self.table = replace(table, column_labels=column_labels)
        self.task = replace(
            task, absent=frozenset(p for p in task.absent if task.all_labels[p] not in present)
        )
        if isinstance(references, np.ndarray) and references.dtype.kind in "biu":
            self.references = references == task.all_labels[positive]
        else:
            is_positive = map(task.all_labels[positive].__eq__, references)
            self.references = np.fromiter(is_positive, bool, len(references))

    def _take_probabilities(
        self, references: Column, threshold: float, options: dict[str, Any]
    ) -> None:
        present, codes = encoded(references)
        self.task = classes(present, references=present, **options)
        columns = present if options["labels"] is None else self.task.labels
        width = self.scores.shape[1]
        if width != len(columns):
            raise ValueError(
                f"predictions have {width} columns, but there are {len(columns)} labels; "
                "labels=[...] must name the label of each column"
            )
        self.columns = columns
        indices = {label: index for index, label in enumerate(columns)}
        for label in present:
            if label not in indices:
                raise ValueError(f"references hold {label!r}, which is not one of the labels")
        if self.probabilities:
            check_probabilities(self.scores)
        elif width == 2:
            raise OptionError(
                "probabilities",
                "False is for rows of three scores or more; of two labels, pass "
                "the score of the positive one",
            )
        if width == 2:
            # Each column belongs to a label, so that texts need no `pos_label`.
            if options["pos_label"] is None and isinstance(columns[0], str):
                options["pos_label"] = self.task.positive_label
            positive = columns.index(self.task.all_labels[self.task.positive or 0])
            self.scores = np.ascontiguousarray(self.scores[:, positive])
            self._take_scores(references, threshold, options)
            return
        self.references = np.array([indices[label] for label in present])[codes]
        table = contingency(self.references, self.scores.argmax(axis=1), self.weights)
        self.table = replace(
            table,
            row_labels=[columns[index] for index in table.row_labels],
            column_labels=[columns[index] for index in table.column_labels],
        )


class IndicatorScores:
    """References as rows of 0 and 1, and a predicted score for each label of a row.

    Args:
        predictions: a float for each label of each row.
        references: rows of 0 and 1.
        threshold: labels with at least this score are predicted; must be given explicitly for
            scores outside 0 to 1.
        labels: the positions of the labels to average over and to show; None for all.
        average: "macro", "micro", "weighted", "samples" or "none"; None for "macro".
        sample_weight: one finite, non-negative number per row; None for equal weights.

    Raises:
        ValueError: scores, labels and options do not fit together; names the row if there is one.

    >>> predicted = IndicatorScores([[0.1, 0.7], [0.4, 0.6]], [[0, 1], [1, 0]])
    >>> predicted.table.matrices.tolist()
    [[[1, 0], [1, 0]], [[0, 1], [0, 1]]]

    """

    task: Classes
    binary: Literal[False] = False
    probabilities = True  # whether all scores are from 0 to 1

    def __init__(
        self,
        predictions: Column,
        references: Column,
        *,
        threshold: float = THRESHOLD,
        labels: Any = None,
        average: str | None = None,
        sample_weight: Any = None,
    ) -> None:
        scores, ends = finite_scores(predictions)
        check_range(scores, ends, threshold)
        self.table = LabelIndicators(
            (scores >= threshold).view(np.uint8), references, sample_weight
        )
        self.task = self.table.task(labels=labels, average=average)
        selection = self.task.selection
        self.weights = self.table.weights
        self.columns = labels
        self.references: Booleans = self.table.references[:, selection] == 1
        self.one_vs_rest = OneVsRest(scores[:, selection], self.references, self.weights)
