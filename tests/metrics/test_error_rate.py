import math

import pytest

from metric_commons import load
from tests.spec import Spec
from tests.tables import other_shapes

SPEC = Spec(
    name="error_rate",
    sample={
        "predictions": ["the cat sat on mat", "a a b", "good night", "so it goes"],
        "references": ["the cat sat on the mat", "a b", "good day", "so it goes"],
    },
    # By hand: of 13 words 11 are right, one is left out and one is another; one is put in.
    result={
        "wer": 3 / 13,
        "mer": 3 / 14,
        "wil": 1 - (11 / 13) * (11 / 13),
        "wip": (11 / 13) * (11 / 13),
        "hits": 11,
        "substitutions": 1,
        "deletions": 1,
        "insertions": 1,
    },
    perfect={"predictions": ["a b", "c"], "references": ["a b", "c"]},
    best={
        "wer": 0.0,
        "mer": 0.0,
        "wil": 0.0,
        "wip": 1.0,
        "hits": 3,
        "substitutions": 0,
        "deletions": 0,
        "insertions": 0,
    },
    other_ranges={"wer": (0.0, math.inf)},
    wrong={"predictions": 3, "references": ["so it goes"]},
)

OTHER_SHAPES = other_shapes(__file__)


def result(prediction, reference, **options):
    return load("error_rate").compute(predictions=[prediction], references=[reference], **options)


def counts(prediction, reference, **options):
    """Hits, substitutions, deletions and insertions."""
    kinds = ("hits", "substitutions", "deletions", "insertions")
    return tuple(result(prediction, reference, **options)[kind] for kind in kinds)


@pytest.mark.parametrize(
    ("prediction", "reference", "options", "expected"),
    [
        ("b c d e a", "a b c d e", {}, (4, 0, 1, 1)),
        ("a x c", "a b c", {}, (2, 1, 0, 0)),
        ("The cat", "the cat", {}, (1, 1, 0, 0)),
        ("I can't", "i can not", {"normalizer": "jiwer_standardize"}, (3, 0, 0, 0)),
        ("<unk> yes [noise]", "Yes", {"normalizer": "jiwer_standardize"}, (1, 0, 0, 0)),
        ("The cat", "the cat", {"normalizer": str.lower}, (2, 0, 0, 0)),
        ("The cat!", "cat", {"normalizer": "squad"}, (1, 0, 0, 0)),
        ("it's twenty-one", "It is 21.", {"normalizer": "whisper_english"}, (3, 0, 0, 0)),
        ("the because", "the cause", {"normalizer": "whisper_english"}, (1, 1, 0, 0)),
        ("Voilà [ha] !", "voilà", {"normalizer": "whisper_basic"}, (1, 0, 0, 0)),
        ("Stephen's e-mail", "Steven s email", {"normalizer": "open_asr"}, (3, 0, 0, 0)),
        ("web site", "website", {"merge_compounds": True}, (1, 0, 0, 0)),
        ("icecream men", "ice cream man", {"merge_compounds": True}, (0, 2, 1, 0)),
        ("a\tb", "a b", {}, (0, 1, 1, 0)),
        ("a \t b", "a b", {}, (2, 0, 0, 0)),
        ("a\u00a0b", "a b", {}, (0, 1, 1, 0)),
        ("sitting", "kitten", {"unit": "character"}, (4, 2, 0, 1)),
        ("ab", "a b", {"unit": "character"}, (2, 0, 1, 0)),
        (" ab ", "ab", {"unit": "character"}, (2, 0, 0, 0)),
        ("e\u0301", "é", {"unit": "character"}, (0, 1, 0, 1)),
    ],
)
def test_words_and_characters_are_counted(prediction, reference, options, expected):
    assert counts(prediction, reference, **options) == expected


def test_an_empty_reference_has_as_many_errors_as_words_are_predicted():
    silence = result("a b", "")

    assert (silence["wer"], silence["mer"], silence["wip"], silence["wil"]) == (2.0, 1.0, 0.0, 1.0)
    assert result("", "")["wer"] == 0.0
    assert result("", "")["wip"] == 1.0


def test_rates_are_pooled_or_averaged():
    rows = {"predictions": ["a", "a b c d"], "references": ["x", "a b c d"]}
    metric = load("error_rate")
    pooled = metric.compute(**rows, per_example=True)
    mean = metric.compute(**rows, per_example=True, average="mean")

    assert (pooled["wer"], mean["wer"]) == (1 / 5, 1 / 2)
    assert (pooled["hits"], mean["hits"]) == (4, 4)
    assert pooled["per_example"] == mean["per_example"] == {"wer": [1.0, 0.0]}


def test_the_interval_of_a_mean_is_one_of_means():
    rows = {"predictions": ["a", "b", "c d"], "references": ["x", "b", "c e"]}
    low, high = load("error_rate").compute(**rows, average="mean", confidence_level=0.99)[
        "confidence_interval"
    ]["wer"]

    # Rows 1, 0 and 1/2 with one that was not seen: nearly anything is possible.
    assert 0 < low < 0.1
    assert 0.9 < high < 1


def test_alignments_tell_what_became_of_each_word():
    aligned = result("the cat sat down", "a cat sat", alignments=True)["alignments"]

    assert aligned == [[["substitute", 0, 1, 0, 1], ["equal", 1, 3, 1, 3], ["insert", 3, 3, 3, 4]]]
    assert result("", "", alignments=True)["alignments"] == [[]]


def test_a_normalizer_that_returns_no_text_is_named():
    with pytest.raises(ValueError, match="normalizer must return a str, got list"):
        result("a b", "a b", normalizer=str.split)


def test_one_number_for_scripts():
    rows = {"predictions": ["a b c", "a"], "references": ["a x c", "a b"]}

    found = load("error_rate", result_format="wer").compute(**rows)
    assert (type(found), found) == (float, load("error_rate").compute(**rows)["wer"])
    found = load("error_rate", result_format="cer").compute(**rows)
    assert found == load("error_rate", unit="character").compute(**rows)["cer"]


def test_references_without_words_have_no_interval():
    rows = {"predictions": ["a", "b"], "references": [" ", " "]}
    result = load("error_rate").compute(**rows, confidence_level=0.5)

    assert all(end != end for end in result["confidence_interval"]["wer"])
