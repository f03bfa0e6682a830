"""The difference of two systems whose rows a judge scored, and people labelled in part."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...data.tables.tables import Source
from ...judging.agreement.corrected_rates import judge_corrected
from ...module.catalog.usage import UsageError
from ...statistics.arguments.checks import check_labels
from ...statistics.intervals.intervals import critical_value
from ...statistics.tests.power import required_labels
from ..rows.joins import joined_rows


class LabelledSystem(NamedTuple):
    """The rows of a system: verdicts of a judge, labels (NaN where there is none), and texts."""

    name: str
    verdicts: list[float]
    labels: list[float]
    ids: list[str] | None = None
    clusters: list[str] | None = None

    def correlation(self) -> float:
        """Return the correlation of verdicts and labels on labelled rows.

        NaN where either is constant.

        >>> nan = float("nan")
        >>> LabelledSystem("a", [1.0, 0.0, 1.0, 1.0], [1.0, 0.0, 1.0, nan]).correlation()
        1.0
        """
        from ...judging.agreement.rater_agreement import judge_agreement

        pairs = [
            pair for pair in zip(self.verdicts, self.labels, strict=True) if pair[1] == pair[1]
        ]
        verdicts, labels = map(list, zip(*pairs, strict=True))
        result = judge_agreement(verdicts, labels, measures="pearson")
        return float(result["pearson"])


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


class LabelPlan(NamedTuple):
    """How many labels the rate of a system needs, by a pilot.

    `required` is the number with the judge, `without_judge` the number without; None where not even
    labels of all rows suffice. The ends of the correlation are those of Fisher's z.
    """

    system: str
    rate: float
    correlation: float
    correlation_interval: tuple[float, float]
    labelled: int
    rows: int
    required: int | None
    without_judge: int | None

    def cells(self) -> list[str]:
        """Return the plan as cells of a table."""
        low, high = self.correlation_interval
        return [
            self.system,
            f"{self.rate:.4f}",
            f"{self.correlation:.2f} [{low:.2f}, {high:.2f}]",
            f"{self.labelled:,}",
            f"{self.rows:,}",
            "more rows" if self.required is None else f"{self.required:,}",
            "more rows" if self.without_judge is None else f"{self.without_judge:,}",
        ]

    def sentence(self, half_width: float) -> str:
        """Return a sentence to quote.

        >>> plan = LabelPlan("new", 0.8, 0.7, (0.5, 0.8), 40, 1000, 155, 211)
        >>> plan.sentence(0.05)
        'For the rate of new to be known to plus or minus 0.05, people have to label 155 of 1,000 \
rows (without the judge 211), if the rate is near 0.80 and the correlation with the judge near \
0.70, of which 40 labels show no more than 0.50 to 0.80.'
        """
        low, high = self.correlation_interval
        start = f"For the rate of {self.system} to be known to plus or minus {half_width:g}, "
        if self.required is None:
            return f"{start}labels of all {self.rows:,} rows do not suffice: it takes more rows."
        labels_text = "more rows than there are"
        if self.without_judge is not None:
            labels_text = f"{self.without_judge:,}"
        return (
            f"{start}people have to label {self.required:,} of {self.rows:,} rows (without the "
            f"judge {labels_text}), if the rate is near {self.rate:.2f} and the correlation with "
            f"the judge near {self.correlation:.2f}, of which {self.labelled:,} labels show no "
            f"more than {low:.2f} to {high:.2f}."
        )


def planned_labels(
    system: LabelledSystem, half_width: float, *, confidence_level: float = 0.95
) -> LabelPlan:
    """Return how many labels the rate of a system needs, by its pilot.

    Raises:
        ValueError: there are fewer than four labels, or verdicts and labels are constant or equal.

    >>> nan = float("nan")
    >>> pilot = LabelledSystem(
    ...     "new", [1.0, 0.0, 1.0, 1.0, 0.0] * 200, [1.0, 0.0, 0.0, 1.0, 1.0] * 8 + [nan] * 960
    ... )
    >>> planned_labels(pilot, 0.05).required
    380
    """
    labels = [label for label in system.labels if label == label]
    if len(labels) < 4:
        raise ValueError(f"{system.name} has {len(labels)} labels; a pilot needs at least four")
    correlation = system.correlation()
    if not -1 < correlation < 1:
        problem = "is 1: label more rows" if correlation == 1 else "is unknown: label more rows"
        raise ValueError(f"the correlation of verdicts and labels of {system.name} {problem}")
    rate = math.fsum(labels) / len(labels)
    reach = critical_value(confidence_level, math.inf) / math.sqrt(len(labels) - 3)
    centre = math.atanh(correlation)
    rows = len(system.verdicts)
    options: dict[str, Any] = {"rate": rate, "rows": rows, "confidence_level": confidence_level}
    return LabelPlan(
        system.name,
        rate,
        correlation,
        (math.tanh(centre - reach), math.tanh(centre + reach)),
        len(labels),
        rows,
        required_labels(half_width, correlation=correlation, **options),
        required_labels(half_width, **options),
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
