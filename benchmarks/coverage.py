"""How often 95 % intervals hold the true mean, on which side they miss it, and how wide they are.

    python benchmarks/coverage.py [runs]

For each law of `_laws` and number of rows many samples are drawn, 400 unless told otherwise; scores
0 and 1 are reckoned exactly. Prints the tables and draws build/coverage.png.
"""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from _laws import (
    CLUSTERS,
    SHARES,
    cell,
    clustered_rows,
    difference_laws,
    exact_cells,
    score_laws,
)

from metric_commons.numbers.multisets import Multiset
from metric_commons.statistics import difference_interval, interval

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 400
DRAWN = 100  # runs of the bootstrap, which takes the longest
RESAMPLES = 1_000
ROWS = (5, 10, 30, 100, 300, 1000)
COLORS = {"bootstrap": "#c44e52", "t": "#dd8452", "wilson": "#8172b3", "auto": "#4c72b0"}
PICTURE = Path(__file__).parents[1] / "build" / "coverage.png"


def show(title, table):
    """Print coverage, misses above and below, and width of each method and law."""
    print(f"\n{title}")
    for method, cells in table.items():
        least = min(cell.coverage for cell in cells.values())
        width = np.mean([cell.width for cell in cells.values()])
        print(f"  {method:<12} least {least:.3f}  mean width {width:.3f}")
        for law, found in cells.items():
            print(
                f"    {law:<24} {found.coverage:.3f}  misses above {found.above:.3f}, "
                f"below {found.below:.3f}  width {found.width:.3f}"
            )


def proportions():
    """Least and mean coverage of 0/1 rows over all shares, by method and rows."""
    shares = np.linspace(0.001, 0.999, 999)
    found = {}
    print("0/1 rows, exactly: least and mean coverage over shares of .001 to .999, mean width")
    for rows in (5, 10, 30, 100, 300, 1000):
        for method in ("bootstrap", "wilson", "jeffreys", "mid_p", "auto"):
            ends = [
                interval(
                    Multiset.from_values([1.0] * right + [0.0] * (rows - right)),
                    method=method,
                )[:2]
                for right in range(rows + 1)
            ]
            coverage, width = exact_cells(ends, rows, shares)
            found[method, rows] = coverage.min()
            print(
                f"  {rows:>5} rows  {method:<10} {coverage.min():.3f}  {coverage.mean():.3f}  "
                f"{width.mean():.3f}"
            )
    return found


def table(rows, draw, laws, measure, methods):
    """The cells of each method and law."""
    rng = np.random.default_rng(rows)
    cells = {}
    for name, law in laws.items():
        truth, samples = draw(rng, law)
        for method in methods:
            runs = samples[:DRAWN] if method == "bootstrap" else samples
            ends = [measure(sample, method)[:2] for sample in runs]
            cells.setdefault(method, {})[name] = cell(ends, truth)
    return cells


def sample(rng, values, rows):
    """The mean of a law, and samples of it."""
    return values.mean(), values[rng.integers(0, values.size, (RUNS, rows))]


def scores(rows):
    """Cells of scores from 0 to 1."""
    return table(
        rows,
        lambda rng, law: sample(rng, law, rows),
        score_laws(),
        lambda values, method: interval(values, method=method, n_resamples=RESAMPLES),
        ("bootstrap", "t", "wilson", "auto"),
    )


def differences(rows):
    """Cells of differences of two systems."""
    return table(
        rows,
        lambda rng, law: sample(rng, law, rows),
        difference_laws(),
        lambda values, method: difference_interval(values, method=method, n_resamples=RESAMPLES),
        ("bootstrap", "t", "auto"),
    )


def clusters(sizes):
    """Cells of 0/1 rows in clusters, and of the same rows taken alone."""

    def measure(rows, method):
        if method == "rows alone":
            return interval(rows[0])
        return interval(rows[0], clusters=rows[1].tolist(), method=method)

    return table(
        len(sizes),
        lambda rng, law: (law[0], [clustered_rows(rng, sizes, *law) for _ in range(RUNS)]),
        SHARES,
        measure,
        ("rows alone", "t", "wilson", "auto"),
    )


def draw_picture(exact, by_rows, by_difference):
    """Least coverage over all laws by number of rows, in three panels."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 3, figsize=(13, 4), sharey=True, layout="constrained")
    least = [
        ("0/1 rows, over all shares", exact),
        (
            "scores in [0, 1], over 8 laws",
            {
                (method, rows): min(cell.coverage for cell in cells.values())
                for rows, found in by_rows.items()
                for method, cells in found.items()
            },
        ),
        (
            "differences, over 5 laws",
            {
                (method, rows): min(cell.coverage for cell in cells.values())
                for rows, found in by_difference.items()
                for method, cells in found.items()
            },
        ),
    ]
    for panel, (title, values) in zip(panels, least, strict=True):
        for method, color in COLORS.items():
            points = sorted(
                (rows, value) for (name, rows), value in values.items() if name == method
            )
            if points:
                panel.plot(*zip(*points, strict=True), marker="o", color=color, label=method)
        panel.axhline(0.95, color="black", linewidth=0.8, linestyle="--")
        panel.set(title=title, xscale="log", xlabel="rows", ylim=(0, 1.02))
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(frameon=False, loc="lower right")
    panels[0].set_ylabel("least coverage of 95 % intervals")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)
    print(f"\n{PICTURE}")


def main():
    exact = proportions()
    by_rows, by_difference = {}, {}
    for rows in ROWS:
        by_rows[rows] = scores(rows)
        show(f"Scores in [0, 1], {rows} rows", by_rows[rows])
    for rows in ROWS:
        by_difference[rows] = differences(rows)
        show(f"Differences, {rows} rows", by_difference[rows])
    for name, sizes in CLUSTERS.items():
        show(f"Clusters, {name}", clusters(sizes))
    draw_picture(exact, by_rows, by_difference)


if __name__ == "__main__":
    main()
