"""The result of `evaluate`'s module `trec_eval`, which computes it with trectools."""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from ..statistics.arguments.checks import RowError
from ..statistics.arguments.shapes import ListOf, Record, Scalar
from .runs import score_run

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
    qrels = {query: judged[query] for query in run}
    by_position = {
        query: {document: -float(rank) for rank, document in enumerate(documents)}
        for query, documents in run.items()
    }
    names = [*_MEASURES.values(), "num_rel_ret"]
    rows = score_run(qrels, run, names, score_dtype="float32")["per_query"]
    gains = [f"ndcg@{cutoff}" for cutoff in _CUTOFFS]
    for query, row in score_run(qrels, by_position, gains)["per_query"].items():
        rows[query] |= row
        if all(level > 0 for level in judged[query].values()):
            rows[query]["bpref"] = 0.0
    relevant = {query for query, levels in judged.items() if max(levels.values()) > 0}
    logarithms = [math.log(row["map"] or _LEAST) for row in rows.values()]
    geometric = math.exp(math.fsum(logarithms) / len(run))

    def mean(name: str) -> float:
        return math.fsum(row[name] for row in rows.values()) / len(run)

    means = {key: mean(name) for key, name in _MEASURES.items()}
    return {
        "runid": predictions[0]["system"][0],
        "num_ret": sum(map(len, run.values())),
        "num_rel": sum(level > 0 for levels in judged.values() for level in levels.values()),
        "num_rel_ret": sum(row["num_rel_ret"] for row in rows.values()),
        "num_q": len(run),
        "map": means.pop("map"),
        "gm_map": geometric if relevant == run.keys() else math.nan,
        **means,
        **{name.upper(): mean(name) for name in gains},
    }


def _by_query(
    name: str, table: Mapping[str, Sequence[Any]], number: str
) -> dict[str, dict[str, float]]:
    """Return the documents of each query with their numbers, in their order."""
    if len({len(column) for column in table.values()}) > 1:
        raise RowError(name, 0, "has columns of different lengths")
    documents: dict[str, dict[str, float]] = {}
    for query, document, value in zip(table["query"], table["docid"], table[number], strict=True):
        of_query = documents.setdefault(str(query), {})
        if document in of_query:
            raise RowError(name, 0, f"has the document {document!r} of query {query} twice")
        of_query[document] = float(value)
    if not documents:
        raise RowError(name, 0, "has no documents")
    return documents
