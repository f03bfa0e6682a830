"""Bars: the leaves of JSON by path, and the differences of two runs by query."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...evaluation.results.breakdowns import Breakdown
from ...evaluation.results.comparisons import Comparison
from ...evaluation.results.rendering import PLAIN, interval_of_difference, p_value
from ...retrieval.runs import QueryScores
from .panels import (
    BLUE,
    COLORS,
    LABEL_LENGTH,
    TITLE_LENGTH,
    VERMILION,
    PlottedSystem,
    check_room,
    gridlines,
    score_with_interval,
    shortened,
    title,
)
from .pictures import render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAX_PATHS = 40  # more cannot be read
_MAX_SYSTEMS = 6
_MAX_NAMES = 60  # up to this many queries, there is space for their names below the bars
# Kinds differ in hatches as well, for prints without colour.
_STYLES = {
    "matched": (COLORS[2], ""),
    "wrong": (COLORS[1], "//"),
    "missing": ("#b0b0b0", ".."),
    "extra": (COLORS[5], "xx"),
}


def draw_paths(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw a panel per system with a bar for each path, those with the lowest F1 on top."""
    check_room(len(systems), "systems", _MAX_SYSTEMS)
    by_path = {name: system.result.scores["by_path"] for name, system in systems.items()}
    paths = max(map(len, by_path.values()))
    if not paths:
        raise ValueError("there are no leaves to draw")
    check_room(paths, "paths", _MAX_PATHS, "; leave some out with --set ignore_paths")
    longest = max(
        len(shortened(path, LABEL_LENGTH)) for parts in by_path.values() for path in parts
    )
    width = 4.6 + 0.075 * longest  # inches
    figure.set_layout_engine("compressed")
    figure.set_size_inches(width * len(systems), 0.28 * paths + 1.6)
    panels = figure.subplots(1, len(systems), squeeze=False)[0]
    for panel, (name, system) in zip(panels, systems.items(), strict=True):
        breakdown = Breakdown(name, "json_match", "path", by_path[name])
        _draw_leaves(panel, by_path[name], breakdown.ordered())
        title(panel, f"{shortened(name, TITLE_LENGTH)}\nF1 {system.score_text('f1')}")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(_STYLES), frameon=False)


def _draw_leaves(
    panel: "Axes", by_path: Mapping[str, Mapping[str, Any]], paths: Sequence[str]
) -> None:
    """Draw the leaves of each path, one kind behind the other, and the F1 beside them."""
    heights = np.arange(len(paths))
    starts = np.zeros(len(paths))
    for kind, (color, hatch) in _STYLES.items():
        counts = np.array([by_path[path][kind] for path in paths], np.float64)
        panel.barh(
            heights,
            counts,
            left=starts,
            color=color,
            hatch=hatch,
            edgecolor="white",
            linewidth=0.5,
            label=kind,
        )
        starts += counts
    for height, end, path in zip(heights, starts, paths, strict=True):
        scores = by_path[path]
        interval = scores.get("confidence_interval", {}).get("f1")
        panel.annotate(
            score_with_interval(scores["f1"], interval),
            (float(end), float(height)),
            (3, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
        )
    panel.set_yticks(heights, [shortened(path, LABEL_LENGTH) for path in paths])
    panel.set(xlim=(0, starts.max() * 1.45), ylim=(len(paths) - 0.5, -0.5), xlabel="leaves; F1")
    gridlines(panel)


def deltas(path: Path, runs: Mapping[str, QueryScores], comparisons: Sequence[Comparison]) -> bytes:
    """Return the differences A - B of all queries, one panel per measure, largest first.

    The file extension determines the format.
    """
    return render(path, partial(_draw_deltas, runs=runs, comparisons=comparisons))


def _draw_deltas(
    figure: "Figure", runs: Mapping[str, QueryScores], comparisons: Sequence[Comparison]
) -> None:
    a, b = runs.values()
    figure.set_size_inches(9, 0.4 + 2.8 * len(comparisons))
    figure.set_layout_engine("constrained", h_pad=0.1)
    panels = figure.subplots(len(comparisons), squeeze=False)[:, 0]
    for panel, comparison in zip(panels, comparisons, strict=True):
        measure = comparison["score"]
        differences = {query: a[query][measure] - b[query][measure] for query in a}
        _draw_differences(panel, differences, comparison)
    (test,) = {comparison["options"]["test"] for comparison in comparisons}
    panels[-1].set_xlabel(
        f"queries, in each panel from the largest difference to the smallest; p of the {test} test"
    )
    figure.align_ylabels()


def _draw_differences(
    panel: "Axes", differences: Mapping[str, float], comparison: Comparison
) -> None:
    """Draw bars up where A is higher, hatched ones down where B is, and the mean as a line.

    Above them are the measure, the mean, and the number of queries for which each is higher.
    """
    queries = sorted(differences, key=lambda query: -differences[query])
    values = [differences[query] for query in queries]
    wins, losses = sum(value > 0 for value in values), sum(value < 0 for value in values)
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

    panel.set_title(comparison["score"], loc="left", fontweight="bold", pad=22)
    verdict = "significant" if comparison["significant"] else "not significant"
    kind = " (simultaneous)" if comparison.get("simultaneous") else ""
    numbers = PLAIN.format_of([comparison["confidence_interval"]])
    mean = numbers.number(comparison["diff"], signed=True)
    panel.set_title(
        f"mean {mean} {interval_of_difference(comparison, numbers)}{kind}, "
        f"corrected p {p_value(comparison['p_adjusted'])}, {verdict} (n = {comparison['rows']})",
        loc="right",
        fontsize="medium",
        pad=22,
    )
    a, b = (shortened(comparison[system], TITLE_LENGTH) for system in "ab")
    height: dict[str, Any] = {"va": "bottom", "transform": panel.transAxes}
    panel.text(0.0, 1.03, f"▲ {a} higher: {wins}", color=BLUE, ha="left", **height)
    panel.text(1.0, 1.03, f"▼ {b} higher: {losses}", color=VERMILION, ha="right", **height)
