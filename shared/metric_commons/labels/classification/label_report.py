"""The report of a classification: the scores of each label, and their averages, as a table."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .classes import Classes
from .confusion import LabelCounts, RowKinds, confusion_scores

Report = dict[str, Any]

_COLUMNS = {"precision": "precision", "recall": "recall", "f1": "f1-score"}


def label_report(
    counts: LabelCounts, task: Classes, kinds: RowKinds | None, zero_division: float
) -> Report:
    """The scores of each label and their averages, as in scikit-learn's `classification_report`.

    Each label, as a string, and "macro avg" and "weighted avg" have "precision", "recall",
    "f1-score" and "support". "accuracy" is a number; if rows have several labels, or `labels` omits
    some, it is replaced by "micro avg".

    Args:
        counts: the counts of all labels.
        task: the labels to show.
        kinds: the rows, if they have several labels, for "samples avg".
        zero_division: the value of a ratio with denominator 0.
    """
    shown_positions = [position for position in task.selection if position not in task.absent]
    selected = counts.select(shown_positions)
    support = selected.support.tolist() if counts.is_whole else [*map(float, selected.support)]
    total = sum(support)

    def scores(average: str) -> dict[str, Any]:
        measured = confusion_scores(
            counts,
            replace(task, average=average, selection=shown_positions, absent=frozenset()),
            beta=1.0,
            zero_division=zero_division,
            multilabel=kinds is not None,
            kinds=kinds if average == "samples" else None,
        )
        numbers = {column: measured[name].tolist() for name, column in _COLUMNS.items()}
        return numbers | {"accuracy": measured["accuracy"].item()}

    by_label = scores("none")
    report: Report = {
        str(task.all_labels[position]): {
            **{column: by_label[column][row] for column in _COLUMNS.values()},
            "support": support[row],
        }
        for row, position in enumerate(shown_positions)
    }
    has_accuracy = kinds is None and len(shown_positions) + len(task.absent) >= len(task.all_labels)
    if has_accuracy:
        report["accuracy"] = by_label["accuracy"]
    averages = ["macro", "weighted"] if has_accuracy else ["micro", "macro", "weighted"]
    for average in averages if kinds is None else [*averages, "samples"]:
        averaged = scores(average)
        del averaged["accuracy"]
        report[f"{average} avg"] = averaged | {"support": total}
    return report


def report_text(report: Mapping[str, Any], digits: int = 2) -> str:
    """Return the report as text, as returned by scikit-learn's `classification_report`.

    Args:
        report: the value of `report` in a result.
        digits: the number of decimals of precision, recall and F1.

    >>> row = {"precision": 1.0, "recall": 0.5, "f1-score": 0.667, "support": 2}
    >>> print(report_text({"yes": row, "weighted avg": row}))
                  precision    recall  f1-score   support
    <BLANKLINE>
             yes       1.00      0.50      0.67         2
    <BLANKLINE>
    weighted avg       1.00      0.50      0.67         2
    <BLANKLINE>
    """
    columns = [*_COLUMNS.values(), "support"]
    width = max(len("weighted avg"), digits, *map(len, report))
    total = report["weighted avg"]["support"]
    lines = [f"{'':>{width}s} " + "".join(f" {column:>9}" for column in columns), ""]
    is_average = False
    for name, row in report.items():
        if not is_average and (name == "accuracy" or name.endswith(" avg")):
            is_average = True
            lines.append("")
        if isinstance(row, Mapping):
            cells = [f"{row[column]:>9.{digits}f}" for column in columns[:-1]]
            cells.append(f"{row['support']:>9}")
        else:
            cells = [" " * 9, " " * 9, f"{row:>9.{digits}f}", f"{total:>9}"]
        lines.append(f"{name:>{width}s} " + "".join(f" {cell}" for cell in cells))
    return "\n".join([*lines, ""])
