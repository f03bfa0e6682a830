"""Checks of words and letters that a response has to contain, or must not contain.

IFEval's own checks treat a keyword as a regular expression: "art" occurs in "start", and "C++" in
"C". The corrected checks search for the literal words, and only for whole words.
"""

import re

from .instruction_arguments import Character, Number, Relation, Text, Texts, fulfills
from .responses import Check


def contains_patterns(keywords: Texts) -> Check:
    """IFEval: each keyword, as a regular expression, occurs somewhere."""
    return _contains_all([re.compile(keyword, re.IGNORECASE) for keyword in keywords])


def contains_words(keywords: Texts) -> Check:
    """Corrected: each keyword occurs as a whole word."""
    return _contains_all(list(map(_whole_word, keywords)))


def repeats_pattern(keyword: Text, frequency: Number, relation: Relation) -> Check:
    """IFEval: the number of matches of the keyword, as a regular expression."""
    return _repeats(re.compile(keyword.strip(), re.IGNORECASE), frequency, relation)


def repeats_word(keyword: Text, frequency: Number, relation: Relation) -> Check:
    """Corrected: the number of times that the keyword occurs as a whole word."""
    return _repeats(_whole_word(keyword.strip()), frequency, relation)


def avoids_patterns(forbidden_words: Texts) -> Check:
    r"""IFEval: no word occurs, as a regular expression between two `\b`; "C#" is never found."""
    return _avoids_all([re.compile(rf"\b{word}\b", re.IGNORECASE) for word in forbidden_words])


def avoids_words(forbidden_words: Texts) -> Check:
    """Corrected: no word occurs as a whole word."""
    return _avoids_all(list(map(_whole_word, forbidden_words)))


def repeats_letter(letter: Character, let_frequency: Number, let_relation: Relation) -> Check:
    """Return the number of times that a letter or another character occurs, in either case.

    A letter that has two characters in lower case, such as İ, is not found.
    """
    lower = letter.strip().lower()

    if len(lower) > 1:
        return lambda response: fulfills(0, let_frequency, let_relation)
    return lambda response: fulfills(
        response.text.lower().count(lower), let_frequency, let_relation
    )


def _whole_word(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)


def _contains_all(patterns: list[re.Pattern[str]]) -> Check:
    return lambda response: all(pattern.search(response.text) for pattern in patterns)


def _avoids_all(patterns: list[re.Pattern[str]]) -> Check:
    return lambda response: not any(pattern.search(response.text) for pattern in patterns)


def _repeats(pattern: re.Pattern[str], frequency: float, relation: Relation) -> Check:
    return lambda response: fulfills(len(pattern.findall(response.text)), frequency, relation)
