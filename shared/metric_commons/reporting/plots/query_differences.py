"""Differences between two runs, query by query, as bars."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evaluation.results.comparisons import Comparison
from ...evaluation.results.rendering import PLAIN, interval_of_difference, p_value
from ...retrieval.runs import QueryScores
from .captions import TITLE_LENGTH, shortened
from .figures import render
from .panels import BLUE, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAX_NAMES = 60  # up to this many queries, there is space for their names below the bars


def deltas(path: Path, runs: Mapping[str, QueryScores], comparisons: Sequence[Comparison]) -> bytes:
    """Return the differences A - B of all queries, one panel per measure, largest first.

    The file extension determines the format.
    """
    return render(path, partial(_draw, runs=runs, comparisons=comparisons))


def _draw(
    figure: "Figure",
    runs: Mapping[str, QueryScores],
    comparisons: Sequence[Comparison],
) -> None:
    a, b = runs.values()
    figure.set_size_inches(9, 0.4 + 2.8 * len(comparisons))
    figure.set_layout_engine("constrained", h_pad=0.1)
    panels = figure.subplots(len(comparisons), squeeze=False)[:, 0]
    for panel, comparison in zip(panels, comparisons, strict=True):
        measure = comparison["score"]
        differences = {query: a[query][measure] - b[query][measure] for query in a}
        _draw_bars(panel, differences, comparison)
        _write_captions(panel, differences.values(), comparison)
    (test,) = {comparison["options"]["test"] for comparison in comparisons}
    panels[-1].set_xlabel(
        f"queries, in each panel from the largest difference to the smallest; p of the {test} test"
    )
    figure.align_ylabels()


def _draw_bars(panel: "Axes", differences: Mapping[str, float], comparison: Comparison) -> None:
    """Draw bars up where A is higher, hatched ones down where B is, and the mean as a line."""
    queries = sorted(differences, key=lambda query: -differences[query])
    values = [differences[query] for query in queries]
    wins, losses = _wins_and_losses(values)
    has_names = len(queries) <= _MAX_NAMES
    bars: list[tuple[range, dict[str, Any]]] = [
        (range(wins), {"facecolor": BLUE}),
        (
            range(len(values) - losses, len(values)),
            {"facecolor": VERMILION, "hatch": "////", "edgecolor": "white"},
        ),
    ]
    for ranks, style in bars:
        heights = [values[rank] for rank in ranks]
        if has_names:
            panel.bar(ranks, heights, linewidth=0, **style)
        else:  # one shape without gaps, since thousands of single bars take seconds
            edges = [rank - 0.5 for rank in range(ranks.start, ranks.stop + 1)]
            panel.stairs(heights, edges, fill=True, linewidth=0, **style)
    panel.axhline(0, color="black", linewidth=0.8)
    panel.axhline(comparison["diff"], color="black", linewidth=0.8, linestyle="--")

    panel.set_ylabel("A - B")
    panel.set_xlim(-0.7, len(values) - 0.3)
    panel.spines[["top", "right", "bottom"]].set_visible(False)
    names = [shortened(query, 16) for query in queries] if has_names else []
    panel.set_xticks(range(len(names)), names, rotation=90, fontsize="x-small")
    panel.tick_params(axis="x", length=0)


def _write_captions(panel: "Axes", differences: Collection[float], comparison: Comparison) -> None:
    """Write the measure, the mean, and the queries won by each system above a panel."""
    panel.set_title(comparison["score"], loc="left", fontweight="bold", pad=22)
    panel.set_title(_statement(comparison), loc="right", fontsize="medium", pad=22)
    wins, losses = _wins_and_losses(differences)
    a, b = (shortened(comparison[system], TITLE_LENGTH) for system in "ab")
    height: dict[str, Any] = {"va": "bottom", "transform": panel.transAxes}
    panel.text(0.0, 1.03, f"▲ {a} higher: {wins}", color=BLUE, ha="left", **height)
    panel.text(1.0, 1.03, f"▼ {b} higher: {losses}", color=VERMILION, ha="right", **height)


def _wins_and_losses(differences: Iterable[float]) -> tuple[int, int]:
    """Return the number of queries for which A is higher, and for which B is."""
    signs = [(difference > 0) - (difference < 0) for difference in differences]
    return signs.count(1), signs.count(-1)


def _statement(comparison: Comparison) -> str:
    verdict = "significant" if comparison["significant"] else "not significant"
    kind = " (simultaneous)" if comparison.get("simultaneous") else ""
    numbers = PLAIN.format_of([comparison["confidence_interval"]])
    mean, interval = numbers.number(comparison["diff"], signed=True), interval_of_difference
    return (
        f"mean {mean} {interval(comparison, numbers)}{kind}, "
        f"corrected p {p_value(comparison['p_adjusted'])}, {verdict} (n = {comparison['rows']})"
    )
