"""Mathematical answers in LaTeX or plain text, compared by what they mean."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .backends import equivalence_scores
    from .equivalence import equivalent

__all__ = ["equivalence_scores", "equivalent"]

__getattr__ = resolver(__name__, {"equivalence_scores": "backends", "equivalent": "equivalence"})
