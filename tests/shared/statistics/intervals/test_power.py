"""Power beside simulation and beside the equations that define the other two functions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metric_commons.statistics import Pilot, minimum_detectable, power_of, required_rows
from metric_commons.statistics.tests.paired_tests import paired_test
from tests.spec import nightly


def test_power_is_how_often_the_test_finds_it():
    drawn = np.random.default_rng(0).normal(0.5, 1.0, (20_000, 20))
    found = (stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05).mean()
    assert power_of(0.5, 1.0, 20) == pytest.approx(found, abs=0.01)


@pytest.mark.long
@settings(max_examples=50)
@given(
    st.floats(1e-3, 10),
    st.integers(2, 10_000),
    st.sampled_from([0.05, 0.01]),
    st.floats(0.1, 0.99),
)
def test_what_is_detectable_has_the_power(deviation, rows, alpha, power):
    effect = minimum_detectable(deviation, rows, alpha, power)
    assert power_of(effect, deviation, rows, alpha) == pytest.approx(power, rel=1e-9)
    assert power_of(-effect, deviation, rows, alpha) == pytest.approx(power, rel=1e-9)


@settings(max_examples=50)
@given(st.floats(0.01, 5), st.floats(0.1, 2), st.sampled_from([0.5, 0.8, 0.95]))
def test_required_rows_are_the_least(effect, deviation, power):
    rows = required_rows(effect, deviation, power=power)
    assert power_of(effect, deviation, rows) >= power
    assert rows == 2 or power_of(effect, deviation, rows - 1) < power


def test_extremes():
    assert power_of(0.0, 1.0, 10) == pytest.approx(0.05, rel=1e-9)
    assert power_of(1e12, 1.0, 2) == pytest.approx(1.0)
    assert power_of(1.0, 0.0, 5) == 1.0
    assert power_of(0.0, 0.0, 5) == 0.05
    assert required_rows(1.0, 1e-9) == 2
    assert required_rows(1e-9, 1e300) is None
    assert power_of(1e300, 1e-9, 5) == 1.0
    assert minimum_detectable(0.0, 5) == 0.0
    assert math.isnan(minimum_detectable(1.0, 1))
    # One degree of freedom at a level of 1e-10: a critical value of 6e9.
    assert power_of(1e10, 1.0, 2, alpha=1e-10) == pytest.approx(
        stats.chi2.cdf((1e10 * math.sqrt(2) / stats.t.isf(0.5e-10, 1)) ** 2, 1), rel=1e-6
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: power_of(0.1, -1.0, 5), "deviation must be"),
        (lambda: power_of(0.1, 1.0, 1), "rows must be at least 2"),
        (lambda: power_of(0.1, 1.0, 5, alpha=5), "for 5 % pass 0.05"),
        (lambda: minimum_detectable(1.0, 5, power=80), "for 80 % pass 0.8"),
        (lambda: required_rows(0.0, 1.0), "effect must be"),
    ],
)
def test_what_has_no_power(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ---- rows of a pilot ----------------------------------------------------------------------------

PILOTS = {
    "0/1, a third differs": ([1.0, -1.0] * 10 + [0.0] * 40, 0.2),
    "0/1, few differ": ([1.0, -1.0] * 2 + [0.0] * 46, 0.06),
    "wins and ties": ([1.0, 0.5, 0.5, -0.5, -1.0] * 4 + [0.0] * 10, 0.2),
    "many small, few large": ([*np.linspace(-0.1, 0.1, 90), -1.0, 0.9, 0.8, -0.7], 0.12),
    "normal": (stats.norm.ppf((np.arange(200) + 0.5) / 200) * 0.3, 0.1),
}
PILOTS_BY_DAY = ("0/1, few differ", "normal")


def tilted(differences, effect, rng, shape):
    """Rows like these with this mean difference, found by bisection."""
    both = np.concatenate([differences, np.negative(differences)])
    low, high = 0.0, 1e3
    for _ in range(100):
        middle = (low + high) / 2
        weights = np.exp(middle * (both - both.max()))
        low, high = (middle, high) if weights @ both / weights.sum() < effect else (low, middle)
    return rng.choice(both, shape, p=weights / weights.sum())


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [*PILOTS_BY_DAY, *nightly(*(name for name in PILOTS if name not in PILOTS_BY_DAY))],
)
def test_the_rows_that_a_pilot_asks_for_find_the_effect(name):
    differences, effect = PILOTS[name]
    rows = Pilot(differences).required_rows(effect)
    samples = tilted(np.asarray(differences), effect, np.random.default_rng(0), (600, rows))
    found = np.mean([paired_test(sample).p_value < 0.05 for sample in samples])

    assert 0.8 - 2.6 * math.sqrt(0.16 / 600) < found < 0.9
    assert Pilot(differences).power_of(effect, rows) == pytest.approx(0.8, abs=0.03)
    assert Pilot(differences).minimum_detectable(rows) == pytest.approx(effect, rel=0.03)
    if name.startswith("0/1"):  # the rows for a t-test would not be enough
        assert required_rows(effect, float(samples.std())) < 0.92 * rows


@pytest.mark.long
@pytest.mark.parametrize("discordant", [0.05, 0.2, 0.6])
def test_the_power_of_a_pilot_is_that_of_mcnemars_test(discordant):
    # Exactly: the number of rows that differ is binomial, and that of wins among them too. It jumps
    # from one number of rows to the next, so it is averaged over neighboring ones.
    pilot = Pilot(np.repeat([1.0, -1.0, 0.0], np.array([500, 500, 1000 / discordant - 1000], int)))
    effect = 0.3 * discordant
    rows = pilot.required_rows(effect)
    low, high = 0.0, 10.0
    for _ in range(100):
        odds = (low + high) / 2
        shares = np.array([math.exp(odds), math.exp(-odds), 2 / discordant - 2])
        shares /= shares.sum()
        low, high = (odds, high) if shares[0] - shares[1] < effect else (low, odds)

    def exact(number):
        power = 0.0
        differing = np.arange(number + 1)
        chances = stats.binom.pmf(differing, number, shares[0] + shares[1])
        for count, chance in zip(differing.tolist(), chances.tolist(), strict=True):
            if chance > 1e-9:
                losses = stats.binom.ppf(0.025, count, 0.5)
                while losses >= 0 and 2 * stats.binom.cdf(losses, count, 0.5) >= 0.05:
                    losses -= 1
                power += chance * stats.binom.cdf(losses, count, shares[1] / shares[:2].sum())
        return power

    powers = [exact(number) for number in range(rows - 3, rows + 4)]
    assert np.mean(powers) == pytest.approx(0.8, abs=0.02)


def test_what_a_pilot_says_does_not_depend_on_signs_scale_or_order():
    differences, effect = PILOTS["wins and ties"]
    said = Pilot(differences).required_rows(effect)
    assert Pilot(differences[::-1]).required_rows(effect) == said
    assert Pilot(np.abs(differences)).required_rows(effect) == said
    for scale in (2.0**10, 2.0**900, 2.0**-900):
        assert Pilot(np.multiply(differences, scale)).required_rows(scale * effect) == said
    assert Pilot(differences, clusters=list(range(30))).required_rows(effect) == said
    # A cluster of two equal rows is worth one row of its mean.
    twice, labels = np.repeat(differences, 2), [row // 2 for row in range(60)]
    assert Pilot(twice, clusters=labels).required_rows(effect) == said


def test_what_a_pilot_cannot_say():
    equal = Pilot([0.0] * 5)
    assert equal.required_rows(0.1) is None
    assert math.isnan(equal.power_of(0.1, 5))
    assert math.isnan(equal.minimum_detectable(5))
    assert Pilot([0.1, -0.1]).required_rows(0.1) is None
    assert Pilot([0.1, -0.1]).required_rows(0.0999) == 6  # 2 of 64 combinations of signs
    assert Pilot([0.1, -0.1]).power_of(0.05, 5) < 1e-9
    assert math.isnan(Pilot([0.1, -0.1]).minimum_detectable(5))
    for call, message in (
        (lambda: Pilot([]), "differences is empty"),
        (lambda: Pilot([1.0, 0.0]).power_of(0, 5), "effect must be a number above 0"),
        (lambda: Pilot([1.0, 0.0]).power_of(0.1, 0), "rows must be at least 1"),
        (lambda: Pilot([1.0, 0.0]).required_rows(0.1, power=80), "for 80 % pass 0.8"),
        (lambda: Pilot([1.0, 0.0]).minimum_detectable(9, alpha=5), "for 5 % pass 0.05"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
