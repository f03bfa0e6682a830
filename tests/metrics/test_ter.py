import math

from metric_commons import load
from tests.spec import Spec
from tests.tables import by_table

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


@by_table("prediction, reference, options, expected")
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
