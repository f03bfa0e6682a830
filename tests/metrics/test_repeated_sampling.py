from fractions import Fraction

import numpy as np
import pytest

from metric_commons import load
from tests.spec import Spec
from tests.tables import by_table, other_shapes

SPEC = Spec(
    name="repeated_sampling",
    sample={
        "predictions": [["12", "12", "7", "12"], ["3", "5", "3", "5"], ["x", "y", "Z", ""]],
        "references": ["12", ["5", "five"], "z"],
        "k": [1, 3],
        "measures": ["maj@k", "self_consistency"],
    },
    result={
        "maj@1": (3 / 4 + 1 / 2 + 1 / 4) / 3,
        # All triples of 12 12 7 12 have two right ones; half of 3 5 3 5; Z is in three of four.
        "maj@3": (1 + 1 / 2 + 3 / 4 * 1 / 3) / 3,
        "self_consistency": (3 / 4 + 1 / 2 + 1 / 4) / 3,
    },
    perfect={
        "predictions": [["Yes", "yes ", "yes"], ["no", "no", "no"]],
        "references": ["yes", "no"],
        "k": [1, 3],
        "measures": ["maj@k", "self_consistency"],
    },
    best={"maj@1": 1.0, "maj@3": 1.0, "self_consistency": 1.0},
    wrong={"predictions": 12, "references": 12},
)

OTHER_SHAPES = other_shapes(__file__)


@pytest.fixture(scope="module")
def sampling():
    return load("repeated_sampling")


def test_all_samples_are_the_default(sampling):
    result = sampling.compute(
        predictions=[["a", "b", "b"], ["c"]], references=["b", "c"], per_example=True
    )

    assert result == {"maj@n": 1.0, "per_example": {"maj@n": [1.0, 1.0]}}


@pytest.mark.parametrize(
    ("ties", "score"), [("expected", 0.5), ("first", 0.0), ("optimistic", 1.0), ("pessimistic", 0)]
)
def test_ties(sampling, ties, score):
    tie = {"predictions": [["wrong", "right"]], "references": ["right"], "ties": ties}
    best = {"predictions": [[0, 1]], "scores": [[1.0, 1.0]], "measures": "best_of@k", "ties": ties}

    assert sampling.compute(**tie) == {"maj@n": score}
    assert sampling.compute(**best) == {"best_of@n": score}


def test_answers_are_clustered_before_they_vote(sampling):
    samples = {"predictions": [["0.5", "1/2", "2", "2", ".5"]], "references": ["0.5"]}

    def equal(left, right):
        return Fraction(left) == Fraction(right)

    assert sampling.compute(**samples) == {"maj@n": 0.0}
    assert sampling.compute(**samples, equivalence=equal) == {"maj@n": 1.0}
    assert sampling.compute(**samples, equivalence="math") == {"maj@n": 1.0}


def test_answers_are_cut_out_of_samples(sampling):
    samples = {
        "predictions": [["so #### 4", "4", "#### 4", "??", "##"], ["#### 5"]],
        "references": ["#### 4", "#### 6"],
        "extract": "gsm8k",
        "extract_references": "gsm8k",
    }

    assert sampling.compute(**samples, per_example=True)["per_example"] == {
        "maj@n": [0.0, 0.0],
        "unparsed": [0.6, 0.0],
    }
    silent = sampling.compute(**samples, unparsed_votes=False)
    assert silent == {"maj@n": 0.5, "unparsed": 0.3}


def test_texts_are_normalized(sampling):
    samples = {"predictions": [["Paris", "paris ", "London"]], "references": ["PARIS"]}

    assert sampling.compute(**samples, k=3) == {"maj@3": 1.0}
    assert sampling.compute(**samples, k=3, normalizer="none") == {"maj@3": 0.0}
    assert sampling.compute(**samples, normalizer=str.strip, measures="self_consistency") == {
        "self_consistency": 1 / 3
    }


def test_samples_without_an_answer(sampling):
    samples = {"predictions": [["", " ", "", "4", "4"]], "references": ["4"]}
    measures = ["maj@k", "self_consistency"]

    assert sampling.compute(**samples, measures=measures) == {"maj@n": 0.0, "self_consistency": 0.6}
    silent = sampling.compute(**samples, measures=measures, unparsed_votes=False)
    assert silent == {"maj@n": 1.0, "self_consistency": 0.4}
    of_two = sampling.compute(**samples, k=2, unparsed_votes=False)
    assert of_two["maj@2"] == 7 / 10  # all pairs but three of blanks


def test_the_best_of_answers(sampling):
    result = sampling.compute(
        predictions=[["3", "4"], ["5", "6", "5"]],
        references=["4", ["5", "five"]],
        scores=[np.array([0.1, 0.2]), [float("-inf"), 2, 1]],
        measures=["best_of@k", "maj@k"],
        per_example=True,
    )

    assert result["per_example"] == {"best_of@n": [1.0, 0.0], "maj@n": [0.5, 1.0]}


@by_table("call, message")
def test_what_cannot_be_scored_is_refused(sampling, call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        sampling.compute(**call)


def test_rows_with_and_without_references_do_not_mix():
    sampling = load("repeated_sampling")
    sampling.add(prediction=["a"], reference="a")
    sampling.add(prediction=[1])

    with pytest.raises(ValueError, match="some rows have references, others have none"):
        sampling.compute()


def test_intervals_are_over_problems(sampling):
    answers = {"predictions": [["a", "a"], ["a", "b"], ["b", "b"]] * 5, "references": ["a"] * 15}
    result = sampling.compute(**answers, k=2, confidence_level=0.95)
    single = sampling.compute(
        predictions=[["a"], ["a", "b"], ["b"]] * 5, references=["a"] * 15, confidence_level=0.95
    )

    assert result["confidence_interval"]["maj@2"] == single["confidence_interval"]["maj@n"]
