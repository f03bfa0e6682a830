"""Error rates beside jiwer: recorded cases, jiwer itself, and published rates of utterances."""

import gzip
import json
import random
import re

import pytest

from metric_commons import load
from metric_commons.text.transcripts import american_spellings, whisper_numbers
from metric_commons.text.transcripts.edit_rate import error_alignments, error_statistics
from metric_commons.text.transcripts.transcript_normalizers import (
    jiwer_standardize,
    merged_compounds,
    open_asr,
    whisper_basic,
    whisper_english,
)
from tests.spec import GIVEN, ROOT, recorded, rounds
from tests.tables import tabled
from tests.texts import adversarial_text

pytestmark = pytest.mark.usefixtures("edit_engine")

UTTERANCES = GIVEN / "data" / "sequences" / "asr"
CARD = ROOT / "metrics" / "error_rate" / "README.md"
# What EnglishTextNormalizer() and BasicTextNormalizer() of openai-whisper 20250625 returned.
WHISPER = recorded("whisper_normalizers")
CASES = [case for case in recorded("sequences") if case["module"] == "error_rate"]

published = pytest.mark.skipif(not UTTERANCES.exists(), reason=f"no utterances at {UTTERANCES}")


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_recorded_case(case):
    found = load("error_rate").compute(
        **case["inputs"], **case["options"], per_example=True, alignments=True
    )
    recorded_alignments = case["peers"]["jiwer 4.0.0"].get("alignments", found["alignments"])

    assert {key: found[key] for key in case["expected"]} == case["expected"]
    assert found["alignments"] == recorded_alignments


def test_the_card_counts_the_cases():
    (counted,) = re.findall(r"^\| jiwer 4\.0\.0 \| .*? \| (.+?) \|", CARD.read_text("utf-8"), re.M)

    assert counted == f"{len(CASES)} of {len(CASES)}"


# jiwer itself


@pytest.fixture(scope="module")
def jiwer():
    return pytest.importorskip("jiwer")


def equals_jiwer(jiwer, predictions, references, unit="word"):
    """Check rates, counts and alignments of the rows together and of each alone."""
    process = jiwer.process_words if unit == "word" else jiwer.process_characters
    rows = error_statistics(predictions, references, unit=unit)
    expected = process(references, predictions)
    keys = ("wer", "mer", "wil", "wip") if unit == "word" else ("cer",)
    found = rows.result()
    for key in (*keys, "hits", "substitutions", "deletions", "insertions"):
        assert found[key] == getattr(expected, key), key
    for row, stretches in enumerate(error_alignments(predictions, references, unit=unit)):
        assert stretches == [[*vars(chunk).values()] for chunk in expected.alignments[row]]
        counts = dict.fromkeys(("equal", "substitute", "delete", "insert"), 0)
        for kind, start, end, first, last in stretches:
            counts[kind] += max(end - start, last - first)
        assert [*counts.values()] == rows.values[row].tolist()


@pytest.mark.long
@pytest.mark.parametrize("unit", ["word", "character"])
@rounds(50, 150)
@pytest.mark.parametrize("kinds", [2, 3, 20, 1000])
def test_random_transcripts(jiwer, unit, kinds, rounds):
    chance = random.Random(kinds)
    predictions, references = [], []
    for _ in range(rounds):
        words = [f"w{chance.randrange(kinds)}" for _ in range(chance.choice([0, 1, 5, 30, 120]))]
        heard = [
            f"w{chance.randrange(kinds)}" if chance.random() < 0.2 else word
            for word in words
            if chance.random() > 0.1
        ]
        other = [f"w{chance.randrange(kinds)}" for _ in range(chance.randrange(60))]
        references.append(" ".join(words))
        predictions.append(" ".join(heard if chance.random() < 0.7 else other))

    equals_jiwer(jiwer, predictions, references, unit)


@pytest.mark.parametrize("kinds", [2, 12])
@pytest.mark.parametrize("errors", [0.002, 0.1, 0.7])
def test_transcripts_so_long_that_the_table_is_split(jiwer, kinds, errors):
    chance = random.Random(kinds)
    letters = "abcdefghijklm"[:kinds]
    reference = "".join(chance.choices(letters, k=5_000))
    heard = "".join(
        chance.choice(("", letter + "x", "y")) if chance.random() < errors else letter
        for letter in reference
    )
    silence = "".join(chance.choices(letters, k=900))

    equals_jiwer(jiwer, [heard[9:]], [reference], "character")
    equals_jiwer(jiwer, ["x" * 9_000 + silence + "y" * 10_000], [silence + "x"], "character")
    equals_jiwer(jiwer, [silence], [reference + reference[:100]], "character")


@pytest.mark.parametrize("unit", ["word", "character"])
def test_adversarial_transcripts(jiwer, unit):
    chance = random.Random(5)
    references = [adversarial_text(chance) for _ in range(200)]
    predictions = [
        adversarial_text(chance) if chance.random() < 0.5 else reference[::2]
        for reference in references
    ]

    equals_jiwer(jiwer, predictions, references, unit)


def test_the_standard_transform(jiwer):
    chance = random.Random(6)
    pieces = "won't can't let's n't 're 's <unk> [x] [a <b> A Ü \t \n \u00a0 's't 'd'm".split(" ")
    for _ in range(2_000):
        text = "".join(chance.choices([*pieces, " ", "  ", "x"], k=12))
        (expected,) = jiwer.transformations.wer_standardize([text])

        assert [word for word in jiwer_standardize(text).split(" ") if word] == expected


# Published rates


@pytest.mark.long
@published
@pytest.mark.parametrize(("system", "equal"), [("deepspeech", 2621), ("google", 2616)])
def test_published_rates_of_utterances(system, equal):
    lines = gzip.decompress((UTTERANCES / f"librispeech_test_clean.{system}.jsonl.gz").read_bytes())
    rows = [json.loads(line) for line in lines.splitlines()]

    def unmarked(text):
        return jiwer_standardize(re.sub("[.?!]", "", text).lower())

    rates = load("error_rate").compute(
        predictions=[row["prediction"] for row in rows],
        references=[row["reference"] for row in rows],
        normalizer=unmarked,
        per_example=True,
    )["per_example"]["wer"]
    agreeing = sum(
        abs(max(1 - rate, 0) - row["published"]) < 1e-8
        for row, rate in zip(rows, rates, strict=True)
    )

    assert agreeing == equal


# Whisper's normalizers


def test_whisper_s_normalizers_return_what_openai_whisper_returned():
    assert len(WHISPER) > 50
    for case in WHISPER:
        assert whisper_english(case["text"]) == case["english"]
        assert whisper_basic(case["text"]) == case["basic"]


# Returned by `normalizer` of huggingface/open_asr_leaderboard at commit d1e99b2.
OPEN_ASR = tabled(__file__, "OPEN_ASR")
MERGED = {
    ("website is up", "web site is up"): ("website is up", "website is up"),
    ("ab x cd", "a b c d"): ("ab x cd", "a b c d"),
    ("", "x"): ("", "x"),
    ("to day we meet", "today we me et"): ("today we meet", "today we meet"),
}


def test_open_asr_s_normalizer_returns_what_the_leaderboard_s_returned():
    assert {text: open_asr(text) for text in OPEN_ASR} == OPEN_ASR
    assert {pair: merged_compounds(*pair) for pair in MERGED} == MERGED


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # the peer leaves it open
def test_whisper_s_normalizers_are_those_of_the_package():
    package = pytest.importorskip("whisper.normalizers", exc_type=ImportError)
    basic = package.BasicTextNormalizer()
    english = package.EnglishTextNormalizer()
    draw = random.Random(38)
    others = (
        "the cat colour won't he's dr. uh [noise] (ha) 1 2.5 $5 £3.20 ¢7 1960s 21st 5,000 , . % ½"
    )
    words = [
        *sorted(whisper_numbers._WORDS),
        *others.split(),
        *american_spellings.AMERICAN_SPELLINGS,
    ]

    for _ in range(1_000):
        parts = draw.choices(words, k=draw.randint(1, 10))
        text = draw.choice([" ", " ", "-", "  "]).join(parts)
        text = draw.choice([text, text.title(), adversarial_text(draw) + text])
        assert whisper_english(text) == english(text)
        assert whisper_basic(text) == basic(text)
