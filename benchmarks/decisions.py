"""How often decisions about two systems are wrong, and how often recommended rows are enough.

    python benchmarks/decisions.py [samples [seed [FOLDER]]]

Tests, gates and equivalence where the true difference is the one that they should not accept, and
the intervals of all pairs of four systems. Then the rows that are recommended for a power of .80,
with the share of samples of this size in which the test, or the gate, decides. Writes two tables
for the page on statistics, of 400 samples by default, times what keeps each line steady.
"""

import sys
from pathlib import Path

import numpy as np

from metric_commons.statistics import (
    Pilot,
    equivalence,
    paired_test,
    required_rows,
    simultaneous_intervals,
)
from metric_commons.statistics.tests.differences import rows_for_margin

SAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 400
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 0
FOLDER = Path(sys.argv[3]) if len(sys.argv) > 3 else Path(__file__).parents[1] / "docs" / "tables"


def text(number):
    shown = f"{number:.3f}"
    return shown.removeprefix("0") if number < 1 else shown


def false_passes(rows, losses, samples):
    """How often a loss that equals the margin passes for none; no row is won."""
    rng = np.random.default_rng([SEED, rows, round(1000 * losses)])
    lost = rng.binomial(rows, losses, samples)
    passes = {
        number: equivalence([-1.0] * number + [0.0] * (rows - number), losses).p_non_inferior < 0.05
        for number in set(lost.tolist())
    }
    return np.mean([passes[number] for number in lost.tolist()])


def false_equivalence(rows, samples):
    """How often a difference of the margin passes for equivalence: scores of sd .2."""
    rng = np.random.default_rng([SEED, rows])
    return np.mean(
        [
            equivalence(np.clip(rng.normal(0.1, 0.2, rows), -1, 1), 0.1).p_equivalent < 0.05
            for _ in range(samples)
        ]
    )


def drawn_clusters(rng, groups, mean=0.0):
    """Differences of rows in unequal clusters, whose mean difference is this, and their labels."""
    sizes = np.maximum(1, rng.lognormal(1.5, 0.8, groups).round()).astype(int)
    shift = np.repeat(rng.normal(mean, 0.2, groups), sizes)
    return shift + rng.normal(0, 0.2, sizes.sum()), np.repeat(np.arange(groups), sizes).tolist()


def false_margins_of_clusters(groups, samples):
    """How often a loss of the margin passes for none, and a difference of it for equivalence."""
    rng = np.random.default_rng([SEED, groups, 1])
    passes = np.zeros(2)
    for _ in range(samples):
        rows, names = drawn_clusters(rng, groups, -0.1)
        passes += np.array(equivalence(np.clip(rows, -1, 1), 0.1, clusters=names)) < 0.05
    return passes / samples


def false_cluster_tests(groups, test, samples):
    """How often a test of so many unequal clusters finds a difference where there is none."""
    rng = np.random.default_rng([SEED, groups])
    hits = 0
    for _ in range(samples):
        rows, names = drawn_clusters(rng, groups)
        hits += paired_test(rows, test=test, clusters=names).p_value < 0.05
    return hits / samples


def family_coverage(systems, rows, samples):
    """How often all intervals of pairs of systems hold the true difference."""
    rng = np.random.default_rng([SEED, systems, rows])
    right = np.linspace(0.6, 0.9, systems)
    hits = 0
    for _ in range(samples):
        scores = (rng.random((systems, rows)) < right[:, np.newaxis]).astype(float)
        ends = simultaneous_intervals(scores)
        truths = [right[a] - right[b] for a in range(systems) for b in range(a + 1, systems)]
        hits += all(low <= t <= high for (low, high), t in zip(ends, truths, strict=True))
    return hits / samples


def decision_rows():
    """The lines of the table of decisions."""
    sizes = (5, 10, 30, 100, 300)
    yield f"| wrong decisions at .05 | {' | '.join(f'{size:,}' for size in sizes)} |"
    yield "| --- |" + " --- |" * len(sizes)
    for losses in (0.02, 0.05, 0.25):
        cells = [text(false_passes(size, losses, 50 * SAMPLES)) for size in sizes]
        yield f"| gate, true loss {losses:.0%} = margin, by rows | {' | '.join(cells)} |"
    of_clusters = [false_margins_of_clusters(size, 2 * SAMPLES) for size in sizes]
    cells = [text(pair[0]) for pair in of_clusters]
    yield f"| gate, true loss = margin, by unequal clusters | {' | '.join(cells)} |"
    cells = [text(false_equivalence(size, 2 * SAMPLES)) for size in sizes]
    yield f"| equivalence, true difference = margin, by rows | {' | '.join(cells)} |"
    cells = [text(pair[1]) for pair in of_clusters]
    yield f"| equivalence, true difference = margin, by unequal clusters | {' | '.join(cells)} |"
    for test in ("t", "permutation"):
        cells = [text(false_cluster_tests(size, test, 5 * SAMPLES)) for size in sizes]
        yield f'| test="{test}" of equal systems, by unequal clusters | {" | ".join(cells)} |'
    cells = [text(1 - family_coverage(4, size, SAMPLES)) for size in sizes]
    yield f"| intervals of six pairs: at least one misses, by rows | {' | '.join(cells)} |"


# ---- power --------------------------------------------------------------------------------------

PILOTS = {  # differences of the rows of a pilot, and the effect that is looked for
    "0/1, 20 % differ": ([1.0, -1.0, *[0.0] * 8] * 10, 0.1),
    "0/1, 5 % differ": ([1.0, -1.0, *[0.0] * 38] * 10, 0.03),
    "wins, ties and halves": ([1.0, 0.5, 0.0, 0.0, -0.5, -1.0] * 10, 0.15),
    "normal, sd .2": (np.clip(np.random.default_rng(0).normal(0, 0.2, 200), -1, 1), 0.05),
    "most near 0, some far off": (np.random.default_rng(0).beta(0.3, 3, 200), 0.06),
}


def like_pilot(rng, differences, effect, shape):
    """Rows of either sign, tilted exponentially to a mean difference."""
    values = np.concatenate([differences, np.negative(differences)])
    low, high = 0.0, 1e3
    for _ in range(100):
        middle = (low + high) / 2
        weights = np.exp(middle * (values - values.max()))
        is_less = weights @ values < effect * weights.sum()
        low, high = (middle, high) if is_less else (low, middle)
    return rng.choice(values, shape, p=weights / weights.sum())


def passes_gate(differences, margin):
    return equivalence(differences, margin).p_non_inferior < 0.05


def power_rows():
    """The lines of the table of rows that are recommended for a power of .80."""
    yield "| rows for a power of .80 | for the t-test | recommended | reached |"
    yield "| --- | --- | --- | --- |"
    for name, (differences, effect) in PILOTS.items():
        rng = np.random.default_rng(SEED)
        rows = Pilot(differences).required_rows(effect)
        samples = like_pilot(rng, differences, effect, (10 * SAMPLES, rows))
        share = np.mean([paired_test(sample).p_value < 0.05 for sample in samples])
        by_t = required_rows(effect, float(samples.std()))
        yield f"| power: {name}, difference {effect:g} | {by_t:,} | {rows:,} | {text(share)} |"
    for name, (differences, margin) in PILOTS.items():
        rng = np.random.default_rng(SEED)
        values = np.asarray(differences)
        options = {"alpha": 0.05, "power": 0.8, "as_observed": False}
        rows = rows_for_margin(values, None, margin, 1.0, **options)
        both = np.concatenate([values, -values])
        samples = rng.choice(both, (10 * SAMPLES, rows))
        share = np.mean([passes_gate(sample, margin) for sample in samples])
        by_t = required_rows(margin, float(both.std()), alpha=0.1)
        yield f"| gate: {name}, margin {margin:g} | {by_t:,} | {rows:,} | {text(share)} |"


if __name__ == "__main__":
    for name, rows in (("decisions", decision_rows), ("required_rows", power_rows)):
        lines = []
        for line in rows():
            print(line, flush=True)
            lines.append(line)
        (FOLDER / f"{name}.md").write_text("\n".join(lines) + "\n", "utf-8")
