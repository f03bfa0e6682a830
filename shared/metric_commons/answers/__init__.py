"""Comparing short answers with accepted answers: exact match, token F1, containment."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from ..numbers.ratios import PrecisionRecallF1
    from .answers import answer_pairs, contained, exact_match, token_f1

__all__ = [
    "PrecisionRecallF1",
    "answer_pairs",
    "contained",
    "exact_match",
    "token_f1",
]

__getattr__ = resolver(
    __name__,
    {
        "PrecisionRecallF1": ".numbers.ratios",
        "answer_pairs": "answers",
        "contained": "answers",
        "exact_match": "answers",
        "token_f1": "answers",
    },
)
