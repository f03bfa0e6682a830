"""Residuals of predicted numbers."""

import math
from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...regression.pairs import Pairs, difference
from ...statistics.arguments.arrays import Floats
from .panels import (
    COLORS,
    REFERENCE_LINE,
    TITLE_LENGTH,
    PlottedSystem,
    check_room,
    score_with_interval,
    shortened,
    thousands,
    title,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAX_OUTLINED = 5000  # dots in a file of shapes; more become pixels
_DISPLAY_NAMES = {name: name.upper() for name in ("mae", "mse", "rmse", "mape", "smape")}
_DISPLAY_NAMES["r2"] = "R²"


class _Output(NamedTuple):
    """A system in a separate row of panels."""

    title: str
    predicted: Floats
    residual: Floats


def draw_residuals(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw residuals over predictions, and their histogram; a row of panels per system."""
    outputs = [_output(*item) for item in systems.items()]
    check_room(len(outputs))
    x_range = _range_of(np.concatenate([output.predicted for output in outputs]))
    residuals = np.concatenate([output.residual for output in outputs])
    y_range = _range_of(np.concatenate([residuals, -residuals]))
    lines = max(output.title.count("\n") + 1 for output in outputs)
    figure.set_size_inches(7.5, 0.5 + len(outputs) * (2.3 + 0.17 * lines))
    panels = figure.subplots(
        len(outputs), 2, squeeze=False, sharex="col", sharey=True, width_ratios=[3, 1]
    )
    rows = max(output.residual.size for output in outputs)
    size, alpha = (14, 0.7) if rows <= 500 else (6, 0.3) if rows <= _MAX_OUTLINED else (2, 0.1)
    bins = 2 * min(100, math.ceil(rows ** (1 / 3)))  # Rice's rule, but at most 200 bins
    edges = np.linspace(*y_range, bins + 1)
    for i, (output, (scatter, histogram)) in enumerate(zip(outputs, panels, strict=True)):
        color = COLORS[i % len(COLORS)]
        title(scatter, output.title)
        scatter.scatter(
            output.predicted,
            output.residual,
            s=size,
            color=color,
            alpha=alpha,
            linewidth=0,
            rasterized=rows > _MAX_OUTLINED,
        )
        scatter.set_ylabel("residual (actual - predicted)")
        counts, _ = np.histogram(output.residual, edges)
        histogram.stairs(counts, edges, orientation="horizontal", fill=True, color=color, alpha=0.8)
        histogram.tick_params(labelleft=False)
        for panel in (scatter, histogram):
            panel.axhline(0, **REFERENCE_LINE)
            panel.spines[["top", "right"]].set_visible(False)
    panels[-1][0].set(xlabel="predicted", xlim=x_range, ylim=y_range)
    panels[-1][1].set(xlabel="rows")
    panels[-1][1].xaxis.set_major_formatter(thousands())


def _output(name: str, system: PlottedSystem) -> _Output:
    """Return the numbers of a system, with its scores in the title."""
    pairs = Pairs(system.predictions, system.references)
    if pairs.outputs > 1:
        raise ValueError(f"system {name!r}: a row has {pairs.outputs} numbers, and one is drawn")
    intervals: dict[str, Any] = system.result.confidence_interval
    texts = []
    for score, (value,) in system.result.scores.items():
        text = score_with_interval(value, intervals[score][0] if intervals else None)
        texts.append(f"{_DISPLAY_NAMES.get(score, score)} {text}".replace(" ", "\xa0"))
    scores = fill("  ".join(texts), TITLE_LENGTH).replace("\xa0", " ")
    residual = difference(pairs.references, pairs.predictions)[0]
    predicted = pairs.predictions.astype(np.float64)[0]
    return _Output(f"{shortened(name, TITLE_LENGTH)}\n{scores}", predicted, residual)


def _range_of(column: Floats) -> tuple[float, float]:
    """Return the range from the smallest to the largest number, with a margin."""
    low, high = float(column.min()), float(column.max())
    margin = 0.04 * (high - low) or max(0.04 * abs(high), 0.5)
    if not math.isfinite(4 * (high - low) + 4 * abs(high)):
        raise ValueError(f"numbers from {low:g} to {high:g} are too large to be drawn")
    return low - margin, high + margin
