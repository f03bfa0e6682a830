"""Curves of classifiers: ROC, precision and recall, calibration."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...statistics.intervals.proportions import clopper_pearson
from .panels import (
    LABEL_LENGTH,
    REFERENCE_LINE,
    TITLE_LENGTH,
    PlottedSystem,
    common_labels,
    grid,
    gridlines,
    legend,
    line_styles,
    score_with_interval,
    shortened,
    thousands,
    unit_square,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LEVEL = 0.95
_INTERVAL_LINE: Mapping[str, Any] = {"linewidth": 1, "alpha": 0.6}
# The area, its abbreviation, and the keys and names of both axes.
_ROC = ("roc_auc", "AUC", ("fpr", "tpr"), ("false positive rate", "true positive rate"))
_PR = ("average_precision", "AP", ("recall", "precision"), ("recall", "precision"))


def draw_roc(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw the true positive rate over the false positive rate."""
    _draw_curves(figure, systems, "roc_curve", *_ROC)


def draw_pr(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw precision over recall, in steps, whose area is the average precision."""
    _draw_curves(figure, systems, "pr_curve", *_PR)


def _draw_curves(
    figure: "Figure",
    systems: Mapping[str, PlottedSystem],
    curve: str,
    area: str,
    abbreviation: str,
    keys: tuple[str, str],
    axes: tuple[str, str],
) -> None:
    """Draw the curves of all systems; of more than two labels, that of one against the others."""
    labels, positive = common_labels(systems)
    number: int | None = None
    if len(labels) > 2:
        positive = next(iter(systems.values())).result.options["pos_label"]
        if positive not in labels:
            raise ValueError(
                f"pos_label is {positive!r}; of several labels it names the one to draw, such as "
                f"{labels[0]!r}"
            )
        number = labels.index(positive)
    styles = line_styles(systems, marker_spacing=0.12)
    (panel,) = grid(figure, 1, width=4.6, height=4.8)
    entries: list[tuple[str, Mapping[str, Any]]] = []
    chance_lines: dict[tuple[float, float], None] = {}  # which may differ between systems
    for name, system in systems.items():
        result = system.result
        value: Any = result.scores[area]
        ends: Any = result.confidence_interval[area]
        points: Any = result.scores[curve]
        if number is not None:
            value, ends, points = value[number], ends[number], points[number]
        if math.isnan(value):
            raise ValueError(
                f"system {name!r}: {area} is undefined, and so is the curve: all references are "
                "the same label"
            )
        x, y = (points[key] for key in keys)
        steps = "steps-post" if curve == "pr_curve" else "default"
        text = f"{shortened(name, TITLE_LENGTH)}: {abbreviation} {score_with_interval(value, ends)}"
        panel.plot(x, y, label=text, drawstyle=steps, **styles[name])
        # At the lowest threshold every row is predicted positive, so precision is the proportion
        # of positives.
        chance_lines[(y[0], y[0]) if curve == "pr_curve" else (0.0, 1.0)] = None
        entries.append((text, styles[name]))
    for line in chance_lines:
        panel.plot([0, 1], line, **REFERENCE_LINE)
    unit_square(panel)
    shown = f" (positive: {shortened(str(positive), LABEL_LENGTH)})" if positive else ""
    panel.set(xlabel=axes[0], ylabel=f"{axes[1]}{shown}")
    legend(figure, [*entries, ("chance", REFERENCE_LINE)])


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
        if not result.values.get("n_clusters") and not any(size % 1 for size in bins["rows"]):
            level = result.options.get("confidence_level") or _LEVEL
            for x, y, size in zip(bins["predicted"], bins["observed"], bins["rows"], strict=True):
                ends = clopper_pearson(y * size, size, level)
                curve_panel.plot([x] * 2, ends, color=style["color"], **_INTERVAL_LINE)
        row_panel.plot(bins["predicted"], bins["rows"], **style)
        entries.append((text, style))
        rows += bins["rows"]
    row_panel.set_ylim(0, 1.1 * max(rows))
    row_panel.yaxis.set_major_formatter(thousands())
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
