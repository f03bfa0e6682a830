"""Counts at each score against counting row by row, and points of curves by hand."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given

from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.labels.thresholds import curves as module
from metric_commons.labels.thresholds.curves import ScoreCounts, pr_curve, roc_curve, score_counts
from tests.scored_rows import QUICK, ROWS, columns


@QUICK
@given(ROWS)
@example([(0.0, True), (-0.0, False)])
@example([(5e-324, True), (1e308, False), (-1e308, True)])
def test_scores_are_counted(rows):
    counts = score_counts(*columns(rows))
    pairs = Counter(rows)
    expected = sorted({score for score, _ in rows})

    assert counts.scores.tolist() == expected
    assert counts.positives.tolist() == [pairs[score, True] for score in expected]
    assert counts.negatives.tolist() == [pairs[score, False] for score in expected]
    assert not np.signbit(counts.scores[counts.scores == 0]).any()
    assert counts.positives.dtype.kind == counts.negatives.dtype.kind == "i"


def test_measures_without_ties_are_those_of_any_rows_and_blocks(monkeypatch):
    rng = np.random.default_rng(1)
    scores, positive = rng.random(500), rng.random(500) < 0.3
    counts = score_counts(scores, positive)
    sides = [counts.positives, counts.negatives]
    same = ScoreCounts(counts.scores, *(side.astype(np.int64) for side in sides))

    assert counts.no_ties
    assert not same.no_ties
    assert counts.measures == pytest.approx(same.measures, rel=1e-13)
    assert counts.measures["roc_auc"] == same.measures["roc_auc"]
    monkeypatch.setattr(module, "_BLOCK", 7)
    assert ScoreCounts(counts.scores, *sides).measures == pytest.approx(same.measures, rel=1e-13)


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
    result = classification_scores(probabilities, [0, 1, 2], curves=True)

    assert [curve["tpr"][-1] for curve in result["roc_curve"]] == [1.0] * 3
    assert len(result["pr_curve"]) == 3
