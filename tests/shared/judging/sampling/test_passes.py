"""The estimator beside exact fractions, and the blocks and tables that make it fast."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metric_commons.judging.sampling import passes
from metric_commons.judging.sampling.passes import SampleCounts, pass_at_k, sample_counts
from tests.spec import drawn_examples


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


@pytest.mark.parametrize(("name", "value"), [("_CELLS", 1), ("_CELLS", 1 << 30), ("_TABLE", 0)])
def test_blocks_and_tables_change_nothing(monkeypatch, name, value):
    samples = mixture(300)
    before = pass_at_k(samples, [1, 100])[1].tolist()
    monkeypatch.setattr(passes, name, value)

    assert pass_at_k(samples, [1, 100])[1].tolist() == before


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
