"""Fields of JSON: the numbers of leaves that match, are wrong, missing and extra, by path."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...evaluation.results.breakdowns import Breakdown, ordered_parts
from .captions import LABEL_LENGTH, TITLE_LENGTH, score_with_interval, shortened
from .panels import COLORS, gridlines, title
from .systems import PlottedSystem

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAX_PATHS = 40  # more cannot be read
_MAX_SYSTEMS = 6
# Kinds differ in hatches as well, for prints without colour.
_STYLES = {
    "matched": (COLORS[2], ""),
    "wrong": (COLORS[1], "//"),
    "missing": ("#b0b0b0", ".."),
    "extra": (COLORS[5], "xx"),
}


def draw_paths(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw a panel per system with a bar for each path, those with the lowest F1 on top."""
    if len(systems) > _MAX_SYSTEMS:
        raise ValueError(f"there are {len(systems)} systems to draw, but room for {_MAX_SYSTEMS}")
    by_path = {name: system.result.scores["by_path"] for name, system in systems.items()}
    paths = max(map(len, by_path.values()))
    if not paths:
        raise ValueError("there are no leaves to draw")
    if paths > _MAX_PATHS:
        raise ValueError(
            f"there are {paths} paths to draw, but room for {_MAX_PATHS}; leave some out with "
            "--set ignore_paths"
        )
    longest = max(
        len(shortened(path, LABEL_LENGTH)) for parts in by_path.values() for path in parts
    )
    width = 4.6 + 0.075 * longest  # inches
    figure.set_layout_engine("compressed")
    figure.set_size_inches(width * len(systems), 0.28 * paths + 1.6)
    panels = figure.subplots(1, len(systems), squeeze=False)[0]
    for panel, (name, system) in zip(panels, systems.items(), strict=True):
        _draw_bars(panel, by_path[name], ordered_parts(_breakdown(name, system)))
        title(panel, f"{shortened(name, TITLE_LENGTH)}\n{_score(system)}")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(_STYLES), frameon=False)


def _breakdown(name: str, system: PlottedSystem) -> Breakdown:
    return Breakdown(name, "json_match", "path", system.result.scores["by_path"], None)


def _draw_bars(
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


def _score(system: PlottedSystem) -> str:
    """Return the F1 of all leaves, with its interval."""
    result = system.result
    return f"F1 {score_with_interval(result.scores['f1'], result.confidence_interval.get('f1'))}"
