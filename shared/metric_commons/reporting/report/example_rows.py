"""The choice of example rows: those with the worst scores, and those on which systems differ most.

Often many rows tie: then examples of different kinds are shown, and not simply the first rows.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...evaluation.results.rendering import counted
from ...evaluation.results.results import Results

_MAX_TIED = 1_000  # rows of a tie from which examples are chosen
# Characters of UTF-8 in texts that were read as if they were in Windows' encoding.
_MISREAD = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_LOST = "\ufffd"  # stands for characters that could not be read


class Ranking(NamedTuple):
    """Rows of one kind, and the reason for choosing them."""

    title: str
    reason: str
    rows: Sequence[int]  # which are examples whatever they contain
    tied: Sequence[int] = ()  # the rows from which the other examples are chosen
    size: int = 0  # the number of all examples

    def candidates(self) -> list[int]:
        """Return all rows that may become examples."""
        return [*self.rows, *self.tied]

    def chosen(self, texts: Callable[[int], tuple[Sequence[Any], Any]]) -> dict[int, str]:
        """Return the rows of the examples in order, with their kinds where these were told apart.

        Args:
            texts: the predictions of all systems for a row, and its references.
        """
        kinds: dict[str, list[int]] = {}
        for row in self.tied:
            predictions, references = texts(row)
            kinds.setdefault(answer_kind(predictions, references), []).append(row)
        ordered = [rows for _, rows in sorted(kinds.items(), key=lambda item: -len(item[1]))]
        for rows in ordered:  # those with broken characters last, otherwise in order
            rows.sort(key=lambda row: is_broken(texts(row)))
        room = self.size - len(self.rows)
        depth = max(map(len, ordered), default=0)
        turns = [rows[turn] for turn in range(depth) for rows in ordered if turn < len(rows)][:room]
        kind_of_row = {row: kind for kind, rows in kinds.items() for row in rows}
        rows = [*self.rows, *turns]
        intact = next((row for row in rows if not is_broken(texts(row))), None)
        if intact is not None:
            rows = [intact, *(row for row in rows if row != intact)]
        return {row: kind_of_row.get(row, "") for row in rows}


def answer_kind(predictions: Sequence[Any], references: Any) -> str:
    """Return the kind of an example, by the answers of all systems.

    >>> answer_kind(["", "Oslo"], ["Rome"]), answer_kind(["in Rome", "Oslo"], ["Rome"])
    ('an empty answer', 'an answer and a reference overlap')
    >>> answer_kind(["Oslo", "oslo"], ["Rome"]), answer_kind(["Oslo"], ["1969"])
    ('all systems give the same answer', 'a number is asked for')
    """
    answers = [_plain(value) for value in predictions]
    accepted = [text for text in map(_plain, _texts(references)) if text]
    if not all(answers):
        return "an empty answer"
    if any(text in answer or answer in text for text in accepted for answer in answers):
        return "an answer and a reference overlap"
    if len(answers) > 1 and len(set(answers)) == 1:
        return "all systems give the same answer"
    if any(character.isdigit() for text in accepted for character in text):
        return "a number is asked for"
    return "other answers"


def is_broken(value: Any) -> bool:
    """Return whether texts have characters that were damaged before they were scored.

    >>> is_broken((["Slalom â€“ (SC)"], None)), is_broken((["Málaga"], ["São Paulo"]))
    (True, False)
    """
    return any(
        _LOST in text or _MISREAD.search(text.encode("cp1252", "replace"))
        for text in _texts(value)
        if not text.isascii()
    )


def _plain(value: Any) -> str:
    return value.casefold().strip(" .") if isinstance(value, str) else str(value)


def _texts(value: Any) -> list[str]:
    """Return all texts in a value of JSON."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return [] if value is None else [str(value)]
    return [text for item in value for text in _texts(item)]


def rank_rows(results: Results, count: int) -> tuple[list[str], list[Ranking]] | str:
    """Return the scores by which rows are ranked, and at most `count` rows of each kind.

    The score of a row is the mean of the first score of each module, and higher is better if
    possible. If there are no such scores, return the reason.
    """
    for lower, only_means in ((False, True), (False, False), (True, False)):
        columns_of_systems = []
        for system, modules in results.systems.items():
            firsts: dict[str, Sequence[float]] = {}
            for module, result in modules.items():
                # If `only_means`, the mean over the rows is a score of the result.
                table = results.rows.get(system, {}).get(module)
                columns = {} if table is None else table.row_scores
                names = [
                    name
                    for name in columns
                    if name in result.scores
                    and (name in result.lower_is_better) == lower
                    and not (only_means and name in result.aggregation)
                ]
                firsts |= {name: columns[name].tolist() for name in names[:1]}
            columns_of_systems.append(firsts)
        first = columns_of_systems[0] if columns_of_systems else {}
        scores = [name for name in first if all(name in c for c in columns_of_systems)]
        if scores:
            break
    else:
        return "The scored rows were not given (score --rows), so there are no examples."
    sizes = {len(columns[name]) for columns in columns_of_systems for name in scores}
    if len(sizes) > 1:
        return "Systems have different numbers of rows, so there are no examples side by side."
    (total,) = sizes
    sign = -1 if lower else 1
    rows = [
        [sign * _mean(columns[name][row] for name in scores) for columns in columns_of_systems]
        for row in range(total)
    ]
    systems = list(results.systems)
    *first_names, last_name = scores
    score = f"mean of {', '.join(first_names)} and {last_name}" if first_names else last_name
    means = {row: _mean(values) for row, values in enumerate(rows)}
    means = {row: mean for row, mean in means.items() if not math.isnan(mean)}
    lowest = min(means.values(), default=math.nan)
    reason = (
        f"The {'highest' if lower else 'lowest'} {score}"
        f"{' over all systems' if len(systems) > 1 else ''}: {sign * lowest:.4g} in "
        f"{sum(mean == lowest for mean in means.values()):,} of {counted(total, 'row')}"
    )
    rankings = [_ranking("Worst", reason, means, count)]
    if len(systems) == 2:
        differences = {row: rows[row][0] - rows[row][1] for row in means}
        for direction, (better, worse) in ((1, systems), (-1, systems[::-1])):
            gains = {row: -direction * d for row, d in differences.items() if direction * d > 0}
            wins = f"{better} is better in {counted(len(gains), 'row')}"
            reason = f"The largest differences in {score}; {wins}"
            rankings.append(_ranking(f"{better} better than {worse}", reason, gains, count))
    elif len(systems) > 2:
        spreads = {}
        for row in means:
            finite = [value for value in rows[row] if math.isfinite(value)]
            if max(finite) > min(finite):
                # The squared distances show how evenly systems are split: they are 1 for
                # 0, 0, 1, 1, and 0.75 for 0, 0, 0, 1.
                center = _mean(finite)
                squares = math.fsum((value - center) ** 2 for value in finite)
                spreads[row] = min(finite) - max(finite), -squares
        reason = (
            f"The largest differences in the {score} between systems, first those on which systems "
            f"are split most evenly; they differ in {counted(len(spreads), 'row')}"
        )
        rankings.append(_ranking("Most different", reason, spreads, count))
    rankings = [ranking for ranking in rankings if ranking.candidates()]
    return scores, rankings + _unparsed(results, total, count)


def _mean(values: Iterable[float]) -> float:
    """Return the mean of the finite values; NaN if there are none."""
    finite = [value for value in values if math.isfinite(value)]
    return math.fsum(finite) / len(finite) if finite else math.nan


def _ranking(title: str, reason: str, keys: Mapping[int, Any], count: int) -> Ranking:
    """Return the rows with the lowest keys, and if too many tie, the rows to choose from."""
    order = sorted(keys, key=keys.__getitem__)
    if len(order) <= count or not count:
        return Ranking(title, f"{reason}.", order[:count], (), count)
    last = keys[order[count - 1]]
    ahead = [row for row in order if keys[row] < last]
    tied = [row for row in order if keys[row] == last]
    if len(ahead) + len(tied) <= count:
        return Ranking(title, f"{reason}.", order[:count], (), count)
    step = -(-len(tied) // _MAX_TIED)
    if ahead:
        reason += (
            f". Of {len(tied):,} rows that tie for the last places {count - len(ahead)} are shown"
        )
    else:
        reason += f"; {count} of the {len(tied):,} rows that tie are shown, of different kinds"
    return Ranking(title, f"{reason}.", ahead, tied[::step], count)


def _unparsed(results: Results, total: int, count: int) -> list[Ranking]:
    """Return the rows with a prediction in which no answer was found, if there are any."""
    unparsed = {
        system: {
            row
            for table in tables.values()
            for row, share in enumerate(table.row_scores.get("unparsed", ()))
            if share
        }
        for system, tables in results.rows.items()
    }
    rows = sorted(set().union(*unparsed.values()))
    if not rows:
        return []
    parts = [f"{system} {len(numbers):,}" for system, numbers in unparsed.items() if numbers]
    cut = f"; these are the first {count}" if len(rows) > count else ""
    reason = (
        f"Predictions in which no answer was found; they score 0 ({', '.join(parts)} of "
        f"{counted(total, 'row')}){cut}."
    )
    return [Ranking("Unparsed", reason, rows[:count], (), count)]
