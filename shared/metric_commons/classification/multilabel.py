"""Rows with any number of labels: a 0 or 1 for each label, counted label by label."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Booleans, Column, Floats, Integers
from ..numbers.checks import RowError, check_weights
from ..numbers.exact_sums import group_sums
from .confusion import LabelCounts, exact_numbers, resampled_counts


class LabelIndicators:
    """References and predictions as rows of zeros and ones, one for each label.

    Args:
        predictions: rows of 0 and 1, shape (rows, labels); or lists of them.
        references: the same.
        sample_weight: a finite number a row, at least 0; None weighs all alike.

    Raises:
        ValueError: rows of unequal length, or a number that is not 0 or 1; names the row.

    >>> indicators = LabelIndicators([[0, 1], [1, 1]], [[0, 1], [0, 1]])
    >>> indicators.matrices.tolist()
    [[[1, 1], [0, 0]], [[0, 0], [0, 2]]]
    >>> LabelIndicators([[0, 1]], [[0, 2]])
    Traceback (most recent call last):
    ValueError: references[0][1] is 2; each label is 0 or 1

    """

    def __init__(self, predictions: Column, references: Column, sample_weight: Any = None) -> None:
        self.predictions = _indicator_matrix("predictions", predictions)
        self.references = _indicator_matrix("references", references)
        self.weights = check_weights("sample_weight", sample_weight, len(self.references))
        widths = self.predictions.shape[1], self.references.shape[1]
        if widths[0] != widths[1]:
            raise ValueError(
                f"predictions have {widths[0]} labels a row, references {widths[1]}; "
                "they must have the same"
            )

    @cached_property
    def matrices(self) -> NDArray[Any]:
        """The confusion matrix of each label, shape (labels, 2, 2); references are rows."""
        cells = (2 * self.references + self.predictions).T
        return np.array([_totals(column, self.weights, 4).reshape(2, 2) for column in cells])

    def counts(self) -> LabelCounts:
        """The counts of the labels, as exact numbers."""
        matrices = exact_numbers(self.matrices)
        correct = (self.references == self.predictions).all(axis=1)
        return LabelCounts(
            true_positives=matrices[:, 1, 1],
            support=matrices[:, 1].sum(axis=1),
            predicted_positives=matrices[:, :, 1].sum(axis=1),
            negatives=matrices[:, 0].sum(axis=1),
            correct=exact_numbers(_totals(correct.view(np.uint8), self.weights, 2)[1:]).sum(),
            total=matrices[0].sum(),
        )

    def resampled_counts(self, *, n_resamples: int, seed: int) -> LabelCounts:
        """The counts of resamples of the rows, float64."""
        size = self.references.shape[1]
        weights = np.ones(len(self.references)) if self.weights is None else self.weights
        kinds, occurrences = np.unique(
            np.column_stack([self.references, self.predictions, weights]),
            axis=0,
            return_counts=True,
        )
        references, predictions = kinds[:, :size] == 1, kinds[:, size:-1] == 1
        correct = (references == predictions).all(axis=1)
        positions = _counter_positions(references & predictions, references, predictions, correct)
        return resampled_counts(
            occurrences,
            positions,
            size,
            None if self.weights is None else kinds[:, -1],
            n_resamples=n_resamples,
            seed=seed,
        )


def _counter_positions(
    true_positives: Booleans, references: Booleans, predictions: Booleans, correct: Booleans
) -> Integers:
    """The counters that rows of each kind add to, as `resampled_counts` has them.

    All kinds have as many counters: where a kind does not add to a counter, it adds to the ignored
    one at the end.
    """
    adds = np.column_stack(
        [true_positives, references, predictions, correct, np.ones(len(correct), bool)]
    )
    ignored = adds.shape[1]
    positions: Integers = np.where(adds, np.arange(ignored), ignored)
    return positions


def _totals(codes: NDArray[Any], weights: Floats | None, size: int) -> NDArray[Any]:
    """How often each code from 0 to `size` - 1 occurs, or the sum of its weights."""
    if weights is None:
        return np.bincount(codes, minlength=size)
    return group_sums(weights, codes, size)


def _indicator_matrix(name: str, rows: Column) -> NDArray[np.uint8]:
    """Rows of zeros and ones as an array, shape (rows, labels)."""
    if isinstance(rows, list):
        for row, values in enumerate(rows):
            if len(values) != len(rows[0]):
                raise RowError(
                    name, row, f"has {len(values)} labels, but the rows before {len(rows[0])}"
                )
    array = np.asarray(rows)
    if array.ndim != 2 or not array.shape[1]:
        raise ValueError(f"{name}[0] has no labels; a row holds a 0 or 1 for each label")
    wrong = (array != 0) & (array != 1)
    if wrong.any():
        row, label = divmod(int(wrong.argmax()), array.shape[1])
        raise RowError(name, row, f"[{label}] is {array[row, label]}; each label is 0 or 1")
    return array.astype(np.uint8)
