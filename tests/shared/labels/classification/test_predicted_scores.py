"""Columns of scores and probabilities: what they mean, and what is refused."""

import math

import numpy as np
import pytest

from metric_commons.labels.classification.classification_measures import classification_scores
from tests.tables import by_table, tabled


def test_scores_that_are_no_probabilities_have_areas_alone():
    result = classification_scores([-3.0, 4.0], [0, 1], threshold=0.0, calibration_bins=3)

    assert result["roc_auc"] == result["average_precision"] == 1.0
    assert all(math.isnan(result[name]) for name in ("log_loss", "brier", "ece", "mce"))
    assert result["calibration"] == {"predicted": [], "observed": [], "rows": []}


def test_weights_of_nothing_leave_nothing():
    options = {"curves": True, "calibration_bins": 2, "confidence_level": 0.9}
    result = classification_scores([0.2, 0.9], [0, 1], sample_weight=[0, 0], **options)

    for name in ("roc_auc", "average_precision", "pr_auc", "log_loss", "brier", "ece", "mce"):
        assert math.isnan(result[name]), name
    assert result["pr_curve"] == {"precision": [1.0], "recall": [0.0], "thresholds": []}


def test_two_columns_with_names_are_a_binary_task():
    probabilities = [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]
    plain = classification_scores([0.1, 0.8, 0.4], [0, 1, 1])
    for labels, rows in (([0, 1], probabilities), ([1, 0], [row[::-1] for row in probabilities])):
        named = classification_scores(rows, [0, 1, 1], labels=labels, confusion_matrix=True)
        assert named.pop("labels") == labels
        del named["confusion_matrix"]
        assert named == plain


def test_one_column_is_a_score():
    column = np.array([[0.1], [0.8]])

    assert classification_scores(column, [0, 1]) == classification_scores([0.1, 0.8], [0, 1])


def test_a_row_is_positive_from_the_threshold_on():
    options = {"threshold": 0.5, "pos_label": "p", "confusion_matrix": True}
    result = classification_scores([0.5, 0.25, 0.75], ["n", "n", "p"], **options)

    assert result["labels"] == ["n", "p"]
    assert result["confusion_matrix"] == [[1, 1], [0, 1]]


@pytest.mark.parametrize(
    ("predictions", "references", "options", "message"),
    [
        *tabled(__file__, "scores_that_make_no_sense_are_refused"),
        (np.empty((2, 0)), [0, 1], {}, r"predictions\[0\] has no probabilities"),
    ],
)
def test_scores_that_make_no_sense_are_refused(predictions, references, options, message):
    with pytest.raises(ValueError, match=message):
        classification_scores(predictions, references, **options)


@by_table("options, message")
def test_a_bad_option_is_named(options, message):
    for predictions in ([0.5, 0.1], [0, 1]):
        with pytest.raises(ValueError, match=message):
            classification_scores(predictions, [0, 1], **options)


def rounded(rows, precision):
    if precision == "bfloat16":  # the upper half of a float32, rounded to the nearest
        bits = rows.astype(np.float32).view(np.uint32) + np.uint32(0x8000)
        return (bits & np.uint32(0xFFFF0000)).view(np.float32)
    return rows.astype(precision)


@pytest.mark.parametrize("precision", ["float16", "bfloat16"])
@pytest.mark.parametrize("classes", [3, 50])
def test_probabilities_may_have_half_precision(precision, classes):
    rng = np.random.default_rng(classes)
    logits = rng.normal(size=(200, classes))
    rows = rounded(np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True), precision)
    references = rng.integers(0, classes, 200)
    assert np.abs(rows.astype(float).sum(axis=1) - 1).max() > 1e-5
    classification_scores(rows.astype(float), references, labels=range(classes))

    rows[7] *= 0.9
    wrong = rounded(rows, precision).astype(float)
    with pytest.raises(ValueError, match=r"^predictions\[7\] is .* add up to 1$"):
        classification_scores(wrong, references, labels=range(classes))
