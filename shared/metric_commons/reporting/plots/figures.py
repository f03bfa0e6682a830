"""Write figures to files: the formats, the style, and the conversion of a drawing to bytes."""

import io
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...module.catalog.usage import UsageError, extra

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def check(path: Path) -> None:
    """Check that a file name has a known format, and that matplotlib is installed.

    Raises:
        UsageError: the file extension is not that of a picture format.
    """
    if path.suffix.lower() not in _FORMATS:
        raise UsageError(f"{path}: unknown picture format; a name ends in {', '.join(_FORMATS)}")
    with extra("plot"):
        import matplotlib.figure  # noqa: F401


def render(path: Path, draw: Callable[["Figure"], None]) -> bytes:
    """Return the content of a picture file of this name, drawn by `draw` on an empty figure."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    content = io.BytesIO()
    suffix = path.suffix.lower()
    with (
        rc_context(_STYLE),
        warnings.catch_warnings(action="ignore"),  # about characters missing from the font
    ):
        figure = Figure(layout="constrained")
        draw(figure)
        figure.savefig(
            content, format=suffix[1:], dpi=150, bbox_inches="tight", metadata={**_FORMATS[suffix]}
        )
    return content.getvalue()
