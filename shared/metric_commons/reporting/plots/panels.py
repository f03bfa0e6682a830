"""Panels of a figure: their layout, labels and legends."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

# The colours of Okabe and Ito, which are distinguishable with colour blindness.
BLUE, VERMILION = "#0072B2", "#D55E00"
COLORS = (BLUE, VERMILION, "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
# Systems differ in colour, dashes and marker. The numbers of these, 7, 4 and 5, are coprime, so
# that 7 x 4 x 5 = 140 systems look different.
_DASHES = ("-", "--", "-.", (0, (1, 1)))
_MARKERS = ("o", "s", "^", "D", "v")
# The line of chance, of perfect calibration, of predictions without error.
REFERENCE_LINE: Mapping[str, Any] = {"color": "#767676", "linewidth": 0.8, "linestyle": ":"}

_MAX_COLUMNS = 5  # of panels side by side
MAX_PANELS = 64  # more cannot be read


def grid(
    figure: "Figure", count: int, *, width: float, height: float, columns: int = _MAX_COLUMNS
) -> list["Axes"]:
    """Return the panels of a figure, row by row, with at most `columns` side by side.

    Width and height are in inches, for a panel with everything around it.
    """
    check_panels(count)
    columns = min(count, columns, math.ceil(math.sqrt(count)) + (count < 4))
    rows = math.ceil(count / columns)
    figure.set_layout_engine("compressed")  # closes the gaps that square panels leave
    figure.set_size_inches(columns * width + 0.4, rows * height + 0.4)
    panels = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for panel in panels[count:]:
        panel.remove()
    return panels[:count]


def check_panels(count: int) -> None:
    """Check that there are not more panels than a figure can show."""
    if count > MAX_PANELS:
        raise ValueError(f"there are {count} panels to draw, but room for {MAX_PANELS}")


def label_axes(panels: Sequence["Axes"], x: str, y: str) -> None:
    """Label the x axis of panels with none below, and the y axis of those with none to the left."""
    cells = [panel.get_subplotspec() for panel in panels]
    occupied = {(cell.rowspan.start, cell.colspan.start) for cell in cells if cell}
    for panel, cell in zip(panels, cells, strict=True):
        if cell is not None:
            if (cell.rowspan.start + 1, cell.colspan.start) not in occupied:
                panel.set_xlabel(x)
            if cell.is_first_col():
                panel.set_ylabel(y)


def unit_square(panel: "Axes") -> None:
    """Make both axes go from 0 to 1, at the same scale."""
    panel.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    gridlines(panel)


def gridlines(panel: "Axes") -> None:
    """Draw pale lines at the ticks, behind everything else."""
    panel.grid(color="#e5e5e5", linewidth=0.6)
    panel.set_axisbelow(True)


def line_styles(names: Iterable[str], marker_spacing: float = 0) -> dict[str, dict[str, Any]]:
    """Colour, dashes and marker of each system.

    With a `marker_spacing`, given as a fraction of the panel, markers are that far apart along a
    line, at different points of each line, and a single system has none. Otherwise every point has
    a marker.
    """
    names = list(names)
    styles: dict[str, dict[str, Any]] = {}
    for i, name in enumerate(names):
        styles[name] = {
            "color": COLORS[i % len(COLORS)],
            "linestyle": _DASHES[i % len(_DASHES)],
            "marker": _MARKERS[i % len(_MARKERS)],
            "markersize": 4.5,
            "linewidth": 1.5,
        }
        if marker_spacing:
            start = marker_spacing * i / len(names)
            styles[name]["markevery"] = start, marker_spacing
            if len(names) == 1:
                styles[name]["marker"] = None
    return styles


def legend(
    figure: "Figure", entries: Sequence[tuple[str, Mapping[str, Any]]], title: str | None = None
) -> None:
    """Name lines by their styles, below the panels, where the names hide nothing."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], label=text, **style) for text, style in entries]
    figure.legend(
        handles=handles, loc="outside lower center", title=title, frameon=False, handlelength=3
    )


def title(panel: "Axes", text: str) -> None:
    """Write the first line of `text`, a name, in bold above a panel, and scores below the name."""
    name, *scores = text.splitlines()
    height = 6 + 12 * len(scores)  # points
    panel.set_title(name, loc="left", fontweight="bold", fontsize="medium", pad=height)
    panel.annotate(
        "\n".join(scores),
        *((0, 1), (0, 4)),
        xycoords="axes fraction",
        textcoords="offset points",
        va="bottom",
    )


def thousands() -> "EngFormatter":
    """Return a tick formatter that writes numbers of rows as 500, 50k and 5M."""
    from matplotlib.ticker import EngFormatter

    return EngFormatter(sep="")
