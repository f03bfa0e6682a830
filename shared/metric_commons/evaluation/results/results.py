"""Results: what `score` returns, and every application prints and saves.

Its file, in format `metric-commons/2`, has a record for each score of a system, a module and a
group, with its interval; for each system and module the options and a signature to cite; and the
comparisons of systems.
"""

import csv
import io
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ...data.files.stored import Stored, from_jsonable, to_jsonable
from ...module.catalog.usage import with_bar
from ...statistics.arguments.checks import alternatives, check_choice, nearest
from ...statistics.arguments.domains import Level, check_option
from .latex import as_latex
from .module_results import (
    ModuleResult,
    Systems,
    check_averages,
    module_result,
    provenance,
    row_digests,
)
from .records import ScoreRecord, check_content
from .rendering import (
    KINDS,
    PLAIN,
    Digits,
    Notation,
    Table,
    as_html,
    as_markdown,
    as_text,
    label,
    spreadsheet_cell,
)
from .result_tables import tables
from .standings import Rank, Standings

if TYPE_CHECKING:
    from ..rows.blocks import Tables
    from ..rows.table_files import RowFile
    from .best_systems import BestSystem


# The columns of CSV and of data frames, whatever was requested.
COLUMNS = (
    *("system", "group", "module", "score", "value", "low", "high", "rows"),
    *("versus", "p_value", "p_adjusted", "significant"),
    *("tier", "best_rank", "worst_rank", "letters"),
)


@dataclass(frozen=True, kw_only=True, repr=False)
class Results(Stored):
    """The results of modules by system, comparisons of the systems, and the origin of the input.

    `results["system"]["score"]` is a score, and `results["system"]["module"]` what `compute`
    returns; `systems` holds the full result of each module. `save` and `read` keep results in a
    file; `to_table`, `to_markdown`, `to_latex`, `to_html`, `to_csv`, `to_json` and `to_pandas` show
    them, as do `print` and notebooks; `choose` and `sort` select and order.

    >>> from ..scoring.scoring import score
    >>> results = score("qa_f1", predictions=["Paris", "Rome"], references=["paris", "Oslo"])
    >>> results["predictions"]["qa_recall"]
    0.5
    >>> results["predictions"]["qa_f1"]
    {'qa_f1': 0.5, 'qa_precision': 0.5, 'qa_recall': 0.5}
    >>> results
    <Results of predictions: qa_f1>
    >>> print(results.choose(["qa_f1"]).to_table())  # doctest: +ELLIPSIS
    system       qa_f1
    -----------  -------
    predictions  0.5000
    <BLANKLINE>
    qa_f1|normalizer=squad|overlap=multiset|both_empty=1.0|reference_aggregation=max|rows=2|...
    """

    FORMAT = "metric-commons/2"

    systems: dict[str, dict[str, ModuleResult]]
    comparisons: list[dict[str, Any]] = field(default_factory=list)
    provenance: dict[str, Any] = field(default_factory=dict)
    top: int | None = None  # how many systems to show; None for all
    # The scored rows by system and module, if they were kept; a file of their own has them.
    rows: "Tables" = field(default_factory=dict, compare=False)
    shows_counts: bool = False  # beside scores, in tables

    def __getitem__(self, system: str) -> "SystemScores":
        """Return the scores of a system by name, or `module.name` where modules share a name.

        Raises:
            KeyError: the name is unknown; the message lists the systems.
        """
        if system not in self.systems:
            raise KeyError(f"there is no system {system!r}{alternatives(system, self.systems)}")
        modules = self.systems[system]
        names = [name for result in modules.values() for name in result.scores]
        scores = SystemScores(
            (name if names.count(name) == 1 else f"{module}.{name}", value)
            for module, result in modules.items()
            for name, value in result.scores.items()
        )
        scores.modules = modules
        return scores

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the systems."""
        return iter(self.systems)

    def __repr__(self) -> str:
        modules = dict.fromkeys(name for results in self.systems.values() for name in results)
        several = ", ".join(map(label, self.systems))
        if len(self.systems) > 5:
            several = f"{len(self.systems)} systems"
        count = len(self.comparisons)
        compared = f"; {count} comparison{'' if count == 1 else 's'}" if count else ""
        return f"<Results of {several}: {', '.join(modules)}{compared}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the content of the file: plain values, with None for NaN and infinities."""
        content = {
            "format": self.FORMAT,
            "runs": {
                system: {module: result.run() for module, result in modules.items()}
                for system, modules in self.systems.items()
            },
            "records": [record._asdict() for record in self.records()],
            "comparisons": self.comparisons,
        }
        if self.ranks:
            content["ranks"] = self.ranks
        return dict(to_jsonable(content | {"provenance": self.provenance}))

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return the inverse of `to_dict`: a score that was undefined is NaN again.

        Raises:
            ValueError: a value is not valid, such as a score outside its range.
        """
        check_content(content)
        of_runs: dict[tuple[str, str], list[ScoreRecord]] = {}
        for record in content["records"]:
            key = record["system"], record["module"]
            of_runs.setdefault(key, []).append(ScoreRecord(**record))
        return cls(
            systems={
                system: {
                    module: ModuleResult.from_records(run, of_runs.get((system, module), []))
                    for module, run in modules.items()
                }
                for system, modules in content["runs"].items()
            },
            # Undefined p-values become NaN.
            comparisons=[
                {k: v if k in ("options", "rows") else from_jsonable(v) for k, v in pair.items()}
                for pair in content["comparisons"]
            ],
            provenance=dict(content["provenance"]),
        )

    @classmethod
    def of_rows(
        cls,
        tables: "Tables",
        record: Mapping[str, Any],
        reporting: Mapping[str, Any],
    ) -> Self:
        """Return the results of scored rows.

        Args:
            tables: the rows by system and module.
            record: where they come from.
            reporting: the options of intervals, for modules that have them.

        Raises:
            ValueError: a score is undefined for all rows.
        """
        from ..rows.rows import InputError  # imports numpy, so only on use

        systems: dict[str, dict[str, ModuleResult]] = {system: {} for system in tables}
        steps = [(system, name) for system, modules in tables.items() for name in modules]
        for system, name in with_bar(steps, "scoring"):
            try:
                systems[system][name] = module_result(tables[system][name], reporting)
            except ValueError as error:
                raise InputError(system, error) from error
        check_averages(systems)
        record = {**provenance(record.get("inputs", ())), **record, **row_digests(tables)}
        return cls(systems=systems, provenance=record, rows=tables)

    def save_rows(self, path: str | Path) -> Self:
        """Write the scored rows as Parquet, or as JSON Lines if the name ends in .jsonl.

        Returns:
            These results, with the path and SHA-256 of that file in their provenance.
        """
        from ..rows.table_files import write_tables  # imports numpy, so only on use

        digest = write_tables(path, self.rows, self.provenance)
        record = {"path": str(path), "sha256": digest}
        return replace(self, provenance=self.provenance | {"rows": record})

    def with_rows(self, file: "RowFile") -> Self:
        """Return these results with the scored rows of a file.

        Raises:
            ValueError: the file does not have the rows of each system and module.
        """
        for system, modules in self.systems.items():
            for module, result in modules.items():
                table = file.tables.get(system, {}).get(module)
                if table is None or len(table) != result.rows:
                    raise ValueError(f"the rows of {module} of system {system!r} are missing")
        return replace(self, rows=file.tables)

    def choose(self, scores: Collection[str] | None) -> Self:
        """Return these results with only the named scores, in modules and comparisons.

        Args:
            scores: their names, as `score` or `module.score`; None for all. Modules without a
                named score are removed.

        Raises:
            ValueError: no system has a score of this name.

        >>> from ..scoring.scoring import score
        >>> results = score("qa_f1", predictions=["Paris"], references=["paris"])
        >>> list(results.choose(["qa_f1"]).systems["predictions"]["qa_f1"].scores)
        ['qa_f1']
        """
        if scores is None:
            return self
        selection = find_scores(scores, self.systems)
        systems = {
            system: {
                module: result.only([name for name in result.scores if (module, name) in selection])
                for module, result in results.items()
                if any((module, name) in selection for name in result.scores)
            }
            for system, results in self.systems.items()
        }
        pairs = [pair for pair in self.comparisons if (pair["module"], pair["score"]) in selection]
        return replace(self, systems=systems, comparisons=pairs, shows_counts=True)

    def sort(self, score: str) -> Self:
        """Return these results with the systems in the order of a score, the best first.

        Systems without the score, or with an undefined one, come last.

        Raises:
            ValueError: no system has this score, or several modules have one of this name.

        >>> from ..scoring.scoring import score
        >>> results = score("qa_em", predictions={"a": ["x"], "b": ["y"]}, references=["y"])
        >>> list(results.sort("qa_em").systems)
        ['b', 'a']
        """
        module, name = find_score(score, self.systems)

        def key(system: str) -> tuple[bool, float]:
            result = self.systems[system].get(module)
            value = result.scores.get(name, math.nan) if result else math.nan
            if not isinstance(value, int | float):
                raise ValueError(f"{name} of system {system!r} is not a single number")
            is_lower_better = result is not None and name in result.lower_is_better
            return math.isnan(value), value if is_lower_better else -value

        return replace(self, systems={s: self.systems[s] for s in sorted(self.systems, key=key)})

    def best(self, score: str, level: float = 0.95) -> "BestSystem":
        """Return the best of several systems, with an interval that allows for the choice.

        Args:
            score: a mean of rows from 0 to 1, as `score` or `module.score`.
            level: the level of the interval.

        Raises:
            ValueError: there are fewer than two systems or no scores of rows, or the score is not a
                mean of rows from 0 to 1.

        >>> from ..scoring.scoring import score
        >>> answers = {"a": ["x"] * 60, "b": ["x"] * 58 + ["y"] * 2, "c": ["y"] * 60}
        >>> best = score("qa_em", predictions=answers, references=["x"] * 60).best("qa_em")
        >>> best.system, best.candidates, [round(end, 3) for end in best.interval]
        ('a', 2, [0.939, 1.0])
        """
        from .best_systems import best_system  # imports numpy, so only on use

        module, name = find_score(score, self.systems)
        check_option("level", level, Level)
        return best_system(module, name, self.systems, self.rows, level)

    def __str__(self) -> str:
        return self.to_table()

    def to_table(
        self, table: str | None = None, *, digits: int | None = None, percent: bool = False
    ) -> str:
        """Return plain text: a row per system and a column per score; then the signatures.

        A single system with four scores or more has one row per score.

        Args:
            table: which table: "scores", "groups", "parts", "ranks" or "differences"; None for all.
            digits: the number of decimals; None for no more than the intervals support, at most 4.
            percent: whether proportions are multiplied by 100.

        Raises:
            ValueError: these results do not have this table.

        >>> from ..scoring.scoring import score
        >>> results = score("qa_em", predictions=["Paris", "Rome"], references=["paris", "Oslo"])
        >>> print(results.to_table(digits=1, percent=True))  # doctest: +ELLIPSIS
        system       qa_em (%)
        -----------  -----------
        predictions  50.0
        ...
        """
        return as_text(self.chosen_tables(table, digits, percent), self.signatures())

    def to_markdown(
        self, table: str | None = None, *, digits: int | None = None, percent: bool = False
    ) -> str:
        """Return the tables in Markdown, with the best tier of each score in bold.

        See `to_table`.
        """
        return as_markdown(self.chosen_tables(table, digits, percent), self.signatures())

    def to_latex(
        self,
        table: str = "scores",
        *,
        digits: int | None = None,
        percent: bool = False,
        caption: str = "",
        label: str = "",
    ) -> str:
        r"""Return one table in LaTeX, with booktabs, a caption, a label and its legend.

        See `to_table`.

        Args:
            table: which table, or "all".
            digits: the number of decimals.
            percent: whether proportions are multiplied by 100.
            caption: the caption, in LaTeX; "" for the title of the table.
            label: the label, such as "tab:nq"; "" for one made from the title.
        """
        chosen = self.chosen_tables(None if table == "all" else table, digits, percent)
        if (caption or label) and len(chosen) > 1:
            raise ValueError(f"a caption and a label are for one table, not for {len(chosen)}")
        named = [member._replace(caption=caption, label=label) for member in chosen]
        return as_latex(named, self.signatures())

    def to_html(
        self, table: str | None = None, *, digits: int | None = None, percent: bool = False
    ) -> str:
        """Return HTML tables for any page, with the best tier of each score in bold.

        See `to_table`.
        """
        return as_html(self.chosen_tables(table, digits, percent), self.signatures())

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_csv(self) -> str:
        """Return every number in full precision, one per line, always in the same columns.

        A line without a group is about all rows. A line with another system under `versus` is about
        the difference from that system. The cells of missing numbers are empty.
        """
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for line in self.lines():
            writer.writerow({n: spreadsheet_cell(v) for n, v in to_jsonable(line).items()})
        return text.getvalue()

    def to_pandas(self) -> Any:
        """Return the lines of `to_csv` as a pandas DataFrame.

        >>> from ..scoring.scoring import score
        >>> results = score("qa_em", predictions=["Paris", "Rome"], references=["paris", "Oslo"])
        >>> results.to_pandas()[["system", "score", "value", "rows"]]
                system  score  value  rows
        0  predictions  qa_em    0.5     2
        """
        import pandas

        return pandas.DataFrame(self.lines(), columns=list(COLUMNS))

    def lines(self) -> list[dict[str, Any]]:
        """Return the cells of each line of `to_csv` by column, None for those that are empty."""
        visible = self.visible_systems()
        lines: list[dict[str, Any]] = []
        for record in self.records():
            if record.system in visible:
                ranks = self.standings.ranks.get(record.key, {}) if record.group is None else {}
                rank = ranks.get(record.system, {})
                best, worst = rank.get("rank_interval", (None, None))
                places = {"rows": record.n, "best_rank": best, "worst_rank": worst}
                lines.append({**record._asdict(), **rank, **places})
        for pair in self.comparisons:
            if {pair["a"], pair["b"]} <= {*visible}:
                low, high = pair["confidence_interval"]
                ends = {"value": pair["diff"], "low": low, "high": high}
                lines.append({**pair, "system": pair["a"], "versus": pair["b"], **ends})
        return [{name: line.get(name) for name in COLUMNS} for line in lines]

    def tables(self, notation: Notation = PLAIN) -> list[Table]:
        """Return the table of scores and, if available, of groups, ranks and comparisons."""
        checks = self.provenance.get("agreement", [])
        return tables(
            self.standings,
            self.visible_systems(),
            notation,
            note=" ".join(str(check["text"]) for check in checks),
            with_counts=self.shows_counts,
        )

    def chosen_tables(
        self, table: str | None, digits: int | None = None, percent: bool = False
    ) -> list[Table]:
        """Return the tables of this kind, or all, with numbers in this notation; see `to_table`."""
        if table is not None:
            check_choice("table", table, KINDS)
        if digits is not None:
            check_option("digits", digits, Digits)
        listed = self.tables(Notation(digits, percent))
        chosen = [member for member in listed if table in (None, member.kind)]
        if not chosen:
            kinds = ", ".join(dict.fromkeys(member.kind for member in listed))
            raise ValueError(f"there is no table of {table}, only of {kinds}")
        return chosen

    def records(self) -> Iterator[ScoreRecord]:
        """Yield every score that is a single number, for all rows and for each group."""
        return self.standings.records()

    def visible_systems(self) -> list[str]:
        """Return the systems that tables show: the first `top`, or all."""
        return list(self.systems)[: self.top]

    def signatures(self) -> list[str]:
        """Return the distinct signatures; systems scored or compared in the same way share one."""
        results = (result for modules in self.systems.values() for result in modules.values())
        compared = (pair["signature"] for pair in self.comparisons if "signature" in pair)
        return list(dict.fromkeys([*(result.signature for result in results), *compared]))

    @cached_property
    def standings(self) -> Standings:
        """Return ranks, tiers and letters of the compared systems."""
        return Standings(self.systems, self.comparisons)

    @property
    def ranks(self) -> dict[str, dict[str, Rank]]:
        """Return `rank_interval`, `tier` and `letters` of each system by score.

        Contains the scores by which all pairs of systems were compared, as `module.score` where
        modules share a name.
        """
        scores = [score for _, score in self.standings.ranks]
        return {
            score if scores.count(score) == 1 else f"{module}.{score}": systems
            for (module, score), systems in self.standings.ranks.items()
        }


class SystemScores(dict[str, Any]):
    """The scores of a system by name; also what `compute` returns, by the name of a module."""

    modules: Mapping[str, ModuleResult]

    def __getitem__(self, name: str) -> Any:
        if name in self.modules:
            return self.modules[name].values
        if name not in self:
            hint = alternatives(name, [*self, *self.modules])
            raise KeyError(f"there is no score or module {name!r}{hint}")
        return super().__getitem__(name)


# The formats of output that show tables, and the functions that write them.
TABLE_FORMATS: Mapping[str, Callable[[Sequence[Table], Sequence[str]], str]] = {
    "table": as_text,
    "markdown": as_markdown,
    "latex": as_latex,
    "html": as_html,
}
# All formats of output.
FORMATS: Mapping[str, Callable[[Results], str]] = {
    "table": Results.to_table,
    "json": Results.to_json,
    "markdown": Results.to_markdown,
    "latex": Results.to_latex,
    "csv": Results.to_csv,
    "html": Results.to_html,
}


def find_scores(names: Iterable[str], systems: Systems) -> set[tuple[str, str]]:
    """Return the pairs of module and score with these names.

    Raises:
        ValueError: no system has a score of one of the names.
    """
    keys: dict[str, set[tuple[str, str]]] = {}
    for results in systems.values():
        for module, result in results.items():
            for score in result.scores:
                keys.setdefault(score, set()).add((module, score))
                keys[f"{module}.{score}"] = {(module, score)}
    for name in names:
        if name not in keys:
            scores = list(dict.fromkeys(score for key in keys.values() for _, score in key))
            hint = nearest(name, keys) or f"; there are {', '.join(scores) or 'none'}"
            raise ValueError(f"there is no score {name!r}{hint}")
    return {key for name in names for key in keys[name]}


def find_score(name: str, systems: Systems) -> tuple[str, str]:
    """Return the module and score with this name.

    Raises:
        ValueError: no system has this score, or several modules have one of this name.
    """
    candidates = sorted(find_scores([name], systems))
    if len(candidates) > 1:
        listed = ", ".join(f"{module}.{score}" for module, score in candidates)
        raise ValueError(f"score {name!r} is in several modules: {listed}")
    return candidates[0]
