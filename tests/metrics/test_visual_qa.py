"""Oracles are the definitions of the scripts of DocVQA, VQA and ChartQA, row by row."""

import random
import re

import pytest

from metric_commons import compare_rows, load
from tests.spec import Spec
from tests.tables import by_table

SPEC = Spec(
    name="visual_qa",
    sample={
        "predictions": ["12 May 2O15", "two dogs", "10.4"],
        "references": [["12 May 2015", "12/5/2015"], ["2 dogs"], ["10"]],
        "measures": ["anls", "vqa_accuracy", "relaxed_accuracy"],
    },
    result={
        "anls": (10 / 11 + 5 / 8 + 1 / 2) / 3,
        "vqa_accuracy": 0.0,
        "relaxed_accuracy": 1 / 3,
    },
    perfect={
        "predictions": ["yes"],
        "references": [["yes"] * 4],
        "measures": ["anls", "vqa_accuracy", "relaxed_accuracy"],
    },
    best={"anls": 1.0, "vqa_accuracy": 1.0, "relaxed_accuracy": 1.0},
    wrong={"predictions": 7, "references": ["a", 7]},
)
MARKS = [*';/[]"{}()=+\\_-><@`,?!']
DIGITS = "zero one two three four five six seven eight nine ten".split()


def scores(predictions, references, measure, **options):
    result = load("visual_qa").compute(
        predictions=predictions,
        references=references,
        measures=measure,
        per_example=True,
        **options,
    )
    return result["per_example"][measure]


def distance(left, right):
    row = list(range(len(right) + 1))
    for place, letter in enumerate(left, 1):
        above, row[0] = row[0], place
        for column, other in enumerate(right, 1):
            above, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, above + (letter != other)),
            )
    return row[-1]


def anls(prediction, references):
    values = []
    for reference in references:
        plain = [" ".join(text.strip().lower().split()) for text in (reference, prediction)]
        length = max(len(reference.upper()), len(prediction.upper()))
        values.append(distance(*plain) / length if length else 0.0)
    similarity = 1 - min(values)
    return similarity if similarity >= 0.5 else 0.0


def without_marks(text):
    has_comma = re.search(r"(\d)(\,)(\d)", text) is not None
    plain = text
    for mark in MARKS:
        apart = mark + " " in text or " " + mark in text or has_comma
        plain = plain.replace(mark, "" if apart else " ")
    return re.sub(r"\.(?!\d)", "", plain, count=32)


def with_digits(text):
    numbers = {"none": "0"} | {word: str(number) for number, word in enumerate(DIGITS)}
    words = [numbers.get(word, word) for word in text.lower().split()]
    contracted = {"dont": "don't", "couldnt've": "couldn't've", "couldn'tve": "couldn't've"}
    contracted |= {"ow's'at": "'ow's'at", "somebody'd": "somebodyd", "whats": "what's"}
    return " ".join(contracted.get(word, word) for word in words if word not in ("a", "an", "the"))


def vqa(prediction, people):
    answers = [text.replace("\n", " ").replace("\t", " ").strip() for text in [prediction, *people]]
    if len(set(answers[1:])) > 1:
        answers = [with_digits(without_marks(text)) for text in answers]
    answer, *people = answers
    shares = []
    for left_out in range(len(people)):
        others = people[:left_out] + people[left_out + 1 :]
        shares.append(min(1, others.count(answer) / 3))
    return sum(shares) / len(shares)


def drawn_rows(seed):
    dice = random.Random(seed)
    pieces = ["a", "the", "Two", "2", "none", "1,000", "3.5", "dont", "couldnt've", "ow's'at"]
    pieces += [
        "somebody'd",
        "whats",
        "left-hand",
        "ok.",
        "(red)",
        "  ",
        "\t",
        "no",
        "no",
        "5%",
        "ß",
    ]
    texts = [" ".join(dice.choices(pieces, k=dice.randint(0, 3))) for _ in range(12)]
    rows = [
        (dice.choice(texts), dice.choices(texts, k=dice.choice([1, 2, 10, 10]))) for _ in range(300)
    ]
    return [list(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("seed", range(3))
def test_drawn_rows_equal_the_scripts(seed):
    predictions, references = drawn_rows(seed)
    rows = list(zip(predictions, references, strict=True))

    assert scores(predictions, references, "anls") == [anls(*row) for row in rows]
    assert scores(predictions, references, "vqa_accuracy") == [vqa(*row) for row in rows]


@by_table("prediction, reference, expected")
def test_near_numbers_are_right(prediction, reference, expected):
    assert scores([prediction], [[reference, "other"]], "relaxed_accuracy") == [expected]
    assert scores([prediction], [reference], "relaxed_accuracy") == [expected]


def test_options_are_limits():
    assert scores(["abcd"], ["abxy"], "anls") == [0.5]
    assert scores(["abcd"], ["abxy"], "anls", threshold=0.6) == [0.0]
    assert scores(["12"], ["10"], "relaxed_accuracy", tolerance=0.2) == [1.0]


def test_intervals_and_comparisons_come_by_themselves():
    predictions, references = drawn_rows(5)
    result = load("visual_qa").compute(
        predictions=predictions, references=references, confidence_level=0.95
    )
    low, high = result["confidence_interval"]["anls"]
    first, second = (scores(column, references, "anls") for column in (predictions, ["no"] * 300))

    assert low < result["anls"] < high
    assert 0 <= compare_rows(first, second)["p_value"] <= 1
