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

    with pytest.raises(ValueError, match=f"^{option} applies to backend='exact', not to 'minerva'"):
        equivalence_scores(["1"], ["1"], backend="minerva", **{option: value})


@pytest.fixture
def library(monkeypatch):
    """A function that sets the answers of a library, and returns what it is asked."""

    def answering(backend, compare):
        asked = []

        class Process:
            def __init__(self, *options):
                assert options == (backend, 3)

            def __enter__(self):
                return self

            def __exit__(self, *error):
                pass

            def compare(self, *pair):
                asked.append(pair)
                return compare(*pair)

        monkeypatch.setattr(backends, "SymbolicProcess", Process)
        return asked

    return answering


def test_minerva_compares_normalized_answers(library):
    library("minerva", lambda left, right: None if left == "open" else left == right)
    scores = equivalence_scores(
        ["12 dollars", "12 cm", "1"], ["$x = 12$", "open", "12"], backend="minerva", timeout=3
    )

    assert scores.equal.tolist() == [1.0, 0.0, 0.0]
    assert scores.undecided.tolist() == [0.0, 1.0, 0.0]


def test_math_verify_is_asked_about_what_is_open(library):
    asked = library("math_verify", lambda left, _: {"2f": True, "3f": False}.get(left))
    scores = equivalence_scores(
        ["1", "f(2)", "f(2)", "f(2)", "2", "f(2)"],
        ["1", "2f", "3f", "4f", "3", ["3f", "f(2)"]],
        backend="exact_then_math_verify",
        timeout=3,
        explain=True,
    )

    assert scores.equal.tolist() == [1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    assert scores.by_math_verify.tolist() == [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    assert scores.undecided.tolist() == [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    assert [found.verdict for found in scores.explanations] == [True, None, None, None, False, True]
    assert scores.explanations[1].steps[-1] == "rule: math-verify calls them equal"
    assert asked == [("2f", "f(2)"), ("3f", "f(2)"), ("4f", "f(2)")]


@pytest.mark.parametrize("reference", ["0,75", "-0,125", "1{,}5"])
def test_a_reference_is_unreadable_only_if_the_comparison_cannot_read_it(reference):
    for decimal_comma, unreadable, reason in (
        (True, 0.0, "proved different"),
        (False, 1.0, "unreadable reference"),
    ):
        scores = equivalence_scores(["5"], [reference], decimal_comma=decimal_comma, explain=True)
        assert scores.explanations[0].reason == reason
        assert scores.unreadable.tolist() == [unreadable]


def test_a_reference_that_a_decimal_comma_makes_unreadable_counts():
    scores = equivalence_scores(["5"], ["1,5,2,"], decimal_comma=True, explain=True)
    assert scores.explanations[0].reason == "unreadable reference"
    assert scores.unreadable.tolist() == [1.0]
    assert equivalence_scores(["5"], ["1,5,2,"]).unreadable.tolist() == [0.0]
