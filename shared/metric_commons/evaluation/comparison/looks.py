"""Two systems compared again and again while their rows are scored.

Rows count in the order of the benchmark, which must be random. The file of looks next to a result
holds the differences of earlier looks, so that a change of earlier rows is found.
"""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...data.files.access import open_file, read_file
from ...data.files.stored import write_whole
from ...statistics.tests.confidence_sequences import SequentialComparison
from ..results.module_results import ModuleResult, functions_of_sums, means_of_rows
from ..results.rendering import counted, label
from ..results.results import Results
from .verdicts import chosen_system

_PAUSE = 0.2  # seconds between two looks at a file that is being written


class BaselineRows(NamedTuple):
    """The scores of the baseline in the order of the benchmark, and the numbers of its rows."""

    score: str
    is_lower_better: bool
    scores: Sequence[float]
    numbers: Mapping[Any, int] | None  # of rows by id; None for their order
    clusters: Sequence[Any] | None

    @classmethod
    def of(cls, results: Results, score: str | None, system: str | None) -> "BaselineRows":
        """Return the rows of a score of a result; None for its main score."""
        name = chosen_system(results, system, "baseline")
        module, chosen = _score_of_rows(results, name, score, "baseline")
        labels = results.row_labels.get(name, {})
        ids = labels.get("id")
        numbers = None if ids is None else {key: row for row, key in enumerate(ids)}
        return cls(
            chosen,
            chosen in module.lower_is_better,
            means_of_rows(module)[chosen],
            numbers,
            labels.get("cluster"),
        )

    def number(self, key: Any, row: int) -> int:
        """Return the number of the baseline's row that belongs to a row of the new system."""
        number = row if self.numbers is None else self.numbers.get(key)
        if number is None or number >= len(self.scores):
            named = f"row {row}" if self.numbers is None else f"row {row}, {key!r},"
            raise ValueError(f"{named} of the new system is not in the baseline")
        return int(number)

    def difference(self, value: float, number: int, row: int) -> float:
        """Return by how much the new system is better on a row."""
        baseline = self.scores[number]
        if math.isnan(value) or math.isnan(baseline):
            raise ValueError(f"row {row} has no {self.score}; every row of a sequence needs one")
        return baseline - value if self.is_lower_better else value - baseline


def saved_look(
    new: Results, baseline: BaselineRows, comparison: SequentialComparison, system: str | None
) -> list[float]:
    """Add all rows of a saved result to a comparison, in their order; return the differences.

    Raises:
        ValueError: a row is not in the baseline, has no score, or does not fit the bounds.
    """
    name = chosen_system(new, system, "new")
    module, score = _score_of_rows(new, name, baseline.score, "new")
    scores = means_of_rows(module)[score]
    labels = new.row_labels.get(name, {})
    ids = labels.get("id")
    if (ids is None) != (baseline.numbers is None):
        raise ValueError("only one of both results has ids; score both with --id and --per-example")
    numbers = [
        baseline.number(None if ids is None else ids[row], row) for row in range(len(scores))
    ]
    differences = [
        baseline.difference(value, number, row)
        for row, (value, number) in enumerate(zip(scores, numbers, strict=True))
    ]
    clusters = None
    if baseline.clusters is not None:
        clusters = [baseline.clusters[number] for number in numbers]
    comparison.update(differences, [0.0] * len(differences), clusters)
    if clusters is not None and len(scores) == len(baseline.scores):
        comparison.close()
    return differences


def check_looks(path: Path, key: str, differences: Sequence[float]) -> None:
    """Check that earlier looks saw the same first rows, and save the rows of this one.

    Args:
        path: the file of looks, which is made if it does not exist.
        key: which comparison it was.
        differences: those of all rows, in order.

    Raises:
        ValueError: the rows are in another order, or fewer, than at an earlier look.
    """
    try:
        looks = dict(json.loads(read_file(path))) if path.exists() else {}
        earlier = list(looks.get(key, []))
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{path} is not a file of looks; if this is a new run, delete it"
        ) from error
    for row, value in enumerate(earlier):
        if row >= len(differences):
            problem = (
                f"there are {len(differences):,} rows, but an earlier look saw {len(earlier):,}"
            )
        elif differences[row] != value:
            problem = f"row {row} differs from what an earlier look saw"
        else:
            continue
        raise ValueError(
            f"{problem}; rows may only be appended. If this is another run, delete {path}"
        )
    write_whole(path, [json.dumps(looks | {key: list(differences)}).encode()])


def followed(
    path: Path,
    baseline: BaselineRows,
    comparison: SequentialComparison,
    is_decided: Callable[[], bool],
    *,
    system: str | None = None,
    show: Callable[[], None],
) -> None:
    """Add the rows of a file while they are written, until the comparison is decided.

    Rows that are finished early wait for those before them in the baseline.

    Args:
        path: JSON Lines as `save_per_example` writes them, or with the score as a field.
        baseline: the rows to compare with, in the order of the benchmark.
        comparison: what the rows are added to.
        is_decided: whether to stop.
        system: which system of the file.
        show: called after each row.

    Raises:
        ValueError: a line is not such a row, or the file becomes shorter.
    """
    waiting: dict[int, float] = {}
    for row, record in enumerate(_lines(path, lambda: comparison.rows >= len(baseline.scores))):
        if record is None:
            continue
        if system is not None and record.get("system", system) != system:
            continue
        number = baseline.number(record.get("id"), int(record.get("row", row)))
        if number < comparison.rows or number in waiting:
            raise ValueError(f"{path}: line {row + 1} repeats a row")
        value = _value(record, baseline.score, path, row)
        waiting[number] = baseline.difference(value, number, row)
        while (following := comparison.rows) in waiting:
            clusters = None if baseline.clusters is None else [baseline.clusters[following]]
            comparison.update(waiting.pop(following), 0.0, clusters)
            if comparison.rows == len(baseline.scores):
                comparison.close()
            show()
            if is_decided():
                return


def _lines(path: Path, is_over: Callable[[], bool]) -> Iterator[Any]:
    """Yield the record of each line of a file, and wait for further ones until it is over."""
    offset, number = 0, 0
    while not is_over():
        if path.stat().st_size < offset:
            raise ValueError(f"{path}: became shorter while it was followed")
        with open_file(path) as file:
            file.seek(offset)
            content = file.read()
        lines = content[: content.rfind(b"\n") + 1]
        offset += len(lines)
        for line in lines.splitlines():
            number += 1
            try:
                record = json.loads(line) if line.strip() else None
            except ValueError as error:
                raise ValueError(f"{path}: line {number} is not JSON") from error
            if record is not None and not isinstance(record, dict):
                raise ValueError(f"{path}: line {number} is not an object with the score of a row")
            yield record
        if not lines and not is_over():
            time.sleep(_PAUSE)


def _value(record: Mapping[str, Any], score: str, path: Path, row: int) -> float:
    scores = record.get("scores", record)
    value = scores.get(score) if isinstance(scores, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{path}: line {row + 1} has no number {score!r}")
    return float(value)


def sentence(
    score: str, comparison: SequentialComparison, verdict: str, *, is_lower_better: bool = False
) -> str:
    """Return rows, interval and verdict on one line.

    >>> comparison = SequentialComparison(total=10)
    >>> _ = comparison.update([1, 1, 0], [0, 1, 0])
    >>> print(sentence("qa_em", comparison, comparison.verdict))
    qa_em: 3 of 10 rows, difference +0.3333 [-0.6000, +0.8000] at 95 % over all looks: undecided
    """
    sequence = comparison.sequence
    unit = "cluster" if sequence.units != sequence.rows else "row"
    shown = f"{sequence.units:,}" if sequence.total else counted(f"{sequence.units:,}", unit)
    if sequence.total:
        shown += f" of {sequence.total:,} {unit}s"
    low, high = comparison.interval
    lower = "; positive: lower, so better" if is_lower_better else ""
    mean = f"{sequence.mean:+.4f}" if sequence.units else "unknown"
    return (
        f"{label(score)}: {shown}, difference {mean} [{low:+.4f}, {high:+.4f}] at "
        f"{100 * sequence.level:g} % over all looks{lower}: {verdict}"
    )


def _score_of_rows(
    results: Results, system: str, score: str | None, side: str
) -> tuple[ModuleResult, str]:
    """Return the module of a score of rows, and its name; None for the main score."""
    for module, result in results.systems[system].items():
        name = result.main_score or next(iter(result.scores))
        if score is not None:
            name = score.removeprefix(f"{module}.")
        if name in means_of_rows(result):
            return result, name
        if score is None or name in functions_of_sums(result):
            raise ValueError(
                f"{name} is computed from sums; --sequential is for means of rows in a known range"
            )
    raise ValueError(f"the {side} result has no score {score!r} of rows")
