"""The queries that retrieval runs share, and the clusters that queries belong to."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ...data.files.access import read_file

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


def labels_of(queries: Iterable[str], clusters: ClusterOfQuery) -> list[str]:
    """Return the cluster of each query.

    Raises:
        ValueError: a query has none.

    >>> labels_of(["q2", "q1"], {"q1": "news", "q2": "sport"})
    ['sport', 'news']
    """
    for query in queries:
        if query not in clusters:
            raise ValueError(f"the file of clusters does not have the query {query!r}")
    return [clusters[query] for query in queries]


def read_clusters(path: Path) -> dict[str, str]:
    """Return the cluster of each query: lines of query and cluster, or a JSON object.

    Raises:
        ValueError: a line does not have both, or a query has two clusters.
        OSError: the file cannot be read.
    """
    text = read_file(path).decode("utf-8-sig")
    if text.lstrip().startswith("{"):
        try:
            content = json.loads(text)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        return {query: str(cluster) for query, cluster in content.items()}
    clusters: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        query, _, cluster = line.strip().partition("\t" if "\t" in line else " ")
        if query and not cluster.strip():
            raise ValueError(f"{path}: line {number}: expected a query and its cluster")
        if query and clusters.setdefault(query, cluster.strip()) != cluster.strip():
            raise ValueError(f"{path}: line {number}: query {query!r} has two clusters")
    return clusters
