"""Saved results together with the scores of their rows, which are in a separate file.

A result keeps the scores and ids of its rows, but not the other fields of its inputs. As long as an
input is unchanged, by its SHA-256, its rows can be matched again to get clusters: the rows of a
table by their order, the rows of a log by their ids.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from ...data.files.access import is_file, open_file, sha256_of
from ...data.tables.tables import Source, file_of
from ...module.catalog.catalog import load_without_evaluate
from ...module.catalog.usage import UsageError
from ...module.declaration.declarations import OF_INTERVALS
from ...statistics.arguments.checks import check_labels
from ..results.comparisons import clusters_of_rows, crossed_labels, is_crossed
from ..results.logged_scores import NAME as LOGGED
from ..results.logged_scores import LoggedScores
from ..results.module_results import (
    DETAILS,
    ModuleResult,
    functions_of_sums,
    interval_options,
    means_of_rows,
)
from ..results.results import Results
from ..states.score_kind import kind_of
from .pairing import row_statistics

_ADVICE = "score again with --save and --per-example FILE, or name that file with --rows"
_AGAIN = "score again with --cluster-by"
# For intervals of scores computed from sums.
_DRAWING: Mapping[str, Any] = {"n_resamples": 10_000, "seed": 0}


@dataclass(frozen=True)
class SavedResult:
    """A result and its file, with the scores of its rows unless there is a problem with them."""

    path: Path
    results: Results
    problem: str = ""

    def clustered(self, fields: Sequence[str], confidence_level: float | None = None) -> Self:
        """Return the same result, with the labels in these fields of its inputs as clusters.

        Raises:
            ValueError: the rows or their labels are missing.
        """
        if self.problem:
            raise ValueError(f"clusters need the scores of rows: {self.problem}")
        try:
            results = clustered(self.results, fields, confidence_level=confidence_level)
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from error
        return replace(self, results=results)


def is_saved_result(path: Path) -> bool:
    """Return whether a file holds a JSON object, as results do, and not lines of columns."""
    if not is_file(path):  # a pipe cannot be read twice
        return False
    with open_file(path) as file:
        return file.read(64).lstrip()[:1] == b"{"


def read_with_rows(
    paths: Sequence[Path],
    rows: Sequence[Path] = (),
    *,
    cluster_by: Sequence[str] = (),
) -> list[Results]:
    """Read saved results with the scores of their rows.

    Args:
        paths: files written by `save`.
        rows: files written by `save_per_example`: one for each result, or in order, one for each
            result that does not name its file. A file that a result names is looked for where it
            was written, and next to the result, and must be unchanged.
        cluster_by: fields of the inputs of these results, whose labels are the clusters of rows.

    Raises:
        UsageError: there are more files of rows than results that need one.
        ValueError: a file is not valid, or the rows of a result are missing; the message says how
            to create them.
    """
    filled = []
    for saved in saved_results(paths, rows):
        if saved.problem:
            raise ValueError(saved.problem)
        filled.append(saved.clustered(cluster_by).results if cluster_by else saved.results)
    return filled


def read_available_rows(
    paths: Sequence[Path], rows: Sequence[Path] = ()
) -> tuple[dict[str, Results], list[str]]:
    """Read saved results, with the scores of their rows as far as these are available.

    Args:
        paths: files written by `save`.
        rows: files written by `save_per_example`, as for `read_with_rows`.

    Returns:
        The results by the name of their file, and the problems with rows.

    Raises:
        UsageError: a file of rows is not needed, or a result is given twice.
        ValueError: a file is not valid.
    """
    check_distinct(paths)
    stems = [path.stem for path in paths]
    names = [
        stem if stems.count(stem) == 1 else str(path)
        for stem, path in zip(stems, paths, strict=True)
    ]
    files = list(saved_results(paths, rows))
    results = {name: saved.results for name, saved in zip(names, files, strict=True)}
    return results, [saved.problem for saved in files if saved.problem]


def check_distinct(paths: Sequence[Path]) -> None:
    """Check that no result is given twice.

    Raises:
        UsageError: one is.
    """
    for path in paths:
        if paths.count(path) > 1:
            raise UsageError(f"result {path} is given twice")


def saved_results(paths: Sequence[Path], rows: Sequence[Path] = ()) -> Iterator[SavedResult]:
    """Yield each saved result with the scores of its rows, or without them and the reason.

    Args:
        paths: files written by `save`.
        rows: files written by `save_per_example`, as for `read_with_rows`.

    Raises:
        UsageError: there are more files of rows than results that need one.
        ValueError: a file is not valid.
    """
    spare_rows = list(rows)
    for path in paths:
        results = Results.read(path)
        record = results.provenance.get("per_example")
        filled, problem = None, ""
        try:
            if record and len(rows) != len(paths) and (file := _recorded(path, record)):
                filled = results.with_rows(file)
        except ValueError as error:
            problem = str(error)
        if filled is None and not problem:
            if spare_rows:
                filled = results.with_rows(spare_rows.pop(0))
            else:
                problem = _absence(path, record)
        yield SavedResult(path, results if filled is None else filled, problem)
    if spare_rows:
        raise UsageError(f"--rows: {spare_rows[0]} is not needed; every result names its own rows")


def _absence(path: Path, record: Mapping[str, str] | None) -> str:
    """Return why a result has no scores of rows, and what to do."""
    problem = "it does not name a file with the scores of its rows"
    if record:
        problem = f"the scores of its rows are missing: {record['path']}"
    return f"{path}: {problem}; {_ADVICE}"


def _recorded(result: Path, record: Mapping[str, str]) -> Path | None:
    """Return the file of rows that a result names, if it exists; it must be unchanged."""
    name = record["path"]
    candidates = [Path(name), result.parent / name, result.parent / Path(name).name]
    file = next((path for path in candidates if is_file(path)), None)
    if file is not None and sha256_of(file) != record["sha256"]:
        raise ValueError(f"{result}: the scores of its rows changed: {file}; {_ADVICE}")
    return file


def clustered(
    results: Results,
    fields: Sequence[str],
    *,
    confidence_level: float | None = None,
) -> Results:
    """Return the results as if rows had been scored with the labels in these fields as clusters.

    Scores do not change; intervals are recomputed for clusters.

    Args:
        results: results with the scores of every row.
        fields: fields of the inputs, as paths into a row; several are crossed.
        confidence_level: the level of the intervals; None for the level of the result, if any.

    Raises:
        ValueError: an input is missing, has changed, or does not have the field; rows with the same
            id have different labels; or a score with crossed rows is not their mean.
    """
    labels = {}
    for system, modules in results.systems.items():
        columns = {field: _labels(results, system, field) for field in fields}
        rows = next(iter(modules.values())).rows
        labels[system] = crossed_labels(columns, rows) if fields[1:] else columns[fields[0]]

    def with_intervals(system: str, module: str, result: ModuleResult) -> ModuleResult:
        return _with_intervals(system, module, result, labels[system], confidence_level)

    row_labels = {
        system: {**results.row_labels.get(system, {}), "cluster": labels[system]}
        for system in results.systems
    }
    return replace(results.map_modules(with_intervals), row_labels=row_labels)


# ---- labels -------------------------------------------------------------------------------------


def _labels(results: Results, system: str, field: str) -> list[str]:
    """Return the label of each row of a system."""
    provenance = results.provenance
    rows = next(iter(results.systems[system].values())).rows
    columns = provenance.get("columns", {}).get(system, {})
    if "predictions" in columns:
        column = columns.get("references", columns["predictions"])  # usually has more fields
        path = _unchanged(provenance, column["path"])
        source = Source(path, [field], format_name=column["format"], limit=rows)
        labels = source.columns()[field]
        return check_labels("clusters", labels, rows)
    log = provenance.get("logs", {}).get(system)
    ids = results.row_labels.get(system, {}).get("id")
    if log is None or ids is None:
        raise ValueError(
            "there are no clusters: the result does not name the file with the fields of the rows "
            f"of system {system!r}; only results of `score` do, and those of logs with --id"
        )
    file = log.get("answers", log)  # if answers are in a separate file, it has the labels
    path = _unchanged(provenance, file["path"])
    label_of_id = _labels_of_ids(path, file["format"], file["id"], field)
    missing = next((name for name in ids if name not in label_of_id), None)
    if missing is not None:
        raise ValueError(f"{path}: there is no row with the id {missing!r}")
    return [label_of_id[name] for name in ids]


def _unchanged(provenance: Mapping[str, Any], name: str) -> Path:
    """Return the path of an input, which must exist and be unchanged."""
    path = file_of(Path(name))
    contents = {source["path"]: source["sha256"] for source in provenance.get("inputs", [])}
    if not is_file(path):
        raise ValueError(f"{name}, which has the field of the clusters, is missing; {_AGAIN}")
    if sha256_of(path) != contents.get(name):
        raise ValueError(f"{name} has changed since it was scored; {_AGAIN}")
    return path


def _labels_of_ids(path: Path, format_name: str, id_field: str, field: str) -> dict[str, str]:
    """Return the label of each id of a log, from all its rows, also those that do not count."""
    source = Source(path, [id_field, field], format_name=format_name)
    pairs: list[tuple[Any, Any]] = []
    try:
        log = source.log
        find_id = find_label = None
        for _, record in log.rows:
            if find_id is None or find_label is None:
                find_id, find_label = (log.getter(name, record) for name in (id_field, field))
            pairs.append((find_id(record), find_label(record)))
    except KeyError as error:
        raise ValueError(f"{path}: a row has no {error}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    finally:
        source.close()
    ids, labels = (
        check_labels(name, column, len(pairs))
        for name, column in zip(("ids", "clusters"), zip(*pairs, strict=True), strict=True)
    )
    label_of_id: dict[str, str] = {}
    for name, label in zip(ids, labels, strict=True):
        if label_of_id.setdefault(name, label) != label:
            raise ValueError(
                f"{path}: rows with the id {name!r} are in two clusters, {label_of_id[name]!r} and "
                f"{label!r}"
            )
    return label_of_id


# ---- intervals ----------------------------------------------------------------------------------


def _with_intervals(
    system: str, module: str, result: ModuleResult, labels: Sequence[Any], level: float | None
) -> ModuleResult:
    """Return the result with intervals for clusters, and without statistics of independent rows."""
    from ...statistics.intervals.summary import reported

    level = result.options.get("confidence_level") if level is None else level
    estimates = {} if level is None else _intervals(system, module, result, labels, level)
    report = reported(estimates) if estimates else {"confidence_interval": {}}
    scoring_options = {
        name: value
        for name, value in result.options.items()
        if name not in OF_INTERVALS or (name == "seed" and result.options.get("sample_size"))
    }
    options = {"confidence_level": level, "interval": "auto", "clusters": labels[0], **_DRAWING}
    options_of_intervals = interval_options(options, report) if estimates else {}
    fields: dict[str, Any] = {
        **{name: {} for name in DETAILS},
        "n_clusters": None,
        "value_counts": {},
        "cluster_counts": {},
        "groups": {
            group: {name: v for name, v in scores.items() if not isinstance(v, Mapping)}
            for group, scores in result.groups.items()
        },
        **report,
    }
    return replace(result, options=scoring_options | options_of_intervals, **fields).signed(module)


def _intervals(
    system: str, module: str, result: ModuleResult, labels: Sequence[Any], level: float
) -> dict[str, Any]:
    """Return the interval of each score that is a mean over rows or computed from sums."""
    import numpy as np

    from ...statistics.intervals.cluster_sums import Clusters
    from ...statistics.intervals.intervals import interval

    metric = LoggedScores() if module == LOGGED else load_without_evaluate(module)
    estimates: dict[str, Any] = {}
    for name, column in means_of_rows(result).items():
        values = np.array(column, np.float64)
        counting = ~np.isnan(values)
        values = values[counting]
        bounds = kind_of(metric).bounds(metric, {name: (values.min(), values.max())})[name]
        values = np.minimum(values, bounds[1])  # rounding may have exceeded the bound
        clusters = clusters_of_rows(labels, counting.nonzero()[0])
        estimates[name] = interval(values, clusters=clusters, confidence_level=level, bounds=bounds)
    for name in functions_of_sums(result)[:1]:
        if is_crossed(labels):
            raise ValueError(f"crossed clusters are for means of rows, and {name} is none")
        statistics = row_statistics(system, module, result)
        all_clusters = Clusters.of_labels(labels, len(labels))
        estimates |= statistics.intervals(all_clusters, confidence_level=level, **_DRAWING)
    return estimates
