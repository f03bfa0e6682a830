"""Panels of a figure: their layout, labels, legends and captions, and the systems in them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ...evaluation.results.module_results import ModuleResult
from ...evaluation.results.rendering import label
from ...labels.classification.classes import classes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

TITLE_LENGTH = 40  # characters above a panel
LABEL_LENGTH = 24  # characters of a label next to an axis
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


class PlottedSystem(NamedTuple):
    """A system: its scores, and the rows that were scored, if its module keeps them."""

    result: ModuleResult
    predictions: Any
    references: Any

    def score_text(self, score: str) -> str:
        """Return a score with its interval if there is one."""
        ends = self.result.confidence_interval.get(score)
        return score_with_interval(self.result.scores[score], ends)


def common_labels(systems: Mapping[str, PlottedSystem]) -> tuple[list[Any], str]:
    """Return the labels of the systems, and the positive one if there are two and it is known.

    Raises:
        ValueError: two systems have different labels.
    """
    labels = {name: system.result.scores["labels"] for name, system in systems.items()}
    for (first, of_first), (second, of_second) in pairwise(labels.items()):
        if of_first != of_second:
            seconds, firsts = (", ".join(map(repr, names[:10])) for names in (of_second, of_first))
            raise ValueError(
                f"system {second!r} has the labels {seconds}, but {first!r} has {firsts}; on one "
                "picture they must be the same"
            )
    result = next(iter(systems.values())).result
    all_classes = classes(result.scores["labels"], pos_label=result.options["pos_label"])
    if len(all_classes.all_labels) > 2 or all_classes.positive is None:
        return result.scores["labels"], ""
    return result.scores["labels"], shortened(str(all_classes.all_labels[all_classes.positive]), 30)


def check_room(count: int) -> None:
    """Check that there are not more panels than a figure can show."""
    if count > MAX_PANELS:
        raise ValueError(f"there are {count} panels to draw, but room for {MAX_PANELS}")


def grid(
    figure: "Figure", count: int, *, width: float, height: float, columns: int = _MAX_COLUMNS
) -> list["Axes"]:
    """Return the panels of a figure, row by row, with at most `columns` side by side.

    Width and height are in inches, for a panel with everything around it.
    """
    check_room(count)
    columns = min(count, columns, math.ceil(math.sqrt(count)) + (count < 4))
    rows = math.ceil(count / columns)
    figure.set_layout_engine("compressed")  # closes the gaps that square panels leave
    figure.set_size_inches(columns * width + 0.4, rows * height + 0.4)
    panels = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for panel in panels[count:]:
        panel.remove()
    return panels[:count]


def label_axes(panels: Sequence["Axes"], x: str, y: str) -> None:
    """Label the x axis of panels with none below, and the y axis of those with none to the left."""
    cells = [panel.get_subplotspec() for panel in panels]
    occupied = {(cell.rowspan.start, cell.colspan.start) for cell in cells if cell}
    for panel, cell in zip(panels, cells, strict=True):
        if cell and (cell.rowspan.start + 1, cell.colspan.start) not in occupied:
            panel.set_xlabel(x)
        if cell and cell.is_first_col():
            panel.set_ylabel(y)


def unit_square(panel: "Axes") -> None:
    """Make both axes go from 0 to 1, at the same scale."""
    panel.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    gridlines(panel)


def gridlines(panel: "Axes") -> None:
    """Draw pale lines at the ticks, behind everything else."""
    panel.grid(color="gray", alpha=0.2, linewidth=0.6)
    panel.set_axisbelow(True)


def line_styles(names: Iterable[str], marker_spacing: float = 0) -> dict[str, dict[str, Any]]:
    """Return the colour, dashes and marker of each system.

    With a `marker_spacing`, given as a fraction of the panel, markers are that far apart along a
    line, at different points of each line. Otherwise every point has a marker.
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
            styles[name]["markevery"] = marker_spacing * i / len(names), marker_spacing
    return styles


def legend(figure: "Figure", entries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Name lines by their styles, below the panels, where the names hide nothing."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], label=text, **style) for text, style in entries]
    figure.legend(handles=handles, loc="outside lower center", frameon=False, handlelength=3)


def title(panel: "Axes", text: str) -> None:
    """Write the first line of `text`, a name, in bold above a panel, and scores below the name."""
    name, *scores = text.splitlines()
    height = 6 + 12 * len(scores)  # points
    panel.set_title(name, loc="left", fontweight="bold", fontsize="medium", pad=height)
    panel.annotate(
        "\n".join(scores),
        (0, 1),
        (0, 4),
        xycoords="axes fraction",
        textcoords="offset points",
        va="bottom",
    )


def thousands() -> "EngFormatter":
    """Return a tick formatter that writes numbers of rows as 500, 50k and 5M."""
    from matplotlib.ticker import EngFormatter

    return EngFormatter(sep="")


def shortened(name: str, length: int) -> str:
    """Return a name on one line; a long one keeps both ends, since either may distinguish it.

    >>> shortened("a system with a long name, run 12", 12)
    'a syst…un 12'
    """
    name = label(name)
    if len(name) <= length:
        return name
    return f"{name[: length // 2]}…{name[len(name) - (length - 1) // 2 :]}"


def score_with_interval(value: float, interval: Sequence[float] | None) -> str:
    """Return a score, and its interval if there is one, with a suitable number of digits.

    >>> score_with_interval(0.91234, [0.9, 0.92]), score_with_interval(83.456, None)
    ('0.912 [0.900, 0.920]', '83.46')
    """
    if interval is None:
        return _digits(value)
    low, high = map(_digits, interval)
    return f"{_digits(value)} [{low}, {high}]"


def _digits(value: float) -> str:
    if 0.001 <= abs(value) <= 1 or value == 0:
        return f"{value:.3f}"
    return f"{value:#.4g}".rstrip(".")
