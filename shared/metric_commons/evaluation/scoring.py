"""Every module on every system: the one function behind Python, the command line and the server."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

from .arguments import assign, check_supported, input_names, scores_rows
from .catalog import load
from .comparisons import Pair
from .results import ModuleResult, Results, module_result, shared_scores, signed_comparisons
from .signature import provenance

_LEVEL = 0.95  # of the intervals of differences, unless another level is asked for


class InputError(ValueError):
    """A module refuses the input of one system."""

    def __init__(self, system: str, error: ValueError) -> None:
        super().__init__(f"system {system!r}: {error}")
        self.system, self.error = system, error


def score(
    modules: str | Iterable[str],
    *,
    predictions: Sequence[Any] | Mapping[str, Sequence[Any]],
    references: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    options: Mapping[str, Any] | None = None,
    confidence_level: float | None = None,
    interval: str = "auto",
    standard_error: bool = False,
    clusters: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    n_resamples: int = 10_000,
    seed: int = 0,
    groups: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    per_example: bool = False,
    compare: bool = False,
    inputs: Iterable[Mapping[str, Any]] = (),
    progress: bool = False,
) -> Results:
    """The results of every module on every system.

    Args:
        modules: a name, or several.
        predictions: of one system, or of each system by its name.
        references: the same for all systems, or of each system; None if no module needs them.
        options: of the modules; the key `option` is for every module that has it, the key
            `module.option` for one.
        confidence_level: of the intervals, such as 0.95; None for no intervals.
        interval: how they are made; "auto" suits the method to each score.
        standard_error: also report the standard error of each score.
        clusters: a label a row, the same for all systems or of each system; rows of one cluster are
            alike, so that intervals count clusters.
        n_resamples: how often the intervals resample.
        seed: of the resampling.
        groups: a label a row, the same for all systems or of each system.
        per_example: also keep the scores of every row.
        compare: also compare each two systems, which then need the same rows: a permutation test of
            every score that is a mean of rows, with the same draws for all, and p-values corrected
            by Holm's method over all systems and scores. No p-value is below 1 / (n_resamples + 1)
            where it is drawn, so hundreds of comparisons need more draws.
        inputs: where the rows came from, for the provenance.
        progress: show a bar on stderr if it takes longer than a second.

    Raises:
        ValueError: an unknown module or option, or input that a module refuses.

    >>> systems = {"a": ["Paris", "Rome"], "b": ["Paris", "Oslo"]}
    >>> results = score(["qa_em", "qa_f1"], predictions=systems, references=["paris", "oslo"])
    >>> [results.systems[name]["qa_em"].scores["qa_em"] for name in systems]
    [0.5, 1.0]
    >>> score("qa_em", predictions=["a"], references=["a"], options={"normaliser": "lower"})
    Traceback (most recent call last):
    ValueError: there is no option 'normaliser'; did you mean 'normalizer'?
    """
    metrics = {name: load(name) for name in ([modules] if isinstance(modules, str) else modules)}
    systems = predictions if isinstance(predictions, Mapping) else {"predictions": predictions}
    if not metrics or not systems:
        raise ValueError("scoring needs at least one module and one system")
    module_options = assign(
        options or {}, {name: metric.options for name, metric in metrics.items()}
    )
    if compare:
        _check_same_rows(systems, references)
        per_row = [name for name, metric in metrics.items() if scores_rows(metric)]
        if len(systems) < 2 or not per_row:
            raise ValueError(
                "compare needs two systems and a module that scores row by row; there are "
                f"{', '.join(map(repr, systems))} and {', '.join(metrics)}"
            )
    requested = {
        "per_example": per_example,
        "confidence_level": confidence_level is not None,
        "groups": groups is not None,
        "clusters": clusters is not None,
        "standard_error": standard_error,
    }
    check_supported([option for option, is_requested in requested.items() if is_requested], metrics)

    results_by_system: dict[str, dict[str, ModuleResult]] = {system: {} for system in systems}
    steps = [(system, name) for system in systems for name in metrics]
    for system, name in _watched(steps) if progress else steps:
        columns = {
            "predictions": systems[system],
            "references": _column("references", references, system),
        }
        reporting = {
            "per_example": per_example or compare,
            "confidence_level": confidence_level,
            "interval": interval,
            "standard_error": standard_error,
            "clusters": _column("clusters", clusters, system),
            "n_resamples": n_resamples,
            "seed": seed,
            "groups": _column("groups", groups, system),
        }
        try:
            result = _module_result(name, metrics[name], columns, module_options[name], reporting)
        except ValueError as error:
            raise InputError(system, error) from error
        results_by_system[system][name] = result
    comparisons = []
    if compare:
        shared = (
            pair
            for a, b in combinations(results_by_system, 2)
            for pair in shared_scores(a, results_by_system[a], b, results_by_system[b])
        )
        level = _LEVEL if confidence_level is None else confidence_level
        comparisons = signed_comparisons(
            shared, confidence_level=level, n_resamples=n_resamples, seed=seed
        )
        if not per_example:
            results_by_system = {
                system: {
                    name: replace(result, per_example={})
                    for name, result in results_by_module.items()
                }
                for system, results_by_module in results_by_system.items()
            }
    return Results(
        systems=results_by_system, comparisons=comparisons, provenance=provenance(inputs)
    )


def compare(first: Results, second: Results, **testing: Any) -> Results:
    """Systems of some results (A) compared with those of others (B) on the same rows.

    Systems of the same name are compared with each other;
    if no name is in both, each is with each. Where a name is in both it gets the prefix "A: "
    or "B: ".

    Args:
        first: results that hold the scores of every row.
        second: the same of the other systems.
        **testing: options of `compare_pairs`: the test, its draws, correction and levels.

    Returns:
        The compared systems with their scores, and the comparisons.

    Raises:
        ValueError: no score that both have of each row; other options, other numbers of rows.

    >>> rows = {"references": ["a", "b", "c"], "per_example": True}
    >>> new = score("qa_em", predictions={"bot": ["a", "b", "c"]}, **rows)
    >>> old = score("qa_em", predictions={"bot": ["a", "x", "y"]}, **rows)
    >>> (found,) = compare(new, old).comparisons
    >>> found["a"], found["b"], round(found["diff"], 4), found["p_value"]
    ('A: bot', 'B: bot', 0.6667, 0.5)
    """
    shared_names = [name for name in first.systems if name in second.systems]
    names = (
        zip(shared_names, shared_names, strict=True)
        if shared_names
        else product(first.systems, second.systems)
    )
    shared: list[Pair] = []
    compared: dict[str, dict[str, ModuleResult]] = {}
    for a, b in names:
        references_a, references_b = (f"A: {a}", f"B: {b}") if shared_names else (a, b)
        compared |= {references_a: first.systems[a], references_b: second.systems[b]}
        shared += shared_scores(references_a, first.systems[a], references_b, second.systems[b])
    if not shared:
        raise ValueError("there is no score that both results hold of every row")
    inputs = [*first.provenance.get("inputs", []), *second.provenance.get("inputs", [])]
    return Results(
        systems=compared,
        comparisons=signed_comparisons(shared, **testing),
        provenance=provenance(inputs),
    )


def _module_result(
    name: str,
    metric: Any,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
    reporting: Mapping[str, Any],
) -> ModuleResult:
    """What `metric`, the module `name`, says about those of the columns that it takes."""
    inputs_of_module = {column: columns[column] for column in input_names(metric)}
    reported = {option: value for option, value in reporting.items() if option in metric.options}
    result = metric.compute(**inputs_of_module, **options, **reported)
    rows = len(columns["predictions"])
    return module_result(name, metric, result, rows=rows, options=options, reported=reported)


def _column(name: str, columns: Any, system: str) -> Any:
    """The column of one system, where each has its own; else the column all share."""
    if not isinstance(columns, Mapping):
        return columns
    if system not in columns:
        raise ValueError(f"there are no {name} for system {system!r}")
    return columns[system]


def _watched(steps: Sequence[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    from tqdm import tqdm

    bar: Iterable[tuple[str, str]] = tqdm(steps, "scoring", delay=1, leave=False)
    return bar


def _check_same_rows(systems: Mapping[str, Any], references: Any) -> None:
    """Every system answers the same questions, as far as that can be seen."""
    first, *systems_left = systems
    for system_b in systems_left:
        rows = [len(systems[first]), len(systems[system_b])]
        if rows[0] != rows[1]:
            raise ValueError(
                f"systems {first!r} and {system_b!r} have {rows[0]} and {rows[1]} rows; "
                "only systems with the same rows can be compared"
            )
        references_a, references_b = (
            _column("references", references, system) for system in (first, system_b)
        )
        if references_a is references_b:
            continue
        for row, (row_a, row_b) in enumerate(zip(references_a, references_b, strict=False)):
            if _listed(row_a) != _listed(row_b):
                raise ValueError(
                    f"systems {first!r} and {system_b!r} have different references in row {row}; "
                    "only systems with the same rows can be compared"
                )


def _listed(row: Any) -> Any:
    return row.tolist() if hasattr(row, "tolist") else row
