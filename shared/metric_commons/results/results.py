"""The one result: what was scored, how, and what came out.

`score` makes it; the command line, notebooks and every other application print and save it. The
file, format `metric-commons/6`, holds the systems, in each its modules, in each the options, the
number of rows, the scores with their intervals and groups, how often each score of rows occurs, and
a signature to cite.
"""

import csv
import io
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from ..files.stored import Stored, plain, restored
from ..numbers.checks import nearest
from .comparisons import Comparison, Rank
from .latex import as_latex
from .module_results import ModuleResult, means_of_rows
from .rendering import (
    Entry,
    Table,
    agreement_note,
    as_html,
    as_markdown,
    as_text,
    label,
    spreadsheet_cell,
)
from .result_checks import check_content, check_rows
from .result_tables import COLUMNS, Standings, entries, lines, tables
from .row_scores import read_rows, write_rows
from .score_names import find_score, find_scores


@dataclass(frozen=True, kw_only=True, repr=False)
class Results(Stored):
    """Systems, the modules that scored each, and where the input came from.

    `results["system"]["score"]` is a score; `systems` holds all that modules say. `save` and `read`
    keep results in a file; `to_table`, `to_markdown`, `to_latex`, `to_html`, `to_csv`, `to_json`
    and `to_pandas` show them; `choose` and `sort` select and order.

    >>> from ..scoring.scoring import score
    >>> results = score("qa_em", predictions=["Paris", "Rome"], references=["paris", "Oslo"])
    >>> results["predictions"]["qa_em"]
    0.5
    >>> results
    <Results of predictions: qa_em>
    >>> results.systems["predictions"]["qa_em"].scores
    {'qa_em': 0.5}
    >>> print(results.to_table())  # doctest: +ELLIPSIS
    system       qa_em
    -----------  -------
    predictions  0.5000
    <BLANKLINE>
    qa_em|normalizer=squad|reference_aggregation=max|rows=2|metric-commons ...
    """

    FORMAT = "metric-commons/6"
    OLDER = tuple(f"metric-commons/{number}" for number in range(1, 6))
    INDENT = 2

    systems: dict[str, dict[str, ModuleResult]]
    comparisons: list[dict[str, Any]] = field(default_factory=list)
    provenance: dict[str, Any] = field(default_factory=dict)
    top: int | None = field(default=None, repr=False)  # so many systems are shown; None for all
    # Of each system what its rows are called, `id` and `cluster`, as far as they were given.
    row_labels: dict[str, dict[str, list[Any]]] = field(default_factory=dict, repr=False)

    def __getitem__(self, system: str) -> dict[str, Any]:
        """The scores of a system by their names, with the module in front where two share one.

        Raises:
            KeyError: there is no such system; the message names those that there are.
        """
        if system not in self.systems:
            hint = nearest(system, self.systems) or f"; there are {', '.join(self.systems)}"
            raise KeyError(f"there is no system {system!r}{hint}")
        modules = self.systems[system]
        names = [name for result in modules.values() for name in result.scores]
        return {
            name if names.count(name) == 1 else f"{module}.{name}": value
            for module, result in modules.items()
            for name, value in result.scores.items()
        }

    def __iter__(self) -> Iterator[str]:
        """The names of the systems."""
        return iter(self.systems)

    def __repr__(self) -> str:
        """What there is, on one line."""
        modules = dict.fromkeys(name for results in self.systems.values() for name in results)
        names = list(map(label, self.systems))
        several = f"{len(names)} systems" if len(names) > 5 else ", ".join(names)
        count = len(self.comparisons)
        compared = f"; {count} comparison{'' if count == 1 else 's'}" if count else ""
        return f"<Results of {several}: {', '.join(modules)}{compared}>"

    def to_dict(self) -> dict[str, Any]:
        """What the file holds: plain values, with None for NaN and infinities."""
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
        """The inverse of `to_dict`: a score that was undefined is NaN again.

        Raises:
            ValueError: something is not what it may be, such as a score outside of its range.
        """
        check_content(content)
        return cls(
            systems={
                system: {name: ModuleResult.from_dict(result) for name, result in results.items()}
                for system, results in content["systems"].items()
            },
            comparisons=[_comparison_again(comparison) for comparison in content["comparisons"]],
            provenance=dict(content["provenance"]),
        )

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
        columns, row_labels, sums, texts = read_rows(path, names)
        systems = {
            system: {
                module: replace(
                    _with_columns(path, system, module, result, columns[system]),
                    row_sums=sums[system].get(module),
                    row_texts=texts[system].get(module, {}),
                )
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
        sums = {
            system: {
                module: result.row_sums for module, result in modules.items() if result.row_sums
            }
            for system, modules in self.systems.items()
        }
        texts = {
            system: {
                module: result.row_texts for module, result in modules.items() if result.row_texts
            }
            for system, modules in self.systems.items()
        }
        digest = write_rows(path, scores, self.row_labels, sums, texts)
        record = {"path": str(path), "sha256": digest}
        return replace(self, provenance=self.provenance | {"per_example": record})

    def without_rows(self) -> Self:
        """These results without the scores of rows."""
        systems = {
            system: {
                module: replace(result, per_example={}, row_texts={}, row_sums=None)
                for module, result in modules.items()
            }
            for system, modules in self.systems.items()
        }
        return replace(self, systems=systems)

    def choose(self, scores: Collection[str] | None) -> Self:
        """These results with some of the scores alone, wherever scores are.

        Args:
            scores: their names, as `score` or `module.score`; None for all. Modules of which none
                is named are left out.

        Raises:
            ValueError: there is no such score.

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
        comparisons = [
            comparison
            for comparison in self.comparisons
            if (self.standings.module_of(comparison), comparison["score"]) in selection
        ]
        return replace(self, systems=systems, comparisons=comparisons)

    def sort(self, score: str) -> Self:
        """These results with the systems in the order of a score, the best first.

        Systems that do not have it, or whose score is undefined, come last. Comparisons follow the
        order of systems.

        Raises:
            ValueError: there is no such score, or several modules have one.

        >>> from ..scoring.scoring import score
        >>> results = score("qa_em", predictions={"a": ["x"], "b": ["y"]}, references=["y"])
        >>> list(results.sort("qa_em").systems)
        ['b', 'a']
        """
        module, name = find_score(score, self.systems)

        def key(system: str) -> tuple[bool, float]:
            result = self.systems[system].get(module)
            value = result.scores.get(name, math.nan) if result else math.nan
            is_lower_better = result is not None and name in result.lower_is_better
            return math.isnan(value), value if is_lower_better else -value

        names = sorted(self.systems, key=key)
        position = {system: number for number, system in enumerate(names)}

        def key_of_pair(comparison: Comparison) -> list[int]:
            return sorted([position[comparison["a"]], position[comparison["b"]]])

        systems = {system: self.systems[system] for system in names}
        comparisons = sorted(self.comparisons, key=key_of_pair)
        return replace(self, systems=systems, comparisons=comparisons)

    def to_table(self) -> str:
        """Plain text: one row per system and one column per score; then the signatures."""
        return as_text(self.tables(), self.signatures())

    def to_markdown(self) -> str:
        """The same in Markdown, the best tier of each score in bold."""
        return as_markdown(self.tables(), self.signatures())

    def to_latex(self) -> str:
        """The same in LaTeX: floats with booktabs, each with a caption, a label and its legend."""
        return as_latex(self.tables(), self.signatures())

    def to_html(self) -> str:
        """The same as tables of HTML, the best tier of each score in bold, to stand in any page."""
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
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(map(spreadsheet_cell, line) for line in plain(self._lines()))
        return text.getvalue()

    def to_pandas(self) -> Any:
        """The lines of `to_csv` as a DataFrame of pandas.

        >>> from ..scoring.scoring import score
        >>> results = score("qa_em", predictions=["Paris", "Rome"], references=["paris", "Oslo"])
        >>> results.to_pandas()[["system", "score", "value", "rows"]]
                system  score  value  rows
        0  predictions  qa_em    0.5     2
        """
        import pandas

        return pandas.DataFrame(self._lines(), columns=list(COLUMNS))

    def _lines(self) -> list[list[Any]]:
        """The cells of each line of `to_csv`."""
        return list(lines(self.standings, self.visible_systems()))

    def tables(self) -> list[Table]:
        """The table of scores and, where there are any, those of groups and of comparisons."""
        agreement = agreement_note(self.provenance.get("agreement", []))
        return tables(self.standings, self.visible_systems(), agreement)

    def entries(self) -> Iterator[Entry]:
        """Every score that is a single number, of all rows and of each group."""
        return entries(self.systems)

    def visible_systems(self) -> list[str]:
        """The systems that tables show: the first `top`, or all."""
        return list(self.systems)[: self.top]

    def signatures(self) -> list[str]:
        """Each signature once: systems that were scored or compared alike share them."""
        results = (result for modules in self.systems.values() for result in modules.values())
        compared = (
            comparison["signature"] for comparison in self.comparisons if "signature" in comparison
        )
        return list(dict.fromkeys([*(result.signature for result in results), *compared]))

    @cached_property
    def standings(self) -> Standings:
        """Ranks, tiers and letters of the systems, as far as they were compared."""
        return Standings(self.systems, self.comparisons)

    @property
    def ranks(self) -> dict[str, dict[str, Rank]]:
        """Of each score the ranks that systems may have: `rank_interval`, `tier`, `letters`.

        Of the scores by which every two of some systems were compared. Where two modules have a
        score of one name, its module stands in front.
        """
        scores = [score for _, score in self.standings.ranks]
        return {
            score if scores.count(score) == 1 else f"{module}.{score}": systems
            for (module, score), systems in self.standings.ranks.items()
        }


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
    """A comparison from a file: a p-value that was undefined, or not written, is NaN."""
    plain_keys = {"options", "rows"}
    return {"p_adjusted": math.nan} | {
        name: value if name in plain_keys else restored(value) for name, value in values.items()
    }


def _with_columns(
    path: str | Path,
    system: str,
    module: str,
    result: ModuleResult,
    columns: Mapping[str, list[float]],
) -> ModuleResult:
    """The result with those of the columns that hold its scores, which have to be their means."""
    columns_of_module = {name: columns[name] for name in result.scores if columns[name]}
    try:
        check_rows(module, columns_of_module)
    except ValueError as error:
        raise ValueError(f"{path}: system {system!r}: {error}") from error
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
