"""ROC and precision-recall curves."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...statistics.arguments.arrays import Floats
from .captions import LABEL_LENGTH, TITLE_LENGTH, score_with_interval, shortened
from .panels import REFERENCE_LINE, grid, label_axes, legend, line_styles, unit_square
from .systems import PlottedSystem, common_labels, positive_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_Points = Mapping[str, Sequence[float]]  # of a curve, as in results

RESOLUTION = 2000  # columns of a panel that are distinguishable by eye, even in print


class _Curve(NamedTuple):
    """The differences between ROC and precision-recall curves."""

    points: str  # their key in a result
    area: str  # the key of the area under the curve
    abbreviation: str  # of the area
    axes: tuple[str, str]
    line: Callable[[_Points], tuple[Floats, Floats]]  # x and y to draw
    chance: Callable[[_Points], tuple[float, float]]  # y of the chance line at x = 0 and x = 1
    style: Mapping[str, Any]


class _Result(NamedTuple):
    """The curve of a system in one panel."""

    area: float
    interval: Sequence[float] | None
    points: _Points

    def is_defined(self) -> bool:
        """Return whether there are rows with the label, and rows with another one."""
        return not math.isnan(self.area)

    def caption(self) -> str:
        """Return the area with its interval."""
        return score_with_interval(self.area, self.interval) if self.is_defined() else "undefined"


def draw_roc(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw the true positive rate over the false positive rate."""
    _draw_curves(figure, systems, _ROC)


def draw_pr(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw precision over recall, in steps, whose area is the average precision."""
    _draw_curves(figure, systems, _PR)


def thinned(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Return the points of a line that are distinguishable by eye; x ascends from 0 to 1.

    The panel is divided into `RESOLUTION` columns. In each column the first, the last, the lowest
    and the highest point remain, so that the line loses no peak and moves by less than the width of
    a column.

    >>> x, y = thinned(np.linspace(0, 1, 10**6), np.linspace(0, 1, 10**6) ** 2)
    >>> x.size < 10_000, x[0], x[-1], y[-1]
    (True, np.float64(0.0), np.float64(1.0), np.float64(1.0))
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if x.size <= 4 * RESOLUTION:  # no more than would remain
        return x, y
    column = np.floor(x * RESOLUTION)
    first = np.flatnonzero(np.diff(column, prepend=-1))
    last = np.append(first[1:], x.size) - 1
    by_height = np.lexsort((y, column))  # within each column from the lowest to the highest
    remaining = np.unique(np.concatenate([first, last, by_height[first], by_height[last]]))
    return x[remaining], y[remaining]


def _pr_line(points: _Points) -> tuple[Floats, Floats]:
    # Recall descends in results, but ascends in what can be thinned.
    recall, precision = thinned(points["recall"][::-1], points["precision"][::-1])
    return recall[::-1], precision[::-1]


_ROC = _Curve(
    points="roc_curve",
    area="roc_auc",
    abbreviation="AUC",
    axes=("false positive rate", "true positive rate"),
    line=lambda points: thinned(points["fpr"], points["tpr"]),
    chance=lambda _: (0.0, 1.0),
    style={},
)
_PR = _Curve(
    points="pr_curve",
    area="average_precision",
    abbreviation="AP",
    axes=("recall", "precision"),
    line=_pr_line,
    # The first point is that of the lowest threshold, where every row is predicted positive, so
    # precision is the proportion of positives.
    chance=lambda points: (points["precision"][0],) * 2,
    style={"drawstyle": "steps-post"},
)


def _draw_curves(figure: "Figure", systems: Mapping[str, PlottedSystem], curve: _Curve) -> None:
    """Draw the curves of all systems in one panel, or in a panel per label if more than two.

    With a positive label, there is only the panel of this label against the others.
    """
    labels, positive = common_labels(systems), positive_label(systems)
    per_label = len(labels) > 2
    chosen = next(iter(systems.values())).result.options["pos_label"] if per_label else None
    shown = [i for i, label in enumerate(labels) if chosen in (None, label)]
    if not shown:
        raise ValueError(f"pos_label is {chosen!r}, but the labels are {labels}")
    styles = line_styles(systems, marker_spacing=0.12)
    if per_label:
        height = 2.6 + 0.15 * len(systems)
        panels = grid(figure, len(shown), width=2.4, height=height)
    else:
        panels = grid(figure, 1, width=4.6, height=4.8)
    results = {name: _results(system, curve, per_label) for name, system in systems.items()}
    for name, panel_results in results.items():
        if not any(result.is_defined() for result in panel_results):
            raise ValueError(
                f"system {name!r}: {curve.area} is undefined, and so is the curve: all references "
                "are the same label"
            )
    for i, panel in zip(shown, panels, strict=False):
        _draw_panel(panel, {name: results[name][i] for name in systems}, curve, styles)
        if per_label:
            panel.legend(
                title=shortened(str(labels[i]), LABEL_LENGTH),
                loc="lower left",
                bbox_to_anchor=(0, 1),
                alignment="left",
                fontsize="x-small",
                handlelength=3,
                frameon=False,
            )
    x, y = curve.axes
    label_axes(panels, x, f"{y} (positive: {positive})" if positive else y)
    names = {name: shortened(name, TITLE_LENGTH) for name in systems}
    title = None
    if per_label:
        which = "each" if chosen is None else "this"
        title = f"{which} label against the others, {curve.abbreviation} in its panel"
    else:
        names = {
            name: f"{text}: {curve.abbreviation} {results[name][0].caption()}"
            for name, text in names.items()
        }
    entries = [(names[name], style) for name, style in styles.items()]
    legend(figure, [*entries, ("chance", REFERENCE_LINE)], title)


def _results(system: PlottedSystem, curve: _Curve, per_label: bool) -> list[_Result]:
    """Return the results of a system in each panel."""
    scores, intervals = system.result.scores, system.result.confidence_interval
    columns: list[Any] = [scores[curve.area], intervals[curve.area], scores[curve.points]]
    rows = zip(*columns, strict=True) if per_label else [columns]
    return [_Result(*row) for row in rows]


def _draw_panel(
    panel: "Axes",
    results: Mapping[str, _Result],
    curve: _Curve,
    styles: Mapping[str, Mapping[str, Any]],
) -> None:
    """Draw a curve for each system, and the chance line, which may differ between systems."""
    chance_lines: dict[tuple[float, float], None] = {}  # distinct ones, in the order of systems
    for name, result in results.items():
        style = {**styles[name], **curve.style, "label": result.caption()}
        if result.is_defined():
            panel.plot(*curve.line(result.points), **style)
            chance_lines[curve.chance(result.points)] = None
        else:
            panel.plot([], [], **style)  # for the legend
    for ends in chance_lines:
        panel.plot([0, 1], ends, **REFERENCE_LINE)
    unit_square(panel)
