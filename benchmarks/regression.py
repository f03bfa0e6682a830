"""Regression beside scikit-learn: CPU time of one thread, and peak memory.

    python benchmarks/regression.py

Ours is one call for MAE, MSE, RMSE and R2; scikit-learn's are four.
"""

import numpy as np
from _measure import peak_megabytes, ratio
from sklearn import metrics

from metric_commons import load
from metric_commons.residuals import regression_scores

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


def main():
    regression = load("regression")
    for rows in (100_000, 1_000_000, 10_000_000):
        predictions, references = columns(rows)
        for what, ours in (
            ("functions", lambda p=predictions, r=references: regression_scores(p, r)),
            (
                "compute()",
                lambda p=predictions, r=references: regression.compute(predictions=p, references=r),
            ),
        ):
            ratio(
                f"MAE, MSE, RMSE and R2 of {rows:,} rows, {what}",
                ours,
                lambda p=predictions, r=references: theirs(p, r),
            )
    ours = peak_megabytes(lambda: regression_scores(predictions, references))
    peers = peak_megabytes(lambda: theirs(predictions, references))
    print(f"peak memory beyond 10,000,000 rows: {ours:.1f} MB, scikit-learn {peers:.1f} MB")


if __name__ == "__main__":
    main()
