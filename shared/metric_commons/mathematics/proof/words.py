"""Answers that are words."""

import re

_SAME = (
    {"no solution", "no solutions"},
    {"dne", "does not exist", "undefined", "not defined"},
    {"diverges", "divergent", "diverge"},
    {"converges", "convergent", "converge"},
    {"none of these", "none of the above"},
    {"infinitely many", "infinitely many solutions"},
    {"all real numbers", "all reals", "any real number"},
    {"integers", "all integers", "any integer", "the integers", "the set of integers"},
)
_SYNONYMS = (
    {"no solution", "no solutions", "no real solution", "none", "empty set", "impossible"},
    {"dne", "does not exist", "undefined", "not defined", "no limit"},
    {"true", "yes", "correct"},
    {"false", "no", "incorrect"},
    {"infinity", "infinitely many", "infinite", "unbounded", "diverges"},
    {"all real numbers", "all reals", "real numbers", "any real number"},
)
_NUMBERS = {
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "twenty", "thirty", "hundred", "thousand", "million", "half", "none"),
}
_WORD = re.compile(r"[a-z']+")


def same_words(left: str, right: str) -> bool | None:
    """Return whether two texts in lower case say the same; None where they may.

    >>> same_words("circle", "circle"), same_words("parabola", "hyperbola")
    (True, False)
    >>> same_words("no solution", "no solutions"), same_words("no solution", "none")
    (True, None)
    """
    if left == right or any(left in words and right in words for words in _SAME):
        return True
    if sorted(left) == sorted(right) or not (left + right).isascii():  # CD and DC
        return None
    if left in right or right in left:
        return None
    if any(left in words and right in words for words in _SYNONYMS):
        return None
    words, other_words = set(_WORD.findall(left)), set(_WORD.findall(right))
    if words & other_words or (words | other_words) & _NUMBERS:
        return None
    stems, other_stems = ({word[:4] for word in part} for part in (words, other_words))
    is_short = min(len(left), len(right)) <= 4 and max(len(left), len(right)) > 4
    if stems & other_stems or (is_short and left[:1] == right[:1]):
        return None
    return None if len(words) > 3 or len(other_words) > 3 else False
