"""Mathematical answers in LaTeX or plain text, compared by what they mean."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .equivalence import equivalent

__all__ = ["equivalent"]

__getattr__ = resolver(__name__, {"equivalent": "equivalence"})
