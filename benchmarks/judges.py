"""Agreement against krippendorff, and corrected rates of a million rows: CPU time.

OPENBLAS_NUM_THREADS=1 python benchmarks/judges.py
"""

import numpy as np
from _measure import cpu_seconds, ratio

from metric_commons.judging import judge_agreement, judge_corrected

UNITS, RATERS, VALUES = 200_000, 3, 5


def ratings():
    """Ratings from 1 to 5, nine in ten of them near the truth; a tenth is missing."""
    rng = np.random.default_rng(0)
    truth = rng.integers(1, VALUES + 1, (UNITS, 1))
    near = rng.random((UNITS, RATERS)) < 0.9
    table = np.where(near, truth, rng.integers(1, VALUES + 1, (UNITS, RATERS))).astype(float)
    table[rng.random(table.shape) < 0.1] = np.nan
    return table


def judged(rows, labelled):
    rng = np.random.default_rng(1)
    truth = (rng.random(rows) < 0.7).astype(float)
    verdicts = np.where(rng.random(rows) < 0.85, truth, 1 - truth)
    return verdicts, np.where(np.arange(rows) < labelled, truth, np.nan)


def main():
    import krippendorff

    table = ratings()
    columns = np.ascontiguousarray(table.T)
    for level in ("nominal", "ordinal", "interval", "ratio"):
        ratio(
            f"alpha ({level}) of {UNITS:,} units x {RATERS}",
            lambda level=level: judge_agreement(table, measures="krippendorff_alpha", level=level),
            lambda level=level: krippendorff.alpha(
                reliability_data=columns, level_of_measurement=level
            ),
        )
    ratio(
        "alpha with its interval, beside krippendorff without",
        lambda: judge_agreement(table, measures="krippendorff_alpha", confidence_level=0.95),
        lambda: krippendorff.alpha(reliability_data=columns, level_of_measurement="nominal"),
    )
    for name, verdicts, labels in (
        ("0 and 1", *judged(1_000_000, 1_000)),
        ("any numbers", np.random.default_rng(2).random(1_000_000), judged(1_000_000, 1_000)[1]),
    ):
        seconds = cpu_seconds(lambda v=verdicts, y=labels: judge_corrected(v, y))
        print(f"corrected rate of 1,000,000 rows, verdicts {name}: {seconds:.3f} s")


if __name__ == "__main__":
    main()
