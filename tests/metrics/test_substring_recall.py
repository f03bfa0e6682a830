import pytest

from metric_commons import load
from tests.spec import Spec
from tests.tables import by_table, other_shapes

SPEC = Spec(
    name="substring_recall",
    sample={
        "predictions": ["The answer is Barack Obama.", "It is Obama.", "in NYC"],
        "references": ["Barack Obama", ["Barack Obama"], ["New York City", "NYC"]],
    },
    result={"substring_recall": 2 / 3},
    perfect={"predictions": ["a b c"], "references": [["d", "b c"]]},
    best={"substring_recall": 1.0},
    wrong={"predictions": 1889, "references": ["Paris", 7]},
)

OTHER_SHAPES = other_shapes(__file__)


def score(prediction, reference, **options):
    """The score of one question."""
    metric = load("substring_recall")
    return metric.compute(predictions=[prediction], references=[reference], **options)[metric.name]


@by_table("prediction, reference, substring, tokens, token_set")
def test_what_is_contained(prediction, reference, substring, tokens, token_set):
    assert score(prediction, reference) == substring
    assert score(prediction, reference, match="tokens") == tokens
    assert score(prediction, reference, match="token_set") == token_set


# By hand, from the steps of each community's function in their order.
@pytest.mark.parametrize(
    ("normalizer", "prediction", "reference", "expected"),
    [
        ("lower", "In New  York.", "new york", 1.0),
        ("lower", "In the U.S.A.", "USA", 0.0),
        ("squad", "In the U.S.A.", "USA", 1.0),
        ("squad", "over the moon", "over moon", 1.0),
        ("triviaqa", "a well-known fact", "well known", 1.0),
        ("ultrarag", "True", "yes", 1.0),
        ("strip_lower", "In New  York.", "new york", 0.0),
        ("strip_lower", "In New  York.", " NEW ", 1.0),
        ("none", "In New York.", "new york", 0.0),
        (str.casefold, "Die Straße", "STRASSE", 1.0),
    ],
)
def test_a_normalizer_goes_first(normalizer, prediction, reference, expected):
    assert score(prediction, reference, normalizer=normalizer) == expected


def test_lower_is_the_default():
    assert load("substring_recall").options["normalizer"] == "lower"
    assert score("IT IS NYC", "nyc") == 1.0


# What Acc and CoverEM of UltraRAG (015e838) return, and OLMES's recall: `gold in prediction`.
@by_table("community, prediction, reference, expected")
def test_a_reference_of_nothing_is_contained_where_a_community_says_so(
    community, prediction, reference, expected
):
    options = {
        "acc": {"normalizer": "ultrarag"},
        "coverem": {"normalizer": "ultrarag", "match": "token_set"},
        "recall": {"normalizer": "strip_lower"},
    }[community]

    assert score(prediction, reference, empty_reference="always", **options) == expected
    assert score(prediction, reference, **options) == 0.0


def test_a_prediction_contains_any_reference_or_a_share_of_them():
    references = ["boat", "sea", "lake", "ship"]

    assert score("a boat on a lake", references) == 1.0
    assert score("a boat on a lake", references, reference_aggregation="mean") == 0.5
