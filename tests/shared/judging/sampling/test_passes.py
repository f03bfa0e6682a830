"""Chances over subsets beside exact fractions, subsets that are really drawn, and scipy."""

from fractions import Fraction
from itertools import combinations
from math import ceil, comb

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from metric_commons.judging.sampling.passes import (
    SampleCounts,
    pass_at_k,
    pass_scores,
    required_passes,
    sample_counts,
)
from tests.spec import drawn_examples
from tests.tables import by_table


def exact(n, c, k):
    """The probability that one of k samples passes, drawn from n of which c pass."""
    return 1 - Fraction(comb(n - c, k), comb(n, k))


def exact_product(n, c, k):
    """The same to 60 digits, without binomial coefficients, which would have too many digits."""
    digits = 10**60
    miss = digits
    for j in range(min(c, k)):
        miss = miss * max(n - j - max(c, k), 0) // (n - j)
    return Fraction(digits - miss, digits)


def estimate(n, c, k):
    return float(pass_at_k(SampleCounts(np.array([n]), np.array([c])), [k])[0][0])


def is_close(value, truth):
    return abs(Fraction(value) - truth) <= truth * Fraction(2, 10**15)


@pytest.mark.long
def test_all_small_counts():
    for n in range(1, 31):
        c = np.arange(n + 1)
        sizes = list(range(1, n + 1))
        for k, values in zip(
            sizes, pass_at_k(SampleCounts(np.full(n + 1, n), c), sizes), strict=True
        ):
            assert all(
                map(is_close, values.tolist(), (exact(n, passed, k) for passed in c.tolist()))
            )


def test_one_draw_is_the_pass_rate():
    n = np.arange(1, 1000)
    for c in (n // 2, n // 3, n - 1, n, n * 0 + 1):
        assert pass_at_k(SampleCounts(n, c), [1])[0].tolist() == (c / n).tolist()


@st.composite
def large(draw):
    n = draw(st.integers(1, 100_000))
    few, many = (st.integers(1, min(n, most)) for most in (400, n))
    c, k = draw(st.tuples(few, many) | st.tuples(many, few) | st.tuples(few, few))
    return n, c, k


@pytest.mark.long
@drawn_examples(400)
@given(large())
@example((100_000, 316, 316))
@example((100_000, 1, 100_000))
@example((100_000, 99_999, 1))
@example((100_000, 2_000, 50))
@example((42_347, 45, 17))
def test_large_counts(counts):
    assert is_close(estimate(*counts), exact_product(*counts))


@pytest.mark.parametrize(
    "counts",
    [(100_000, 50_000, 50_000), (100_000, 30_000, 400), (2**31 - 1, 10**9, 10**9), (10, 5, 6)],
)
def test_a_certain_pass_is_one(counts):
    assert estimate(*counts) == 1.0


@pytest.mark.parametrize(("n", "k"), [(1, 1), (5, 5), (100_000, 99_999)])
def test_no_pass_is_zero(n, k):
    assert estimate(n, 0, k) == 0.0


@given(large())
def test_passes_and_draws_may_be_swapped(counts):
    n, c, k = counts

    assert estimate(n, c, k) == estimate(n, k, c)


def mixture(size, seed=0):
    """Counts with different numbers of draws, so that blocks have empty cells."""
    chance = np.random.default_rng(seed)
    n = chance.integers(100, 3000, size)
    return SampleCounts(n, chance.binomial(n, chance.beta(0.4, 1.2, size)))


@pytest.mark.long
def test_a_problem_does_not_depend_on_its_neighbours():
    samples = mixture(500)
    sizes = [1, 7, 100]
    alone = [[estimate(n, c, k) for n, c in zip(*samples, strict=True)] for k in sizes]

    assert [values.tolist() for values in pass_at_k(samples, sizes)] == alone


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=12), min_size=1))
def test_outcomes_are_counted(rows):
    expected = [(len(row), sum(row)) for row in rows]
    counts = [{"n": n, "c": c} for n, c in expected]

    for predictions in (rows, [list(map(int, row)) for row in rows], counts):
        assert list(zip(*map(list, sample_counts(predictions)), strict=True)) == expected


def test_large_counts_do_not_overflow():
    most = 2**31 - 1
    samples = SampleCounts(np.array([most, most, 1]), np.array([most, 1, 0]))

    assert pass_at_k(samples, [1])[0].tolist() == [1.0, 1 / most, 0.0]


# Measures

THRESHOLDS = (0.0, 0.3, 0.5, 0.75, 1.0)


def counts(n, c):
    return SampleCounts(np.array(n), np.array(c))


def share_of_subsets(n, c, k, least):
    """Of the subsets of k of n samples, the share in which at least so many of the c pass."""
    subsets = [*combinations([1] * c + [0] * (n - c), k)]
    return Fraction(sum(sum(subset) >= least for subset in subsets), len(subsets))


@pytest.mark.parametrize("n", range(1, 8))
def test_all_measures_of_small_counts(n):
    samples = counts([n] * (n + 1), range(n + 1))
    for k in range(1, n + 1):
        scores = pass_scores(
            samples, k=k, measures=["pass^k", "g-pass@k", "mg-pass@k"], thresholds=THRESHOLDS
        )
        for c in range(n + 1):
            tail = [share_of_subsets(n, c, k, least) for least in range(k + 1)]
            expected = {f"pass^{k}": tail[k]}
            for threshold in THRESHOLDS:
                least = max(ceil(Fraction(str(threshold)) * k), 1)
                expected[f"g-pass@{k}_{threshold}"] = tail[least]
            expected[f"mg-pass@{k}"] = Fraction(2, k) * sum(tail[ceil(k / 2) + 1 :])

            assert {name: values[c] for name, values in scores.items()} == {
                name: float(value) for name, value in expected.items()
            }


@given(st.integers(1, 2000).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), st.data())
def test_tails_are_those_of_scipy(pair, data):
    n, c = pair
    k = data.draw(st.integers(1, min(n, 200)))
    threshold = data.draw(st.sampled_from([0.05, 0.5, 0.9]))
    (values,) = pass_scores(
        counts([n], [c]), k=k, measures="g-pass@k", thresholds=[threshold]
    ).values()

    expected = hypergeom.sf(required_passes(k, threshold) - 1, n, c, k)
    assert values[0] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_a_share_is_the_decimal_that_is_written():
    wrong = [
        (k, hundredths)
        for k in range(1, 129)
        for hundredths in range(1, 101)
        if ceil(k * (hundredths / 100)) != required_passes(k, hundredths / 100)
    ]

    assert len(wrong) == 13
    assert (100, 7) in wrong
    for k, hundredths in wrong:
        assert required_passes(k, hundredths / 100) == -(-k * hundredths // 100)


def test_the_extremes_are_other_measures():
    samples = counts([16, 16, 9], [3, 16, 8])
    scores = pass_scores(
        samples, k=4, measures=["pass@k", "pass^k", "g-pass@k"], thresholds=[0.0, 0.25, 1]
    )

    assert scores["g-pass@4_0.0"] == pytest.approx(scores["pass@4"], rel=1e-15)
    assert scores["g-pass@4_0.25"].tolist() == scores["g-pass@4_0.0"].tolist()
    assert scores["g-pass@4_1.0"].tolist() == scores["pass^4"].tolist()


def test_a_great_number_of_samples_takes_no_time():
    samples = counts([2**31 - 1], [2**30])
    scores = pass_scores(samples, k=1000, measures=["pass^k", "g-pass@k", "mg-pass@k"])

    assert scores["g-pass@1000_0.5"][0] == pytest.approx(0.5126, abs=1e-4)
    assert 0 < scores["pass^1000"][0] < 1e-300


@by_table("options, message")
def test_what_cannot_be_scored_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        pass_scores(counts([5, 2], [1, 1]), **options)


def test_subsets_of_more_than_a_thousand_samples_are_refused():
    with pytest.raises(ValueError, match=r"^k holds 1001; pass\^k takes 1000 at the most"):
        pass_scores(counts([2000], [2000]), k=1001, measures="pass^k")


def test_the_share_of_all_samples_needs_no_k():
    assert pass_scores(counts([4, 2], [1, 2]), k=100, measures="avg@n") == {
        "avg@n": pytest.approx([0.25, 1.0])
    }
