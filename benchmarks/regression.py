"""Regression compared with scikit-learn: CPU time of one thread, and peak memory.

    python benchmarks/regression.py

MAE, MSE, RMSE and R2 take one call of ours and four calls of scikit-learn. Each of the four,
medians, correlations, deviances and other means of losses are also compared one by one.

Our sums are rounded once. The bare calls of numpy that the mean squared error needs for this are
timed too: both columns are rounded to multiples of a unit, and the multiples and the rests of the
differences multiplied. Nothing can be decided, cut or put together in less.
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


def bare_calls(predictions, references, size=1 << 15):
    """The calls of numpy that exact squared errors need, on blocks that fit into the cache."""
    multiples, rests, second_multiples, second_rests = np.empty((4, size))
    magic = 1.5 * 2.0**36  # near it adjacent floats are 2**-16 apart
    for start in range(0, len(references) - size + 1, size):
        reference, prediction = (
            column[start : start + size] for column in (references, predictions)
        )
        np.minimum.reduce(reference)
        np.maximum.reduce(reference)
        np.add(reference, magic, out=multiples)
        np.subtract(multiples, magic, out=multiples)
        np.subtract(reference, multiples, out=rests)
        np.add(prediction, magic, out=second_multiples)
        np.subtract(second_multiples, magic, out=second_multiples)
        np.subtract(prediction, second_multiples, out=second_rests)
        np.subtract(rests, second_rests, out=rests)
        np.subtract(multiples, second_multiples, out=multiples)
        products = multiples.reshape(-1, 256), rests.reshape(-1, 256)
        for first, second in ((0, 0), (0, 1), (1, 1)):
            np.vecdot(products[first], products[second])


def one_by_one(rows, columns, peers):
    predictions, references = columns
    for name, peer in peers.items():
        call = partial(regression_scores, predictions, references, measures=name)
        compare(f"{name} of {rows:,} rows", rows, call, partial(peer, references, predictions))
        if name == "mse":
            bare = partial(bare_calls, predictions, references)
            peer_call = partial(peer, references, predictions)
            compare(f"mse of {rows:,} rows, calls of numpy alone", rows, bare, peer_call)


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
