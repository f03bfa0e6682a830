"""The kinds of plots: the input of each one, the function that draws it, and the file written.

To add a kind, add its name to `Kind`, and its requirements to `PICTURES`.
"""

import io
import re
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ...module.catalog.usage import UsageError, extra

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .panels import PlottedSystem

Kind = Literal[
    "roc",
    "pr",
    "confusion",
    "calibration",
    "residuals",
    "forest",
]

# The metadata that a format writes by default, switched off: without dates, equal inputs give equal
# files.
_FORMATS: Mapping[str, Mapping[str, None]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
_STYLE: dict[Any, Any] = {
    "text.parse_math": False,  # a $ in a name is literal
    "font.size": 9,
    "pdf.fonttype": 42,  # TrueType outlines, which all printers and publishers accept
    "svg.hashsalt": "metric-commons",  # ids of elements are otherwise random
}

_INK = "#010203"  # in a picture on a page: the colour of the text around it
_COLORED = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
_EMBEDDED: dict[Any, Any] = {
    "svg.fonttype": "none",
    "savefig.transparent": True,
    **dict.fromkeys(_COLORED, _INK),
}
# What only a file needs: the source of its formats, its style, and names of standards.
_OF_FILES = re.compile(
    r"<metadata>.*?</metadata>|<style.*?</style>| xmlns(?::\w+)?=\"[^\"]*\"", re.DOTALL
)


class Picture(NamedTuple):
    """The file of the function that draws a kind of plot, and how its scores are computed."""

    file: str  # imported on use
    module: str
    fixed_options: Mapping[str, Any] = {}
    default_options: Mapping[str, Any] = {}
    confidence_level: float | None = 0.95  # default for the intervals beside scores


_MATRIX = {"confusion_matrix": True}  # also returns the labels
_CURVES = Picture("curve_plots", "classification", {"curves": True, "average": "none"})
# All but `forest`, which draws saved results.
PICTURES: Mapping[str, Picture] = {
    "roc": _CURVES,
    "pr": _CURVES,
    "confusion": Picture("label_plots", "classification", _MATRIX),
    "calibration": Picture("curve_plots", "classification", _MATRIX, {"calibration_bins": 10}),
    "residuals": Picture(
        "residual_plots",
        "regression",
        {"multioutput": "raw_values"},
        {"measures": ["mae", "rmse", "r2"]},
        None,  # intervals take long
    ),
}


def picture(path: Path, kind: Kind, systems: Mapping[str, "PlottedSystem"]) -> bytes:
    """Return a plot of the systems, as the bytes of a file of this name.

    Raises:
        ValueError: something to draw is undefined, or there is too much to draw.
    """
    file = import_module(f".{PICTURES[kind].file}", __package__)
    return render(path, partial(getattr(file, f"draw_{kind}"), systems=systems))


def check(path: Path) -> None:
    """Check that a file name has a known format, and that matplotlib is installed.

    Raises:
        UsageError: the file extension is not that of a picture format.
    """
    if path.suffix.lower() not in _FORMATS:
        raise UsageError(f"{path}: unknown picture format; a name ends in {', '.join(_FORMATS)}")
    with extra("plot"):
        import matplotlib.figure  # noqa: F401


def render(
    path: Path, draw: Callable[["Figure"], None], style: dict[Any, Any] | None = None
) -> bytes:
    """Return the content of a picture file of this name, drawn by `draw` on an empty figure."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    content = io.BytesIO()
    suffix = path.suffix.lower()
    with (
        rc_context(_STYLE | (style or {})),
        warnings.catch_warnings(action="ignore"),  # about characters missing from the font
    ):
        figure = Figure(layout="constrained")
        draw(figure)
        figure.savefig(
            content, format=suffix[1:], dpi=150, bbox_inches="tight", metadata={**_FORMATS[suffix]}
        )
    return content.getvalue()


def svg(draw: Callable[["Figure"], None]) -> str:
    """Return a picture as an element of a page, whose text has the colour of the text around it."""
    text = render(Path("picture.svg"), draw, _EMBEDDED).decode()
    element = _OF_FILES.sub("", text[text.index("<svg") :])
    return element.replace(_INK, "currentColor")
