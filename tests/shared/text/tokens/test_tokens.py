import random
from itertools import pairwise

import numpy as np
import pytest

from metric_commons.text.answers.token_overlaps import distinct_tokens, equal_texts, shared_tokens
from metric_commons.text.tokens import tokens
from metric_commons.text.tokens.tokens import byte_rule, normalized_texts, tokenize
from tests.texts import adversarial_text

WORDS = byte_rule(lambda text: " ".join(text.split()))


@pytest.fixture(scope="module")
def texts():
    chance = random.Random(0)
    return [adversarial_text(chance) for _ in range(5_000)]


def test_tokens_are_those_of_split(texts):
    found = tokenize(texts, WORDS)

    assert found.counts.tolist() == [len(text.split()) for text in texts]


def test_normalized_texts_are_the_joined_tokens(texts):
    plain = [text for text in texts if tokens._CONTROL_CHARACTER.search(text) is None]

    assert [text.encode("latin-1") for text in normalized_texts(tokenize(plain, WORDS))] == [
        " ".join(text.split()).encode("utf-8", "surrogatepass") for text in plain
    ]


def test_texts_are_equal_when_their_tokens_are(texts):
    found = tokenize(texts, WORDS)
    left = np.arange(len(texts) - 1)
    same_words = [a.split() == b.split() for a, b in pairwise(texts)]

    assert equal_texts(found, left, left + 1).tolist() == same_words
    assert equal_texts(found, left, left).all()


def test_texts_without_tokens_share_none():
    tokens, first = tokenize(["", " "], WORDS), np.array([0])

    assert shared_tokens(tokens, first).tolist() == [0, 0]
    assert distinct_tokens(tokens).counts.tolist() == [0, 0]


def test_long_tokens_that_begin_alike_are_told_apart():
    alike = ["x" * n + end for n in (7, 8, 15, 16, 23, 24, 60) for end in ("", "y", "z")]
    pairs = [text for a in alike for b in alike for text in (a, b)]

    shared = shared_tokens(tokenize(pairs, WORDS), np.arange(0, len(pairs), 2))

    assert shared[1::2].tolist() == [int(a == b) for a in alike for b in alike]
