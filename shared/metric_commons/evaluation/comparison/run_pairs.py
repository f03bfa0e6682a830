"""Retrieval runs compared query by query, and the clusters that queries belong to."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from ...data.files.access import default_limits, read_whole
from ...module.catalog.catalog import score_ranges
from ...statistics.arguments.domains import score_range
from ..results.comparisons import Pair

if TYPE_CHECKING:
    from ...retrieval.runs import QueryScores

ClusterOfQuery = Mapping[str, str]


def paired(runs: "Mapping[str, QueryScores]") -> "dict[str, QueryScores]":
    """Return the runs on the queries that all of them share.

    Raises:
        ValueError: they do not share any query.
    """
    first, *rivals = runs.values()
    shared = [query for query in first if all(query in run for run in rivals)]
    if not shared:
        raise ValueError(f"{' and '.join(runs)} have no query in common")
    return {name: {query: run[query] for query in shared} for name, run in runs.items()}


def pairs_of_runs(
    runs: "Mapping[str, QueryScores]",
    measures: Sequence[str],
    clusters: ClusterOfQuery | None = None,
) -> Iterator[Pair]:
    """Yield all pairs of runs by each measure, query by query.

    Args:
        runs: runs with the same queries.
        measures: the names of the measures.
        clusters: the cluster of each query; None if queries stand alone.
    """
    queries, ranges = list(next(iter(runs.values()))), score_ranges("ir_ranking")
    labels = None if clusters is None else labels_of(queries, clusters)
    for a, b in combinations(runs, 2):
        for name in measures:
            scores_a, scores_b = ([query[name] for query in runs[run].values()] for run in (a, b))
            bounds = score_range(name, ranges)
            yield Pair(a, b, "ir_ranking", name, scores_a, scores_b, labels, bounds)


def labels_of(queries: Iterable[str], clusters: ClusterOfQuery) -> list[str]:
    """Return the cluster of each query.

    Raises:
        ValueError: a query has none.

    >>> labels_of(["q2", "q1"], {"q1": "news", "q2": "sport"})
    ['sport', 'news']
    """
    labels = []
    for query in queries:
        if query not in clusters:
            raise ValueError(f"the file of clusters does not have the query {query!r}")
        labels.append(clusters[query])
    return labels


def read_clusters(path: Path) -> dict[str, str]:
    """Return the cluster of each query: lines of query and cluster, or a JSON object.

    Raises:
        ValueError: a line does not have both, or a query has two clusters.
        OSError: the file cannot be read.
    """
    text = read_whole(path, default_limits()).decode("utf-8-sig")
    if text.lstrip().startswith("{"):
        try:
            content = json.loads(text)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        return {query: str(cluster) for query, cluster in content.items()}
    clusters: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        query, _, cluster = line.strip().partition("\t" if "\t" in line else " ")
        if not cluster.strip():
            raise ValueError(f"{path}: line {number}: expected a query and its cluster")
        if clusters.setdefault(query, cluster.strip()) != cluster.strip():
            raise ValueError(f"{path}: line {number}: query {query!r} has two clusters")
    return clusters
