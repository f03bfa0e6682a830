"""The systems in a plot, and the labels that they have in common."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ...evaluation.results.module_results import ModuleResult
from ...labels.classification.classes import classes
from .captions import shortened


class PlottedSystem(NamedTuple):
    """A system: its scores, and the rows that were scored."""

    result: ModuleResult
    predictions: Any
    references: Any


def common_labels(systems: Mapping[str, PlottedSystem]) -> list[Any]:
    """Return the labels of the systems, in the order of their results.

    Raises:
        ValueError: two systems have different labels.
    """
    labels = {name: system.result.scores["labels"] for name, system in systems.items()}
    for (first, first_labels), (second, second_labels) in pairwise(labels.items()):
        if first_labels != second_labels:
            raise ValueError(
                f"system {second!r} has the labels {_listing(second_labels)}, but {first!r} has "
                f"{_listing(first_labels)}; on one picture they must be the same"
            )
    return next(iter(labels.values()))


def positive_label(systems: Mapping[str, PlottedSystem]) -> str:
    """Return the positive one of two labels.

    An empty string if there are more, or none is positive.
    """
    result = next(iter(systems.values())).result
    labels = classes(result.scores["labels"], pos_label=result.options["pos_label"])
    if len(labels.all_labels) > 2 or labels.positive is None:
        return ""
    return shortened(str(labels.all_labels[labels.positive]), 30)


def _listing(labels: Sequence[Any]) -> str:
    return ", ".join(map(repr, labels[:10])) + (", ..." if len(labels) > 10 else "")
