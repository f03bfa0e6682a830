"""The rate that people would give, from the verdicts of a judge and few labels by people.

Prediction-powered inference adds to the mean verdict of the rows without labels the mean error of
the judge on the rows with labels. The verdicts count with a weight, lambda, that makes the variance
small: 0 for an uninformative judge. All sums are over kinds of equal rows in a fixed order, so they
do not depend on the order of rows.

Source:
    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, Prediction-powered inference (2023).
    Angelopoulos, Duchi and Zrnic, PPI++: Efficient prediction-powered inference (2023).
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arguments.checks import OptionError, RowError, shown
from ...statistics.arguments.domains import (
    Labels,
    Level,
    Parsed,
    Resamples,
    Seed,
    checked_options,
)
from ...statistics.arithmetic.exact_sums import exact_sum, group_sums
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.intervals import ratio_interval
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import Interval, critical_value
from ...statistics.intervals.summary import Measured, summarize_inputs
from ...statistics.intervals.weighted_units import DrawnScore, unit_intervals
from ...statistics.resampling.row_units import RowUnits
from .judged_rows import JudgedRows, judged_rows, label_numbers

_ROUNDED_ZERO = 1e-12  # a smaller lambda is that of a judge without correlation, rounded

Method = Literal["ppi++", "ppi", "rogan_gladen", "labelled"]


def finite_range(score_range: Any) -> tuple[float, float]:
    """Return the smallest and the largest possible label, both finite.

    Raises:
        ValueError: they are not two numbers, the first below the second.
    """
    try:
        low, high = map(float, score_range)
    except (TypeError, ValueError):
        low = high = math.nan
    if not (low < high and math.isfinite(high - low)):
        raise OptionError(
            "score_range",
            f"must be the smallest and the largest label, such as (0, 1), got {shown(score_range)}",
        )
    return low, high


ScoreRange = Annotated[
    tuple[float, float], Parsed(finite_range, "the smallest and the largest label")
]


class Correction(NamedTuple):
    """An estimate, and the basis of its interval.

    Args:
        value: the corrected rate.
        plain_variance: the square of the standard error.
        power_tuning: lambda, the weight of the judge.
        influences: of rows on the rate, times the number of labels.
        unseen: the smallest and the largest value of an unseen row.
    """

    value: float
    plain_variance: float
    power_tuning: float
    influences: Floats
    unseen: tuple[float, float]


@checked_options
def judge_corrected(
    predictions: ArrayLike,
    references: ArrayLike | Sequence[Sequence[float]],
    *,
    method: Method = "ppi++",
    clusters: Labels | None = None,
    score_range: ScoreRange = (0.0, 1.0),
    confidence_level: Level | None = 0.95,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
) -> dict[str, Any]:
    """Return the corrected rate, its error and interval, and the benefit of the judge.

    Args:
        predictions: the verdict of the judge on each row, or a list with one of each judge, of
            which the mean is taken.
        references: the label of each row by a person, NaN if missing; or a list of it,
            empty if missing.
        method: "ppi++"; "ppi", with lambda 1; "rogan_gladen", from sensitivity and specificity, for
            labels chosen by class; "labelled", from labels only.
        clusters: the cluster of each row; labels may be on any rows of a cluster.
        score_range: the smallest and the largest possible label.
        confidence_level: the level of the interval; None for none.
        n_resamples: the number of draws, for "rogan_gladen".
        seed: for these draws.

    Raises:
        ValueError: a row or an option is not valid, or options cannot be combined.

    >>> nan = float("nan")
    >>> verdicts, labels = [1.0, 1, 0, 1, 1, 0, 1, 1], [1.0, 1, 0, 0, nan, nan, nan, nan]
    >>> result = judge_corrected(verdicts, labels)
    >>> round(result["judge_corrected"], 4), result["judge_bias"], result["labelled"]
    (0.5, 0.25, 4)
    """
    if method == "rogan_gladen" and clusters is not None:
        raise ValueError("rogan_gladen takes no clusters")
    result = summarize_inputs(
        partial(_measured, method, finite_range(score_range)),
        {"predictions": predictions, "references": references},
        confidence_level=confidence_level,
        clusters=clusters,
        n_resamples=n_resamples,
        seed=seed,
    )
    if confidence_level is not None:  # the error is a score of its own
        result["standard_error"] = result["standard_error"]["judge_corrected"]
    return result


def _measured(
    method: Method,
    bounds: tuple[float, float],
    *,
    predictions: ArrayLike,
    references: ArrayLike | Sequence[Sequence[float]],
    uncertainty: Uncertainty | None,
) -> Measured:
    """Return the corrected rate with what belongs to it, and its interval."""
    clusters = None if uncertainty is None else uncertainty.clusters
    rows = judged_rows(
        predictions, references, clusters=clusters if isinstance(clusters, Clusters) else None
    )
    if method == "rogan_gladen":
        return rogan_gladen(rows, uncertainty)
    if method != "labelled" and rows.labelled == len(rows):
        raise ValueError("references: every row is labelled, so there is nothing to correct")
    labels = label_numbers(references)
    is_outside = (labels < bounds[0]) | (labels > bounds[1])
    if is_outside.any():
        row = int(is_outside.argmax())
        low, high = bounds
        problem = f"is {labels[row]:g}, outside score_range ({low:g}, {high:g})"
        raise RowError("references", row, problem)
    correction = _correction(rows, method, bounds)
    result = _result(rows, correction)
    if uncertainty is None:
        return result, {}
    choices = [correction]
    if method == "ppi++":
        choices.append(_correction(rows, "labelled", bounds))
    found = _interval(rows, choices, bounds, uncertainty)
    return result, {"judge_corrected": found._replace(standard_error=result["standard_error"])}


def _correction(rows: JudgedRows, method: str, bounds: tuple[float, float]) -> Correction:
    """Return the correction if all rows, or all rows of a cluster, are equally likely labelled.

    Raises:
        ValueError: all labels are in one cluster.
    """
    labelled, unlabelled = rows.is_labelled, ~rows.is_labelled
    counts, labels = rows.counts[labelled], rows.labels[labelled]
    n_labelled, n_unlabelled = rows.labelled, int(rows.counts[unlabelled].sum())
    weight = float(method == "ppi")
    if method == "ppi++":
        weight = _power_tuning(rows, n_labelled, n_unlabelled)
    weighted = rows.verdicts * weight
    residuals = labels - weighted[labelled]
    residual_mean, residual_squares = _squares(residuals, counts)
    value = residual_mean
    plain = residual_squares / n_labelled / n_labelled
    influences = np.zeros(rows.counts.size)
    influences[labelled] = residuals - residual_mean
    if weight:
        verdict_mean, verdict_squares = _squares(weighted[unlabelled], rows.counts[unlabelled])
        value += verdict_mean
        plain += verdict_squares / n_unlabelled / n_unlabelled
        changes = (weighted[unlabelled] - verdict_mean) / n_unlabelled
        influences[unlabelled] = n_labelled * changes
    if rows.clusters is not None:
        sums = np.bincount(rows.clusters, rows.counts * influences) / n_labelled
        if np.unique(rows.clusters[labelled]).size < 2:
            raise ValueError("clusters: labels of at least two clusters are needed")
        plain = sums.size / (sums.size - 1) * float(sums @ sums)
    # The residual of an unseen label: the lowest or the highest, with a verdict that occurs
    lowest = bounds[0] - float(weighted.max()) - residual_mean
    highest = bounds[1] - float(weighted.min()) - residual_mean
    return Correction(value, plain, weight, influences, (value + lowest, value + highest))


def _power_tuning(rows: JudgedRows, n_labelled: int, n_unlabelled: int) -> float:
    """Return lambda, which makes the variance small, from 0 to 1; 0 for a constant judge."""
    labelled = rows.is_labelled
    counts, verdicts, labels = rows.counts[labelled], rows.verdicts[labelled], rows.labels[labelled]
    distances = labels - exact_mean(labels, counts)
    products = (verdicts - exact_mean(verdicts, counts)) * distances
    covariance = float(exact_sum(products, counts)) / n_labelled
    variance = _squares(rows.verdicts, rows.counts)[1] / (len(rows) - 1)
    if not variance > 0:
        return 0.0
    tuned = covariance / ((1 + n_labelled / n_unlabelled) * variance)
    return 0.0 if tuned < _ROUNDED_ZERO else min(tuned, 1.0)


def exact_mean(values: Floats, counts: Integers) -> float:
    """Return the mean of the values of kinds of rows, whose sum is rounded once.

    It does not depend on how equal rows are counted, so clusters do not change a score.
    """
    return float(exact_sum(values, counts)) / int(counts.sum())


def _squares(values: Floats, counts: Integers) -> tuple[float, float]:
    """Return the mean, and the sum of squared distances from it."""
    mean = exact_mean(values, counts)
    return mean, float(exact_sum(np.square(values - mean), counts))


def _result(rows: JudgedRows, correction: Correction) -> dict[str, Any]:
    """Return the result without its interval."""
    labelled, number = rows.is_labelled, rows.labelled
    counts = rows.counts[labelled]
    label_mean, squares = _squares(rows.labels[labelled], counts)
    labels_variance = squares / number / number
    plain = correction.plain_variance
    return {
        "judge_corrected": correction.value,
        "standard_error": math.sqrt(plain),
        "judged_rate": exact_mean(rows.verdicts, rows.counts),
        "labelled_rate": label_mean,
        "judge_bias": exact_mean(rows.verdicts[labelled], counts) - label_mean,
        "power_tuning": correction.power_tuning,
        "effective_labels": number * labels_variance / plain if plain > 0 else math.nan,
        "labelled": number,
        "n": len(rows),
    }


def _interval(
    rows: JudgedRows,
    corrections: Sequence[Correction],
    bounds: tuple[float, float],
    uncertainty: Uncertainty,
) -> Interval:
    """Return the narrowest interval that holds the corrected rate.

    Rows with labels have the size 1, and rows without labels only add their influence.

    Args:
        rows: the rows.
        corrections: with the judge, and with a weight of 0, that is by the labels alone.
        bounds: the smallest and the largest possible label.
        uncertainty: the level.
    """
    sizes, counts = rows.is_labelled.astype(np.float64), rows.counts.astype(np.float64)
    value = min(max(corrections[0].value, bounds[0]), bounds[1])
    holding = []
    for correction in corrections:
        middle = min(max(correction.value, bounds[0]), bounds[1])
        sums, weights = middle * sizes + correction.influences, sizes
        repeats: Floats | None = counts
        if rows.clusters is not None:
            number = int(rows.clusters.max()) + 1
            sums, weights = (
                group_sums(column * counts, rows.clusters, number) for column in (sums, weights)
            )
            repeats = None
        found = ratio_interval(sums, weights, uncertainty, bounds=correction.unseen, counts=repeats)
        low, high = max(found.low, bounds[0]), min(found.high, bounds[1])
        if min(low, middle) <= value <= max(high, middle):
            holding.append(found._replace(low=min(low, middle), high=max(high, middle)))
    return min(holding, key=lambda interval: interval.high - interval.low)


def rogan_gladen(rows: JudgedRows, uncertainty: Uncertainty | None) -> Measured:
    """Return the rate of 1 among the rows without labels, corrected for the judge's errors.

    It only needs random samples of labels within each class. The error is by the delta method, with
    the counts moved towards 1/2.

    Args:
        rows: rows with verdicts and labels 0 and 1.
        uncertainty: the level of the interval; None for none.

    Raises:
        ValueError: there are other verdicts or labels, a class has no labels, every row has one, or
            the judge does no better than chance.

    Source:
        Rogan and Gladen, Estimating prevalence from the results of a screening test (1978). The
        error is that of Lee, Zeng et al., How to correctly report LLM-as-a-judge evaluations
        (2025).
    """
    labelled = rows.is_labelled
    verdicts, labels = rows.verdicts, rows.labels
    for name, values in (("predictions", verdicts), ("references", labels[labelled])):
        if not np.isin(values, (0.0, 1.0)).all():
            raise ValueError(f"{name}: rogan_gladen needs 0 and 1 only")
    if labelled.all():
        raise ValueError("references: every row is labelled, so there is nothing to correct")

    def count(kinds: Any) -> int:
        return int(rows.counts[kinds].sum())

    positives, negatives = count(labels == 1), count(labels == 0)
    if not positives or not negatives:
        raise ValueError("references: rogan_gladen needs labelled rows of both classes")
    sensitivity = count((labels == 1) & (verdicts == 1)) / positives
    specificity = count((labels == 0) & (verdicts == 0)) / negatives
    unlabelled = count(~labelled)
    judged = count(~labelled & (verdicts == 1)) / unlabelled
    if sensitivity + specificity <= 1:
        raise ValueError(
            f"the judge does no better than chance on the labelled rows (sensitivity "
            f"{sensitivity:.3g}, specificity {specificity:.3g}), so nothing can be corrected"
        )
    value = (judged + specificity - 1) / (specificity + sensitivity - 1)
    z = critical_value(0.95 if uncertainty is None else uncertainty.level, math.inf)
    sizes = np.array([unlabelled, negatives, positives])
    added = np.array([z * z, 2.0, 2.0])
    moved = (sizes * [judged, specificity, sensitivity] + added / 2) / (sizes + added)
    variances = moved * (1 - moved) / (sizes + added)
    slope = moved[1] + moved[2] - 1
    centre = (moved[0] + moved[1] - 1) / slope
    error = float(np.sqrt(variances @ [1.0, (1 - centre) ** 2, centre**2]) / slope)
    result: dict[str, Any] = {
        "judge_corrected": min(max(value, 0.0), 1.0),
        "standard_error": error,
        "sensitivity": sensitivity,
        "specificity": specificity,
        "judged_rate": judged,
        "labelled": rows.labelled,
        "n": len(rows),
    }
    if uncertainty is None:
        return result, {}
    is_right = labels == verdicts
    cells = [~labelled & (verdicts == 1), ~labelled, (labels == 1) & is_right, labels == 1]
    cells += [(labels == 0) & is_right, labels == 0]
    units = RowUnits(rows.counts, np.column_stack(cells).astype(np.float64))

    def measure(sums: Floats, _: object = None) -> dict[str, Floats]:
        judged, sensitivity, specificity = (sums[i] / sums[i + 1] for i in (0, 2, 4))
        slope = specificity + sensitivity - 1
        return {"": np.where(slope > 0, (judged + specificity - 1) / slope, np.nan)}

    # A row without a label, one of label 1 or one of label 0; with a hit or without one
    unseen = np.kron(np.eye(3), [[1.0, 1.0], [0.0, 1.0]]).astype(np.float64)
    score = DrawnScore(result["judge_corrected"], unseen, (0.0, 1.0))
    found = unit_intervals(units, {"": score}, measure, uncertainty)[""]
    return result, {"judge_corrected": found._replace(standard_error=error)}
