"""How often the default intervals hold the truth, in seeded samples of known populations.

A figure of 2,000 draws is good to 0.005. The intervals of the peers are drawn beside.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from scipy import stats

from metric_commons.judging import judge_agreement, judge_corrected

DRAWS = 2_000
LEAST = 0.93
SIZES = (20, 50, 200)
RATES = (0.5, 0.85, 0.98)
# Sensitivity and specificity of judges.
JUDGES = ((0.9, 0.8), (0.99, 0.99), (0.7, 0.7), (0.98, 0.6))
Draw = Callable[[np.random.Generator], dict[str, list[float]]]

pytestmark = pytest.mark.slow


def judged(rng, rate, judge, rows):
    truth = rng.random(rows) < rate
    passes = np.where(truth, rng.random(rows) < judge[0], rng.random(rows) >= judge[1])
    return truth.astype(float), passes.astype(float)


def ends_of(result, score, peer, reach) -> dict[str, list[float]]:
    """Our interval, and that of a peer: so many standard errors around the value."""
    value, error = result[score], result["standard_error"]
    error = reach * (error.get(score, math.nan) if isinstance(error, dict) else error)
    return {"default": result["confidence_interval"][score], peer: [value - error, value + error]}


def corrected(size: int) -> Iterator[tuple[str, float, Draw]]:
    """Ten judged rows for each label; the labels are drawn at random."""
    for rate in RATES:
        for judge in JUDGES:

            def draw(rng, rate=rate, judge=judge):
                truth, verdicts = judged(rng, rate, judge, 10 * size)
                labels = np.where(np.arange(10 * size) < size, truth, np.nan)
                result = judge_corrected(verdicts, labels)
                return ends_of(result, "judge_corrected", "ppi-python", 1.96)

            yield f"corrected rate {rate}, judge {judge}", rate, draw


def agreement(size: int, measure: str) -> Iterator[tuple[str, float, Draw]]:
    """A judge and a person, by the coefficient that their joint distribution has."""
    for rate in RATES:
        for judge in JUDGES:
            right, wrong = rate * judge[0], (1 - rate) * (1 - judge[1])
            joint = np.array([[right, rate - right], [wrong, 1 - rate - wrong]])
            equal, shares = np.trace(joint), (joint.sum(axis=0), joint.sum(axis=1))
            mean = (shares[0] + shares[1]) / 2
            chance = {
                "agreement": 0.0,
                "cohen_kappa": shares[0] @ shares[1],
                "gwet_ac": 2 * mean[0] * mean[1],
                "krippendorff_alpha": mean @ mean,
            }[measure]

            def draw(rng, rate=rate, judge=judge):
                truth, verdicts = judged(rng, rate, judge, size)
                options = {"measures": measure, "confidence_level": 0.95}
                result = judge_agreement(verdicts, truth, **options)
                return ends_of(result, measure, "irrCAC", stats.t.ppf(0.975, size - 1))

            yield f"{measure}, rate {rate}, judge {judge}", (equal - chance) / (1 - chance), draw


def positions(size: int) -> Iterator[tuple[str, float, Draw]]:
    """Verdicts in both orders by a judge who prefers the first answer."""
    for share in (0.0, 0.3, 0.9):

        def draw(rng, share=share):
            first = np.where(rng.random(size) < 0.5 + share / 2, "A", "B")
            second = np.where(rng.random(size) < 0.5 + share / 2, "A", "B")
            result = judge_agreement(first, second, swapped=True, confidence_level=0.95)
            return {"default": result["confidence_interval"]["first_position_rate"]}

        yield f"position, preference {share}", 0.5 + share / 2, draw


def coverage(truth: float, draw: Draw, draws: int, seed: int) -> dict[str, float]:
    """How often the truth lies in each interval that is defined."""
    rng = np.random.default_rng(seed)
    hits: dict[str, list[bool]] = {}
    for _ in range(draws):
        for name, (low, high) in draw(rng).items():
            if math.isfinite(low) and math.isfinite(high):
                hits.setdefault(name, []).append(low - 1e-12 <= truth <= high + 1e-12)
    return {name: sum(column) / len(column) for name, column in hits.items() if len(column) > 99}


def populations(size: int) -> Iterator[tuple[str, float, Draw]]:
    yield from corrected(size)
    for measure in ("agreement", "cohen_kappa", "gwet_ac", "krippendorff_alpha"):
        yield from agreement(size, measure)
    yield from positions(size)


@pytest.mark.parametrize("size", SIZES)
def test_default_intervals_hold(size):
    low = {}
    for seed, (name, truth, draw) in enumerate(populations(size)):
        found = coverage(truth, draw, DRAWS, seed)
        if found.get("default", 1.0) < LEAST:
            low[name] = found["default"]
    assert not low


def test_the_harness_shows_what_the_peers_leave_out():
    """What the cards say of the peers: far below 95 % at 20 labels or units."""
    least: dict[str, float] = {}
    for name, truth, draw in [*corrected(20), *agreement(20, "cohen_kappa")]:
        for method, share in coverage(truth, draw, 500, 0).items():
            least[method] = min(share, least.get(method, 1.0)) if name else 1.0
    assert least["ppi-python"] < 0.5
    assert least["irrCAC"] < 0.5
    assert least["default"] >= LEAST
