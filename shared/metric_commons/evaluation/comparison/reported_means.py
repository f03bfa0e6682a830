"""Results of other programs that contain means without rows, such as those of MTEB.

Means alone allow neither intervals nor comparisons. Such results have scores, a signature that
names their source, and 0 as the number of rows.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from ...data.files.access import sha256_of
from ...data.files.stored import to_jsonable
from ...data.harness_logs.logs import Log, LoggedMeans
from ...data.tables.tables import Source
from ..results.module_results import ModuleResult, program, provenance
from ..results.results import Results
from ..rows.logged_scores import LOGGED

NO_ROWS = "it contains means without scores of rows"
_MAIN = "main_score"
_FOR_DEVELOPMENT = ("dev", "train", "val")  # the beginnings of names of splits


def reported_results(
    path: Path, log: Log, system: str, split: str | None = None, metric: str | None = None
) -> Iterator[Results]:
    """Yield the results of each split in a file.

    Args:
        path: the file.
        log: its content.
        system: the name of the system.
        split: the split to read; None for all, without those for development if there is a
            test split.
        metric: the score to read; None for all.

    Raises:
        ValueError: the file does not have this split, or this score.
    """
    splits = [means.split for means in log.means]
    if split is not None and split not in splits:
        raise ValueError(f"{path}: there is no split {split!r}; there are {', '.join(splits)}")
    development = _FOR_DEVELOPMENT if "test" in splits else ()
    for means in log.means:
        if means.split != split and (split or means.split.startswith(development)):
            continue
        if metric is not None and metric not in means.scores:
            listed = ", ".join(list(means.scores)[:20])
            raise ValueError(f"{path}: there is no score {metric!r}; there are {listed}")
        scores = {name: v for name, v in means.scores.items() if metric in (None, name)}
        if not scores:
            raise ValueError(f"{path}: there are no scores")
        name = means.about["task"]
        task = name if means.split == "test" else f"{name} ({means.split})"
        yield Results(
            systems={system: {LOGGED: _result(log, means, scores)}},
            provenance=provenance([]) | {"logs": {system: {"path": str(path), "task": task}}},
        )


def results_of_logs(
    systems: Mapping[str, Source], split: str | None = None, metric: str | None = None
) -> Results:
    """Return the results of one split of each file, under the names of systems.

    Raises:
        ValueError: a file has several splits and none was chosen, or a file has rows.
    """
    parts: list[Results] = []
    for system, source in systems.items():
        splits = [means.split for means in source.log.means]
        if not splits:
            raise ValueError(
                f"{source.path} has rows, but other files contain only means; score it separately"
            )
        if len(splits) > 1 and split is None:
            raise ValueError(
                f"{source.path}: scores of several splits, {', '.join(splits)}; choose with "
                f"--where split={splits[0]}"
            )
        parts += reported_results(source.path, source.log, system, split, metric)
    logs = {system: part.provenance["logs"][system] for part in parts for system in part.systems}
    inputs = [
        {"path": str(source.path), "sha256": sha256_of(source.path)}
        for source in systems.values()
        if source.path.is_file()
    ]
    return Results(
        systems={name: modules for part in parts for name, modules in part.systems.items()},
        provenance=provenance(inputs) | {"logs": logs},
    )


def _result(log: Log, means: LoggedMeans, scores: Mapping[str, float]) -> ModuleResult:
    about = {
        "from": log.format_name,
        **{name: value for name, value in means.about.items() if value},
    }
    return ModuleResult(
        options={},
        rows=0,
        scores=dict(scores),
        confidence_interval={},
        groups={
            subset: {name: value for name, value in values.items() if name in scores} | {"n": 0}
            for subset, values in means.subsets.items()
        },
        signature="",
        conditions=to_jsonable(about),
        program=program(),
        main_score=_MAIN if _MAIN in scores else None,
    ).signed(LOGGED)
