"""Results of `evaluate`'s modules `wer` and `cer`: a number each, not a dictionary."""

from ...statistics.arguments.shapes import TextRows
from .edit_rate import error_statistics


def wer(*, predictions: TextRows, references: TextRows, concatenate_texts: bool = False) -> float:
    """Return the errors of all texts per word of the references.

    With current versions of jiwer, `concatenate_texts` does not change the rate.

    >>> wer(predictions=["the cat sat"], references=["the cat"])
    0.5
    """
    return float(error_statistics(predictions, references).result()["wer"])


def cer(*, predictions: TextRows, references: TextRows, concatenate_texts: bool = False) -> float:
    """Return the errors of all texts per character of the references; see `wer`."""
    return float(error_statistics(predictions, references, unit="character").result()["cer"])
