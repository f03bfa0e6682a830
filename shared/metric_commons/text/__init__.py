"""Texts: answers, generated text, transcripts, and what is read from them."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .answers.answers import contained, exact_match, token_f1
    from .extraction.extraction import extract_answers
    from .instructions.instruction_rows import instruction_statistics
    from .rouge_overlaps.rouge_scores import rouge
    from .tokens.normalizers import Normalizer
    from .transcripts.edit_rate import error_alignments, error_statistics
    from .translation.character_ngrams import chrf_statistics
    from .translation.ngram_precision import bleu_statistics
    from .translation.translation_edit_rate import ter_statistics

__all__ = [
    "Normalizer",
    "bleu_statistics",
    "chrf_statistics",
    "contained",
    "error_alignments",
    "error_statistics",
    "exact_match",
    "extract_answers",
    "instruction_statistics",
    "rouge",
    "ter_statistics",
    "token_f1",
]

__getattr__ = resolver(
    __name__,
    {
        "Normalizer": "tokens.normalizers",
        "bleu_statistics": "translation.ngram_precision",
        "chrf_statistics": "translation.character_ngrams",
        "contained": "answers.answers",
        "error_alignments": "transcripts.edit_rate",
        "error_statistics": "transcripts.edit_rate",
        "exact_match": "answers.answers",
        "extract_answers": "extraction.extraction",
        "instruction_statistics": "instructions.instruction_rows",
        "rouge": "rouge_overlaps.rouge_scores",
        "ter_statistics": "translation.translation_edit_rate",
        "token_f1": "answers.answers",
    },
)
