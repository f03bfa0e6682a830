"""Rows with any number of labels: a 0 or 1 for each label, counted label by label."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Column, Floats, Integers
from ...statistics.arguments.checks import RowError, check_widths
from ...statistics.arithmetic.exact_sums import group_sums
from .classes import Classes, classes
from .confusion import LabelCounts, exact_numbers


class LabelIndicators:
    """References and predictions as rows of zeros and ones, one for each label.

    Args:
        predictions: rows of 0 and 1, shape (rows, labels); or lists of them.
        references: the same.
        weights: of the rows; None for equal weights.

    Raises:
        ValueError: rows have different lengths, or a number is not 0 or 1; names the row.

    >>> indicators = LabelIndicators([[0, 1], [1, 1]], [[0, 1], [0, 1]])
    >>> indicators.matrices.tolist()
    [[[1, 1], [0, 0]], [[0, 0], [0, 2]]]
    >>> LabelIndicators([[0, 1]], [[0, 2]])
    Traceback (most recent call last):
    ValueError: references[0][1] is 2; each label is 0 or 1

    """

    def __init__(
        self, predictions: Column, references: Column, weights: Floats | None = None
    ) -> None:
        self.predictions = _indicators("predictions", predictions)
        self.references = _indicators("references", references)
        self.weights = weights
        widths = self.predictions.shape[1], self.references.shape[1]
        if widths[0] != widths[1]:
            raise ValueError(
                f"predictions have {widths[0]} labels per row, references {widths[1]}; "
                "the numbers must be equal"
            )

    def task(self, *, labels: Any = None, average: str | None = None) -> Classes:
        """Return the labels, identified by their positions in a row, and the kind of average.

        Raises:
            ValueError: a label is not such a position, or the average is for two labels.
        """
        positions = range(self.references.shape[1])
        if average == "binary":
            raise ValueError("average='binary' needs two labels, not rows of several")
        if labels is not None and not set(labels) <= set(positions):
            raise ValueError(f"labels are the positions 0 to {len(positions) - 1}, got {labels!r}")
        return classes([*positions], labels=labels, average=average or "macro")

    @cached_property
    def matrices(self) -> NDArray[Any]:
        """Return the confusion matrix of each label, shape (labels, 2, 2); rows are references."""
        cells = (2 * self.references + self.predictions).T
        return np.array([self.totals(column, 4).reshape(2, 2) for column in cells])

    def counts(self) -> LabelCounts:
        """Return the exact counts of the labels."""
        matrices = exact_numbers(self.matrices)
        correct = (self.references == self.predictions).all(axis=1)
        return LabelCounts(
            true_positives=matrices[:, 1, 1],
            support=matrices[:, 1].sum(axis=1),
            predicted_positives=matrices[:, :, 1].sum(axis=1),
            negatives=matrices[:, 0].sum(axis=1),
            correct=exact_numbers(self.totals(correct.view(np.uint8), 2)[1:]).sum(),
            total=matrices[0].sum(),
        )

    def totals(self, codes: NDArray[Any], size: int) -> NDArray[Any]:
        """Return how many rows have each code from 0 to `size` - 1, or the sum of their weights."""
        if self.weights is None:
            return np.bincount(codes, minlength=size)
        return group_sums(self.weights, codes, size)

    def kinds(self, task: Classes) -> tuple[LabelCounts, Integers]:
        """Return the counts of the selected labels in each kind of row, and the kind of each row.

        >>> indicators = LabelIndicators([[1, 0], [0, 1]], [[1, 1], [0, 1]])
        >>> counts, kinds = indicators.kinds(indicators.task())
        >>> counts.support.tolist(), kinds.tolist()
        ([1.0, 2.0], [1, 0])
        """
        selection = task.selection
        references, predictions = self.references[:, selection], self.predictions[:, selection]
        columns = [
            rows.sum(axis=1, dtype=np.int64)
            for rows in (references & predictions, references, predictions)
        ]
        distinct, kinds = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
        hits, support, predicted = distinct.T.astype(np.float64)
        of_labels = np.full(len(distinct), float(len(selection)))
        counts = LabelCounts(hits, support, predicted, of_labels - support, hits, of_labels)
        return counts, kinds.reshape(-1)


def has_one_label(column: Column) -> bool:
    """Return whether the column holds rows with exactly one label each."""
    if isinstance(column, np.ndarray):
        return column.ndim == 2 and column.shape[1] == 1
    return isinstance(column[0], list) and set(map(len, column)) == {1}


def _indicators(name: str, rows: Column) -> NDArray[np.uint8]:
    """Return rows of zeros and ones as an array, shape (rows, labels)."""
    check_widths(name, rows, "labels")
    array = np.asarray(rows)
    if array.ndim != 2 or not array.shape[1]:
        raise ValueError(f"{name}[0] has no labels; a row holds a 0 or 1 for each label")
    wrong = (array != 0) & (array != 1)
    if wrong.any():
        row, label = divmod(int(wrong.argmax()), array.shape[1])
        raise RowError(name, row, f"[{label}] is {array[row, label]}; each label is 0 or 1")
    return array.astype(np.uint8)
