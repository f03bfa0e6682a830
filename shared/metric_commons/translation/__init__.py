"""Scores of translations against references: BLEU, chrF and TER."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .character_ngrams import chrf_statistics
    from .ngram_precision import bleu_statistics
    from .translation_edit_rate import ter_statistics

__all__ = [
    "bleu_statistics",
    "chrf_statistics",
    "ter_statistics",
]

__getattr__ = resolver(
    __name__,
    {
        "bleu_statistics": "ngram_precision",
        "chrf_statistics": "character_ngrams",
        "ter_statistics": "translation_edit_rate",
    },
)
