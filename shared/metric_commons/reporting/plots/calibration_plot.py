"""Calibration: predicted probabilities against observed frequencies."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...statistics.intervals.proportions import clopper_pearson
from .captions import TITLE_LENGTH, score_with_interval, shortened
from .panels import REFERENCE_LINE, gridlines, legend, line_styles, thousands, unit_square
from .systems import PlottedSystem, common_labels, positive_label

_LEVEL = 0.95
_INTERVAL_LINE: Mapping[str, Any] = {"linewidth": 1, "alpha": 0.6}

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_calibration(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw the observed frequency over the predicted probability, and below it rows per bin."""
    labels, positive = common_labels(systems), positive_label(systems)
    figure.set_size_inches(5, 6.2 + 0.17 * len(systems))
    curve_panel, row_panel = figure.subplots(2, sharex=True, height_ratios=[1, 0.28])
    curve_panel.plot([0, 1], [0, 1], **REFERENCE_LINE)
    entries: list[tuple[str, Mapping[str, Any]]] = []
    rows: list[float] = []
    level = 0.0
    for name, style in line_styles(systems).items():
        scores, intervals = systems[name].result.scores, systems[name].result.confidence_interval
        bins = scores["calibration"]
        if not bins["rows"]:
            raise ValueError(f"system {name!r}: calibration needs probabilities, from 0 to 1")
        error = score_with_interval(scores["ece"], intervals["ece"])
        text = f"{shortened(name, TITLE_LENGTH)}: ECE {error}"
        curve_panel.plot(bins["predicted"], bins["observed"], label=text, **style)
        level_of_bins = systems[name].result.options.get("confidence_level") or _LEVEL
        bin_intervals = _bin_intervals(systems[name], level_of_bins)
        level = level_of_bins if bin_intervals else level
        for predicted, ends in zip(bins["predicted"], bin_intervals, strict=False):
            curve_panel.plot([predicted] * 2, ends, color=style["color"], **_INTERVAL_LINE)
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


def _bin_intervals(system: PlottedSystem, level: float) -> list[tuple[float, float]]:
    """Return the interval of the observed rate in each bin, by Clopper and Pearson.

    Empty if rows have weights or clusters, whose numbers the bins do not keep.
    """
    bins = system.result.scores["calibration"]
    if system.result.n_clusters or any(rows % 1 for rows in bins["rows"]):
        return []
    return [
        clopper_pearson(observed * rows, rows, level)
        for observed, rows in zip(bins["observed"], bins["rows"], strict=True)
    ]


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
