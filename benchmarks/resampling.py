"""Intervals of a mean: the percentile bootstrap beside scipy's, and "auto" beside the bootstrap.

CPU time, and peak memory at a million rows, and at up to ten million resamples. "auto" draws
nothing; of a million distinct scores it takes at most three times as long as sorting them.

    python benchmarks/resampling.py

Both run in this process on the same scores, in turn; a figure is the median of the rounds. scipy
gets a batch size that suits it: by default it takes 1.3 to 1.5 times as long, and 1.6 GB of memory
at 10,000 rows.
"""

from functools import partial
from statistics import median

import numpy as np
from _measure import cpu_seconds, peak_megabytes, ratio
from numpy.typing import NDArray
from scipy import stats

from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.statistics import interval

ROUNDS = 7
RESAMPLES = 10_000


def f1_like(rows: int) -> NDArray[np.float64]:
    """A third zeros, a third ones, and between them F1 of short answers."""
    rng = np.random.default_rng(0)
    predicted, accepted = rng.integers(1, 30, rows), rng.integers(1, 12, rows)
    overlap = rng.binomial(np.minimum(predicted, accepted), 0.6)
    return np.choose(rng.integers(0, 3, rows), [2 * overlap / (predicted + accepted), 0.0, 1.0])


def zero_one(rows: int) -> NDArray[np.float64]:
    """Exact match."""
    return (np.random.default_rng(0).random(rows) < 0.4).astype(np.float64)


def all_distinct(rows: int) -> NDArray[np.float64]:
    """The worst case: no score occurs twice."""
    return np.random.default_rng(0).random(rows)


def ours(scores: NDArray[np.float64]) -> None:
    interval(scores, method="bootstrap", n_resamples=RESAMPLES)


def scipys(scores: NDArray[np.float64]) -> None:
    stats.bootstrap(
        (scores,),
        np.mean,
        method="percentile",
        confidence_level=0.95,
        n_resamples=RESAMPLES,
        batch=max(1, 2**18 // scores.size),
        rng=np.random.default_rng(0),
    )


def compare(name: str, scores: NDArray[np.float64]) -> None:
    rounds = [
        (cpu_seconds(lambda: ours(scores)), cpu_seconds(lambda: scipys(scores)))
        for _ in range(ROUNDS)
    ]
    us, them = (median(column) for column in zip(*rounds, strict=True))
    kinds = np.unique(scores).size
    print(
        f"{name:<14}{scores.size:>8,} rows {kinds:>7,} distinct   ours {us * 1e3:8.2f} ms"
        f"   scipy {them * 1e3:8.1f} ms   ratio {them / us:7.1f}"
    )


def alone(name: str, scores: NDArray[np.float64], n_resamples: int) -> None:
    def run() -> None:
        interval(scores, method="bootstrap", n_resamples=n_resamples)

    seconds = cpu_seconds(run)
    print(
        f"{name:<14}{scores.size:>8,} rows {n_resamples:>7,} resamples   {seconds:6.2f} s"
        f"   peak memory beyond input {peak_megabytes(run):5.1f} MB"
    )


def without_draws() -> None:
    """The interval "auto" beside sorting, Student's t and the bootstrap."""
    print('Interval "auto", which draws nothing')
    scores = all_distinct(1_000_000)
    labels = np.random.default_rng(1).integers(0, 100_000, scores.size).tolist()
    print("(the first figure is the share of our time that the peer takes)")
    ratio(
        "  a million distinct scores, np.sort (at least 0.33x)",
        lambda: interval(scores),
        lambda: np.sort(scores),
    )
    ratio(
        "  the same, scipy's t interval",
        lambda: interval(scores),
        lambda: stats.ttest_1samp(scores, 0).confidence_interval(),
    )
    few = f1_like(10_000)
    ratio("  10,000 rows, the bootstrap", lambda: interval(few), lambda: ours(few))
    seconds = cpu_seconds(lambda: interval(scores, clusters=labels))
    print(f"  a million rows in 100,000 clusters: {seconds:.2f} s\n")


def by_resamples() -> None:
    """Peak memory by the number of resamples: of a mean, and of nine scores of labels."""
    print("\nPeak memory by the number of resamples, and how many bytes that is for each")
    scores = f1_like(1_000)
    labels = np.random.default_rng(0).integers(0, 3, (2, 1_000))
    for n_resamples in (100_000, 1_000_000, 10_000_000):
        draws = {"confidence_level": 0.95, "n_resamples": n_resamples}
        mean = peak_megabytes(partial(interval, scores, method="bootstrap", **draws))
        of_labels = partial(classification_scores, *labels, interval="bootstrap", **draws)
        table = peak_megabytes(of_labels)
        cells = "   ".join(
            f"{name} {megabytes:6.1f} MB {1e6 * megabytes / n_resamples:6.1f} B"
            for name, megabytes in (("a mean", mean), ("nine scores of labels", table))
        )
        print(f"{n_resamples:>10,} resamples   {cells}")


def main() -> None:
    without_draws()
    print(f"{RESAMPLES:,} resamples, CPU time, medians of {ROUNDS} interleaved rounds")
    for scores in (f1_like, zero_one, all_distinct):
        for rows in (1_000, 10_000):
            compare(scores.__name__, scores(rows))
    print("\nA million rows, once")
    alone("f1_like", f1_like(1_000_000), RESAMPLES)
    alone("zero_one", zero_one(1_000_000), RESAMPLES)
    # Time grows in proportion to the resamples here, memory does not.
    alone("all_distinct", all_distinct(1_000_000), 200)
    by_resamples()


if __name__ == "__main__":
    main()
