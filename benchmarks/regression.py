"""Regression compared with scikit-learn: CPU time of one thread, and peak memory.

    python benchmarks/regression.py

MAE, MSE, RMSE and R2 take one call of ours and four calls of scikit-learn. Medians, deviances and
other means of losses are compared one by one.
"""

from functools import partial

import numpy as np
from _measure import peak_megabytes, ratio
from sklearn import metrics

from metric_commons import load
from metric_commons.regression.errors import regression_scores

PEERS = (
    metrics.mean_absolute_error,
    metrics.mean_squared_error,
    metrics.root_mean_squared_error,
    metrics.r2_score,
)
LOSSES = {
    "median_ae": metrics.median_absolute_error,
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


def losses(rows):
    predictions, references = positive_columns(rows)
    for name, peer in LOSSES.items():
        call = partial(regression_scores, predictions, references, measures=name)
        compare(f"{name} of {rows:,} rows", rows, call, partial(peer, references, predictions))


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
            losses(rows)
    peak = peak_megabytes(lambda: regression_scores(predictions, references))
    peer_peak = peak_megabytes(lambda: peer_scores(predictions, references))
    print(f"peak memory beyond 10,000,000 rows: {peak:.1f} MB, scikit-learn {peer_peak:.1f} MB")


if __name__ == "__main__":
    main()
