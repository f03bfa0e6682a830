"""Codes of words against the words themselves."""

import numpy as np

from metric_commons.text.rouge_tokenizers import rouge_score_words
from metric_commons.text.tokens import Tokens, alphanumeric_tokens
from metric_commons.text.word_codes import token_codes
from tests.texts import WORD_FORMS


def test_codes_are_equal_where_tokens_are():
    long = ["x" * n + end for n in (7, 8, 15, 16, 17, 40) for end in ("", "y", "z")]
    words = [*long, *WORD_FORMS, *long, "a", "aa"]
    tokens = alphanumeric_tokens([" ".join(words)])
    spelled = rouge_score_words(" ".join(words))

    codes = token_codes(tokens)

    assert len(set(codes.tolist())) == len(set(spelled))
    assert len(set(zip(codes.tolist(), spelled, strict=True))) == len(set(spelled))


def test_tokens_whose_hashes_meet_are_told_apart():
    """Two keys whose hashes agree in their upper half."""
    multiplier = 0x9E3779B97F4A7C15
    inverse = pow(multiplier, -1, 2**64)
    keys = [(7 << 32 | low) * inverse % 2**64 for low in range(2)]
    tokens = Tokens(
        b" " * 64,
        np.array([0, 8]),
        np.array([8, 8]),
        np.array(keys, dtype=np.uint64),
        np.array([2]),
    )

    assert len(set(token_codes(tokens).tolist())) == 2
