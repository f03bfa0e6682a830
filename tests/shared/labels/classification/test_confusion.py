"""Scores of labels against fractions."""

import math
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metric_commons.labels.classification.classes import classes, label_distances
from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.labels.classification.classified_rows import classified
from metric_commons.labels.classification.confusion import LabelCounts, LabelMeasures, label_counts
from metric_commons.labels.classification.label_intervals import counts_of, table_units
from metric_commons.statistics.arithmetic.contingency import contingency
from metric_commons.statistics.resampling.row_units import resampled_counts

WEIGHTS = st.integers(0, 3) | st.floats(0, 1e300) | st.just(1e-300)
QUICK = settings(max_examples=60)


def label_terms(references, predictions, label, weights, beta=1):
    """Numerator and denominator of the scores of one label, in fractions."""
    cells = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for reference, prediction, weight in zip(references, predictions, weights, strict=True):
        cells[reference == label, prediction == label] += Fraction(weight)
    tp, fn, fp, tn = (cells[r, p] for r in (True, False) for p in (True, False))
    square = Fraction(beta) ** 2
    terms = {
        "precision": (tp, tp + fp),
        "recall": (tp, tp + fn),
        "f1": (2 * tp, 2 * tp + fn + fp),
        "f_beta": ((1 + square) * tp, (1 + square) * tp + square * fn + fp),
        "fpr": (fp, fp + tn),
        "specificity": (tn, fp + tn),
    }
    return terms if beta != 1 else {name: terms[name] for name in terms if name != "f_beta"}


def ratio(numerator, denominator, undefined=math.nan):
    return float(Fraction(numerator) / denominator) if denominator else undefined


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


@pytest.mark.long
@QUICK
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), WEIGHTS), min_size=1, max_size=30),
    st.booleans(),
    st.sampled_from([0.0, 0.5, 1.0, 2.0, 1e200]),
)
def test_scores_are_rounded_once(rows, weighted, beta):
    references, predictions, weights = (list(column) for column in zip(*rows, strict=True))
    sample_weight = weights if weighted else None
    weights = weights if weighted else [1] * len(rows)
    scores = classification_scores(
        predictions,
        references,
        labels=[0, 1, 2, 3],
        average="none",
        sample_weight=sample_weight,
        beta=beta,
        zero_division=math.nan,
    )
    if not sum(weights):
        assert all(map(math.isnan, [scores["accuracy"], *scores["f1"], scores["mcc"]]))
        return

    # Sums of weights are rounded to floats, one for each pair of labels.
    exact = sample_weight is None or all(weight in (0, 1, 2, 3) for weight in weights)
    for index, label in enumerate(range(4)):
        for name, terms in label_terms(references, predictions, label, weights, beta).items():
            assert scores[name][index] == pytest.approx(
                ratio(*terms),
                rel=0 if exact else 1e-14,
                abs=0 if exact else 1e-14,
                nan_ok=True,
            ), name
    for name, value in overall_scores(references, predictions, weights).items():
        assert scores[name] == pytest.approx(value, rel=1e-14, abs=1e-14, nan_ok=True)


@pytest.mark.long
@QUICK
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 2), st.integers(0, 2)),
        st.floats(1e-3, 1e3) | st.sampled_from([0.1, 1e16, 1e-16]),
        min_size=1,
    ),
    st.sampled_from([0.1, 1.0, 3.0]),
)
def test_ratios_of_weights_are_rounded_once(cells, beta):
    """With a row a pair of labels no sum of weights is rounded; floats would round each total."""
    (references, predictions), weights = zip(*cells, strict=True), list(cells.values())
    options = {"labels": [0, 1, 2], "average": "none", "zero_division": math.nan, "beta": beta}
    scores = classification_scores([*predictions], [*references], sample_weight=weights, **options)

    for label in range(3):
        for name, terms in label_terms(references, predictions, label, weights, beta).items():
            assert scores[name][label] == pytest.approx(ratio(*terms), rel=0, abs=0, nan_ok=True)
    expected = overall_scores(references, predictions, weights)
    for name in ("accuracy", "kappa"):
        assert scores[name] == pytest.approx(expected[name], rel=0, abs=0, nan_ok=True)


def test_labels_choose_what_is_averaged_and_shown():
    references, predictions = ["a", "b", "c", "a"], ["a", "c", "c", "b"]
    options = {"labels": ["c", "a"], "confusion_matrix": True}
    scores = classification_scores(predictions, references, **options)

    assert scores["labels"] == ["c", "a"]
    assert scores["confusion_matrix"] == [[1, 0], [0, 1]]
    assert scores["recall"] == (1 + 1 / 2) / 2
    assert scores["accuracy"] == 1 / 2


@pytest.mark.parametrize("container", [list, np.array])
def test_a_column_of_labels_is_a_flat_list(container):
    columns = container([[3], [5], [5]]), container([[3], [3], [5]])
    assert classification_scores(*columns) == classification_scores([3, 5, 5], [3, 3, 5])


# Averages


def test_counts_of_a_billion_rows_are_exact():
    table = contingency([0, 0, 1, 1], [0, 1, 0, 1])
    many = np.array([3 * 10**9 + 1, 10**9, 10**9, 5 * 10**9 + 3])
    large = replace(table, counts=many)
    a, b, c, d = map(int, many)
    task = classes([0, 1])
    scores = LabelMeasures(task).scores(label_counts(large, task))

    assert scores["kappa"] == 2 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d))
    squared = Fraction((a * d - b * c) ** 2, (a + b) * (c + d) * (a + c) * (b + d))
    assert scores["mcc"] == pytest.approx(math.sqrt(squared), rel=1e-15)


@pytest.mark.long
def test_labels_too_many_for_a_matrix_are_refused():
    many = np.arange(40_000)
    with pytest.raises(ValueError, match="40000 labels, too many for a confusion matrix; labels="):
        classification_scores(many, many, confusion_matrix=True)

    assert classification_scores(many, many)["f1"] == 1.0
    scores = classification_scores(many, many, labels=[5, 7], confusion_matrix=True)
    assert scores["confusion_matrix"] == [[1, 0], [0, 1]]


def test_a_false_positive_rate_without_negatives_is_not_perfect():
    for zero, expected in ((0.0, math.nan), (1.0, 1.0), (math.nan, math.nan)):
        scores = classification_scores([1, 0], [1, 1], zero_division=zero)
        assert scores["fpr"] == pytest.approx(expected, nan_ok=True)
        assert scores["specificity"] == pytest.approx(zero, nan_ok=True)


@pytest.mark.parametrize(
    ("zero_division", "precision", "recall"),
    [(0.0, 0.0, 0.0), (1.0, 0.0, 1.0), (math.nan, 0.0, math.nan)],
)
def test_labels_without_support_weigh_the_same(zero_division, precision, recall):
    """As in scikit-learn, which leaves weights out where all are zero."""
    options = {"labels": [2, 3], "average": "weighted", "zero_division": zero_division}
    scores = classification_scores([2, 3, 3, 0], [0, 0, 0, 0], **options)

    assert scores["fpr"] == (1 / 4 + 2 / 4) / 2
    assert scores["specificity"] == (3 / 4 + 2 / 4) / 2
    assert scores["precision"] == precision
    assert scores["recall"] == pytest.approx(recall, nan_ok=True)


def test_a_label_without_support_stands_alone_where_the_others_have_no_ratio():
    # 1 is never predicted, so its precision is left out; 2 is predicted, but is no reference
    options = {"average": "weighted", "zero_division": math.nan}
    for labels, columns, precision in (
        ([1, 2], ([2, 0, 2], [1, 0, 2]), 1 / 2),
        ([1, 3], ([3, 0, 3], [1, 0, 1]), 0.0),
    ):
        assert classification_scores(*columns, labels=labels, **options)["precision"] == precision


# Resamples


def exact_counts(resampled, index):
    """The counts of one resample, as Python's integers."""
    columns = (getattr(resampled, field.name)[..., index] for field in fields(resampled))
    return LabelCounts(*(column.astype(int).astype(object) for column in columns))


@pytest.mark.parametrize("average", ["binary", "macro", "micro", "weighted", "none"])
@pytest.mark.parametrize(
    ("beta", "zero_division"),
    [(0.5, 0.5), (1e200, 0.0), (math.inf, math.nan)],  # the square of 1e200 is beyond float64
)
def test_scores_of_resamples_are_those_of_exact_counts(average, beta, zero_division):
    rng = np.random.default_rng(0)
    labels = 2 if average == "binary" else 3
    references, predictions = rng.integers(0, labels, (2, 8))
    rows = classified(predictions, references, average=average)
    table, task = rows.table, rows.task
    distances = label_distances(task, "linear" if average == "macro" else "quadratic")
    units = table_units(table, task, distances)
    (counts,) = resampled_counts(units.counts, n_resamples=50, seed=0)
    sums = units.of_kinds().T @ counts.T
    resampled = counts_of(sums)
    measures = LabelMeasures(task, beta, zero_division, adjusted=True, distances=distances)
    scores = measures.scores(resampled)

    assert (resampled.total == 8).all()
    assert (resampled.support.sum(axis=0) == 8).all()
    assert (resampled.predicted_positives.sum(axis=0) == 8).all()
    assert (resampled.true_positives.sum(axis=0) == resampled.correct).all()
    assert len(np.unique(resampled.correct)) > 2
    for index in range(50):
        expected = measures.scores(exact_counts(resampled, index))
        for name, values in expected.items():
            assert scores[name][..., index] == pytest.approx(values, rel=1e-14, nan_ok=True), name
