"""Normalizers against the obvious way, on texts made to tell them apart."""

import pytest

from metric_commons.text.tokens.normalizers import (
    NORMALIZERS,
    normalized_tokens,
    normalizer_function,
)
from tests.text_oracles import NORMALIZER_ORACLES
from tests.texts import adversarial_rows


def test_every_normalizer_has_an_oracle():
    assert NORMALIZERS.keys() == NORMALIZER_ORACLES.keys()


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(NORMALIZER_ORACLES))
def test_normalizers_equal_their_oracles(name):
    predictions, references = adversarial_rows(1_000, seed=sorted(NORMALIZER_ORACLES).index(name))
    texts = [*predictions, *(text for of_row in references for text in of_row)]

    assert list(map(normalizer_function(name), texts)) == list(map(NORMALIZER_ORACLES[name], texts))


@pytest.mark.parametrize("name", ["drop", "strip_lower", "cmrc", "cmrc_tokens", "none"])
def test_normalizers_without_a_byte_rule_have_no_tokens(name):
    assert normalized_tokens(["a-b"], NORMALIZERS[name]) is None


@pytest.mark.parametrize("function", [len, str.encode, str.split, lambda text: None])
def test_a_function_that_returns_no_text_is_refused(function):
    with pytest.raises(ValueError, match=r"^normalizer must return a str, got \w+ for 'a b'$"):
        normalizer_function(function)("a b")
