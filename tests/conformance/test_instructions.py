"""Verifiable instructions beside IFEval's program, NLTK and langdetect."""

import gzip
import json
import re
import time
from random import Random

import nltk
import pytest

from metric_commons import load
from metric_commons.text.instructions.instruction_checks import KINDS, parameters
from metric_commons.text.instructions.instruction_rows import read_instructions, verdicts
from metric_commons.text.instructions.punkt import english, sentence_count, sentence_spans
from metric_commons.text.instructions.response_languages import LANGUAGES, detected_language
from metric_commons.text.instructions.responses import capital_words
from metric_commons.text.tokens.treebank_words import treebank_words
from tests.nltk_peer import nltk_tokenizer
from tests.spec import GIVEN, ROOT, nightly, recorded, rounds
from tests.tables import tabled

CASES = [case for case in recorded("structured") if case["module"] == "instruction_following"]
STRUCTURED = GIVEN / "data" / "structured"
CARD = (ROOT / "metrics" / "instruction_following" / "README.md").read_text("utf-8")
needs_data = pytest.mark.skipif(
    not STRUCTURED.exists(), reason="the data lie outside the repository"
)
NLTK_3_9 = tuple(map(int, nltk.__version__.split(".")[:2])) <= (3, 9)


@pytest.fixture(scope="module")
def metric():
    return load("instruction_following")


def expectations():
    for case in CASES:
        yield pytest.param(case, case["expected"], {}, id=case["id"])
        if "corrected" in case:
            options = {"checks": "corrected"}
            yield pytest.param(case, case["corrected"], options, id=f"{case['id']}-corrected")


@pytest.mark.parametrize(("case", "expected", "options"), list(expectations()))
def test_recorded_cases(metric, case, expected, options):
    if "error" in expected:
        with pytest.raises(ValueError, match=r"references") as caught:
            metric.compute(**case["inputs"], **case["options"], **options)
        assert all(word in str(caught.value) for word in expected["error"])
        return
    result = metric.compute(**case["inputs"], **case["options"], **options)

    assert {key: result[key] for key in expected} == expected


def agreement(peer):
    """On how many cases a peer has our verdicts, and how many there are."""
    agreed = compared = 0
    for case in CASES:
        verdict = case.get("peers", {}).get(peer)
        if verdict is None or "error" in case["expected"]:
            continue
        compared += 1
        agreed += all(
            bool(case["expected"][f"prompt_level_{strictness}_acc"]) == bool(found)
            for strictness, found in verdict.items()
        )
    return f"{agreed} of {compared}"


@pytest.mark.parametrize(
    ("name", "peer"),
    [
        ("google-research, instruction_following_eval", "google-research, nltk 3.9.1"),
        ("lm-evaluation-harness 4e7e0d4", "lm-eval 4e7e0d4, nltk 3.9.1"),
        ("deepeval 4.3.1", "deepeval 4.3.1"),
    ],
)
def test_the_card_counts_the_agreement(name, peer):
    (row,) = (line for line in CARD.splitlines() if line.startswith(f"| {name} |"))

    assert row.split(" | ")[2].startswith(agreement(peer))


def test_the_card_says_which_checks_are_corrected():
    rows = re.findall(r"^\| (`\w+:.*?) \| .*? \| (.*?) ?\|$", CARD, re.MULTILINE)
    corrected = {
        name: bool(mended.strip())
        for names, mended in rows
        for name in re.findall("`(.*?)`", names)
    }

    assert corrected == {name: "corrected" in parameters(name) for name in KINDS}


# Sentences and words


PIECES = (
    *("The cat", "the cat", "a b", "Dr", "p.m", "U.S", "Mr", "5", "1", "No", "They", "however"),
    *("A", "J", "i", "and", "Who", "About", "number 5", "e.g", "St", "x", "É", "ß", "İ", "½", "中"),
    *(".", ". ", "?", "! ", "...", ". . .", "..", "--", "-", ")", '"', "'", "(", "*", "[", "]"),
    *(" ", "\n", "\n\n", "\t", "\u2003", "\x1c", ",", ";", ":", "@", "n't", "CANNOT", "'tis "),
    *("wanna ", "gonna", "DON'T", "`", "``", "''", "''.", '."', ".)", "$", "3.5", "1,000.", "#"),
)
CURLY = ("\u201c", "\u201d", "\u2018", "\u2019", "\xab", "\xbb", "\u2014", "\u2013")


def drawn_texts(seed, pieces, number):
    chance = Random(seed)
    for _ in range(number):
        yield "".join(chance.choices(pieces, k=chance.randrange(25)))


@pytest.mark.long
@rounds(1_000, 3_000)
def test_sentences_are_those_of_nltk(rounds):
    tokenizer = nltk_tokenizer()
    # NLTK 3.10 has other rules for curly quotes, control characters and fractions.
    pieces = (
        PIECES + CURLY if NLTK_3_9 else [piece for piece in PIECES if piece not in ("\x1c", "½")]
    )

    for text in drawn_texts(1, pieces, rounds):
        assert list(sentence_spans(text)) == list(tokenizer.span_tokenize(text)), text


@pytest.mark.long
@rounds(1_000, 3_000)
def test_words_are_those_of_nltk(rounds):
    words = nltk.NLTKWordTokenizer().tokenize
    # NLTK 3.10 has other rules for a quote in front of a word, and for dashes.
    pieces = PIECES + CURLY if NLTK_3_9 else [piece for piece in PIECES if "'" not in piece]

    for text in drawn_texts(2, pieces, rounds):
        for start, end in sentence_spans(text):
            sentence = text[start:end]
            assert treebank_words(sentence, before_3_10=True) == words(sentence), sentence


@pytest.mark.long
@needs_data
def test_published_responses_have_the_sentences_and_words_of_nltk():
    with gzip.open(STRUCTURED / "ifeval_gpt4.jsonl.gz") as lines:
        rows = list(map(json.loads, lines))
    for row in rows:
        assert sentence_count(row["response"]) == row["sentences"]
        assert capital_words(row["response"]) == row["capital_words"]


@needs_data
def test_the_parameters_are_those_of_the_data():
    with gzip.open(STRUCTURED / "punkt_english.tsv.gz", "rt", encoding="utf-8") as lines:
        table = dict(line.rstrip("\n").split("\t") for line in lines)
    parameters = english()

    assert parameters.abbreviations == {
        word.replace("\u2423", " ") for word in table["abbreviations"].split(" ")
    }
    assert parameters.collocations == {
        tuple(pair.split("|")) for pair in table["collocations"].split(" ")
    }
    assert parameters.starters == set(table["starters"].split(" "))
    assert parameters.flags == {
        word: int(key.removeprefix("words"))
        for key in table
        if key.startswith("words")
        for word in table[key].split(" ")
    }


# Languages


@pytest.mark.long
@rounds(50, 300)
def test_languages_are_those_of_langdetect(rounds):
    from langdetect.detector_factory import PROFILES_DIRECTORY, DetectorFactory
    from langdetect.lang_detect_exception import LangDetectException

    factory = DetectorFactory()
    factory.load_profile(PROFILES_DIRECTORY)
    factory.seed = 0

    def peer(text):
        detector = factory.create()
        detector.append(text)
        try:
            return detector.detect()
        except LangDetectException:
            return None

    assert set(factory.get_lang_list()) == LANGUAGES
    pieces = (
        *("hello ", "world ", "der Hund ", "le chien ", "el perro ", "42 ", "! ", "собака ", "犬 "),
        *("http://a.b/c ", "a@b.cc ", "DON'T ", "हिन्दी ", "và ", "não "),
    )
    for text in drawn_texts(3, pieces, rounds):
        assert detected_language(text) == peer(text), text


# Mutants and hostile texts

MUTANTS = gzip.decompress((ROOT / "tests" / "cases" / "instruction_mutants.jsonl.gz").read_bytes())


@pytest.mark.long
def test_verdicts_of_the_reference_on_mutants():
    mutants = list(map(json.loads, MUTANTS.splitlines()))
    assert len(mutants) >= 2000
    assert {(m["id"], m["strict"]) for m in mutants} == {
        (name, strict) for name in KINDS for strict in (False, True)
    }
    for mutant in mutants:
        reference = {"instruction_id_list": [mutant["id"]], "kwargs": [mutant["kwargs"]]}
        [instructions] = read_instructions([json.dumps(reference)])
        ours = verdicts(mutant["response"], instructions)
        assert (ours.strict, ours.loose) == ([mutant["strict"]], [mutant["loose"]]), mutant


LONG = 20_000
HOSTILE = {
    "opening brackets": "[" * LONG,
    "nested JSON": "[" * LONG + "]" * LONG,
    "digits": "9" * LONG,
    "angle brackets": "<" * LONG,
    "titles": "<<" * LONG + "\n",
    "asterisks": "*" * LONG,
    "asterisks and letters": "*a" * LONG,
    "blank lines": "\n" * LONG,
    "blank lines around a letter": "\n" * LONG + "a" + "\n" * LONG,
    "spaces": "a" + " " * LONG + "b",
    "spaces after a full stop": "Mr." + " " * LONG + "b",
    "full stops": "." * LONG,
    "spaced full stops": ". " * LONG,
    "spaced full stops and a letter": ". " * LONG + "a",
    "marks": "a?!" * LONG,
    "closing quotes": '."' * LONG,
    "brackets after a full stop": "a." + "]" * LONG + "a",
    "hyphens": "-" * LONG,
    "hyphens and spaces": "- " * LONG + "a",
    "quotes": "'" * LONG,
    "one word": "a" * LONG,
    "letters and commas": "a,1" * LONG,
    "postscripts": "p. " * LONG,
    "addresses": "a." * LONG + "@",
}


# By day one of each kind of mark.
BY_DAY = tabled(__file__, "BY_DAY")


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [*BY_DAY, *nightly(*(name for name in HOSTILE if name not in BY_DAY))]
)
def test_hostile_texts_take_bounded_time(name):
    from tests.metrics.test_instruction_following import EXAMPLES

    text = HOSTILE[name]
    started = time.process_time()
    for checks in ("ifeval", "corrected"):
        for kind, (arguments, *_) in EXAMPLES.items():
            reference = {"instruction_id_list": [kind], "kwargs": [arguments]}
            [instructions] = read_instructions([json.dumps(reference)], checks=checks)
            verdicts(text, instructions)
    # Of all kinds, twice, with up to eight variants; quadratic time is a minute for each.
    assert time.process_time() - started < 20
