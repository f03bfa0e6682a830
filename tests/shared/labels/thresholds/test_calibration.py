"""Bins of probabilities against a search for the bin of each row."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.labels.thresholds.calibration import calibration
from metric_commons.labels.thresholds.curves import score_counts
from tests.scored_rows import PROBABILITIES, QUICK, columns


@QUICK
@given(
    st.lists(st.tuples(PROBABILITIES, st.booleans()), min_size=1, max_size=40), st.integers(1, 20)
)
def test_bins_hold_their_upper_edge(rows, bins):
    result = calibration(score_counts(*columns(rows)), bins)
    edges = np.linspace(0, 1, bins + 1)
    members = {}
    for score, positive in rows:
        index = next(i for i in range(bins) if score <= edges[i + 1])
        members.setdefault(index, []).append((score, positive))

    in_bins = [members[index] for index in sorted(members)]
    means = [math.fsum(score for score, _ in pairs) / len(pairs) for pairs in in_bins]
    assert result.rows == [len(pairs) for pairs in in_bins]
    assert result.observed == [sum(p for _, p in pairs) / len(pairs) for pairs in in_bins]
    assert result.predicted == pytest.approx(means, rel=1e-14)
    errors = classification_scores(*columns(rows), calibration_bins=bins)
    gaps = [abs(o - p) for o, p in zip(result.observed, result.predicted, strict=True)]
    assert errors["mce"] == max(gaps)
    assert errors["ece"] == pytest.approx(np.average(gaps, weights=result.rows), abs=1e-15)


def test_bins_of_equal_mass():
    scores = np.arange(1, 101) / 101
    counts = score_counts(scores, scores > 0.3)
    weighted = score_counts(scores, scores > 0.3, np.full(100, 0.5))

    assert calibration(counts, 4, "quantile").rows == [25] * 4
    assert calibration(weighted, 4, "quantile").rows == [12.5] * 4
