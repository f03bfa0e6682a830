"""The words that ROUGE counts, in any script, and their stems."""

import random
import string
import sys

import pytest

from metric_commons.text.rouge_overlaps import rouge_words
from metric_commons.text.rouge_overlaps.porter import porter
from metric_commons.text.rouge_overlaps.rouge_words import rouge_score_words, stems, unicode_words
from metric_commons.text.tokens.tokens import alphanumeric_tokens
from tests.tables import by_table
from tests.texts import adversarial_text


def test_words_of_rouge_score_are_found_in_bytes():
    chance = random.Random(4)
    texts = [adversarial_text(chance) for _ in range(5_000)]

    assert alphanumeric_tokens(texts).counts.tolist() == [
        len(rouge_score_words(text)) for text in texts
    ]


@pytest.mark.long
def test_two_characters_are_lowered_into_ascii():
    everything = map(chr, range(128, sys.maxunicode + 1))

    assert [c for c in everything if not c.isascii() and rouge_score_words(c)] == [
        "\u0130",
        "\u212a",
    ]


def test_on_ascii_text_the_words_of_any_script_are_those_of_rouge_score():
    chance = random.Random(6)
    for _ in range(2_000):
        text = "".join(chance.choices(string.printable + "\x00\x1c\x1f\x7f", k=20))

        assert unicode_words(text) == rouge_score_words(text)


@by_table("text, words")
def test_words_of_any_script(text, words):
    assert unicode_words(text) == words


@pytest.fixture
def stemmed(monkeypatch):
    """The words that the stemmer is called with, from an empty cache on."""
    calls = []

    def recorded(word):
        calls.append(word)
        return porter(word)

    monkeypatch.setattr(rouge_words, "porter", recorded)
    rouge_words._cached_stem.cache_clear()
    return calls


def test_a_word_is_stemmed_once(stemmed):
    assert stems(["runs", "runs", "was"]) == ["run", "run", "was"]
    assert stems(["was", "ran", "runs"]) == ["was", "ran", "run"]
    assert stemmed == [b"runs"]


def test_long_words_do_not_stay_in_memory(stemmed):
    word = "y" * 100_000

    assert stems([word, word]) == [porter(word.encode()).decode()] * 2
    assert stemmed == [word.encode()] * 2
    assert not rouge_words._cached_stem.cache_info().currsize
