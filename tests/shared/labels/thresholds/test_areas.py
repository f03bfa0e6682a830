"""Areas and losses against fractions, decimals and definitions, with the influences of rows."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.labels.classification.classified_rows import classified
from metric_commons.labels.classification.curve_scores import curve_scores
from metric_commons.labels.thresholds.areas import AREAS, ColumnScores, RowScores
from metric_commons.statistics.intervals.intervals import ratio_error
from tests.scored_rows import PROBABILITIES, QUICK, ROWS, check_influences, columns

MEASURES = ("roc_auc", "pr_auc", "average_precision", "log_loss", "brier")


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
    result = classification_scores(scores, positive, threshold=0.25, sample_weight=weights)
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
    result = classification_scores(scores, positive)

    for name, value in losses(rows).items():
        assert result[name] == pytest.approx(value, rel=4e-15, abs=1e-300), name


def test_one_class_has_no_pairs():
    positives = classification_scores([0.2, 0.9], [1, 1], confidence_level=0.9)
    negatives = classification_scores([0.2, 0.9], [0, 0], confidence_level=0.9)

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
def test_the_error_of_the_area_is_that_of_delong(rows):
    scores, positive = columns(rows)
    if not 2 <= positive.sum() <= len(rows) - 2:
        return
    of_rows = AREAS["roc_auc"](RowScores(scores / 10, positive)).rows()
    error = ratio_error(of_rows, np.ones(len(rows))) * math.sqrt(1 - 1 / len(rows))
    assert error == pytest.approx(delong_standard_error(scores, positive), abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_variances_follow_from_the_influence_of_rows(weighted, ties):
    rng = np.random.default_rng(3)
    positive = rng.random(40) < 0.4
    scores = np.clip(rng.normal(0.4 + 0.2 * positive, 0.2), 0.01, 0.99)
    scores = np.round(scores, 1) if ties else scores
    weights = rng.random(40) + 0.5 if weighted else np.ones(40)

    def compute(weights):
        result = classification_scores(scores, positive, sample_weight=weights)
        return {name: result[name] for name in MEASURES}

    of_rows = weights if weighted else None
    rows = classified(scores, positive.tolist(), of_rows)
    # DeLong divides by n - 1.
    check_influences(compute, curve_scores(rows).scores, weights, () if weighted else ("roc_auc",))


@pytest.mark.long
@pytest.mark.parametrize("average", ["macro", "weighted", "micro", "none"])
@pytest.mark.parametrize("weighted", [False, True])
def test_variances_of_several_labels_follow_from_the_influence_of_rows(average, weighted):
    rng = np.random.default_rng(4)
    references = rng.integers(0, 3, 40)
    scores = rng.random((40, 3)) + np.eye(3)[references]
    probabilities = scores / scores.sum(axis=1, keepdims=True)
    weights = rng.random(40) + 0.5 if weighted else np.ones(40)
    support = np.bincount(references, weights)

    columns = probabilities, references

    def compute(weights):
        # The support of labels counts as constant, so the weighted mean is taken here.
        by_support = average == "weighted"
        kind = "none" if by_support else average
        options = {"sample_weight": weights, "average": kind}
        result = classification_scores(*columns, **options)
        if by_support:
            result |= {name: np.average(result[name], weights=support) for name in MEASURES[:3]}
        return {name: result[name] for name in MEASURES}

    measured = curve_scores(classified(*columns, weights if weighted else None, average=average))
    check_influences(compute, measured.scores, weights, () if weighted else ("roc_auc",))


STEP = 2.0**-20


@pytest.mark.parametrize("digits", [1, 6])
@pytest.mark.parametrize("max_fpr", [0.07, 0.3, 0.9])
def test_an_influence_is_how_much_the_area_changes_with_a_weight(max_fpr, digits):
    rng = np.random.default_rng(0)
    positive = rng.random(40) < 0.5
    scores = (rng.random(40) + 0.3 * positive).round(digits)
    weights = np.ones(40)
    rows = RowScores(scores, positive, weights)
    measured = rows.partial_roc_auc(max_fpr)
    influences = (measured.rows() - measured.value) / weights.sum()
    for row in range(40):
        heavier = weights.copy()
        heavier[row] += STEP
        area = RowScores(scores, positive, heavier).partial_roc_auc(max_fpr).value
        assert influences[row] == pytest.approx((area - measured.value) / STEP, abs=1e-5)


def test_influences_on_areas_of_pairs_are_changes_with_a_weight():
    rng = np.random.default_rng(2)
    references, scores = rng.integers(0, 3, 30), rng.random((30, 3)).round(1)

    def area(weights):
        return ColumnScores(scores, references, weights).one_vs_one_roc_auc("macro")

    weights = np.ones(30)
    measured = area(weights)
    influences = (measured.rows() - measured.value) / 30
    for row in range(30):
        heavier = weights.copy()
        heavier[row] += STEP
        change = (area(heavier).value - measured.value) / STEP
        assert influences[row] == pytest.approx(change, abs=1e-5)
