import pytest

from metric_commons import load
from tests.spec import Spec
from tests.tables import by_table, other_shapes

SPEC = Spec(
    name="qa_em",
    sample={
        "predictions": ["The Eiffel Tower!", "1889", "Paris"],
        "references": [["Eiffel Tower", "La tour Eiffel"], "1887", ["paris, France", "Paris"]],
    },
    result={"qa_em": 2 / 3},
    perfect={"predictions": ["a b"], "references": [["b a", "a b"]]},
    best={"qa_em": 1.0},
    wrong={"predictions": 1889, "references": ["Paris", 7]},
)

OTHER_SHAPES = other_shapes(__file__)


def score(prediction, reference, **options):
    """The score of one question."""
    return load("qa_em").compute(predictions=[prediction], references=[reference], **options)[
        "qa_em"
    ]


# By hand, from the steps of each community's function in their order.
@pytest.mark.parametrize(
    ("normalizer", "same", "other"),
    [
        ("squad", ("The  Cat", "cat"), ("café", "cafe")),
        ("squad", ("U.S.A.", "USA"), ("well-known", "well known")),
        ("squad", ("3.14", "314"), ("the-end", "end")),
        ("triviaqa", ("the-end", "end"), ("U.S.A.", "USA")),
        ("triviaqa", ("snake_case", "Snake Case"), ("3.14", "314")),
        ("triviaqa", ("Rowling’s", "rowling s"), ("True", "yes")),
        ("ultrarag", ("True", "yes"), ("true", "yes")),
        ("ultrarag", ("A", "the"), ("A", "B")),
        ("ultrarag_keep_articles", ("A cat", "cat"), ("A", "the")),
        ("drop", ("21.0", "21"), ("3.14", "314")),
        ("drop", ("well-known", "well known"), ("1,000", "1.000")),
        ("lower", ("New  York", "new york"), ("The cat", "cat")),
        ("strip_lower", (" New York ", "new york"), ("New  York", "new york")),
        ("none", ("Cat", "Cat"), ("Cat", "cat")),
        (str.casefold, ("Straße", "STRASSE"), ("cat.", "cat")),
    ],
)
def test_a_normalizer_decides_what_is_the_same(normalizer, same, other):
    assert score(*same, normalizer=normalizer) == 1.0
    assert score(*other, normalizer=normalizer) == 0.0


def test_squad_is_the_default():
    assert load("qa_em").options["normalizer"] == "squad"
    assert score("The Cat!", "cat") == 1.0


@by_table("references, any_of_them, share")
def test_a_prediction_equals_any_reference_or_a_share_of_them(references, any_of_them, share):
    assert score("the cat", references) == any_of_them
    assert score("the cat", references, reference_aggregation="mean") == share


def test_empty_texts_are_the_same():
    assert score("", "") == score("the", ["dog", "?"]) == 1.0
    assert score("", "", normalizer="none") == 1.0


def test_the_error_of_a_normalizer_is_not_hidden():
    qa_em = load("qa_em", normalizer=lambda text: text.encode("ascii").decode())

    with pytest.raises(UnicodeEncodeError):
        qa_em.compute(predictions=["é"], references=["e"])
    assert qa_em.compute(predictions=["e"], references=["e"]) == {"qa_em": 1.0}
