"""Type-I error and power of tests at the level .05.

    python benchmarks/error_rates.py [runs]

For each distribution of differences in `_distributions` and each number of rows, many samples are
drawn (300 by default), once with random signs and once unchanged; McNemar's tests are computed
exactly. Then families of systems, and the 780 pairs of 40 systems. Prints tables and draws
build/error_rates.png.
"""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from _distributions import difference_distributions
from _draws import drawn_p_values
from _error_rates import (
    ALPHA,
    TESTS,
    TESTS_OF_SHARES,
    cluster_rejections,
    family_errors,
    forty_systems,
    mcnemar_rate,
    p_of_test,
    rejections,
    samples,
)
from _paired import unseen_row

from metric_commons.statistics.tests.corrections import adjusted

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 300
ROWS = (10, 20, 50, 100)
CORRECTIONS = ("holm", "benjamini_hochberg", "none")
COLORS = {"permutation": "#4c72b0", "t": "#dd8452", "wilcoxon": "#8172b3", "bootstrap": "#c44e52"}
PICTURE = Path(__file__).parents[1] / "build" / "error_rates.png"


def pairs():
    """Type-I error and power of each test, by rows and distribution."""
    rates = {}
    print("Proportion of p < .05, with random signs (type I) and as observed (power)")
    for rows in ROWS:
        for name, distribution in difference_distributions().items():
            rng = np.random.default_rng(rows)
            null, real = (samples(rng, distribution, rows, RUNS, signs) for signs in (True, False))
            words = []
            for test in (*(TESTS_OF_SHARES if name.startswith("0/1") else TESTS), "bootstrap"):
                type_1, power = rejections(null, test), rejections(real, test)
                rates[test, rows, name] = type_1, power
                words.append(f"{test} {type_1:.3f} {power:.3f}")
            print(f"  {rows:>4} rows  {name:<22} {'   '.join(words)}")
    return rates


def disagreements():
    """How often `p < .05` and `0 outside the interval` say different things."""
    print("\nShare of samples in which the permutation test and the interval disagree")
    for rows in ROWS:
        shares = []
        for distribution in difference_distributions().values():
            drawn = samples(np.random.default_rng(rows), distribution, rows, RUNS, signs=True)
            ends = [unseen_row(sample).interval(ALPHA) for sample in drawn]
            outside = [low > 0 or high < 0 for low, high in ends]
            significant = [p_of_test(sample, "permutation") < ALPHA for sample in drawn]
            shares.append(np.mean(np.array(outside) != np.array(significant)))
        print(f"  {rows:>4} rows  {' '.join(f'{share:.3f}' for share in shares)}")


def shares():
    """McNemar's test, exactly."""
    print("\nMcNemar's exact test: type I, and power where 70 % are wins")
    for rows, discordant in ((30, 0.17), (100, 0.17), (300, 0.17), (100, 0.05)):
        error, power = (mcnemar_rate(rows, discordant, wins) for wins in (0.5, 0.7))
        print(
            f"  {rows:>4} rows, {100 * discordant:g} % discordant: "
            f"type I {error:.3f}, power {power:.3f}"
        )


def clusters():
    """Tests of rows in clusters, of which none is better."""
    print("\nRows in clusters, type I: flips of rows, flips of clusters, cluster-robust t")
    for number, size, share in ((10, 10, 0.1), (10, 10, 0.5), (30, 5, 0.5), (100, 5, 0.5)):
        rates = cluster_rejections(np.random.default_rng(0), number, size, share, RUNS)
        print(f"  {number} of {size}, icc {share}: {' '.join(f'{rate:.3f}' for rate in rates)}")


def families():
    """Many systems: how often two equal ones are told apart, and how many pairs are found."""
    print("\nSome two equal systems of 8 told apart, 60 rows: " + ", ".join(CORRECTIONS))
    for equal, unlike in ((8, 0), (4, 4)):
        rng = np.random.default_rng(0)
        rates = family_errors(rng, 60, equal, unlike, RUNS, CORRECTIONS)
        print(f"  {equal} equal, {unlike} others: {' '.join(f'{rate:.3f}' for rate in rates)}")
    differences = forty_systems()
    found = {
        "Holm, drawn": adjusted(drawn_p_values(differences.T, 9_999), "holm"),
        "Holm": adjusted([p_of_test(row, "permutation") for row in differences], "holm"),
    }
    counts = {name: int((p < ALPHA).sum()) for name, p in found.items()}
    print(f"780 pairs of 40 systems, 400 rows, significant: {counts} (Holm: at least 500)")
    return counts


def draw_picture(rates, counts):
    """Type-I error and power by rows, and how many pairs of 40 systems are found."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    for panel, number, title in ((panels[0], 0, "type-I error"), (panels[1], 1, "power")):
        for shift, (test, color) in enumerate(COLORS.items()):
            points = [
                (rows * 1.06 ** (shift - 1.5), rate[number])
                for (name, rows, _), rate in rates.items()
                if name == test
            ]
            panel.scatter(*zip(*points, strict=True), s=14, color=color, label=test)
        panel.set(title=f"{title}, a dot a distribution", xscale="log", xlabel="rows")
        panel.set_xticks(ROWS, map(str, ROWS))
        panel.minorticks_off()
    panels[0].axhline(ALPHA, color="black", linewidth=0.8, linestyle="--")
    panels[1].legend(frameon=False, loc="upper left")
    bars = panels[2].barh(list(counts), list(counts.values()), color="#4c72b0")
    panels[2].bar_label(bars, padding=3)
    panels[2].set(title="significant of 780 pairs of 40 systems", xlim=(0, 780))
    for panel in panels:
        panel.spines[["top", "right"]].set_visible(False)
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=120)
    print(f"\n{PICTURE}")


def main():
    rates = pairs()
    disagreements()
    shares()
    clusters()
    counts = families()
    draw_picture(rates, counts)


if __name__ == "__main__":
    main()
