"""The rate that people would give, from the verdicts of a judge and few labels by people.

Prediction-powered inference adds to the mean verdict of the rows without labels the mean error of
the judge on the rows with labels. The verdicts count with a weight, lambda, that makes the variance
small: 0 for an uninformative judge. Rows may be labelled at random, in strata, in clusters, or
with known probabilities. All sums are over kinds of equal rows in a fixed order, so they do not
depend on the order of rows.

Source:
    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, Prediction-powered inference (2023).
    Angelopoulos, Duchi and Zrnic, PPI++: Efficient prediction-powered inference (2023).
"""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arguments.checks import OptionError, RowError, shown
from ...statistics.arguments.domains import Labels, Level, Parsed, Range, Weights, checked_options
from ...statistics.arithmetic.exact_sums import exact_sum
from ...statistics.intervals.estimates import influence_interval
from ...statistics.intervals.intervals import critical_value
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.summary import reported
from .judged_rows import JudgedRows, judged_rows, label_numbers
from .rogan_gladen import rogan_gladen

_ROUNDED_ZERO = 1e-12  # a smaller lambda is that of a judge without correlation, rounded

Method = Literal["ppi++", "ppi", "rogan_gladen", "labelled"]
PowerTuning = Literal["clipped", "free"]
Combination = Literal["mean", "weights"]
RowWeighting = Literal["normalized", "horvitz_thompson"]
IntervalMethod = Literal["auto", "normal"]


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
        power_tuning: the weights of the judges, shape (strata, judges).
        influences: of rows on the rate, times the sum of sizes.
        sizes: the weights of the labels of rows; 0 without a label.
        unseen: the smallest and the largest value of an unseen row of size 1.
    """

    value: float
    plain_variance: float
    power_tuning: Floats
    influences: Floats
    sizes: Floats
    unseen: tuple[float, float]


@checked_options
def judge_corrected(
    predictions: ArrayLike,
    references: ArrayLike | Sequence[Sequence[float]],
    *,
    method: Method = "ppi++",
    power_tuning: PowerTuning = "clipped",
    combine: Combination = "mean",
    strata: Labels | None = None,
    clusters: Labels | None = None,
    labelling_probability: Weights | None = None,
    weighting: RowWeighting = "normalized",
    score_range: ScoreRange = (0.0, 1.0),
    interval: IntervalMethod = "auto",
    ddof: Annotated[int, Range(0, 1)] = 0,
    confidence_level: Level | None = 0.95,
) -> dict[str, Any]:
    """Return the corrected rate, its error and interval, and the benefit of the judge.

    Args:
        predictions: the verdict of the judge on each row, or a list with one of each judge.
        references: the label of each row by a person, NaN if missing; or a list of it,
            empty if missing.
        method: "ppi++"; "ppi", with lambda 1; "rogan_gladen", from sensitivity and specificity, for
            labels chosen by class; "labelled", from labels only.
        power_tuning: whether lambda is "clipped" to 0 to 1 or "free".
        combine: the "mean" of several judges, or "weights" fitted to the labels.
        strata: the stratum of each row; each stratum is estimated by itself.
        clusters: the cluster of each row; labels may be on any rows of a cluster.
        labelling_probability: the probability with which each row was labelled.
        weighting: residuals are weighted by 1 / probability, "normalized" to mean 1 (Hajek) or
            unchanged ("horvitz_thompson").
        score_range: the smallest and the largest possible label.
        interval: "auto" or "normal", value plus and minus z standard errors.
        ddof: 1 to divide the variances of the standard error by n - 1.
        confidence_level: the level of the interval; None for none.

    Raises:
        ValueError: a row or an option is not valid, or options cannot be combined.

    >>> nan = float("nan")
    >>> verdicts, labels = [1.0, 1, 0, 1, 1, 0, 1, 1], [1.0, 1, 0, 0, nan, nan, nan, nan]
    >>> result = judge_corrected(verdicts, labels)
    >>> round(result["judge_corrected"], 4), result["judge_bias"], result["labelled"]
    (0.5, 0.25, 4)
    """
    if combine == "weights":
        if method != "ppi++" or interval != "normal":
            raise ValueError(
                "combine='weights' fits a weight per judge to the labels, and no interval around "
                "it holds: it needs method='ppi++' and interval='normal'; combine='mean' takes the "
                "mean of the judges"
            )
        if strata is not None or clusters is not None or labelling_probability is not None:
            raise ValueError("combine='weights' takes no strata, clusters or labelling_probability")
    rows = judged_rows(
        predictions,
        references,
        mean_of_judges=combine == "mean",
        strata=strata,
        clusters=clusters,
        labelling_probability=labelling_probability,
    )
    level = None if confidence_level is None else float(confidence_level)
    bounds = finite_range(score_range)
    if method == "rogan_gladen":
        if strata is not None or clusters is not None or labelling_probability is not None:
            raise ValueError("rogan_gladen takes no strata, clusters or labelling_probability")
        return rogan_gladen(rows, level)
    if method != "labelled" and rows.labelled == len(rows):
        raise ValueError("references: every row is labelled, so there is nothing to correct")
    if interval == "auto":
        labels = label_numbers(references)
        is_outside = (labels < bounds[0]) | (labels > bounds[1])
        if is_outside.any():
            row = int(is_outside.argmax())
            low, high = bounds
            problem = f"is {labels[row]:g}, outside score_range ({low:g}, {high:g})"
            raise RowError("references", row, problem)
    free = power_tuning == "free" or combine == "weights"

    def corrected(method: str) -> Correction:
        if rows.probabilities is None:
            return _of_random_labels(rows, method, free, ddof, bounds)
        if weighting == "horvitz_thompson":
            return _horvitz_thompson(rows, method)
        return _of_weighted_labels(rows, method, free, bounds)

    correction = corrected(method)
    result = _result(rows, correction, ddof)
    if level is not None:
        if interval == "normal" or weighting == "horvitz_thompson":
            value, error = correction.value, result["standard_error"]
            n_clusters = None if rows.clusters is None else int(rows.clusters.max()) + 1
            reach = critical_value(level, math.inf) * error
            estimate = Interval(value - reach, value + reach, "normal", error, None, n_clusters)
        else:
            choices = [correction, *([corrected("labelled")] if method == "ppi++" else [])]
            estimate = _interval(rows, choices, bounds, level)
        error = result["standard_error"]
        result |= reported({"judge_corrected": estimate}) | {"standard_error": error}
    return result


# Labels at random, in strata or in clusters


def _of_random_labels(
    rows: JudgedRows, method: str, free: bool, ddof: int, bounds: tuple[float, float]
) -> Correction:
    """Return the correction if all rows of a stratum are equally likely to be labelled.

    Raises:
        ValueError: there are too few rows with or without labels, or all labels are in one cluster.
    """
    total = len(rows)
    fewest = 0 if method == "labelled" else 1 + ddof
    amount = ("no row", "one row", "two rows")[fewest]
    value = plain = 0.0
    tuning, influences, unseen = [], np.zeros(rows.counts.size), []
    for stratum in range(max(len(rows.stratum_names), 1)):
        members = rows.strata == stratum
        labelled, unlabelled = members & rows.is_labelled, members & ~rows.is_labelled
        n_labelled = int(rows.counts[labelled].sum())
        n_unlabelled = int(rows.counts[unlabelled].sum())
        if n_labelled < 2 or n_unlabelled < fewest:
            required = f"needs two labelled rows and {amount} without a label"
            if rows.stratum_names:
                raise ValueError(f"strata: {shown(rows.stratum_names[stratum])} {required}")
            raise ValueError(f"references {required} for ddof={ddof}")
        counts, labels = rows.counts[labelled], rows.labels[labelled]
        verdicts = rows.verdicts[labelled]
        weights = np.full(rows.verdicts.shape[1], float(method == "ppi"))
        if method == "ppi++":
            spread = _covariance(rows.verdicts[members], rows.counts[members])
            weights = _power_tuning(
                _covariances(verdicts, labels, counts, ddof), spread, n_labelled, n_unlabelled, free
            )
        residuals = labels - verdicts @ weights
        unlabelled_verdicts, unlabelled_counts = (
            rows.verdicts[unlabelled] @ weights,
            rows.counts[unlabelled],
        )
        residual_mean, residual_squares = _squares(residuals, counts)
        share = (n_labelled + n_unlabelled) / total
        estimate = residual_mean
        plain_part = residual_squares / (n_labelled - ddof) / n_labelled
        effect = share * rows.labelled / n_labelled  # of a label, times the number of labels
        influences[labelled] = effect * (residuals - residual_mean)
        if weights.any():
            verdict_mean, verdict_squares = _squares(unlabelled_verdicts, unlabelled_counts)
            estimate += verdict_mean
            plain_part += verdict_squares / (n_unlabelled - ddof) / n_unlabelled
            changes = (unlabelled_verdicts - verdict_mean) / n_unlabelled
            influences[unlabelled] = share * rows.labelled * changes
        ends = _residual_range(rows.verdicts[members] @ weights, bounds)
        unseen.append([effect * (end - residual_mean) for end in ends])
        value += share * estimate
        plain += share**2 * plain_part
        tuning.append(weights)
    if rows.clusters is not None:
        sums = np.bincount(rows.clusters, rows.counts * influences) / rows.labelled
        if np.unique(rows.clusters[rows.is_labelled]).size < 2:
            raise ValueError("clusters: labels of at least two clusters are needed")
        plain = sums.size / (sums.size - 1) * float(sums @ sums)
    lowest, highest = zip(*unseen, strict=True)
    return Correction(
        value,
        plain,
        np.array(tuning),
        influences,
        rows.is_labelled.astype(np.float64),
        (value + min(lowest), value + max(highest)),
    )


def _power_tuning(
    covariances: Floats, spread: Floats, labelled: int, unlabelled: int, free: bool
) -> Floats:
    """Return the weights with the smallest variance; 0 for a constant judge.

    For one judge it is the lambda of PPI++, as in ppi-python.
    """
    if covariances.size > 1:
        fitted: Floats = (
            unlabelled / (labelled + unlabelled) * (np.linalg.pinv(spread) @ covariances)
        )
        return fitted
    if not spread[0, 0] > 0:
        return np.zeros(1)
    tuned: Floats = covariances / ((1 + labelled / unlabelled) * spread[0, 0])
    tuned[np.abs(tuned) < _ROUNDED_ZERO] = 0.0
    return tuned if free else np.clip(tuned, 0.0, 1.0)


def _covariances(verdicts: Floats, labels: Floats, counts: Integers, ddof: int) -> Floats:
    """Return the covariance of each judge with the labels."""
    label_distances = labels - exact_mean(labels, counts)
    products = [
        float(exact_sum((column - exact_mean(column, counts)) * label_distances, counts))
        for column in verdicts.T
    ]
    return np.array(products) / (int(counts.sum()) - ddof)


def _covariance(verdicts: Floats, counts: Integers) -> Floats:
    """Return the covariance matrix of judges, unbiased."""
    centred = [column - exact_mean(column, counts) for column in verdicts.T]
    products = [[float(exact_sum(a * b, counts)) for b in centred] for a in centred]
    return np.array(products) / (int(counts.sum()) - 1)


def exact_mean(values: Floats, counts: Integers) -> float:
    """Return the mean of the values of kinds of rows, whose sum is rounded once.

    It does not depend on how equal rows are counted, so clusters do not change a score.
    """
    return float(exact_sum(values, counts)) / int(counts.sum())


def _squares(values: Floats, counts: Integers) -> tuple[float, float]:
    """Return the mean, and the sum of squared distances from it."""
    mean = exact_mean(values, counts)
    return mean, float(exact_sum(np.square(values - mean), counts))


def _residual_range(weighted_verdicts: Floats, bounds: tuple[float, float]) -> tuple[float, float]:
    """Return the range of residuals: a label in the range minus a weighted verdict that occurs."""
    return bounds[0] - float(weighted_verdicts.max()), bounds[1] - float(weighted_verdicts.min())


# Labels with known probabilities


def _of_weighted_labels(
    rows: JudgedRows, method: str, free: bool, bounds: tuple[float, float]
) -> Correction:
    """The correction with residuals weighted by 1 / probability, normalized to mean 1 (Hajek)."""
    total, counts = len(rows), rows.counts
    inverse, labels = _inverse_probabilities(rows)
    verdicts = rows.verdicts[:, 0]
    sum_of_weights = float(counts @ inverse)
    scaled = inverse * (total / sum_of_weights)
    weights = counts * inverse / sum_of_weights
    label_mean, verdict_mean = float(weights @ labels), float(weights @ verdicts)
    of_verdicts = scaled * (verdicts - verdict_mean) - (verdicts - float(counts @ verdicts) / total)
    of_labels = scaled * (labels - label_mean)
    power = float(method == "ppi")
    if method == "ppi++":
        squares = float(counts @ np.square(of_verdicts))
        power = float(counts @ (of_verdicts * of_labels)) / squares if squares > 0 else 0.0
        power = power if free else min(max(power, 0.0), 1.0)
    projected = power * verdicts
    residuals = labels - projected
    residual_mean, projected_mean = float(weights @ residuals), float(counts @ projected) / total
    influences = projected - projected_mean + scaled * (residuals - residual_mean)
    plain = float(counts @ np.square(influences)) / total**2
    value = projected_mean + residual_mean
    lowest, highest = _residual_range(projected, bounds)
    return Correction(
        value,
        plain,
        np.array([[power]]),
        influences * (sum_of_weights / total),
        inverse,
        (value + lowest - residual_mean, value + highest - residual_mean),
    )


def _horvitz_thompson(rows: JudgedRows, method: str) -> Correction:
    """Return the correction with weights 1 / probability, not normalized, and a free lambda."""
    total, counts = len(rows), rows.counts
    inverse, labels = _inverse_probabilities(rows)
    verdicts = rows.verdicts[:, 0]
    of_verdicts, of_labels = verdicts * (inverse - 1), labels * inverse
    power = float(method == "ppi")
    if method == "ppi++":
        means = [float(counts @ values) / total for values in (of_verdicts, of_labels)]
        squares = float(counts @ np.square(of_verdicts - means[0]))
        products = float(counts @ ((of_verdicts - means[0]) * (of_labels - means[1])))
        power = products / squares if squares > 0 else 0.0
    mean, squares = _squares(power * verdicts + inverse * (labels - power * verdicts), counts)
    plain = squares / (total - 1) / total
    nothing = np.zeros(counts.size)
    return Correction(mean, plain, np.array([[power]]), nothing, nothing, (-math.inf, math.inf))


def _inverse_probabilities(rows: JudgedRows) -> tuple[Floats, Floats]:
    """1 / probability of labelled rows, else 0; and their labels, else 0."""
    labelled = rows.is_labelled
    inverse = np.where(labelled, 1 / np.asarray(rows.probabilities), 0.0)
    return inverse, np.where(labelled, rows.labels, 0.0)


# Results


def _result(rows: JudgedRows, correction: Correction, ddof: int) -> dict[str, Any]:
    """Return the result without its interval."""
    labelled, number = rows.is_labelled, rows.labelled
    counts, labels = rows.counts[labelled], rows.labels[labelled]
    judged = [exact_mean(column, rows.counts) for column in rows.verdicts.T]
    if rows.probabilities is None:
        label_mean, squares = _squares(labels, counts)
        verdict_means = [exact_mean(column[labelled], counts) for column in rows.verdicts.T]
        labels_variance = squares / number / (number - ddof)
    else:
        weights = counts / rows.probabilities[labelled]
        weights /= weights.sum()
        label_mean = float(weights @ labels)
        verdict_means = [float(weights @ column[labelled]) for column in rows.verdicts.T]
        influences = weights / counts * (labels - label_mean)
        labels_variance = float(counts @ np.square(influences))
    bias = np.array(verdict_means) - label_mean
    plain = correction.plain_variance
    return {
        "judge_corrected": correction.value,
        "standard_error": math.sqrt(plain),
        "judged_rate": _single(np.array(judged)),
        "labelled_rate": label_mean,
        "judge_bias": _single(bias),
        "power_tuning": _tuning(rows, correction.power_tuning),
        "effective_labels": number * labels_variance / plain if plain > 0 else math.nan,
        "labelled": number,
        "n": len(rows),
    }


def _single(values: Floats) -> float | list[float]:
    """Return the value of one judge, or the list of the values of several."""
    return float(values[0]) if values.size == 1 else values.tolist()


def _tuning(rows: JudgedRows, power_tuning: Floats) -> Any:
    """Return lambda, or the one of each judge, or of each stratum by its label."""
    of_strata = [_single(weights) for weights in power_tuning]
    if rows.stratum_names:
        return dict(zip(rows.stratum_names, of_strata, strict=True))
    return of_strata[0]


def _interval(
    rows: JudgedRows,
    corrections: Sequence[Correction],
    bounds: tuple[float, float],
    confidence_level: float,
) -> Interval:
    """Return the narrowest interval that holds the corrected rate.

    Args:
        rows: the rows.
        corrections: with the judge, and with a weight of 0, that is by the labels alone.
        bounds: the smallest and the largest possible label.
        confidence_level: strictly between 0 and 1.
    """
    intervals = [
        influence_interval(
            min(max(correction.value, bounds[0]), bounds[1]),
            correction.influences,
            rows.counts,
            clusters=rows.clusters,
            sizes=correction.sizes,
            confidence_level=confidence_level,
            unseen=correction.unseen,
            bounds=bounds,
        )
        for correction in corrections
    ]
    value = min(max(corrections[0].value, bounds[0]), bounds[1])
    holding = [interval for interval in intervals if interval.low <= value <= interval.high]
    return min(holding, key=lambda interval: interval.high - interval.low)
