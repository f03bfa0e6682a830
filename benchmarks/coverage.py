"""How often 95 % intervals of every kind of score hold the true value, and how wide they are.

    python benchmarks/coverage.py [samples [seed [FILE]]]

For each family of `_score_distributions` and 10, 30, 100 and 1,000 rows many samples are drawn:
by default 400 of families whose interval is exact, 240 of those whose interval draws, half of that
at 1,000 rows. Prints the coverage of every distribution, and writes the least and the median one of
each family, with the width beside that of the best interval (twice 1.96 standard deviations of the
score), for the page on statistics. A second table holds how often decisions are wrong.
"""

import sys
import time
from pathlib import Path

import numpy as np
from _score_distributions import (
    HEAVY_TAILS,
    LABEL_SCORES,
    LIGHT_TAILS,
    calibration,
    clusters,
    corpus_scores,
    differences,
    error_rates,
    errors,
    labels,
    many_classes,
    means,
    numbers,
    partitions,
    spans,
)

from metric_commons.statistics import (
    equivalence,
    paired_test,
    simultaneous_intervals,
)

SAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 400
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 0
TABLE = (
    Path(sys.argv[3])
    if len(sys.argv) > 3
    else Path(__file__).parents[1] / "docs" / "tables" / "interval_coverage.md"
)
ROWS = (10, 30, 100, 1000)
MEANS = (
    "qa_em, qa_f1, substring_recall, rouge_n_l, truthful_mc, pass_at_k, win_rate, ir_ranking, "
    "math_equivalence, squad_v2, repeated_sampling, selective_answering; accuracy, precision, "
    "recall, brier of classification; smape, coverage of regression"
)
FAMILIES = [  # scores, distributions, whether the interval draws
    (MEANS, means, False),
    ("the same, by number of clusters", clusters, False),
    ("wer, cer, mer of error_rate; ter; google_bleu", error_rates, False),
    ("precision, recall, f1, accuracy of span_f1", spans, False),
    ("bleu; chrf, wip, wil, macro averages of span_f1", corpus_scores, True),
    *(
        (
            f"{name}{' (macro)' if name == 'f1' else ''} of classification",
            lambda n=name: labels(n),
            True,
        )
        for name in LABEL_SCORES
    ),
    ("mcc, kappa of 20 classes", lambda: many_classes("mcc"), True),
    ("balanced_accuracy, macro averages of 20 classes", lambda: many_classes("f1"), True),
    ("mae, mse, rmse, mape, deviances, log_loss: light tails", lambda: errors(LIGHT_TAILS), False),
    ("the same: heavy tails, or 2 % gross errors", lambda: errors(HEAVY_TAILS), False),
    ("r2, explained_variance, d2 of regression", lambda: numbers("r2"), True),
    ("r2 with 2 % gross errors", lambda: numbers("r2", gross=True), True),
    ("pearson, concordance of regression", lambda: numbers("pearson"), True),
    ("pearson with 2 % gross errors", lambda: numbers("pearson", gross=True), True),
    ("spearman, kendall of regression", lambda: numbers("spearman"), False),
    ("ece of classification", calibration, True),
    ("ari, rand, fowlkes_mallows of clustering", lambda: partitions("ari"), True),
    ("nmi, v_measure, homogeneity, completeness, ami", lambda: partitions("nmi"), True),
    ("differences of two systems", differences, False),
]


def measured(draw, truth, rows, samples):
    """The coverage of a distribution, and its mean width beside the ideal one."""
    rng = np.random.default_rng([SEED, rows])
    hits, widths, scores = 0, [], []
    for _ in range(samples):
        (low, high), score = draw(rng, rows)
        if np.isnan(score) or np.isnan(low):
            continue
        hits += low - 1e-9 <= truth <= high + 1e-9
        widths.append(high - low)
        scores.append(score)
    if not scores:
        return float("nan"), float("nan")
    ideal = 2 * 1.96 * np.std(scores)
    return hits / len(scores), float(np.mean(widths) / ideal) if ideal else float("nan")


def of_family(distributions, is_drawn):
    """Coverage and width of each distribution by number of rows."""
    found = {}
    for rows in ROWS:
        samples = SAMPLES * (6 if is_drawn else 10) // (20 if rows == 1000 else 10)
        found[rows] = {
            name: measured(*distribution, rows, samples)
            for name, distribution in distributions.items()
        }
    return found


def text(number, digits=2):
    shown = f"{number:.{digits}f}"
    return shown.removeprefix("0") if number < 1 else shown


def family_rows():
    """The lines of the table of families."""
    header = " | ".join(f"{rows:,} rows" for rows in ROWS)
    yield f"| scores | {header} |"
    yield "| --- |" + " --- |" * len(ROWS)
    for name, make, is_drawn in FAMILIES:
        start = time.process_time()
        found = of_family(make(), is_drawn)
        cells = []
        for rows in ROWS:
            coverage = np.array([pair[0] for pair in found[rows].values()])
            width = np.nanmedian([pair[1] for pair in found[rows].values()])
            least, median = np.nanmin(coverage), np.nanmedian(coverage)
            shown = f"{text(least)} / {text(median)} / {text(width, 1)}"
            cells.append(f"**{shown}**" if least < 0.9 else shown)
            print(f"{name}, {rows} rows")
            for distribution, (share, ratio) in found[rows].items():
                print(f"    {distribution:34} {share:.3f}  {ratio:.2f}")
        print(f"    {time.process_time() - start:.0f} s", flush=True)
        yield f"| {name} | {' | '.join(cells)} |"


# ---- decisions ----------------------------------------------------------------------------------


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


def false_cluster_tests(groups, test, samples):
    """How often a test of so many unequal clusters finds a difference where there is none."""
    rng = np.random.default_rng([SEED, groups])
    hits = 0
    for _ in range(samples):
        sizes = np.maximum(1, rng.lognormal(1.5, 0.8, groups).round()).astype(int)
        shift = np.repeat(rng.normal(0, 0.2, groups), sizes)
        rows = shift + rng.normal(0, 0.2, sizes.sum())
        labels_of_rows = np.repeat(np.arange(groups), sizes).tolist()
        hits += paired_test(rows, test=test, clusters=labels_of_rows).p_value < 0.05
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
        cells = [text(false_passes(size, losses, 50 * SAMPLES), 3) for size in sizes]
        yield f"| gate, true loss {losses:.0%} = margin, by rows | {' | '.join(cells)} |"
    cells = [text(false_equivalence(size, 2 * SAMPLES), 3) for size in sizes]
    yield f"| equivalence, true difference = margin, by rows | {' | '.join(cells)} |"
    for test in ("t", "permutation"):
        cells = [text(false_cluster_tests(size, test, 2 * SAMPLES), 3) for size in sizes]
        yield f'| test="{test}" of equal systems, by unequal clusters | {" | ".join(cells)} |'
    cells = [text(1 - family_coverage(4, size, SAMPLES // 2), 3) for size in sizes]
    yield f"| intervals of six pairs: at least one misses, by rows | {' | '.join(cells)} |"


if __name__ == "__main__":
    lines = [*decision_rows(), "", *family_rows()]
    print("\n".join(lines))
    TABLE.write_text("\n".join(lines) + "\n", "utf-8")
