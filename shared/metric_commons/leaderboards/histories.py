"""One system over time: its results by one score, each compared with the one before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..comparison.combined_results import merged, renamed
from ..comparison.pairing import paired_scores
from ..results.comparisons import Comparison, compare_pairs, statement
from ..results.rendering import Table, label, p_value
from .boards import Candidate, interval_of, interval_text


@dataclass(frozen=True)
class History:
    """Results of one system that were scored alike, in the order of their times."""

    results: Sequence[Candidate]
    confidence_level: float
    changes: Sequence[Comparison]  # of each result but the first with the one before
    problem: str = ""  # why there are no comparisons

    def records(self) -> Iterator[dict[str, Any]]:
        """What there is to say of each result, the oldest first."""
        for number, candidate in enumerate(self.results):
            value = candidate.result.scores[candidate.score]
            change = self.changes[number - 1] if number and self.changes else {}
            previous = self.results[number - 1] if number else None
            yield {
                "created": candidate.created,
                "result": str(candidate.origin.path),
                "system": candidate.system,
                "value": value,
                "confidence_interval": interval_of(
                    candidate.result, candidate.score, self.confidence_level
                ),
                "rows": candidate.result.rows,
                "change": value - previous.result.scores[previous.score] if previous else None,
                "p_adjusted": change.get("p_adjusted"),
                "significant": change.get("significant"),
            }

    def table(self, top: int | None = None) -> Table:
        """A row a result, the oldest first; a change that is significant is in bold."""
        rows: list[list[str]] = []
        bold: set[tuple[int, int]] = set()
        for record in list(self.records())[-(top or 0) :]:
            cells = [f"{record['value']:.4f}", interval_text(record["confidence_interval"])]
            change, p = record["change"], record["p_adjusted"]
            cells.append("" if change is None else f"{change:+.4f}")
            if self.changes:
                cells.append("" if p is None else p_value(p))
            if record["significant"]:
                bold |= {(len(rows), 4), (len(rows), 5)}
            rows.append(
                [label(record["created"]), label(record["result"]), *cells, f"{record['rows']:,}"]
            )
        first = self.results[0]
        header = ["created", "result", label(first.score)]
        header += [f"{100 * self.confidence_level:g}% interval", "change"]
        header += ["p_holm"] if self.changes else []
        notes = ["Less is better."] if first.score in first.result.lower_is_better else []
        notes.append(f"Change: from the result before, of the system {label(first.system)}.")
        if self.changes:
            notes.append(statement(self.changes))
        if self.problem:
            notes.append(f"Changes are not tested: {self.problem}.")
        return Table([*header, "rows"], rows, 2, bold, " ".join(notes), "History")


def results_of_system(candidates: Sequence[Candidate], system: str | None) -> list[Candidate]:
    """The results of the system that is meant: the one of that name, or the only one.

    Raises:
        ValueError: there are several, or none of that name.
    """
    names = list(dict.fromkeys(candidate.system for candidate in candidates))
    if system is None and len(names) > 1:
        raise ValueError(
            f"a history is of one system, and there are {', '.join(map(repr, names))}; name one "
            "with --system"
        )
    name = names[0] if system is None else system
    if name not in names:
        raise ValueError(f"there is no system {name!r}; there are {', '.join(names)}")
    return [candidate for candidate in candidates if candidate.system == name]


def history(candidates: Sequence[Candidate], confidence_level: float = 0.95) -> History:
    """The history of one system whose results were scored alike.

    Args:
        candidates: of one of the groups of `boards.alike`.
        confidence_level: of the intervals of scores.
    """
    ordered = sorted(candidates, key=lambda candidate: candidate.created)
    problems = [candidate.origin.problem for candidate in ordered if candidate.origin.problem]
    if problems or len(ordered) < 2:
        return History(ordered, confidence_level, [], problems[0] if problems else "")
    names = [f"result {number}" for number in range(1, len(ordered) + 1)]
    pool = merged(
        [
            renamed(candidate.origin.results, {candidate.system: name})
            for candidate, name in zip(ordered, names, strict=True)
        ]
    )
    key = f"{ordered[0].module}.{ordered[0].score}"
    try:
        pairs = paired_scores(pool, zip(names[1:], names, strict=False), [key])
        changes = compare_pairs(pairs)
    except ValueError as error:
        return History(ordered, confidence_level, [], str(error))
    return History(ordered, confidence_level, changes)
