"""Confusion matrices."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .panels import (
    LABEL_LENGTH,
    TITLE_LENGTH,
    PlottedSystem,
    grid,
    label_axes,
    shortened,
    title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

_MAX_NUMBERED = 40  # up to this many labels, there is space for a number in each cell
_MAX_ZEROS = 10  # with more labels, zeros would distract from the other numbers
_DARK = 0.72  # the proportion from which white is easier to read on its blue than black


def draw_confusion(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw rows by true and predicted label, a panel per system; colours are shares of a row."""
    tables: list[tuple[str, Sequence[Any], Sequence[Sequence[Any]]]] = []  # title, labels, counts
    thresholds = set()
    for name, system in systems.items():
        scores, heading = system.result.scores, shortened(name, TITLE_LENGTH)
        names, matrix = scores["labels"], scores["confusion_matrix"]
        if np.ndim(matrix) == 3:
            raise ValueError(f"system {name!r}: rows with several labels have no one matrix")
        tables.append((f"{heading}\naccuracy {system.score_text('accuracy')}", names, matrix))
        if "roc_auc" in scores and len(tables[-1][1]) == 2:
            thresholds.add(system.result.options["threshold"])
    labels = max(len(names) for _, names, _ in tables)
    fontsize = 11 if labels <= 3 else 9 if labels <= 10 else 6.5
    cell = 0.12  # inches
    if labels <= _MAX_NUMBERED:  # two lines of text in height, the longest number in width
        longest = max(len(count(n)) for _, _, counts in tables for row in counts for n in row)
        cell = max(0.042 * fontsize, 0.0095 * fontsize * longest + 0.14)
    side = max(labels * cell, 2.2)
    longest = max(len(str(label)) for _, names, _ in tables for label in names)
    margin = 0.075 * min(longest, LABEL_LENGTH)  # for the names of labels
    width, height = side + 0.5 + margin, side + 1 + margin
    panels = grid(figure, len(tables), width=width, height=height, columns=3)
    figure.set_figwidth(figure.get_figwidth() + 1)  # for the colour bar
    for panel, (heading, names, counts) in zip(panels, tables, strict=True):
        image = _draw_cells(panel, counts, fontsize if labels <= _MAX_NUMBERED else None)
        _name_labels(panel, names, min(fontsize, 9), side / labels)
        title(panel, heading)
    at = "".join(f", threshold {value:g}" for value in thresholds)
    label_axes(panels, f"predicted label{at}", "true label")
    bar = figure.colorbar(
        image, ax=panels, shrink=0.6, aspect=30, format=lambda share, _: f"{share:.0%}"
    )
    bar.set_label("proportion of the row")
    bar.outline.set_visible(False)


def _draw_cells(
    panel: "Axes", counts: Sequence[Sequence[Any]], fontsize: float | None
) -> "AxesImage":
    """Draw a cell for each number, darker with its proportion of the row, and text of this size."""
    numbers = np.array(counts, np.float64)
    totals = numbers.sum(axis=1, keepdims=True)
    proportions = np.divide(numbers, totals, out=np.zeros_like(numbers), where=totals > 0)
    image = panel.imshow(proportions, cmap="Blues", vmin=0, vmax=1)
    for (row, column), proportion in np.ndenumerate(proportions):
        number = counts[row][column]
        if fontsize and (number or len(counts) <= _MAX_ZEROS):
            text = f"{count(number)}\n{percent(proportion)}" if number else "0"
            color = "white" if proportion > _DARK else "black"
            panel.text(column, row, text, color=color, fontsize=fontsize, ha="center", va="center")
    edges = np.arange(1, len(counts)) - 0.5
    panel.set_xticks(edges, minor=True)
    panel.set_yticks(edges, minor=True)
    panel.grid(which="minor", color="white", linewidth=1 if len(counts) <= 10 else 0.5)
    panel.tick_params(which="both", length=0)
    panel.spines[:].set_visible(False)
    return image


def _name_labels(panel: "Axes", labels: Sequence[Any], fontsize: float, cell: float) -> None:
    """Write the names of labels on both axes; of very many, every second or third."""
    step = -(-len(labels) // _MAX_NUMBERED)
    ticks = range(0, len(labels), step)
    names = [shortened(str(labels[tick]), LABEL_LENGTH) for tick in ticks]
    panel.set_xticks(ticks, names, fontsize=fontsize)
    panel.set_yticks(ticks, names, fontsize=fontsize)
    if max(map(len, names)) * 0.08 > step * cell:  # as inches
        for tick_label in panel.get_xticklabels():
            tick_label.set(rotation=45, ha="right", rotation_mode="anchor")


def count(rows: float) -> str:
    """Return a number of rows, or the sum of their weights.

    >>> count(12345), count(12345.678)
    ('12,345', '1.235e+04')
    """
    return f"{rows:,}" if isinstance(rows, int) else f"{rows:.4g}"


def percent(proportion: float) -> str:
    """Return a proportion in whole percent, which is 0 or 100 only if the proportion is 0 or 1.

    >>> percent(0.5), percent(0.999), percent(0.001)
    ('50%', '>99%', '<1%')
    """
    if 0 < proportion < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= proportion < 1 else f"{proportion:.0%}"
