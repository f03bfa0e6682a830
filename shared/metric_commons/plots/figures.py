"""Figures as files: the formats, the style, and the way from a drawing to bytes."""

import io
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..catalog.usage import UsageError, extra

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The metadata that a format writes by itself, switched off: without dates the same input gives the
# same file.
_FORMATS: Mapping[str, Mapping[str, None]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
_STYLE: dict[Any, Any] = {
    "text.parse_math": False,  # a $ in a name is a $
    "font.size": 9,
    "pdf.fonttype": 42,  # TrueType outlines, which every printer and publisher takes
    "svg.hashsalt": "metric-commons",  # ids of elements are otherwise random
}


def check(path: Path) -> None:
    """Refuse a file name that stands for no format, and say what to install if matplotlib lacks.

    Raises:
        UsageError: the name ends otherwise than those of pictures.
    """
    if path.suffix.lower() not in _FORMATS:
        raise UsageError(f"{path}: unknown kind of picture; a name ends in {', '.join(_FORMATS)}")
    with extra("plot"):
        import matplotlib.figure  # noqa: F401


def render(path: Path, draw: Callable[["Figure"], None]) -> bytes:
    """The content of a file of this name, with what `draw` draws on an empty figure."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    content = io.BytesIO()
    suffix = path.suffix.lower()
    with (
        rc_context(_STYLE),
        warnings.catch_warnings(action="ignore"),  # about characters that the font lacks
    ):
        figure = Figure(layout="constrained")
        draw(figure)
        figure.savefig(
            content, format=suffix[1:], dpi=150, bbox_inches="tight", metadata={**_FORMATS[suffix]}
        )
    return content.getvalue()
