"""The difference of two systems whose rows a judge scored, and people labelled in part."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...data.tables.tables import Source
from ...judging.agreement.corrected_rates import judge_corrected
from ...module.catalog.usage import UsageError
from ...statistics.arguments.checks import check_labels
from ..rows.joins import joined_rows


class LabelledSystem(NamedTuple):
    """The rows of a system: verdicts of a judge, labels (NaN where there is none), and texts."""

    name: str
    verdicts: list[float]
    labels: list[float]
    ids: list[str] | None = None
    clusters: list[str] | None = None


def read_systems(
    paths: Sequence[Path],
    predictions: Sequence[str],
    labels: Sequence[str],
    *,
    id_field: str | None = None,
    cluster_by: str | None = None,
) -> list[LabelledSystem]:
    """Return the systems in files of rows: one file for each, or one file with fields for each.

    Args:
        paths: the files.
        predictions: the field of the verdicts; with a single file, one for each system.
        labels: the field of the labels; with a single file, one for each system.
        id_field: the field by which rows of two files are matched; None to match them by order.
        cluster_by: the field of the clusters; None if rows stand alone.

    Raises:
        UsageError: there is not a field of verdicts and one of labels for each system.
        ValueError: a file cannot be understood, or a cell is not a number.
        OSError: a file cannot be read.
    """
    if not predictions:
        raise UsageError("--labels needs --predictions, the field of the judge's verdicts")
    if len(labels) != len(predictions) or (len(paths) > 1 and len(predictions) > 1):
        raise UsageError(
            "--labels and --predictions name one field for all files, or one for each system of a "
            "single file"
        )
    systems = []
    for path in paths:
        texts = [field for field in (id_field, cluster_by) if field is not None]
        source = Source(path, [*predictions, *labels, *texts], numbers=[*predictions, *labels])
        columns = source.columns()
        for verdict_field, label_field in zip(predictions, labels, strict=True):
            systems.append(
                LabelledSystem(
                    verdict_field if len(paths) == 1 else path.stem,
                    _numbers(source, verdict_field, columns, is_optional=False),
                    _numbers(source, label_field, columns, is_optional=True),
                    *(
                        None
                        if field is None
                        else check_labels(field, columns[field], len(columns[field]))
                        for field in (id_field, cluster_by)
                    ),
                )
            )
    return systems


def corrected_difference(
    first: LabelledSystem, second: LabelledSystem, *, confidence_level: float = 0.95
) -> dict[str, Any]:
    """Return the result of `judge_corrected` for the difference, where both systems have a label.

    Raises:
        ValueError: the systems have different rows, or too few labelled ones.

    >>> nan = float("nan")
    >>> first = LabelledSystem("a", [1.0, 1.0, 0.0, 1.0], [1.0, 0.0, nan, nan])
    >>> second = LabelledSystem("b", [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, nan, 1.0])
    >>> corrected_difference(first, second)["labelled"]
    2
    """
    if first.ids is not None and second.ids is not None:
        order: Sequence[int] = joined_rows(first.ids, second.ids, (first.name, second.name))
    elif len(first.verdicts) == len(second.verdicts):
        order = range(len(first.verdicts))
    else:
        raise ValueError(
            f"{first.name} has {len(first.verdicts)} rows, but {second.name} has "
            f"{len(second.verdicts)}; a difference needs the same rows"
        )
    differences = [a - second.verdicts[row] for a, row in zip(first.verdicts, order, strict=True)]
    labels = [a - second.labels[row] for a, row in zip(first.labels, order, strict=True)]
    return judge_corrected(
        differences,
        labels,
        score_range=(-1.0, 1.0),
        clusters=first.clusters,
        confidence_level=confidence_level,
    )


def _numbers(
    source: Source, field: str, columns: Mapping[str, Sequence[Any]], *, is_optional: bool
) -> list[float]:
    """Return a column of numbers; null, NaN and empty cells are NaN if it is optional.

    Raises:
        ValueError: a cell is not a number; names its location.
    """
    numbers = []
    for row, value in enumerate(columns[field]):
        try:
            number = math.nan if value is None or value == "" else float(value)
        except (TypeError, ValueError):
            number = None
        if number is None or (number != number and not is_optional):
            problem = f"{source.location(row)}: field {field!r} is {value!r}; expected a number"
            raise ValueError(f"{source.path}: {problem}")
        numbers.append(number)
    return numbers
