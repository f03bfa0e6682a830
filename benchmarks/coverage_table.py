"""How often 95 % intervals of every kind of score hold the true value, and how wide they are.

    python benchmarks/coverage_table.py [samples [seed [FILE [families]]]]
    python benchmarks/coverage_table.py --search [seed [FILE]]
    python benchmarks/coverage_table.py --few [samples [seed [FILE]]]

For each family of `_score_distributions` and 10, 30, 100 and 1,000 rows many samples are drawn:
by default 400 of families whose interval is exact, 240 of those whose interval draws, half of that
at 1,000 rows. A distribution with a coverage below .93 is measured again, with 2,000 new samples,
as the least of many coverages is otherwise too low by chance. Prints the coverage of every
distribution, and writes the least and the median one of each family, with the width beside that of
the best interval (twice 1.96 standard deviations of the score), for the page on statistics.

With --search it looks for the laws of rows for which intervals are worst; see `_worst_laws`. With
--few it measures scores where a class has few rows, with 1,000 samples.

With a number of families as many are chosen at random, and compared with the table of the page: the
status is 1 if a coverage is lower than the least one there by more than chance.
"""

import random
import sys
import time
from pathlib import Path

import numpy as np
from _score_distributions import (
    HEAVY_TAILS,
    LABEL_SCORES,
    LIGHT_TAILS,
    SURE_AND_WRONG,
    calibration,
    clusters,
    corpus_scores,
    differences,
    error_rates,
    errors,
    few_rows,
    labels,
    many_classes,
    means,
    numbers,
    partitions,
    rare_class,
    spans,
    unshown,
)
from _worst_laws import table as table_of_worst_laws
from scipy import stats

SEARCH = sys.argv[1:2] == ["--search"]
if SEARCH:  # with as many samples as it needs
    sys.argv[1:2] = ["0"] if sys.argv[2:] else ["0", "0"]
FEW = sys.argv[1:2] == ["--few"]
if FEW:
    sys.argv[1:2] = [] if sys.argv[2:] else ["1000"]
SAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 400
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 0
TABLES = Path(__file__).parents[1] / "docs" / "tables"
FILE = "worst_laws.md" if SEARCH else "few_rows.md" if FEW else "interval_coverage.md"
PUBLISHED = TABLES / FILE
TABLE = Path(sys.argv[3]) if len(sys.argv) > 3 else PUBLISHED
CHOSEN = int(sys.argv[4]) if len(sys.argv) > 4 else None
ROWS = (10, 30, 100, 1000)
DOUBTFUL = 0.93  # below this coverage it is measured again, with more samples
AGAIN = 5 * SAMPLES
UNLIKELY = 1e-5
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
    ("r2 with 2 % gross errors", lambda: numbers("r2", law="2 % gross errors"), True),
    ("pearson, concordance of regression", lambda: numbers("pearson"), True),
    ("pearson with 2 % gross errors", lambda: numbers("pearson", law="2 % gross errors"), True),
    ("spearman, kendall of regression", lambda: numbers("spearman"), False),
    ("ece of classification", calibration, True),
    ("ari, rand, fowlkes_mallows of clustering", lambda: partitions("ari"), True),
    ("nmi, v_measure, homogeneity, completeness, ami", lambda: partitions("nmi"), True),
    ("differences of two systems", differences, False),
    ("wer: rare rows repeat themselves, or are long and worse", unshown, False),
    ("f1 (macro) of classes of 99 and 1 %", lambda: rare_class("f1"), True),
    ("log_loss: 2 % sure and wrong", lambda: errors(SURE_AND_WRONG), False),
    (
        "pearson: errors that grow with the number",
        lambda: numbers("pearson", law="errors grow with the number"),
        True,
    ),
    ("purity", lambda: partitions("purity"), True),
]


def measured(draw, truth, rows, samples, stream=0):
    """The coverage of a distribution, its mean width beside the ideal one, and the samples."""
    rng = np.random.default_rng([SEED, rows, stream])
    hits, widths, scores = 0, [], []
    for _ in range(samples):
        (low, high), score = draw(rng, rows)
        if np.isnan(score) or np.isnan(low):
            continue
        hits += low - 1e-9 <= truth <= high + 1e-9
        widths.append(high - low)
        scores.append(score)
    if not scores:
        return float("nan"), float("nan"), 0
    ideal = 2 * 1.96 * np.std(scores)
    width = float(np.mean(widths) / ideal) if ideal else float("nan")
    return hits / len(scores), width, len(scores)


def of_family(distributions, is_drawn):
    """Coverage, width and samples of each distribution by number of rows."""
    found = {}
    for rows in ROWS:
        samples = SAMPLES * (6 if is_drawn else 10) // (20 if rows == 1000 else 10)
        found[rows] = {}
        for name, distribution in distributions.items():
            cell = measured(*distribution, rows, samples)
            if cell[0] < DOUBTFUL and samples < AGAIN:
                cell = measured(*distribution, rows, AGAIN, 1)
            found[rows][name] = cell
    return found


def text(number, digits=2):
    shown = f"{number:.{digits}f}"
    return shown.removeprefix("0") if number < 1 else shown


def published():
    """The least coverage by family and number of rows that the page states."""
    lines = PUBLISHED.read_text("utf-8").splitlines()
    cells = [[cell.strip(" *") for cell in line.split("|")[1:-1]] for line in lines[2:]]
    return {
        (name, rows): float(cell.split(" / ")[0])
        for name, *numbers in cells
        for rows, cell in zip(ROWS, numbers, strict=True)
    }


def lower_than_published(name, found):
    """The distributions with a coverage that is lower than published, by more than chance."""
    stated = published()
    for rows, distributions in found.items():
        least = min(stated[name, rows], 0.95)
        for distribution, (coverage, _, samples) in distributions.items():
            if stats.binom.cdf(round(coverage * samples), samples, least) < UNLIKELY:
                yield f"{name}, {rows} rows, {distribution}: {coverage:.3f}, not {least}"


def family_rows(families, faults):
    """The lines of the table of these families; what contradicts the page joins the faults."""
    header = " | ".join(f"{rows:,} rows" for rows in ROWS)
    samples = f"{SAMPLES * 3 // 10:,} to {SAMPLES:,} samples a cell, {AGAIN:,} if below {DOUBTFUL}"
    yield f"| scores; {samples} | {header} |"
    yield "| --- |" + " --- |" * len(ROWS)
    for name, make, is_drawn in families:
        start = time.process_time()
        found = of_family(make(), is_drawn)
        cells = []
        for rows in ROWS:
            coverage = np.array([cell[0] for cell in found[rows].values()])
            width = np.nanmedian([cell[1] for cell in found[rows].values()])
            least, median = np.nanmin(coverage), np.nanmedian(coverage)
            shown = f"{text(least)} / {text(median)} / {text(width, 1)}"
            cells.append(f"**{shown}**" if least < 0.9 else shown)
            print(f"{name}, {rows} rows")
            for distribution, (share, ratio, samples) in found[rows].items():
                print(f"    {distribution:34} {share:.3f} of {samples:,}  {ratio:.2f}")
        if CHOSEN is not None:
            faults += lower_than_published(name, found)
        print(f"    {time.process_time() - start:.0f} s", flush=True)
        yield f"| {name} | {' | '.join(cells)} |"


def lines_of_few_rows():
    """The lines of the table of scores where a class has few rows."""
    yield f"| scores, {SAMPLES:,} samples each | coverage | width |"
    yield "| --- | --- | --- |"
    for name, (draw, truth, rows) in few_rows().items():
        coverage, width, _ = measured(draw, truth, rows, SAMPLES)
        yield f"| {name} | {text(coverage, 3)} | {text(width, 1)} |"


if __name__ == "__main__":
    families, faults = FAMILIES, []
    if CHOSEN is not None:
        families = random.Random(SEED).sample(FAMILIES, CHOSEN)
    if SEARCH or FEW:
        lines = list(table_of_worst_laws(SEED) if SEARCH else lines_of_few_rows())
    else:
        lines = list(family_rows(families, faults))
    print("\n".join([*lines, *faults]))
    TABLE.write_text("\n".join(lines) + "\n", "utf-8")
    sys.exit(int(bool(faults)))
