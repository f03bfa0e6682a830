"""Text normalizers: what each community does to texts before comparing them.

Each returns exactly what its community's function returns, for every string. A normalizer is
defined as a function from text to text. Those that work byte by byte on ordinary text also have a
byte rule, which extracts the words of many texts at once, with equal results.
"""

import math
import re
import string
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated

from ...statistics.arguments.checks import check_choice
from ...statistics.arguments.domains import OneOf
from .languages import (
    cmrc,
    cmrc_tokens,
    korquad,
    korquad_characters,
    mlqa_ar,
    mlqa_de,
    mlqa_en,
    mlqa_es,
    mlqa_hi,
    mlqa_vi,
    mlqa_zh,
)
from .tokens import Tokens, byte_rule, tokenize

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_FINAL_DOT = re.compile(r"\.$")  # also matches before a final line break
_HYPHEN_OR_SPACE = re.compile("[ -]")
_DELETE_PUNCTUATION = str.maketrans("", "", string.punctuation)
_QUOTES = "‘’´`"
_BLANK_PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation + _QUOTES, " "))
_TRUTH_VALUES = {"True": "yes", "False": "no"}


def squeeze(text: str) -> str:
    """Return the words of a text, joined by single spaces."""
    return " ".join(text.split())


def squad(text: str) -> str:
    """Lower-case, without ASCII punctuation and articles, and with normalized white space.

    As in the SQuAD script, punctuation is removed first, so "the-end" becomes one word and keeps
    its article.

    >>> squad("The  Eiffel Tower!"), squad("the-end")
    ('eiffel tower', 'theend')
    """
    return squeeze(_ARTICLES.sub(" ", text.lower().translate(_DELETE_PUNCTUATION)))


def triviaqa(text: str) -> str:
    """As in the TriviaQA script: punctuation, four quotation marks and `_` become spaces.

    >>> triviaqa("the-end"), triviaqa("J.K. Rowling’s")
    ('end', 'j k rowling s')
    """
    return squeeze(_ARTICLES.sub(" ", _with_blanked_punctuation(text)))


def ultrarag(text: str) -> str:
    """As in UltraRAG: `triviaqa`, except that exactly True or False becomes yes or no.

    >>> ultrarag("True"), ultrarag("true")
    ('yes', 'true')
    """
    return triviaqa(_TRUTH_VALUES.get(text, text))


def ultrarag_keep_articles(text: str) -> str:
    """As in later versions of UltraRAG: a text consisting only of articles keeps them.

    >>> ultrarag("A"), ultrarag_keep_articles("A"), ultrarag_keep_articles("A cat")
    ('', 'a', 'cat')
    """
    return ultrarag(text) or squeeze(_with_blanked_punctuation(_TRUTH_VALUES.get(text, text)))


def drop(text: str) -> str:
    """As in the DROP script: words are split at spaces and hyphens; numbers become floats.

    A word that is not a number may become one once its punctuation is removed: 21.0% becomes 210.

    >>> drop("The 1,000-year-old 21"), drop("21.0%")
    ('1000.0 year old 21.0', '210.0')
    """
    words = map(_normalized_drop_word, _HYPHEN_OR_SPACE.split(text))
    return " ".join(filter(None, words))


def lower(text: str) -> str:
    """Lower-case, with normalized white space.

    >>> lower("The  Eiffel Tower!")
    'the eiffel tower!'
    """
    return squeeze(text.lower())


def strip_lower(text: str) -> str:
    """Lower-case, without leading and trailing white space, as OLMES does for its recall.

    >>> strip_lower("  New  York ")
    'new  york'
    """
    return text.strip().lower()


def gsm8k(text: str) -> str:
    """As lm-eval compares GSM8K answers: the text after "#### ", without commas, `$` and final dot.

    >>> gsm8k("It is 13 * 80 = 1,040 #### 1,040"), gsm8k("$29.00"), gsm8k("18.")
    ('1040', '29.00', '18')
    """
    text = text.replace(",", "").replace("$", "").rpartition("#### ")[2]
    return _FINAL_DOT.sub("", text).lower()


def inspect_ai(text: str) -> str:
    """As in inspect_ai's `f1` and `exact`: DROP's rule with case folded, for finite numbers.

    Punctuation around a number does not hide it.

    >>> inspect_ai("The Straße, (3.14)."), inspect_ai("21.0%"), inspect_ai("nan")
    ('strasse 3.14', '21.0', 'nan')
    """
    words = map(_normalized_inspect_word, _HYPHEN_OR_SPACE.split(text))
    return " ".join(filter(None, words))


def _with_blanked_punctuation(text: str) -> str:
    """Return the lower-case text, with spaces in place of punctuation."""
    return text.replace("_", " ").lower().translate(_BLANK_PUNCTUATION)


def _normalized_drop_word(word: str) -> str:
    """Return the word as DROP compares it; a number becomes a float."""
    word = word.lower()
    if not _is_number(word):
        word = word.translate(_DELETE_PUNCTUATION)
    if _is_number(word):
        word = str(float(word))
    return squeeze(_ARTICLES.sub(" ", word))


def _normalized_inspect_word(word: str) -> str:
    """Return the word as inspect_ai compares it; a finite number becomes a float."""
    word = word.casefold()
    if not _is_finite(word):
        bare = word.strip(string.whitespace + string.punctuation)
        word = bare if _is_finite(bare) else word.translate(_DELETE_PUNCTUATION)
    if _is_finite(word):
        word = str(float(word))
    return squeeze(_ARTICLES.sub(" ", word))


def _is_finite(word: str) -> bool:
    return _is_number(word) and math.isfinite(float(word))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


NORMALIZERS: dict[str, Callable[[str], str]] = {
    "squad": squad,
    "triviaqa": triviaqa,
    "ultrarag": ultrarag,
    "ultrarag_keep_articles": ultrarag_keep_articles,
    "drop": drop,
    "lower": lower,
    "strip_lower": strip_lower,
    "gsm8k": gsm8k,
    "inspect_ai": inspect_ai,
    "mlqa_en": mlqa_en,
    "mlqa_es": mlqa_es,
    "mlqa_hi": mlqa_hi,
    "mlqa_vi": mlqa_vi,
    "mlqa_de": mlqa_de,
    "mlqa_ar": mlqa_ar,
    "mlqa_zh": mlqa_zh,
    "cmrc": cmrc,
    "cmrc_tokens": cmrc_tokens,
    "korquad": korquad,
    "korquad_characters": korquad_characters,
    "none": str,
}
"""The normalizers by name; each is a function from a text to the normalized text."""

Normalizer = Annotated[str, OneOf(NORMALIZERS)] | Callable[[str], str]
"""Valid values of options named `normalizer`: a name in `NORMALIZERS`, or a function on str."""


def normalizer_function(
    normalizer: Normalizer, normalizers: Mapping[str, Callable[[str], str]] = NORMALIZERS
) -> Callable[[str], str]:
    """Return the function for a name among normalizers, or the caller's own function.

    A function that does not return text, such as one that lacks a `return`, would make all answers
    equal. So the result of a caller's function is checked at every call.

    >>> normalizer_function("squad")("The Cat.")
    'cat'
    >>> normalizer_function("squat")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: normalizer must be one of 'squad', ..., got 'squat'; did you mean 'squad'?
    """
    if not callable(normalizer):
        check_choice("normalizer", normalizer, normalizers)
        return normalizers[normalizer]
    if normalizer in normalizers.values():
        return normalizer

    def checked(text: str) -> str:
        normalized = normalizer(text)
        if not isinstance(normalized, str):
            kind = type(normalized).__name__
            raise ValueError(f"normalizer must return a str, got {kind} for {text[:60]!r}")
        return normalized

    return checked


def _lower_and_blank_quotes(text: str) -> str:
    text = text.lower()
    for quote in "‘’´":  # the fourth, `, is ASCII
        text = text.replace(quote, " ")
    return text


# Normalizers whose output is words joined by single spaces, so that texts are equal if and only if
# their words are. The others are applied text by text.
_blanking_rule = partial(byte_rule, fold=_lower_and_blank_quotes, lower=True, punctuation="space")
_BYTE_RULES = {
    rule.exact: rule
    for rule in (
        byte_rule(squad, fold=str.lower, lower=True, punctuation="delete", articles="drop"),
        _blanking_rule(triviaqa, articles="drop"),
        _blanking_rule(ultrarag, articles="drop"),
        _blanking_rule(ultrarag_keep_articles, articles="drop_unless_alone"),
        byte_rule(lower, fold=str.lower, lower=True),
    )
}
_MAPS_TRUTH_VALUES = (ultrarag, ultrarag_keep_articles)


def normalized_tokens(texts: Sequence[str], normalizer: Callable[[str], str]) -> Tokens | None:
    """Return the words of all texts after a normalizer, or None if it has no byte rule.

    >>> tokens = normalized_tokens(["The Eiffel Tower!", "the"], squad)
    >>> tokens.counts.tolist(), normalized_tokens(["a-b"], drop)
    ([2, 0], None)
    """
    rule = _BYTE_RULES.get(normalizer)
    if rule is None:
        return None
    if normalizer in _MAPS_TRUTH_VALUES and ("True" in texts or "False" in texts):
        texts = [_TRUTH_VALUES.get(text, text) for text in texts]
    return tokenize(texts, rule)
