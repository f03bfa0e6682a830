"""Spans by type: the F1 of each type with its interval, and confusions between types."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...labels.spans.spans import span_statistics, type_confusion, type_f1_intervals
from .captions import LABEL_LENGTH, TITLE_LENGTH, score_with_interval, shortened
from .confusion_plot import draw_cells, name_labels
from .panels import gridlines, legend, line_styles, title
from .systems import PlottedSystem

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAX_TYPES = 40  # more cannot be read
_MAX_SYSTEMS = 6
_NONE = "no span"


def draw_spans(figure: "Figure", systems: Mapping[str, PlottedSystem]) -> None:
    """Draw a panel with the F1 of all types, and for each system one of confusions of types."""
    if len(systems) > _MAX_SYSTEMS:
        raise ValueError(f"there are {len(systems)} systems to draw, but room for {_MAX_SYSTEMS}")
    confusions = {
        name: type_confusion(
            system.predictions,
            system.references,
            **{option: system.result.options[option] for option in ("scheme", "suffix")},
        )
        for name, system in systems.items()
    }
    types = sorted({kind for kinds, _ in confusions.values() for kind in kinds})
    if not types:
        raise ValueError("there are no spans to draw")
    if len(types) > _MAX_TYPES:
        raise ValueError(f"there are {len(types)} types to draw, but room for {_MAX_TYPES}")
    side = max(0.52 * (len(types) + 1), 2.2)  # inches
    margin = 0.075 * min(max(map(len, (*types, _NONE))), LABEL_LENGTH)
    widths = [3.4 + margin, *[side + margin + 0.4] * len(systems)]
    figure.set_size_inches(sum(widths) + 0.6, side + margin + 1.3)
    scores, *panels = figure.subplots(1, len(widths), width_ratios=widths, squeeze=False)[0]
    _draw_scores(scores, systems, types)
    for panel, (name, confusion) in zip(panels, confusions.items(), strict=True):
        _draw_confusion(panel, *confusion, cell=side / (len(types) + 1))
        title(panel, f"{shortened(name, TITLE_LENGTH)}\n{_score(systems[name])}")
    if len(systems) > 1:
        styles = line_styles(systems)
        legend(
            figure,
            [
                (shortened(name, LABEL_LENGTH), style | {"linestyle": "none"})
                for name, style in styles.items()
            ],
        )


def _score(system: PlottedSystem) -> str:
    """Return the F1 of all spans, with its interval."""
    result = system.result
    return f"F1 {score_with_interval(result.scores['f1'], result.confidence_interval.get('f1'))}"


def _draw_scores(panel: "Axes", systems: Mapping[str, PlottedSystem], types: Sequence[str]) -> None:
    """Draw the F1 of each type for each system, as a point with its interval."""
    styles = line_styles(systems)
    shifts = (np.arange(len(systems)) - (len(systems) - 1) / 2) * 0.7 / max(len(systems), 2)
    for shift, (name, system) in zip(shifts, systems.items(), strict=True):
        for kind, low, f1, high in _type_scores(system):
            height = types.index(kind) + shift
            style = {key: styles[name][key] for key in ("color", "marker", "markersize")}
            panel.plot([low, high], [height, height], color=style["color"], linewidth=1.5)
            panel.plot([f1], [height], linestyle="none", **style)
    support = next(iter(systems.values())).result.scores["per_type"]
    names = [
        f"{shortened(kind, LABEL_LENGTH)} ({support.get(kind, {}).get('number', 0)})"
        for kind in types
    ]
    panel.set_yticks(range(len(types)), names)
    panel.set(xlim=(-0.02, 1.02), ylim=(len(types) - 0.5, -0.5), xlabel="F1")
    panel.set_ylabel("type (true spans)")
    gridlines(panel)
    title(panel, "types")


def _type_scores(system: PlottedSystem) -> list[tuple[str, float, float, float]]:
    """Return each type with its F1 between the ends of the interval."""
    options = system.result.options
    reading = {key: options[key] for key in ("scheme", "suffix", "match", "zero_division")}
    rows = span_statistics(system.predictions, system.references, **reading)
    drawing = {"n_resamples": 2_000, "seed": options.get("seed", 0)}
    level = options.get("confidence_level", 0.95)
    intervals = type_f1_intervals(rows, confidence_level=level, **drawing)
    per_type: Mapping[str, Any] = system.result.scores["per_type"]
    return [
        (kind, intervals[kind].low, scores["f1"], intervals[kind].high)
        for kind, scores in per_type.items()
    ]


def _draw_confusion(
    panel: "Axes", types: Sequence[str], matrix: Sequence[Sequence[int]], *, cell: float
) -> None:
    """Draw spans by true and predicted type; the last row and column are for one side alone."""
    draw_cells(panel, matrix, 7 if len(types) > 10 else 8)
    name_labels(panel, [*types, _NONE], 9 if len(types) <= 20 else 7, cell)
    panel.set(xlabel="predicted type, same boundaries", ylabel="true type")
