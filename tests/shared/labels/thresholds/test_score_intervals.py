"""Intervals of areas and losses: what clusters do to them."""

import math

import numpy as np
import pytest

from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.labels.thresholds.areas import AREAS, RowScores
from metric_commons.labels.thresholds.curves import areas_of_weights
from metric_commons.labels.thresholds.score_intervals import _without_idle_scores
from metric_commons.statistics import interval

RNG = np.random.default_rng(6)
ROWS = 80
REFERENCES = (RNG.random(ROWS) < 0.4).astype(int)
SCORES = np.clip(RNG.normal(0.4 + 0.25 * REFERENCES, 0.2), 0.01, 0.99)
OPTIONS = {"confidence_level": 0.9, "calibration_bins": 4}


@pytest.mark.long
def test_the_brier_score_is_a_mean_of_rows():
    labels = [f"c{row % 9}" for row in range(ROWS)]
    losses = (SCORES - REFERENCES) ** 2
    for clusters in (None, labels):
        result = classification_scores(SCORES, REFERENCES, clusters=clusters, **OPTIONS)
        found = interval(losses, clusters=clusters, confidence_level=0.9)
        if clusters:
            error = result["standard_error"]["brier"]
            assert error == pytest.approx(found.standard_error, rel=1e-9)
        ends = result["confidence_interval"]["brier"]
        assert ends == pytest.approx([found.low, found.high], rel=1e-9)


@pytest.mark.long
def test_log_loss_is_a_mean_error():
    labels = [row % 9 for row in range(ROWS)]
    losses = -np.log(np.where(REFERENCES == 1, SCORES, 1 - SCORES))
    for clusters in (None, labels):
        result = classification_scores(SCORES, REFERENCES, clusters=clusters, **OPTIONS)
        options = {"confidence_level": 0.9, "bounds": (0.0, math.inf)}
        expected = interval(losses, clusters=clusters, **options)
        assert result["interval"]["log_loss"] == expected.method == "law"
        low, high = result["confidence_interval"]["log_loss"]
        assert [low, high] == pytest.approx([expected.low, expected.high], rel=1e-9)
        assert low < result["log_loss"] < high


@pytest.mark.long
def test_rows_repeated_in_their_cluster_say_nothing_new():
    twice = np.repeat(np.arange(ROWS), 2)
    labels = [f"row {row}" for row in range(ROWS)]
    single = classification_scores(SCORES, REFERENCES, clusters=labels, **OPTIONS)
    double = classification_scores(
        SCORES[twice], REFERENCES[twice], clusters=[labels[row] for row in twice], **OPTIONS
    )
    for name in ("average_precision", "log_loss", "brier", "ece"):
        assert double[name] == pytest.approx(single[name], rel=1e-12)
        errors = [result["standard_error"][name] for result in (single, double)]
        assert errors[1] == pytest.approx(errors[0], rel=1e-9)
    assert double["design_effect"]["log_loss"] == pytest.approx(2, rel=0.02)


def test_a_perfect_area_is_no_point():
    result = classification_scores(
        np.array([0.1, 0.2, 0.3, 0.7, 0.8, 0.9]), [0, 0, 0, 1, 1, 1], confidence_level=0.95
    )
    low, high = result["confidence_interval"]["roc_auc"]
    assert (result["roc_auc"], high) == (1.0, 1.0)
    assert 0.2 < low < 0.4


@pytest.mark.long
def test_one_cluster_says_little():
    result = classification_scores(
        SCORES, REFERENCES, clusters=["a"] * ROWS, calibration_bins=4, confidence_level=0.95
    )
    for name in ("roc_auc", "average_precision"):
        low, high = result["confidence_interval"][name]
        assert 0 < low < 0.1 < 0.95 < high < 1
        assert name not in result["standard_error"]
    # The score s of one cluster, and one that was not seen: [s * 0.025, s + (1 - s) * 0.975].
    brier, (low, high) = result["brier"], result["confidence_interval"]["brier"]
    assert [low, high] == pytest.approx([0.025 * brier, 1 - 0.025 * (1 - brier)], rel=1e-9)
    low, high = result["confidence_interval"]["ece"]
    assert low == 0 < result["ece"] < high <= 1
    low, high = result["confidence_interval"]["log_loss"]
    assert low < result["log_loss"] < high < 1.5 * result["log_loss"]
    assert result["n_clusters"] == 1


@pytest.mark.parametrize("digits", [1, 8])
def test_areas_of_rows_of_weight_one_are_the_areas(digits):
    rng = np.random.default_rng(2)
    positive = rng.random(60) < 0.3
    scores = (rng.random(60) + 0.3 * positive).round(digits)
    rows = RowScores(scores, positive)
    expected = {name: area(rows).value for name, area in AREAS.items()}
    expected["partial_roc_auc"] = rows.partial_roc_auc(0.3).value
    for merged in (scores, _without_idle_scores(scores, positive)):
        counts = RowScores(merged, positive).counts
        sides = (counts.positives, counts.negatives)
        columns = [side[:, np.newaxis].astype(float) for side in sides]
        found = areas_of_weights(*columns, expected.keys(), 0.3)
        for name, area in expected.items():
            assert found[name] == pytest.approx([area], rel=1e-12), name


def test_few_positives_make_few_kinds_of_rows():
    rng = np.random.default_rng(0)
    scores, positive = rng.random(5_000), np.arange(5_000) < 3
    assert np.unique(_without_idle_scores(scores, positive)).size <= 7


@pytest.mark.parametrize("average", [None, "micro", "weighted", "none"])
def test_no_interval_of_several_labels_leaves_its_range(average):
    rng = np.random.default_rng(1)
    probabilities = rng.dirichlet(np.ones(3), 12)
    references = [0, 1, 2] * 4
    options = {"confidence_level": 0.95, "n_resamples": 300, "average": average}
    result = classification_scores(probabilities, references, **options)
    for name in ("roc_auc", "pr_auc", "average_precision"):
        ends = np.array(result["confidence_interval"][name])
        assert (ends[..., 0] >= 0).all()
        assert (ends[..., 1] <= 1).all()
        assert (ends[..., 0] <= result[name]).all()
        assert (result[name] <= ends[..., 1]).all()
