import math
import tracemalloc

import numpy as np
import pytest

from metric_commons import load
from tests.spec import Spec
from tests.tables import by_table, other_shapes

GRADES = ["correct", "correct", "incorrect", "not_attempted", "A", "B", "C", "A"]

SPEC = Spec(
    name="selective_answering",
    sample={"predictions": GRADES, "confidence_targets": [0.5, 0.75]},
    result={
        "correct": 4 / 8,
        "incorrect": 2 / 8,
        "not_attempted": 2 / 8,
        "accuracy_given_attempted": 4 / 6,
        "f1": 8 / (6 + 8),
        "penalized@0.5": (4 - 2) / 8,
        "penalized@0.75": (4 - 3 * 2) / 8,
    },
    perfect={"predictions": ["correct", "A"], "confidence_targets": [0.5, 0.75]},
    best={
        "correct": 1.0,
        "incorrect": 0.0,
        "not_attempted": 0.0,
        "accuracy_given_attempted": 1.0,
        "f1": 1.0,
        "penalized@0.5": 1.0,
        "penalized@0.75": 1.0,
    },
    other_ranges={"penalized@0.5": (-1.0, 1.0), "penalized@0.75": (-3.0, 1.0)},
    wrong={"predictions": 1},
)


def answer(correct, confidence, **attempted):
    return {"correct": correct, "confidence": confidence, **attempted}


ANSWERS = [answer(True, 0.9), answer(False, 0.6), answer(True, 0.6), answer(False, 0.1)]

OTHER_SHAPES = other_shapes(__file__)


@pytest.fixture(scope="module")
def selective():
    return load("selective_answering")


def test_nothing_attempted_has_no_accuracy(selective):
    result = selective.compute(predictions=["C"] * 3, confidence_level=0.9)

    assert math.isnan(result["accuracy_given_attempted"])
    assert result["f1"] == 0.0
    assert all(map(math.isnan, result["confidence_interval"]["accuracy_given_attempted"]))


@pytest.mark.long
@pytest.mark.parametrize("clusters", [None, ["a", "b", "b"]])
def test_where_nobody_attempted_scores_of_confidence_are_undefined(selective, clusters):
    none = answer(False, 0.9, attempted=False)
    options = {"coverages": [0.5], "confidence_level": 0.9}

    alone = selective.compute(predictions=[none], **options)
    both = selective.compute(
        predictions=[none, none, answer(True, 0.5, attempted=True)],
        groups=["a", "b", "b"],
        clusters=clusters,
        **options,
    )
    ranked = ("aurc", "e_aurc", "augrc", "auroc", "accuracy@0.5")
    for result in (alone, both["groups"]["a"]):
        assert all(math.isnan(result[name]) for name in ranked)
        assert all(
            math.isnan(end) for name in ranked for end in result["confidence_interval"][name]
        )
    assert both["accuracy@0.5"] == both["groups"]["b"]["accuracy@0.5"] == 1.0


def test_a_target_is_a_decimal(selective):
    result = selective.compute(predictions=["B"], confidence_targets=[0.9, 0.75, 0.1])

    assert result["penalized@0.9"] == -9.0
    assert result["penalized@0.75"] == -3.0
    assert result["penalized@0.1"] == -1 / 9


def test_confidences_outside_0_to_1_order_answers_all_the_same(selective):
    scaled = [answer(row["correct"], 10 * row["confidence"] - 7) for row in ANSWERS]
    result, plain = (selective.compute(predictions=rows) for rows in (scaled, ANSWERS))

    assert math.isnan(result.pop("brier"))
    del plain["brier"]
    assert result == plain


def test_the_curve_comes_if_asked_for(selective):
    result = selective.compute(predictions=ANSWERS, curve=True)

    assert result["risk_coverage"] == {
        "coverage": [0.25, 0.75, 1.0],
        "risk": [0.0, 1 / 3, 0.5],
        "thresholds": [0.9, 0.6, 0.1],
    }


@by_table("call, message")
def test_what_cannot_be_scored_is_refused(selective, call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        selective.compute(**call)


@pytest.mark.long
def test_intervals_of_areas_are_those_of_resampled_pairs(selective):
    chance = np.random.default_rng(5)
    rows = [
        answer(bool(chance.random() < confidence), float(confidence))
        for confidence in chance.integers(1, 10, 60) / 10
    ]
    options = {"confidence_level": 0.9, "n_resamples": 500, "interval": "bootstrap"}
    result = selective.compute(predictions=rows, **options)
    drawn = [
        selective.compute(predictions=[rows[i] for i in chance.integers(0, 60, 60)])["aurc"]
        for _ in range(300)
    ]

    assert result["interval"]["aurc"] == result["interval"]["f1"] == "bootstrap"
    ends = result["confidence_interval"]["aurc"]
    assert ends == pytest.approx(np.quantile(drawn, [0.05, 0.95]), abs=0.04)
    assert result["standard_error"]["aurc"] == pytest.approx(np.std(drawn), rel=0.2)


def test_clusters_are_drawn_whole(selective):
    rows = [answer(True, 0.9)] * 20 + [answer(False, 0.4)] * 20
    labels = ["a"] * 20 + ["b"] * 20
    options = {"confidence_level": 0.9, "n_resamples": 200, "interval": "bootstrap"}
    result = selective.compute(predictions=rows, clusters=labels, **options)
    order = [*range(39, -1, -1)]
    turned = selective.compute(
        predictions=[rows[i] for i in order], clusters=[labels[i] for i in order], **options
    )

    assert result == turned
    assert result["confidence_interval"]["f1"] == [0.0, 1.0]  # one of both, twice
    assert result["n_clusters"] == 2


def test_clusters_of_different_sizes_are_drawn_with_all_their_rows(selective):
    rows = [answer(True, 0.9)] * 3 + [answer(False, 0.4)]
    result = selective.compute(
        predictions=rows,
        clusters=["a", "a", "a", "b"],
        confidence_level=0.9,
        n_resamples=400,
        interval="bootstrap",
    )

    # Of two draws with replacement: a and a, b and b, or one of each, which is the sample.
    assert result["confidence_interval"]["f1"] == [0.0, 1.0]
    spread = np.std([1.0, 0.0, 0.75, 0.75])
    assert result["standard_error"]["f1"] == pytest.approx(spread, rel=0.1)


@pytest.mark.long
def test_many_confidences_take_little_memory(selective):
    chance = np.random.default_rng(2)
    rows = [answer(bool(c > 0.5), float(c)) for c in chance.random(10_000)]
    options = {"predictions": rows, "confidence_level": 0.9, "n_resamples": 50}
    clusters = [row // 3 for row in range(10_000)]

    for labels in (None, clusters):
        tracemalloc.start()
        selective.compute(**options, clusters=labels)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 100e6


@pytest.mark.long
def test_confidences_that_are_joined_hardly_change_an_interval(selective, monkeypatch):
    chance = np.random.default_rng(3)
    rows = [answer(bool(chance.random() < c), float(c)) for c in chance.random(400)]
    ends = []
    for most in (1_000, 100):
        monkeypatch.setattr("metric_commons.judging.sampling.risk_coverage._JOINED", most)
        result = selective.compute(predictions=rows, confidence_level=0.95, n_resamples=4_000)
        assert set(result["interval"].values()) == {"law", "clopper_pearson"}
        ends.append(result["confidence_interval"])
    for name in ("f1", "aurc", "e_aurc", "augrc", "auroc"):
        assert ends[0][name] == pytest.approx(ends[1][name], abs=0.005)
