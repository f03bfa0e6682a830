"""Intervals of estimates from the influences of rows, beside those of means and the formula."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metric_commons.statistics import influence_interval, influence_spread, interval

# No mean of these is so near an end that only rounding tells it from the end.
SCORES = st.lists(
    st.integers(0, 1000).map(lambda n: n / 1000) | st.sampled_from([0.0, 1.0, 1e-9]),
    min_size=2,
    max_size=30,
)


def oracle(value, influences, labels=None, level=0.95, most_trials=math.inf):
    """The ends by the formula, with one pseudo-row or pseudo-cluster of variance m (1 - m)."""
    n, g = len(influences), value * (1 - value)
    squares = sum(x * x for x in influences)
    trials = n * (n + 1) * g / (squares + g) if g > 1e-15 else n
    trials, units = min(trials, most_trials), n
    if labels is not None:
        members = {}
        for x, label in zip(influences, labels, strict=True):
            members.setdefault(label, []).append(x)
        units = n * n / sum(len(rows) ** 2 for rows in members.values())
        if units <= 1:
            return 0.0, 1.0
        sums = sum(sum(rows) ** 2 for rows in members.values())
        v = (units / (units - 1) * sums / n**2 + g / units**2) / (1 + 1 / units)
        trials = min(trials, g / v if g > 1e-15 else units)
    if units <= 1:
        return 0.0, 1.0
    upper_tail = 0.5 + level / 2
    trials *= (stats.norm.ppf(upper_tail) / stats.t.ppf(upper_tail, units - 1)) ** 2
    hits = value * trials
    low = stats.beta.ppf(1 - upper_tail, hits, trials - hits + 1) if hits > 0 else 0.0
    high = stats.beta.ppf(upper_tail, hits + 1, trials - hits) if value < 1 else 1.0
    return low, high


@pytest.mark.long
@given(SCORES, st.data())
def test_a_mean_has_the_interval_of_means(scores, data):
    values = np.array(scores)
    labels = data.draw(st.lists(st.integers(0, 4), min_size=len(scores), max_size=len(scores)))
    mean = float(Fraction(sum(map(Fraction, scores)) / len(scores)))
    influences = values - mean
    rows, clusters = influence_spread(influences), influence_spread(influences, clusters=labels)

    clustered = influence_interval(mean, rows, clusters=clusters)
    assert clustered[:2] == pytest.approx(oracle(mean, influences.tolist(), labels), abs=1e-9)
    expected = interval(scores, method="korn_graubard", clusters=labels)
    assert clustered[:2] == pytest.approx(expected[:2], abs=1e-7)
    assert clustered.standard_error == pytest.approx(
        expected.standard_error, abs=1e-12, nan_ok=True
    )

    alone = influence_interval(mean, rows)
    assert alone[:2] == pytest.approx(oracle(mean, influences.tolist()), abs=1e-9)
    if set(scores) - {0.0, 1.0}:  # scores 0 and 1 alone have an interval without Student's t
        expected = interval(scores, method="korn_graubard")
        assert alone[:2] == pytest.approx(expected[:2], abs=1e-7)
        assert alone.effective_n == pytest.approx(expected.effective_n, rel=1e-6)


@pytest.mark.long
@given(SCORES, st.randoms())
def test_counts_and_the_order_of_rows_leave_every_bit(scores, random):
    influences = [score - 0.5 for score in scores] * 2
    labels = [random.randrange(3) for _ in influences]
    rows = list(zip(influences, labels, strict=True))
    random.shuffle(rows)
    distinct = sorted(set(rows))
    counts = np.array([rows.count(row) for row in distinct])
    influences, labels = map(np.array, zip(*rows, strict=True))
    kinds, kind_labels = map(np.array, zip(*distinct, strict=True))

    assert influence_spread(kinds, counts) == influence_spread(np.sort(influences))
    assert influence_spread(kinds, counts, kind_labels).squares == pytest.approx(
        float(influence_spread(influences, clusters=labels).squares)
    )


def test_ranges_ends_and_limits():
    influences = np.array([0.5, -0.25, -0.25, 0.75, -0.75])
    spread = influence_spread(influences)
    unit = influence_interval(0.6, influence_spread(influences / 2))
    twice = influence_interval(0.2, spread, bounds=(-1, 1))
    assert twice[:2] == pytest.approx([2 * end - 1 for end in unit[:2]])
    assert twice.effective_n == pytest.approx(unit.effective_n)

    limited = influence_interval(0.6, influence_spread(influences / 100), most_trials=5)
    assert limited[:2] == pytest.approx(oracle(0.6, (influences / 100).tolist(), most_trials=5))
    assert limited.effective_n == 5

    certain = influence_interval(1.0, influence_spread(np.zeros(5)))
    assert certain[:2] == pytest.approx(oracle(1.0, [0.0] * 5))
    assert influence_interval(1 - 1e-16, influence_spread(np.zeros(5)))[:2] == pytest.approx(
        certain[:2]
    )
    assert influence_interval(1.5, influence_spread(np.zeros(5))) == certain
    assert influence_interval(0.5, influence_spread(np.zeros(1)))[:2] == (0.0, 1.0)
    one_cluster = influence_spread(influences, clusters=np.zeros(5, int))
    nothing = influence_interval(0.6, spread, clusters=one_cluster)
    assert nothing[:2] == (0.0, 1.0)
    assert nothing.n_clusters == 1
    assert math.isnan(nothing.standard_error)


def test_influences_are_numbers():
    for influences, message in (([math.nan, 0.0], r"influences\[0\] is nan"), ([], "is empty")):
        with pytest.raises(ValueError, match=message):
            influence_spread(np.array(influences, float))
    with pytest.raises(ValueError, match="smallest and the largest score"):
        influence_interval(0.5, influence_spread(np.zeros(3)), bounds=(1, 0))
