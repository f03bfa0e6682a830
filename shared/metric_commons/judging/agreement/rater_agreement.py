"""The agreement of two raters, of any number of them, or of a panel of judges with true labels."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np

from ...statistics.arguments.arrays import Column, Floats
from ...statistics.arguments.checks import OptionError, shown
from ...statistics.arguments.domains import Labels, Parsed, Resamples, Seed, checked_options
from ...statistics.arguments.domains import Level as ConfidenceLevel
from ...statistics.intervals.intervals import resampled_interval
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.summary import reported
from ...statistics.resampling.row_units import resampled_counts
from .agreement_coefficients import (
    AgreementEstimate,
    chance_corrected,
    cohen_kappa,
    krippendorff_alpha,
    plain_agreement,
)
from .judge_panels import panel_scores
from .rated_units import RatedUnits, paired_units, rated_units, unordered
from .rating_weights import Level, WeightBy, Weighting, label_weights
from .swapped_verdicts import swapped_verdicts

IntervalMethod = Literal["auto", "linearized", "bootstrap"]

OF_PAIRS = ("agreement", "cohen_kappa", "kendall_tau_b", "spearman", "pearson")
OF_UNITS = (
    "percent_agreement",
    "fleiss_kappa",
    "gwet_ac",
    "brennan_prediger",
    "krippendorff_alpha",
)
_CORRELATIONS = ("kendall_tau_b", "spearman", "pearson")
_DEFAULT_OF_PAIRS = ("agreement", "cohen_kappa")
_DEFAULT_OF_UNITS = ("percent_agreement", "krippendorff_alpha")


def parse_measures(measures: Any) -> tuple[str, ...]:
    """Return the names of measures, from one name or several.

    Raises:
        ValueError: a name is unknown or occurs twice, or there are none.

    >>> parse_measures("cohen_kappa")
    ('cohen_kappa',)
    """
    names = (measures,) if isinstance(measures, str) else measures
    choices = (*OF_PAIRS, *OF_UNITS)
    if not isinstance(names, list | tuple) or not names or len(set(names)) < len(names):
        raise OptionError("measures", f"must be different names of measures, got {shown(measures)}")
    for name in names:
        if name not in choices:
            raise OptionError(
                "measures", f"holds {shown(name)}; the measures are {', '.join(choices)}"
            )
    return tuple(names)


Measures = Annotated[Sequence[str], Parsed(parse_measures, "names of measures")]


@checked_options
def judge_agreement(
    predictions: Column,
    references: Column | None = None,
    *,
    measures: Measures | None = None,
    weights: Weighting = "identity",
    weight_by: WeightBy | None = None,
    level: Level = "nominal",
    labels: Sequence[Any] | None = None,
    swapped: bool = False,
    confidence_level: ConfidenceLevel | None = None,
    interval: IntervalMethod = "auto",
    clusters: Labels | None = None,
    n_resamples: Resamples = 10_000,
    seed: Seed = 0,
) -> dict[str, Any]:
    """Return the agreement of raters, and on request intervals.

    Args:
        predictions: the label of each row by the first rater; or for each row a list of ratings,
            None where a rater gave none.
        references: the label of each row by the second rater, or the true one; None if there are
            only lists of ratings. Beside lists they are true labels, and the lists a panel.
        measures: "agreement", "cohen_kappa", "kendall_tau_b", "spearman" and "pearson" of two
            raters; "percent_agreement", "fleiss_kappa", "gwet_ac", "brennan_prediger" and
            "krippendorff_alpha" of two or more; None for agreement and kappa of two raters, percent
            agreement and alpha of more.
        weights: the weights of pairs of different labels, for kappa and similar coefficients.
        weight_by: distances of "position" in the order of labels (the default of kappa, as in
            scikit-learn) or of "value" (the default of the others, as in irrCAC).
        level: the level of measurement, for alpha.
        labels: all labels in their order; None for those that occur, ascending.
        swapped: the columns are verdicts "A", "B" or "tie" about the same pairs of answers in both
            orders.
        confidence_level: also return intervals.
        interval: "auto", "linearized" or "bootstrap"; see `AgreementEstimate.interval`.
        clusters: one label per row: intervals count clusters.
        n_resamples: the number of bootstrap resamples.
        seed: the seed of the bootstrap.

    Raises:
        ValueError: a row or an option is not valid, or does not apply to these columns.

    >>> scores = judge_agreement(["yes", "no", "no", "no"], ["yes", "yes", "no", "no"])
    >>> {name: round(score, 4) for name, score in scores.items()}
    {'agreement': 0.75, 'cohen_kappa': 0.5, 'constant_agreement': 0.5}
    >>> judge_agreement([[1, 1], [1, 2], [2, 2], [2, None]])["percent_agreement"]
    0.6666666666666666
    """
    if not len(predictions):
        raise ValueError("predictions is empty; the agreement on no rows is undefined")
    if references is not None and len(references) != len(predictions):
        raise ValueError(
            f"predictions has {len(predictions)} rows, but references has {len(references)}"
        )
    are_lists = np.ndim(predictions[0]) > 0
    if swapped:
        if references is None or are_lists:
            raise OptionError("swapped", "needs one verdict per row in predictions and references")
        scores, intervals = swapped_verdicts(predictions, references, clusters)
        return _with_intervals(scores, intervals, confidence_level)
    if references is not None and are_lists:
        scores, intervals = panel_scores(predictions, references, labels, clusters)
        return _with_intervals(scores, intervals, confidence_level)

    if references is not None:
        units = paired_units(predictions, references, labels=labels, clusters=clusters)
        names = parse_measures(measures or _DEFAULT_OF_PAIRS)
    elif are_lists:
        units = rated_units(predictions, labels=labels, clusters=clusters)
        names = parse_measures(measures or _DEFAULT_OF_UNITS)
    else:
        raise ValueError("references is missing; without it, predictions are lists of ratings")
    estimators = {
        name: _estimator(name, units, references is not None, weights, weight_by, level)
        for name in names
    }
    estimates = {name: estimator(units) for name, estimator in estimators.items()}
    result: dict[str, Any] = {name: estimate.value for name, estimate in estimates.items()}
    if references is not None:
        result["constant_agreement"] = constant_agreement(units)
    if confidence_level is None:
        return result
    if interval == "bootstrap":
        options: dict[str, Any] = {"n_resamples": int(n_resamples), "seed": int(seed)}
        return result | reported(
            bootstrap_intervals(units, estimators, float(confidence_level), **options)
        )
    return result | reported(
        {
            name: estimate.interval(float(confidence_level), interval)
            for name, estimate in estimates.items()
            if name not in _CORRELATIONS
        }
    )


def state_columns(columns: Mapping[str, Any], **_: Any) -> Mapping[str, Any]:
    """Return the columns whose equal rows a state counts.

    Ratings of a unit in order, without holes.

    Labels of two raters, and verdicts of a panel, stay as they are.

    >>> state_columns({"predictions": [[2, None, 1], [1, 2, None]]})
    {'predictions': [[1, 2], [1, 2]]}
    """
    predictions = columns["predictions"]
    if columns.get("references") is not None or np.ndim(predictions[0]) == 0:
        return columns
    rows = predictions.tolist() if isinstance(predictions, np.ndarray) else predictions
    return {
        "predictions": [
            sorted(value for value in row if value == value and value is not None) for row in rows
        ]
    }


def _with_intervals(
    scores: dict[str, Any],
    intervals: Mapping[str, Callable[[float], Interval]],
    confidence_level: float | None,
) -> dict[str, Any]:
    """Return the scores, and the intervals of some if there is a level."""
    if confidence_level is None:
        return scores
    level = float(confidence_level)
    return scores | reported({name: function(level) for name, function in intervals.items()})


def constant_agreement(pairs: RatedUnits) -> float:
    """The agreement that a judge would reach who always gives the commonest label of the second.

    scikit-learn's DummyClassifier does this. It is what agreement has to be compared with.

    >>> constant_agreement(paired_units([0, 0, 1, 1], [1, 1, 1, 0]))
    0.75
    """
    return int(np.bincount(pairs.codes[:, 1], pairs.counts).max()) / len(pairs)


Estimator = Callable[[RatedUnits], AgreementEstimate]


def _estimator(
    name: str,
    units: RatedUnits,
    are_pairs: bool,
    weights: str,
    weight_by: str | None,
    level: str,
) -> Estimator:
    """Return the function from units to the estimate of a measure.

    Raises:
        ValueError: the measure does not apply to these units.
    """
    if name in OF_PAIRS and not are_pairs:
        raise OptionError(
            "measures",
            f"holds {shown(name)}, which is of two raters: pass predictions and references",
        )
    if name == "agreement":
        return plain_agreement
    if name == "cohen_kappa":
        table = label_weights(units, weights, weight_by or "position")
        return lambda pairs: cohen_kappa(pairs, table)
    if name in _CORRELATIONS:
        numbers = units.numbers(name)
        return lambda pairs: AgreementEstimate(correlation(name, pairs, numbers))
    if name == "krippendorff_alpha":
        return lambda units: krippendorff_alpha(unordered(units), level)
    table = label_weights(units, weights, weight_by or "value")
    return lambda units: chance_corrected(unordered(units), table, name)


def correlation(name: str, pairs: RatedUnits, numbers: Floats) -> float:
    """Kendall's tau b, Spearman's or Pearson's correlation; NaN where a column is constant.

    >>> pairs = paired_units([1, 2, 3], [1, 3, 2])
    >>> correlation("spearman", pairs, pairs.numbers("spearman"))
    0.5
    """
    from scipy.stats import kendalltau, rankdata

    codes = np.repeat(pairs.codes, pairs.counts, axis=0)
    if (codes == codes[0]).all(axis=0).any():
        return math.nan
    columns = codes.T
    if name == "kendall_tau_b":
        return float(kendalltau(*columns).statistic)
    if name == "spearman":
        values = [rankdata(column) for column in columns]
    else:
        values = [numbers[column] for column in columns]
    # Divided by a power of two, no number is too large to be squared, and no digit changes.
    scaled = (np.ldexp(column, -math.frexp(np.abs(column).max())[1]) for column in values)
    first, second = (column - column.mean() for column in scaled)
    size = math.sqrt(float(first @ first) * float(second @ second))
    return min(max(float(first @ second) / size, -1.0), 1.0)


def bootstrap_intervals(
    units: RatedUnits,
    estimators: Mapping[str, Estimator],
    confidence_level: float,
    *,
    n_resamples: int,
    seed: int,
) -> dict[str, Interval]:
    """Return the percentile intervals of measures, from resampled units, or clusters of them.

    The counts of all kinds of units in a resample are drawn together.
    """
    values: dict[str, list[float]] = {name: [] for name in estimators}
    for resample in _resamples(units, n_resamples, seed):
        for name, estimator in estimators.items():
            values[name].append(estimator(resample).value)
    members = units.members
    n_clusters = None if members is None else int(members.clusters.max()) + 1
    return {
        name: resampled_interval(np.array(column), confidence_level, n_clusters)
        for name, column in values.items()
    }


def _resamples(units: RatedUnits, n_resamples: int, seed: int) -> Iterator[RatedUnits]:
    """Resamples of units, or of clusters; their clusters are left out."""
    occurrences = units.counts
    members = units.members
    if members is not None:
        occurrences = np.ones(int(members.clusters.max()) + 1, np.int64)
    for block in resampled_counts(occurrences, n_resamples=n_resamples, seed=seed):
        for counts in block:
            weights = counts
            if members is not None:
                drawn_members = counts[members.clusters] * members.counts
                weights = np.bincount(members.kinds, drawn_members, len(units.counts))
                weights = weights.astype(np.int64)
            is_drawn = weights > 0
            yield replace(
                units, codes=units.codes[is_drawn], counts=weights[is_drawn], members=None
            )
