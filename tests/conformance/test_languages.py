"""Answers in other languages: what the scripts of MLQA and CMRC 2018 return."""

import sys
import unicodedata
from random import Random

import pytest

from metric_commons.module.catalog.presets import preset
from metric_commons.text.answers.answers import exact_match, token_f1
from metric_commons.text.tokens.languages import _PLANES_WITH_LETTERS
from metric_commons.text.tokens.normalizers import NORMALIZERS
from metric_commons.text.tokens.treebank_words import treebank_words
from tests.spec import recorded
from tests.texts import FRAGMENTS

CASES = recorded("languages")
OPTIONS = {case["options"]["qa_em"]["normalizer"]: case["options"] for case in CASES}


@pytest.mark.parametrize("rows", [1, 7, len(CASES)])
@pytest.mark.parametrize("normalizer", sorted(OPTIONS))
def test_scores_are_those_of_the_official_script(normalizer, rows):
    options = OPTIONS[normalizer]
    cases = [case for case in CASES if case["options"] == options]
    for start in range(0, len(cases), rows):
        block = cases[start : start + rows]
        predictions = [case["prediction"] for case in block]
        references = [case["references"] for case in block]

        assert exact_match(predictions, references, **options["qa_em"]).tolist() == [
            case["em"] for case in block
        ]
        assert token_f1(predictions, references, **options["qa_f1"]).f1.tolist() == [
            case["f1"] for case in block
        ]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_normalized_texts_are_those_of_the_official_script(case):
    if "tokens" in case:
        assert NORMALIZERS["cmrc_tokens"](case["prediction"]).split() == case["tokens"]
    else:
        normalizer = NORMALIZERS[case["options"]["qa_em"]["normalizer"]]
        assert normalizer(case["prediction"]) == case["normalized"]


@pytest.mark.parametrize("normalizer", sorted(set(OPTIONS) - {"cmrc"}))
def test_the_preset_of_a_language_has_these_options(normalizer):
    language = normalizer.removeprefix("mlqa_")

    assert preset(f"mlqa(language={language})").modules == OPTIONS[normalizer]


@pytest.mark.long
def test_no_character_beyond_the_table_is_punctuation():
    for code in range(_PLANES_WITH_LETTERS, sys.maxunicode + 1):
        assert unicodedata.category(chr(code))[0] != "P"


UNLIKE_RE = {"Mn", "Mc", "Me", "Cf", "Cc", "Co", "Cs", "Cn", "No"}


@pytest.mark.long
def test_words_are_those_of_nltk():
    nltk = pytest.importorskip("nltk", "3.10", reason="NLTK splits otherwise before 3.10")
    peer = nltk.tokenize.NLTKWordTokenizer()
    chance = Random(0)
    # NLTK 3.10 compiles its patterns with `regex`. Other than `re` it takes marks and joiners for
    # parts of words, and fractions not.
    fragments = [
        text for text in FRAGMENTS if not any(unicodedata.category(c) in UNLIKE_RE for c in text)
    ]
    fragments += [*" .,:;?!'\"`*()[]{}<>@#$%&-_", "''", "``", "...", "--"]
    fragments += ["'s ", "n't ", "wanna ", "'tis"]
    for _ in range(5_000):
        pieces = chance.choices(fragments, k=chance.randrange(1, 9))
        text = "".join(piece + chance.choice(["", "", " "]) for piece in pieces)
        assert treebank_words(text) == peer.tokenize(text), text
