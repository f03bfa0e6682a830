"""Distributions of rows, and of two systems, from which the benchmark of coverage draws samples.

A distribution is a function from a generator and a number of rows to the ends of the interval
of a score and the score itself, with the true value of that score.
"""

from dataclasses import replace

import numpy as np
from _paired import unseen_row

from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.labels.clustering.clustering_measures import clustering_scores
from metric_commons.regression.errors import regression_scores
from metric_commons.statistics import interval
from metric_commons.statistics.intervals.methods import Uncertainty
from metric_commons.statistics.intervals.sum_distributions import SumRatio
from metric_commons.statistics.intervals.sums import RowStatistics
from metric_commons.text.translation.ngram_precision import bleu_statistics

LEVEL = 0.95
DRAWS = {"n_resamples": 1_000, "seed": 0}
WER = SumRatio({"errors": 1}, {"words": 1}, None)
SPANS = SumRatio({"hits": 2}, {"spans": 1})
LABEL_SCORES = ("balanced_accuracy", "f1", "mcc", "kappa")


def means():
    """Means of scores from 0 to 1."""
    grid = np.random.default_rng(0)
    alike = grid.beta(0.35, 0.35, 4000)
    alike = np.where(alike < 0.1, 0.0, np.where(alike > 0.9, 1.0, alike))
    values = {
        "0/1, .02": np.repeat([1.0, 0.0], [80, 3920]),
        "like F1": alike,
        "F1 among 19 in 20 right": np.concatenate([alike, np.ones(19 * 4000)]),
        "F1 among 19 in 20 wrong": np.concatenate([alike, np.zeros(19 * 4000)]),
        "beta(40, 60)": grid.beta(40, 60, 100_000),
        "beta(8, .2)": grid.beta(8, 0.2, 100_000),
        "beta(.05, .5)": grid.beta(0.05, 0.5, 100_000),
        "98 % .01, 2 % 1": np.repeat([0.01, 1.0], [98, 2]),
        "95 % .99, 5 % 0": np.repeat([0.99, 0.0], [95, 5]),
        "99.5 % .01, .5 % 1": np.repeat([0.01, 1.0], [199, 1]),
    }

    def distribution(column):
        def draw(rng, rows):
            sample = rng.choice(column, rows)
            return interval(sample, confidence_level=LEVEL)[:2], sample.mean()

        return draw, column.mean()

    return {name: distribution(column) for name, column in values.items()}


def ratio_distribution(draw_units, distribution, names, population=2_000_000):
    """A distribution of a ratio of sums, whose truth is that of many units."""
    numerators, sizes = draw_units(np.random.default_rng(1), population)
    truth = numerators.sum() / sizes.sum() * distribution.numerator[names[0]]

    def draw(rng, rows):
        values = np.column_stack(draw_units(rng, rows))

        def score(sums):
            ratio = distribution.numerator[names[0]] * sums[names[0]] / sums[names[1]]
            return {"score": float(ratio)}

        statistics = RowStatistics(
            names,
            values,
            score,
            score,
            distributions=lambda _: {"score": distribution},
        )
        estimate = statistics.measured(Uncertainty(LEVEL, **DRAWS))[1]["score"]
        return estimate[:2], statistics.result()["score"]

    return draw, truth


def lengths(rng, rows):
    return np.maximum(1, rng.lognormal(2.3, 0.6, rows).round())


def error_rates():
    """Word error rates: words fail alone, rows fail whole, or a row is three times as long."""

    def words(share, correlation=0.0):
        def draw(rng, rows):
            sizes = lengths(rng, rows)
            chance = share
            if correlation:
                a, b = (part * (1 / correlation - 1) for part in (share, 1 - share))
                chance = rng.beta(a, b, rows)
            return rng.binomial(sizes.astype(int), chance).astype(float), sizes

        return draw

    def whole(share):
        def draw(rng, rows):
            sizes = lengths(rng, rows)
            return (rng.random(rows) < share) * sizes, sizes

        return draw

    def repeated(rng, rows):
        sizes = lengths(rng, rows)
        few = rng.binomial(sizes.astype(int), 0.02)
        return np.where(rng.random(rows) < 0.01, 3 * sizes, few), sizes

    distributions = {f"words, {share}": words(share) for share in (0.005, 0.02, 0.1, 0.3)}
    distributions |= {f"words alike, {share}": words(share, 0.1) for share in (0.005, 0.1)}
    distributions |= {f"whole rows, {share}": whole(share) for share in (0.02, 0.1)}
    distributions["1 % of rows three times as long"] = repeated
    return {
        name: ratio_distribution(draw, WER, ("errors", "words"))
        for name, draw in distributions.items()
    }


def unshown():
    """Word error rates of rows as a sample rarely shows: repeated answers, or worse long rows."""

    def repeated(share, times):
        def draw(rng, rows):
            sizes = lengths(rng, rows)
            few = rng.binomial(sizes.astype(int), 0.02)
            return few + (rng.random(rows) < share) * (times - 1) * sizes, sizes

        return draw

    def long_rows(rng, rows):
        is_long = rng.random(rows) < 0.05
        sizes = np.where(is_long, 300, np.minimum(lengths(rng, rows), 60))
        wrong = rng.binomial(sizes.astype(int), np.where(is_long, 0.8, 0.02))
        return wrong.astype(float), sizes

    distributions = {
        "2 % of rows ten times": repeated(0.02, 10.5),
        ".5 % of rows fifty times": repeated(0.005, 50.5),
        "5 % long and worse": long_rows,
    }
    return {
        name: ratio_distribution(draw, WER, ("errors", "words"))
        for name, draw in distributions.items()
    }


def spans():
    """Micro F1 of spans."""

    def found(share, correlation, spurious):
        def draw(rng, rows):
            gold = rng.poisson(rng.gamma(2, 0.75, rows))
            chance = share
            if correlation:
                a, b = (part * (1 / correlation - 1) for part in (share, 1 - share))
                chance = rng.beta(a, b, rows)
            hits = rng.binomial(gold, chance)
            wrong = rng.binomial(gold - hits, 0.6) + rng.poisson(spurious, rows)
            sizes = (gold + hits + wrong).astype(float)
            if not sizes.any():
                sizes[0] = 1.0
            return hits.astype(float), sizes

        return draw

    parameter_sets = {(0.99, 0, 0.01), (0.98, 0.3, 0.02), (0.9, 0.3, 0.1), (0.6, 0.3, 0.3)}
    return {
        f"{parameters[0]} found": ratio_distribution(found(*parameters), SPANS, ("hits", "spans"))
        for parameters in sorted(parameter_sets, reverse=True)
    }


def corpus_scores():
    """BLEU of rows whose shares of n-grams differ."""
    none = bleu_statistics(["a"], ["a"])

    def draw_rows(rng, rows, share, deviation, perfect):
        size = np.maximum(4, rng.lognormal(3, 0.5, rows).round()).astype(int)
        logits = np.log(share / (1 - share)) + deviation * rng.normal(size=rows)
        chance = np.where(rng.random(rows) < perfect, 1.0, 1 / (1 + np.exp(-logits)))
        counts = [
            rng.binomial(np.maximum(size - order, 0), chance ** (1 + 0.7 * order))
            for order in range(4)
        ]
        totals = [np.maximum(size - order, 0) for order in range(4)]
        moved = np.where(chance == 1, 0, rng.integers(-2, 3, rows))
        return np.column_stack([size, np.maximum(1, size + moved), *counts, *totals])

    def distribution(*parameters):
        def statistics(rng, rows):
            return replace(none, values=draw_rows(rng, rows, *parameters))

        def draw(rng, rows):
            sample = statistics(rng, rows)
            ends = sample.measured(Uncertainty(LEVEL, **DRAWS))[1]["bleu"][:2]
            return ends, sample.result()["bleu"]

        return draw, statistics(np.random.default_rng(1), 400_000).result()["bleu"]

    parameter_sets = ((0.7, 0.7, 0.0), (0.5, 1.2, 0.0), (0.9, 0.7, 0.5), (0.6, 0.7, 0.95))
    return {
        f"{parameters[0]}, {parameters[2]:.0%} perfect": distribution(*parameters)
        for parameters in parameter_sets
    }


def cells_of_labels(prior, right):
    """The chances of the cells of a confusion matrix."""
    prior = np.asarray(prior, float) / np.sum(prior)
    right = np.broadcast_to(right, prior.size)
    wrong = prior[None] * (1 - np.eye(prior.size))
    shares = (1 - right)[:, None] * wrong / wrong.sum(1, keepdims=True)
    return prior[:, None] * (np.diag(right) + shares)


def label_distribution(cells, name):
    size, flat = len(cells), np.cumsum(cells.ravel())
    counts = np.rint(cells.ravel() * 1_000_000).astype(int)
    codes = np.repeat(np.arange(flat.size), counts)
    truth = classification_scores(codes % size, codes // size, average="macro")[name]

    def draw(rng, rows):
        drawn = np.minimum(np.searchsorted(flat, rng.random(rows)), flat.size - 1)
        result = classification_scores(
            drawn % size, drawn // size, average="macro", confidence_level=LEVEL, **DRAWS
        )
        return result["confidence_interval"][name], result[name]

    return draw, truth


def labels(name):
    """A score of two or three classes."""
    distributions = {
        "2 classes, .98": ([1, 1], 0.98),
        "2 classes, 5 %": ([95, 5], [0.98, 0.7]),
        "3 classes, .5": ([1, 1, 1], 0.5),
        "3 classes, .98": ([1, 1, 1], 0.98),
        "60/30/10": ([6, 3, 1], [0.98, 0.9, 0.7]),
        "90/8/2": ([90, 8, 2], [0.99, 0.9, 0.7]),
    }
    return {
        title: label_distribution(cells_of_labels(*cells), name)
        for title, cells in distributions.items()
    }


def rare_class(name):
    """A score of two classes, one of which has a row in a hundred."""
    return {"99/1": label_distribution(cells_of_labels([99, 1], [0.99, 0.7]), name)}


def many_classes(name):
    """A score of 20 classes."""
    frequent = 1 / np.arange(1, 21)
    distributions = {"20 even, .9": (np.ones(20), 0.9), "20 Zipf, .9": (frequent, 0.9)}
    return {
        title: label_distribution(cells_of_labels(*cells), name)
        for title, cells in distributions.items()
    }


def errors(distributions):
    """Mean errors."""

    def distribution(draw_errors, truth):
        def draw(rng, rows):
            sample = draw_errors(rng, rows)
            ends = interval(sample, confidence_level=LEVEL, bounds=(0, np.inf))[:2]
            return ends, sample.mean()

        return draw, truth

    return {name: distribution(*parts) for name, parts in distributions.items()}


LIGHT_TAILS = {
    "exponential": (lambda rng, n: rng.exponential(size=n), 1.0),
    "half normal": (lambda rng, n: abs(rng.normal(size=n)), np.sqrt(2 / np.pi)),
    "squares": (lambda rng, n: rng.normal(size=n) ** 2, 1.0),
    "lognormal": (lambda rng, n: rng.lognormal(size=n), np.exp(0.5)),
}
SURE_AND_WRONG = {
    "2 % sure and wrong": (
        lambda rng, n: np.where(rng.random(n) < 0.02, 7.0, rng.exponential(0.05, n)),
        0.02 * 7 + 0.98 * 0.05,
    )
}
HEAVY_TAILS = {
    "t(5) squared": (lambda rng, n: rng.standard_t(5, n) ** 2, 5 / 3),
    "t(3) squared": (lambda rng, n: rng.standard_t(3, n) ** 2, 3.0),
    "2 % gross": (
        lambda rng, n: abs(rng.normal(size=n)) * np.where(rng.random(n) < 0.02, 20, 1),
        np.sqrt(2 / np.pi) * 1.38,
    ),
}


def numbers(measure, *, law=None):
    """R2 and correlations."""

    def linear(noise):
        def draw(rng, n):
            x = rng.normal(size=n)
            return x + noise * rng.normal(size=n), x

        return draw

    def lognormal(rng, n):
        y = rng.lognormal(size=n)
        return y, y * np.exp(0.3 * rng.normal(size=n))

    def with_gross(rng, n):
        x = rng.normal(size=n)
        rare = np.where(rng.random(n) < 0.02, 3 * rng.normal(size=n), 0)
        return x + 0.1 * rng.normal(size=n) + rare, x

    def distribution(draw_pairs):
        y, x = draw_pairs(np.random.default_rng(1), 1_000_000)
        truth = regression_scores(x, y, measures=[measure])[measure]

        def draw(rng, rows):
            y, x = draw_pairs(rng, rows)
            result = regression_scores(x, y, measures=[measure], confidence_level=LEVEL, **DRAWS)
            return result["confidence_interval"][measure], result[measure]

        return draw, truth

    def spread_out(rng, n):
        x = rng.normal(size=n)
        return x + np.square(x) * rng.normal(size=n), x

    if law:
        draw = {"2 % gross errors": with_gross, "errors grow with the number": spread_out}[law]
        return {law: distribution(draw)}
    distributions = {"normal, noise 1": linear(1.0), "normal, noise 1/3": linear(1 / 3)}
    return {
        name: distribution(draw)
        for name, draw in (distributions | {"lognormal": lognormal}).items()
    }


def calibration():
    """Expected calibration error of calibrated and of other models."""

    def distribution(confidence, right):
        rng = np.random.default_rng(1)
        p = confidence(rng, 2_000_000)
        bins = np.clip(np.ceil(p * 10).astype(int) - 1, 0, 9)
        truth = np.abs(np.bincount(bins, right(p) - p, 10)).sum() / p.size

        def draw(rng, rows):
            p = confidence(rng, rows)
            y = (rng.random(rows) < right(p)).astype(int)
            result = classification_scores(
                p, y, calibration_bins=10, confidence_level=LEVEL, **DRAWS
            )
            return result["confidence_interval"]["ece"], result["ece"]

        return draw, truth

    distributions = {
        "calibrated, even": (lambda rng, n: rng.random(n), lambda p: p),
        "calibrated, sure": (lambda rng, n: rng.beta(8, 1, n), lambda p: p),
        "over by .1": (lambda rng, n: 0.5 + 0.5 * rng.beta(3, 2, n), lambda p: p - 0.1),
    }
    return {name: distribution(*parts) for name, parts in distributions.items()}


def partitions(measure):
    """Agreement of partitions into three and ten parts."""

    def distribution(cells):
        size, flat = len(cells), np.cumsum(cells.ravel())
        codes = np.repeat(np.arange(flat.size), np.rint(cells.ravel() * 1_000_000).astype(int))
        truth = clustering_scores(codes % size, codes // size, measures=[measure])[measure]

        def draw(rng, rows):
            drawn = np.minimum(np.searchsorted(flat, rng.random(rows)), flat.size - 1)
            result = clustering_scores(
                drawn % size, drawn // size, measures=[measure], confidence_level=LEVEL, **DRAWS
            )
            return result["confidence_interval"][measure], result[measure]

        return draw, truth

    distributions = {"3 even, .9": (3, 0.9), "3 even, .5": (3, 0.5), "10 even, .9": (10, 0.9)}
    return {
        name: distribution(cells_of_labels(np.ones(k), right))
        for name, (k, right) in distributions.items()
    }


def clusters():
    """Means of rows in clusters; the number of rows is that of clusters."""

    def distribution(share, correlation, is_even):
        a, b = (part * (1 / correlation - 1) for part in (share, 1 - share))

        def draw(rng, groups):
            sizes = np.full(groups, 10)
            if not is_even:
                sizes = np.maximum(1, rng.lognormal(1.5, 0.8, groups).round()).astype(int)
            hits = rng.binomial(sizes, rng.beta(a, b, groups))
            rows = np.concatenate(
                [np.repeat([1.0, 0.0], [h, s - h]) for h, s in zip(hits, sizes, strict=True)]
            )
            names = np.repeat(np.arange(groups), sizes).tolist()
            return interval(rows, confidence_level=LEVEL, clusters=names)[:2], rows.mean()

        return draw, share

    parameters = [(0.5, 0.5), (0.9, 0.1), (0.95, 0.3), (0.98, 0.8)]
    return {
        f"{share}, icc {icc}, {'equal' if even else 'unequal'}": distribution(share, icc, even)
        for share, icc in parameters
        for even in (True, False)
    }


def few_rows():
    """Scores where a class has few rows, and errors of few rows, by the number of rows."""
    from scipy.stats import norm

    def area(positives, negatives, apart):
        labels = np.repeat([1, 0], [positives, negatives])

        def draw(rng, rows):
            scores = norm.cdf(rng.normal(size=rows) + apart * labels)
            result = classification_scores(scores, labels, confidence_level=LEVEL, **DRAWS)
            return result["confidence_interval"]["roc_auc"], result["roc_auc"]

        return draw, float(norm.cdf(apart / np.sqrt(2))), labels.size

    def recall(references, rates):
        size = references.max() + 1

        def draw(rng, rows):
            is_right = rng.random(rows) < np.asarray(rates)[references]
            others = (references + rng.integers(1, size, rows)) % size
            result = classification_scores(
                np.where(is_right, references, others),
                references,
                average="macro",
                confidence_level=LEVEL,
                **DRAWS,
            )
            name = "balanced_accuracy"
            return result["confidence_interval"][name], result[name]

        return draw, np.mean(rates), references.size

    cells = {
        f"roc_auc of {value}: {positives} and {negatives} rows": area(positives, negatives, apart)
        for value, apart in (("0.76", 1.0), ("0.92", 2.0))
        for positives, negatives in ((2, 20), (2, 200), (3, 20), (3, 200))
    }
    for rare, common in ((0.5, 0.9), (0.75, 0.95), (0.9, 0.99)):
        for number in (20, 200):
            name = f"balanced_accuracy: 4 rows right in {rare}, {number} in {common}"
            cells[name] = recall(np.repeat([1, 0], [4, number]), [common, rare])
    for rate in (0.5, 0.8, 0.95):
        name = f"macro recall: 20 classes of 4 rows, right in {rate}"
        cells[name] = recall(np.repeat(np.arange(20), 4), np.full(20, rate))
    for number in (10, 20):
        cells[f"lognormal errors: {number} rows"] = *errors(LIGHT_TAILS)["lognormal"], number
    return cells


def differences():
    """Differences of two systems on the same rows."""

    def three(lost, won):
        def draw_rows(rng, n):
            return rng.choice([-1.0, 0.0, 1.0], p=[lost, 1 - lost - won, won], size=n)

        return draw_rows, won - lost

    distributions = {
        f"{lost} lost, {won} won": three(lost, won)
        for lost, won in ((0.01, 0.01), (0.0, 0.02), (0.1, 0.1), (0.05, 0.15))
    }
    distributions["normal, sd .2"] = (lambda rng, n: np.clip(rng.normal(0.02, 0.2, n), -1, 1)), 0.02

    def distribution(draw_rows, truth):
        def draw(rng, rows):
            sample = draw_rows(rng, rows)
            return unseen_row(sample).interval(1 - LEVEL), sample.mean()

        return draw, truth

    return {name: distribution(*parts) for name, parts in distributions.items()}
