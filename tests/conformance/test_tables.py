"""Tables taken from peers, compared as data with those of the installed peer.

Rows that are drawn meet few entries of a table; an entry too many or too few shows only here.
"""

import inspect
import re

import pytest

from metric_commons.text.rouge_overlaps import porter
from metric_commons.text.tokens import treebank_words
from metric_commons.text.tokens.languages import MLQA_ARTICLES, _punctuation
from metric_commons.text.transcripts import transcript_normalizers, whisper_numbers
from metric_commons.text.transcripts.american_spellings import AMERICAN_SPELLINGS
from metric_commons.text.translation import character_ngrams, translation_tokenizers


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # the peer leaves it open
def test_the_tables_of_texts_are_whisper_s():
    english = pytest.importorskip("whisper.normalizers.english", exc_type=ImportError)
    basic = pytest.importorskip("whisper.normalizers.basic", exc_type=ImportError)
    normalizer = english.EnglishTextNormalizer()

    expansions = [(pattern.pattern, words) for pattern, words in transcript_normalizers._EXPANSIONS]
    assert expansions == list(normalizer.replacers.items())
    assert transcript_normalizers._FILLERS.pattern == normalizer.ignore_patterns
    assert english.EnglishSpellingNormalizer().mapping == AMERICAN_SPELLINGS
    assert transcript_normalizers._LETTERS == basic.ADDITIONAL_DIACRITICS


def test_the_tables_of_numbers_are_whisper_s():
    english = pytest.importorskip("whisper.normalizers.english", exc_type=ImportError)
    normalizer = english.EnglishNumberNormalizer()

    assert normalizer.zeros == whisper_numbers._ZEROS
    assert normalizer.ones == whisper_numbers._ONES
    assert normalizer.ones_suffixed == whisper_numbers._ENDED_ONES
    assert normalizer.tens == whisper_numbers._TENS
    assert normalizer.tens_suffixed == whisper_numbers._ENDED_TENS
    assert normalizer.multipliers == whisper_numbers._MULTIPLIERS
    assert normalizer.multipliers_suffixed == whisper_numbers._ENDED_MULTIPLIERS
    assert normalizer.preceding_prefixers == whisper_numbers._SIGNS
    assert normalizer.following_prefixers == whisper_numbers._CURRENCIES
    assert normalizer.specials == whisper_numbers._SPECIAL
    assert normalizer.decimals == whisper_numbers._DECIMALS
    assert normalizer.words == whisper_numbers._WORDS


def test_contractions_are_jiwer_s():
    jiwer = pytest.importorskip("jiwer")
    source = inspect.getsource(jiwer.ExpandCommonEnglishContractions.process_string)

    pairs = re.findall(r're\.sub\(r"(.+)", "(.+)", s\)', source.replace("\\'", "'"))
    assert list(transcript_normalizers._CONTRACTIONS) == pairs


def test_articles_and_marks_are_those_of_mlqa():
    peer = pytest.importorskip("lm_eval.tasks.mlqa.utils")
    source = inspect.getsource(peer.normalize_answer)

    articles = [tuple(words.split("|")) for words in re.findall(r"\\b\((.+)\)\\b", source)]
    assert [words for words in MLQA_ARTICLES.values() if words] == articles
    assert {chr(code) for code in _punctuation()} == peer.PUNCT


def test_irregular_stems_are_those_of_nltk():
    nltk = pytest.importorskip("nltk")

    table = {word.decode(): stem.decode() for word, stem in porter._IRREGULAR.items()}
    assert table == nltk.PorterStemmer().pool


def test_contractions_are_those_of_nltk():
    pytest.importorskip("nltk")
    from nltk.tokenize.destructive import NLTKWordTokenizer

    parts = [
        re.fullmatch(r"\(\?i\)\\b\(([a-z']+)\)\(\?#X\)\(([a-z']+)\)\S+", pattern.pattern).groups()
        for pattern in NLTKWordTokenizer.CONTRACTIONS2
    ]
    words = {"".join(pair) for pair in parts}
    # Those with an apostrophe are treated with other apostrophes.
    assert {word for word in words if word.isalpha()} == treebank_words._CONTRACTIONS


def test_marks_of_translations_are_those_of_sacrebleu():
    pytest.importorskip("sacrebleu")
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    assert character_ngrams._PUNCTUATION == CHRF._PUNCTS
    source = inspect.getsource(Tokenizer13a.__call__)
    entities = re.findall(r"replace\('(&\w+;)', '(.)'\)", source)
    assert list(translation_tokenizers._ENTITIES) == entities


@pytest.mark.long
def test_chinese_characters_are_those_of_sacrebleu():
    tokenizers = pytest.importorskip("sacrebleu.tokenizers.tokenizer_zh")
    is_chinese = re.compile(translation_tokenizers._CHINESE)

    for character in map(chr, range(0x10000)):  # no greater one counts
        expected = tokenizers.TokenizerZh._is_chinese_char(character)
        assert bool(is_chinese.match(character)) == expected, character
