"""Confusion matrices."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .panels import (
    LABEL_LENGTH,
    TITLE_LENGTH,
    PlottedSystem,
    count,
    grid,
    label_axes,
    percent,
    shortened,
    title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

_MAX_NUMBERED = 40  # up to this many labels, there is space for a number in each cell
_MAX_ZEROS = 10  # with more labels, zeros would distract from the other numbers


def draw_confusion(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw rows by true and predicted label, a panel per system; colours are shares of a row."""
    tables: list[tuple[str, Sequence[Any], Sequence[Sequence[Any]]]] = []  # title, labels, counts
    for name, system in systems.items():
        names, matrix = system.result.scores["labels"], system.result.scores["confusion_matrix"]
        heading = shortened(name, TITLE_LENGTH)
        if np.ndim(matrix) == 3:  # a row may have several labels; each has a table
            tables += [
                (f"{heading}\nlabel {label}", [0, 1], counts)
                for label, counts in zip(names, matrix, strict=True)
            ]
        else:
            tables.append((f"{heading}\naccuracy {system.score_text('accuracy')}", names, matrix))
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
        proportions = _draw_cells(panel, counts, fontsize if labels <= _MAX_NUMBERED else None)
        _name_labels(panel, names, min(fontsize, 9), side / labels)
        title(panel, heading)
    label_axes(panels, "predicted label", "true label")
    bar = figure.colorbar(
        proportions,
        ax=panels,
        shrink=0.6,
        aspect=30,
        format=lambda proportion, _: f"{proportion:.0%}",
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
            color = _text_color(image.cmap(proportion)[:3])
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


def _text_color(background: Iterable[float]) -> str:
    """Return black or white: the one with the higher contrast to the background by WCAG 2.

    The contrast of two luminances is (light + 0.05) / (dark + 0.05). Black has luminance 0 and
    white 1, so black is better if (L + 0.05) / 0.05 > 1.05 / (L + 0.05).

    >>> _text_color([1.0, 1.0, 0.8]), _text_color([0.0, 0.2, 0.4])
    ('black', 'white')
    """
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in background]
    red, green, blue = linear
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "black" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "white"
