"""Residuals of predicted numbers."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...regression.pairs import Pairs
from ...statistics.arguments.arrays import Floats
from .panels import (
    COLORS,
    MAX_PANELS,
    REFERENCE_LINE,
    TITLE_LENGTH,
    PlottedSystem,
    check_room,
    score_with_interval,
    shortened,
    thousands,
    title,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAX_DOTS = 5000  # more would hide each other
_GRIDSIZE = 60  # hexagonal cells across a panel, which count rows if there are more

_DISPLAY_NAMES = {
    "mae": "MAE",
    "mse": "MSE",
    "rmse": "RMSE",
    "r2": "R²",
    "mape": "MAPE",
    "smape": "SMAPE",
}

_Range = tuple[float, float]


class _Output(NamedTuple):
    """One output of a system, in a separate panel."""

    title: str
    predicted: Floats
    residual: Floats


def draw_residuals(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw residuals over predictions, and their histogram; a row of panels per system."""
    outputs = _outputs(systems)
    x_range = _common_range(*(output.predicted for output in outputs))
    residuals = [output.residual for output in outputs]
    y_range = _common_range(*residuals, *(-residual for residual in residuals))
    figure.set_size_inches(7.5, 0.5 + len(outputs) * (2.3 + _title_height(outputs)))
    panels = figure.subplots(
        len(outputs), 2, squeeze=False, sharex="col", sharey=True, width_ratios=[3, 1]
    )
    pairs = [(output.predicted, output.residual) for output in outputs]
    _draw_pairs(figure, panels[:, 0], pairs, (x_range, y_range))
    # Rice's rule, but at most 200 bins.
    bins = 2 * min(100, math.ceil(max(residual.size for residual in residuals) ** (1 / 3)))
    edges = np.linspace(*y_range, bins + 1)
    for i, (output, (scatter, histogram)) in enumerate(zip(outputs, panels, strict=True)):
        title(scatter, output.title)
        scatter.set_ylabel("residual (actual - predicted)")
        rows, _ = np.histogram(output.residual, edges)
        color = COLORS[i % len(COLORS)]
        histogram.stairs(rows, edges, orientation="horizontal", fill=True, color=color, alpha=0.8)
        for panel in (scatter, histogram):
            panel.axhline(0, **REFERENCE_LINE)
            panel.spines[["top", "right"]].set_visible(False)
        histogram.tick_params(labelleft=False)
    panels[-1][0].set(xlabel="predicted", xlim=x_range, ylim=y_range)
    panels[-1][1].set(xlabel="rows")
    panels[-1][1].xaxis.set_major_formatter(thousands())


def _outputs(systems: Mapping[str, PlottedSystem]) -> list[_Output]:
    """Return the outputs of the systems, ordered by system and output."""
    outputs = []
    for name, system in systems.items():
        pairs = Pairs(system.predictions, system.references)
        residual = pairs.columns().residuals
        predicted = np.atleast_2d(pairs.predictions.T).astype(np.float64)
        intervals: dict[str, Any] = system.result.confidence_interval
        for i in range(pairs.outputs):
            heading = shortened(name, TITLE_LENGTH) + (f", output {i}" if pairs.outputs > 1 else "")
            texts = []
            for score, values in system.result.scores.items():
                interval = intervals[score][i] if intervals else None
                text = score_with_interval(values[i], interval)
                texts.append(f"{_DISPLAY_NAMES.get(score, score)} {text}")
            heading = f"{heading}\n{wrapped(texts)}"
            outputs.append(_Output(heading, predicted[i], residual[i]))
    check_room(len(outputs), "panels", MAX_PANELS)
    return outputs


def _title_height(outputs: Sequence[_Output]) -> float:
    """Return the inches required above a panel for the longest title."""
    return 0.17 * max(output.title.count("\n") + 1 for output in outputs)


def _common_range(*columns: Floats) -> _Range:
    """Return the range from the smallest to the largest number, with a margin."""
    low = min(float(column.min()) for column in columns)
    high = max(float(column.max()) for column in columns)
    margin = 0.04 * (high - low) or max(0.04 * abs(high), 0.5)
    if not math.isfinite(4 * (high - low) + 4 * abs(high)):
        raise ValueError(f"numbers from {low:g} to {high:g} are too large to be drawn")
    return low - margin, high + margin


def _draw_pairs(
    figure: "Figure",
    panels: Iterable["Axes"],
    pairs: Sequence[tuple[Floats, Floats]],
    ranges: tuple[_Range, _Range],
) -> None:
    """Draw a dot per row; for many rows, counts in hexagonal cells, with a colour bar.

    A colour means the same number of rows in all panels.
    """
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import NullFormatter

    rows = max(x.size for x, _ in pairs)
    if rows <= _MAX_DOTS:
        size, alpha = (14, 0.7) if rows <= 500 else (6, 0.3)
        for i, ((x, y), panel) in enumerate(zip(pairs, panels, strict=True)):
            color = COLORS[i % len(COLORS)]
            panel.scatter(x, y, s=size, color=color, alpha=alpha, linewidth=0)
        return
    extent = (*ranges[0], *ranges[1])
    cells = [
        panel.hexbin(x, y, gridsize=_GRIDSIZE, extent=extent, mincnt=1, linewidths=0.1)
        for (x, y), panel in zip(pairs, panels, strict=True)
    ]
    fullest = max(float(np.max(np.asarray(panel_cells.get_array()))) for panel_cells in cells)
    norm = LogNorm(1, max(10.0, fullest))
    for panel_cells in cells:
        panel_cells.set_norm(norm)
    bar = figure.colorbar(cells[0], ax=figure.axes, shrink=0.8, aspect=30, format=thousands())
    bar.minorformatter = NullFormatter()
    bar.set_label("rows in a cell")
