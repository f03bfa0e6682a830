"""The area under a part of the ROC curve, and areas of pairs of labels: influences of rows."""

import numpy as np
import pytest

from metric_commons.labels.thresholds.areas import (
    RowScores,
    influenced_score,
)
from metric_commons.labels.thresholds.one_vs_one import one_vs_one_roc_auc
from metric_commons.labels.thresholds.one_vs_rest import OneVsRest
from metric_commons.labels.thresholds.partial_area import partial_roc_auc
from metric_commons.labels.thresholds.score_counts import score_counts

STEP = 2.0**-20


@pytest.mark.parametrize("digits", [1, 6])
@pytest.mark.parametrize("max_fpr", [0.07, 0.3, 0.9])
def test_an_influence_is_how_much_the_area_changes_with_a_weight(max_fpr, digits):
    rng = np.random.default_rng(0)
    positive = rng.random(40) < 0.5
    scores = (rng.random(40) + 0.3 * positive).round(digits)
    weights = np.ones(40)
    rows = RowScores(scores, positive, weights)
    measured = partial_roc_auc(rows.counts, max_fpr)
    influences = influenced_score(rows, measured).influences() / weights
    for row in range(40):
        heavier = weights.copy()
        heavier[row] += STEP
        area = partial_roc_auc(score_counts(scores, positive, heavier), max_fpr).score
        assert influences[row] == pytest.approx((area - measured.score) / STEP, abs=1e-5)


def test_the_standard_error_is_that_of_repeated_samples():
    rng = np.random.default_rng(1)
    positive = np.arange(300) < 100
    areas, errors = [], []
    for _ in range(300):
        rows = RowScores(rng.normal(size=300) + 1.2 * positive, positive, None)
        area, influences = influenced_score(rows, partial_roc_auc(rows.counts, 0.2))
        areas.append(area)
        errors.append(np.sqrt(np.square(influences()).sum()))
    assert np.mean(errors) == pytest.approx(np.std(areas), rel=0.1)


def test_influences_on_areas_of_pairs_are_changes_with_a_weight():
    rng = np.random.default_rng(2)
    references, scores = rng.integers(0, 3, 30), rng.random((30, 3)).round(1)

    def area(weights):
        return one_vs_one_roc_auc(OneVsRest(scores, references, weights), "macro")

    weights = np.ones(30)
    measured = area(weights)
    influences = measured.influences()
    for row in range(30):
        heavier = weights.copy()
        heavier[row] += STEP
        change = (area(heavier).score - measured.score) / STEP
        assert influences[row] == pytest.approx(change, abs=1e-5)
