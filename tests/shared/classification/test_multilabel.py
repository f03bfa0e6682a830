"""Rows of several labels against tasks of one label each."""

import numpy as np
import pytest

from metric_commons.classification.labels import label_scores, label_table
from metric_commons.classification.multilabel import LabelIndicators


def test_several_labels_a_row_are_tasks_of_their_own():
    rng = np.random.default_rng(0)
    references, predictions = rng.integers(0, 2, (2, 50, 3))
    weights = rng.random(50)
    for weight in (None, weights):
        rows, task = label_table(predictions, references, sample_weight=weight, average="none")
        scores = label_scores(rows, task)
        for column in range(3):
            table, single_task = label_table(
                predictions[:, column], references[:, column], sample_weight=weight
            )
            single = label_scores(table, single_task)
            for name in ("precision", "recall", "f1", "fpr", "specificity"):
                assert scores[name][column] == single[name]
            assert scores["confusion_matrix"][column] == single["confusion_matrix"]
    assert scores.keys() == single.keys() - {"balanced_accuracy", "mcc", "kappa"}


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        ([[0, 1], [1]], [[0, 1], [1, 1]], r"predictions\[1\] has 1 labels, but the rows before 2"),
        ([[0, 1]], [[0, 1, 1]], "predictions have 2 labels a row, references 3"),
        ([[0, 1]], [[0, -1]], r"references\[0\]\[1\] is -1; each label is 0 or 1"),
        ([[]], [[]], r"predictions\[0\] has no labels"),
    ],
)
def test_rows_of_other_numbers_are_refused(predictions, references, message):
    with pytest.raises(ValueError, match=message):
        LabelIndicators(predictions, references)
