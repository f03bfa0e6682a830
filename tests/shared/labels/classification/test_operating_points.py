"""Chosen thresholds, beside scikit-learn's curves, and what they are worth on other rows."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.interpolate import interp1d
from scipy.optimize import brentq
from sklearn import metrics

from metric_commons import load
from metric_commons.labels.classification.operating_points import (
    chosen_threshold,
    equal_error_rate,
    parse_rule,
    point_scores,
)
from metric_commons.labels.thresholds.areas import RowScores
from metric_commons.labels.thresholds.curves import score_counts
from tests.spec import drawn_examples
from tests.tables import by_table

ROWS = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=30)


def columns(rows):
    scores, positive = (np.array(column) for column in zip(*rows, strict=True))
    assume(positive.any() and not positive.all())
    return scores.astype(float), positive


@pytest.mark.long
@drawn_examples(80)
@given(ROWS, st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]))
def test_a_threshold_is_the_one_of_the_curves(rows, limit):
    scores, positive = columns(rows)
    counts = score_counts(scores, positive)
    precision, _, thresholds = metrics.precision_recall_curve(positive, scores)
    fpr, tpr, roc_thresholds = metrics.roc_curve(positive, scores, drop_intermediate=False)

    def chosen(rule):
        return chosen_threshold(counts, parse_rule(rule))

    f1 = [metrics.f1_score(positive, scores >= threshold) for threshold in thresholds]
    assert metrics.f1_score(positive, scores >= chosen("f1")) == max(f1)
    recalls = [
        metrics.balanced_accuracy_score(positive, scores >= threshold)
        for threshold in roc_thresholds
    ]
    best = roc_thresholds[np.isclose(recalls, max(recalls), rtol=0, atol=1e-12)].max()
    assert chosen("youden") == best
    best = roc_thresholds[np.isclose(tpr - fpr, (tpr - fpr).max(), rtol=0, atol=1e-12)].max()
    assert chosen("youden") == best
    assert chosen(f"recall>={limit}") == (roc_thresholds[tpr >= limit].max())
    assert chosen(f"fpr<={limit}") == roc_thresholds[fpr <= limit].min()
    assert chosen(f"specificity>={1 - limit}") == roc_thresholds[1 - fpr >= 1 - limit].min()
    good = thresholds[precision[:-1] >= limit]
    assert chosen(f"precision>={limit}") == (good.min() if good.size else math.inf)
    gaps = np.abs(fpr - (1 - tpr))
    threshold = chosen("eer")
    assert gaps[roc_thresholds == threshold][0] == pytest.approx(gaps.min(), abs=1e-15)
    crossing = brentq(lambda x: 1.0 - x - interp1d(fpr, tpr)(x), 0.0, 1.0)
    if len(np.unique(fpr)) == len(fpr):  # else interp1d has several values at a point
        assert equal_error_rate(counts) == pytest.approx(crossing, abs=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_balanced_accuracy_of_a_point_is_that_of_scikit_learn(weighted):
    rng = np.random.default_rng(4)
    positive = rng.random(80) < 0.3
    scores = (rng.random(80) + 0.4 * positive).round(2) / 2
    weights = rng.integers(1, 4, 80).astype(float) if weighted else None
    point = load("classification").compute(
        predictions=scores, references=positive, sample_weight=weights, operating_point="youden"
    )["operating_point"]

    def balanced(threshold):
        return metrics.balanced_accuracy_score(positive, scores >= threshold, sample_weight=weights)

    assert point["balanced_accuracy"] == pytest.approx(balanced(point["threshold"]), abs=1e-12)
    assert point["balanced_accuracy"] == pytest.approx(max(map(balanced, scores)), abs=1e-12)
    assert 2 * point["balanced_accuracy"] - 1 == pytest.approx(point["recall"] - point["fpr"])


@by_table("scores, positive, rule")
def test_without_a_class_there_is_nothing_to_choose(scores, positive, rule):
    rows = RowScores(np.array(scores), np.array(positive) == 1, None)
    point = point_scores(rows, rule)
    assert math.isnan(point["threshold"])
    assert math.isnan(point.get("eer", math.nan))


@pytest.mark.parametrize("rule", ["recall", "recall>=1.5", "recall<=0.5", "fpr>=0.5", "f_beta", 3])
def test_other_rules_are_errors(rule):
    with pytest.raises(ValueError, match=r"^operating_point must be 'f1', 'eer', 'youden', "):
        load("classification").compute(
            predictions=[0.1, 0.9], references=[0, 1], operating_point=rule
        )
