"""Rounded scores: what they keep, and that no measure is off by more than its bound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.evaluation.rows.states import State
from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.labels.thresholds.score_rows import rounded_scores
from metric_commons.module.catalog.catalog import load

AREAS, LOSSES = ("roc_auc", "pr_auc", "average_precision"), ("log_loss", "brier")
SCORES = st.one_of(
    st.floats(0, 1),
    st.sampled_from([0.0, -0.0, 1.0, 0.5, 0.3, 0.30000000000000004, 5e-324, 1 - 2**-53, 1e-17]),
    st.floats(-60, 0).map(lambda power: 1 - 2**power),
    st.floats(-60, 0).map(lambda power: 2**power),
)
ROWS = st.lists(st.tuples(SCORES, st.booleans(), st.sampled_from([0.5, 1.0, 3.0])), min_size=2)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)), st.integers(1, 40), SCORES)
def test_order_and_decisions_stay(scores, bits, threshold):
    scores = np.sort(np.array(scores, np.float64))
    if not scores.size:
        return
    rounded = rounded_scores(scores, bits, threshold)
    assert (rounded <= scores).all()
    assert (np.diff(rounded) >= 0).all()
    assert ((rounded >= threshold) == (scores >= threshold)).all()
    assert (rounded_scores(rounded, bits, threshold) == rounded).all()


@given(st.lists(SCORES, min_size=1), st.integers(1, 40))
def test_distances_to_0_and_1_keep_their_first_digits(scores, bits):
    scores = np.array(scores)
    rounded = rounded_scores(scores, bits, 0.5)
    distance = np.minimum(scores, 1 - scores)
    normal = scores > 1e-300
    assert (scores - rounded <= 2.0**-bits * distance)[normal].all()


@pytest.mark.long
@given(ROWS, st.integers(1, 12), st.booleans(), st.sampled_from([0.5, 0.3]))
def test_no_measure_is_off_by_more_than_its_bound(rows, bits, weighted, threshold):
    scores, positive, weights = map(list, zip(*rows, strict=True))
    options = {"threshold": threshold, "sample_weight": weights if weighted else None}
    references = [int(label) for label in positive]
    exact = classification_scores(scores, references, **options)
    rounded = classification_scores(scores, references, **options, score_bits=bits)
    bounds = rounded.pop("error_bound")

    assert rounded.keys() == exact.keys()
    for name, value in exact.items():
        if name in bounds:
            assert abs(rounded[name] - value) <= bounds[name] + 1e-12 * (1 + abs(value)), name
        else:
            assert repr(rounded[name]) == repr(value), name
    assert {*bounds} >= {*LOSSES}


def test_bounds_are_reached():
    # Both pairs of the bin would count 1, and both positives come before the negatives.
    found = classification_scores([0.51, 0.509], [1, 0], score_bits=2)
    assert (found["roc_auc"], found["error_bound"]["roc_auc"]) == (0.5, 0.5)
    assert (found["average_precision"], found["error_bound"]["average_precision"]) == (0.5, 1.0)
    unit = 2.0**-3
    bound = classification_scores([0.3, 0.7], [1, 0], score_bits=3)["error_bound"]["log_loss"]
    assert bound == pytest.approx(-np.log(1 - unit))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_states_of_parts_stay_small_and_have_the_result_of_all_rows(seed):
    rng = np.random.default_rng(seed)
    references = rng.integers(0, 2, 20_000)
    predictions = 1 / (1 + np.exp(-rng.normal(4 * references - 2, 2)))
    parts = [State("classification", score_bits=4, threshold=0.3) for _ in range(3)]
    for part, rows in zip(parts, np.array_split(rng.permutation(20_000), 3), strict=True):
        part.update(predictions=predictions[rows], references=references[rows])
        parts[0].merge(State.from_bytes(part.to_bytes())) if part is not parts[0] else None
    merged = parts[0].result(confidence_level=0.9)
    expected = load("classification").compute(
        predictions=predictions,
        references=references,
        score_bits=4,
        threshold=0.3,
        confidence_level=0.9,
    )

    assert merged == expected
    assert len(parts[0].to_bytes()) < 20_000
    exact = load("classification").compute(predictions=predictions, references=references)
    assert abs(merged["roc_auc"] - exact["roc_auc"]) <= merged["error_bound"]["roc_auc"] < 0.01


@pytest.mark.parametrize("interval", ["auto", "bootstrap"])
def test_intervals_are_those_of_the_rounded_scores(interval):
    rng = np.random.default_rng(4)
    references = rng.integers(0, 2, 60)
    scores = 1 / (1 + np.exp(-rng.normal(2 * references - 1)))
    options = {"confidence_level": 0.9, "interval": interval, "n_resamples": 200}
    result = classification_scores(scores, references, score_bits=3, **options)
    del result["error_bound"]

    assert result == classification_scores(rounded_scores(scores, 3, 0.5), references, **options)
    exact = classification_scores(scores, references, **options)["confidence_interval"]
    assert result["confidence_interval"]["roc_auc"] != exact["roc_auc"]


def test_groups_have_bounds_of_their_own():
    rows = {"predictions": [0.1, 0.9, 0.2, 0.8], "references": [0, 1, 1, 0]}
    result = classification_scores(**rows, score_bits=3, groups=list("aabb"))
    group = classification_scores([0.1, 0.9], [0, 1], score_bits=3)
    assert result["groups"]["a"] == group | {"n": 2}


@pytest.mark.parametrize(
    ("predictions", "options", "message"),
    [
        ([0, 1], {}, "score_bits needs scores, but predictions are labels"),
        ([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]], {}, "score_bits is for one score per row"),
        ([0.5, float("inf")], {}, r"predictions\[1\] is inf; a score is a finite number"),
        ([0.5, 0.5], {"max_fpr": 0.1}, "max_fpr needs exact scores"),
        ([0.5, 0.5], {"calibration_bins": 3}, "calibration_bins needs exact scores"),
        ([0.5, 0.5], {"operating_point": "f1"}, "operating_point needs exact scores"),
        ([0.5, 0.5], {"score_bits": 41}, "score_bits must be an integer"),
        ([0.5, 2.5], {}, r"predictions\[1\] is 2.5, so these look like logits"),
    ],
)
def test_what_cannot_be_rounded_is_said(predictions, options, message):
    with pytest.raises(ValueError, match=message):
        classification_scores(predictions, [0, 1], **{"score_bits": 4, **options})
