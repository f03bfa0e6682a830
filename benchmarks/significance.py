"""The permutation test beside scipy's and beside a Python loop: CPU time, and peak memory.

First the test without draws (exact, or a saddlepoint approximation) beside the one with draws, then
statsmodels and evalstats where they are installed, and how many of 780 pairs of systems each test
finds.

    python benchmarks/significance.py

All run in this process on the same differences, in turn; a figure is the ratio of the least times.
scipy is vectorized, in two sizes of batches; by default it takes one batch of all, which is timed
at 1,000 pairs, and at 10,000 takes two to five times as long as here, and 6 GB. The loops are over
rows in plain Python, as people write them: the first is UltraRAG's definition. They draw one
resample in 100, and their time is scaled up, once.
"""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from _draws import drawn_p_values
from _error_rates import forty_systems
from _measure import cpu_seconds, peak_megabytes, ratio
from _paired import p_of, unseen_row
from numpy.typing import NDArray
from scipy import stats

from metric_commons.statistics import compare
from metric_commons.statistics.tests.corrections import adjusted

RESAMPLES = 10_000
SHARE = 100  # of the resamples the loop draws one in so many


def differences(rows: int, measures: int = 1) -> NDArray[np.float64]:
    """Of scores in 0 to 1 that are all distinct."""
    rng = np.random.default_rng(0)
    return rng.random((rows, measures)) - rng.random((rows, measures))


def margin_p_values(differences: NDArray[np.float64], margin: float) -> tuple[float, float]:
    """P-values of a loss of the margin, and of a gain of it."""
    law = unseen_row(differences)
    return law.tail(-margin), law.mirrored.tail(-margin)


def ours(values: NDArray[np.float64]) -> None:
    for column in values.T:
        p_of(column)


def draws(values: NDArray[np.float64]) -> None:
    drawn_p_values(values.reshape(len(values), -1), RESAMPLES)


def scipys(values: NDArray[np.float64], batch: int) -> None:
    stats.permutation_test(
        (values,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=batch,
        rng=np.random.default_rng(0),
    )


def loop(values: list[float], flipped_sum: Callable[[list[float]], float]) -> float:
    """The share of sign-flipped means at least as far from 0, one resample after the other."""
    rows = len(values)
    observed = abs(sum(values) / rows)
    extreme = 0
    for _ in range(RESAMPLES // SHARE):
        if abs(flipped_sum(values) / rows) >= observed:
            extreme += 1
    return extreme * SHARE / RESAMPLES


def by_bit(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value if random.getrandbits(1) else -value
    return total


def by_number(values: list[float]) -> float:
    return sum(value if random.random() < 0.5 else -value for value in values)


def by_choice(values: list[float]) -> float:
    return sum(value * random.choice((-1, 1)) for value in values)


LOOPS = {"getrandbits(1)": by_bit, "random() < 0.5": by_number, "choice((-1, 1))": by_choice}


def without_draws() -> None:
    """The saddlepoint and the lattice beside 10,000 draws of the same test."""
    print("Without draws; CPU time, interleaved rounds")
    for rows, target in ((3_610, 1), (100_000, 3)):
        eighths = np.random.default_rng(0).integers(-8, 9, rows) / 8
        for name, values in (("distinct", differences(rows)[:, 0]), ("eighths", eighths)):
            ratio(
                f"{rows:>7,} pairs, {name}: {RESAMPLES:,} draws (at least {target}x)",
                lambda v=values: ours(v),
                lambda v=values: draws(v),
            )


def peers() -> None:
    """Whole comparisons beside those of other packages, as far as they are installed."""
    print("\nPeers: p-values, and CPU time beside ours; interleaved rounds")
    rng = np.random.default_rng(0)
    for rows in (1_000, 10_000):
        a, b = rng.random((2, rows)) + np.array([[0.01], [0.0]])
        right = (rng.random((2, rows)) < [[0.62], [0.6]]).astype(float)
        statsmodels(rows, a, b, right)
        evalstats(rows, np.array([a, b]) / 1.01)


def statsmodels(rows: int, a: NDArray[np.float64], b: NDArray[np.float64], right: Any) -> None:
    try:
        from statsmodels.stats.contingency_tables import mcnemar
        from statsmodels.stats.weightstats import ttost_paired
    except ModuleNotFoundError:
        print(f"{rows:>6,} pairs: statsmodels is not installed")
        return
    table = [[np.sum((right[0] == x) & (right[1] == y)) for y in (1, 0)] for x in (1, 0)]
    print(
        f"{rows:>6,} pairs, McNemar: {mcnemar(table, exact=True).pvalue:.6g}, ours "
        f"{compare(*right, test='mcnemar')['p_value']:.6g}; equivalent within .02: "
        f"{ttost_paired(a, b, -0.02, 0.02)[0]:.6g}, ours "
        f"{compare(a, b, margin=0.02)['p_equivalent']:.6g}"
    )
    ratio(
        f"{rows:>6,} pairs, statsmodels' ttost_paired",
        lambda: margin_p_values(a - b, 0.02),
        lambda: ttost_paired(a, b, -0.02, 0.02),
    )


def evalstats(rows: int, scores: NDArray[np.float64]) -> None:
    try:
        from evalstats import pairwise_differences
    except ModuleNotFoundError:
        print(f"{rows:>6,} pairs: evalstats is not installed")
        return

    def theirs() -> Any:
        rng = np.random.default_rng(0)
        return pairwise_differences(scores, 0, 1, method="permutation", rng=rng)

    p_value = compare(*scores)["p_value"]
    print(f"{rows:>6,} pairs, evalstats' permutation: {theirs().p_value:.4g}, ours {p_value:.4g}")
    ratio(
        f"{rows:>6,} pairs, evalstats' permutation and interval", lambda: compare(*scores), theirs
    )


def many_systems() -> None:
    """How many pairs of 40 systems on 400 rows differ, by test and correction."""
    pairs = forty_systems()
    found = {
        "draws, Holm": lambda: adjusted(drawn_p_values(pairs.T, 9_999), "holm"),
        "without draws, Holm (at least 500)": lambda: adjusted(
            [p_of(row) for row in pairs], "holm"
        ),
    }
    print("\n780 pairs of 40 systems, 400 rows: significant at .05")
    for name, adjust in found.items():
        seconds = cpu_seconds(adjust)
        print(f"{name}: {(adjust() < 0.05).sum()} ({seconds:.2f} s)")


def main() -> None:
    without_draws()
    peers()
    many_systems()
    print(f"\n{RESAMPLES:,} resamples; CPU time, interleaved rounds")
    for rows, target, best in ((1_000, 100, 1000), (10_000, 250, 250)):
        values = differences(rows)[:, 0]
        listed = values.tolist()
        name = f"{rows:>6,} pairs"
        batches = [
            (500, f"in batches of 500 (at least {target}x)"),
            (best, f"in batches of {best}"),
        ]
        if rows == 1_000:
            batches.append((RESAMPLES, "in one batch, its default"))
        for batch, note in batches:
            ratio(
                f"{name}, scipy {note}",
                lambda v=values: ours(v),
                lambda v=values, b=batch: scipys(v, b),
            )
        for sign, flipped_sum in LOOPS.items():
            ratio(
                f"{name}, a Python loop that flips by {sign}",
                lambda v=values: ours(v),
                lambda v=listed, f=flipped_sum: loop(v, f),
                share=1 / SHARE,
            )
    for rows in (1_000, 10_000):
        many = differences(rows, 16)
        ratio(
            f"{rows:>6,} pairs, 16 measures: {RESAMPLES:,} draws for all together",
            lambda v=many: ours(v),
            lambda v=many: draws(v),
        )

    print("\nAlone")
    values = differences(100_000)[:, 0]
    print(
        f"100,000 pairs: {cpu_seconds(lambda: ours(values)):.2f} s, "
        f"peak memory beyond input {peak_megabytes(lambda: ours(values)):.1f} MB (at most 50)"
    )
    for rows in (1_000, 10_000):
        a, b = np.random.default_rng(0).random((2, rows))
        auto = cpu_seconds(lambda a=a, b=b: compare(a, b))
        resampled = cpu_seconds(lambda a=a, b=b: compare(a, b, interval="bootstrap"))
        test = cpu_seconds(lambda a=a, b=b: compare(a, b, confidence_level=None))
        print(
            f"{rows:,} pairs with their interval: {auto:.4f} s, with the bootstrap's: "
            f"{resampled:.3f} s, without: {test:.4f} s"
        )


if __name__ == "__main__":
    main()
