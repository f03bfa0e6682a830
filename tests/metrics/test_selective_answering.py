import math
import tracemalloc

import numpy as np
import pytest

from metric_commons import load
from tests.spec import ROOT, Spec

GRADES = ["correct", "correct", "incorrect", "not_attempted", "A", "B", "C", "A"]
MEANS = ("correct", "incorrect", "not_attempted", "accuracy_given_attempted")
RANKED = ("accuracy", "brier", "aurc", "e_aurc", "augrc", "auroc", "accuracy@0.5")

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

OTHER_SHAPES = (
    Spec(
        name="selective_answering",
        shape="confidences",
        sample={"predictions": ANSWERS, "coverages": [0.5]},
        result={
            "correct": 0.5,
            "incorrect": 0.5,
            "not_attempted": 0.0,
            "accuracy_given_attempted": 0.5,
            "f1": 0.5,
            "accuracy": 0.5,
            "brier": (0.01 + 0.36 + 0.16 + 0.01) / 4,
            "aurc": (0 + 0.5 / 2 + 1 / 3 + 2 / 4) / 4,
            "e_aurc": (0 + 0.5 / 2 + 1 / 3 + 2 / 4) / 4 - (1 / 3 + 2 / 4) / 4,
            "augrc": (0 + 0.5 + 1 + 2) / 16,
            "auroc": 3.5 / 4,
            "accuracy@0.5": 0.75,
        },
        perfect={
            "predictions": [answer(True, 1.0), answer(True, 1.0), answer(False, 0.0)],
            "coverages": [0.5],
        },
        best={
            "correct": 2 / 3,
            "incorrect": 1 / 3,
            "not_attempted": 0.0,
            "accuracy_given_attempted": 2 / 3,
            "f1": 2 / 3,
            "accuracy": 2 / 3,
            "brier": 0.0,
            "aurc": 1 / 9,
            "e_aurc": 0.0,
            "augrc": 1 / 9,
            "auroc": 1.0,
            "accuracy@0.5": 1.0,
        },
        wrong={"predictions": {"correct": 1, "confidence": "high"}},
    ),
    Spec(
        name="selective_answering",
        shape="attempts",
        sample={
            "predictions": [
                answer(True, 0.9, attempted=True),
                answer(False, 0.2, attempted=False),
                answer(False, 0.5, attempted=True),
            ]
        },
        result={
            "correct": 1 / 3,
            "incorrect": 1 / 3,
            "not_attempted": 1 / 3,
            "accuracy_given_attempted": 0.5,
            "f1": 0.4,
            "accuracy": 0.5,
            "brier": (0.01 + 0.25) / 2,
            "aurc": 0.25,
            "e_aurc": 0.0,
            "augrc": 0.25,
            "auroc": 1.0,
        },
        perfect={"predictions": [answer(True, 1.0, attempted=True)] * 2},
        best={
            **dict.fromkeys(["correct", "accuracy_given_attempted", "f1", "accuracy"], 1.0),
            **dict.fromkeys(["incorrect", "not_attempted", "brier"], 0.0),
            **dict.fromkeys(["aurc", "e_aurc", "augrc"], 0.0),
            "auroc": math.nan,
        },
        wrong={"predictions": {"correct": 1, "confidence": 0.5}},
    ),
)


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"predictions": ["correct", "wrong"]}, r"predictions\[1\] is 'wrong'; expected 'correct'"),
        ({"predictions": ["corect"]}, r"predictions\[0\] is 'corect'.*did you mean 'correct'"),
        ({"predictions": ["A"], "curve": True}, "curve needs confidences"),
        ({"predictions": ["A"], "coverages": [0.5]}, "coverages needs confidences"),
        ({"predictions": ["A"], "confidence_targets": [1]}, "confidence_targets must be a list"),
        ({"predictions": [answer(True, 0.5, attempted=False)]}, r"predictions\[0\] is correct"),
        ({"predictions": [answer(True, math.nan)]}, r"predictions\[0\]\['confidence'\] is NaN"),
    ],
)
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


@pytest.mark.parametrize(("kinds", "method"), [(1024, "law"), (1025, "bootstrap")])
def test_very_many_kinds_of_answers_have_the_interval_of_the_bootstrap(kinds, method):
    card = (ROOT / "metrics" / "selective_answering" / "README.md").read_text("utf-8")
    assert "With more than 1,024 different pairs of grade and confidence, F1" in card
    answers = [answer(row % 3 > 0, row / 2000) for row in range(kinds)]
    scores = load("selective_answering").compute(
        predictions=answers, confidence_level=0.95, n_resamples=5
    )
    drawn = {name for name, used in scores["interval"].items() if used == method}
    assert drawn >= {"f1", "aurc", "e_aurc", "augrc", "auroc"}
