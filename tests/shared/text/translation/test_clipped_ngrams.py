from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.text.tokens.word_codes import Sequences
from metric_commons.text.translation import clipped_ngrams
from metric_commons.text.translation.clipped_ngrams import clipped_counts

symbols = st.lists(st.integers(1, 4), max_size=9)
rows_of_texts = st.lists(
    st.tuples(symbols, st.lists(symbols, min_size=1, max_size=4)), min_size=1, max_size=6
)


def flat(rows):
    texts = [text for prediction, references in rows for text in (prediction, *references)]
    symbols = np.array([symbol for text in texts for symbol in text], np.int64)
    sizes = np.array([1 + len(references) for _, references in rows])
    return Sequences(symbols, np.array(list(map(len, texts)))), sizes


def ngrams(text, order):
    return Counter(tuple(text[start : start + order]) for start in range(len(text) - order + 1))


def shared(prediction, references, order):
    """Shared n-grams, by the definition."""
    return sum(
        min(count, max(ngrams(reference, order)[ngram] for reference in references))
        for ngram, count in ngrams(prediction, order).items()
    )


def expected(rows, orders):
    return [[shared(*row, order) for order in range(1, orders + 1)] for row in rows]


@pytest.mark.long
@given(rows=rows_of_texts, orders=st.integers(1, 6))
def test_counts_are_those_of_the_definition(rows, orders):
    assert clipped_counts(*flat(rows), orders).tolist() == expected(rows, orders)


@pytest.mark.parametrize("highest", [3, 200, 2**32])
@pytest.mark.parametrize("orders", [1, 4, 9, 40])
@pytest.mark.parametrize("bits", [64, 40, 8])
def test_windows_of_any_length_are_counted(highest, orders, bits, monkeypatch):
    monkeypatch.setattr(clipped_ngrams, "_BITS", bits)
    chance = np.random.default_rng(orders)
    alphabet = chance.integers(1, highest, 12)
    rows = [
        (
            chance.choice(alphabet, size).tolist(),
            [chance.choice(alphabet, 20).tolist() for _ in range(1 + size % 3)],
        )
        for size in range(25)
    ]

    assert clipped_counts(*flat(rows), orders).tolist() == expected(rows, orders)


def test_rows_without_symbols_share_none():
    assert clipped_counts(*flat([([], [[]]), ([], [[], []])]), 2).tolist() == [[0, 0], [0, 0]]
    assert clipped_counts(*flat([([1], [[2]])]), 9).tolist() == [[0] * 9]
