"""Points of curves worked out by hand."""

import math

import numpy as np

from metric_commons.labels.classification.predicted_scores import PredictedScores, curve_scores
from metric_commons.labels.thresholds.curves import pr_curve, roc_curve
from metric_commons.labels.thresholds.score_counts import score_counts


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
    probabilities = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.0, 0.25, 0.75]]
    result = curve_scores(PredictedScores(probabilities, [0, 1, 2]), curves=True)

    assert [curve["tpr"][-1] for curve in result["roc_curve"]] == [1.0] * 3
    assert len(result["pr_curve"]) == 3
