"""Which rows are examples: those with the worst scores, and those on which systems differ most.

Often many rows tie: then examples of different kinds are shown, and not simply the first rows.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...evaluation.results.module_results import ModuleResult, means_of_rows
from ...evaluation.results.rendering import counted
from ...evaluation.results.results import Results

_MAX_TIED = 1_000  # rows of a tie from which examples are chosen
# Characters of UTF-8 in texts that were read as if they were in Windows' encoding.
_MISREAD = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_LOST = "\ufffd"  # stands for characters that could not be read


class RankedRows(NamedTuple):
    """The score of each row for each system, averaged over the named scores."""

    names: Sequence[str]
    rows: Sequence[Sequence[float]]  # the scores of all systems for each row; higher is better
    is_negated: bool = False  # whether lower was better before negation


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
        whole = next((row for row in rows if not is_broken(texts(row))), None)
        if whole is not None:
            rows = [whole, *(row for row in rows if row != whole)]
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


def row_scores(results: Results) -> RankedRows | str:
    """Return the mean of the first score of each module, for each row; or why there is none."""
    for lower, only_means in ((False, True), (False, False), (True, False)):
        systems = [
            {
                name: column
                for result in modules.values()
                for name, column in _first_column(result, lower, only_means)
            }
            for modules in results.systems.values()
        ]
        first = systems[0] if systems else {}
        names = [name for name in first if all(name in columns for columns in systems)]
        if names:
            break
    else:
        return "The scores of every row were not given (--per-example), so there are no examples."
    sizes = {len(columns[name]) for columns in systems for name in names}
    if len(sizes) > 1:
        return "Systems have different numbers of rows, so there are no examples side by side."
    sign = -1 if lower else 1
    rows = [
        [sign * _mean(columns[name][row] for name in names) for columns in systems]
        for row in range(*sizes)
    ]
    return RankedRows(names, rows, is_negated=lower)


def _first_column(
    result: ModuleResult, lower: bool, only_means: bool
) -> list[tuple[str, Sequence[float]]]:
    """Return the first score of rows for which lower, or higher, is better; with its name.

    If `only_means`, the mean over its rows is a score of the result.
    """
    columns = means_of_rows(result) if only_means else result.per_example
    names = [name for name in columns if (name in result.lower_is_better) == lower]
    return [(name, columns[name]) for name in names[:1]]


def _mean(values: Iterable[float]) -> float:
    """Return the mean of the finite values; NaN if there are none."""
    finite = [value for value in values if math.isfinite(value)]
    return math.fsum(finite) / len(finite) if finite else math.nan


def rank_rows(systems: Sequence[str], scores: RankedRows, count: int) -> list[Ranking]:
    """Return the rows of each kind, at most `count`."""
    *first_names, last_name = scores.names
    score = f"mean of {', '.join(first_names)} and {last_name}" if first_names else last_name
    means = {row: _mean(values) for row, values in enumerate(scores.rows)}
    means = {row: mean for row, mean in means.items() if not math.isnan(mean)}
    rankings = [_rank_worst(systems, means, score, len(scores.rows), count, scores.is_negated)]
    if len(systems) == 2:
        differences = {row: scores.rows[row][0] - scores.rows[row][1] for row in means}
        for sign, (better, worse) in ((1, systems), (-1, systems[::-1])):
            gains = {row: sign * gain for row, gain in differences.items() if sign * gain > 0}
            wins = f"{better} is better in {counted(len(gains), 'row')}"
            reason = f"The largest differences in {score}; {wins}"
            title = f"{better} better than {worse}"
            rankings.append(_ranking(title, reason, {row: -gains[row] for row in gains}, count))
    elif len(systems) > 2:
        spreads = {row: _spread(scores.rows[row]) for row in means}
        differing = {
            row: (-distance, -squares)
            for row, (distance, squares) in spreads.items()
            if distance > 0
        }
        reason = (
            f"The largest differences in the {score} between systems, first those on which systems "
            f"are split most evenly; they differ in {counted(len(differing), 'row')}"
        )
        rankings.append(_ranking("Most different", reason, differing, count))
    return [ranking for ranking in rankings if ranking.candidates()]


def _ranking(title: str, reason: str, keys: Mapping[int, Any], count: int) -> Ranking:
    """Return the rows with the lowest keys.

    If more tie than there is room for, those to choose from.
    """
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


def _rank_worst(
    systems: Sequence[str],
    means: Mapping[int, float],
    score: str,
    total: int,
    count: int,
    is_negated: bool,
) -> Ranking:
    """Return the rows with the worst mean over systems."""
    lowest = min(means.values(), default=math.nan)
    ties = sum(mean == lowest for mean in means.values())
    shown = -lowest if is_negated else lowest
    reason = (
        f"The {'highest' if is_negated else 'lowest'} {score}"
        f"{' over all systems' if len(systems) > 1 else ''}: {shown:.4g} in "
        f"{ties:,} of {counted(total, 'row')}"
    )
    return _ranking("Worst", reason, means, count)


def rank_unparsed(results: Results, total: int, count: int) -> list[Ranking]:
    """Return the rows with a prediction in which no answer was found, if there are any."""
    unparsed = {
        system: {
            row
            for result in modules.values()
            for row, share in enumerate(result.per_example.get("unparsed", ()))
            if share
        }
        for system, modules in results.systems.items()
    }
    rows = sorted(set().union(*unparsed.values()))
    if not rows:
        return []
    parts = [f"{system} {len(numbers):,}" for system, numbers in unparsed.items() if numbers]
    cut = f", of which these are the first {count}" if len(rows) > count else ""
    reason = (
        f"Predictions in which no answer was found, and which score 0 ({', '.join(parts)} of "
        f"{counted(total, 'row')}){cut}."
    )
    return [Ranking("Unparsed", reason, rows[:count], (), count)]


def _spread(values: Sequence[float]) -> tuple[float, float]:
    """Return the range of the finite values, and the sum of their squared distances from the mean.

    The sum shows how evenly systems are split: it is 1 for 0, 0, 1, 1, and 0.75 for 0, 0, 0, 1.
    """
    finite = [value for value in values if math.isfinite(value)]
    center = _mean(finite)
    return max(finite) - min(finite), math.fsum((value - center) ** 2 for value in finite)
