"""Sentences of English text, split as NLTK's Punkt does up to version 3.9.

A sentence may end at a full stop, a question mark or an exclamation mark that is followed by white
space or closing punctuation. Whether it does depends on the token with the mark and the token
after it: on abbreviations, initials, numbers and ellipses, and on how a word is usually written.
From 3.10 on NLTK has other rules for curly quotes; it finds the same number of sentences in all
published responses of GPT-4 to IFEval.

NLTK counts in which of six contexts it saw a word: in upper or lower case, at the beginning of a
sentence, within one, or unknown. Its decisions depend on three facts that follow from these counts.
Only these are kept, and words without any of them are omitted.
"""

import bz2
import re
from base64 import b85decode
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from .punkt_english import ABBREVIATIONS, COLLOCATIONS, FLAGS, STARTERS, WORDS

# Punctuation that ends a token, and marks of several characters.
_CLOSING = r"[)\";}\]\*:@\'\({\[?!]"
_SEVERAL = r"(?:\-{2,}|\.{2,}|(?:\.\s){2,}\.)"

_TOKEN = re.compile(
    rf"{_SEVERAL}|(?=[^\(\"\`{{\[:;&\#\*@\)}}\]\-,])\S+?"
    rf"(?=\s|$|{_CLOSING}|{_SEVERAL}|,(?=$|\s|{_CLOSING}|{_SEVERAL}))|\S"
)
_MARK = re.compile(rf"[.?!](?=(?P<after>{_CLOSING}|\s+(?P<next>\S+)))")
_CLOSING_RUN = re.compile(r"[\"\')\]}]+?(?:\s+|(?=--)|$)", re.MULTILINE)
_NUMBER = re.compile(r"-?[.,]?\d[\d,.-]*\.?")
_INITIAL = re.compile(r"[^\W\d]\.")
_ELLIPSIS = re.compile(r"\.\.+")


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """Return where each sentence starts and ends, without the white space between sentences.

    >>> text = "Mr. Ash paid $3.50 (at 5 p.m. sharp). 'Really?' she asked."
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Mr. Ash paid $3.50 (at 5 p.m. sharp).', "'Really?'", 'she asked.']
    """
    shift = 0
    spans = _unaligned_spans(text)
    start, end = next(spans)
    for next_start, next_end in spans:
        start += shift
        # Closing quotes and brackets at the start of a sentence belong to the one before.
        closing = _CLOSING_RUN.match(text, next_start, next_end)
        shift = closing.end() - next_start if closing else 0
        if closing:
            yield start, next_start + len(closing[0].rstrip())
        elif start < end:
            yield start, end
        start, end = next_start, next_end
    if start + shift < end:
        yield start + shift, end


def sentence_count(text: str) -> int:
    """Return the number of sentences.

    >>> sentence_count("One. Two? Three!"), sentence_count("See p. 5 of it"), sentence_count(" ")
    (3, 1, 0)
    """
    return sum(1 for _ in sentence_spans(text))


def _unaligned_spans(text: str) -> Iterator[tuple[int, int]]:
    """Return the spans from mark to mark: at least one; the last may be empty."""
    start = 0
    for mark, context in _contexts(text):
        tokens = [token for line in context.split("\n") for token in _TOKEN.findall(line)]
        if any(map(_ends_sentence, tokens, tokens[1:])):  # before the last token
            yield start, mark.end()
            start = mark.start("next") if mark["next"] else mark.end()
    yield start, len(text.rstrip())


def _contexts(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the marks that may end a sentence, each with the word before it and the text after it.

    The context of a mark starts after the last white space before it. If the contexts of marks
    overlap, only the last mark counts.
    """
    start = previous = 0
    last: re.Match[str] | None = None
    for mark in _MARK.finditer(text):
        gap = text[previous : mark.start()]
        space = max(map(gap.rfind, " \t\n\r\v\f"))
        # NLTK treats white space at position 0 as missing.
        word_start = previous + space + 1 if space > 0 else start
        if last is not None and previous <= word_start:
            yield last, f"{text[start:previous]}{last[0]}{last['after']}"
        last, start, previous = mark, word_start, mark.start()
    if last is not None:
        yield last, f"{text[start:previous]}{last[0]}{last['after']}"


def _ends_sentence(token: str, following: str) -> bool:
    if token in ("?", "!"):
        return True
    if not token.endswith("."):
        return False
    parameters = english()
    is_ellipsis = _ELLIPSIS.fullmatch(token) is not None
    is_abbreviation = _is_abbreviation(token)
    ends = token == "." or not (is_ellipsis or is_abbreviation or token.endswith(".."))
    word = _without_stop(_word_type(token))
    next_word = _word_type(following)
    keeps_stop = following.endswith("..") or _is_abbreviation(following)
    if following in (".", "?", "!") or (following.endswith(".") and not keeps_stop):
        next_word = _without_stop(next_word)
    if (word, next_word) in parameters.collocations:
        return False
    is_initial = _INITIAL.fullmatch(token) is not None
    is_number = word == "##number##"
    if not (is_abbreviation or is_ellipsis or is_initial or is_number):
        return ends
    flags = parameters.flags.get(next_word, 0)
    starts = _starts_sentence(following, flags)
    is_upper = following[0].isupper()
    may_start = starts or (is_upper and next_word in parameters.starters)
    if may_start and (is_abbreviation or is_ellipsis) and not is_initial:
        return True
    if is_initial or is_number:
        if starts is False:
            return False
        if starts is None and is_initial and is_upper and not flags & SEEN_LOWER:
            return False
    return ends


def _starts_sentence(token: str, flags: int) -> bool | None:
    """Return whether a token starts a sentence, by its letter case; None if that is unknown."""
    if token in (";", ":", ",", ".", "!", "?"):
        return False
    if token[0].isupper() and flags & UPPER_STARTS:
        return True
    if token[0].islower() and not flags & LOWER_MAY_START:
        return False
    return None


def _is_abbreviation(token: str) -> bool:
    """Return whether the token, or its part after the last hyphen, is abbreviated with a dot."""
    if not token.endswith(".") or token.endswith("..") or token == ".":
        return False
    word = token[:-1].lower()
    abbreviations = english().abbreviations
    return word in abbreviations or word.rpartition("-")[2] in abbreviations


def _word_type(token: str) -> str:
    word = token.lower()
    return "##number##" if _NUMBER.fullmatch(word) else word


def _without_stop(word: str) -> str:
    return word[:-1] if len(word) > 1 and word.endswith(".") else word


# Facts about a word; the flags of a word are their sum.
UPPER_STARTS = 1  # it was seen in lower case, and in upper case only where sentences begin
LOWER_MAY_START = 2  # it was seen in lower case at the beginning of a sentence, never in upper case
SEEN_LOWER = 4  # it was seen in lower case


class Parameters(NamedTuple):
    """Words are in lower case; numbers are written as ##number##."""

    abbreviations: frozenset[str]  # without the last full stop
    collocations: frozenset[tuple[str, str]]  # pairs around a full stop within a sentence
    starters: frozenset[str]  # words that often begin a sentence
    flags: dict[str, int]  # by word


@cache
def english() -> Parameters:
    """Return the parameters, unpacked.

    >>> parameters = english()
    >>> "dr" in parameters.abbreviations, ("##number##", "who") in parameters.collocations
    (True, True)
    >>> parameters.flags["the"] == SEEN_LOWER
    True
    """
    return Parameters(
        abbreviations=frozenset(word.replace("_", " ") for word in ABBREVIATIONS.split()),
        collocations=frozenset(
            (before, after)
            for before, _, after in (pair.partition(":") for pair in COLLOCATIONS.split())
        ),
        starters=frozenset(STARTERS.split()),
        flags=dict(_flagged_words(bz2.decompress(b85decode(WORDS.replace("\n", ""))).decode())),
    )


def _flagged_words(packed: str) -> Iterator[tuple[str, int]]:
    """Return sorted words with their flags, packed as `punkt_english` describes.

    >>> list(_flagged_words("AabaloneFility!Bies!!"))
    [('abalone', 5), ('ability', 4), ('abilities', 7)]
    """
    word = ""
    for dropped, rest, marks in re.findall("([A-Z])([^A-Z!]*)(!*)", packed):
        word = word[: len(word) - ord(dropped) + ord("A")] + rest
        yield word, FLAGS[len(marks)]
