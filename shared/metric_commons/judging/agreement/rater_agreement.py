"""The agreement of two raters, of any number of them, or of a panel of judges with true labels."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Annotated, Any

import numpy as np

from ...statistics.arguments.arrays import Column, Floats, Integers
from ...statistics.arguments.checks import (
    OptionError,
    RowError,
    check_measures,
    check_widths,
    shown,
)
from ...statistics.arguments.domains import Parsed, checked_options
from ...statistics.arithmetic.rank_correlations import CORRELATIONS, PairedScores
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.correlation_intervals import correlation_interval
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import UNDEFINED, Interval
from ...statistics.intervals.summary import Measured, interval_of, summarize_inputs
from .agreement_coefficients import (
    Coefficient,
    Level,
    WeightBy,
    Weighting,
    chance_corrected,
    cohen_kappa,
    krippendorff_alpha,
    label_weights,
    plain_agreement,
)
from .rated_units import RatedUnits, paired_units, rated_units, unordered


def panel_scores(
    predictions: Column,
    references: Column,
    labels: Any = None,
    uncertainty: Uncertainty | None = None,
) -> Measured:
    """Return the scores of a panel of judges, and the intervals of scores of rows.

    Correlated errors make a panel smaller than it looks. If the errors of k judges have the mean
    correlation r, the mean of their verdicts varies as much as that of k / (1 + (k - 1) r) judges
    with independent errors: the effective number of judges.

    Args:
        predictions: for each row the verdict of each judge, in the same order in all rows.
        references: the true label of each row.
        labels: all labels; None for those that occur.
        uncertainty: the level, the method and the clusters; None for no intervals.

    Returns:
        The scores: `agreement` (the mean over judges of the proportion of verdicts that are right),
        `best_agreement`, `majority_agreement` (of a tied majority the true label's part),
        `tied_majorities`, `constant_agreement`, `error_correlation` and `effective_judges` (NaN if
        a judge never errs or always does, or r is below -1 / (k - 1)), `all_wrong` and `judges`.

    Raises:
        ValueError: a verdict is missing, or rows have different numbers of judges.

    >>> verdicts = [[1, 1, 0], [0, 1, 0], [1, 1, 1], [0, 0, 1]]
    >>> scores, _ = panel_scores(verdicts, [1, 0, 1, 1])
    >>> scores["majority_agreement"], scores["judges"], round(scores["error_correlation"], 4)
    (0.75, 3, -0.1111)
    """
    judges = len(predictions[0])
    check_widths("predictions", predictions, "verdicts")
    for row, verdicts in enumerate(predictions):
        if None in verdicts or any(verdict != verdict for verdict in verdicts):
            raise RowError("predictions", row, "lacks a verdict; every judge must give one")
    if not judges:
        raise RowError("predictions", 0, "has no verdicts; a panel has at least one judge")
    ratings = [(*verdicts, label) for verdicts, label in zip(predictions, references, strict=True)]
    panel = rated_units(ratings, labels=labels, clusters=_clusters(uncertainty), in_order=True)
    codes, truth = panel.codes[:, :-1], panel.codes[:, -1]
    counts, rows = panel.counts, len(panel)
    is_wrong = (codes != truth[:, np.newaxis]).astype(np.int64)
    joint_errors = is_wrong.T @ (is_wrong * counts[:, np.newaxis])  # errors of each pair of judges
    errors = np.diag(joint_errors).tolist()
    majority, is_tied = _majorities(codes, truth)
    correlation, effective = _correlated_errors(joint_errors, rows)
    row_scores = {
        "agreement": 1 - is_wrong.sum(axis=1) / judges,
        "majority_agreement": majority,
        "all_wrong": is_wrong.all(axis=1).astype(np.float64),
    }
    means = {
        name: math.fsum((values * counts).tolist()) / rows for name, values in row_scores.items()
    }
    scores = {
        "agreement": 1 - sum(errors) / (rows * judges),
        "best_agreement": 1 - min(errors) / rows,
        "majority_agreement": means["majority_agreement"],
        "tied_majorities": int(counts[is_tied].sum()),
        "constant_agreement": int(np.bincount(truth, counts).max()) / rows,
        "error_correlation": correlation,
        "effective_judges": effective,
        "all_wrong": means["all_wrong"],
        "judges": judges,
    }
    intervals: dict[str, Interval] = {}
    if uncertainty is None:
        return scores, intervals
    for name, values in row_scores.items():
        with interval_of(name):
            intervals[name] = panel.mean_interval(values, uncertainty)
    return scores, intervals


def _majorities(verdicts: Integers, truth: Integers) -> tuple[Floats, Any]:
    """For each row the true label's part of the majority, and whether several labels share it."""
    supporters = sum(
        (verdicts == verdicts[:, [judge]]).astype(np.int64) for judge in range(verdicts.shape[1])
    )
    most_votes = np.max(supporters, axis=1)
    is_leading = supporters == most_votes[:, np.newaxis]
    # Each leading label is counted by its supporters.
    leaders = is_leading.sum(axis=1) // most_votes
    is_right = (is_leading & (verdicts == truth[:, np.newaxis])).any(axis=1)
    return is_right / leaders, leaders > 1


def _correlated_errors(joint_errors: Integers, rows: int) -> tuple[float, float]:
    """The mean correlation of the errors of two judges, and the effective number of judges."""
    judges = len(joint_errors)
    variances = [rows * errors - errors**2 for errors in np.diag(joint_errors).tolist()]
    if judges < 2 or not all(variances):
        return math.nan, math.nan
    correlations = [
        (rows * int(joint_errors[i, j]) - int(joint_errors[i, i]) * int(joint_errors[j, j]))
        / math.sqrt(variances[i] * variances[j])
        for i, j in combinations(range(judges), 2)
    ]
    mean = math.fsum(correlations) / len(correlations)
    denominator = 1 + (judges - 1) * mean
    return mean, judges / denominator if denominator > 0 else math.nan


VERDICTS = ("A", "B", "tie")  # the first answer wins, the second, neither
_HALF_POINTS = np.array([2, 0, 1])  # of the answer shown first, for each verdict


def swapped_verdicts(
    predictions: Column, references: Column, uncertainty: Uncertainty | None = None
) -> Measured:
    """Return the scores of verdicts in both orders, and the intervals of two of them.

    A verdict is "A" if the answer shown first wins, "B" if the second wins, or "tie". A pair leans
    to the first place if both verdicts together give it more than half of the points. Without
    preference for a place a pair that leans is as likely to lean to either, so the p-value is that
    of the exact two-sided sign test; without ties that is McNemar's exact test.

    Args:
        predictions: the verdicts with system a shown first.
        references: the verdicts about the same pairs with system b shown first.
        uncertainty: the level, the method and the clusters; None for no intervals.

    Raises:
        ValueError: a verdict is none of these.

    >>> scores, _ = swapped_verdicts(["A", "A", "B", "tie"], ["A", "B", "A", "tie"])
    >>> scores["swap_consistency"], scores["first_position_share"], scores["win_rate_a"]
    (0.75, 0.25, 0.5)
    """
    from scipy.special import bdtr

    clusters = _clusters(uncertainty)
    pairs = paired_units(predictions, references, labels=VERDICTS, clusters=clusters)
    counts, rows = pairs.counts, len(pairs)
    first, second = _HALF_POINTS[pairs.codes.T]
    points = first + second  # of the first place, of 4
    leaning = [int(counts[points > 2].sum()), int(counts[points < 2].sum())]
    p_value = min(1.0, 2 * float(bdtr(min(leaning), sum(leaning), 0.5))) if any(leaning) else 1.0
    consistent = int(counts[points == 2].sum())
    rate = int(points @ counts) / (4 * rows)
    scores = {
        "swap_consistency": consistent / rows,
        "first_position_share": int(counts[points == 4].sum()) / rows,
        "second_position_share": int(counts[points == 0].sum()) / rows,
        "first_position_rate": rate,
        "win_rate_a": int((first + 2 - second) @ counts) / (4 * rows),
        "position_p_value": p_value,
    }
    intervals: dict[str, Interval] = {}
    columns = {"first_position_rate": points / 4, "swap_consistency": (points == 2) * 1.0}
    if uncertainty is None:
        return scores, intervals
    for name, values in columns.items():
        with interval_of(name):
            intervals[name] = pairs.mean_interval(values, uncertainty)
    return scores, intervals


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


_parse = partial(check_measures, supported=(*OF_PAIRS, *OF_UNITS))
Measures = Annotated[Sequence[str], Parsed(_parse, "names of measures")]


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
    **uncertainty: Any,
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
        **uncertainty: the options of `summarize_inputs`.

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
    columns = {"predictions": predictions}
    if references is None and not are_lists:
        raise ValueError("references is missing; without it, predictions are lists of ratings")
    if references is not None:
        columns["references"] = references
    if swapped:
        if references is None or are_lists:
            raise OptionError("swapped", "needs one verdict per row in predictions and references")
        return summarize_inputs(swapped_verdicts, columns, **uncertainty)
    if references is not None and are_lists:
        return summarize_inputs(partial(panel_scores, labels=labels), columns, **uncertainty)
    names = _parse(measures or (_DEFAULT_OF_UNITS if references is None else _DEFAULT_OF_PAIRS))

    def kernel(
        *,
        predictions: Column,
        references: Column | None = None,
        uncertainty: Uncertainty | None = None,
    ) -> Measured:
        are_pairs, clusters = references is not None, _clusters(uncertainty)
        if references is None:
            units = rated_units(predictions, labels=labels, clusters=clusters)
        else:
            units = paired_units(predictions, references, labels=labels, clusters=clusters)
        result, intervals = {}, {}
        for name in names:
            if name in OF_PAIRS and not are_pairs:
                problem = (
                    f"holds {shown(name)}, which is of two raters: pass predictions and references"
                )
                raise OptionError("measures", problem)
            if name in _CORRELATIONS:
                result[name], interval_of_score = _correlation(name, units)
            else:
                coefficient = _coefficient(name, units, weights, weight_by, level)
                result[name], interval_of_score = coefficient.value, coefficient.interval
            if uncertainty is not None:
                with interval_of(name):
                    intervals[name] = interval_of_score(uncertainty)
        if are_pairs:
            # What agreement has to be compared with: that of a judge who always gives the commonest
            # label of the second rater, as scikit-learn's DummyClassifier does.
            commonest = np.bincount(units.codes[:, 1], units.counts).max()
            result["constant_agreement"] = int(commonest) / len(units)
        return result, intervals

    return summarize_inputs(kernel, columns, **uncertainty)


def _clusters(uncertainty: Uncertainty | None) -> Clusters | None:
    clusters = None if uncertainty is None else uncertainty.clusters
    return clusters if isinstance(clusters, Clusters) else None


def _coefficient(
    name: str, units: RatedUnits, weights: str, weight_by: str | None, level: str
) -> Coefficient:
    if name == "agreement":
        return plain_agreement(units)
    if name == "cohen_kappa":
        return cohen_kappa(units, label_weights(units, weights, weight_by or "position"))
    if name == "krippendorff_alpha":
        return krippendorff_alpha(unordered(units), level)
    table = label_weights(units, weights, weight_by or "value")
    return chance_corrected(unordered(units), table, name)


def _correlation(name: str, units: RatedUnits) -> tuple[float, Callable[[Uncertainty], Interval]]:
    """Return the correlation of two columns of numbers, and the function for its interval."""
    clusters, kinds, counts = units.members or (None, np.arange(len(units.counts)), units.counts)
    numbers = units.numbers(name)[units.codes[np.repeat(kinds, counts)]]
    scores = PairedScores(*numbers.T)
    estimate = CORRELATIONS[name](scores)

    def interval(uncertainty: Uncertainty) -> Interval:
        if clusters is not None:
            labels = [str(number) for number in range(int(clusters.max()) + 1)]
            of_rows = Clusters(labels, np.repeat(clusters, counts))
            uncertainty = replace(uncertainty, clusters=of_rows)
        found = correlation_interval(name, scores, estimate, uncertainty)
        return found or UNDEFINED

    return estimate.value, interval
