"""How many positives and negatives have each score, against counting row by row."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metric_commons.classification import score_counts as module
from metric_commons.classification.curves import roc_curve
from metric_commons.classification.score_counts import ScoreCounts, score_counts

SOME = settings(max_examples=80)
EXTREME = [0.0, -0.0, 5e-324, -5e-324, 2.0, 1.9999999999999998, -2.0, 1e308, -1e308, 1e-300, 1.0]
NUMBERS = st.sampled_from(EXTREME) | st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.lists(st.tuples(NUMBERS, st.booleans()), min_size=1, max_size=40)


def columns(rows):
    scores, positive = zip(*rows, strict=True)
    return np.array(scores), np.array(positive)


@SOME
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


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighed", [False, True])
def test_sums_do_not_depend_on_blocks(ties, weighed, monkeypatch):
    rng = np.random.default_rng(0)
    scores = rng.random(200)
    scores = np.round(scores, 1) if ties else scores
    counts = score_counts(scores, rng.random(200) < 0.5, rng.random(200) if weighed else None)
    sums = counts.sums
    monkeypatch.setattr(module, "_BLOCK", 7)
    again = ScoreCounts(
        counts.scores,
        counts.positives,
        counts.negatives,
        counts.positive_squares,
        counts.negative_squares,
    ).sums

    assert counts.alone == (not ties and not weighed)
    for name in ("pairs", "precisions", "precisions_above", "log_losses", "squares"):
        assert getattr(again, name) == pytest.approx(getattr(sums, name), rel=1e-13)


def test_rows_of_their_own_are_summed_as_any(monkeypatch):
    rng = np.random.default_rng(1)
    scores, positive = rng.random(500), rng.random(500) < 0.3
    counts = score_counts(scores, positive)
    same = ScoreCounts(
        counts.scores, counts.positives.astype(np.int64), counts.negatives.astype(np.int64)
    )

    assert counts.alone
    assert not same.alone
    assert counts.sums.pairs == same.sums.pairs
    for name in ("precisions", "precisions_above", "log_losses", "squares"):
        assert getattr(counts.sums, name) == pytest.approx(getattr(same.sums, name), rel=1e-13)


def test_counts_of_parts_are_counts_of_the_whole():
    rng = np.random.default_rng(0)
    scores, positive = np.round(rng.random(100), 1), rng.random(100) < 0.5
    whole = score_counts(scores, positive)
    parts = [score_counts(scores[part], positive[part]) for part in (slice(30), slice(30, None))]
    every = np.concatenate([part.scores for part in parts])
    distinct, places = np.unique(every, return_inverse=True)
    merged = ScoreCounts(
        distinct,
        np.bincount(places, np.concatenate([part.positives for part in parts])).astype(np.int64),
        np.bincount(places, np.concatenate([part.negatives for part in parts])).astype(np.int64),
    )

    assert merged.scores.tolist() == whole.scores.tolist()
    assert merged.positives.tolist() == whole.positives.tolist()
    assert roc_curve(merged) == roc_curve(whole)
