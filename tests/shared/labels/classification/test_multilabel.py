"""Rows of several labels against tasks of one label each."""

import numpy as np
import pytest

from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.labels.classification.label_intervals import counts_of, indicator_counters
from metric_commons.labels.classification.multilabel import LabelIndicators
from metric_commons.statistics.resampling.row_units import RowUnits, resampled_counts
from tests.tables import by_table


def test_several_labels_a_row_are_tasks_of_their_own():
    rng = np.random.default_rng(0)
    references, predictions = rng.integers(0, 2, (2, 50, 3))
    weights = rng.random(50)
    for weight in (None, weights):
        options = {"sample_weight": weight, "confusion_matrix": True}
        scores = classification_scores(predictions, references, average="none", **options)
        for column in range(3):
            single = classification_scores(predictions[:, column], references[:, column], **options)
            for name in ("precision", "recall", "f1", "fpr", "specificity"):
                assert scores[name][column] == single[name]
            assert scores["label_accuracy"][column] == single["accuracy"]
            assert scores["confusion_matrix"][column] == single["confusion_matrix"]
    added = {"jaccard", "label_accuracy", "hamming_loss", "support"}
    assert scores.keys() - added == single.keys() - {"balanced_accuracy", "mcc", "kappa"}


@by_table("predictions, references, message")
def test_rows_of_other_numbers_are_refused(predictions, references, message):
    with pytest.raises(ValueError, match=message):
        LabelIndicators(predictions, references)


def test_resamples_count_whole_rows():
    rng = np.random.default_rng(0)
    references, predictions = rng.integers(0, 2, (2, 30, 3))
    weights = rng.integers(1, 3, 30).astype(float)
    for sample_weight, total in ((None, 30), (weights, weights.sum())):
        indicators = LabelIndicators(predictions, references, sample_weight)
        counts = indicators.counts()
        units = RowUnits.of_rows(indicator_counters(indicators, indicators.weights))
        (drawn,) = resampled_counts(units.counts, n_resamples=4000, seed=0)
        sums = units.of_kinds().T @ drawn.T
        resampled = counts_of(sums)
        # Weights are in a unit of their own, in which no score depends on them.
        unit = total / resampled.total.mean()

        assert counts.total == total
        assert (resampled.support + resampled.negatives == resampled.total).all()
        for name in ("true_positives", "support", "predicted_positives", "negatives", "correct"):
            means = getattr(resampled, name).mean(axis=-1) * unit
            assert means == pytest.approx(np.array(getattr(counts, name), float), rel=0.05), name


def test_weights_of_nothing_leave_nothing():
    options = {"zero_division": 1.0, "confidence_level": 0.9, "n_resamples": 5}
    scores = classification_scores([[0, 1]], [[0, 1]], sample_weight=[0], **options)

    for name in ("accuracy", "precision", "recall", "f1", "fpr", "specificity"):
        assert np.isnan(scores[name])
        assert np.isnan(scores["confidence_interval"][name]).all()


def test_labels_choose_what_is_averaged_and_shown():
    columns = [[0, 1, 1], [1, 1, 0]], [[0, 1, 0], [1, 0, 1]]
    scores = classification_scores(*columns, labels=[2, 0], confusion_matrix=True)

    assert scores["labels"] == [2, 0]
    assert scores["confusion_matrix"] == [[[0, 1], [1, 0]], [[1, 0], [0, 1]]]
    assert scores["recall"] == (0 + 1) / 2
    assert scores["accuracy"] == 0.0
