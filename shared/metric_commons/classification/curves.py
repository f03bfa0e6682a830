"""Scores of predicted probabilities: curves and the areas under them, losses and calibration.

Everything about a binary task follows from how many positives and negatives have each score; so it
needs one sort. A task of several classes is one against the rest, for each class in turn.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Integral, Real
from statistics import NormalDist
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Booleans, Column, Floats
from ..numbers.checks import RowError, check_choice, check_flag, check_weights
from ..numbers.contingency import Label, Table, contingency, encoded
from ..statistics.bootstrap import check_probability
from .classes import Classes, as_labels, classes
from .score_counts import EPSILON, ScoreCounts, log_losses, score_counts

CalibrationStrategy = Literal["uniform", "quantile"]

_ONE = 1e-5  # how far the sum of a row of probabilities may be from 1


# Scores of a binary task; each with what a positive and a negative row of each score changes


@dataclass(frozen=True)
class _Estimate:
    """A score, and the influence of a positive and of a negative row of each distinct score."""

    value: float
    influences: Callable[[], tuple[Floats, Floats]] | None = None


_UNDEFINED = _Estimate(math.nan)


def _roc_auc(counts: ScoreCounts) -> _Estimate:
    """The share of pairs of a positive and a negative in which the positive has the higher score.

    Pairs are counted as integers. The influences are DeLong's placements; they are scaled so that
    the variances of both classes have n - 1 in the denominator, as in DeLong et al. (1988).
    """
    all_positives, all_negatives = counts.all_positives, counts.all_negatives
    if not all_positives or not all_negatives:
        return _UNDEFINED
    value = min(counts.sums.pairs / (2 * all_positives * all_negatives), 1.0)

    def influences() -> tuple[Floats, Floats]:
        below = all_negatives - counts.false_positives
        above = counts.true_positives - counts.positives / 2
        of_positives = (below + counts.negatives / 2) / all_negatives - value
        of_negatives = above / all_positives - value
        if counts.positive_squares is None:
            return (
                of_positives / math.sqrt(all_positives * max(all_positives - 1, 1)),
                of_negatives / math.sqrt(all_negatives * max(all_negatives - 1, 1)),
            )
        return of_positives / all_positives, of_negatives / all_negatives

    return _Estimate(value, influences)


def _average_precision(counts: ScoreCounts) -> _Estimate:
    """The mean of the precision at the score of each positive."""
    return _mean_precision(counts, counts.sums.precisions, shift=0)


def _pr_auc(counts: ScoreCounts) -> _Estimate:
    """The area under straight lines between the points of the curve; it starts at precision 1."""
    lower = _mean_precision(counts, counts.sums.precisions, shift=0)
    upper = _mean_precision(counts, counts.sums.precisions_above, shift=1)
    if lower.influences is None or upper.influences is None:
        return _UNDEFINED
    both = lower.influences, upper.influences

    def influences() -> tuple[Floats, Floats]:
        one, other = (of() for of in both)
        return (one[0] + other[0]) / 2, (one[1] + other[1]) / 2

    return _Estimate((lower.value + upper.value) / 2, influences)


def _mean_precision(counts: ScoreCounts, total: float, *, shift: int) -> _Estimate:
    """The mean over positives of the precision at their score, or so many scores above."""
    all_positives = counts.all_positives
    if not all_positives:
        return _UNDEFINED
    value = min(total / all_positives, 1.0)

    def influences() -> tuple[Floats, Floats]:
        # A row counts in the precision at its own score and at all below.
        precision = np.append(counts.precision, [1.0] * shift)[shift:]
        ranked = counts.true_positives + counts.false_positives
        share = np.zeros(ranked.size)
        share[shift:] = counts.positives[: ranked.size - shift] / ranked[shift:] / ranked[shift:]
        raises = np.cumsum(share * counts.false_positives)
        lowers = np.cumsum(share * counts.true_positives)
        return (precision - value + raises) / all_positives, -lowers / all_positives

    return _Estimate(value, influences)


def _log_loss(counts: ScoreCounts) -> _Estimate:
    """The mean of -log of the probability of what came true."""
    return _mean_loss(
        counts,
        counts.sums.log_losses,
        lambda: log_losses(counts.scores, np.empty((3, counts.scores.size))),
    )


def _brier(counts: ScoreCounts) -> _Estimate:
    """The mean square of the difference of probability and truth."""
    return _mean_loss(
        counts, counts.sums.squares, lambda: ((1 - counts.scores) ** 2, counts.scores**2)
    )


def _mean_loss(
    counts: ScoreCounts, total: float, losses: Callable[[], tuple[Floats, Floats]]
) -> _Estimate:
    rows = counts.all_positives + counts.all_negatives
    if not rows or math.isnan(total):
        return _UNDEFINED
    value = total / rows

    def influences() -> tuple[Floats, Floats]:
        of_positives, of_negatives = losses()
        return (of_positives - value) / rows, (of_negatives - value) / rows

    return _Estimate(value, influences)


_OF_CURVES = {"roc_auc": _roc_auc, "pr_auc": _pr_auc, "average_precision": _average_precision}
_OF_PROBABILITIES = {"log_loss": _log_loss, "brier": _brier}
_BOUNDED = {*_OF_CURVES, "brier", "ece", "mce"}  # by 1; of several classes brier is not


# Calibration


@dataclass(frozen=True)
class Calibration:
    """Bins of probabilities, ascending, without those that are empty.

    Args:
        starts: where each bin begins among the distinct scores, and where the last one ends.
        predicted: the mean probability in each bin.
        observed: the share of positives.
        rows: how many rows, or the sum of their weights.

    """

    starts: list[int]
    predicted: list[float]
    observed: list[float]
    rows: list[Any]

    @property
    def gaps(self) -> list[float]:
        """How far each share is from the mean probability."""
        return [seen - said for seen, said in zip(self.observed, self.predicted, strict=True)]


def calibration(counts: ScoreCounts, bins: int, strategy: str = "uniform") -> Calibration:
    """How often what has some probability comes true, in bins of probabilities.

    A bin holds its upper edge and not its lower one, except for the first; so scikit-learn's
    `calibration_curve` has it.

    Args:
        counts: of probabilities.
        bins: how many.
        strategy: "uniform" for bins of equal width, "quantile" for bins of equal mass, as far as
            equal probabilities allow.

    >>> counts = score_counts(np.array([0.5, 0.4, 0.6]), np.array([True, False, True]))
    >>> found = calibration(counts, 2)
    >>> found.predicted, found.observed, found.rows
    ([0.45, 0.6], [0.5, 1.0], [2, 1])
    """
    edges = np.linspace(0, 1, bins + 1)
    if strategy == "quantile":
        rows = counts.positives + counts.negatives
        if counts.positive_squares is None:
            edges = np.percentile(np.repeat(counts.scores, rows), edges * 100)
        else:
            edges = np.quantile(counts.scores, edges, weights=rows, method="inverted_cdf")
    ends = np.searchsorted(counts.scores, edges[1:-1], side="right").tolist()
    starts = sorted({0, *ends, counts.scores.size})
    parts = [slice(start, end) for start, end in pairwise(starts)]
    masses = [(counts.positives[part] + counts.negatives[part]).sum().item() for part in parts]
    unit = 2.0**counts.exponent if counts.exponent else 1  # without weights rows stay integers
    sums = [
        float(((counts.positives[part] + counts.negatives[part]) * counts.scores[part]).sum())
        for part in parts
    ]
    seen = [counts.positives[part].sum().item() for part in parts]
    return Calibration(
        starts,
        [total / mass for total, mass in zip(sums, masses, strict=True)],
        [total / mass for total, mass in zip(seen, masses, strict=True)],
        [mass * unit for mass in masses],
    )


def _calibration_errors(counts: ScoreCounts, found: Calibration) -> dict[str, _Estimate]:
    """The mean and the greatest gap of the bins."""
    if not found.rows:
        return {"ece": _UNDEFINED, "mce": _UNDEFINED}
    total = math.fsum(found.rows)
    sizes = [abs(gap) for gap in found.gaps]
    weighed = [size * rows for size, rows in zip(sizes, found.rows, strict=True)]
    ece, mce = math.fsum(weighed) / total, max(sizes)
    worst = sizes.index(mce)

    def of_bins(value: float, masses: list[float]) -> tuple[Floats, Floats]:
        lengths = np.diff(found.starts)
        factor = np.repeat(np.sign(found.gaps) * masses, lengths)
        offset = np.repeat(value * np.array(masses), lengths)
        return factor * (1 - counts.scores) - offset, -factor * counts.scores - offset

    unit = 2.0**counts.exponent  # that of the counts; rows are in units of 1
    alike = [unit / total] * len(sizes)
    alone = [unit * (place == worst) / rows for place, rows in enumerate(found.rows)]
    return {
        "ece": _Estimate(ece, lambda: of_bins(ece, alike)),
        "mce": _Estimate(mce, lambda: of_bins(mce, alone)),
    }


# Curves


def roc_curve(counts: ScoreCounts) -> dict[str, list[float]]:
    """The corners of the ROC curve, from threshold infinity down, as scikit-learn has them.

    Rates of which there are no rows are NaN.

    >>> counts = score_counts(np.array([0.1, 0.4, 0.8]), np.array([False, True, True]))
    >>> roc_curve(counts)
    {'fpr': [0.0, 0.0, 0.0, 1.0], 'tpr': [0.0, 0.5, 1.0, 1.0], 'thresholds': [inf, 0.8, 0.4, 0.1]}
    """
    true, false = counts.true_positives[::-1], counts.false_positives[::-1]
    corner = np.ones(true.size, bool)
    if true.size > 2:  # a point in the middle of a straight line is none
        corner[1:-1] = (np.diff(true, 2) != 0) | (np.diff(false, 2) != 0)
    return {
        "fpr": _rates(false[corner]),
        "tpr": _rates(true[corner]),
        "thresholds": [math.inf, *counts.scores[::-1][corner].tolist()],
    }


def _rates(numbers: NDArray[Any]) -> list[float]:
    """The shares of the last of these, which is all; NaN if that is nothing."""
    if not numbers.size or not numbers[-1]:
        return [math.nan] * (numbers.size + 1)
    return [0.0, *(numbers / numbers[-1]).tolist()]


def pr_curve(counts: ScoreCounts) -> dict[str, list[float]]:
    """The precision-recall curve at each distinct score, ascending, as scikit-learn has it.

    It ends with precision 1 and recall 0, for which there is no threshold. Without positives recall
    is 1.

    >>> pr_curve(score_counts(np.array([0.1, 0.4]), np.array([False, True])))
    {'precision': [0.5, 1.0, 1.0], 'recall': [1.0, 1.0, 0.0], 'thresholds': [0.1, 0.4]}
    """
    recall = np.ones(counts.scores.size)
    if counts.all_positives:
        recall = counts.true_positives / counts.true_positives[0]
    return {
        "precision": [*counts.precision.tolist(), 1.0],
        "recall": [*recall.tolist(), 0.0],
        "thresholds": counts.scores.tolist(),
    }


# From columns to results


def is_scores(predictions: Column) -> bool:
    """Whether these are scores: a float a row, or several."""
    if isinstance(predictions, np.ndarray):
        return predictions.dtype.kind == "f"
    first = predictions[0]
    return isinstance(first[0] if isinstance(first, list) and first else first, float)


class Scored:
    """References, and a score of the positive label or a probability of each label for each row.

    Args:
        predictions: a float a row; or rows of floats that add up to 1, one for each label, in the
            order of `labels`, else of the sorted labels of the references.
        references: a label a row.
        threshold: a row is positive from this score on. Scores outside 0 to 1 need another one
            than 0.5. Of several labels the most probable is predicted, of equal ones the first.
        labels: as in `classes.classes`, as are the following.
        pos_label: the positive label, that of which scores are.
        average: how to average over labels.
        sample_weight: a finite number a row, at least 0; None weighs all alike.

    Raises:
        ValueError: scores, labels and options that do not go together; names the row where there
            is one.

    >>> scored = Scored(np.array([0.1, 0.7, 0.4]), [0, 1, 1])
    >>> scored.table.matrix().tolist()
    [[1, 0], [1, 1]]
    """

    def __init__(
        self,
        predictions: Column,
        references: Column,
        *,
        threshold: float = 0.5,
        labels: Any = None,
        pos_label: Any = 1,
        average: str | None = None,
        sample_weight: Any = None,
    ) -> None:
        _check_threshold(threshold)
        self.weights = check_weights("sample_weight", sample_weight, len(references))
        references = as_labels("references", references)
        self.scores, self._ends = _finite(predictions)
        options = {"labels": labels, "pos_label": pos_label, "average": average}
        if self.scores.ndim == 1:
            self._of_one_score(references, threshold, options)
        else:
            self._of_probabilities(references, threshold, options)

    classes: Classes
    table: Table
    references: NDArray[Any]  # whether positive; of several labels, which

    @property
    def binary(self) -> bool:
        """Whether there is one score a row."""
        return self.scores.ndim == 1

    def _of_one_score(self, references: Column, threshold: float, options: dict[str, Any]) -> None:
        table = contingency(references, self.scores >= threshold, self.weights)
        self.classes = classes(table.first, **options)
        every, positive = self.classes.every, self.classes.positive
        if len(every) > 2:
            raise ValueError(
                f"there are {len(every)} labels, but one score a row; "
                "predictions must hold a probability for each label"
            )
        if len(every) < 2 or positive is None:
            raise ValueError(
                f"references hold one label, {every[0]!r}; labels=[...] must name the other"
            )
        _check_range(self.scores, self._ends, threshold)
        names = [every[1 - positive], every[positive]]
        self.table = replace(table, second=[names[decided] for decided in table.second])
        self.references = _equal(references, every[positive])

    def _of_probabilities(
        self, references: Column, threshold: float, options: dict[str, Any]
    ) -> None:
        present, codes = encoded(references)
        self.classes = classes(present, **options)
        columns = present if options["labels"] is None else self.classes.labels
        width = self.scores.shape[1]
        if options["labels"] is None and len(present) == width == 2:
            raise ValueError(
                "references have two labels: predictions must hold one score a row, that of the "
                f"positive one, or labels={present!r} must say which column is whose"
            )
        if width != len(columns):
            raise ValueError(
                f"predictions have {width} columns, but there are {len(columns)} labels; "
                "labels=[...] must name that of each column"
            )
        place = {label: column for column, label in enumerate(columns)}
        for label in present:
            if label not in place:
                raise ValueError(f"references hold {label!r}, which is not one of the labels")
        _check_probabilities(self.scores)
        if width == 2:
            of_positive = columns.index(self.classes.every[self.classes.positive or 0])
            self.scores = np.ascontiguousarray(self.scores[:, of_positive])
            self._of_one_score(references, threshold, options)
            return
        self.references = np.array([place[label] for label in present])[codes]
        table = contingency(self.references, self.scores.argmax(axis=1), self.weights)
        self.table = replace(
            table,
            first=[columns[code] for code in table.first],
            second=[columns[code] for code in table.second],
        )


def curve_scores(
    scored: Scored | None,
    *,
    curves: bool = False,
    calibration_bins: int | None = None,
    calibration_strategy: str = "uniform",
    confidence_level: float | None = None,
) -> dict[str, Any]:
    """The areas under the curves, log loss and Brier score; curves and calibration if asked for.

    Of several labels the areas are those of each one against the rest, averaged, log loss and
    Brier score those of all probabilities (Brier's original score, from 0 to 2), and calibration
    that of the most probable label. What is not defined is NaN: areas without positives, that
    under the ROC curve without negatives too; losses and calibration of scores outside 0 to 1.

    Args:
        scored: references and scores; None where there are labels alone, which have no curves.
        curves: also return `roc_curve` and `pr_curve`; of several labels a list of each.
        calibration_bins: also return `ece`, `mce` and `calibration`, in so many bins.
        calibration_strategy: "uniform" for bins of equal width, "quantile" for equal mass.
        confidence_level: also return an interval of each score under `confidence_interval`: of
            the area under the ROC curve by DeLong et al. (1988), of the others by the same
            normal approximation, with the infinitesimal jackknife for the variance.

    Raises:
        ValueError: an option is not what it may be, or asks of labels what only scores have.

    >>> scored = Scored(np.array([0.1, 0.4, 0.35, 0.8]), [0, 0, 1, 1])
    >>> scores = curve_scores(scored)
    >>> scores["roc_auc"], round(scores["average_precision"], 4), round(scores["pr_auc"], 4)
    (0.75, 0.8333, 0.7917)
    """
    check_flag("curves", curves)
    check_choice("calibration_strategy", calibration_strategy, get_args(CalibrationStrategy))
    _check_bins(calibration_bins)
    if confidence_level is not None:
        check_probability("confidence_level", confidence_level)
    if scored is None:
        asked = {"curves": curves, "calibration_bins": calibration_bins is not None}
        for name in (name for name in asked if asked[name]):
            raise ValueError(f"{name} is about scores, but predictions are labels")
        return {}
    if scored.binary:
        each = [score_counts(scored.scores, scored.references, scored.weights)]
        estimates = _of_one(each[0])
        sure = each[0] if each[0].probable else None
    else:
        each, estimates = _of_several(scored)
        sure = _most_probable(scored) if calibration_bins is not None else None
    bins = None
    if calibration_bins is not None:
        bins = Calibration([], [], [], [])
        if sure is not None and sure.scores.size:
            bins = calibration(sure, calibration_bins, calibration_strategy)
        errors = _calibration_errors(sure or each[0], bins)
        estimates |= {name: _with_variance(sure or each[0], of) for name, of in errors.items()}

    result: dict[str, Any] = {name: value for name, (value, _) in estimates.items()}
    if bins is not None:
        result["calibration"] = {
            "predicted": bins.predicted,
            "observed": bins.observed,
            "rows": bins.rows,
        }
    if curves:
        drawn = [roc_curve(counts) for counts in each], [pr_curve(counts) for counts in each]
        for name, lines in zip(("roc_curve", "pr_curve"), drawn, strict=True):
            result[name] = lines[0] if scored.binary else lines
    if confidence_level is not None:
        bounded = _BOUNDED if scored.binary else _BOUNDED - {"brier"}
        result["confidence_interval"] = {
            name: _interval(
                value, variance(), confidence_level, 1.0 if name in bounded else math.inf
            )
            for name, (value, variance) in estimates.items()
        }
    return result


_Result = tuple[Any, Callable[[], Any]]  # a score, or one of each label; and its variance


def _of_one(counts: ScoreCounts) -> dict[str, _Result]:
    """The scores of a binary task."""
    estimates = {name: of(counts) for name, of in (_OF_CURVES | _OF_PROBABILITIES).items()}
    return {name: _with_variance(counts, estimate) for name, estimate in estimates.items()}


def _with_variance(counts: ScoreCounts, estimate: _Estimate) -> _Result:
    def variance() -> float:
        if estimate.influences is None:
            return math.nan
        return counts.variance(*estimate.influences())

    return estimate.value, variance


def _of_several(scored: Scored) -> tuple[list[ScoreCounts], dict[str, _Result]]:
    """The scores of probabilities of several labels, and the counts of each."""
    average, columns = scored.classes.average, range(scored.scores.shape[1])
    each = [
        score_counts(
            np.ascontiguousarray(scored.scores[:, column]),
            scored.references == column,
            scored.weights,
        )
        for column in columns
    ]
    flat = None
    if average == "micro":
        is_label = scored.references[:, None] == np.array(columns)
        weights = None if scored.weights is None else np.repeat(scored.weights, len(columns))
        flat = score_counts(scored.scores.ravel(), is_label.ravel(), weights)
    results: dict[str, _Result] = {}
    for name, of in _OF_CURVES.items():
        if flat is not None:
            results[name] = _averaged([of(flat)], [flat], scored, [1.0])
            continue
        estimates = [of(counts) for counts in each]
        if average == "none":
            values = [_with_variance(*pair) for pair in zip(each, estimates, strict=True)]
            results[name] = [value for value, _ in values], _all_of([v for _, v in values])
            continue
        shares = [float(counts.all_positives) for counts in each] if average == "weighted" else None
        results[name] = _averaged(estimates, each, scored, shares or [1.0] * len(each))
    return each, results | _losses(scored)


def _all_of(variances: list[Callable[[], float]]) -> Callable[[], list[float]]:
    return lambda: [variance() for variance in variances]


def _averaged(
    estimates: list[_Estimate], each: list[ScoreCounts], scored: Scored, shares: list[float]
) -> _Result:
    """The mean of the scores of all labels, NaN if one is; and its variance.

    A row changes the scores of all labels, so its influences are added up before they are squared.
    """
    total = math.fsum(shares)
    if any(math.isnan(estimate.value) for estimate in estimates) or not total:
        return math.nan, lambda: math.nan
    value = math.fsum(e.value * share for e, share in zip(estimates, shares, strict=True)) / total

    def variance() -> float:
        columns = scored.scores.reshape(len(scored.scores), -1, scored.scores.shape[1])
        influence = np.zeros(len(scored.scores))
        for place, (estimate, counts) in enumerate(zip(estimates, each, strict=True)):
            if estimate.influences is None:
                return math.nan
            of_positives, of_negatives = estimate.influences()
            for column in range(columns.shape[2]) if len(each) == 1 else [place]:
                at = counts.scores.searchsorted(scored.scores[:, column])
                at = np.minimum(at, counts.scores.size - 1)  # rows of weight 0 are not there
                chosen = np.where(scored.references == column, of_positives[at], of_negatives[at])
                influence += chosen * (shares[place] / total)
        return _sum_of_squares(influence, scored.weights)

    return value, variance


def _losses(scored: Scored) -> dict[str, _Result]:
    """Log loss and Brier score of several labels."""
    rows = np.arange(len(scored.scores))
    of_truth = scored.scores[rows, scored.references]
    off = scored.scores.copy()
    off[rows, scored.references] -= 1
    losses = {
        "log_loss": -np.log(np.clip(of_truth, EPSILON, 1 - EPSILON)),
        "brier": (off**2).sum(axis=1),
    }
    return {name: _mean_of_rows(loss, scored.weights) for name, loss in losses.items()}


def _mean_of_rows(losses: Floats, weights: Floats | None) -> _Result:
    """The weighted mean of the losses of rows, and its variance; both from exactly rounded sums."""
    scaled = np.ones(losses.size) if weights is None else weights
    if not scaled.any():
        return math.nan, lambda: math.nan
    scaled = np.ldexp(scaled, -math.frexp(float(scaled.max()))[1])
    total = math.fsum(scaled.tolist())
    value = math.fsum((losses * scaled).tolist()) / total
    return value, lambda: _sum_of_squares((losses - value) / total, scaled)


def _sum_of_squares(influence: Floats, weights: Floats | None) -> float:
    """The sum of squares of the weighted influences, in an order that does not depend on rows."""
    if weights is not None:
        influence = influence * np.ldexp(weights, -math.frexp(float(weights.max()))[1])
    return float(np.sort(influence**2).sum())


def _most_probable(scored: Scored) -> ScoreCounts:
    """The probability of the predicted label, and whether it is right."""
    predicted = scored.scores.argmax(axis=1)
    rows = np.arange(len(predicted))
    right = predicted == scored.references
    return score_counts(scored.scores[rows, predicted], right, scored.weights)


def _interval(value: Any, variance: Any, level: float, greatest: float) -> list[Any]:
    """The normal interval around a score, within its range; a list of them for a list."""
    if isinstance(value, list):
        pairs = zip(value, variance, strict=True)
        return [_interval(each, of_each, level, greatest) for each, of_each in pairs]
    if math.isnan(value):
        return [math.nan, math.nan]
    reach = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(variance)
    return [max(value - reach, 0.0), min(value + reach, greatest)]


# Checks


def _finite(predictions: Column) -> tuple[Floats, tuple[float, float]]:
    """The scores as an array, shape (rows,) or (rows, columns); the least and the greatest."""
    if isinstance(predictions, list) and isinstance(predictions[0], list):
        for row, values in enumerate(predictions):
            if len(values) != len(predictions[0]):
                raise RowError(
                    "predictions",
                    row,
                    f"has {len(values)} probabilities, but the rows before {len(predictions[0])}",
                )
    scores = np.asarray(predictions, dtype=np.float64)
    ends = (float(scores.min()), float(scores.max())) if scores.size else (0.0, 0.0)
    if not all(map(math.isfinite, ends)):
        place = np.unravel_index(int(np.isfinite(scores).argmin()), scores.shape)
        row, *inside = map(int, place)
        where = "".join(f"[{index}] " for index in inside)
        raise RowError("predictions", row, f"{where}is {scores[place]}; a score is a finite number")
    if scores.ndim == 2 and scores.shape[1] < 2:
        if not scores.size:
            raise ValueError("predictions[0] has no probabilities")
        scores = scores.ravel()
    return scores, ends


def _equal(column: Column, label: Label) -> Booleans:
    """In which rows a column has a label."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biu":
        equal: Booleans = column == label
        return equal
    return np.fromiter(map(label.__eq__, column), bool, len(column))


def _check_threshold(threshold: Any) -> None:
    number = isinstance(threshold, Real) and not isinstance(threshold, bool)
    if not number or not math.isfinite(threshold):
        raise ValueError(f"threshold must be a finite number, got {threshold!r}")


def _check_range(scores: Floats, ends: tuple[float, float], threshold: float) -> None:
    """Nothing, if the scores are from 0 to 1, or there is a threshold for others."""
    if threshold != 0.5 or (ends[0] >= 0 and ends[1] <= 1):
        return
    row = int(((scores < 0) | (scores > 1)).argmax())
    raise RowError(
        "predictions",
        row,
        f"is {scores[row]}, so these look like logits, for which a threshold of "
        "0.5 makes no sense; pass another, such as threshold=0.0, or probabilities",
    )


def _check_probabilities(scores: Floats) -> None:
    """Nothing, if these rows are probabilities."""
    sums = scores.sum(axis=1)
    wrong = (scores < 0).any(axis=1) | (scores > 1).any(axis=1) | (np.abs(sums - 1) > _ONE)
    if wrong.any():
        row = int(wrong.argmax())
        raise RowError(
            "predictions",
            row,
            f"is {scores[row].tolist()}; "
            "the probabilities of a row are from 0 to 1 and add up to 1",
        )


def _check_bins(bins: Any) -> None:
    if bins is not None and (
        isinstance(bins, bool) or not isinstance(bins, Integral) or int(bins) < 1
    ):
        raise ValueError(f"calibration_bins must be an integer, at least 1, or None, got {bins!r}")
