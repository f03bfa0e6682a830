"""Areas and losses of binary tasks against fractions, decimals and definitions."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metric_commons.labels.classification.predicted_scores import PredictedScores, curve_scores
from tests.scored_rows import PROBABILITIES, QUICK, ROWS, check_intervals, columns


def groups(rows, weights=None):
    """Scores, descending, with the sums of weights of positives and negatives, in fractions."""
    groups = {}
    for (score, positive), weight in zip(rows, weights or [1] * len(rows), strict=True):
        if weight:
            sums = groups.setdefault(score, [Fraction(0), Fraction(0)])
            sums[not positive] += Fraction(weight)
    return sorted(groups.items(), reverse=True)


def areas(rows, weights=None):
    """ROC-AUC, average precision and area under the precision-recall curve, in fractions."""
    sums = groups(rows, weights)
    positives = sum(p for _, (p, _) in sums)
    negatives = sum(n for _, (_, n) in sums)
    true = false = pairs = precisions = trapezoids = Fraction(0)
    before = Fraction(1)
    for _, (p, n) in sums:
        pairs += n * (true + p / 2)
        true, false = true + p, false + n
        precision = true / (true + false)
        precisions += p * precision
        trapezoids += p * (precision + before) / 2
        before = precision
    return {
        "roc_auc": float(pairs / positives / negatives) if positives and negatives else math.nan,
        "average_precision": float(precisions / positives) if positives else math.nan,
        "pr_auc": float(trapezoids / positives) if positives else math.nan,
    }


@pytest.mark.long
@QUICK
@given(ROWS, st.data())
def test_areas_are_those_of_the_definition(rows, data):
    weights = data.draw(
        st.none()
        | st.lists(st.integers(0, 4) | st.floats(1e-3, 9), min_size=len(rows), max_size=len(rows))
    )
    scores, positive = columns(rows)
    if weights and not sum(weights):
        return
    result = curve_scores(PredictedScores(scores, positive, threshold=0.25, sample_weight=weights))
    expected = areas(rows, weights)

    for name, value in expected.items():
        assert result[name] == pytest.approx(value, rel=1e-13, abs=1e-15, nan_ok=True), name
    if weights is None and not math.isnan(expected["roc_auc"]):
        assert result["roc_auc"] == expected["roc_auc"]


def losses(rows):
    """Log loss and Brier score, to 50 digits."""
    with localcontext(prec=50):
        total = Decimal(0)
        for score, positive in rows:
            p = Decimal(min(max(score, 2.0**-52), 1 - 2.0**-52))
            total -= (p if positive else 1 - p).ln()
        return {
            "log_loss": float(total / len(rows)),
            "brier": float(sum((Fraction(s) - p) ** 2 for s, p in rows) / len(rows)),
        }


@QUICK
@given(st.lists(st.tuples(PROBABILITIES, st.booleans()), min_size=1, max_size=30))
@example([(1e-9, False)])
@example([(0.0, True), (1.0, False)])
def test_losses_are_those_of_the_definition(rows):
    scores, positive = columns(rows)
    result = curve_scores(PredictedScores(scores, positive))

    for name, value in losses(rows).items():
        assert result[name] == pytest.approx(value, rel=4e-15, abs=1e-300), name


def test_one_class_has_no_pairs():
    positives = curve_scores(PredictedScores(np.array([0.2, 0.9]), [1, 1]), confidence_level=0.9)
    negatives = curve_scores(PredictedScores(np.array([0.2, 0.9]), [0, 0]), confidence_level=0.9)

    assert math.isnan(positives["roc_auc"])
    assert positives["average_precision"] == positives["pr_auc"] == 1.0
    assert all(math.isnan(negatives[name]) for name in ("roc_auc", "average_precision", "pr_auc"))
    assert negatives["log_loss"] == pytest.approx(-math.log(0.8 * 0.1) / 2)
    assert all(map(math.isnan, negatives["confidence_interval"]["roc_auc"]))


# Intervals


def delong_standard_error(scores, positive):
    """The standard error of the area under the ROC curve: DeLong et al., pair by pair."""
    wins = {(a, b): (a > b) + (a == b) / 2 for a, b in product(scores[positive], scores[~positive])}
    pairs = np.array([[wins[a, b] for b in scores[~positive]] for a in scores[positive]])
    positive_placements, negative_placements = pairs.mean(axis=1), pairs.mean(axis=0)
    return math.sqrt(
        positive_placements.var(ddof=1) / len(positive_placements)
        + negative_placements.var(ddof=1) / len(negative_placements)
    )


@QUICK
@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=6, max_size=60))
def test_the_interval_of_the_area_is_that_of_delong(rows):
    scores, positive = columns(rows)
    if not 2 <= positive.sum() <= len(rows) - 2:
        return
    options = {"confidence_level": 0.9, "interval": "bootstrap"}
    result = curve_scores(PredictedScores(scores / 10, positive), **options)
    margin = NormalDist().inv_cdf(0.95) * delong_standard_error(scores, positive)
    area = result["roc_auc"]

    assert result["confidence_interval"]["roc_auc"] == pytest.approx(
        [max(area - margin, 0), min(area + margin, 1)], abs=1e-12
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_intervals_follow_from_the_influence_of_rows(weighted, ties):
    rng = np.random.default_rng(3)
    positive = rng.random(40) < 0.4
    scores = np.clip(rng.normal(0.4 + 0.2 * positive, 0.2), 0.01, 0.99)
    scores = np.round(scores, 1) if ties else scores
    weights = rng.random(40) + 0.5 if weighted else np.ones(40)

    def compute(weights):
        predicted = PredictedScores(scores, positive, sample_weight=weights)
        result = curve_scores(predicted, calibration_bins=4)
        return {name: value for name, value in result.items() if isinstance(value, float)}

    check_intervals(
        compute,
        curve_scores(
            PredictedScores(scores, positive, sample_weight=weights if weighted else None),
            calibration_bins=4,
            confidence_level=0.9,
            interval="bootstrap",
        ),
        weights,
        excluded=() if weighted else ("roc_auc",),  # DeLong divides by n - 1
    )
