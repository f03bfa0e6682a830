"""Texts compared with reference texts: answers, summaries, translations and transcripts."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from ..numbers.ratios import PrecisionRecallF1
    from .answers import answer_pairs, contained, exact_match, token_f1
    from .character_ngrams import chrf_statistics
    from .edit_rate import error_alignments, error_statistics
    from .extraction import extract_answers
    from .extraction_steps import STEPS
    from .ngram_precision import bleu_statistics
    from .normalizers import NORMALIZERS, Normalizer
    from .rouge_scores import rouge
    from .translation_edit_rate import ter_statistics

__all__ = [
    "NORMALIZERS",
    "STEPS",
    "Normalizer",
    "PrecisionRecallF1",
    "answer_pairs",
    "bleu_statistics",
    "chrf_statistics",
    "contained",
    "error_alignments",
    "error_statistics",
    "exact_match",
    "extract_answers",
    "rouge",
    "ter_statistics",
    "token_f1",
]

__getattr__ = resolver(
    __name__,
    {
        "NORMALIZERS": "normalizers",
        "STEPS": "extraction_steps",
        "Normalizer": "normalizers",
        "PrecisionRecallF1": ".numbers.ratios",
        "answer_pairs": "answers",
        "bleu_statistics": "ngram_precision",
        "chrf_statistics": "character_ngrams",
        "contained": "answers",
        "error_alignments": "edit_rate",
        "error_statistics": "edit_rate",
        "exact_match": "answers",
        "extract_answers": "extraction",
        "rouge": "rouge_scores",
        "ter_statistics": "translation_edit_rate",
        "token_f1": "answers",
    },
)
