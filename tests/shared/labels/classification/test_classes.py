"""Which labels a task has, and which is positive."""

import numpy as np
import pytest

from metric_commons.labels.classification.classes import classes, score_classes
from metric_commons.statistics.arithmetic.contingency import whole_labels
from tests.tables import by_table, tabled


@pytest.mark.parametrize(
    ("present", "options", "labels", "positive", "average"),
    [
        *tabled(__file__, "which_label_is_positive"),
        ([0, 1], {"labels": np.array([1, 0])}, [1, 0], 1, "binary"),
    ],
)
def test_which_label_is_positive(present, options, labels, positive, average):
    task = classes(present, **options)

    assert task.labels == labels
    assert task.average == average
    assert (None if task.positive is None else task.all_labels[task.positive]) == positive


@by_table("present, options, message")
def test_what_is_no_label_is_refused(present, options, message):
    with pytest.raises(ValueError, match=message):
        classes(present, **options)


@by_table("present, options, positive")
def test_which_label_scores_belong_to(present, options, positive):
    assert score_classes(present, **options).positive_label == positive


def test_a_label_that_completes_a_pair_is_shown_but_not_averaged():
    task = classes([6], average="macro")

    assert task.labels == [1, 6]
    assert [task.all_labels[position] for position in task.averaged_positions] == [6]
    listed = classes([6], average="macro", labels=[6, 7])
    assert [listed.all_labels[position] for position in listed.averaged_positions] == [6, 7]


def test_whole_numbers_in_floats_are_labels():
    assert whole_labels("x", [0.0, 2.0]).tolist() == [0, 2]
    assert whole_labels("x", ["a"]) == ["a"]
    with pytest.raises(ValueError, match=r"x\[1\] is 1e\+300; a label is a whole number"):
        whole_labels("x", np.array([0.0, 1e300]))
