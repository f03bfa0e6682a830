"""How often decisions about two systems are wrong, and how often recommended rows are enough.

    python benchmarks/decisions.py [samples [seed [FOLDER [TABLE]...]]]

Tests, gates and equivalence where the true difference is the one that they should not accept, and
the intervals of all pairs of four systems. Then the rows that are recommended for a power of .80,
with the share of samples of this size in which the test, or the gate, decides. Then the two laws of
comparisons where rare rows are much worse; looking again; the best of many; and crossed rows.
Writes tables for the page on statistics, of 400 samples by default, times what keeps a line steady.
"""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
from _paired import p_of

from metric_commons.statistics import (
    ConfidenceSequence,
    compare,
    interval,
    rows_needed,
)
from metric_commons.statistics.tests.best_of_many import best_of

SAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 400
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 0
FOLDER = Path(sys.argv[3]) if len(sys.argv) > 3 else Path(__file__).parents[1] / "docs" / "tables"


def text(number):
    shown = f"{number:.3f}"
    return shown.removeprefix("0") if number < 1 else shown


def margin_p_values(differences, margin, clusters=None):
    """The p-values of a loss of the margin, and of a gain of it."""
    values = np.asarray(differences, float)
    scores = np.maximum(values, 0.0), np.maximum(-values, 0.0)
    found = compare(*scores, clusters=clusters, margin=margin, confidence_level=0.9)
    return found["p_non_inferior"], found["p_equivalent"]


def passes_gate(differences, margin):
    return margin_p_values(differences, margin)[0] < 0.05


def false_passes(rows, losses, samples):
    """How often a loss that equals the margin passes for none; no row is won."""
    rng = np.random.default_rng([SEED, rows, round(1000 * losses)])
    lost = rng.binomial(rows, losses, samples)
    passes = {
        number: passes_gate(-1.0 * (np.arange(rows) < number), losses)
        for number in set(lost.tolist())
    }
    return np.mean([passes[number] for number in lost.tolist()])


def false_equivalence(rows, samples):
    """How often a difference of the margin passes for equivalence: scores of sd .2."""
    rng = np.random.default_rng([SEED, rows])
    return np.mean(
        [
            max(margin_p_values(np.clip(rng.normal(0.1, 0.2, rows), -1, 1), 0.1)) < 0.05
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
        not_inferior, not_better = margin_p_values(np.clip(rows, -1, 1), 0.1, names)
        passes += np.array([not_inferior, max(not_inferior, not_better)]) < 0.05
    return passes / samples


def false_cluster_tests(groups, test, samples):
    """How often a test of so many unequal clusters finds a difference where there is none."""
    rng = np.random.default_rng([SEED, groups])
    hits = 0
    for _ in range(samples):
        rows, names = drawn_clusters(rng, groups)
        hits += p_of(rows, test=test, clusters=names) < 0.05
    return hits / samples


def family_coverage(systems, rows, samples):
    """How often all intervals of pairs of systems hold the true difference."""
    rng = np.random.default_rng([SEED, systems, rows])
    right = np.linspace(0.6, 0.9, systems)
    hits = 0
    for _ in range(samples):
        scores = (rng.random((systems, rows)) < right[:, np.newaxis]).astype(float)
        pairs = [*combinations(scores, 2)]
        level = 1 - 0.05 / len(pairs)
        ends = [compare(*pair, confidence_level=level)["confidence_interval"] for pair in pairs]
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

DIFFERENCES = {  # of rows, and the effect that is looked for
    "0/1, 20 % differ": ([1.0, -1.0, *[0.0] * 8] * 10, 0.1),
    "0/1, 5 % differ": ([1.0, -1.0, *[0.0] * 38] * 10, 0.03),
    "wins, ties and halves": ([1.0, 0.5, 0.0, 0.0, -0.5, -1.0] * 10, 0.15),
    "normal, sd .2": (np.clip(np.random.default_rng(0).normal(0, 0.2, 200), -1, 1), 0.05),
    "most near 0, some far off": (np.random.default_rng(0).beta(0.3, 3, 200), 0.06),
}


def like_rows(rng, differences, effect, shape):
    """Rows of either sign, tilted exponentially to a mean difference."""
    values = np.concatenate([differences, np.negative(differences)])
    low, high = 0.0, 1e3
    for _ in range(100):
        middle = (low + high) / 2
        weights = np.exp(middle * (values - values.max()))
        is_less = weights @ values < effect * weights.sum()
        low, high = (middle, high) if is_less else (low, middle)
    return rng.choice(values, shape, p=weights / weights.sum())


def power_rows():
    """The lines of the table of rows that are recommended for a power of .80."""
    yield "| rows for a power of .80 | recommended | reached |"
    yield "| --- | --- | --- |"
    for name, (differences, effect) in DIFFERENCES.items():
        rng = np.random.default_rng(SEED)
        rows = rows_needed(effect, float(like_rows(rng, differences, effect, 10**6).std()))
        samples = like_rows(rng, differences, effect, (10 * SAMPLES, rows))
        share = np.mean([p_of(sample) < 0.05 for sample in samples])
        yield f"| power: {name}, difference {effect:g} | {rows:,} | {text(share)} |"
    for name, (differences, margin) in DIFFERENCES.items():
        rng = np.random.default_rng(SEED)
        values = np.asarray(differences)
        deviation = float(np.sqrt(np.mean(np.square(values))))
        rows = rows_needed(margin, deviation, 0.1, 0.8)
        both = np.concatenate([values, -values])
        samples = rng.choice(both, (10 * SAMPLES, rows))
        share = np.mean([passes_gate(sample, margin) for sample in samples])
        yield f"| gate: {name}, margin {margin:g} | {rows:,} | {text(share)} |"


# ---- laws ---------------------------------------------------------------------------------------

LAWS = {  # differences whose mean is 0, with their probabilities
    "+.01, and -.99 in 1 %": ([0.01, -0.99], [0.99, 0.01]),
    "+.05, and -.95 in 5 %": ([0.05, -0.95], [0.95, 0.05]),
    "half equal, +.02, and -.48 in 2 %": ([0.0, 0.02, -0.48], [0.5, 0.48, 0.02]),
}


def false_differences(values, shares, rows, assume, samples):
    """How often systems with the same mean are called different."""
    rng = np.random.default_rng([SEED, rows, len(values)])
    hits = 0
    for _ in range(samples):
        drawn = rng.choice(values, rows, p=shares)
        a, b = np.maximum(drawn, 0), np.maximum(-drawn, 0)
        options = {"assume": assume, "bounds": (0, 1), "confidence_level": None}
        hits += compare(a, b, **options)["significant"]
    return hits / samples


def law_rows():
    """The lines of the table of laws of comparisons."""
    sizes = (10, 30, 100, 300)
    yield f"| differences with the mean 0 | `assume` | {' | '.join(map(str, sizes))} |"
    yield "| --- | --- |" + " --- |" * len(sizes)
    for name, law in LAWS.items():
        for assume in ("exchangeable", "nothing"):
            cells = [text(false_differences(*law, size, assume, SAMPLES)) for size in sizes]
            yield f"| {name} | {assume} | {' | '.join(cells)} |"


# ---- looking again, the best of many, crossed rows ----------------------------------------------

LOOKS = {
    "0/1, p = .5": lambda rng, rows: (rng.random(rows) < 0.5) * 1.0,
    "0/1, p = .95": lambda rng, rows: (rng.random(rows) < 0.95) * 1.0,
    "uniform": lambda rng, rows: rng.random(rows),
}
MEANS = {"0/1, p = .5": 0.5, "0/1, p = .95": 0.95, "uniform": 0.5}


def misses_of_looks(name, rows, total, samples):
    """How often any look misses, by sequences and by intervals of one look, and both widths."""
    rng = np.random.default_rng([SEED, rows, len(name)])
    misses, widths = np.zeros(2), np.zeros(2)
    looks = range(10, rows + 1, 10)
    for _ in range(samples):
        drawn = LOOKS[name](rng, rows if total is None else total)
        target = MEANS[name] if total is None else drawn.mean()
        sequence = ConfidenceSequence(total=total)
        ends = np.array([sequence.update(drawn[look - 10 : look]) for look in looks])
        once = np.array([interval(drawn[:look])[:2] for look in looks])
        for number, pairs in enumerate((ends, once)):
            misses[number] += (
                (pairs[:, 0] > target + 1e-12) | (pairs[:, 1] < target - 1e-12)
            ).any()
            widths[number] += pairs[-1, 1] - pairs[-1, 0]
    return misses / samples, widths / samples


def look_rows():
    """The lines of the table of looks."""
    columns = ("looks every 10 rows of 300", "sequence misses", "single looks miss", "widths")
    yield f"| {' | '.join(columns)} at the last |"
    yield "| --- | --- | --- | --- |"
    for name in LOOKS:
        for total, target in ((None, "population"), (400, "benchmark of 400")):
            misses, widths = misses_of_looks(name, 300, total, SAMPLES // 4)
            cells = " | ".join(map(text, misses))
            yield f"| {name}, {target} | {cells} | {text(widths[0])}, {text(widths[1])} |"


def best_rows():
    """The lines of the table of the best of many."""
    yield "| best of systems with p = .5 | rows | covered | its plain interval | width, times |"
    yield "| --- | --- | --- | --- | --- |"
    for systems, rows in ((2, 100), (10, 100), (20, 100), (50, 200)):
        rng = np.random.default_rng([SEED, systems])
        hits, widths = np.zeros(2), np.zeros(2)
        for _ in range(SAMPLES // 4):
            table = (rng.random((rows, systems)) < 0.5) * 1.0
            winner = best_of(table)
            plain = interval(table[:, winner.number])
            for number, (low, high) in enumerate(((winner.low, winner.high), plain[:2])):
                hits[number] += low <= 0.5 <= high
                widths[number] += high - low
        cells = " | ".join(map(text, hits / (SAMPLES // 4)))
        yield f"| {systems} | {rows} | {cells} | {widths[0] / widths[1]:.2f} |"


def crossed_rows():
    """The lines of the table of crossed rows."""
    yield "| items and templates | crossed | clusters of items alone |"
    yield "| --- | --- | --- |"
    for items, templates in ((50, 2), (50, 3), (200, 5), (1000, 5), (200, 10)):
        rng = np.random.default_rng([SEED, items, templates])
        labels = {
            "item": np.repeat(np.arange(items), templates).tolist(),
            "template": np.tile(np.arange(templates), items).tolist(),
        }
        hits = np.zeros(2)
        for _ in range(SAMPLES // 2):
            x = 0.5 + 0.1 * rng.normal(size=(items, 1)) + 0.02 * rng.normal(size=(1, templates))
            rows = (x + 0.1 * rng.normal(size=(items, templates))).clip(0, 1).ravel()
            for number, clusters in enumerate((labels, labels["item"])):
                low, high = interval(rows, clusters=clusters)[:2]
                hits[number] += low <= 0.5 <= high
        cells = " | ".join(map(text, hits / (SAMPLES // 2)))
        yield f"| {items:,} x {templates} | {cells} |"


TABLES = {
    "decisions": decision_rows,
    "required_rows": power_rows,
    "laws": law_rows,
    "looks": look_rows,
    "best_of_many": best_rows,
    "crossed": crossed_rows,
}

if __name__ == "__main__":
    for name in sys.argv[4:] or TABLES:
        lines = []
        for line in TABLES[name]():
            print(line, flush=True)
            lines.append(line)
        (FOLDER / f"{name}.md").write_text("\n".join(lines) + "\n", "utf-8")
