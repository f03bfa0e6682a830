"""The labels of a classification task: their set, order and distances, and the positive one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal, get_args

import numpy as np

from ...statistics.arguments.arrays import Column, Integers
from ...statistics.arguments.checks import OptionError, check_choice, shown
from ...statistics.arguments.domains import Parsed
from ...statistics.arithmetic.contingency import Label, Labels, check_kinds

Average = Literal["binary", "macro", "micro", "weighted", "samples", "none"]

_DEFAULT = 1  # the positive label, if it is one of the two


@dataclass(frozen=True)
class Classes:
    """The labels of a task.

    Args:
        all_labels: every label, ascending; a binary task has two.
        selection: the positions in `all_labels` of the labels to show, in the order of the option
            `labels`.
        positive: the position in `all_labels` of the positive label; None if there is none.
        average: "binary", "macro", "micro", "weighted", "samples" or "none".
        absent: the positions of labels that only complete a pair and occur in no row. They are
            shown in a matrix, but excluded from averages and from the lists of "none".
        strays: the positions of predicted labels that are neither of the two of a binary task. They
            are wrong, and do not make it a task of more labels.

    """

    all_labels: Labels
    selection: list[int]
    positive: int | None
    average: str
    absent: frozenset[int] = frozenset()
    strays: frozenset[int] = frozenset()

    @property
    def labels(self) -> Labels:
        """Return the selected labels."""
        return [self.all_labels[position] for position in self.selection]

    @property
    def averaged_positions(self) -> list[int]:
        """Return the positions of the labels to average over; only the positive one if binary."""
        if self.average == "binary" and self.positive is not None:
            return [self.positive]
        if self.average == "macro":
            return [position for position in self.selection if position not in self.absent]
        return self.selection

    @property
    def negative(self) -> int | None:
        """Return the position of the label that is not the positive one of two."""
        others = [n for n in range(len(self.all_labels)) if n not in {self.positive, *self.strays}]
        return others[0] if len(others) == 1 else None

    @property
    def positive_label(self) -> Label | None:
        """Return the positive one of two labels; None if there is none."""
        return None if self.positive is None else self.all_labels[self.positive]

    def positions(self, labels: Labels) -> Integers:
        """Return the positions of the given labels in `all_labels`."""
        positions = {label: position for position, label in enumerate(self.all_labels)}
        return np.array([positions[label] for label in labels], dtype=np.int64)


def classes(
    labels_present: Labels,
    *,
    references: Labels | None = None,
    labels: Any = None,
    pos_label: Any = None,
    average: str | None = None,
) -> Classes:
    """Return the labels of a task whose columns hold `labels_present`.

    A task with at most two labels is binary, and stays binary if a prediction is neither of the two
    that references have, or of `pos_label` and the other one: this prediction is wrong. If only one
    label is present, the other one is `pos_label`; or 0, if the one present is 1. The positive
    label is `pos_label`, by default 1. If neither label is 1, as with "no" and "yes", the larger
    label is positive, as in scikit-learn's `roc_auc_score`. With `average="binary"`, however,
    `pos_label` must be one of the labels, as in scikit-learn.

    Args:
        labels_present: the labels of references and predictions, in any order, with repetitions.
        references: the labels of references alone; None if predictions can have no others.
        labels: the labels to average over and to show, in this order; some may be absent from the
            data. None for all that are present.
        pos_label: the positive label of a binary task.
        average: "binary", "macro", "micro", "weighted" or "none"; None for "binary" in a binary
            task and "macro" in others.

    Raises:
        ValueError: an option is not valid; a binary average, or `pos_label` without an average, of
            references with more than two labels; two labels that do not include `pos_label`; or no
            label of `labels` is present.

    >>> task = classes(["no", "yes", "no"])
    >>> task.labels, task.positive_label, task.average
    (['no', 'yes'], 'yes', 'binary')
    >>> classes([0]).labels, classes([1, 2, 3]).average
    ([0, 1], 'macro')
    >>> classes(["Yes", "no", "yes"], references=["no", "yes"]).average
    'binary'
    >>> classes([0, 1], pos_label=2)
    Traceback (most recent call last):
    ValueError: pos_label must be one of the labels 0, 1, got 2
    """
    if average is not None:
        check_choice("average", average, get_args(Average))
    pos_label = None if pos_label is None else _plain_label("pos_label", pos_label)
    selected_labels = None if labels is None else _label_list(labels)
    candidates = [*labels_present, *(selected_labels or [])]
    check_kinds(*set(map(type, candidates)))
    strays: set[Label] = set()
    if references is not None and average in (None, "binary"):
        strays = _strays(candidates, references, pos_label, average)
        candidates = [label for label in candidates if label not in strays]
    if selected_labels and not set(selected_labels) & set(labels_present):
        raise ValueError(
            f"labels are {_enumeration(selected_labels)}, but none of them occurs; "
            f"there are {_enumeration(sorted(set(labels_present)))}"
        )
    all_labels = sorted(set(candidates))
    if average == "binary" and len(all_labels) > 2:
        raise ValueError(
            f"average='binary' needs two labels, but there are {_enumeration(all_labels)}; "
            "choose 'macro', 'micro', 'weighted' or 'none'"
        )
    if len(all_labels) == 1:
        all_labels = _label_pair(all_labels[0], _DEFAULT if pos_label is None else pos_label)
    positive_label = None
    if all_labels == [pos_label]:
        positive_label = pos_label
    elif len(all_labels) == 2 or average == "binary":
        positive_label = _positive_label(all_labels, pos_label, required=average == "binary")
    if average is None:
        average = "macro" if positive_label is None else "binary"
    absent = {*all_labels} - {*candidates}
    all_labels = sorted({*all_labels, *strays})
    positions = {label: position for position, label in enumerate(all_labels)}
    return Classes(
        all_labels,
        [positions[label] for label in selected_labels or all_labels],
        positions.get(positive_label),
        average,
        frozenset(positions[label] for label in absent),
        frozenset(positions[label] for label in strays),
    )


def _strays(labels: Labels, references: Labels, pos_label: Any, average: str | None) -> set[Label]:
    """Return the labels that are neither of the two of a binary task.

    Raises:
        ValueError: `pos_label` is given without an average, for references with more labels.

    >>> _strays(["no", "yes", "Yes"], ["no"], "yes", None)
    {'Yes'}
    """
    pair = {*references}
    if len(pair) > 2:
        if pos_label is not None and average is None:
            raise ValueError(
                f"pos_label is for two labels, but references have {_enumeration(sorted(pair))}; "
                "leave it out, or choose an average: 'macro', 'micro', 'weighted' or 'none'"
            )
        return set()
    if len(pair) < 2 and pos_label is None:
        return set()
    if len(pair) < 2:
        pair.add(pos_label)
    others = {*labels} - pair
    return others if len(pair) == 2 or len(others) > 1 else set()


def score_classes(labels_present: Labels, **options: Any) -> Classes:
    """Return the labels of a task in which each row has a score for the positive label.

    scikit-learn has two rules for the positive label: the larger one for scores (`roc_auc_score`),
    and 1 for labels (`f1_score`). If they differ, as with the labels 1 and 2, and for strings,
    `pos_label` must be given.

    Args:
        labels_present: the labels of the references, in any order, with repetitions.
        **options: as in `classes`.

    Raises:
        ValueError: as in `classes`; or the positive label is ambiguous; or there are more than two
            labels.

    >>> score_classes([-1, 1]).positive_label
    1
    >>> score_classes([1, 2])
    Traceback (most recent call last):
    ValueError: the labels are 1, 2: with scores the greater one is positive, with labels 1 is; \
pos_label must name the one that scores are for
    >>> score_classes([1, 2], pos_label=2).positive_label
    2
    """
    task = classes(labels_present, **options)
    all_labels, pos_label = task.all_labels, options.get("pos_label")
    if len(all_labels) > 2:
        raise ValueError(
            f"there are {len(all_labels)} labels, but one score per row; predictions must hold a "
            "probability for each label, or if they are labels, be cast to int"
        )
    if pos_label is None and isinstance(all_labels[0], str):
        raise ValueError(
            f"the labels are {_enumeration(all_labels)}: "
            "pos_label must name the one that scores are for"
        )
    if len(all_labels) < 2:
        if task.positive is None:
            raise ValueError(
                f"pos_label must be one of the labels {all_labels[0]!r}, got {pos_label!r}"
            )
        # All rows are positive, and the other label is unknown.
        return replace(task, all_labels=[None, *all_labels], selection=[1], positive=1)
    if pos_label is None and task.positive == 0:
        raise ValueError(
            f"the labels are {_enumeration(all_labels)}: with scores the greater one is positive, "
            f"with labels {_DEFAULT} is; pos_label must name the one that scores are for"
        )
    return task


def check_one_label(average: str | None) -> None:
    """Check that the average is not one over several labels per row, for rows with one label."""
    if average == "samples":
        raise ValueError("average='samples' needs rows of several labels, but there is one per row")


def counted_rows(references: Column, ignored: Label) -> Integers:
    """Return the indices of rows whose reference is not the ignored label.

    Raises:
        ValueError: no rows remain, or rows have several labels.

    >>> counted_rows([1, -100, 0], -100).tolist()
    [0, 2]
    """
    label = _plain_label("ignore_index", ignored)
    if np.ndim(references[0]):
        raise OptionError("ignore_index", "needs one label per row, but references are lists")
    values = references.tolist() if isinstance(references, np.ndarray) else references
    rows = np.flatnonzero([value != label for value in values])
    if not rows.size:
        raise OptionError("ignore_index", f"is {label!r}, the reference of every row")
    return rows


def _label_list(labels: Any) -> Labels:
    """Return the value of the option `labels` as Python values, checked to be distinct."""
    plain = labels.tolist() if isinstance(labels, np.ndarray) else labels
    if not isinstance(plain, Sequence) or isinstance(plain, str) or not len(plain):
        raise ValueError(f"labels must be a list of labels, got {shown(labels)}")
    checked = [_plain_label(f"labels[{index}]", label) for index, label in enumerate(plain)]
    if len(set(checked)) < len(checked):
        index = next(i for i, label in enumerate(checked) if label in checked[:i])
        raise ValueError(f"labels[{index}] is {checked[index]!r}, which is already in the list")
    return checked


def _plain_label(name: str, label: Any) -> Any:
    """Return the label as Python's own bool, int or str."""
    value = label.item() if isinstance(label, np.generic) else label
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, bool | int | str):
        raise ValueError(f"{name} must be a label, got {shown(label)}")
    return value


PositiveLabel = Annotated[Label, Parsed(partial(_plain_label, "pos_label"), "a label")]
IgnoredLabel = Annotated[Label, Parsed(partial(_plain_label, "ignore_index"), "a label")]
ListedLabels = Annotated[Sequence[Label], Parsed(_label_list, "a list of labels")]


def _label_pair(label: Any, pos_label: Any) -> Labels:
    """Return the two labels of a task in which one is present.

    Just that one if the other is unknown.
    """
    if isinstance(label, bool):
        return [False, True]
    if isinstance(label, str) == isinstance(pos_label, str) and label != pos_label:
        return sorted([label, int(pos_label) if isinstance(pos_label, bool) else pos_label])
    return [0, 1] if label == 1 else [label]


def _positive_label(all_labels: Labels, pos_label: Any, *, required: bool) -> Label:
    """Return the positive one of two labels; `required` insists on `pos_label`."""
    expected: Label = _DEFAULT if pos_label is None else pos_label
    if expected in all_labels:
        return expected
    if required or pos_label is not None:
        raise ValueError(
            f"pos_label must be one of the labels {_enumeration(all_labels)}, got {shown(expected)}"
        )
    return all_labels[1]  # type: ignore[no-any-return]


def _enumeration(labels: Labels) -> str:
    """Return the first ten labels, for a message."""
    excerpt = ", ".join(map(repr, labels[:10]))
    return excerpt if len(labels) <= 10 else f"{excerpt}, ... ({len(labels)} in all)"


KappaWeights = Literal["linear", "quadratic"]


Distances = Integers  # of a reference and a prediction, shape (labels, labels)


def label_distances(task: Classes, weights: KappaWeights) -> Distances:
    """Return the number of steps between labels in the order of the option `labels`, or its square.

    By default the order is that of the labels.

    Raises:
        ValueError: `labels` omits some, so that it does not order all labels.

    Source:
        Cohen, Weighted kappa: nominal scale agreement with provision for scaled disagreement or
        partial credit (1968).

    >>> label_distances(classes([0, 1, 2]), "quadratic").tolist()
    [[0, 1, 4], [1, 0, 1], [4, 1, 0]]
    """
    if len(task.selection) < len(task.all_labels):
        raise OptionError(
            "kappa_weights", "needs an order of all labels, but labels=[...] leaves some out"
        )
    ranks = np.argsort(task.selection)
    steps: Integers = np.abs(ranks[:, np.newaxis] - ranks)
    return steps if weights == "linear" else steps**2
