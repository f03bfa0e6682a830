import pytest

from metric_commons import load
from tests.spec import Spec
from tests.tables import by_table

SPEC = Spec(
    name="rouge_n_l",
    sample={
        "predictions": ["the cat sat", "on the mat", "dogs"],
        "references": ["the cat sat on the mat", ["a dog", "the mat"], ["cats", "birds"]],
    },
    result={
        "rouge1": (2 / 3 + 4 / 5 + 0) / 3,
        "rouge1_precision": (1 + 2 / 3 + 0) / 3,
        "rouge1_recall": (1 / 2 + 1 + 0) / 3,
        "rouge2": (4 / 7 + 2 / 3 + 0) / 3,
        "rouge2_precision": (1 + 1 / 2 + 0) / 3,
        "rouge2_recall": (2 / 5 + 1 + 0) / 3,
        "rougeL": (2 / 3 + 4 / 5 + 0) / 3,
        "rougeL_precision": (1 + 2 / 3 + 0) / 3,
        "rougeL_recall": (1 / 2 + 1 + 0) / 3,
    },
    perfect={"predictions": ["A b c."], "references": [["b c", "a b c"]]},
    best={f"rouge{kind}{part}": 1.0 for kind in "12L" for part in ("", "_precision", "_recall")},
    wrong={"predictions": 1889, "references": ["Paris", 7]},
)


@pytest.fixture(scope="module")
def rouge():
    return load("rouge_n_l")


@pytest.mark.parametrize(
    "text", ["今天天气很好", "यह हिन्दी है", "Москва слезам не верит", "한국어 文章です"]
)
def test_equal_texts_of_any_script_score_one(rouge, text):
    options = {"predictions": [text], "references": [text]}
    result = rouge.compute(**options, tokenizer="unicode")

    assert result == dict.fromkeys(result, 1.0)
    assert rouge.compute(**options)["rouge1"] == 0.0  # as rouge_score


def test_a_function_is_a_tokenizer(rouge):
    result = rouge.compute(
        predictions=["A-B"], references=["a-B"], tokenizer=list, rouge_types=["rouge1"]
    )

    assert result["rouge1"] == 2 / 3


def test_what_a_tokenizer_must_not_return_is_named(rouge):
    def words(text):
        return text.split() if "!" not in text else text

    with pytest.raises(ValueError, match=r"tokenizer must return a list of str, got 'b!' for 'b!'"):
        rouge.compute(predictions=["a"] * 2, references=["a", ["a", "b!"]], tokenizer=words)


@by_table("options, message")
def test_wrong_options_are_named(rouge, options, message):
    with pytest.raises(ValueError, match=message):
        rouge.compute(predictions=["a"], references=["b"], **options)


def test_what_splits_summaries_returns_texts():
    with pytest.raises(ValueError, match=r"split_summaries must return a list of str, got 3 for"):
        load("rouge_n_l").compute(
            predictions=["a b"], references=["a"], rouge_types=["rougeLsum"], split_summaries=len
        )


def test_sentences_are_normalized_one_by_one():
    found = load("rouge_n_l").compute(
        predictions=["The end. A cat"],
        references=["cat. end"],
        rouge_types=["rougeLsum", "rouge1"],
        normalizer="squad",
        split_summaries=lambda text: text.split(". "),
    )

    assert (found["rougeLsum"], found["rouge1"]) == (1.0, 1.0)
