"""Standings of systems: ranks, tiers and letters, derived from their comparisons."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .module_results import Systems
from .records import ScoreRecord

Comparison = dict[str, Any]  # as stored in a results file
Rank = dict[str, Any]  # rank_interval, tier and letters of a system
Key = tuple[str, str]  # a module and its score

_LETTERED = 25  # systems; more letters cannot be read


@dataclass(frozen=True)
class Standings:
    """Ranks, tiers and letters of systems."""

    systems: Systems
    comparisons: Sequence[Comparison]

    def records(self) -> Iterator[ScoreRecord]:
        """Yield every score that is a single number, for all rows and for each group."""
        for system, modules in self.systems.items():
            for module, result in modules.items():
                yield from result.records(system, module)

    def is_lower_better(self, comparison: Comparison) -> bool:
        """Return whether the system with the lower mean is the better one."""
        result = self.systems.get(comparison["a"], {}).get(comparison["module"])
        return result is not None and comparison["score"] in result.lower_is_better

    @cached_property
    def families(self) -> dict[Key, list[Comparison]]:
        """Return the comparisons by each module and score."""
        families: dict[Key, list[Comparison]] = {}
        for pair in self.comparisons:
            families.setdefault((pair["module"], pair["score"]), []).append(pair)
        return families

    @cached_property
    def ranks(self) -> dict[Key, dict[str, Rank]]:
        """Return the ranks of systems by module and score, best first, where all were compared."""
        means: dict[Key, dict[str, float]] = {}
        for record in self.records():
            if record.group is None:
                means.setdefault(record.key, {})[record.system] = record.number
        found = {
            key: ranks(pairs, means.get(key, {}), self.is_lower_better(pairs[0]))
            for key, pairs in self.families.items()
        }
        return {key: systems for key, systems in found.items() if systems}

    def first_tier(self, key: Key) -> list[str]:
        """Return the systems of the first tier; none if all systems are in it.

        Without comparisons there are no tiers: the highest of several numbers may be so by chance.
        """
        tiers = {system: rank["tier"] for system, rank in self.ranks.get(key, {}).items()}
        return [system for system, tier in tiers.items() if tier == 1 < max(tiers.values())]

    def letters(self, system: str, key: Key) -> str:
        """Return the letters after a score; scores that share one cannot be told apart.

        None for two systems, whose difference has a line of its own.
        """
        ranks = self.ranks.get(key, {})
        return ranks[system]["letters"] if 2 < len(ranks) <= _LETTERED else ""


def ranks(
    comparisons: Sequence[Comparison], means: Mapping[str, float], is_lower_better: bool = False
) -> dict[str, Rank]:
    """Return the possible ranks of each system by one score, its tier and its letters, best first.

    Empty unless every two systems were compared, with two-sided tests.

    Args:
        comparisons: the comparisons by this score.
        means: the score of each system.
        is_lower_better: whether the system with the lowest score is the best.

    >>> pairs = [("x", "y", 0.01), ("x", "z", 1.0), ("y", "z", 0.01)]
    >>> compared = [{"a": a, "b": b, "p_adjusted": p, "options": {}} for a, b, p in pairs]
    >>> for name, rank in ranks(compared, {"x": 1.0, "y": 0.0, "z": 11 / 12}).items():
    ...     print(name, *rank.values())
    x [1, 2] 1 a
    z [1, 2] 1 a
    y [3, 3] 2 b
    """
    p_of_pairs = {frozenset((pair["a"], pair["b"])): pair["p_adjusted"] for pair in comparisons}
    names = list(dict.fromkeys(pair[side] for pair in comparisons for side in "ab"))
    oriented = {name: means.get(name, math.nan) for name in names}
    if is_lower_better:
        oriented = {name: -value for name, value in oriented.items()}
    names.sort(key=lambda name: -oriented[name])
    if (
        any(map(math.isnan, [*oriented.values(), *p_of_pairs.values()]))
        or any(option_of(pair, "alternative") not in (None, "two-sided") for pair in comparisons)
        or len(p_of_pairs) < math.comb(len(names), 2)
    ):
        return {}
    table = [[p_of_pairs.get(frozenset((x, y)), 1.0) for y in names] for x in names]
    alpha = option_of(comparisons[0], "alpha") or 0.05
    found = rank_records([oriented[name] for name in names], table, alpha)
    return dict(zip(names, found, strict=True))


def rank_records(
    scores: Any, p_adjusted: Any, alpha: float, *, has_letters: bool = True
) -> list[Rank]:
    """Return the possible ranks of systems, best first, with their tiers and letters.

    Args:
        scores: one number per system, best first; higher is better.
        p_adjusted: the corrected p-value of each pair of systems, as a square table.
        alpha: the level.
        has_letters: whether systems get letters; otherwise these are None.
    """
    from ...statistics.tests.ranks import letters, rank_intervals, tiers

    columns = zip(
        rank_intervals(scores, p_adjusted, alpha),
        tiers(scores, p_adjusted, alpha),
        letters(scores, p_adjusted, alpha) if has_letters else [None] * len(scores),
        strict=True,
    )
    return [dict(zip(("rank_interval", "tier", "letters"), rank, strict=True)) for rank in columns]


def option_of(comparison: Comparison, name: str) -> Any:
    """Return an option of a comparison; None if it is not recorded."""
    return comparison.get("options", {}).get(name)
