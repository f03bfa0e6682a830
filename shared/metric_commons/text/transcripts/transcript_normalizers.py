"""Normalizers of transcripts: those of answers, jiwer's, Whisper's, and a leaderboard's."""

import re
from collections.abc import Callable
from typing import Annotated

from ...statistics.arguments.checks import check_choice
from ...statistics.arguments.domains import OneOf
from ..tokens.normalizers import NORMALIZERS, checked_function
from .open_asr_texts import open_asr
from .whisper_texts import whisper_basic, whisper_english, without_brackets

_WHITE_SPACE = re.compile(r"\s\s+")
_ASCII_SPACE = str.maketrans(dict.fromkeys("\t\n\r\x0b\x0c", " "))
_CONTRACTIONS = (
    *(("won't", "will not"), ("can't", "can not"), ("let's", "let us")),
    *(("n't", " not"), ("'re", " are"), ("'s", " is"), ("'d", " would")),
    *(("'ll", " will"), ("'t", " not"), ("'ve", " have"), ("'m", " am")),
)


def jiwer_standardize(text: str) -> str:
    r"""Return the text after jiwer's `wer_standardize`.

    It is lower-cased, common English contractions are expanded, non-words such as <unk> and [laugh]
    are removed, and white space is normalized.

    >>> jiwer_standardize("I can't <unk> HEAR\tyou")
    'i can not hear you'
    """
    text = text.lower()
    for contraction, words in _CONTRACTIONS:
        text = text.replace(contraction, words)
    return _WHITE_SPACE.sub(" ", without_brackets(text).translate(_ASCII_SPACE)).strip()


TRANSCRIPT_NORMALIZERS: dict[str, Callable[[str], str]] = {
    "none": str,
    "jiwer_standardize": jiwer_standardize,
    "whisper_english": whisper_english,
    "whisper_basic": whisper_basic,
    "open_asr": open_asr,
    **{name: function for name, function in NORMALIZERS.items() if name != "none"},
}
"""The normalizers by name; each is a function from a text to the normalized text."""

TranscriptNormalizer = Annotated[str, OneOf(TRANSCRIPT_NORMALIZERS)] | Callable[[str], str]
"""A name in `TRANSCRIPT_NORMALIZERS`, or a function on str."""


def transcript_normalizer(normalizer: TranscriptNormalizer) -> Callable[[str], str]:
    """Return the function for a name, or the caller's own function, whose results are checked.

    >>> transcript_normalizer("whisper_english")("Twenty-one colours")
    '21 colors'
    """
    if callable(normalizer):
        return checked_function(normalizer)
    check_choice("normalizer", normalizer, TRANSCRIPT_NORMALIZERS)
    return TRANSCRIPT_NORMALIZERS[normalizer]
