"""Normalizers against the obvious way, on texts made to tell them apart."""

import re
import string
from contextlib import suppress

import pytest

from metric_commons.text.normalizers import NORMALIZERS, normalize, normalized_tokens
from tests.texts import adversarial_rows

# The normalizers once more, as their communities write them: one character after another.


def without_articles(text):
    return re.sub(r"\b(a|an|the)\b", " ", text)


def squad(text):
    kept = "".join(ch for ch in text.lower() if ch not in string.punctuation)
    return " ".join(without_articles(kept).split())


def blanked(text):
    blank = string.punctuation + "‘’´`"
    return "".join(" " if ch in blank else ch for ch in text.replace("_", " ").lower())


def triviaqa(text):
    return " ".join(without_articles(blanked(text)).split())


def ultrarag(text):
    return triviaqa({"True": "yes", "False": "no"}.get(text, text))


def ultrarag_keep_articles(text):
    text = {"True": "yes", "False": "no"}.get(text, text)
    left = without_articles(blanked(text))
    return " ".join((left if left.strip() else blanked(text)).split())


def drop(text):
    words = []
    for word in re.split(" |-", text):
        word = word.lower()
        try:
            float(word)
        except ValueError:
            word = "".join(ch for ch in word if ch not in string.punctuation)
        with suppress(ValueError):
            word = str(float(word))
        word = " ".join(without_articles(word).split())
        if word:
            words.append(word)
    return " ".join(words)


ORACLES = {
    "squad": squad,
    "triviaqa": triviaqa,
    "ultrarag": ultrarag,
    "ultrarag_keep_articles": ultrarag_keep_articles,
    "drop": drop,
    "lower": lambda text: " ".join(text.lower().split()),
    "strip_lower": lambda text: text.strip().lower(),
    "none": lambda text: text,
}


def test_every_normalizer_has_an_oracle():
    assert NORMALIZERS.keys() == ORACLES.keys()


@pytest.mark.parametrize("name", sorted(ORACLES))
def test_normalizers_equal_their_oracles(name):
    predictions, references = adversarial_rows(6_000, seed=sorted(ORACLES).index(name))
    texts = [*predictions, *(text for of_row in references for text in of_row)]

    assert [normalize(text, name) for text in texts] == list(map(ORACLES[name], texts))


@pytest.mark.parametrize("name", ["drop", "strip_lower", "none"])
def test_what_bytes_cannot_do_is_told(name):
    assert normalized_tokens(["a-b"], NORMALIZERS[name]) is None


@pytest.mark.parametrize("function", [len, str.encode, str.split, lambda text: None])
def test_a_function_that_returns_no_text_is_refused(function):
    with pytest.raises(ValueError, match=r"^normalizer must return a str, got \w+ for 'a b'$"):
        normalize("a b", function)
