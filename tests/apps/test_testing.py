"""`assert_scores` fails with a message that a reader can act on."""

import re

import numpy as np
import pandas as pd
import pytest

from metric_commons import load
from metric_commons.frameworks.harnesses import pytest_plugin
from metric_commons.frameworks.harnesses.assertions import assert_scores

PREDICTIONS = ["Oslo", "Bern", "Roma", "Cairo"]
REFERENCES = ["Oslo", "Bern", ["Rome"], ["Cairo"]]


def test_the_result_is_that_of_compute():
    result = assert_scores("qa_f1", PREDICTIONS, REFERENCES, at_least=0.7, normalizer="lower")

    assert result == load("qa_f1").compute(
        predictions=PREDICTIONS,
        references=REFERENCES,
        normalizer="lower",
        per_example=True,
        confidence_level=0.95,
    )


def test_a_low_score_shows_its_interval_and_the_worst_rows():
    with pytest.raises(AssertionError) as failure:
        assert_scores("qa_em", PREDICTIONS, REFERENCES, at_least=0.8)

    first, *rows = str(failure.value).splitlines()
    assert first == "qa_em 0.7500 [0.1941, 0.9937] of 4 rows is below 0.8; the worst rows:"
    assert rows[0] == "  row 2: 0.0000  'Roma' for ['Rome']"
    assert len(rows) == 3


def test_luck_does_not_pass():
    assert_scores("qa_em", ["a"] * 10, ["a"] * 10, at_least=0.9)
    with pytest.raises(AssertionError, match=r"qa_em 1.0000 \[0.6915, 1.0000\] of 10 rows may be"):
        assert_scores("qa_em", ["a"] * 10, ["a"] * 10, at_least=0.9, certain=True)
    assert_scores("qa_em", ["a"] * 10, ["a"] * 10, at_least=0.69, certain=True)


def test_scores_of_whole_corpora_and_of_labels():
    assert_scores("chrf", PREDICTIONS, REFERENCES, at_least=50)
    assert_scores("classification", [1, 0, 1], [1, 0, 1], at_least=1.0, score="f1")
    with pytest.raises(AssertionError, match=r"accuracy 0.6667 \[.*\] of 3 rows is below 0.9$"):
        assert_scores("classification", [1, 0, 1], [1, 0, 0], at_least=0.9)


def test_error_rates_have_a_ceiling():
    spoken, written = ["a b c d", "a b"], ["a b c d", "a c"]

    assert assert_scores("error_rate", spoken, written, at_most=0.2)["wer"] == 1 / 6
    with pytest.raises(AssertionError) as failure:
        assert_scores("error_rate", spoken, written, at_most=0.1)
    first, *rows = str(failure.value).splitlines()
    assert re.fullmatch(r"wer 0\.1667 \[.*\] of 2 rows is above 0\.1; the worst rows:", first)
    assert rows[0] == "  row 1: 0.5000  'a b' for 'a c'"
    with pytest.raises(AssertionError, match=r"may be above 0\.2"):
        assert_scores("error_rate", spoken, written, at_most=0.2, certain=True)
    assert_scores("regression", [1.0, 2.0], [1.0, 2.5], at_most=0.3, score="mae")
    with pytest.raises(AssertionError, match=r"ter .* is above 10"):
        assert_scores("ter", PREDICTIONS, REFERENCES, at_most=10)


@pytest.mark.parametrize("column", [lambda values: pd.Series(values, index=[5, 7]), np.array])
def test_worst_rows_of_columns_of_other_types(column):
    with pytest.raises(AssertionError) as failure:
        assert_scores("qa_em", column(["a", "b"]), column(["a", "c"]), at_least=0.9)
    assert str(failure.value).splitlines()[1] == "  row 1: 0.0000  'b' for 'c'"


def test_modules_without_references():
    assert_scores("pass_at_k", [[1, 0], [1, 1]], at_least=0.7)
    with pytest.raises(AssertionError) as failure:
        assert_scores("pass_at_k", [[1, 0], [1, 1]], at_least=0.8)
    assert str(failure.value).splitlines()[1] == "  row 0: 0.5000  [1, 0]"


def test_scores_may_have_both_limits():
    assert_scores("qa_em", PREDICTIONS, REFERENCES, at_least=0.7, at_most=0.8)
    assert_scores("ter", PREDICTIONS, REFERENCES, at_least=1, at_most=100)
    with pytest.raises(AssertionError, match=r"is above 0\.7"):
        assert_scores("qa_em", PREDICTIONS, REFERENCES, at_least=0.6, at_most=0.7)
    with pytest.raises(AssertionError, match=r"may be below 0\.7 or above 0\.8"):
        assert_scores("qa_em", PREDICTIONS, REFERENCES, at_least=0.7, at_most=0.8, certain=True)


def test_an_undefined_score_does_not_pass():
    with pytest.raises(AssertionError, match="r2 nan"):
        assert_scores("regression", [1.0], [1.0], at_least=0.0, score="r2")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"module": "qa_ff1"}, ValueError, "did you mean 'qa_f1'"),
        ({"score": "qa_f1"}, ValueError, "qa_em has no score 'qa_f1'"),
        ({"at_least": "high"}, ValueError, "at_least must be a number"),
        ({"at_least": float("nan")}, ValueError, "at_least must be a number"),
        ({"predictions": ["a"]}, ValueError, "1.*4|4.*1"),
        ({"normaliser": "squad"}, TypeError, "did you mean 'normalizer'"),
        ({"module": "ter"}, ValueError, "lower is better for 'ter'; pass at_most="),
        ({"at_least": None}, ValueError, "pass at_least= or at_most="),
        ({"at_most": 0.4}, ValueError, "at_least is 0.5, but at_most is 0.4"),
        ({"at_most": True}, ValueError, "at_most must be a number"),
    ],
)
def test_wrong_calls_are_not_failed_assertions(arguments, error, message):
    call = {
        "module": "qa_em",
        "predictions": PREDICTIONS,
        "references": REFERENCES,
        "at_least": 0.5,
    }
    with pytest.raises(error, match=message):
        assert_scores(**(call | arguments))


def test_the_fixture_is_the_function():
    """pytest finds the plugin by an entry point."""
    assert pytest_plugin.assert_scores.__wrapped__() is assert_scores
