"""Measures of the errors of predicted numbers, from moments and from rows."""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np

from ..statistics.arguments.arrays import Column, take
from ..statistics.arguments.checks import OptionError, check_labels, shown
from ..statistics.arguments.domains import Labels, Level, Parsed, Resamples, Seed, checked_options
from ..statistics.arithmetic.exact_sums import as_float, exact_ldexp, quotient, root
from ..statistics.intervals.cluster_sums import Clusters
from ..statistics.intervals.methods import Method
from ..statistics.intervals.summary import members, uncertainty
from .enclosed_sums import MEASURES as ENCLOSED_MEASURES
from .enclosed_sums import enclosing_moments
from .error_intervals import measure_estimators
from .explained_intervals import RANK_CORRELATIONS, median
from .measure_names import (
    D2_NAMES,
    LOSS_NAMES,
    ORDER_NAMES,
    Measures,
    RegressionMeasure,
    parse_measures,
)
from .moments import Moments, compute_moments, no_moments, required_measures, required_terms
from .pairs import Pairs, check_finite
from .prediction_intervals import are_of_intervals, interval_scores
from .row_losses import loss_values


def output_weights(multioutput: Any) -> tuple[float, ...]:
    """Return the weights of outputs as numbers.

    >>> output_weights([0.25, 1])
    (0.25, 1.0)
    >>> output_weights([0, 0])
    Traceback (most recent call last):
    ValueError: multioutput must be one of 'uniform_average', 'raw_values', 'variance_weighted', \
or a list of weights, at least 0 and not all 0, got [0, 0]
    """
    values = multioutput.tolist() if isinstance(multioutput, np.ndarray) else multioutput
    are_numbers = isinstance(values, list | tuple) and all(
        isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
        for value in values
    )
    if not are_numbers or not any(values):
        raise ValueError(
            "multioutput must be one of 'uniform_average', 'raw_values', 'variance_weighted', "
            f"or a list of weights, at least 0 and not all 0, got {shown(multioutput)}"
        )
    return tuple(map(float, values))


Multioutput = (
    Literal["uniform_average", "raw_values", "variance_weighted"]
    | Annotated[Sequence[float], Parsed(output_weights, "a list with a weight for each output")]
)


@checked_options
def regression_scores(
    predictions: Column,
    references: Column,
    *,
    measures: Measures = ("mae", "mse", "rmse", "r2"),
    multioutput: Multioutput = "uniform_average",
    sample_weight: Any = None,
    confidence_level: Level | None = None,
    interval: Method = "auto",
    clusters: Labels | None = None,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
    groups: Labels | None = None,
) -> dict[str, Any]:
    """Return the measures by name and, if a confidence level is given, their intervals.

    Args:
        predictions: one number per row, or a list of numbers, one for each output; for measures of
            prediction intervals, [low, high] per row.
        references: the same; for intervals, one number per row.
        measures: names, as in `measure_names`.
        multioutput: "uniform_average" averages the values of the outputs, "variance_weighted"
            weights each output by the variance of its references, a list of numbers gives the
            weights; "raw_values" returns a list.
        sample_weight: one non-negative weight per row; not for `spearman` and `kendall`.
        confidence_level: the level of intervals, such as 0.95; None for no intervals.
        interval: the method; "auto" suits each measure, "bootstrap" resamples rows.
        clusters: the cluster of each row, such as its document; intervals are then based on
            clusters instead of rows, and scores do not change.
        n_resamples: the number of resamples of rows, or clusters, with all their outputs.
        seed: the seed of the resampling.
        groups: one label per row; also return the measures of each group under `groups`.

    Raises:
        ValueError: a number is not finite, rows differ in length, or an option is not valid; names
            the row or the option.

    >>> regression_scores(
    ...     [2.5, 0.0, 2.0, 8.0], [3.0, -0.5, 2.0, 7.0], measures=["mae", "median_ae"]
    ... )
    {'mae': 0.5, 'median_ae': 0.5}
    >>> regression_scores([1.0], [2.0], measures=["mae", "r2"])
    {'mae': 1.0, 'r2': nan}
    """
    parsed = parse_measures(measures)
    group_rows = {}
    if groups is not None:
        group_rows = members(check_labels("groups", groups, len(references)))
    all_clusters = None if clusters is None else Clusters.of_labels(clusters, len(references))
    uncertain: dict[str, Any] = {
        "confidence_level": confidence_level,
        "interval": interval,
        "n_resamples": n_resamples,
        "seed": seed,
    }
    options: dict[str, Any] = {"sample_weight": sample_weight, **uncertain}
    if not are_of_intervals(parsed):
        options["multioutput"] = multioutput
        result = _error_scores(predictions, references, parsed, clusters=all_clusters, **options)
    elif multioutput == "uniform_average":
        result = interval_scores(predictions, references, parsed, clusters=all_clusters, **options)
    else:
        raise OptionError(
            "multioutput", f"applies to separate outputs, which {parsed[0].name!r} does not have"
        )
    if groups is not None:
        further = {"sample_weight": sample_weight, "clusters": clusters}
        result["groups"] = {
            label: regression_scores(
                take(predictions, rows),
                take(references, rows),
                measures=measures,
                multioutput=multioutput,
                **{name: take(column, rows) for name, column in further.items()},
                **uncertain,
            )
            | {"n": len(rows)}
            for label, rows in group_rows.items()
        }
    return result


def _error_scores(
    predictions: Column,
    references: Column,
    measures: Sequence[RegressionMeasure],
    *,
    multioutput: Any,
    sample_weight: Any,
    clusters: Clusters | None,
    **uncertain: Any,
) -> dict[str, Any]:
    """Return the measures of numbers, and their intervals."""
    names = [measure.name for measure in measures]
    for name in ("spearman", "kendall"):
        if sample_weight is not None and name in names:
            raise ValueError(f"sample_weight does not apply to {name!r}: ranks have no weights")
    pairs = Pairs(predictions, references, sample_weight)
    if not isinstance(multioutput, str):
        multioutput = output_weights(multioutput)
    values, moments = _values_of_moments(pairs, names, multioutput)
    if not {*names}.isdisjoint(ORDER_NAMES):
        check_finite(predictions=pairs.predictions, references=pairs.references)
    if "median_ae" in names:
        values["median_ae"] = [math.nan] * pairs.outputs
        if len(pairs.references):
            errors, exponent = pairs.absolute_errors()
            medians = (Fraction(median(output, pairs.weights)) for output in errors)
            values["median_ae"] = [as_float(exact_ldexp(value, exponent)) for value in medians]
    for measure in measures:
        if measure.kind in RANK_CORRELATIONS:
            columns = (np.atleast_2d(table.T) for table in (pairs.predictions, pairs.references))
            correlation = RANK_CORRELATIONS[measure.kind]
            values[measure.name] = [correlation(*pair) for pair in zip(*columns, strict=True)]
        elif measure.kind in (*LOSS_NAMES, *D2_NAMES):
            values[measure.name] = loss_values(measure, pairs)
    result = aggregate_outputs({name: values[name] for name in names}, moments, multioutput)
    if uncertain["confidence_level"] is not None:
        estimators = measure_estimators(pairs, measures, multioutput, clusters, values)
        result |= uncertainty(estimators, **uncertain)
    return result


def _values_of_moments(
    pairs: Pairs, names: Sequence[str], multioutput: Any
) -> tuple[dict[str, list[float]], list[Moments]]:
    """The measures that follow from moments, and these, which are enclosures where they suffice."""
    names = [name for name in names if name in MOMENT_MEASURES]
    if not names and multioutput != "variance_weighted":
        return {}, no_moments(pairs, [])
    if {*names} <= {*ENCLOSED_MEASURES} and multioutput != "variance_weighted":
        ends = enclosing_moments(pairs, required_terms(names))
        if ends is not None:
            best, worst = (moment_measures(moments, names) for moments in ends)
            if best == worst:
                return best, ends[0]
    moments = compute_moments(pairs, required_measures(names, multioutput))
    return moment_measures(moments, names), moments


def moment_measures(moments: Sequence[Moments], measures: Sequence[str]) -> dict[str, list[float]]:
    """Return the values of measures in each output.

    Undefined values are NaN: everything if the weights sum to zero, R2 of less than two rows, and
    the correlation of a constant. R2 and the explained variance of constant references are 1.0 if
    the residuals do not vary, otherwise 0.0, as in scikit-learn.

    Args:
        moments: the moments of each output that the measures need.
        measures: names from `MOMENT_MEASURES`.

    >>> pairs = Pairs([2.5, 0.0, 2.0, 8.0], [3.0, -0.5, 2.0, 7.0])
    >>> moment_measures(compute_moments(pairs, ["mae", "r2"]), ["mae", "r2"])
    {'mae': [0.5], 'r2': [0.9486081370449678]}
    """
    return {
        name: [
            MOMENT_MEASURES[name](of_output) if of_output.weight else math.nan
            for of_output in moments
        ]
        for name in measures
    }


def aggregate_outputs(
    values: Mapping[str, list[float]],
    moments: Sequence[Moments],
    multioutput: str | Sequence[float],
) -> dict[str, Any]:
    """Return the average of each measure over the outputs.

    With "raw_values", the list of its values.
    """
    if multioutput == "raw_values":
        return dict(values)
    weights: list[Fraction] | None = None
    if multioutput == "variance_weighted":
        variations = [
            Fraction(0)
            if not of_output.weight or of_output.constant("reference")
            else of_output.variation("reference")
            for of_output in moments
        ]
        weights = variations if any(variations) else None
    elif not isinstance(multioutput, str):
        if len(multioutput) != len(moments):
            raise ValueError(
                f"multioutput has {len(multioutput)} weights, but rows have {len(moments)} numbers"
            )
        weights = [Fraction(weight) for weight in multioutput]
    return {name: _average(outputs, weights) for name, outputs in values.items()}


def _average(values: Sequence[float], weights: Sequence[Fraction] | None) -> float:
    """Return the average over the outputs, rounded once; outputs with weight 0 are ignored."""
    if len(values) == 1:
        return values[0]
    pairs = zip(values, weights or [Fraction(1)] * len(values), strict=True)
    weighted = [(value, weight) for value, weight in pairs if weight]
    if not all(math.isfinite(value) for value, _ in weighted):
        return sum(value for value, _ in weighted if not math.isfinite(value))
    total = sum(Fraction(value) * weight for value, weight in weighted)
    return as_float(total / sum(weight for _, weight in weighted))


# Measures from the moments of one output


def _max_error(moments: Moments) -> float:
    low, high = moments.ranges["residual"]
    return as_float(Fraction(max(-low, high)))


def _r2(moments: Moments) -> float:
    if moments.rows < 2:
        return math.nan
    return _explained(moments, moments.sums["squared"])


_ROUNDING = 10**9  # a variation this many times smaller than its terms may be due to rounding


def _explained_variance(moments: Moments) -> float:
    # The variation of residuals follows from those of references and predictions and their
    # covariation. Residuals themselves are rounded, which shows if predictions are far off. If they
    # are all equal, a variation near 0 is 0, but not otherwise.
    terms = moments.variation("reference") + moments.variation("prediction")
    unexplained = terms - 2 * moments.covariation()
    if moments.constant("residual") and unexplained * _ROUNDING <= terms:
        unexplained = Fraction(0)
    return _explained(moments, unexplained)


def _explained(moments: Moments, unexplained: Fraction) -> float:
    """Return the proportion of the variation of references that is explained."""
    variation = moments.variation("reference")
    if moments.constant("reference") or variation <= 0:
        return float(not unexplained)
    return quotient(variation - unexplained, variation)


def _pearson(moments: Moments) -> float:
    if moments.constant("reference") or moments.constant("prediction"):
        return math.nan
    reference, prediction = moments.variation("reference"), moments.variation("prediction")
    if reference <= 0 or prediction <= 0:  # rounded to nothing
        return math.nan
    covariation = moments.covariation()
    correlation = min(root(covariation * covariation / (reference * prediction)), 1.0)
    return correlation if covariation > 0 else -correlation


def _concordance(moments: Moments) -> float:
    """Lin's coefficient: 2 covariation / (both variations + rows * (difference of means)**2).

    Source:
        Lin, A concordance correlation coefficient to evaluate reproducibility (1989).
    """
    distance = moments.mean("reference") - moments.mean("prediction")
    spread = moments.variation("reference") + moments.variation("prediction")
    spread += moments.weight * distance**2
    if moments.rows < 2 or spread <= 0:
        return math.nan
    return quotient(2 * moments.covariation(), spread)


MOMENT_MEASURES: dict[str, Callable[[Moments], float]] = {
    "mae": lambda moments: moments.mean_float("absolute"),
    "mse": lambda moments: moments.mean_float("squared"),
    "rmse": lambda moments: root(moments.mean("squared")),
    "r2": _r2,
    "mape": lambda moments: moments.mean_float("relative"),
    "smape": lambda moments: moments.mean_float("symmetric"),
    "max_error": _max_error,
    "explained_variance": _explained_variance,
    "pearson": _pearson,
    "concordance": _concordance,
}
