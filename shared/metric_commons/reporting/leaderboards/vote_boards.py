"""Leaderboards of votes: the systems of a file of votes by their ratings, with ranks.

The rank of a system is 1 plus the number of systems whose intervals are above its own, as in
Chatbot Arena. Two systems whose intervals overlap cannot be told apart by these votes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...data.tables.tables import Source
from ...evaluation.results.module_results import signature
from ...evaluation.results.rendering import (
    PLAIN,
    Notation,
    NumberFormat,
    Table,
    column,
    counted,
    label,
    level_heading,
    listed_names,
)
from ...evaluation.results.result_tables import rank_range
from ...module.catalog.catalog import load_without_evaluate
from ...statistics.arguments.checks import nearest

FIELDS = ("model_a", "model_b", "winner")
_MODULE = "pairwise_ranking"
_COUNTED = ("win_rate", "wins", "losses", "ties")
_DECIMALS = 1  # of ratings, which are hundreds of points apart
_RANKS = (
    " Rank: 1 plus the number of systems whose interval is above its own; ranks: the best and "
    "the worst that the intervals allow."
)
_METHODS = {
    "bradley_terry": "Bradley-Terry, of maximum likelihood",
    "elo": "Elo, after the votes in their order, which have no interval",
    "win_rate": "none, only win rates",
}


@dataclass(frozen=True)
class VoteBoard:
    """Systems ordered by their ratings, best first; without ratings by their win rates."""

    result: Mapping[str, Any]  # of `pairwise_ranking`
    options: Mapping[str, Any]
    confidence_level: float
    votes: int
    conditions: Mapping[str, Any]  # the field of clusters, if there is one

    @property
    def score(self) -> str:
        """Return the score by which systems are ordered."""
        return "ratings" if "ratings" in self.result else "win_rate"

    @property
    def intervals(self) -> Mapping[str, Sequence[float]]:
        """Return the interval of each system by that score; empty if there are none."""
        intervals: Mapping[str, Any] = self.result.get("confidence_interval", {})
        return intervals.get(self.score) or {}

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the data of each system, best first; None for what is not in the result."""
        values, ranks = self.result[self.score], self.result.get("rank", {})
        for system in sorted(values, key=lambda name: (ranks.get(name, 0), -values[name])):
            yield {
                "rank": ranks.get(system),
                "system": system,
                "rating": self.result.get("ratings", {}).get(system),
                "confidence_interval": self.intervals.get(system),
                "rank_interval": self.result.get("rank_interval", {}).get(system),
                **{name: self.result[name][system] for name in _COUNTED},
            }

    def sentence(self) -> str:
        """Return a statement to be quoted: the best system, and how certain that is."""
        best, *followers = (record["system"] for record in self.records())
        has_ratings = self.score == "ratings"
        formatted = ("{:.0f}" if has_ratings else "{:.1%}").format
        text = (
            f"{self.votes:,} votes on {counted(1 + len(followers), 'system')}: {label(best)} has "
            f"the highest {'rating' if has_ratings else 'win rate'}, "
            f"{formatted(self.result[self.score][best])}"
        )
        intervals = self.intervals
        if best not in intervals:
            return f"{text}; these votes give no interval for it."
        low, high = intervals[best]
        text += f" ({level_heading(self.confidence_level)} {formatted(low)} to {formatted(high)})"
        # Those whose intervals overlap that of the best system.
        rivals = [n for n in followers if intervals[n][1] >= low and intervals[n][0] <= high]
        if not rivals:
            return f"{text}, above all others."
        return f"{text}, but cannot be told apart from {listed_names([*map(label, rivals)])}."

    def signature(self) -> str:
        """Return the line that records how systems were rated.

        The options that are not the defaults.
        """
        defaults = load_without_evaluate(_MODULE).options
        leading = {name: self.options[name] for name in ("method", "ties")}
        stated = {name: value for name, value in self.options.items() if value != defaults[name]}
        if "confidence_interval" in self.result:
            stated["confidence_level"] = self.confidence_level
        return signature(_MODULE, {**leading, **stated, **self.conditions}, self.votes)

    def table(self, top: int | None = None, notation: Notation = PLAIN) -> Table:
        """Return one row per system."""
        records = list(self.records())[:top]
        ratings = NumberFormat(1, _DECIMALS if notation.digits is None else notation.digits)
        rates = notation.format_of(is_proportion=True)
        of_intervals = ratings if self.score == "ratings" else rates
        votes = [record["wins"] + record["losses"] + record["ties"] for record in records]
        level = level_heading(self.confidence_level)
        columns = [
            column(records, "rating", ratings.number),
            column(records, "confidence_interval", of_intervals.interval, level),
            column(records, "rank_interval", rank_range, "ranks"),
            column(records, "win_rate", rates.number, rates.heading("win rate")),
            ("votes", [f"{number:g}" for number in votes]),
        ]
        ranks = [record["rank"] for record in records]
        is_divided = len(set(self.result.get("rank", {}).values())) > 1
        best = [row for row, rank in enumerate(ranks) if is_divided and rank == 1]
        has_ranks = None not in ranks
        labels = [column(records, "rank")] if has_ranks else []
        labels.append(column(records, "system", label))
        return Table.of(labels, columns, best=best)._replace(
            note=f"Ratings: {_METHODS[self.options['method']]}.{_RANKS if has_ranks else ''}",
            title="Leaderboard of votes",
            sentence=self.sentence(),
        )


def vote_board(
    source: Source, options: Mapping[str, Any], *, confidence_level: float, clusters: str | None
) -> VoteBoard:
    """Return the leaderboard of a file of votes.

    Args:
        source: a file whose rows have the fields of `FIELDS` and the one of clusters.
        options: of the module `pairwise_ranking`.
        confidence_level: of the intervals.
        clusters: the field with the cluster of each vote, such as its prompt.

    Raises:
        ValueError: a row or an option is not valid, or no finite ratings fit the votes.
    """
    metric = load_without_evaluate(_MODULE)
    settings = {**options, "confidence_level": confidence_level}
    for name in settings:
        if name not in metric.options:
            raise ValueError(f"there is no option {name!r}{nearest(name, metric.options)}")
    columns = source.columns()
    labels = {} if clusters is None else {"clusters": columns[clusters]}
    rows = {name: columns[name] for name in FIELDS}
    result = metric.compute(**rows, **labels, **settings)
    conditions = {} if clusters is None else {"clusters": clusters}
    return VoteBoard(
        result, {**metric.options, **options}, confidence_level, len(rows["winner"]), conditions
    )
