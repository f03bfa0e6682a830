"""Scores of probabilities against fractions, decimals and definitions."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metric_commons.classification.curves import (
    Scored,
    calibration,
    curve_scores,
    pr_curve,
    roc_curve,
)
from metric_commons.classification.score_counts import score_counts

SOME = settings(max_examples=80)
EXTREME = [0.0, -0.0, 5e-324, -5e-324, 2.0, 1.9999999999999998, -2.0, 1e308, -1e308, 1e-300, 1.0]
NUMBERS = st.sampled_from(EXTREME) | st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.lists(st.tuples(NUMBERS, st.booleans()), min_size=1, max_size=40)
PROBABLE = st.sampled_from([0.0, 1.0, 0.5, 1e-17, 1e-5, 1 - 1e-16]) | st.floats(0, 1)


def columns(rows):
    scores, positive = zip(*rows, strict=True)
    return np.array(scores), np.array(positive)


def groups(rows, weights=None):
    """Scores, descending, with the sums of weights of positives and negatives, in fractions."""
    found = {}
    for (score, positive), weight in zip(rows, weights or [1] * len(rows), strict=True):
        if weight:
            sums = found.setdefault(score, [Fraction(0), Fraction(0)])
            sums[not positive] += Fraction(weight)
    return sorted(found.items(), reverse=True)


def areas(rows, weights=None):
    """ROC-AUC, average precision and area under the precision-recall curve, in fractions."""
    found = groups(rows, weights)
    positives = sum(p for _, (p, _) in found)
    negatives = sum(n for _, (_, n) in found)
    true = false = pairs = precisions = trapezoids = Fraction(0)
    before = Fraction(1)
    for _, (p, n) in found:
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


@SOME
@given(ROWS, st.data())
def test_areas_are_those_of_the_definition(rows, data):
    weights = data.draw(
        st.none()
        | st.lists(st.integers(0, 4) | st.floats(1e-3, 9), min_size=len(rows), max_size=len(rows))
    )
    scores, positive = columns(rows)
    if weights and not sum(weights):
        return
    scored = Scored(scores, positive, threshold=0.25, sample_weight=weights)
    found = curve_scores(scored)
    expected = areas(rows, weights)

    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-13, abs=1e-15, nan_ok=True), name
    if weights is None and not math.isnan(expected["roc_auc"]):
        assert found["roc_auc"] == expected["roc_auc"]


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


@SOME
@given(st.lists(st.tuples(PROBABLE, st.booleans()), min_size=1, max_size=30))
@example([(1e-9, False)])
@example([(0.0, True), (1.0, False)])
def test_losses_are_those_of_the_definition(rows):
    scores, positive = columns(rows)
    found = curve_scores(Scored(scores, positive))

    for name, value in losses(rows).items():
        assert found[name] == pytest.approx(value, rel=4e-15, abs=1e-300), name


def test_what_is_no_probability_has_areas_alone():
    found = curve_scores(Scored(np.array([-3.0, 4.0]), [0, 1], threshold=0.0), calibration_bins=3)

    assert found["roc_auc"] == found["average_precision"] == 1.0
    assert all(math.isnan(found[name]) for name in ("log_loss", "brier", "ece", "mce"))
    assert found["calibration"] == {"predicted": [], "observed": [], "rows": []}


def test_one_class_has_no_pairs():
    positives = curve_scores(Scored(np.array([0.2, 0.9]), [1, 1]), confidence_level=0.9)
    negatives = curve_scores(Scored(np.array([0.2, 0.9]), [0, 0]), confidence_level=0.9)

    assert math.isnan(positives["roc_auc"])
    assert positives["average_precision"] == positives["pr_auc"] == 1.0
    assert all(math.isnan(negatives[name]) for name in ("roc_auc", "average_precision", "pr_auc"))
    assert negatives["log_loss"] == pytest.approx(-math.log(0.8 * 0.1) / 2)
    assert all(map(math.isnan, negatives["confidence_interval"]["roc_auc"]))


def test_weights_of_nothing_leave_nothing():
    scored = Scored(np.array([0.2, 0.9]), [0, 1], sample_weight=[0, 0])
    found = curve_scores(scored, curves=True, calibration_bins=2, confidence_level=0.9)

    for name in ("roc_auc", "average_precision", "pr_auc", "log_loss", "brier", "ece", "mce"):
        assert math.isnan(found[name]), name
    assert found["pr_curve"] == {"precision": [1.0], "recall": [0.0], "thresholds": []}


# Calibration


@SOME
@given(st.lists(st.tuples(PROBABLE, st.booleans()), min_size=1, max_size=40), st.integers(1, 20))
def test_bins_hold_their_upper_edge(rows, bins):
    found = calibration(score_counts(*columns(rows)), bins)
    edges = np.linspace(0, 1, bins + 1)
    obvious = {}
    for score, positive in rows:
        bin_ = next(b for b in range(bins) if score <= edges[b + 1])
        obvious.setdefault(bin_, []).append((score, positive))

    in_bins = [obvious[b] for b in sorted(obvious)]
    means = [math.fsum(score for score, _ in members) / len(members) for members in in_bins]
    assert found.rows == [len(members) for members in in_bins]
    assert found.observed == [sum(p for _, p in members) / len(members) for members in in_bins]
    assert found.predicted == pytest.approx(means, rel=1e-14)
    scores, positive = columns(rows)
    errors = curve_scores(Scored(scores, positive), calibration_bins=bins)
    gaps = [abs(o - p) for o, p in zip(found.observed, found.predicted, strict=True)]
    assert errors["mce"] == max(gaps)
    assert errors["ece"] == pytest.approx(np.average(gaps, weights=found.rows), abs=1e-15)


def test_bins_of_equal_mass():
    scores = np.arange(1, 101) / 101
    found = calibration(score_counts(scores, scores > 0.3), 4, "quantile")

    assert found.rows == [25] * 4
    weighed = score_counts(scores, scores > 0.3, np.full(100, 0.5))
    assert calibration(weighed, 4, "quantile").rows == [12.5] * 4


# Intervals


def by_definition(scores, positive):
    """The standard error of the area under the ROC curve: DeLong et al., pair by pair."""
    wins = {(a, b): (a > b) + (a == b) / 2 for a, b in product(scores[positive], scores[~positive])}
    pairs = np.array([[wins[a, b] for b in scores[~positive]] for a in scores[positive]])
    of_positives, of_negatives = pairs.mean(axis=1), pairs.mean(axis=0)
    return math.sqrt(
        of_positives.var(ddof=1) / len(of_positives) + of_negatives.var(ddof=1) / len(of_negatives)
    )


@SOME
@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=6, max_size=60))
def test_the_interval_of_the_area_is_that_of_delong(rows):
    scores, positive = columns(rows)
    if not 2 <= positive.sum() <= len(rows) - 2:
        return
    found = curve_scores(Scored(scores / 10, positive), confidence_level=0.9)
    reach = NormalDist().inv_cdf(0.95) * by_definition(scores, positive)
    area = found["roc_auc"]

    assert found["confidence_interval"]["roc_auc"] == pytest.approx(
        [max(area - reach, 0), min(area + reach, 1)], abs=1e-12
    )


def by_weights(compute, rows, weights):
    """Variances of scores from what a little more weight of each row changes."""
    step = 1e-6
    variances = {}
    for row in range(rows):
        up, down = weights.copy(), weights.copy()
        up[row] += step
        down[row] -= step
        more, less = compute(up), compute(down)
        for name in more:
            slope = (np.array(more[name]) - np.array(less[name])) / (2 * step) * weights[row]
            variances[name] = variances.get(name, 0) + slope**2
    return variances


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_intervals_follow_from_the_influence_of_rows(weighed, ties):
    rng = np.random.default_rng(3)
    positive = rng.random(40) < 0.4
    scores = np.clip(rng.normal(0.4 + 0.2 * positive, 0.2), 0.01, 0.99)
    scores = np.round(scores, 1) if ties else scores
    weights = rng.random(40) + 0.5 if weighed else np.ones(40)

    def compute(weights):
        found = curve_scores(Scored(scores, positive, sample_weight=weights), calibration_bins=4)
        return {name: value for name, value in found.items() if isinstance(value, float)}

    check_intervals(
        compute,
        curve_scores(
            Scored(scores, positive, sample_weight=weights if weighed else None),
            calibration_bins=4,
            confidence_level=0.9,
        ),
        weights,
        spared=() if weighed else ("roc_auc",),  # DeLong divides by n - 1
    )


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", "none"])
@pytest.mark.parametrize("weighed", [False, True])
def test_intervals_of_several_labels_follow_from_the_influence_of_rows(average, weighed):
    rng = np.random.default_rng(4)
    references = rng.integers(0, 3, 40)
    raw = rng.random((40, 3)) + np.eye(3)[references]
    probabilities = raw / raw.sum(axis=1, keepdims=True)
    weights = rng.random(40) + 0.5 if weighed else np.ones(40)
    shares = np.bincount(references, weights)

    def compute(weights):
        each = {} if average != "weighted" else {"average": "none"}
        scored = Scored(
            probabilities, references, sample_weight=weights, **{"average": average} | each
        )
        found = curve_scores(scored, calibration_bins=3)
        return {
            # how many rows have a label is taken as given
            name: np.average(value, weights=shares) if each and isinstance(value, list) else value
            for name, value in found.items()
            if isinstance(value, float | list)
        }

    found = curve_scores(
        Scored(
            probabilities,
            references,
            average=average,
            sample_weight=weights if weighed else None,
        ),
        calibration_bins=3,
        confidence_level=0.9,
    )
    spared = () if weighed else ("roc_auc",)
    check_intervals(compute, found, weights, spared=spared)


def check_intervals(compute, found, weights, spared):
    reach = NormalDist().inv_cdf(0.95)
    for name, variance in by_weights(compute, len(weights), weights).items():
        ends = np.array(found["confidence_interval"][name])
        value = np.array(found[name])
        assert (ends[..., 0] <= value).all()
        assert (value <= ends[..., 1]).all()
        if name not in spared:
            inside = np.clip(value - reach * np.sqrt(variance), 0, None)
            assert ends[..., 0] == pytest.approx(inside, rel=1e-5, abs=1e-6), name


# Curves


def test_the_roc_curve_keeps_corners_alone():
    counts = score_counts(np.arange(6) / 10, np.arange(6) >= 3)

    assert roc_curve(counts) == {
        "fpr": [0.0, 0.0, 0.0, 1.0],
        "tpr": [0.0, 1 / 3, 1.0, 1.0],
        "thresholds": [math.inf, 0.5, 0.3, 0.0],
    }


def test_curves_of_one_class_say_what_they_can():
    counts = score_counts(np.array([0.1, 0.2]), np.array([False, False]))

    assert pr_curve(counts)["recall"] == [1.0, 1.0, 0.0]
    assert all(map(math.isnan, roc_curve(counts)["tpr"]))
    assert roc_curve(counts)["fpr"] == [0.0, 0.5, 1.0]


def test_curves_of_several_labels_are_a_list():
    scored = Scored([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.0, 0.25, 0.75]], [0, 1, 2])
    found = curve_scores(scored, curves=True)

    assert [curve["tpr"][-1] for curve in found["roc_curve"]] == [1.0] * 3
    assert len(found["pr_curve"]) == 3


# Columns


def test_two_columns_with_names_are_a_binary_task():
    probabilities = [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]
    plain = Scored([0.1, 0.8, 0.4], [0, 1, 1])
    for labels, rows in (([0, 1], probabilities), ([1, 0], [row[::-1] for row in probabilities])):
        named = Scored(rows, [0, 1, 1], labels=labels)
        assert curve_scores(named) == curve_scores(plain)
        assert named.classes.labels == labels


def test_one_column_is_a_score():
    column = Scored(np.array([[0.1], [0.8]]), [0, 1])

    assert curve_scores(column) == curve_scores(Scored([0.1, 0.8], [0, 1]))


def test_a_row_is_positive_from_the_threshold_on():
    table = Scored([0.5, 0.25, 0.75], ["n", "n", "p"], threshold=0.5).table

    assert (table.first, table.second) == (["n", "p"], ["n", "p"])
    assert table.matrix().tolist() == [[1, 1], [0, 1]]


THIRDS = [[0.2, 0.3, 0.5]] * 3


@pytest.mark.parametrize(
    ("predictions", "references", "options", "message"),
    [
        ([0.5, math.inf], [0, 1], {}, r"predictions\[1\] is inf; a score is a finite number"),
        ([[0.5, 0.5, math.inf]], [0], {}, r"predictions\[0\]\[2\] is inf"),
        ([0.5, 3.0], [0, 1], {}, r"predictions\[1\] is 3.0, so these look like logits"),
        ([0.5, 0.1, 0.2], [0, 1, 2], {}, "3 labels, but one score a row"),
        ([1.0, 0.0, 2.0], [0, 1, 2], {}, "3 labels, but one score a row"),
        ([0.5, 0.1], ["a", "a"], {}, r"one label, 'a'; labels=\[...\] must name the other"),
        ([0.5, 0.1], ["a", "b"], {"pos_label": "c"}, "pos_label must be one of"),
        ([0.5, 0.1], [0, 1], {"threshold": math.nan}, "threshold must be a finite number"),
        ([0.5, 0.1], [0, 1], {"threshold": "0.5"}, "threshold must be a finite number"),
        ([0.5, 0.1], [0.0, 0.5], {}, r"references\[1\] is 0.5; a label"),
        ([[0.5, 0.5]], [0, 1], {}, "two labels: predictions must hold one score a row"),
        (THIRDS, [0, 1, 3], {"labels": [0, 1, 2]}, "references hold 3, which is not one of"),
        (THIRDS, [0, 1, 2], {"labels": [0, 1]}, "3 columns, but there are 2 labels"),
        (THIRDS, [0, 1, 1], {}, "3 columns, but there are 2 labels"),
        (THIRDS, [0, 0, 0], {}, "3 columns, but there are 1 labels"),
        ([[0.2, 0.3, 0.4]] * 3, [0, 1, 2], {}, r"predictions\[0\] is \[0.2, 0.3, 0.4\]; the prob"),
        ([*THIRDS[:2], [-0.5, 0.5, 1.0]], [0, 1, 2], {}, r"predictions\[2\] is \[-0.5"),
        ([*THIRDS[:2], [0.5, 0.5]], [0, 1, 2], {}, r"predictions\[2\] has 2 probabilities"),
        ([[], []], [0, 1], {}, r"predictions\[0\] has no probabilities"),
        ([0.5, 0.1], [0, 1], {"sample_weight": [1]}, "sample_weight has 1 weights"),
        ([0.5, 0.1], [0, 1], {"sample_weight": [1, math.nan]}, r"sample_weight\[1\] is nan"),
        ([0.5, 0.1], [0, 1], {"sample_weight": "ab"}, "sample_weight must hold one number a row"),
        ([0.5, 0.1], [0, 1], {"sample_weight": [1e308, 1e308]}, "more than a float64 can hold"),
    ],
)
def test_scores_that_make_no_sense_are_refused(predictions, references, options, message):
    with pytest.raises(ValueError, match=message):
        Scored(predictions, references, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"curves": 1}, "curves must be True or False"),
        ({"calibration_bins": 0}, "calibration_bins must be an integer, at least 1"),
        ({"calibration_bins": True}, "calibration_bins must be an integer"),
        ({"calibration_strategy": "equal"}, "calibration_strategy must be one of"),
        ({"confidence_level": 95}, "confidence_level must lie strictly between 0 and 1"),
    ],
)
def test_a_bad_option_is_named(options, message):
    scored = Scored([0.5, 0.1], [0, 1])
    for each in (scored, None):
        with pytest.raises(ValueError, match=message):
            curve_scores(each, **options)


def test_labels_have_no_curves():
    assert curve_scores(None) == {}
    with pytest.raises(ValueError, match="curves is about scores, but predictions are labels"):
        curve_scores(None, curves=True)
