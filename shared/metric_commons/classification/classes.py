"""The labels of a classification task: which there are, in which order, and which is positive."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, get_args

import numpy as np

from ..numbers.arrays import Column, Integers
from ..numbers.checks import RowError, check_choice
from ..numbers.contingency import Label, Labels, check_kinds
from ..numbers.domains import Parsed

Average = Literal["binary", "macro", "micro", "weighted", "none"]


@dataclass(frozen=True)
class Classes:
    """The labels of a task.

    Args:
        every: all labels, ascending; a binary task has two.
        chosen: the positions in `every` of those that are averaged and shown, in their order.
        positive: the position in `every` of the positive label; None if there is none.
        average: "binary", "macro", "micro", "weighted" or "none".

    """

    every: Labels
    chosen: list[int]
    positive: int | None
    average: str

    @property
    def labels(self) -> Labels:
        """The chosen labels."""
        return [self.every[position] for position in self.chosen]

    @property
    def averaged(self) -> list[int]:
        """The positions of the labels that scores are averaged over: that of the positive one."""
        if self.average == "binary" and self.positive is not None:
            return [self.positive]
        return self.chosen

    def places(self, labels: Labels) -> Integers:
        """The positions of some labels in `every`."""
        position = {label: place for place, label in enumerate(self.every)}
        return np.array([position[label] for label in labels], dtype=np.int64)


def classes(
    present: Labels, *, labels: Any = None, pos_label: Any = 1, average: str | None = None
) -> Classes:
    """The labels of a task in which these are present.

    A task with at most two labels is binary. If it has only one, the other is `pos_label`, or 0
    beside a 1. Its positive label is `pos_label`. If that is 1, as by default, and not one of
    two labels, such as "no" and "yes", then it is the greater one, as in scikit-learn's
    `roc_auc_score`; but `average="binary"` wants it to be named, as scikit-learn does.

    Args:
        present: the labels of references and predictions, in any order, also twice.
        labels: those to be averaged and shown, in this order, also such that are not present;
            None for all that are present.
        pos_label: the positive label of a binary task.
        average: None for "binary" in a binary task and "macro" in others, or one of these,
            "micro", "weighted" and "none".

    Raises:
        ValueError: an option is not what it may be; a binary average of more labels than two, or
            of two of which `pos_label` is none.

    >>> task = classes(["no", "yes", "no"])
    >>> task.labels, task.every[task.positive], task.average
    (['no', 'yes'], 'yes', 'binary')
    >>> classes([0]).labels, classes([1, 2, 3]).average
    ([0, 1], 'macro')
    >>> classes([0, 1], pos_label=2)
    Traceback (most recent call last):
    ValueError: pos_label must be one of the labels 0, 1, got 2
    """
    if average is not None:
        check_choice("average", average, get_args(Average))
    positive = _plain("pos_label", pos_label)
    asked = None if labels is None else _asked(labels)
    seen = [*present, *(asked or [])]
    check_kinds(*set(map(type, seen)))
    every = sorted(set(seen))
    if average == "binary" and len(every) > 2:
        raise ValueError(
            f"average='binary' is of two labels, but there are {_listed(every)}; "
            "choose 'macro', 'micro', 'weighted' or 'none'"
        )
    if len(every) == 1:
        every = _pair(every[0], positive)
    place = None
    if every == [positive]:
        place = 0
    elif len(every) == 2 or average == "binary":
        place = _positive(every, positive, named=average == "binary")
    if average is None:
        average = "macro" if place is None else "binary"
    position = {label: number for number, label in enumerate(every)}
    chosen = [*position.values()] if asked is None else [position[label] for label in asked]
    return Classes(every, chosen, place, average)


def as_labels(name: str, column: Column) -> Column:
    """The column, with whole numbers in place of floats such as 1.0.

    Raises:
        ValueError: a float is not a whole number; names the row.

    >>> as_labels("references", np.array([0.0, 1.0])).tolist()
    [0, 1]
    >>> as_labels("references", [0.0, 0.5])
    Traceback (most recent call last):
    ValueError: references[1] is 0.5; a label is a whole number, a text or a bool
    """
    if isinstance(column, np.ndarray):
        if column.dtype.kind != "f":
            return column
    elif not isinstance(column[0], float):
        return column
    numbers = np.asarray(column, dtype=np.float64)
    whole = (numbers == np.rint(numbers)) & (np.abs(numbers) < 2.0**63)
    if not whole.all():
        row = int(whole.argmin())
        value = numbers[row].item()
        raise RowError(name, row, f"is {value}; a label is a whole number, a text or a bool")
    return numbers.astype(np.int64)


def _asked(labels: Any) -> Labels:
    """The labels of the option, as Python's own values."""
    plain = labels.tolist() if isinstance(labels, np.ndarray) else labels
    if not isinstance(plain, Sequence) or isinstance(plain, str) or not len(plain):
        raise ValueError(f"labels must be a list of labels, got {labels!r}")
    asked = [_plain(f"labels[{place}]", label) for place, label in enumerate(plain)]
    if len(set(asked)) < len(asked):
        place = next(place for place, label in enumerate(asked) if label in asked[:place])
        raise ValueError(f"labels[{place}] is {asked[place]!r}, which stands there already")
    return asked


def _plain(name: str, label: Any) -> Any:
    value = label.item() if isinstance(label, np.generic) else label
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, bool | int | str):
        raise ValueError(f"{name} must be a label, got {label!r}")
    return value


PositiveLabel = Annotated[Label, Parsed(partial(_plain, "pos_label"), "a label")]
ListedLabels = Annotated[Sequence[Label], Parsed(_asked, "a list of labels")]


def _pair(label: Any, positive: Any) -> Labels:
    """Two labels for a task in which only one is present; one if the other has no name."""
    if isinstance(label, bool):
        return [False, True]
    if isinstance(label, str) == isinstance(positive, str) and label != positive:
        return sorted([label, int(positive) if isinstance(positive, bool) else positive])
    return [0, 1] if label == 1 else [label]


def _positive(every: Labels, positive: Any, *, named: bool) -> int:
    """The position of the positive label of two."""
    if positive in every:
        return every.index(positive)
    if named or positive != 1:
        raise ValueError(f"pos_label must be one of the labels {_listed(every)}, got {positive!r}")
    return 1


def _listed(labels: Labels) -> str:
    shown = ", ".join(map(repr, labels[:10]))
    return shown if len(labels) <= 10 else f"{shown}, ... ({len(labels)} in all)"
