import math

import pytest

from metric_commons import State, load
from tests.spec import Spec
from tests.tables import by_table, tabled

ROWS = tabled(__file__, "ROWS")

SPEC = Spec(
    name="bleu",
    sample=ROWS,
    # By hand: each row has one wrong word, and as many words as its closest reference.
    result={
        "bleu": 100 * (17 / 19 * 12 / 16 * 8 / 13 * 4 / 10) ** 0.25,
        "precisions": [100 * 17 / 19, 75.0, 100 * 8 / 13, 40.0],
        "brevity_penalty": 1.0,
        "counts": [17, 12, 8, 4],
        "totals": [19, 16, 13, 10],
        "sys_len": 19,
        "ref_len": 19,
    },
    perfect={"predictions": ["a b c d e"], "references": [["x", "a b c d e"]]},
    best={
        "bleu": 100.0,
        "precisions": [100.0] * 4,
        "brevity_penalty": 1.0,
        "counts": [5, 4, 3, 2],
        "totals": [5, 4, 3, 2],
        "sys_len": 5,
        "ref_len": 5,
    },
    other_ranges={"bleu": (0.0, 100.1), "precisions": (0.0, 100.0)},
    wrong={"predictions": 3, "references": ["a", 7]},
)


def result(prediction, reference, **options):
    return load("bleu").compute(predictions=[prediction], references=[reference], **options)


def test_a_repeated_word_counts_as_often_as_one_reference_has_it():
    references = ["the cat is on the mat", "there is a cat on the mat"]
    found = result("the the the the the the the", references)

    assert (found["counts"], found["totals"]) == ([2, 0, 0, 0], [7, 6, 5, 4])


@pytest.mark.parametrize(
    ("words", "references", "length"),
    [(4, [2, 7], 2), (5, [2, 7], 7), (5, [4, 6], 4), (5, [6, 4], 4), (3, [3, 1], 3), (0, [2], 2)],
)
def test_the_closest_length_counts_the_shorter_of_two(words, references, length):
    found = result(" ".join("a" * words), [" ".join("b" * size) for size in references])

    assert (found["sys_len"], found["ref_len"]) == (words, length)


def test_short_predictions_pay():
    found = result("a b c d", "a b c d e f")

    assert found["brevity_penalty"] == math.exp(1 - 6 / 4)
    assert found["bleu"] == pytest.approx(100 * math.exp(1 - 6 / 4), rel=1e-14)


@by_table("options, precisions")
def test_orders_without_shared_ngrams_are_smoothed(options, precisions):
    found = result("a b x c d", "a b y c d", **options)

    assert found["precisions"] == pytest.approx(precisions, rel=1e-14)
    root = math.prod(precisions) ** 0.25
    assert found["bleu"] == pytest.approx(root, rel=1e-12)


def test_orders_may_be_left_out():
    assert result("a b", "a b")["bleu"] == 0.0
    assert result("a b", "a b", effective_order=True)["bleu"] == pytest.approx(100.0)
    assert result("a b", "a b", max_ngram_order=2)["bleu"] == pytest.approx(100.0)
    assert result("a b", "a b", per_example=True)["per_example"]["bleu"] == pytest.approx([100.0])


@pytest.mark.parametrize(
    ("tokenize", "words"),
    [("13a", 7), ("intl", 10), ("zh", 8), ("char", 13), ("none", 4), (str.split, 4), (list, 16)],
)
def test_tokenizers_differ(tokenize, words):
    assert result("„Où?“ 3,5 $. x-1 ", "", tokenize=tokenize)["sys_len"] == words


def test_a_tokenizer_may_return_text():
    def parted(text):
        return text.replace("-", " - ")

    assert result("a-b c", "", tokenize=parted)["sys_len"] == 4


def test_a_tokenizer_that_returns_no_words_is_named():
    with pytest.raises(ValueError, match=r"tokenize must return a str or a list of str, got 5 for"):
        result("a b c", "", tokenize=len)


def test_texts_without_words_under_other_definitions():
    found = result("", "a b c", definition="hf")
    assert (found["bleu"], found["length_ratio"], found["brevity_penalty"]) == (0.0, 0.0, 0.0)
    assert math.isnan(result("", "", definition="hf")["length_ratio"])
    assert result("a", "", definition="hf")["length_ratio"] == math.inf
    assert result("", "", definition="gleu") == {"google_bleu": 0.0}


@by_table("options, message")
def test_options_that_a_definition_does_not_have(options, message):
    with pytest.raises(ValueError, match=message):
        result("a b", "a b", **options)


def test_a_state_has_no_shape_of_scripts():
    state = State("bleu")
    state.update(**ROWS)

    with pytest.raises(ValueError, match="result_format is not an option of a result of bleu"):
        state.result(result_format="sacrebleu")
    with pytest.raises(ValueError, match="signature is not an option of a result of bleu"):
        state.result(signature=True)
