"""The results of scored rows of systems, compared if that is asked for."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

from ...module.catalog.presets import preset
from ...module.catalog.usage import with_bar
from ...statistics.resampling.progress import step
from ..results.module_results import (
    ModuleResult,
    check_averages,
    module_result,
    provenance,
    row_digests,
)
from ..results.results import Results
from ..rows.blocks import Tables, with_tables
from ..rows.joins import in_order_of
from ..rows.row_tables import RowTable
from ..rows.rows import InputError

_LEVEL = 0.95  # of the intervals of differences, unless another level is asked for


def results_of_tables(
    tables: Tables,
    intervals: Mapping[str, Any],
    *,
    of_preset: str | None = None,
    compared: Mapping[str, Any] | None = None,
    inputs: Iterable[Mapping[str, Any]] = (),
    progress: bool = False,
) -> Results:
    """Return the results of scored rows.

    Args:
        tables: the rows by system and module.
        intervals: the options of intervals, for modules that have them.
        of_preset: the preset of the options.
        compared: if systems are compared: the scores by which, and the options of their tests.
        inputs: the sources of the rows.
        progress: show a bar on stderr.

    Raises:
        ValueError: a score is undefined for all rows, or systems cannot be compared.
    """
    if of_preset is not None:
        tables = _with_preset(tables, of_preset)
    if compared is not None:
        if len(tables) < 2:
            raise ValueError(f"compare needs two systems; there is only {next(iter(tables))!r}")
        tables = _in_one_order(tables)
    systems: dict[str, dict[str, ModuleResult]] = {system: {} for system in tables}
    steps = [(system, name) for system, modules in tables.items() for name in modules]
    with step(0, 1 if compared is None else 2):
        for number, (system, name) in enumerate(with_bar(steps, "scoring") if progress else steps):
            with step(number, len(steps)):
                try:
                    found = module_result(tables[system][name], intervals)
                except ValueError as error:
                    raise InputError(system, error) from error
            systems[system][name] = found
    check_averages(systems)
    record = provenance(inputs) | row_digests(tables)
    if of_preset is not None:
        record["preset"] = of_preset
    results = Results(systems=systems, provenance=record, rows=tables)
    if compared is None:
        return results
    from ..comparison.comparisons import with_comparisons  # only if it is asked for

    level = intervals.get("confidence_level") or _LEVEL
    with step(1, 2):
        pairs = combinations(tables, 2)
        return with_comparisons(results, pairs, confidence_level=level, **compared)


def _in_one_order(tables: Tables) -> Tables:
    """Return the rows of all systems in the order of the first.

    Raises:
        ValueError: they are not the same.
    """
    (first, modules), *others = tables.items()
    return {first: modules} | {
        system: {
            name: in_order_of(modules[name], table, (first, system))
            for name, table in of_system.items()
        }
        for system, of_system in others
    }


def _with_preset(tables: Tables, name: str) -> Tables:
    """Return the rows with a preset for signatures, where no option differs from it."""
    modules = preset(name).modules

    def conditioned(table: RowTable) -> RowTable:
        options = modules.get(table.module, {}).items()
        if any(table.options[option] != value for option, value in options):
            return table
        return replace(table, conditions={**table.conditions, "preset": name})

    return with_tables(tables, conditioned)
