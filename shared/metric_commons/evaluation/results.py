"""The one result: what was scored, how, and what came out.

`score` makes it; the command line, notebooks and every other application print and save it. The
file, format `metric-commons/2`, holds the systems, in each its modules, in each the options, the
number of rows, the scores with their intervals and groups, and a signature to cite.
"""

import csv
import io
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from ..files.stored import Stored, plain, restored
from .comparisons import Comparison, Rank, ranks
from .comparisons import rank_table as rank_table_of
from .comparisons import table as table_of
from .module_results import ModuleResult, means_of_rows
from .rendering import (
    LETTERS,
    Entry,
    Marks,
    Table,
    Tiers,
    as_html,
    as_latex,
    as_markdown,
    as_text,
    label,
    raised,
    score_table,
)
from .row_scores import read_rows, write_rows


@dataclass(frozen=True, kw_only=True)
class Results(Stored):
    """Systems, the modules that scored each, and where the input came from.

    >>> from .scoring import score
    >>> results = score("qa_em", predictions=["Paris", "Rome"], references=["paris", "Oslo"])
    >>> results.systems["predictions"]["qa_em"].scores
    {'qa_em': 0.5}
    >>> print(results.to_table())  # doctest: +ELLIPSIS
    system       qa_em
    -----------  -------
    predictions  0.5000
    <BLANKLINE>
    qa_em|normalizer=squad|reference_aggregation=max|rows=2|metric-commons ...
    """

    FORMAT = "metric-commons/2"
    OLDER = ("metric-commons/1",)

    systems: dict[str, dict[str, ModuleResult]]
    comparisons: list[dict[str, Any]] = field(default_factory=list)
    provenance: dict[str, Any] = field(default_factory=dict)
    # Of each system what its rows are called, `id` and `cluster`, as far as they were given.
    row_labels: dict[str, dict[str, list[Any]]] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """What the file holds: plain values, NaN and infinities as None."""
        return {
            "format": self.FORMAT,
            "systems": {
                system: {module: result.to_dict() for module, result in results.items()}
                for system, results in self.systems.items()
            },
            "comparisons": plain(self.comparisons),
            **({"ranks": self.ranks} if self.ranks else {}),
            "provenance": plain(self.provenance),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`: a score that was undefined is NaN again."""
        return cls(
            systems={
                system: {name: ModuleResult.from_dict(result) for name, result in results.items()}
                for system, results in content["systems"].items()
            },
            comparisons=[_comparison_again(comparison) for comparison in content["comparisons"]],
            provenance=dict(content["provenance"]),
        )

    def to_json(self) -> str:
        """The file's text, indented, in ASCII: any label survives any locale."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    @classmethod
    def read(cls, path: str | Path, per_example: str | Path | None = None) -> Self:
        """The results that `save` wrote, with the scores of rows if their file is given.

        Raises:
            ValueError: a file is not what `save` and `save_per_example` write, or the scores of
                rows belong to other results.
        """
        results = super().read(path)
        return results if per_example is None else results.with_rows(per_example)

    def with_rows(self, path: str | Path) -> Self:
        """These results with the scores of rows that `save_per_example` wrote.

        Raises:
            ValueError: the file is not what it wrote, or the rows are those of other results.
        """
        names = {
            system: [name for result in results.values() for name in result.scores]
            for system, results in self.systems.items()
        }
        columns, row_labels = read_rows(path, names)
        systems = {
            system: {
                module: _with_columns(path, system, result, columns[system])
                for module, result in results.items()
            }
            for system, results in self.systems.items()
        }
        return replace(self, systems=systems, row_labels=row_labels)

    def save_per_example(self, path: str | Path) -> Self:
        """Write the scores of every row as JSON Lines, whole or not at all.

        Returns:
            These results with the path and the SHA-256 of that file in their provenance.
        """
        scores = {
            system: {k: v for result in modules.values() for k, v in result.per_example.items()}
            for system, modules in self.systems.items()
        }
        record = {"path": str(path), "sha256": write_rows(path, scores, self.row_labels)}
        return replace(self, provenance=self.provenance | {"per_example": record})

    def to_table(self) -> str:
        """Plain text: a row a system, a column a score, four digits; then the signatures."""
        return as_text(self.tables(), self.signatures())

    def to_markdown(self) -> str:
        """The same in Markdown, the best of each score in bold."""
        return as_markdown(self.tables(), self.signatures())

    def to_latex(self) -> str:
        """The same in LaTeX with booktabs, the best of each score in bold."""
        return as_latex(self.tables(), self.signatures())

    def to_html(self) -> str:
        """The same as tables of HTML, the best of each score in bold, to stand in any page."""
        return as_html(self.tables(), self.signatures())

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.to_html()

    def to_csv(self) -> str:
        """Every number in full, one a line, in columns that do not depend on what was asked for.

        A line without a group is about all rows. A line with another system under `versus` is about
        the difference from that system. A cell is empty where there is no number.
        """
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        names = ["system", "group", "module", "score", "value", "low", "high", "rows"]
        names += ["versus", "p_value", "p_adjusted", "significant"]
        lines.writerow([*names, "tier", "best_rank", "worst_rank", "letters"])
        for entry in self.entries():
            *key, value, interval, rows, _ = entry
            numbers = plain([value, *(interval or (None, None))])
            rank = self._rank(entry)
            ranked = [rank["tier"], *rank["rank_interval"], rank["letters"]] if rank else [None] * 4
            lines.writerow([*key, *numbers, rows, *[None] * 4, *ranked])
        for comparison in plain(self.comparisons):
            key = [
                comparison["a"],
                None,
                self.module_of(comparison),
                comparison["score"],
                comparison["diff"],
            ]
            tested = (
                comparison.get(n) for n in ("rows", "b", "p_value", "p_adjusted", "significant")
            )
            lines.writerow([*key, *comparison["confidence_interval"], *tested, *[None] * 4])
        return text.getvalue()

    def tables(self) -> list[Table]:
        """The table of scores and, where there are any, those of groups and of comparisons.

        Beside comparisons each system has a letter, and a score those of the systems that it is
        significantly better than. There are letters for 25 systems; of more, which are 300 pairs
        and up, ranks and comparisons alone tell. Ranks are shown of three systems and more.
        """
        entries = list(self.entries())
        overall = [entry for entry in entries if entry.group is None]
        grouped = [entry for entry in entries if entry.group is not None]
        letters = self.letters()
        if letters:
            scores = score_table(
                ["", "system"],
                lambda f: [letters[f.system], label(f.system)],
                overall,
                self.marks(),
                self.tiers(),
            )._replace(note="A letter: significantly better than the system of that letter.")
        else:
            scores = score_table(
                ["system"], lambda f: [label(f.system)], overall, tiers=self.tiers()
            )
        tables = [scores]
        if grouped:
            groups = score_table(
                ["system", "group", "rows"],
                lambda f: [label(f.system), label(str(f.group)), str(f.rows)],
                grouped,
            )
            tables.append(groups._replace(labels=2, best=set()))
        if ranks_table := self.rank_table():
            tables.append(ranks_table)
        if self.comparisons:
            tables.append(table_of(self.comparisons, self.is_lower_better))
        return tables

    def signatures(self) -> list[str]:
        """Each signature once: systems that were scored or compared alike share them."""
        results = (result for modules in self.systems.values() for result in modules.values())
        compared = (
            comparison["signature"] for comparison in self.comparisons if "signature" in comparison
        )
        return list(dict.fromkeys([*(result.signature for result in results), *compared]))

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
    def _ranks(self) -> dict[tuple[str, str], dict[str, Rank]]:
        """Of module and score the ranks of the systems, best first, where all were compared."""
        families: dict[tuple[str, str], list[Comparison]] = {}
        for comparison in self.comparisons:
            key = self.module_of(comparison), comparison["score"]
            families.setdefault(key, []).append(comparison)
        ranks_of_scores = {}
        for (module, score), comparisons in families.items():
            means = {
                system: results[module].scores[score]
                for system, results in self.systems.items()
                if module in results and score in results[module].scores
            }
            lower = self.is_lower_better(comparisons[0])
            ranks_of_scores[module, score] = ranks(comparisons, means, lower)
        return {key: systems for key, systems in ranks_of_scores.items() if systems}

    @property
    def ranks(self) -> dict[str, dict[str, Rank]]:
        """Of each score the ranks that systems may have: `rank_interval`, `tier`, `letters`.

        Of the scores by which every two of some systems were compared. Where two modules have a
        score of one name, its module stands in front.
        """
        scores = [score for _, score in self._ranks]
        return {
            score if scores.count(score) == 1 else f"{module}.{score}": systems
            for (module, score), systems in self._ranks.items()
        }

    def tiers(self) -> Tiers:
        """Of module and score the tier of each system that was compared with all others."""
        return {
            key: {system: rank["tier"] for system, rank in systems.items()}
            for key, systems in self._ranks.items()
        }

    def rank_table(self) -> Table | None:
        """The ranks of three systems or more; None if no score has them."""
        rows = [
            (score, system, self.systems[system][module].scores[score], rank)
            for (module, score), systems in self._ranks.items()
            if len(systems) > 2
            for system, rank in systems.items()
        ]
        return rank_table_of(rows) if rows else None

    def _rank(self, entry: Entry) -> Rank | None:
        """The rank of the system of a score of all rows."""
        if entry.group is not None:
            return None
        return self._ranks.get((entry.module, entry.score), {}).get(entry.system)

    def letters(self) -> dict[str, str]:
        """The letter of each system, if there are comparisons, and letters for all systems."""
        are_marked = self.comparisons and len(self.systems) <= len(LETTERS)
        return dict(zip(self.systems, LETTERS, strict=False)) if are_marked else {}

    def marks(self) -> Marks:
        """Of system, module and score the letters of the systems that are significantly worse."""
        letters = self.letters()
        worse: dict[tuple[str, str, str], str] = {}
        for comparison in self.comparisons:
            if comparison["significant"]:
                is_a = (comparison["diff"] > 0) != self.is_lower_better(comparison)
                winner, loser = (
                    (comparison["a"], comparison["b"])
                    if is_a
                    else (comparison["b"], comparison["a"])
                )
                key = winner, self.module_of(comparison), comparison["score"]
                worse[key] = worse.get(key, "") + letters.get(loser, "")
        return {
            key: raised("".join(sorted(letters_of_worse)))
            for key, letters_of_worse in worse.items()
        }

    def entries(self) -> Iterator[Entry]:
        """Every score that is a single number, of all rows and of each group."""
        for system, modules in self.systems.items():
            for module, result in modules.items():
                overall = {**result.scores, "n": result.rows}
                for group, scores in [(None, overall), *result.groups.items()]:
                    intervals = (
                        result.confidence_interval
                        if group is None
                        else scores.get("confidence_interval", {})
                    )
                    for name, value in scores.items():
                        if name not in ("n", "n_clusters") and isinstance(value, int | float):
                            interval, lower = intervals.get(name), name in result.lower_is_better
                            rows = scores["n"]
                            yield Entry(system, group, module, name, value, interval, rows, lower)


# What results can be printed as.
FORMATS: Mapping[str, Callable[[Results], str]] = {
    "table": Results.to_table,
    "json": Results.to_json,
    "markdown": Results.to_markdown,
    "latex": Results.to_latex,
    "csv": Results.to_csv,
    "html": Results.to_html,
}


def _comparison_again(values: Mapping[str, Any]) -> Comparison:
    """A comparison from a file: a p-value that was undefined is NaN again."""
    plain_keys = {"options", "rows"}
    return {
        name: value if name in plain_keys else restored(value) for name, value in values.items()
    }


def _with_columns(
    path: str | Path, system: str, result: ModuleResult, columns: Mapping[str, list[float]]
) -> ModuleResult:
    """The result with those of the columns that hold its scores, which have to be their means."""
    columns_of_module = {name: columns[name] for name in result.scores if columns[name]}
    full = replace(result, per_example=columns_of_module)
    for name, values in columns_of_module.items():
        if len(values) != result.rows:
            raise ValueError(
                f"{path}: system {system!r} has {len(values)} rows of {name}, but {result.rows} "
                "were scored"
            )
    for name, values in means_of_rows(full).items():
        counting = [value for value in values if not math.isnan(value)]
        average = math.fsum(counting) / len(counting) if counting else math.nan
        stored = result.scores[name]
        if not math.isnan(stored) and not math.isclose(
            average, stored, rel_tol=1e-9, abs_tol=1e-12
        ):
            raise ValueError(
                f"{path}: the mean of {name} of system {system!r} is {average}, but the result "
                f"says {stored}; these are the rows of another result"
            )
    return full
