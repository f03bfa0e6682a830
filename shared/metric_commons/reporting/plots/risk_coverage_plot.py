"""Risk against coverage: the error rate of the answers given, the most confident first."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...statistics.arguments.arrays import Floats
from .captions import TITLE_LENGTH, score_with_interval, shortened
from .curve_plots import thinned
from .panels import REFERENCE_LINE, grid, gridlines, label_axes, legend, line_styles
from .systems import PlottedSystem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STEPS = 50  # points of the curve within a level of equal confidences


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
        area = score_with_interval(
            system.result.scores["aurc"], system.result.confidence_interval.get("aurc")
        )
        entries.append((f"{shortened(name, TITLE_LENGTH)}: AURC {area}", styles[name]))
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
