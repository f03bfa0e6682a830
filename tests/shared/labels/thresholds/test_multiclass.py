"""Intervals of several labels against their definition."""

import numpy as np
import pytest

from metric_commons.labels.classification.predicted_scores import PredictedScores, curve_scores
from tests.scored_rows import check_intervals


@pytest.mark.long
@pytest.mark.parametrize("average", ["macro", "weighted", "micro", "none"])
@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_of_several_labels_follow_from_the_influence_of_rows(average, weighted):
    rng = np.random.default_rng(4)
    references = rng.integers(0, 3, 40)
    scores = rng.random((40, 3)) + np.eye(3)[references]
    probabilities = scores / scores.sum(axis=1, keepdims=True)
    weights = rng.random(40) + 0.5 if weighted else np.ones(40)
    support = np.bincount(references, weights)

    def compute(weights):
        # The support of labels counts as constant, so the weighted mean is taken here.
        by_support = average == "weighted"
        predicted = PredictedScores(
            probabilities,
            references,
            sample_weight=weights,
            average="none" if by_support else average,
        )
        result = curve_scores(predicted, calibration_bins=3)
        return {
            name: np.average(value, weights=support)
            if by_support and isinstance(value, list)
            else value
            for name, value in result.items()
            if isinstance(value, float | list)
        }

    predicted = PredictedScores(
        probabilities,
        references,
        average=average,
        sample_weight=weights if weighted else None,
    )
    options = {"confidence_level": 0.9, "interval": "bootstrap"}
    result = curve_scores(predicted, calibration_bins=3, **options)
    check_intervals(compute, result, weights, excluded=() if weighted else ("roc_auc",))
