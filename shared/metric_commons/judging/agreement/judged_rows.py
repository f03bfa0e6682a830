"""Rows with verdicts of judges, some of them labelled by a person, as counts of equal rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.arguments.checks import RowError, check_finite, check_widths
from ...statistics.intervals.cluster_sums import Clusters
from .rated_units import LARGEST


@dataclass(frozen=True)
class JudgedRows:
    """The distinct rows, in ascending order, with their counts.

    Args:
        verdicts: the mean verdict of the judges.
        labels: the labels by a person; NaN if missing.
        counts: the number of rows of each kind.
        clusters: the number of the cluster of each kind; None if rows are independent.
    """

    verdicts: Floats
    labels: Floats
    counts: Integers
    clusters: Integers | None = None

    @property
    def is_labelled(self) -> Booleans:
        """Return whether each kind of rows has a label."""
        return ~np.isnan(self.labels)

    @property
    def labelled(self) -> int:
        """Return the number of rows with a label."""
        return int(self.counts[self.is_labelled].sum())

    def __len__(self) -> int:
        return int(self.counts.sum())


def judged_rows(
    predictions: ArrayLike,
    references: ArrayLike | Sequence[Sequence[float]],
    *,
    clusters: Clusters | None = None,
) -> JudgedRows:
    """Return the distinct rows of these columns.

    Args:
        predictions: the verdict of the judge on each row, or a list with one of each judge.
        references: the label of each row, NaN if missing; or a list of the label, empty if missing.
        clusters: the clusters of rows; None for none.

    Raises:
        ValueError: a verdict is missing, there are fewer than two labels, or a number is so large
            that its powers overflow.

    >>> rows = judged_rows([1.0, 0.0, 1.0], [1.0, 0.0, float("nan")])
    >>> rows.verdicts.tolist(), rows.labels.tolist(), rows.labelled
    ([0.0, 1.0, 1.0], [0.0, 1.0, nan], 2)
    """
    verdicts = _verdicts(predictions)
    labels = label_numbers(references)
    if labels.shape != verdicts.shape[:1]:
        raise ValueError(f"references has {labels.size} rows, but predictions has {len(verdicts)}")
    for name, numbers in (("predictions", np.abs(verdicts).max(1)), ("references", abs(labels))):
        if (numbers > LARGEST).any():
            raise RowError(name, int((numbers > LARGEST).argmax()), f"is beyond {LARGEST:g}")
    if int((~np.isnan(labels)).sum()) < 2:
        raise ValueError("references needs at least two labelled rows; NaN means no label")
    # No label is the last one here.
    columns = [np.where(np.isnan(labels), np.inf, labels), verdicts.mean(axis=1)]
    if clusters is not None:
        columns.insert(0, clusters.numbers.astype(np.float64))
    kinds, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    *members, labels, means = kinds.T
    numbers = members[0].astype(np.int64) if members else None
    return JudgedRows(means, np.where(np.isinf(labels), np.nan, labels), counts, numbers)


def label_numbers(references: Any) -> Floats:
    """Return the label of each row, NaN if missing.

    >>> label_numbers([[1.0], [], [0.5]]).tolist()
    [1.0, nan, 0.5]
    """
    if isinstance(references, np.ndarray) or not len(references) or np.ndim(references[0]) == 0:
        return np.asarray(references, np.float64) + 0.0
    sizes = np.fromiter(map(len, references), np.int64, len(references))
    if sizes.max() > 1:
        row = int(sizes.argmax())
        raise RowError("references", row, f"holds {sizes[row]} labels; a row has one or none")
    labels = np.full(sizes.size, np.nan)
    labels[sizes == 1] = list(chain.from_iterable(references))
    return labels + 0.0


def _verdicts(predictions: ArrayLike) -> Floats:
    """Return the verdicts, shape (rows, judges)."""
    check_widths("predictions", predictions, "verdicts")
    verdicts = np.asarray(predictions, np.float64)
    if not len(verdicts):
        raise ValueError("predictions is empty; a rate of no rows is undefined")
    check_finite("predictions", verdicts, "every row needs a verdict")
    if verdicts.ndim == 1:
        return verdicts[:, np.newaxis] + 0.0
    if not verdicts.shape[1]:
        raise RowError("predictions", 0, "has no verdicts; a row needs at least one")
    return np.asarray(verdicts + 0.0)
