"""Which columns of a table are the inputs, predictions and labels of modules."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ...module.catalog.catalog import module_class, name_of, own_scripts
from ...module.catalog.request import Missing
from ...module.declaration.columns import checked_once, holds_maps
from ...statistics.arguments.arrays import as_column
from ...text.tokens.normalizers import tokenized_once
from .row_tables import RowTable, check_mergeable, joined, scored
from .rows import InputError, Rows
from .samples import answered, scored_samples

Tables = dict[str, dict[str, RowTable]]  # by system and module
Place = Callable[[str, int], str]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Modules with their options, and the columns of a table that they read.

    It can be sent to other processes.

    Args:
        modules: by module: the options that affect its scores.
        systems: by system: the column of predictions, if there is one.
        columns: the columns of all other inputs, by their names.
        ids: the column of the ids; None if there is none, as for groups.
        groups: the column of the groups.
        clusters: the columns of the clusters.
        missing: what becomes of rows without an answer.

    >>> plan = Plan(
    ...     modules={"qa_em": {}}, systems={"bot": "answer"}, columns={"references": "gold"}
    ... )
    >>> tables = plan.tables({"answer": ["Paris", "Rome"], "gold": ["paris", "Oslo"]})
    >>> tables["bot"]["qa_em"].columns["qa_em"]
    array([1., 0.])
    """

    modules: Mapping[str, Mapping[str, Any]]
    systems: Mapping[str, str | None]
    columns: Mapping[str, str]
    ids: str | None = None
    groups: str | None = None
    clusters: tuple[str, ...] = ()
    missing: Missing = "refuse"

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name != "metrics"}
        return state | {"scripts": own_scripts(self.modules)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for script in state.pop("scripts").values():
            name_of(Path(script))
        vars(self).update(state)

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """Return the modules with their options."""
        return {name: module_class(name)(**options) for name, options in self.modules.items()}

    def names(self) -> list[str]:
        """Return the columns that are read."""
        named = [*self.systems.values(), *self.columns.values(), self.ids, self.groups]
        return list(dict.fromkeys(name for name in (*named, *self.clusters) if name is not None))

    def fields(self, system: str) -> dict[str, str]:
        """Return the column of each input of a system."""
        predictions = self.systems[system]
        return {**self.columns, **({"predictions": predictions} if predictions else {})}

    def rows(self, system: str, block: Mapping[str, Any], place: Place | None = None) -> Rows:
        """Return the rows of a system in a block of the table.

        Args:
            system: the name of the system.
            block: the columns by name.
            place: from a column of the table and a row of the block, the words for them.
        """
        fields = self.fields(system)
        places = {**fields, "ids": self.ids, "groups": self.groups}
        places |= {f"clusters[{name!r}]": name for name in self.clusters}
        places["clusters"] = next(iter(self.clusters), None)

        def placed(column: str, row: int) -> str:
            return f"{column}[{row}]" if place is None else place(places.get(column) or column, row)

        return Rows(
            columns={name: block[column] for name, column in fields.items()},
            ids=None if self.ids is None else block[self.ids],
            groups=None if self.groups is None else block[self.groups],
            clusters={name: block[name] for name in self.clusters} or None,
            place=placed if place is not None else None,
        )

    @checked_once()
    def tables(
        self,
        block: Mapping[str, Any],
        place: Place | None = None,
        systems: Iterable[str] | None = None,
    ) -> Tables:
        """Return the scored rows of a block, as in `rows`, for all systems or for these.

        Raises:
            ValueError: a row is not valid.
        """
        # Arrow's columns become lists once, not once for each module, except for maps, which
        # rankings read in their own way.
        block = {name: _read_once(name, block[name]) for name in block}
        rows = {
            system: self.rows(system, block, place)
            for system in (self.systems if systems is None else systems)
        }
        return tables_of(rows, self.metrics, self.missing)


@tokenized_once()
def tables_of(
    systems: Mapping[str, Rows], metrics: Mapping[str, Any], missing: Missing = "refuse"
) -> Tables:
    """Return the scored rows of each system, by every module.

    Args:
        systems: the rows by system.
        metrics: the modules with their options, by name.
        missing: what becomes of rows without an answer.

    Raises:
        ValueError: a row is not valid; names the system, unless rows have a place.
    """
    digests: dict[int, Any] = {}  # systems usually have one column of references in common
    tables: Tables = {}
    for system, rows in systems.items():
        try:
            part, samples, conditions = answered(rows, missing)
            references = part.columns.get("references")
            tables[system] = {}
            for name, metric in metrics.items():
                if conditions:
                    tables[system][name] = scored_samples(metric, part, samples, conditions)
                    continue
                table = scored(metric, part, digests.get(id(references)))
                if table.digests is not None:
                    digests[id(references)] = table.digests
                tables[system][name] = table
        except ValueError as error:
            if rows.place is None:
                raise InputError(system, error) from error
            raise part.located(error) from error
    return tables


def with_metrics(tables: Tables, metrics: Mapping[str, Any]) -> Tables:
    """Return tables with these modules; without any, to be sent to another process.

    An option of a module may be a function, which cannot be sent.
    """
    return {
        system: {
            name: replace(table, metric=metrics.get(name)) for name, table in of_system.items()
        }
        for system, of_system in tables.items()
    }


def merged(parts: Iterable[Tables]) -> Tables:
    """Return all rows of each system and module.

    Raises:
        ValueError: parts have different systems or modules, or tables that cannot be joined.
    """
    first, *others = collected = list(parts)
    for part in others:
        check_alike(first, part)
    return {
        system: {
            module: joined(part[system][module] for part in collected) for module in first[system]
        }
        for system in first
    }


def check_alike(first: Tables, part: Tables) -> None:
    """Check that the rows of two tables can be merged, as far as their headers show.

    Raises:
        ValueError: they have different systems, modules or options, or other labels.
    """
    for subject, one, other in (
        ("systems", sorted(first), sorted(part)),
        ("modules", *(sorted({m for of in t.values() for m in of}) for t in (first, part))),
    ):
        if one != other:
            raise ValueError(f"rows of different {subject} cannot be merged: {one}, {other}")
    for system, modules in first.items():
        for module, table in modules.items():
            check_mergeable(table, part[system][module])


def _read_once(name: str, column: Any) -> Any:
    return column if isinstance(column, list) or holds_maps(column) else as_column(name, column)
