"""Mathematical answers: read, and proved equal or different."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .proof.backends import equivalence_scores
    from .proof.equivalence import equivalent

__all__ = [
    "equivalence_scores",
    "equivalent",
]

__getattr__ = resolver(
    __name__,
    {
        "equivalence_scores": "proof.backends",
        "equivalent": "proof.equivalence",
    },
)
