"""The risk of answers over the share of them that is given, the most confident first."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..numbers.arrays import Floats
from .captions import TITLE_LENGTH, score_with_interval, shortened
from .curve_plots import thinned
from .panels import REFERENCE_LINE, grid, gridlines, label_axes, legend, line_styles
from .systems import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STEPS = 50  # of the bend inside a level of equal confidences


def draw_risk_coverage(figure: "Figure", systems: Mapping[str, System]) -> None:
    """The curves of all systems, and the risk of each if confidence said nothing."""
    (panel,) = grid(figure, 1, width=4.6, height=4.0)
    styles = line_styles(systems, marker_spacing=0.12)
    entries = []
    greatest = 0.0
    for name, system in systems.items():
        points = system.result.scores.get("risk_coverage", {})
        if not points.get("coverage"):
            raise ValueError(f"system {name!r} has no answers with a confidence, so no curve")
        coverage, risk = risk_line(points["coverage"], points["risk"])
        panel.plot(*thinned(coverage, risk), **styles[name], label=name)
        panel.plot([0, 1], [risk[-1]] * 2, **REFERENCE_LINE)
        greatest = max(greatest, float(risk.max()))
        area = score_with_interval(
            system.result.scores["aurc"], system.result.confidence_interval.get("aurc")
        )
        entries.append((f"{shortened(name, TITLE_LENGTH)}: AURC {area}", styles[name]))
    panel.set(xlim=(-0.02, 1.02), ylim=(-0.02 * greatest, 1.05 * greatest or 1))
    gridlines(panel)
    label_axes([panel], "coverage (answers given)", "risk (share of them that is wrong)")
    legend(figure, [*entries, ("without confidence", REFERENCE_LINE)])


def risk_line(coverage: Sequence[float], risk: Sequence[float]) -> tuple[Floats, Floats]:
    """The expected risk at each coverage, from that where each level of confidence ends.

    Inside a level the errors grow evenly, so that the risk bends: errors divided by answers. In
    the first level it is the same everywhere, down to no coverage at all.

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
