import math

import pytest

from metric_commons import load
from tests.spec import Spec

SPEC = Spec(
    name="ter",
    sample={
        "predictions": [
            "on the mat a cat sat",
            "there was a dog",
            "he reads two old books",
            "so it is",
        ],
        "references": [
            "a cat sat on the mat",
            ["a dog was there today", "there was the dog"],
            ["he read two old books today"],
            "so it is",
        ],
    },
    # By hand: one move; one substitution; one of each and one word more; lengths 6, 4.5, 6 and 3.
    result={"ter": 100 * 4 / 19.5, "num_edits": 4, "ref_length": 19.5},
    perfect={"predictions": ["The cat"], "references": [["x", "the cat"]]},
    best={"ter": 0.0, "num_edits": 0, "ref_length": 1.5},
    other_ranges={"ter": (0.0, math.inf), "ref_length": (0.0, math.inf)},
    wrong={"predictions": 3, "references": ["a", 7]},
)


def edits(prediction, reference, **options):
    result = load("ter").compute(predictions=[prediction], references=[reference], **options)
    return result["num_edits"]


@pytest.mark.parametrize(
    ("prediction", "reference", "options", "expected"),
    [
        ("b c d e a", "a b c d e", {}, 1),
        ("d e f a b c", "a b c d e f", {}, 1),
        ("c b a", "a b c", {}, 2),
        ("a b", "a b c", {}, 1),
        ("a b c", "a b", {}, 1),
        ("a x c", "a b c", {}, 1),
        ("a b", "", {}, 2),
        ("", "a b", {}, 2),
        ("A B", "a b", {}, 0),
        ("A B", "a b", {"case_sensitive": True}, 2),
        ("a, b", "a b", {}, 1),
        ("a, b", "a , b", {"normalized": True}, 0),
        ("a, b!", "a b", {"no_punct": True}, 0),
        ("the car is Peter's, not mine", "that car is Peter's, not mine", {"normalized": True}, 3),
        ("Peter's, yes", "Peter's, yes", {"normalized": True}, 2),  # references are read twice
        ("今天好", "今天", {}, 1),
        ("今天好", "今 天 好", {"normalized": True, "asian_support": True}, 0),
        ("今天。", "今天", {"no_punct": True}, 1),
        ("今天。", "今天", {"no_punct": True, "asian_support": True}, 0),
        ("a b c", ["x y z", "a b d"], {}, 1),
    ],
)
def test_edits_are_counted(prediction, reference, options, expected):
    assert edits(prediction, reference, **options) == expected


def test_an_empty_reference_is_100():
    metric = load("ter")

    assert metric.compute(predictions=["a b c"], references=[""])["ter"] == 100.0
    assert metric.compute(predictions=[""], references=[""])["ter"] == 0.0
    assert metric.compute(predictions=["a b", "c"], references=["", "c"])["ter"] == 200.0


def test_a_stretch_is_not_moved_farther_than_fifty_places():
    near, far = ([f"w{n}" for n in range(size)] for size in (50, 52))

    assert edits(" ".join([*near, "x"]), " ".join(["x", *near])) == 1
    assert edits(" ".join([*far, "x"]), " ".join(["x", *far])) == 2
