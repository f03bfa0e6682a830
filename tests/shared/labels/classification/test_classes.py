"""Which labels a task has, and which is positive."""

import numpy as np
import pytest

from metric_commons.labels.classification.classes import classes, score_classes
from metric_commons.statistics.arithmetic.contingency import whole_labels


@pytest.mark.parametrize(
    ("present", "options", "labels", "positive", "average"),
    [
        ([0, 1], {}, [0, 1], 1, "binary"),
        ([0], {}, [0, 1], 1, "binary"),
        ([1], {}, [0, 1], 1, "binary"),
        ([5], {}, [1, 5], 1, "binary"),
        ([True], {}, [False, True], True, "binary"),
        ([-1, 1], {}, [-1, 1], 1, "binary"),
        ([2, 7], {}, [2, 7], 7, "binary"),
        (["no", "yes"], {}, ["no", "yes"], "yes", "binary"),
        (["no", "yes"], {"pos_label": "no"}, ["no", "yes"], "no", "binary"),
        (["ham"], {"pos_label": "spam"}, ["ham", "spam"], "spam", "binary"),
        (["spam"], {"pos_label": "spam"}, ["spam"], "spam", "binary"),
        (["spam"], {}, ["spam"], None, "macro"),
        ([0, 1], {"average": "macro"}, [0, 1], 1, "macro"),
        ([0, 1, 2], {}, [0, 1, 2], None, "macro"),
        ([0, 1], {"labels": [2, 1, 0]}, [2, 1, 0], None, "macro"),
        ([0, 1], {"labels": np.array([1, 0])}, [1, 0], 1, "binary"),
    ],
)
def test_which_label_is_positive(present, options, labels, positive, average):
    task = classes(present, **options)

    assert task.labels == labels
    assert task.average == average
    assert (None if task.positive is None else task.all_labels[task.positive]) == positive


@pytest.mark.parametrize(
    ("present", "options", "message"),
    [
        ([0, 1], {"pos_label": 2}, "pos_label must be one of the labels 0, 1, got 2"),
        ([0, 1], {"pos_label": 0.5}, "pos_label must be a label, got 0.5"),
        (
            [0, 1],
            {"labels": [2, 3]},
            "labels are 2, 3, but none of them occurs",
        ),
        (["a", "b"], {"average": "binary"}, "pos_label must be one of the labels 'a', 'b', got 1"),
        ([0, 1, 2], {"average": "binary"}, "needs two labels, but there are 0, 1, 2"),
        ([0, 1], {"average": "macros"}, "average must be one of .* did you mean 'macro'"),
        ([0, 1], {"labels": [0, 0]}, r"labels\[1\] is 0, which is already in the list"),
        ([0, 1], {"labels": ["a"]}, "mixed types: int, str"),
        ([0, 1], {"labels": "ab"}, "labels must be a list of labels, got 'ab'"),
        ([0, 1], {"labels": []}, "labels must be a list of labels"),
        ([0, 1], {"labels": [0.5]}, r"labels\[0\] must be a label, got 0.5"),
    ],
)
def test_what_is_no_label_is_refused(present, options, message):
    with pytest.raises(ValueError, match=message):
        classes(present, **options)


@pytest.mark.parametrize(
    ("present", "options", "positive"),
    [
        ([0, 1], {}, 1),
        ([0], {}, 1),
        ([-1, 1], {}, 1),
        ([True], {}, True),
        ([2, 7], {}, 7),
        ([1, 2], {"pos_label": 1}, 1),
        ([1, 2], {"pos_label": 2}, 2),
        (["no", "yes"], {"pos_label": "no"}, "no"),
        (["spam"], {"pos_label": "spam"}, "spam"),
        (["ham"], {"pos_label": "spam"}, "spam"),
        ([2], {"pos_label": 2}, 2),
    ],
)
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
