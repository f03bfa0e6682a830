"""Chosen thresholds, beside scikit-learn's curves, and what they are worth on other rows."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.interpolate import interp1d
from scipy.optimize import brentq
from scipy.stats import norm
from sklearn import metrics

from metric_commons import load
from metric_commons.labels.classification.operating_points import (
    chosen_threshold,
    equal_error_rate,
    held_out_parts,
    parse_rule,
    point_scores,
)
from metric_commons.labels.thresholds.areas import RowScores
from metric_commons.labels.thresholds.curves import score_counts
from metric_commons.statistics.intervals.cluster_sums import Clusters
from metric_commons.statistics.intervals.methods import Uncertainty
from tests.spec import drawn_examples

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
    of_recall = [metrics.fbeta_score(positive, scores >= score, beta=3.0) for score in scores]
    threshold = chosen_threshold(counts, parse_rule("f_beta"), 3.0)
    found = metrics.fbeta_score(positive, scores >= threshold, beta=3.0)
    assert found == pytest.approx(max(of_recall))
    recalls = [
        metrics.balanced_accuracy_score(positive, scores >= threshold)
        for threshold in roc_thresholds
    ]
    best = roc_thresholds[np.isclose(recalls, max(recalls), rtol=0, atol=1e-12)].max()
    assert chosen("youden") == chosen("balanced_accuracy") == best
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


@pytest.mark.parametrize("rule", ["youden", "balanced_accuracy"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_balanced_accuracy_of_a_point_is_that_of_scikit_learn(rule, weighted):
    rng = np.random.default_rng(4)
    positive = rng.random(80) < 0.3
    scores = (rng.random(80) + 0.4 * positive).round(2) / 2
    weights = rng.integers(1, 4, 80).astype(float) if weighted else None
    point = load("classification").compute(
        predictions=scores, references=positive, sample_weight=weights, operating_point=rule
    )["operating_point"]

    def balanced(threshold):
        return metrics.balanced_accuracy_score(positive, scores >= threshold, sample_weight=weights)

    assert point["balanced_accuracy"] == pytest.approx(balanced(point["threshold"]), abs=1e-12)
    assert point["balanced_accuracy"] == pytest.approx(max(map(balanced, scores)), abs=1e-12)
    assert 2 * point["balanced_accuracy"] - 1 == pytest.approx(point["recall"] - point["fpr"])
    assert point["held_out"]["balanced_accuracy"] < point["balanced_accuracy"]


@pytest.mark.long
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_no_row_is_judged_by_a_threshold_that_it_chose_whatever_the_order(weighted, clustered):
    rng = np.random.default_rng(1)
    table = {
        "predictions": rng.random(60).round(2),
        "references": rng.integers(0, 2, 60),
        "sample_weight": rng.random(60) if weighted else None,
        "clusters": rng.integers(0, 12, 60).astype(str) if clustered else None,
    }
    options = {"operating_point": "f1", "confidence_level": 0.9, "n_resamples": 20, "seed": 3}
    classification = load("classification")
    result = classification.compute(**table, **options)["operating_point"]
    order = rng.permutation(60)
    shuffled = {name: None if col is None else col[order] for name, col in table.items()}

    assert repr(classification.compute(**shuffled, **options)["operating_point"]) == repr(result)
    assert result["held_out"]["f1"] < result["f1"]
    low, high = result["held_out"]["confidence_interval"]["f1"]
    assert low < result["held_out"]["f1"] < high


def test_clusters_are_held_out_whole():
    """Rows of one cluster are copies: one that is held out alone would be judged by its copies."""
    rng = np.random.default_rng(2)
    positive = np.repeat(rng.random(20) < 0.5, 5)
    scores = np.repeat(rng.random(20), 5)
    clusters = Clusters.of_labels(np.repeat(np.arange(20), 5), 100)
    rows = RowScores(scores, positive, None)
    by_cluster = held_out_parts(rows, clusters, 0).reshape(20, 5)
    assert (by_cluster == by_cluster[:, :1]).all()


@pytest.mark.parametrize(
    ("scores", "positive", "rule"),
    [
        ([0.5, 0.2], [1, 1], "fpr<=0.1"),
        ([0.5, 0.2], [0, 0], "f1"),
        ([0.5], [1], "eer"),
        *(
            ([0.2, 0.7], of, rule)
            for of in ([1, 1], [0, 0])
            for rule in ("youden", "balanced_accuracy")
        ),
    ],
)
def test_without_a_class_there_is_nothing_to_choose(scores, positive, rule):
    rows = RowScores(np.array(scores), np.array(positive) == 1, None)
    point, _ = point_scores(rows, rule)
    assert math.isnan(point["threshold"])
    assert math.isnan(point.get("eer", math.nan))


@pytest.mark.parametrize("rule", ["recall", "recall>=1.5", "recall<=0.5", "fpr>=0.5", "best", 3])
def test_other_rules_are_errors(rule):
    with pytest.raises(ValueError, match=r"^operating_point must be 'f1', 'f_beta', 'eer', "):
        load("classification").compute(
            predictions=[0.1, 0.9], references=[0, 1], operating_point=rule
        )


@pytest.mark.slow
def test_intervals_of_held_out_scores_cover():
    """Where the best threshold of the same rows looks better by 0.06, and its interval fails."""
    rng = np.random.default_rng(0)
    covered, apparent, honest = [], [], []
    for _ in range(400):
        positive = rng.random(100) < 0.3
        scores = rng.normal(size=100) + positive
        rows = RowScores(scores, positive, None)
        point, found = point_scores(rows, "f1", uncertainty=Uncertainty())
        tpr, fpr = norm.sf(point["threshold"] - 1), norm.sf(point["threshold"])
        f1 = 0.6 * tpr / (0.3 * tpr + 0.7 * fpr + 0.3)
        low, high = found["held_out"]["f1"][:2]
        covered.append(low <= f1 <= high)
        apparent.append(point["f1"] - f1)
        honest.append(point["held_out"]["f1"] - f1)
    assert np.mean(covered) >= 0.92
    assert abs(np.mean(honest)) < 0.02 < 0.05 < np.mean(apparent)
