"""Regression compared with scikit-learn: CPU time of one thread, and peak memory.

    python benchmarks/regression.py

MAE, MSE, RMSE and R2 take one call of ours and four calls of scikit-learn. Each of the four,
medians, correlations, deviances and other means of losses are also compared one by one.

Our sums are rounded once, and those of scikit-learn after each row. So the bare calls of numpy that
a sum needs for this are timed too, beside the same peer: for squared errors and R2 both columns are
rounded to multiples of a unit, and the multiples and the rests of the differences multiplied. For
deviances they are the terms of each row and the sum; rows near their mean, for which we add up a
series because those terms cancel, are not among them.
"""

from functools import partial

import numpy as np
from _measure import peak_megabytes, ratio
from scipy.stats import spearmanr
from sklearn import metrics

from metric_commons import load
from metric_commons.regression.errors import regression_scores

PEERS = (
    metrics.mean_absolute_error,
    metrics.mean_squared_error,
    metrics.root_mean_squared_error,
    metrics.r2_score,
)
ALONE = dict(zip(("mae", "mse", "rmse", "r2"), PEERS, strict=True)) | {
    "median_ae": metrics.median_absolute_error,
    "spearman": spearmanr,
}
LOSSES = {
    "mape": metrics.mean_absolute_percentage_error,
    "msle": metrics.mean_squared_log_error,
    "pinball(alpha=0.9)": partial(metrics.mean_pinball_loss, alpha=0.9),
    "poisson_deviance": metrics.mean_poisson_deviance,
    "gamma_deviance": metrics.mean_gamma_deviance,
    "tweedie(power=1.5)": partial(metrics.mean_tweedie_deviance, power=1.5),
    "d2_absolute_error": metrics.d2_absolute_error_score,
    "d2_tweedie(power=1.5)": partial(metrics.d2_tweedie_score, power=1.5),
}


def columns(rows):
    rng = np.random.default_rng(0)
    references = rng.normal(size=rows)
    return references + rng.normal(size=rows) / 2, references


def peer_scores(predictions, references):
    return [peer(references, predictions) for peer in PEERS]


def positive_columns(rows):
    rng = np.random.default_rng(0)
    references = rng.gamma(2, 1, rows)
    return references * rng.gamma(5, 0.2, rows) + 0.01, references


def compare(title, rows, call, peer):
    """Print the ratio of two times; few rows are measured repeatedly, as the clock is coarse."""
    repetitions = max(1, 3_000_000 // rows)

    def repeat(function):
        for _ in range(repetitions):
            function()

    ratio(title, partial(repeat, call), partial(repeat, peer))


BLOCK = 1 << 15  # fits into the cache
CHUNK = 256


def rounded(numbers, magic, multiples, rests):
    """Round to multiples of a unit: near the magic number adjacent floats are one unit apart."""
    np.add(numbers, magic, out=multiples)
    np.subtract(multiples, magic, out=multiples)
    np.subtract(numbers, multiples, out=rests)


def bare_squares(predictions, references, *, has_variation=False):
    """The calls of numpy that squared errors need, and those for the variation of references."""
    columns = np.empty((4, BLOCK))
    chunks = columns.reshape(4, -1, CHUNK)
    magic, ones = 1.5 * 2.0**36, np.ones(CHUNK)
    for start in range(0, len(references) - BLOCK + 1, BLOCK):
        block = slice(start, start + BLOCK)
        rounded(references[block], magic, columns[1], columns[0])
        rounded(predictions[block], magic, columns[3], columns[2])
        np.subtract(columns[:2], columns[2:], out=columns[2:])
        np.vecdot(chunks[1], chunks[1])  # whether the numbers are within the range of the unit
        for pair in (chunks[2:], chunks[:2]) if has_variation else (chunks[2:],):
            np.vecdot(pair, pair[1])
            np.vecdot(pair[0], pair[0])
        if has_variation:
            np.vecdot(chunks[:2], ones)


def bare_sum(losses, columns):
    rounded(losses, 1.5 * 2.0**25, columns[0], columns[1])
    np.vecdot(losses.reshape(-1, CHUNK), losses.reshape(-1, CHUNK))
    np.vecdot(columns.reshape(2, -1, CHUNK), np.ones(CHUNK))


def bare_deviances(power, predictions, references):
    """The calls of numpy that the terms of deviances and their sum need."""
    residuals, ratios, losses, *columns = np.empty((5, BLOCK))
    columns = np.stack(columns)
    for start in range(0, len(references) - BLOCK + 1, BLOCK):
        values = references[start : start + BLOCK]
        means = predictions if predictions.size == 1 else predictions[start : start + BLOCK]
        np.subtract(values, means, out=residuals)
        np.divide(residuals, means, out=ratios)
        np.divide(values, means, out=losses)
        np.log(losses, out=losses)
        if power == 1:
            losses *= values
            losses -= residuals
        elif power == 2:
            np.subtract(ratios, losses, out=losses)
        else:
            np.expm1(np.multiply(losses, 2 - power, out=losses), out=losses)
            losses *= 1 / (2 - power)
            np.subtract(ratios, losses, out=losses)
            losses *= means ** (2 - power)
        bare_sum(losses, columns)


def bare_saved_deviances(predictions, references):
    """Those of predictions, and of the mean."""
    bare_deviances(1.5, predictions, references)
    columns = np.empty((2, BLOCK))
    for start in range(0, len(references) - BLOCK + 1, BLOCK):
        bare_sum(references[start : start + BLOCK], columns)
    bare_deviances(1.5, np.array([references.mean()]), references)


BARE_CALLS = {
    "mse": bare_squares,
    "r2": partial(bare_squares, has_variation=True),
    "poisson_deviance": partial(bare_deviances, 1),
    "gamma_deviance": partial(bare_deviances, 2),
    "tweedie(power=1.5)": partial(bare_deviances, 1.5),
    "d2_tweedie(power=1.5)": bare_saved_deviances,
}


def one_by_one(rows, columns, peers):
    predictions, references = columns
    for name, peer in peers.items():
        call = partial(regression_scores, predictions, references, measures=name)
        peer_call = partial(peer, references, predictions)
        compare(f"{name} of {rows:,} rows", rows, call, peer_call)
        if name in BARE_CALLS:
            bare = partial(BARE_CALLS[name], predictions, references)
            compare(f"{name} of {rows:,} rows, calls of numpy alone", rows, bare, peer_call)


def main():
    regression = load("regression")
    for rows in (100_000, 1_000_000, 10_000_000):
        predictions, references = columns(rows)
        for layer, call in (
            ("functions", partial(regression_scores, predictions, references)),
            (
                "compute()",
                partial(regression.compute, predictions=predictions, references=references),
            ),
        ):
            title = f"MAE, MSE, RMSE and R2 of {rows:,} rows, {layer}"
            compare(title, rows, call, partial(peer_scores, predictions, references))
        if rows < 10_000_000:
            one_by_one(rows, (predictions, references), ALONE)
            one_by_one(rows, positive_columns(rows), LOSSES)
    peak = peak_megabytes(lambda: regression_scores(predictions, references))
    peer_peak = peak_megabytes(lambda: peer_scores(predictions, references))
    print(f"peak memory beyond 10,000,000 rows: {peak:.1f} MB, scikit-learn {peer_peak:.1f} MB")


if __name__ == "__main__":
    main()
