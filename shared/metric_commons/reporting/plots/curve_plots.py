"""Curves of classifiers: ROC, precision and recall, calibration, risk and coverage."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...statistics.arguments.arrays import Floats
from ...statistics.intervals.proportions import clopper_pearson
from .panels import (
    LABEL_LENGTH,
    REFERENCE_LINE,
    TITLE_LENGTH,
    PlottedSystem,
    common_labels,
    grid,
    gridlines,
    label_axes,
    legend,
    line_styles,
    score_with_interval,
    shortened,
    thousands,
    unit_square,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RESOLUTION = 2000  # columns of a panel that are distinguishable by eye, even in print
_LEVEL = 0.95
_STEPS = 50  # points of the curve within a level of equal confidences
_INTERVAL_LINE: Mapping[str, Any] = {"linewidth": 1, "alpha": 0.6}


def draw_roc(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw the true positive rate over the false positive rate."""
    _draw_curves(figure, systems, "roc_curve", "roc_auc", "AUC")


def draw_pr(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw precision over recall, in steps, whose area is the average precision."""
    _draw_curves(figure, systems, "pr_curve", "average_precision", "AP")


def _draw_curves(
    figure: "Figure",
    systems: Mapping[str, PlottedSystem],
    curve: str,
    area: str,
    abbreviation: str,
) -> None:
    """Draw the curves of all systems in one panel, or in a panel per label if more than two.

    With a positive label, there is only the panel of this label against the others.
    """
    is_pr = curve == "pr_curve"
    keys = ("recall", "precision") if is_pr else ("fpr", "tpr")
    labels, positive = common_labels(systems)
    per_label = len(labels) > 2
    chosen = next(iter(systems.values())).result.options["pos_label"] if per_label else None
    shown = [i for i, label in enumerate(labels) if chosen in (None, label)] if per_label else [0]
    if not shown:
        raise ValueError(f"pos_label is {chosen!r}, but the labels are {labels}")
    styles = line_styles(systems, marker_spacing=0.12)
    if per_label:
        panels = grid(figure, len(shown), width=2.4, height=2.6 + 0.15 * len(systems))
    else:
        panels = grid(figure, 1, width=4.6, height=4.8)
    results = {}  # by system the area, its interval and the points, for each panel
    for name, system in systems.items():
        scores, intervals = system.result.scores, system.result.confidence_interval
        columns: list[Any] = [scores[area], intervals[area], scores[curve]]
        results[name] = list(zip(*columns, strict=True)) if per_label else [tuple(columns)]
        if all(math.isnan(value) for value, _, _ in results[name]):
            raise ValueError(
                f"system {name!r}: {area} is undefined, and so is the curve: all references "
                "are the same label"
            )
    captions: dict[str, str] = {}  # of the last panel
    for i, panel in zip(shown, panels, strict=True):
        chance_lines: dict[tuple[float, float], None] = {}  # which may differ between systems
        for name in systems:
            value, interval, points = results[name][i]
            style = {**styles[name], "drawstyle": "steps-post" if is_pr else "default"}
            if math.isnan(value):
                captions[name] = "undefined"
                panel.plot([], [], label="undefined", **style)  # for the legend
                continue
            captions[name] = score_with_interval(value, interval)
            x, y = (points[key] for key in keys)
            panel.plot(*thinned(x, y), label=captions[name], **style)
            # At the lowest threshold every row is predicted positive, so precision is the
            # proportion of positives.
            chance_lines[(y[0], y[0]) if is_pr else (0.0, 1.0)] = None
        for ends in chance_lines:
            panel.plot([0, 1], ends, **REFERENCE_LINE)
        unit_square(panel)
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
    x_name, y_name = keys if is_pr else ("false positive rate", "true positive rate")
    label_axes(panels, x_name, f"{y_name} (positive: {positive})" if positive else y_name)
    names = {name: shortened(name, TITLE_LENGTH) for name in systems}
    title = None
    if per_label:
        which = "each" if chosen is None else "this"
        title = f"{which} label against the others, {abbreviation} in its panel"
    else:
        names = {name: f"{text}: {abbreviation} {captions[name]}" for name, text in names.items()}
    entries = [(names[name], style) for name, style in styles.items()]
    legend(figure, [*entries, ("chance", REFERENCE_LINE)], title)


def thinned(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Return the points of a line that are distinguishable by eye; x is from 0 to 1, or back.

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
    if x[0] > x[-1]:
        ascending = thinned(x[::-1], y[::-1])
        return ascending[0][::-1], ascending[1][::-1]
    column = np.floor(x * RESOLUTION)
    first = np.flatnonzero(np.diff(column, prepend=-1))
    last = np.append(first[1:], x.size) - 1
    by_height = np.lexsort((y, column))  # within each column from the lowest to the highest
    remaining = np.unique(np.concatenate([first, last, by_height[first], by_height[last]]))
    return x[remaining], y[remaining]


def draw_calibration(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw the observed frequency over the predicted probability, and below it rows per bin."""
    labels, positive = common_labels(systems)
    figure.set_size_inches(5, 6.2 + 0.17 * len(systems))
    curve_panel, row_panel = figure.subplots(2, sharex=True, height_ratios=[1, 0.28])
    curve_panel.plot([0, 1], [0, 1], **REFERENCE_LINE)
    entries: list[tuple[str, Mapping[str, Any]]] = []
    rows: list[float] = []
    level = 0.0
    for name, style in line_styles(systems).items():
        result = systems[name].result
        bins = result.scores["calibration"]
        if not bins["rows"]:
            raise ValueError(f"system {name!r}: calibration needs probabilities, from 0 to 1")
        text = f"{shortened(name, TITLE_LENGTH)}: ECE {systems[name].score_text('ece')}"
        curve_panel.plot(bins["predicted"], bins["observed"], label=text, **style)
        # The bins do not keep the numbers of weights and clusters.
        if not result.n_clusters and not any(size % 1 for size in bins["rows"]):
            level = result.options.get("confidence_level") or _LEVEL
            for x, y, size in zip(bins["predicted"], bins["observed"], bins["rows"], strict=True):
                ends = clopper_pearson(y * size, size, level)
                curve_panel.plot([x] * 2, ends, color=style["color"], **_INTERVAL_LINE)
        row_panel.plot(bins["predicted"], bins["rows"], **style)
        entries.append((text, style))
        rows += bins["rows"]
    _scale_rows(row_panel, rows)
    unit_square(curve_panel)
    gridlines(row_panel)
    row_panel.set_box_aspect(0.28)
    predicted, observed = "the predicted label", "right predictions"
    if len(labels) <= 2:
        predicted = observed = positive or "the positive label"
    curve_panel.set_ylabel(f"observed rate of {observed}")
    row_panel.set(xlabel=f"mean predicted probability of {predicted}", ylabel="rows")
    figure.align_ylabels()
    if level:
        line = {"color": "gray", **_INTERVAL_LINE}
        entries.append((f"{100 * level:g}% interval of the rate in a bin", line))
    legend(figure, [*entries, ("perfectly calibrated", REFERENCE_LINE)])


def _scale_rows(panel: "Axes", rows: Sequence[float]) -> None:
    """Scale the axis of numbers of rows, by logarithms if small bins would be invisible."""
    from matplotlib.ticker import NullFormatter

    low, high = min(rows), max(rows)
    if high > 50 * low:
        panel.set(yscale="log", ylim=(low / 2, high * 2))
        panel.yaxis.set_minor_formatter(NullFormatter())
    else:
        panel.set_ylim(0, high * 1.1)
    panel.yaxis.set_major_formatter(thousands())


def draw_risk_coverage(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw the curves of all systems, and the risk of each if confidence said nothing."""
    (panel,) = grid(figure, 1, width=4.6, height=4.0)
    styles = line_styles(systems, marker_spacing=0.12)
    entries = []
    highest = 0.0
    for name, system in systems.items():
        points = system.result.scores.get("risk_coverage", {})
        if not points.get("coverage"):
            raise ValueError(f"system {name!r} has no answers with a confidence, so no curve")
        coverage, risk = risk_line(points["coverage"], points["risk"])
        panel.plot(*thinned(coverage, risk), **styles[name], label=name)
        panel.plot([0, 1], [risk[-1]] * 2, **REFERENCE_LINE)
        highest = max(highest, float(risk.max()))
        text = f"{shortened(name, TITLE_LENGTH)}: AURC {system.score_text('aurc')}"
        entries.append((text, styles[name]))
    panel.set(xlim=(-0.02, 1.02), ylim=(-0.02 * highest, 1.05 * highest or 1))
    gridlines(panel)
    label_axes([panel], "coverage (answers given)", "risk (rate of wrong answers among them)")
    legend(figure, [*entries, ("without confidence", REFERENCE_LINE)])


def risk_line(coverage: Sequence[float], risk: Sequence[float]) -> tuple[Floats, Floats]:
    """Return the expected risk at each coverage, given that at the end of each confidence level.

    Within a level the errors grow evenly, so the risk, which is errors divided by answers, is
    curved. In the first level it is constant, down to zero coverage.

    >>> x, y = risk_line([0.5, 1.0], [0.0, 0.5])
    >>> x[0], y[0], y[-1], round(float(y[np.searchsorted(x, 0.75)]), 3)
    (np.float64(0.0), np.float64(0.0), np.float64(0.5), 0.333)
    """
    ends = np.append(0.0, coverage)
    errors = np.append(0.0, np.multiply(coverage, risk))
    steps = np.linspace(0, 1, _STEPS + 1)[1:]
    x = (ends[:-1, np.newaxis] + np.diff(ends)[:, np.newaxis] * steps).ravel()
    y = np.interp(x, ends, errors) / x
    return np.append(0.0, x), np.append(risk[0], y)
