"""How often two classifiers, or two regressions, are said to differ: where they do not, and do.

    python benchmarks/comparisons.py [samples [FOLDER]]

Systems with equal scores and with different ones, compared by `score --compare` and by the test
that is known for the score: McNemar's, DeLong's, that of Diebold and Mariano (a t-test of losses),
Steiger's of two correlations with the same references, approximate randomization for F1 and MCC,
and the bootstrap's normal one for R2. Writes a table for the page on statistics.
"""

import math
import sys
from pathlib import Path
from statistics import NormalDist

import numpy as np
from _paired import p_of
from scipy.stats import binom, norm, ttest_rel

from metric_commons.labels.classification.label_influences import classification_influences
from metric_commons.regression.error_influences import regression_influences

SAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
FOLDER = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).parents[1] / "docs" / "tables"


def ours(values):
    """The p-value of `compare` by influences."""
    return p_of(np.subtract(*np.split(values, 2)))


def labels(rng, rows, effect, positives=0.3):
    """References with these positives, and labels of two systems with correlated errors."""
    references = rng.random(rows) < positives
    hard = rng.random(rows)
    rates = 0.25 - effect, 0.25
    systems = [
        np.where(0.5 * hard + 0.5 * rng.random(rows) < rate**0.75, ~references, references)
        for rate in rates
    ]
    return references.astype(int), *(system.astype(int) for system in systems)


def confidences(rng, rows, effect):
    """References, and the scores of two systems."""
    references = (rng.random(rows) < 0.3).astype(int)
    common = rng.normal(size=rows)
    systems = [
        norm.cdf(1.2 * (1 + gain) * references + 0.7 * common + 0.7 * rng.normal(size=rows) - 0.5)
        for gain in (effect, 0.0)
    ]
    return references, *systems


def numbers(rng, rows, effect):
    """References, and numbers predicted by two systems with correlated and long-tailed errors."""
    references, common = rng.normal(size=rows), rng.normal(size=rows)
    systems = [
        references + spread * (0.5 * common + rng.standard_t(5, rows))
        for spread in (0.7, 0.7 + effect)
    ]
    return references, *systems


def mcnemar(references, a, b):
    won, lost = ((x == references) & (y != references) for x, y in ((a, b), (b, a)))
    fewer = min(won.sum(), lost.sum())
    return min(1.0, 2 * binom.cdf(fewer, won.sum() + lost.sum(), 0.5))


def delong(references, a, b):
    placements = []
    for scores in (a, b):
        positive, negative = scores[references == 1], scores[references == 0]
        wins = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
        placements.append((wins.mean(axis=1), wins.mean(axis=0)))
    (a1, a0), (b1, b0) = placements
    variance = np.var(a1 - b1, ddof=1) / len(a1) + np.var(a0 - b0, ddof=1) / len(a0)
    return 2 * norm.sf(abs(a1.mean() - b1.mean()) / math.sqrt(variance))


def steiger(references, a, b):
    """Steiger's Z of two correlations that share the references (1980, with pooled r)."""
    r = np.corrcoef([references, a, b])
    first, second, between = r[0, 1], r[0, 2], r[1, 2]
    pooled = (first + second) / 2
    covariance = (
        between * (1 - 2 * pooled**2) - pooled**2 * (1 - 2 * pooled**2 - between**2) / 2
    ) / (1 - pooled**2) ** 2
    z = (math.atanh(first) - math.atanh(second)) * math.sqrt((len(a) - 3) / (2 - 2 * covariance))
    return 2 * norm.sf(abs(z))


def bootstrapped(measure, seed):
    """The normal test of a difference with the deviation of 100 resamples."""

    def p_value(references, a, b):
        rng, rows = np.random.default_rng(seed), len(references)
        draws = [rng.integers(rows, size=rows) for _ in range(100)]
        differences = [measure(a[d], references[d]) - measure(b[d], references[d]) for d in draws]
        difference = measure(a, references) - measure(b, references)
        return 2 * NormalDist().cdf(-abs(difference) / np.nanstd(differences))

    return p_value


def t_of_losses(loss):
    return lambda references, a, b: ttest_rel(loss(a, references), loss(b, references)).pvalue


def exchanged(measure):
    """Approximate randomization: the labels of both systems change places, 1,000 times."""

    def p_value(references, a, b):
        places = np.random.default_rng(1).random((1_000, len(a))) < 0.5
        first, second = np.where(places, b, a), np.where(places, a, b)
        observed = measure(a[np.newaxis], references) - measure(b[np.newaxis], references)
        differences = measure(first, references) - measure(second, references)
        return (np.count_nonzero(abs(differences) >= abs(observed) - 1e-12) + 1) / 1_001

    return p_value


def f1(predictions, references):
    """F1 of each row of an array of predictions."""
    return 2 * (predictions @ references) / (predictions.sum(axis=1) + references.sum())


def mcc(predictions, references):
    """Matthews' correlation of each row of an array of predictions."""
    rate, prevalence = predictions.mean(axis=1), references.mean()
    covariance = predictions @ references / references.size - rate * prevalence
    with np.errstate(all="ignore"):
        spread = np.sqrt(rate * (1 - rate) * prevalence * (1 - prevalence))
        return np.nan_to_num(covariance / spread)


def r2(predictions, references):
    return 1 - np.mean((predictions - references) ** 2) / np.var(references)


def log_loss(a, references):
    clipped = np.clip(a, 1e-15, 1 - 1e-15)
    return -np.where(references == 1, np.log(clipped), np.log1p(-clipped))


# The data, the influences, the score, the difference, the peer and its name.
LINES = [
    (labels, classification_influences, "accuracy", 0.12, mcnemar, "McNemar"),
    (labels, classification_influences, "f1", 0.12, exchanged(f1), "exchanged rows"),
    (labels, classification_influences, "mcc", 0.12, exchanged(mcc), "exchanged rows"),
    (confidences, classification_influences, "roc_auc", 0.6, delong, "DeLong"),
    (
        confidences,
        classification_influences,
        "log_loss",
        0.4,
        t_of_losses(log_loss),
        "t of losses",
    ),
    (
        numbers,
        regression_influences,
        "mae",
        0.15,
        t_of_losses(lambda a, y: abs(a - y)),
        "Diebold and Mariano",
    ),
    (
        numbers,
        regression_influences,
        "mse",
        0.15,
        t_of_losses(lambda a, y: (a - y) ** 2),
        "Diebold and Mariano",
    ),
    (numbers, regression_influences, "r2", 0.15, bootstrapped(r2, 3), "bootstrap"),
    (numbers, regression_influences, "pearson", 0.15, steiger, "Steiger"),
]


def rejections(line, rows, effect, samples=SAMPLES):
    """How often both tests reject at .05."""
    draw, influences, name, _, peer, _ = line
    options = {"measures": [name]} if influences is regression_influences else {}
    rng = np.random.default_rng([rows, round(1000 * effect)])
    counts = np.zeros(2)
    for _ in range(samples):
        references, *systems = draw(rng, rows, effect)
        values = influences(np.concatenate(systems), np.tile(references, 2), **options)
        if name in values:
            counts[0] += ours(values[name]) < 0.05
            counts[1] += peer(references, *systems) < 0.05
    return counts / samples


def main():
    cells = [f"{kind}, {rows} rows" for kind in ("errors", "power") for rows in (40, 200)]
    header = [cell for pair in zip(cells, ["of the peer"] * 4, strict=True) for cell in pair]
    lines = [
        f"| score, peer | {' | '.join(header)} |",
        "| --- " * 9 + "|",
    ]
    for line in LINES:
        cells = [rejections(line, rows, effect) for effect in (0.0, line[3]) for rows in (40, 200)]
        shown = [f"{share:.3f}".removeprefix("0") for pair in cells for share in pair]
        lines.append(f"| {line[2]}, {line[5]} | {' | '.join(shown)} |")
        print(lines[-1], flush=True)
    (FOLDER / "comparisons.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
