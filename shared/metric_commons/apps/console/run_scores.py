"""Retrieval runs scored for commands: the options, the results and their tables."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ...data.files.streams import stem
from ...evaluation.comparison.run_pairs import ClusterOfQuery, labels_of
from ...evaluation.results.module_results import ModuleResult, aggregation_of, module_result
from ...evaluation.results.rendering import PLAIN, Notation, Table, label
from ...evaluation.results.results import Results
from ...module.catalog.usage import UsageError, with_bar
from ...statistics.arguments.domains import Count

if TYPE_CHECKING:
    from ...evaluation.rows.blocks import Tables
    from ...evaluation.rows.row_tables import RowTable
    from ...retrieval.names import RankingMeasure
    from ...retrieval.runs import QueryScores

DEFAULT_MEASURES = ("ndcg@10", "map", "mrr", "recall@10", "precision@10")  # as in ir_ranking


@dataclass(frozen=True)
class Scoring:
    """The options of `score_run`, which change scores."""

    missing: Literal["zero", "skip"] = "zero"
    relevance_level: int = 1
    score_dtype: Literal["float64", "float32"] = "float64"
    max_depth: Count | None = None
    judged_only: bool = False


def averaged(measures: "tuple[RankingMeasure, ...]") -> "tuple[RankingMeasure, ...]":
    """Return the measures, which must all be means over queries to be compared."""
    from ...retrieval.names import AGGREGATION

    for name, kind, *_ in measures:
        if aggregation_of([kind], AGGREGATION):
            raise UsageError(
                f"--measure: {name!r} is not a mean over queries, so it cannot be compared"
            )
    return measures


class Scored(NamedTuple):
    """The scores of runs for each query and for all queries, and the input files."""

    runs: "dict[str, QueryScores]"
    means: dict[str, dict[str, float]]
    inputs: list[dict[str, Any]]
    relstrings: dict[str, str]  # if requested: the first documents of the last run, by query
    absent: dict[str, int]  # the number of judged queries without results, by run


@dataclass(frozen=True, kw_only=True, repr=False)
class RankingResults(Results):
    """Results whose systems are runs, and whose groups are single queries."""

    text: str = ""  # in the form of trec_eval, if this was requested

    def tables(self, notation: Notation = PLAIN) -> list[Table]:
        """Return one row per run and one column per measure.

        With --per-query also one row per query.
        """
        return [_of_runs(table) for table in super().tables(notation)]


def _of_runs(table: Table) -> Table:
    """Return a table of systems and groups as one of runs and queries."""
    names = {"system": "run"} if table.header[:1] != ["score"] else {"score": "measure"}
    if table.kind != "groups":
        return table._replace(header=[names.get(name, name) for name in table.header])
    return table._replace(  # without the number of rows, which is 1
        header=["run", "query", *table.header[3:]],
        rows=[[*row[:2], *row[3:]] for row in table.rows],
    )


def selected_measures(
    measures: Sequence[str] | None, scores: Sequence[str] | None
) -> "tuple[RankingMeasure, ...]":
    """Return the requested measures, restricted to the scores to show.

    Names are checked before a large file is read.
    """
    if not scores:
        return _parsed("measure", measures or DEFAULT_MEASURES)
    selection = _parsed("scores", scores)
    names = [measure.name for measure in _parsed("measure", measures)] if measures else []
    for measure in selection:
        if names and measure.name not in names:
            raise UsageError(f"--scores: {measure.name!r} is not one of {', '.join(names)}")
    return selection


def _parsed(option: str, names: Sequence[str]) -> "tuple[RankingMeasure, ...]":
    from ...retrieval.names import parse_measures

    try:
        return parse_measures(names)
    except ValueError as error:
        several = any(re.search(r"[, ]", name) for name in names)
        hint = f"; repeat --{option} for each name" if several else ""
        raise UsageError(f"--{option}: {error}{hint}") from error


def score_queries(
    qrels: Path,
    runs: Sequence[Path],
    measures: "Iterable[RankingMeasure]",
    scoring: Scoring,
    *,
    relstring: int | None = None,
) -> Scored:
    """Return the scores of each run for each query. Only one run at a time is in memory."""
    from ...data.trec import trec as files
    from ...retrieval.runs import relevance_strings, score_run

    names = _names(runs)
    judged, sha256 = files.read_hashed(qrels, files.Qrels)
    scored_runs = Scored(
        {}, {}, [{"path": str(qrels), "sha256": sha256, "rows": len(judged)}], {}, {}
    )
    steps = list(zip(names, runs, strict=True))
    for name, path in with_bar(steps, "scoring", "run"):
        run, sha256 = files.read_hashed(path, files.Run)
        if not {*run.queries} & {*judged.queries}:
            raise ValueError(f"{path} has none of the queries of {qrels}")
        result = score_run(judged, run, [m.name for m in measures], **asdict(scoring))
        scored_runs.runs[name], scored_runs.means[name] = result["per_query"], result["mean"]
        scored_runs.inputs.append({"path": str(path), "sha256": sha256, "rows": len(run)})
        scored_runs.absent[name] = len({*judged.queries} - {*run.queries})
        if relstring is not None:
            reading = scoring.score_dtype, scoring.judged_only, scoring.max_depth
            scored_runs.relstrings.update(relevance_strings(judged, run, relstring, *reading))
    return scored_runs


def summary(
    table: "RowTable",
    queries: "QueryScores",
    means: Mapping[str, float],
    scoring: Scoring,
    *,
    intervals: Mapping[str, Any],
    per_query: bool = False,
    preset: str | None = None,
) -> ModuleResult:
    """Return the result of one run.

    A total that differs from the sum over the queries, such as num_rel where trec_eval -c ignores
    the relevance level, has no interval.

    Args:
        table: the scores of its queries as scored rows.
        queries: the same by query.
        means: the scores for all queries.
        scoring: the options that change scores.
        intervals: the options of intervals, if any.
        per_query: whether each query is a group.
        preset: the preset of the options.
    """
    found = module_result(table, intervals)
    for name, mean in means.items():
        for part in found.values.values():
            if isinstance(part, dict) and not math.isclose(found.scores[name], mean):
                part.pop(name, None)
    values = {**found.values, **means}
    if per_query:
        values["groups"] = {query: {**scores, "n": 1} for query, scores in queries.items()}
    options = {"measures": list(means), **asdict(scoring)}
    return replace(
        found,
        values=values,
        options=options | {n: v for n, v in found.options.items() if n not in options},
        conditions={"preset": preset} if preset else {},
    ).signed("ir_ranking")


def scored_queries(
    runs: "Mapping[str, QueryScores]",
    measures: "Iterable[RankingMeasure]",
    scoring: Scoring,
    clusters: ClusterOfQuery | None = None,
) -> "Tables":
    """Return the scores of runs for each query as scored rows."""
    import numpy as np

    from ...evaluation.rows.row_tables import RowTable
    from ...module.catalog.catalog import load_without_evaluate

    names = [measure.name for measure in measures]
    options = {k: v for k, v in asdict(scoring).items() if k in ("score_dtype", "judged_only")}
    metric = load_without_evaluate("ir_ranking", measures=names, **options)

    def table(queries: "QueryScores") -> RowTable:
        return RowTable(
            metric=metric,
            columns={n: np.array([q[n] for q in queries.values()], float) for n in names},
            ids=list(queries),
            clusters={} if clusters is None else {"clusters": labels_of(queries, clusters)},
        )

    return {run: {"ir_ranking": table(queries)} for run, queries in runs.items()}


def _names(paths: Sequence[Path]) -> list[str]:
    r"""Return the shortest printable names that distinguish the files.

    >>> _names([Path("runs/bm25.run.gz"), Path("runs/dense.run.gz")])
    ['bm25', 'dense']
    >>> _names([Path("runs/input.a"), Path("runs/input.b\n")])
    ['input.a', 'input.b\\n']
    """
    for shortened in (stem, lambda path: path.name.removesuffix(".gz"), str):
        names = [shortened(path) for path in paths]
        if len(set(names)) == len(names):
            return list(map(label, names))
    repeated = next(name for name in names if names.count(name) > 1)
    raise UsageError(f"run {repeated!r} is given twice")
