import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.text.tokens.word_codes import numbered_characters
from metric_commons.text.translation import translation_tokenizers
from metric_commons.text.translation.translation_tokenizers import translation_words, words_13a
from tests.tables import by_table

EXACT = {
    "13a": lambda text: words_13a(text.rstrip()),
    "zh": translation_tokenizers._words_zh,
    "char": lambda text: list("".join(text.split())),
    "none": str.split,
}
marks = st.text(st.sampled_from("ab15.,-'&<> \n\t\u00a0\u2014今。é"), max_size=12)


def same_words(texts, tokenize):
    """Check words of many texts at once against those of each alone."""
    expected = [EXACT[tokenize](text) for text in texts]
    words = translation_words(texts, tokenize)
    flat = [word for row in expected for word in row]

    assert words.counts.tolist() == list(map(len, expected))
    pairs = set(zip(flat, words.codes.tolist(), strict=True))
    assert len(pairs) == len(set(flat)) == len(set(words.codes.tolist()))


@pytest.mark.parametrize("tokenize", EXACT)
@given(st.lists(marks, min_size=1, max_size=6))
def test_many_texts_have_the_words_of_each(tokenize, texts):
    same_words(texts, tokenize)


@by_table("text, words")
def test_words_of_13a(text, words):
    assert words_13a(text) == words.split()


@pytest.mark.long
@given(st.lists(st.text(max_size=8), min_size=1, max_size=4))
def test_numbered_characters_are_small_and_in_order(texts):
    symbols = numbered_characters(texts)
    characters = sorted(set("".join(texts)))

    expected = [1 + characters.index(character) for text in texts for character in text]
    assert symbols.codes.tolist() == expected
    assert symbols.counts.tolist() == list(map(len, texts))
