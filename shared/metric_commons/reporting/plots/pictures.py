"""The kinds of plots: the input of each one, and the function that draws it.

To add a kind, add its name to `Kind`, and its requirements to `PICTURES`.
"""

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .figures import render

if TYPE_CHECKING:
    from .systems import PlottedSystem

Kind = Literal[
    "roc",
    "pr",
    "confusion",
    "calibration",
    "residuals",
    "actual",
    "risk_coverage",
    "spans",
    "paths",
]

_LEVEL = 0.95  # for intervals that are quick to compute


class Picture(NamedTuple):
    """The function that draws a kind of plot, and how its scores are computed."""

    draw: str  # file and function, imported on use
    module: str
    fixed_options: Mapping[str, Any] = {}
    default_options: Mapping[str, Any] = {}
    confidence_level: float | None = None  # default for the intervals beside scores


_MATRIX = {"confusion_matrix": True}  # also returns the labels
_CURVE_OPTIONS = {"curves": True, "average": "none"}
_RESIDUAL_OPTIONS: tuple[Mapping[str, Any], Mapping[str, Any]] = (
    {"multioutput": "raw_values"},
    {"measures": ["mae", "rmse", "r2"]},
)
PICTURES: Mapping[Kind, Picture] = {
    "roc": Picture("curve_plots.draw_roc", "classification", _CURVE_OPTIONS, {}, _LEVEL),
    "pr": Picture("curve_plots.draw_pr", "classification", _CURVE_OPTIONS, {}, _LEVEL),
    "confusion": Picture("confusion_plot.draw_confusion", "classification", _MATRIX, {}, _LEVEL),
    "calibration": Picture(
        "calibration_plot.draw_calibration",
        "classification",
        _MATRIX,
        {"calibration_bins": 10},
        _LEVEL,
    ),
    "residuals": Picture("residual_plots.draw_residuals", "regression", *_RESIDUAL_OPTIONS),
    "actual": Picture("residual_plots.draw_actual", "regression", *_RESIDUAL_OPTIONS),
    "risk_coverage": Picture(
        "risk_coverage_plot.draw_risk_coverage", "selective_answering", {"curve": True}, {}, _LEVEL
    ),
    "spans": Picture("span_plot.draw_spans", "span_f1", {}, {}, _LEVEL),
    "paths": Picture("path_plot.draw_paths", "json_match", {"by_path": True}, {}, _LEVEL),
}


def picture(path: Path, kind: Kind, systems: Mapping[str, "PlottedSystem"]) -> bytes:
    """Return a plot of the systems, as the bytes of a file of this name.

    Raises:
        ValueError: something to draw is undefined, or there is too much to draw.
    """
    file, _, function = PICTURES[kind].draw.partition(".")
    draw = getattr(import_module(f".{file}", __package__), function)
    return render(path, partial(draw, systems=systems))
