"""Areas under the ROC and precision-recall curves, log loss and Brier score, of all labels.

Each score comes with a number for each row, whose weighted mean it is: the loss of the row or, for
an area, the area plus the rate at which it changes as the row is given more weight. The variance of
these numbers is that of the score (the infinitesimal jackknife), and systems are compared by them.
For the area under the ROC curve they are DeLong's placements.

Source:
    Efron, The Jackknife, the Bootstrap and Other Resampling Plans (1982), chapter 6; DeLong, DeLong
    and Clarke-Pearson, Comparing the areas under two or more correlated receiver operating
    characteristic curves (1988); Sun and Xu, Fast implementation of DeLong's algorithm (2014), for
    placements from ranks.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.arguments.checks import OptionError
from ...statistics.arithmetic.contingency import scaled_weights
from .curves import EPSILON, ScoreCounts, areas_of_weights, rates_to_the_right, score_counts


class RowScore(NamedTuple):
    """A score, and a function that returns for each row the number whose mean it is.

    Or a list of scores, and a function that returns a list of arrays.
    """

    value: Any
    rows: Callable[[], Any]


def _rows_of_each(scores: Sequence[RowScore]) -> list[Floats]:
    return [score.rows() for score in scores]


def undefined(rows: int) -> RowScore:
    """Return a score of NaN for this many rows."""
    return RowScore(math.nan, lambda: np.full(rows, math.nan))


def mean_over_rows(values: Floats, weights: Floats | None) -> RowScore:
    """Return the weighted mean of row scores, from exactly rounded sums."""
    weights = np.ones(values.size) if weights is None else weights
    if not weights.any():
        return undefined(values.size)
    scaled, _ = scaled_weights(weights)
    total = math.fsum(scaled.tolist())
    return RowScore(math.fsum((values * scaled).tolist()) / total, lambda: values)


@dataclass(frozen=True)
class RowScores:
    """The score of each row, whether it is positive, and its weight, if there are weights."""

    scores: Floats
    positive: Booleans
    weights: Floats | None = None

    @cached_property
    def counts(self) -> ScoreCounts:
        """Return the number of positives and negatives at each score."""
        return score_counts(self.scores, self.positive, self.weights)

    def partial_roc_auc(self, max_fpr: float) -> RowScore:
        """Return the area up to a false positive rate, scaled.

        >>> scores, positive = np.array([0.1, 0.4, 0.35, 0.8]), np.array([0, 0, 1, 1]) == 1
        >>> round(RowScores(scores, positive).partial_roc_auc(0.3).value, 4)
        0.7059
        """
        counts = self.counts
        if not counts.total_positives or not counts.total_negatives:
            return undefined(self.scores.size)
        positives, negatives = counts.positives.astype(float), counts.negatives.astype(float)
        areas = areas_of_weights(positives, negatives, ["partial_roc_auc"], max_fpr)
        value = areas["partial_roc_auc"].item()
        return self.changed(value, lambda: _changes_of_roc_auc(counts, max_fpr))

    def changed(self, value: float, changes: Callable[[], tuple[Floats, Floats]]) -> RowScore:
        """Return a score that a positive and a negative at each score change by so much a row."""

        def rows() -> Floats:
            scores = self.counts.scores
            # Rows of weight 0 do not count.
            positions = np.minimum(scores.searchsorted(self.scores), scores.size - 1)
            positive, negative = changes()
            total = self.counts.total_positives + self.counts.total_negatives
            of_rows = np.where(self.positive, positive[positions], negative[positions])
            return np.asarray(value + total * of_rows)

        return RowScore(value, rows)

    def with_row(self, *, best: bool) -> "RowScores":
        """Return the rows and a further one of the rarer class, first or last."""
        columns = self.scores[:, np.newaxis], self.positive[:, np.newaxis]
        return ColumnScores(*columns, self.weights).with_row(best=best).by_label[0]

    def losses(self, name: str) -> Floats:
        """Return the loss of each row."""
        if name == "brier":
            return np.asarray((self.scores - self.positive) ** 2)
        clipped = np.clip(self.scores, EPSILON, 1 - EPSILON)
        return -np.where(self.positive, np.log(clipped), np.log1p(-clipped))


def _changes_of_roc_auc(counts: ScoreCounts, max_fpr: float = 1.0) -> tuple[Floats, Floats]:
    """Return the changes of the area up to `max_fpr`, as in `RowScores.changed`.

    It is the mean over positives of the proportion of false positive rates up to `max_fpr` that lie
    to the right of their score. Negatives with tied scores form a line of the curve, on which the
    rate grows steadily. The end of the range depends on the negatives; its influence is that of a
    quantile.

    Variances of both classes have n - 1 in the denominator, as in DeLong et al.

    Source:
        Dodd and Pepe, Partial AUC estimation and regression (2003).
    """
    positives, negatives = counts.total_positives, counts.total_negatives
    fpr, tpr = counts.false_positives / negatives, counts.true_positives / positives
    width = counts.negatives / negatives
    left, tpr_left = fpr - width, tpr - counts.positives / positives
    right, overlap = rates_to_the_right(left, width, max_fpr)
    area = float(counts.positives @ right) / positives
    share = np.divide(overlap, width, out=(left < max_fpr).astype(float), where=width > 0)
    tpr_end = tpr_left + share * (tpr - tpr_left)
    is_last = (left < max_fpr) & (fpr >= max_fpr) & (width > 0)
    at_end = float(tpr_end[is_last].max()) if is_last.any() else 1.0
    negative = share * (tpr_left + tpr_end) / 2 - area - at_end * (share - max_fpr)
    slope = 0.5 / (max_fpr - max_fpr**2 / 2)
    scales = [1.0, 1.0]
    if counts.are_whole:
        scales = [math.sqrt(size / max(size - 1, 1)) for size in (positives, negatives)]
    changes = (slope * (right - area) / positives, slope * negative / negatives)
    return changes[0] * scales[0], changes[1] * scales[1]


def _changes_of_precision(counts: ScoreCounts, shift: int = 0) -> tuple[Floats, Floats]:
    """Return the changes of the mean precision of positives, at their scores or `shift` above."""
    positives = counts.total_positives
    precision = np.append(counts.precision, [1.0] * shift)[shift:]
    mean = float(counts.positives @ precision) / positives
    # A row also changes the precision at its own score and at all lower ones, which is TP / n
    # with n = TP + FP: a positive raises it by FP / n**2, a negative lowers it by TP / n**2.
    seen = counts.true_positives + counts.false_positives
    slope = np.zeros(seen.size)
    slope[shift:] = counts.positives[: seen.size - shift] / seen[shift:] / seen[shift:]
    increase = np.cumsum(slope * counts.false_positives)
    decrease = np.cumsum(slope * counts.true_positives)
    return (precision - mean + increase) / positives, -decrease / positives


def _changes_of_pr_auc(counts: ScoreCounts) -> tuple[Floats, Floats]:
    """Return the changes of the mean of the precision at the scores of positives and above."""
    at, above = (_changes_of_precision(counts, shift) for shift in (0, 1))
    return (at[0] + above[0]) / 2, (at[1] + above[1]) / 2


_CHANGES = {
    "roc_auc": _changes_of_roc_auc,
    "pr_auc": _changes_of_pr_auc,
    "average_precision": _changes_of_precision,
}


def _measure(name: str, rows: RowScores) -> RowScore:
    value = rows.counts.measures[name]
    if math.isnan(value):
        return undefined(rows.scores.size)
    if name in _CHANGES:
        return rows.changed(value, lambda: _CHANGES[name](rows.counts))
    return RowScore(value, partial(rows.losses, name))


Measure = Callable[[RowScores], RowScore]
AREAS: dict[str, Measure] = {name: partial(_measure, name) for name in _CHANGES}
LOSSES: dict[str, Measure] = {name: partial(_measure, name) for name in ("log_loss", "brier")}


@dataclass(frozen=True)
class ColumnScores:
    """The scores of one label or of several, and which labels each row has.

    Args:
        scores: the score of each label, shape (rows, labels).
        references: the one label of each row, from 0, shape (rows,); or whether it has each label,
            shape (rows, labels).
        weights: the weight of each row, or None.

    """

    scores: Floats
    references: Integers | Booleans
    weights: Floats | None

    @cached_property
    def positive(self) -> Booleans:
        """Return whether each row has each label, shape (rows, labels)."""
        if self.references.ndim == 2:
            return self.references.astype(np.bool_, copy=False)
        return np.asarray(self.references[:, np.newaxis] == np.arange(self.scores.shape[1]))

    @cached_property
    def by_label(self) -> list[RowScores]:
        """Return the scores of each label, and which rows have it."""
        return [
            RowScores(np.ascontiguousarray(scores), np.ascontiguousarray(positive), self.weights)
            for scores, positive in zip(self.scores.T, self.positive.T, strict=True)
        ]

    @cached_property
    def flat(self) -> RowScores:
        """Return all scores, each treated as a separate row."""
        weights = None if self.weights is None else np.repeat(self.weights, self.scores.shape[1])
        return RowScores(self.scores.ravel(), self.positive.ravel(), weights)

    def averages(self, measures: Mapping[str, Measure], average: str) -> dict[str, RowScore]:
        """Return measures of binary tasks, averaged over labels.

        Args:
            measures: by name.
            average: "macro", "weighted" by support, "none" for a list, or "micro", which treats
                each score as a separate row of one binary task; for a single label it is ignored.
        """
        tables = [self.flat] if average == "micro" else self.by_label
        shares = [1.0] * len(tables)
        if average == "weighted":
            shares = [float(rows.counts.total_positives) for rows in tables]
        found = {name: [measure(rows) for rows in tables] for name, measure in measures.items()}
        if self.scores.shape[1] == 1:
            return {name: score for name, (score,) in found.items()}
        if average == "none":
            return {
                name: RowScore([score.value for score in scores], partial(_rows_of_each, scores))
                for name, scores in found.items()
            }
        return {name: self._averaged(scores, shares) for name, scores in found.items()}

    def _averaged(self, scores: Sequence[RowScore], shares: Sequence[float]) -> RowScore:
        """Return the weighted mean of scores, NaN if one with a nonzero weight is.

        The scores of labels are not independent: every row has a number for each of them, and these
        are averaged.
        """
        number, total = len(self.scores), math.fsum(shares)
        pairs = [pair for pair in zip(scores, shares, strict=True) if pair[1]]
        if not pairs or any(math.isnan(score.value) for score, _ in pairs):
            return undefined(number)

        def rows() -> Floats:
            sums = np.zeros(number)
            for score, share in pairs:
                sums += score.rows().reshape(number, -1).mean(axis=1) * (share / total)
            return sums

        return RowScore(math.fsum(score.value * share for score, share in pairs) / total, rows)

    def one_vs_one_roc_auc(self, average: str) -> RowScore:
        """Return the area under the ROC curve among the rows of two labels, averaged over pairs.

        The area of a pair is the mean of two areas, one for the scores of each label. Unlike the
        area against the rest, it does not change if the rows of a label are repeated.

        Args:
            average: "macro", or "weighted" by the rows that have one of the two labels.

        Raises:
            ValueError: the average is not supported.

        Source:
            Hand and Till, A simple generalisation of the area under the ROC curve for multiple
            class classification problems (2001).
        """
        if average not in ("macro", "weighted"):
            raise OptionError(
                "multi_class", f"'ovo' needs average='macro' or 'weighted', got {average!r}"
            )
        number = len(self.scores)
        weights = np.ones(number) if self.weights is None else self.weights
        areas: list[tuple[RowScore, float, Integers]] = []  # with their shares, and rows
        for pair in combinations(range(self.scores.shape[1]), 2):
            rows = np.flatnonzero(np.isin(self.references, pair))
            share = math.fsum(weights[rows].tolist()) if average == "weighted" else 1.0
            of_pair = None if self.weights is None else self.weights[rows]
            for label in pair if share else ():
                columns = self.scores[rows, label], self.positive[rows, label], of_pair
                areas.append((AREAS["roc_auc"](RowScores(*columns)), share / 2, rows))
        total = math.fsum(share for _, share, _ in areas)
        if not total:
            return undefined(number)
        value = math.fsum(area.value * share for area, share, _ in areas) / total

        def of_rows() -> Floats:
            sums = np.full(number, value)
            for area, share, rows in areas:
                scale = weights.sum() / weights[rows].sum() * share / total
                sums[rows] += (area.rows() - area.value) * scale
            return sums

        return RowScore(value, of_rows)

    def with_row(self, *, best: bool) -> "ColumnScores":
        """Return the rows and a further one of the rarest class, first or last.

        Among the scores of other labels it is in the middle.
        """
        number, positives = len(self.scores), self.positive.sum(axis=0)
        rarer = np.minimum(positives, number - positives)
        label = int(np.where(rarer > 0, rarer, number).argmin())
        is_positive = bool(2 * positives[label] <= number)
        row = np.median(self.scores, axis=0)
        row[label] = self.scores.max() + 1 if is_positive == best else self.scores.min() - 1
        if self.references.ndim == 2:
            reference = 2 * positives > number
            reference[label] = is_positive
            references = np.concatenate([self.references, reference[np.newaxis]])
        else:
            references = np.append(self.references, label)
        weights = self.weights
        return ColumnScores(
            np.concatenate([self.scores, row[np.newaxis]]),
            references,
            None if weights is None else np.append(weights, weights.mean()),
        )


MultiClass = Literal["ovr", "ovo"]


def top_k_hits(scores: Floats, references: NDArray[Any], sizes: Sequence[int]) -> list[Floats]:
    """1.0 for each row whose label is among the k highest scores, else 0.0, for each k.

    In a tie, the later label comes first, as in scikit-learn.

    Args:
        scores: the scores of each label, shape (rows, labels).
        references: the label of each row, from 0.
        sizes: each k.

    >>> scores = np.array([[0.5, 0.2, 0.2, 0.1], [0.5, 0.2, 0.2, 0.1]])
    >>> [hits.tolist() for hits in top_k_hits(scores, np.array([1, 2]), [1, 2, 3])]
    [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    of_reference = scores[np.arange(len(scores)), references][:, np.newaxis]
    is_later = np.arange(scores.shape[1]) > references[:, np.newaxis]
    competitors = np.count_nonzero(scores > of_reference, axis=1)
    competitors += np.count_nonzero((scores == of_reference) & is_later, axis=1)
    return [(competitors < size).astype(np.float64) for size in sizes]
