"""The result of `evaluate`'s module `trec_eval`, which computes it with trectools."""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from ..statistics.arguments.arrays import single_precision
from ..statistics.arguments.checks import RowError
from ..statistics.arguments.shapes import ListOf, Record, Scalar
from .names import parse_measures
from .order import rankings
from .ranking_measures import scores

_TEXTS, _NUMBERS = ListOf(Scalar(str)), ListOf(Scalar(int))
_Runs = Annotated[
    Any,
    *(
        Record(
            (
                *(("query", _NUMBERS), ("q0", _TEXTS), ("docid", _TEXTS), ("rank", _NUMBERS)),
                *(("score", ListOf(Scalar(kind))), ("system", _TEXTS)),
            )
        )
        for kind in (float, int)
    ),
]
_Qrels = Annotated[
    Any,
    Record((("query", _NUMBERS), ("q0", _TEXTS), ("docid", _TEXTS), ("rel", _NUMBERS))),
]
_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
# By the key of the result.
_MEASURES = {
    "map": "map",
    "bpref": "bpref",
    "Rprec": "rprec",
    "recip_rank": "mrr@1000",
    **{f"P@{cutoff}": f"precision@{cutoff}" for cutoff in _CUTOFFS},
}
_LEAST = 1e-5  # of a query in the geometric mean


def trec_eval(*, predictions: _Runs, references: _Qrels) -> dict[str, Any]:
    """Return the scores of one run, as trectools computes them.

    Means are over the queries of the run. nDCG takes documents in the order of the run, the others
    by score. bpref of a query without a document that is judged irrelevant is 0. The geometric mean
    is NaN unless the run has exactly the queries with relevant documents.

    Differences:
        A document that a query has twice is an error, and so is a query without judgments. Negative
        judgments count as irrelevant.

    >>> judged = {"query": [0], "q0": ["q0"], "docid": ["a"], "rel": [2]}
    >>> run = {"query": [0, 0], "q0": ["q0", "q0"], "docid": ["b", "a"], "rank": [0, 1]}
    >>> run |= {"score": [1.5, 1.2], "system": ["test", "test"]}
    >>> trec_eval(predictions=[run], references=[judged])["map"]
    0.5
    """
    if len(predictions) > 1 or len(references) > 1:
        raise ValueError(f"one run and its judgments are scored at a time, got {len(predictions)}")
    run = _by_query("predictions", predictions[0], "score")
    judged = _by_query("references", references[0], "rel")
    for query in run:
        if query not in judged:
            raise RowError("predictions", 0, f"has query {query}, which references do not have")
    levels = [dict(judged[query]) for query in run]
    qrels = [{"doc_id": list(q), "relevance": [*map(float, q.values())]} for q in levels]
    documents = [[document for document, _ in run[query]] for query in run]
    by_score = [single_precision([score for _, score in run[query]]).tolist() for query in run]
    by_position = [[float(points) for points in range(len(ids), 0, -1)] for ids in documents]
    names = {**_MEASURES, "num_rel_ret": "num_rel_ret"}
    values = _scores(documents, by_score, qrels, list(names.values()))
    irrelevant = [any(level <= 0 for level in q.values()) for q in levels]
    values["bpref"] = np.where(irrelevant, values["bpref"], 0.0)
    gains = _scores(documents, by_position, qrels, [f"ndcg@{cutoff}" for cutoff in _CUTOFFS])
    relevant = {query for query, pairs in judged.items() if any(level > 0 for _, level in pairs)}
    logarithms = np.log(np.where(values["map"] > 0, values["map"], _LEAST)).tolist()
    geometric = math.exp(math.fsum(logarithms) / len(run))

    def mean(column: Any) -> float:
        return math.fsum(column.tolist()) / len(run)

    means = {key: mean(values[name]) for key, name in _MEASURES.items()}
    return {
        "runid": predictions[0]["system"][0],
        "num_ret": sum(map(len, documents)),
        "num_rel": sum(level > 0 for pairs in judged.values() for _, level in pairs),
        "num_rel_ret": int(values["num_rel_ret"].sum()),
        "num_q": len(run),
        "map": means.pop("map"),
        "gm_map": geometric if relevant == run.keys() else math.nan,
        **means,
        **{f"NDCG@{cutoff}": mean(gains[f"ndcg@{cutoff}"]) for cutoff in _CUTOFFS},
    }


def _by_query(
    name: str, table: Mapping[str, Sequence[Any]], number: str
) -> dict[int, list[tuple[str, Any]]]:
    """Return the documents of each query with their numbers, in their order."""
    if len({len(column) for column in table.values()}) > 1:
        raise RowError(name, 0, "has columns of different lengths")
    documents: dict[int, list[tuple[str, Any]]] = {}
    for query, document, value in zip(table["query"], table["docid"], table[number], strict=True):
        documents.setdefault(query, []).append((document, value))
    if not documents:
        raise RowError(name, 0, "has no documents")
    return documents


def _scores(
    documents: Sequence[Sequence[str]],
    numbers: Sequence[Sequence[float]],
    qrels: list[Any],
    measures: Sequence[str],
) -> dict[str, Any]:
    pairs = zip(documents, numbers, strict=True)
    run = [{"doc_id": ids, "score": [*map(float, scored)]} for ids, scored in pairs]
    return scores(rankings(run, qrels), parse_measures(measures))
