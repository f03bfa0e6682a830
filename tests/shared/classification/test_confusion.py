"""Scores of labels against fractions."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metric_commons.classification.classes import classes
from metric_commons.classification.labels import label_scores, label_table
from metric_commons.numbers.contingency import contingency

WEIGHTS = st.integers(0, 3) | st.floats(0, 1e300) | st.just(1e-300)
SOME = settings(max_examples=60)


def label_ratios(references, predictions, label, weights, beta=1):
    """The scores of one label, in fractions; None where there is nothing to divide by."""
    cells = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for reference, prediction, weight in zip(references, predictions, weights, strict=True):
        cells[reference == label, prediction == label] += Fraction(weight)
    tp, fn, fp, tn = (cells[r, p] for r in (True, False) for p in (True, False))
    square = Fraction(beta) ** 2
    ratios = {
        "precision": (tp, tp + fp),
        "recall": (tp, tp + fn),
        "f1": (2 * tp, 2 * tp + fn + fp),
        "f_beta": ((1 + square) * tp, (1 + square) * tp + square * fn + fp),
        "fpr": (fp, fp + tn),
        "specificity": (tn, fp + tn),
    }
    return {name: Fraction(a) / b if b else None for name, (a, b) in ratios.items()}


def overall_scores(references, predictions, weights):
    """Accuracy, MCC and kappa; the last step alone is in floats."""
    labels = sorted({*references, *predictions})
    rows = list(zip(references, predictions, map(Fraction, weights), strict=True))
    total = sum(weight for _, _, weight in rows)
    correct = sum(w for reference, prediction, w in rows if reference == prediction)
    support = [sum(w for reference, _, w in rows if reference == label) for label in labels]
    predicted = [sum(w for _, prediction, w in rows if prediction == label) for label in labels]
    chance = sum(s * p for s, p in zip(support, predicted, strict=True))
    covariance = correct * total - chance
    spread = (total**2 - sum(s**2 for s in support)) * (total**2 - sum(p**2 for p in predicted))
    squared = covariance**2 / spread if spread else Fraction(0)
    return {
        "accuracy": float(correct / total),
        "mcc": math.sqrt(squared) * (-1 if covariance < 0 else 1),
        "kappa": float(covariance / (total**2 - chance)) if total**2 != chance else math.nan,
    }


@SOME
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), WEIGHTS), min_size=1, max_size=30),
    st.booleans(),
    st.sampled_from([0.0, 0.5, 1.0, 2.0, 1e200]),
)
def test_scores_are_rounded_once(rows, weighted, beta):
    references, predictions, weights = (list(column) for column in zip(*rows, strict=True))
    sample_weight = weights if weighted else None
    weights = weights if weighted else [1] * len(rows)
    table, task = label_table(
        predictions, references, labels=[0, 1, 2, 3], average="none", sample_weight=sample_weight
    )
    scores = label_scores(table, task, beta=beta, zero_division=math.nan)
    if not sum(weights):
        assert all(map(math.isnan, [scores["accuracy"], *scores["f1"], scores["mcc"]]))
        return

    # Sums of weights are rounded to floats, one for each pair of labels.
    exact = sample_weight is None or all(weight in (0, 1, 2, 3) for weight in weights)
    for index, label in enumerate(range(4)):
        for name, value in label_ratios(references, predictions, label, weights, beta).items():
            if name in scores:
                assert scores[name][index] == pytest.approx(
                    math.nan if value is None else float(value),
                    rel=0 if exact else 1e-14,
                    abs=0 if exact else 1e-14,
                    nan_ok=True,
                ), name
    for name, value in overall_scores(references, predictions, weights).items():
        assert scores[name] == pytest.approx(value, rel=1e-14, abs=1e-14, nan_ok=True)


def test_counts_of_a_billion_rows_are_exact():
    table = contingency([0, 0, 1, 1], [0, 1, 0, 1])
    many = np.array([3 * 10**9 + 1, 10**9, 10**9, 5 * 10**9 + 3])
    large = replace(table, counts=many)
    a, b, c, d = map(int, many)
    scores = label_scores(large, classes([0, 1]))

    assert scores["kappa"] == 2 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d))
    squared = Fraction((a * d - b * c) ** 2, (a + b) * (c + d) * (a + c) * (b + d))
    assert scores["mcc"] == pytest.approx(math.sqrt(squared), rel=1e-15)


def test_labels_too_many_for_a_matrix_are_refused():
    many = np.arange(40_000)
    with pytest.raises(ValueError, match="40000 labels, too many for a confusion matrix; labels="):
        label_scores(*label_table(many, many))

    assert label_scores(*label_table(many, many, labels=[5, 7]))["confusion_matrix"] == [
        [1, 0],
        [0, 1],
    ]


def test_a_false_positive_rate_without_negatives_is_not_perfect():
    table, task = label_table([1, 0], [1, 1])

    for zero, expected in ((0.0, math.nan), (1.0, 1.0), (math.nan, math.nan)):
        scores = label_scores(table, task, zero_division=zero)
        assert scores["fpr"] == pytest.approx(expected, nan_ok=True)
        assert scores["specificity"] == pytest.approx(zero, nan_ok=True)
