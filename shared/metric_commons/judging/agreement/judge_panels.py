"""Several judges on rows with a true label: their accuracy, and the correlation of their errors."""

import math
from itertools import combinations
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Column, Floats, Integers
from ...statistics.arguments.checks import RowError
from ...statistics.intervals.proportions import Interval
from .rated_units import RatedUnits, rated_units


def panel_scores(
    predictions: Column, references: Column, labels: Any = None, clusters: Any = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The scores of a panel of judges, and functions that return the intervals of row scores.

    Correlated errors make a panel smaller than it looks. If the errors of k judges have the mean
    correlation r, the mean of their verdicts varies as much as that of k / (1 + (k - 1) r) judges
    with independent errors: the effective number of judges.

    Args:
        predictions: for each row the verdict of each judge, in the same order in all rows.
        references: the true label of each row.
        labels: all labels; None for those that occur.
        clusters: one label per row; None if rows are independent.

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
    for row, verdicts in enumerate(predictions):
        if len(verdicts) != judges:
            raise RowError(
                "predictions",
                row,
                f"has {len(verdicts)} verdicts, but the first row has {judges}; every judge must "
                "give one",
            )
        if None in verdicts or any(verdict != verdict for verdict in verdicts):
            raise RowError("predictions", row, "lacks a verdict; every judge must give one")
    if not judges:
        raise RowError("predictions", 0, "has no verdicts; a panel has at least one judge")
    columns = [*map(list, zip(*predictions, strict=True)), list(references)]
    panel = rated_units(
        list(zip(*columns, strict=True)), labels=labels, clusters=clusters, in_order=True
    )
    return _scores(panel)


def _scores(panel: RatedUnits) -> tuple[dict[str, Any], dict[str, Any]]:
    verdicts, truth = panel.codes[:, :-1], panel.codes[:, -1]
    counts, rows = panel.counts, len(panel)
    judges = verdicts.shape[1]
    is_wrong = (verdicts != truth[:, np.newaxis]).astype(np.int64)
    joint_errors = is_wrong.T @ (is_wrong * counts[:, np.newaxis])  # errors of each pair of judges
    errors = np.diag(joint_errors).tolist()
    majority, is_tied = _majorities(verdicts, truth)
    correlation, effective = _correlated_errors(joint_errors, rows)
    commonest = int(np.bincount(truth, counts).max())
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
        "constant_agreement": commonest / rows,
        "error_correlation": correlation,
        "effective_judges": effective,
        "all_wrong": means["all_wrong"],
        "judges": judges,
    }

    def function(name: str) -> Any:
        def interval(confidence_level: float) -> Interval:
            influences = row_scores[name] - means[name]
            return panel.interval(means[name], influences, confidence_level)

        return interval

    return scores, {name: function(name) for name in row_scores}


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
