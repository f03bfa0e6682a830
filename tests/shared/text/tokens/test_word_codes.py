"""Codes of words against the words themselves."""

from metric_commons.text.rouge_overlaps.rouge_words import rouge_score_words
from metric_commons.text.tokens.tokens import alphanumeric_tokens
from metric_commons.text.tokens.word_codes import token_codes
from tests.texts import WORD_FORMS


def test_codes_are_equal_where_tokens_are():
    long = ["x" * n + end for n in (7, 8, 15, 16, 17, 40) for end in ("", "y", "z")]
    words = [*long, *WORD_FORMS, *long, "a", "aa"]
    tokens = alphanumeric_tokens([" ".join(words)])
    spelled = rouge_score_words(" ".join(words))

    codes = token_codes(tokens)

    assert len(set(codes.tolist())) == len(set(spelled))
    assert len(set(zip(codes.tolist(), spelled, strict=True))) == len(set(spelled))
