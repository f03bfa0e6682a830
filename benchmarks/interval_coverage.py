"""How often 95 % intervals contain the true mean, on which side they miss it, and their widths.

    python benchmarks/interval_coverage.py [runs]

For each distribution in `_distributions` and each number of rows, many samples are drawn (400 by
default); scores 0 and 1 are computed exactly. Prints the tables, and writes those of the lowest
coverage, as a picture and in Markdown, for the page on statistics.
"""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from _distributions import (
    CLUSTERS,
    SHARES,
    cell,
    clustered_rows,
    difference_distributions,
    exact_cells,
    score_distributions,
)
from _paired import unseen_row

from metric_commons.statistics import interval
from metric_commons.statistics.tests.significance import PairedUnits

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 400
DRAWN = 100  # runs of the bootstrap, which takes the longest
RESAMPLES = 1_000
ROWS = (5, 10, 30, 100, 300, 1000)
COLORS = {
    "rows alone": "#937860",
    "bootstrap": "#c44e52",
    "t": "#dd8452",
    "wilson": "#8172b3",
    "auto": "#4c72b0",
}
DOCS = Path(__file__).parents[1] / "docs"
PICTURE, TABLES = DOCS / "images" / "coverage.png", DOCS / "tables" / "coverage.md"


def show(title, table):
    """Print coverage, misses above and below, and width of each method and distribution."""
    print(f"\n{title}")
    for method, cells in table.items():
        least = min(cell.coverage for cell in cells.values())
        width = np.mean([cell.width for cell in cells.values()])
        print(f"  {method:<12} least {least:.3f}  mean width {width:.3f}")
        for distribution, found in cells.items():
            print(
                f"    {distribution:<24} {found.coverage:.3f}  misses above {found.above:.3f}, "
                f"below {found.below:.3f}  width {found.width:.3f}"
            )


def proportions():
    """Least and mean coverage of 0/1 rows over all proportions, by method and rows."""
    shares = np.linspace(0.001, 0.999, 999)
    found = {}
    print("0/1 rows, exactly: least and mean coverage over shares of .001 to .999, mean width")
    for rows in (5, 10, 30, 100, 300, 1000):
        for method in ("bootstrap", "wilson", "auto"):
            ends = [
                interval([1.0] * right + [0.0] * (rows - right), method=method)[:2]
                for right in range(rows + 1)
            ]
            coverage, width = exact_cells(ends, rows, shares)
            found[method, rows] = coverage.min()
            print(
                f"  {rows:>5} rows  {method:<10} {coverage.min():.3f}  {coverage.mean():.3f}  "
                f"{width.mean():.3f}"
            )
    return found


def table(rows, draw, distributions, measure, methods):
    """The cells of each method and distribution."""
    rng = np.random.default_rng(rows)
    cells = {}
    for name, distribution in distributions.items():
        truth, samples = draw(rng, distribution)
        for method in methods:
            runs = samples[:DRAWN] if method == "bootstrap" else samples
            ends = [measure(sample, method)[:2] for sample in runs]
            cells.setdefault(method, {})[name] = cell(ends, truth)
    return cells


def sample(rng, values, rows):
    """The mean of a distribution, and samples of it."""
    return values.mean(), values[rng.integers(0, values.size, (RUNS, rows))]


def scores(rows):
    """Cells of scores from 0 to 1."""
    return table(
        rows,
        lambda rng, distribution: sample(rng, distribution, rows),
        score_distributions(),
        lambda values, method: interval(values, method=method, n_resamples=RESAMPLES),
        ("bootstrap", "t", "auto"),
    )


def difference_ends(values, method):
    """The interval of the mean of differences of scores from 0 to 1."""
    if method == "bootstrap":
        return interval(values, method=method, bounds=(-1.0, 1.0), n_resamples=RESAMPLES)
    if method == "t":
        return PairedUnits.of(values, None).student()[0].interval(0.05)
    return unseen_row(values).interval(0.05)


def differences(rows):
    """Cells of differences of two systems."""
    return table(
        rows,
        lambda rng, distribution: sample(rng, distribution, rows),
        difference_distributions(),
        difference_ends,
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
        lambda rng, distribution: (
            distribution[0],
            [clustered_rows(rng, sizes, *distribution) for _ in range(RUNS)],
        ),
        SHARES,
        measure,
        ("rows alone", "t", "auto"),
    )


def lowest_coverage(tables):
    """The lowest coverage over all distributions, of each method at each number of rows."""
    return {
        (method, rows): min(cell.coverage for cell in cells.values())
        for rows, found in tables.items()
        for method, cells in found.items()
    }


def write_tables(least):
    """Write the least coverage in Markdown, a table for each kind of row."""
    lines = []
    for title, values in least.items():
        sizes = list(dict.fromkeys(size for _, size in values))
        methods = [method for method in COLORS if (method, sizes[0]) in values]
        lines += [f"**{title}**", "", f"| rows | {' | '.join(map(str, sizes))} |"]
        lines += [f"| --- |{' ---: |' * len(sizes)}"]
        for method in methods:
            cells = " | ".join(f"{values[method, size]:.3f}" for size in sizes)
            lines.append(f"| `{method}` | {cells} |")
        lines.append("")
    TABLES.parent.mkdir(parents=True, exist_ok=True)
    TABLES.write_text("\n".join(lines), encoding="utf-8")
    print(f"\n{TABLES}")


def draw_picture(least):
    """Draw the least coverage by number of rows, a panel for each kind of row."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(2, 2, figsize=(11, 8), sharey=True, layout="constrained")
    for panel, (title, values) in zip(panels.flat, least.items(), strict=True):
        for method, color in COLORS.items():
            points = [(size, value) for (name, size), value in values.items() if name == method]
            if points:
                panel.plot(*zip(*points, strict=True), marker="o", color=color, label=method)
        panel.axhline(0.95, color="black", linewidth=0.8, linestyle="--")
        panel.set(title=title, ylim=(0, 1.02))
        if all(isinstance(size, int) for _, size in values):
            panel.set(xscale="log", xlabel="rows")
        else:
            panel.set(xlabel="clusters of rows")
            panel.tick_params(axis="x", labelrotation=20)
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(frameon=False, loc="lower right")
    for panel in panels[:, 0]:
        panel.set_ylabel("least coverage of 95 % intervals")
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(PICTURE, dpi=110)
    print(f"\n{PICTURE}")


def main():
    exact = proportions()
    by_rows, by_difference, by_cluster = {}, {}, {}
    for rows in ROWS:
        by_rows[rows] = scores(rows)
        show(f"Scores in [0, 1], {rows} rows", by_rows[rows])
    for rows in ROWS:
        by_difference[rows] = differences(rows)
        show(f"Differences, {rows} rows", by_difference[rows])
    for name, sizes in CLUSTERS.items():
        by_cluster[name] = clusters(sizes)
        show(f"Clusters, {name}", by_cluster[name])
    least = {
        "0/1 rows, over all proportions": exact,
        f"Scores from 0 to 1, over {len(score_distributions())} distributions": lowest_coverage(
            by_rows
        ),
        f"Differences, over {len(difference_distributions())} distributions": lowest_coverage(
            by_difference
        ),
        f"0/1 rows in clusters, over {len(SHARES)} distributions": lowest_coverage(by_cluster),
    }
    write_tables(least)
    draw_picture(least)


if __name__ == "__main__":
    main()
