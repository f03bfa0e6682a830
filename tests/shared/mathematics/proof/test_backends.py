import pytest

from metric_commons.mathematics import equivalence_scores
from metric_commons.mathematics.proof import backends


def test_any_reference_will_do():
    scores = equivalence_scores(
        ["0.5", "0.5", "0.5", "0.5"], ["1/2", ["1", "1/2"], ["1", "f(2)"], ["f(2)", "1/2"]]
    )

    assert scores.equal.tolist() == [1.0, 1.0, 0.0, 1.0]
    assert scores.undecided.tolist() == [0.0, 0.0, 1.0, 0.0]


def test_options_reach_the_comparison():
    pairs = ["28%", "105", "0.001"], ["28", "100", "0"]

    assert equivalence_scores(*pairs).equal.tolist() == [1.0, 0.0, 0.0]
    assert equivalence_scores(*pairs, percent="value").equal.tolist() == [0.0, 0.0, 0.0]
    assert equivalence_scores(*pairs, relative_tolerance=0.05).equal.tolist() == [1.0, 1.0, 0.0]
    assert equivalence_scores(*pairs, absolute_tolerance=5).equal.tolist() == [1.0, 1.0, 1.0]
    assert equivalence_scores(*pairs, backend="hendrycks").equal.tolist() == [0.0, 0.0, 0.0]


def test_hendrycks_leaves_nothing_undecided():
    scores = equivalence_scores([r"\sqrt", "1"], [r"\sqrt", "2"], backend="hendrycks")

    assert scores.equal.tolist() == [1.0, 0.0]
    assert scores.undecided.tolist() == [0.0, 0.0]


def test_each_pair_is_compared_once(monkeypatch):
    compared = []

    def compare(reference, prediction):
        compared.append((reference, prediction))
        return True

    monkeypatch.setattr(backends, "hendrycks_equal", compare)
    scores = equivalence_scores(["1", "2", "1"], ["1", "1", ["1"]], backend="hendrycks")

    assert scores.equal.tolist() == [1.0, 1.0, 1.0]
    assert compared == [("1", "1"), ("1", "2")]


@pytest.mark.parametrize("option", ["percent", "lists", "relative_tolerance"])
def test_options_of_the_exact_backend_alone(option):
    value = {"percent": "value", "lists": "set"}.get(option, 0.1)

    with pytest.raises(
        ValueError, match=f"^{option} applies to backend='exact', not to 'hendrycks'"
    ):
        equivalence_scores(["1"], ["1"], backend="hendrycks", **{option: value})


@pytest.mark.parametrize("reference", ["0,75", "-0,125", "1{,}5"])
def test_a_reference_is_unreadable_only_if_the_comparison_cannot_read_it(reference):
    for decimal_comma, unreadable, reason in (
        (True, 0.0, "proved different"),
        (False, 1.0, "unreadable reference"),
    ):
        scores = equivalence_scores(["5"], [reference], decimal_comma=decimal_comma)
        assert scores.explanations[0].reason == reason
        assert scores.unreadable.tolist() == [unreadable]


def test_a_reference_that_a_decimal_comma_makes_unreadable_counts():
    scores = equivalence_scores(["5"], ["1,5,2,"], decimal_comma=True)
    assert scores.explanations[0].reason == "unreadable reference"
    assert scores.unreadable.tolist() == [1.0]
    assert equivalence_scores(["5"], ["1,5,2,"]).unreadable.tolist() == [0.0]
