"""Normalizers of texts: what communities do to a text before they compare it.

Each is equal to its community's function, on every string. Its obvious form, a function from text
to text, is its definition; where it works byte by byte on ordinary text, a rule of bytes finds the
words of whole blocks with equal results.
"""

import re
import string
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated

from ..numbers.checks import check_choice
from ..numbers.domains import OneOf
from .tokens import Tokens, byte_rule, tokenize

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_HYPHEN_OR_SPACE = re.compile("[ -]")
_DELETE_PUNCTUATION = str.maketrans("", "", string.punctuation)
_QUOTES = "‘’´`"
_BLANK_PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation + _QUOTES, " "))
_TRUTH_VALUES = {"True": "yes", "False": "no"}


def squeeze(text: str) -> str:
    """The words of a text, joined by single spaces."""
    return " ".join(text.split())


def squad(text: str) -> str:
    """Lower-case; without ASCII punctuation, then without articles; squeezed.

    The order is that of the SQuAD script: punctuation goes first, so "the-end" becomes one word
    and keeps its article.

    >>> squad("The  Eiffel Tower!"), squad("the-end")
    ('eiffel tower', 'theend')
    """
    return squeeze(_ARTICLES.sub(" ", text.lower().translate(_DELETE_PUNCTUATION)))


def triviaqa(text: str) -> str:
    """As the TriviaQA script: punctuation, four quotation marks and `_` become spaces.

    >>> triviaqa("the-end"), triviaqa("J.K. Rowling’s")
    ('end', 'j k rowling s')
    """
    return squeeze(_ARTICLES.sub(" ", _blanked(text)))


def ultrarag(text: str) -> str:
    """As UltraRAG: `triviaqa`, but a text that is exactly True or False is yes or no.

    >>> ultrarag("True"), ultrarag("true")
    ('yes', 'true')
    """
    return triviaqa(_TRUTH_VALUES.get(text, text))


def ultrarag_keep_articles(text: str) -> str:
    """As later versions of UltraRAG: a text of nothing but articles keeps them.

    >>> ultrarag("A"), ultrarag_keep_articles("A"), ultrarag_keep_articles("A cat")
    ('', 'a', 'cat')
    """
    return ultrarag(text) or squeeze(_blanked(_TRUTH_VALUES.get(text, text)))


def drop(text: str) -> str:
    """As the DROP script: words split at spaces and hyphens, numbers as floats.

    What is not a number with its punctuation may be one without it: 21.0% becomes 210.

    >>> drop("The 1,000-year-old 21"), drop("21.0%")
    ('1000.0 year old 21.0', '210.0')
    """
    words = map(_drop_word, _HYPHEN_OR_SPACE.split(text))
    return " ".join(filter(None, words))


def lower(text: str) -> str:
    """Lower-case and squeezed, nothing else.

    >>> lower("The  Eiffel Tower!")
    'the eiffel tower!'
    """
    return squeeze(text.lower())


def strip_lower(text: str) -> str:
    """Lower-case and without white space at both ends, as OLMES does for its recall.

    >>> strip_lower("  New  York ")
    'new  york'
    """
    return text.strip().lower()


def _blanked(text: str) -> str:
    return text.replace("_", " ").lower().translate(_BLANK_PUNCTUATION)


def _drop_word(word: str) -> str:
    word = word.lower()
    if not _is_number(word):
        word = word.translate(_DELETE_PUNCTUATION)
    if _is_number(word):
        word = str(float(word))
    return squeeze(_ARTICLES.sub(" ", word))


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
    "none": str,
}

Normalizer = Annotated[str, OneOf(NORMALIZERS)] | Callable[[str], str]


def normalize(text: str, normalizer: Normalizer = "squad") -> str:
    """The text as a normalizer, named or given, leaves it.

    >>> normalize("The Cat.", "squad"), normalize("The Cat.", str.upper)
    ('cat', 'THE CAT.')
    """
    return normalizer_function(normalizer)(text)


def normalizer_function(normalizer: Normalizer) -> Callable[[str], str]:
    """The function that a name in `NORMALIZERS` stands for, or the one that was given.

    One that returns no text, such as one without `return`, would make all answers equal; so it is
    an error once it does.

    >>> normalizer_function("squat")
    Traceback (most recent call last):
    ValueError: normalizer must be one of 'squad', 'triviaqa', 'ultrarag', \
'ultrarag_keep_articles', 'drop', 'lower', 'strip_lower', 'none', got 'squat'; did you mean 'squad'?
    """
    if callable(normalizer):
        return normalizer if normalizer in NORMALIZERS.values() else _returning_text(normalizer)
    check_choice("normalizer", normalizer, NORMALIZERS)
    return NORMALIZERS[normalizer]


def _returning_text(function: Callable[[str], str]) -> Callable[[str], str]:
    def checked(text: str) -> str:
        normalized = function(text)
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


_blank = partial(byte_rule, fold=_lower_and_blank_quotes, lower=True, punctuation="space")
# Normalizers that leave nothing but words joined by single spaces, so that texts are equal
# when their words are. The others are applied text by text.
_BYTE_RULES = (
    byte_rule(squad, fold=str.lower, lower=True, punctuation="delete", articles="drop"),
    _blank(triviaqa, articles="drop"),
    _blank(ultrarag, articles="drop"),
    _blank(ultrarag_keep_articles, articles="drop_unless_alone"),
    byte_rule(lower, fold=str.lower, lower=True),
)
_MAPS_TRUTH_VALUES = (ultrarag, ultrarag_keep_articles)


def normalized_tokens(texts: Sequence[str], function: Callable[[str], str]) -> Tokens | None:
    """The words of all texts after a normalizer, or None if it is not one that bytes can do.

    >>> tokens = normalized_tokens(["The Eiffel Tower!", "the"], squad)
    >>> tokens.counts.tolist(), normalized_tokens(["a-b"], drop)
    ([2, 0], None)
    """
    rule = next((rule for rule in _BYTE_RULES if rule.exact is function), None)
    if rule is None:
        return None
    if function in _MAPS_TRUTH_VALUES and ("True" in texts or "False" in texts):
        texts = [_TRUTH_VALUES.get(text, text) for text in texts]
    return tokenize(texts, rule)
