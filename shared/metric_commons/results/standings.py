"""How systems stand to each other by the comparisons of a result: ranks, tiers and letters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from .comparisons import Comparison, Rank, ranks
from .module_results import ModuleResult
from .rendering import LETTERS, Marks, Table, Tiers, label, raised

_MARKED = 25  # systems; more are 300 pairs and up, which no letters tell any more


@dataclass(frozen=True)
class Standings:
    """What the comparisons say of every system."""

    systems: Mapping[str, Mapping[str, ModuleResult]]
    comparisons: Sequence[Comparison]

    def module_of(self, comparison: Comparison) -> str:
        """The module of a comparison, which need not say it where one alone has such a score."""
        if "module" in comparison:
            return str(comparison["module"])
        modules = self.systems.get(comparison["a"], {})
        return next(
            (m for m, result in modules.items() if comparison["score"] in result.scores), ""
        )

    def is_lower_better(self, comparison: Comparison) -> bool:
        """Whether the system with the lower mean is the better one."""
        result = self.systems.get(comparison["a"], {}).get(self.module_of(comparison))
        return result is not None and comparison["score"] in result.lower_is_better

    @cached_property
    def families(self) -> dict[tuple[str, str], list[Comparison]]:
        """The comparisons by each module and score."""
        families: dict[tuple[str, str], list[Comparison]] = {}
        for comparison in self.comparisons:
            key = self.module_of(comparison), comparison["score"]
            families.setdefault(key, []).append(comparison)
        return families

    @cached_property
    def ranks(self) -> dict[tuple[str, str], dict[str, Rank]]:
        """Of module and score the ranks of the systems, best first, where all were compared."""
        ranks_of_scores = {}
        for (module, score), comparisons in self.families.items():
            means = {
                system: results[module].scores[score]
                for system, results in self.systems.items()
                if module in results and score in results[module].scores
            }
            lower = self.is_lower_better(comparisons[0])
            ranks_of_scores[module, score] = ranks(comparisons, means, lower)
        return {key: systems for key, systems in ranks_of_scores.items() if systems}

    def tiers(self) -> Tiers:
        """Of module and score the tier of each system that was compared with all others."""
        return {
            key: {system: rank["tier"] for system, rank in systems.items()}
            for key, systems in self.ranks.items()
        }

    @cached_property
    def letters(self) -> dict[str, str]:
        """The letter of each system, if there are comparisons, and letters for all systems."""
        are_marked = self.comparisons and len(self.systems) <= _MARKED
        return dict(zip(self.systems, LETTERS, strict=False)) if are_marked else {}

    @cached_property
    def winners(self) -> dict[tuple[str, str], set[tuple[str, str]]]:
        """Of module and score the pairs of which the first system is significantly better."""
        winners: dict[tuple[str, str], set[tuple[str, str]]] = {}
        for key, comparisons in self.families.items():
            pairs = winners.setdefault(key, set())
            for comparison in comparisons:
                if comparison["significant"]:
                    a, b = comparison["a"], comparison["b"]
                    is_a = (comparison["diff"] > 0) != self.is_lower_better(comparison)
                    pairs.add((a, b) if is_a else (b, a))
        return winners

    def marks(self) -> Marks:
        """Of system, module and score the letters of the systems that are significantly worse."""
        worse: dict[tuple[str, str, str], str] = {}
        for key, pairs in self.winners.items():
            for winner, loser in pairs:
                name = winner, *key
                worse[name] = worse.get(name, "") + self.letters.get(loser, "")
        return {name: raised("".join(sorted(letters))) for name, letters in worse.items()}

    def legend(self) -> str:
        """What the letters behind scores say, or that there are none."""
        if not any(self.winners.values()):
            return "No difference is significant."
        return "A letter behind a score: significantly better than the system of that letter."

    def rank_table(self, systems: Sequence[str]) -> Table | None:
        """The ranks of these systems, best first, where three or more were ranked; else None.

        The first tier is in bold, if there is a second. Where there are no letters a line of signs
        says how a system compares with each, in the order of their ranks.
        """
        ranked = {key: ranks for key, ranks in self.ranks.items() if len(ranks) > 2}
        if not ranked:
            return None
        marks = self.marks()
        rows: list[list[str]] = []
        bold: set[tuple[int, int]] = set()
        for (module, score), ranks_of_systems in ranked.items():
            is_divided = any(rank["tier"] > 1 for rank in ranks_of_systems.values())
            for system, rank in ranks_of_systems.items():
                if system not in systems:
                    continue
                if is_divided and rank["tier"] == 1:
                    bold |= {(len(rows), 3), (len(rows), 4)}
                value = f"{self.systems[system][module].scores[score]:.4f}"
                low, high = rank["rank_interval"]
                names = [label(score), self.letters.get(system, ""), label(system)]
                value += marks.get((system, module, score), "")
                cells = [value, str(rank["tier"]), str(low) if low == high else f"{low}-{high}"]
                if not self.letters:
                    cells.append(self.signs(module, score, system))
                rows.append([*names, *cells])
        table = Table(
            ["score", "", "system", "value", "tier", "ranks", "pairs"],
            rows,
            3,
            bold,
            RANKS_NOTE,
            "Ranks",
        )
        if self.letters:
            return table._replace(header=table.header[:6])
        bold = {(row, column - 1) for row, column in bold}
        without_letters = [[row[0], *row[2:]] for row in rows]
        header = [table.header[0], *table.header[2:]]
        return Table(header, without_letters, 2, bold, f"{RANKS_NOTE} {PAIRS_NOTE}", "Ranks")

    def signs(self, module: str, score: str, system: str) -> str:
        """A sign for each ranked system: + where this one is significantly better, - where worse.

        A full stop stands where the two are not told apart, an equals sign for the system itself.
        """
        winners = self.winners[module, score]

        def sign(rival: str) -> str:
            if rival == system:
                return "="
            if (system, rival) in winners:
                return "+"
            return "-" if (rival, system) in winners else "."

        return "".join(map(sign, self.ranks[module, score]))


RANKS_NOTE = (
    "Tier 1: the best system and all systems that are not significantly worse. Ranks: the possible "
    "ranks of a system, valid for all systems together."
)
PAIRS_NOTE = (
    "Pairs: one sign for each system, in the order of the lines: + if the system of the line is "
    "significantly better than that system, - if it is worse, . if neither."
)
