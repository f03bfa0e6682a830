"""Regression beside scikit-learn: CPU time of one thread, and peak memory.

    python benchmarks/regression.py

Ours is one call for MAE, MSE, RMSE and R2; scikit-learn's are four.
"""

from functools import partial

import numpy as np
from _measure import peak_megabytes, ratio
from sklearn import metrics

from metric_commons import load
from metric_commons.regression.residuals import regression_scores

PEERS = (
    metrics.mean_absolute_error,
    metrics.mean_squared_error,
    metrics.root_mean_squared_error,
    metrics.r2_score,
)


def columns(rows):
    rng = np.random.default_rng(0)
    references = rng.normal(size=rows)
    return references + rng.normal(size=rows) / 2, references


def theirs(predictions, references):
    return [peer(references, predictions) for peer in PEERS]


def beside(title, rows, ours, peer):
    """Print a ratio; of few rows both as often in a row as the clock needs to be read."""
    times = max(1, 3_000_000 // rows)

    def repeated(call):
        for _ in range(times):
            call()

    ratio(title, partial(repeated, ours), partial(repeated, peer))


def main():
    regression = load("regression")
    for rows in (100_000, 1_000_000, 10_000_000):
        predictions, references = columns(rows)
        for what, ours in (
            ("functions", partial(regression_scores, predictions, references)),
            (
                "compute()",
                partial(regression.compute, predictions=predictions, references=references),
            ),
        ):
            title = f"MAE, MSE, RMSE and R2 of {rows:,} rows, {what}"
            beside(title, rows, ours, partial(theirs, predictions, references))
    ours = peak_megabytes(lambda: regression_scores(predictions, references))
    peers = peak_megabytes(lambda: theirs(predictions, references))
    print(f"peak memory beyond 10,000,000 rows: {ours:.1f} MB, scikit-learn {peers:.1f} MB")


if __name__ == "__main__":
    main()
