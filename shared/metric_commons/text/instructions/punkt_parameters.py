"""Punkt's knowledge of English: abbreviations, collocations, starters, letter cases of words.

NLTK counts in which of six contexts it saw a word: in upper or lower case, at the beginning of a
sentence, within one, or unknown. Its decisions depend on three facts that follow from these counts.
Only these are kept, and words without any of them are omitted.
"""

import bz2
import re
from base64 import b85decode
from functools import cache
from typing import NamedTuple

from .punkt_english import ABBREVIATIONS, COLLOCATIONS, FLAGS, STARTERS, WORDS

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
    lines = bz2.decompress(b85decode(WORDS.replace("\n", ""))).decode("ascii").split("\n")
    return Parameters(
        abbreviations=frozenset(word.replace("_", " ") for word in ABBREVIATIONS.split()),
        collocations=frozenset(
            (before, after)
            for before, _, after in (pair.partition(":") for pair in COLLOCATIONS.split())
        ),
        starters=frozenset(STARTERS.split()),
        flags={
            word: flags
            for flags, line in zip(FLAGS, lines, strict=True)
            for word in _whole_words(line)
        },
    )


def _whole_words(line: str) -> list[str]:
    """Sorted words, each written as the length of its prefix in the previous one, and the rest.

    >>> _whole_words("AabaloneCilityGies")
    ['abalone', 'ability', 'abilities']
    """
    words = [""]
    for shared, rest in re.findall("([A-P])([^A-P]*)", line):
        words.append(words[-1][: ord(shared) - ord("A")] + rest)
    return words[1:]
