import math

import numpy as np
import pytest

from metric_commons import load
from tests.spec import Spec
from tests.tables import by_table

SPEC = Spec(
    name="win_rate",
    sample={"predictions": [1.0, 0.5, 0.0, 0.75], "ties": "half"},
    result={
        "win_rate": 0.5625,
        "discrete_win_rate": 0.625,
        "standard_error": math.sqrt(0.546875 / 3 / 4),
        "wins": 2,
        "losses": 1,
        "ties": 1,
    },
    perfect={"predictions": ["win", "win"]},
    best={
        "win_rate": 1.0,
        "discrete_win_rate": 1.0,
        "standard_error": 0.0,
        "wins": 2,
        "losses": 0,
        "ties": 0,
    },
    other_ranges={"standard_error": (0.0, 0.5)},
    wrong={"predictions": ["win"]},
)
WORDS = ["win", "win", "loss", "tie"]
NUMBERS = [1, 1.0, 0, 0.5]


@pytest.fixture(scope="module")
def win_rate():
    return load("win_rate")


@pytest.mark.parametrize("predictions", [WORDS, NUMBERS, np.array(WORDS), np.array(NUMBERS)])
def test_words_and_numbers_mean_the_same(win_rate, predictions):
    ignored = win_rate.compute(predictions=predictions)
    half = win_rate.compute(predictions=predictions, ties="half")

    counts = {"wins": 2, "losses": 1, "ties": 1}
    assert {key: ignored[key] for key in counts} == {key: half[key] for key in counts} == counts
    assert all(type(ignored[key]) is int for key in counts)
    assert ignored["win_rate"] == ignored["discrete_win_rate"] == 2 / 3
    assert ignored["standard_error"] == pytest.approx(1 / 3)
    assert half["win_rate"] == half["discrete_win_rate"] == 0.625
    assert half["standard_error"] == pytest.approx(np.std([1, 1, 0, 0.5], ddof=1) / 2)


def test_a_judge_may_be_less_than_sure(win_rate):
    ignored = win_rate.compute(predictions=[0.9, 0.6, 0.4999, 0.5])
    half = win_rate.compute(predictions=[0.9, 0.6, 0.4999, 0.5], ties="half")

    assert ignored["win_rate"] == ignored["discrete_win_rate"] == 2 / 3
    assert half["win_rate"] == pytest.approx(2.4999 / 4)
    assert half["discrete_win_rate"] == 0.625


def test_ties_alone(win_rate):
    ignored = win_rate.compute(
        predictions=["tie", "tie"], confidence_level=0.9, per_example=True, groups=["a", "b"]
    )
    half = win_rate.compute(predictions=["tie", "tie"], ties="half", confidence_level=0.9)

    nan = pytest.approx(math.nan, nan_ok=True)
    rates = dict.fromkeys(("win_rate", "discrete_win_rate"), nan)
    undefined = {**rates, "standard_error": nan}
    counts = {"wins": 0, "losses": 0}
    ends = {name: [nan, nan] for name in rates}
    beside = {
        "confidence_interval": ends,
        "interval": dict.fromkeys(rates, "law"),
        "effective_n": {},
    }
    assert ignored == {
        **undefined,
        **counts,
        "ties": 2,
        "per_example": {"win_rate": [nan, nan], "discrete_win_rate": [nan, nan]},
        **beside,
        "groups": {label: {**undefined, **counts, "ties": 1, **beside, "n": 1} for label in "ab"},
    }
    assert half["win_rate"] == 0.5
    assert half["standard_error"] == 0.0
    low, high = half["confidence_interval"]["win_rate"]
    # Two equal rows and one unseen: the root of 0.05 of the way to an end.
    assert (low, high) == pytest.approx((math.sqrt(0.05) / 2, 1 - math.sqrt(0.05) / 2))
    wilson = win_rate.compute(predictions=["tie"], interval="wilson", confidence_level=0.9)
    assert wilson["confidence_interval"]["win_rate"] == [nan, nan]


@pytest.mark.parametrize("ties", ["ignore", "half"])
def test_the_error_of_one_row_is_undefined(win_rate, ties):
    assert math.isnan(win_rate.compute(predictions=["win"], ties=ties)["standard_error"])


def test_ignored_ties_do_not_change_the_interval(win_rate):
    rows = ["win"] * 12 + ["loss"] * 7
    for interval in ("bootstrap", "wilson"):
        options = {"interval": interval, "confidence_level": 0.9}
        without, with_ties = (
            win_rate.compute(predictions=[*rows, *["tie"] * ties], **options) for ties in (0, 30)
        )
        assert without["confidence_interval"] == with_ties["confidence_interval"]
        assert without["standard_error"] == with_ties["standard_error"]


def test_scores_of_rows_are_the_values_that_count(win_rate):
    rows = [0.9, 0.5, 0.0]
    ignored = win_rate.compute(predictions=rows, per_example=True)["per_example"]
    half = win_rate.compute(predictions=rows, per_example=True, ties="half")["per_example"]

    assert half == {"win_rate": rows, "discrete_win_rate": [1.0, 0.5, 0.0]}
    assert ignored["win_rate"] == pytest.approx([1.0, math.nan, 0.0], nan_ok=True)


@by_table("predictions, message")
def test_bad_outcomes_are_named(win_rate, predictions, message):
    with pytest.raises(ValueError, match=rf"^predictions{message}"):
        win_rate.compute(predictions=predictions)


@pytest.mark.parametrize(
    ("predictions", "ties"),
    [([1, 0.7, 0.5], "half"), ([1, 0.7], "half"), (["win", "loss", "tie"], "half")],
)
def test_wilson_is_about_whole_wins(win_rate, predictions, ties):
    options = {"ties": ties, "interval": "wilson", "confidence_level": 0.9}
    with pytest.raises(ValueError, match=r"^interval of .*win_rate: 'wilson' is for scores 0"):
        win_rate.compute(predictions=predictions, **options)


def test_clusters_of_ignored_ties_do_not_count(win_rate):
    options = {"confidence_level": 0.9}
    rows, labels = ["win", "loss", "win", "win"], ["a", "a", "b", "c"]
    without = win_rate.compute(predictions=rows, clusters=labels, **options)
    with_ties = win_rate.compute(predictions=[*rows, "tie"], clusters=[*labels, "d"], **options)

    assert without["confidence_interval"] == with_ties["confidence_interval"]
    assert without["standard_error"] == with_ties["standard_error"]
    assert without["win_rate"] == 0.75
