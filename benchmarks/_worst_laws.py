"""The laws of rows for which an interval is worst: a search of mixtures of size and error.

Most rows are alike; a small proportion of them is larger, and has another score or error. Each law
of a grid is drawn a few times, and the worst ones again, with new samples, since the least of many
coverages is too low by chance. No interval covers what its rows do not show, so this says how far
off it may be.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from _score_distributions import LEVEL, SPANS, WER, ratio_distribution

from metric_commons.statistics import interval

ROWS = (30, 100, 300)
SHARES, SIZES, OFTEN = (0.005, 0.01, 0.02, 0.05, 0.1), (1, 5, 20), (0.02, 0.5, 0.95)
DRAWN, WORST, AGAIN = 30, 3, 500  # samples of every law, laws drawn again, and their samples
WORDS = 10  # of a common row
_FEW = 10  # units drawn for a truth that is known


@dataclass(frozen=True)
class Law:
    """Rows of which a share is larger, by a factor, and has another mean."""

    share: float
    size: int
    common: float  # the score or the error of a common row
    rare: float  # that of a rare one

    def __str__(self):
        larger = f", {self.size} times as large" if self.size > 1 else ""
        return f"{self.common:g}; {100 * self.share:g} % of rows {self.rare:g}{larger}"

    def rows(self, rng, count):
        """The size of each row, and the sum of its score."""
        is_rare = rng.random(count) < self.share
        sizes = np.where(is_rare, self.size, 1) * WORDS
        whole = np.where(is_rare, self.rare // 1, 0)  # errors beyond the length of the row
        sums = rng.binomial(sizes, np.where(is_rare, self.rare % 1, self.common))
        return sums + whole * sizes, sizes


def mean(law):
    """A mean of rows without sizes."""

    def draw(rng, rows):
        is_rare = rng.random(rows) < law.share
        scores = np.where(is_rare, law.rare, rng.random(rows) < law.common)
        return interval(scores, confidence_level=LEVEL)[:2], scores.mean()

    return draw, law.share * law.rare + (1 - law.share) * law.common


def clustered(law):
    """A mean of rows of 0 and 1 in clusters, of which some are larger."""

    def draw(rng, clusters):
        sums, sizes = law.rows(rng, clusters)
        scores = np.concatenate([np.arange(n) < k for k, n in zip(sums, sizes, strict=True)])
        labels = np.repeat(np.arange(clusters), sizes).tolist()
        ends = interval(scores.astype(float), clusters=labels, confidence_level=LEVEL)[:2]
        return ends, scores.mean()

    return draw, _ratio(law)


def word_errors(law):
    """Word error rate."""
    draw, _ = ratio_distribution(law.rows, WER, ("errors", "words"), population=_FEW)
    return draw, _ratio(law)


def span_f1(law):
    """Micro F1, of which the size of a row is the number of its spans of both sides."""

    def draw_rows(rng, rows):
        hits, sizes = law.rows(rng, rows)
        return hits, 2 * sizes

    draw, _ = ratio_distribution(draw_rows, SPANS, ("hits", "spans"), population=_FEW)
    return draw, _ratio(law)


def _ratio(law):
    weights = np.array([1 - law.share, law.share * law.size])
    return float(weights @ [law.common, law.rare] / weights.sum())


FAMILIES = {  # the scores, and the means of rare rows
    "means of rows": (mean, (1,), (0.0, 0.5, 1.0)),
    "means of rows by clusters": (clustered, SIZES, (0.0, 0.5, 1.0)),
    "wer": (word_errors, SIZES, (0.0, 1.0, 10.0, 50.0)),
    "span F1": (span_f1, SIZES, (0.0, 0.5, 1.0)),
}


def coverage(distribution, rows, samples, seed):
    """The proportion of samples whose interval contains the true value."""
    draw, truth = distribution
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(samples):
        (low, high), _ = draw(rng, rows)
        hits += low - 1e-9 <= truth <= high + 1e-9
    return hits / samples


def worst_laws(family, rows, seed):
    """The laws of the lowest coverage, lowest first, with that of new samples."""
    make, sizes, rare = FAMILIES[family]
    laws = [Law(*parts) for parts in product(SHARES, sizes, OFTEN, rare)]
    first = [coverage(make(law), rows, DRAWN, [seed, rows, n]) for n, law in enumerate(laws)]
    chosen = [laws[n] for n in np.argsort(first, kind="stable")[:WORST]]
    found = [(coverage(make(law), rows, AGAIN, [seed, rows, len(laws)]), law) for law in chosen]
    return sorted(found, key=lambda pair: pair[0])


def table(seed):
    """Yield the lines of the table of the worst laws."""
    yield "| scores | rows | coverage | common rows; rare ones |"
    yield "| --- | ---: | ---: | --- |"
    for family in FAMILIES:
        for rows in ROWS:
            share, law = worst_laws(family, rows, seed)[0]
            yield f"| {family} | {rows} | {share:.2f} | {law} |"
