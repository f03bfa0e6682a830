"""Texts compared with reference texts: exact match, token F1, containment and ROUGE."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .answers import answer_pairs, contained, exact_match, token_f1
    from .normalizers import NORMALIZERS
    from .rouge_scores import rouge

__all__ = ["NORMALIZERS", "answer_pairs", "contained", "exact_match", "rouge", "token_f1"]

__getattr__ = resolver(
    __name__,
    {
        "NORMALIZERS": "normalizers",
        "answer_pairs": "answers",
        "contained": "answers",
        "exact_match": "answers",
        "rouge": "rouge_scores",
        "token_f1": "answers",
    },
)
