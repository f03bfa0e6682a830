import pytest

from metric_commons import load
from tests.spec import Spec
from tests.tables import other_shapes

SPEC = Spec(
    name="qa_f1",
    sample={
        "predictions": ["cat sat on", "the dog", "Paris"],
        "references": [["a dog", "the cat sat"], "dog", ["London"]],
    },
    result={"qa_f1": 0.6, "qa_precision": (2 / 3 + 1 + 0) / 3, "qa_recall": 2 / 3},
    perfect={"predictions": ["a b"], "references": [["c", "b a"]]},
    best={"qa_f1": 1.0, "qa_precision": 1.0, "qa_recall": 1.0},
    wrong={"predictions": 1889, "references": ["Paris", 7]},
)

OTHER_SHAPES = other_shapes(__file__)


def scores(prediction, reference, **options):
    """F1, precision and recall of one question."""
    result = load("qa_f1").compute(predictions=[prediction], references=[reference], **options)
    return result["qa_f1"], result["qa_precision"], result["qa_recall"]


# By hand: shared words, words predicted, words accepted.
@pytest.mark.parametrize(
    ("prediction", "reference", "options", "shared", "predicted", "accepted"),
    [
        ("cat sat on", "the cat sat", {}, 2, 3, 2),
        ("cat sat on", "the cat sat", {"normalizer": "lower"}, 2, 3, 3),
        ("to be or not to be", "to be to", {}, 3, 6, 3),
        ("to be or not to be", "to be to", {"overlap": "set"}, 2, 4, 2),
        ("well-known fact", "well known", {"normalizer": "triviaqa"}, 2, 3, 2),
        ("21.0 men", "21 men", {"normalizer": "drop", "overlap": "set"}, 2, 2, 2),
        ("Cat cat", "cat", {"normalizer": "none"}, 1, 2, 1),
        ("CAT", "cat dog", {"normalizer": str.lower}, 1, 1, 2),
    ],
)
def test_shared_words_count(prediction, reference, options, shared, predicted, accepted):
    precision, recall = shared / predicted, shared / accepted
    f1 = 2 * precision * recall / (precision + recall)

    assert scores(prediction, reference, **options) == (f1, precision, recall)


def test_nothing_shared_scores_nothing():
    assert scores("cat", "dog") == scores("", "dog") == scores("cat", "the") == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, 1.0), ({"both_empty": 1}, 1.0), ({"both_empty": 0.0}, 0.0), ({"both_empty": 0.5}, 0.5)],
)
def test_two_texts_without_words_score_what_is_asked_for(options, expected):
    assert scores("", "", **options) == (expected,) * 3
    assert scores("the", ["cat", "?"], **options) == (expected,) * 3
    assert scores("", "cat", **options) == (0.0,) * 3


def test_precision_and_recall_are_those_of_the_best_reference():
    best = (1.0, 1.0, 1.0)

    assert scores("red cat", ["red cat sat on it", "red cat", "red"]) == best


def test_of_equally_good_references_the_first_counts():
    short, long = "red", "red cat sat down"  # F1 is 2/3 with both

    assert scores("red cat", [short, long]) == (2 / 3, 0.5, 1.0)
    assert scores("red cat", [long, short]) == (2 / 3, 1.0, 0.5)


def test_all_three_may_be_averaged_over_the_references():
    mean = {"reference_aggregation": "mean"}

    assert scores("red cat", ["red", "dog"], **mean) == (1 / 3, 0.25, 0.5)
    assert scores("", ["the", "dog"], both_empty=1.0, **mean) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize("empty", ["", "the", "?!"])
@pytest.mark.parametrize("rows", [11, 12, 40])
def test_empty_texts_at_the_end_take_no_words_from_others(rows, empty):
    """The token of the row before is the last one of the block."""
    texts = ["New York City", *[empty] * (rows - 1)]
    for column in (texts, texts[::-1], texts[1:6] + texts[:1] + texts[6:]):
        result = load("qa_f1").compute(predictions=column, references=column, per_example=True)

        assert result["per_example"]["qa_f1"] == [1.0] * rows
        assert result["qa_f1"] == 1.0
