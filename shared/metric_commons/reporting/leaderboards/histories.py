"""One system over time: its results for one score, each compared with the previous one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...evaluation.comparison.pairing import paired_scores
from ...evaluation.results.comparison_tables import statement
from ...evaluation.results.comparisons import Comparison, compare_pairs
from ...evaluation.results.rendering import PLAIN, Notation, Table, label, p_value
from .leaderboards import Entry, interval_of, pooled
from .ranked_tables import column, level_heading, ranked_table


@dataclass(frozen=True)
class History:
    """Comparable results of one system, in the order of their times."""

    results: Sequence[Entry]
    confidence_level: float
    changes: Sequence[Comparison]  # from the previous result, for each result but the first
    problem: str = ""  # why there are no comparisons

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the data of each result, oldest first."""
        for number, entry in enumerate(self.results):
            value = entry.result.scores[entry.score]
            change = self.changes[number - 1] if number and self.changes else {}
            previous = self.results[number - 1] if number else None
            yield {
                "created": entry.created,
                "result": str(entry.origin.path),
                "system": entry.system,
                "value": value,
                "confidence_interval": interval_of(
                    entry.result, entry.score, self.confidence_level
                ),
                "rows": entry.result.rows,
                "change": value - previous.result.scores[previous.score] if previous else None,
                "p_adjusted": change.get("p_adjusted"),
                "significant": change.get("significant"),
            }

    def table(self, top: int | None = None, notation: Notation = PLAIN) -> Table:
        """Return one row per result, oldest first; a significant change is in bold."""
        first, records = self.results[0], list(self.records())
        values = [record["value"] for record in records]
        intervals = [record["confidence_interval"] for record in records]
        number_format = notation.format_of_score(first.module, first.score, values, intervals)
        records = records[-(top or 0) :]
        heading, interval = number_format.heading(label(first.score)), number_format.interval
        signed = partial(number_format.number, signed=True)
        level = level_heading(self.confidence_level)
        columns = [
            column(records, "value", number_format.number, heading),
            column(records, "confidence_interval", interval, level),
            column(records, "change", signed),
            *([column(records, "p_adjusted", p_value, "p_holm")] if self.changes else []),
            column(records, "rows", "{:,}".format),
        ]
        notes = ["Lower is better."] if first.score in first.result.lower_is_better else []
        notes.append(f"Change: from the previous result of the system {label(first.system)}.")
        if self.changes:
            notes.append(statement(self.changes))
        if self.problem:
            notes.append(f"Changes are not tested: {self.problem}.")
        labels = [column(records, name, label) for name in ("created", "result")]
        table = ranked_table(labels, columns, (), " ".join(notes), "History")
        significant = [row for row, record in enumerate(records) if record["significant"]]
        return table._replace(best={(row, column) for row in significant for column in (4, 5)})


def results_of_system(entries: Sequence[Entry], system: str | None) -> list[Entry]:
    """Return the results of the selected system: the one of that name, or the only one.

    Raises:
        ValueError: there are several systems, or none of this name.
    """
    names = list(dict.fromkeys(entry.system for entry in entries))
    if system is None and len(names) > 1:
        raise ValueError(
            f"a history needs one system, but there are {', '.join(map(repr, names))}; name one "
            "with --system"
        )
    name = names[0] if system is None else system
    if name not in names:
        raise ValueError(f"there is no system {name!r}; there are {', '.join(names)}")
    return [entry for entry in entries if entry.system == name]


def history(entries: Sequence[Entry], confidence_level: float = 0.95) -> History:
    """Return the history of one system whose results are comparable.

    Args:
        entries: the results of one of the groups of `leaderboards.comparable`.
        confidence_level: the level of the intervals of scores.
    """
    ordered = sorted(entries, key=lambda entry: entry.created)
    problems = [entry.origin.problem for entry in ordered if entry.origin.problem]
    if problems or len(ordered) < 2:
        return History(ordered, confidence_level, [], problems[0] if problems else "")
    names = [f"result {number}" for number in range(1, len(ordered) + 1)]
    pool = pooled(ordered, names)
    key = f"{ordered[0].module}.{ordered[0].score}"
    try:
        pairs = paired_scores(pool, zip(names[1:], names, strict=False), [key])
        changes = compare_pairs(pairs)
    except ValueError as error:
        return History(ordered, confidence_level, [], str(error))
    return History(ordered, confidence_level, changes)
