"""What a run scores against relevance judgments, with the values of trec_eval.

Documents of a run meet their judgments by 64-bit keys of query and document, which are sorted and
merged. Whatever keys say is then checked byte by byte, so the results are not those of a hash.
"""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from ..files.trec import File, Qrels, QueryDocuments, Run, read_qrels, read_run
from ..numbers.arrays import Booleans, Floats, Integers, Unsigned
from ..numbers.checks import check_choice, check_flag
from ..numbers.identifiers import Ids, encoded
from ..numbers.shapes import Mismatch, Scalar, checked_column
from .names import Measure, parse_measures
from .order import (
    UNJUDGED,
    Judgments,
    MapDenominator,
    Rankings,
    Reading,
    ScoreType,
    flat,
    rank,
    rank_ids,
)
from .ranking_measures import LEAST_MAP, average, scores

Kind = TypeVar("Kind", bound=QueryDocuments)
Missing = Literal["zero", "skip"]
QueryScores = Mapping[str, Mapping[str, float]]  # of each query, in byte order, each measure


def score_run(
    qrels: Any,
    run: Any,
    measures: Any = ("ndcg@10", "map", "mrr", "recall@10", "precision@10"),
    *,
    missing: Missing = "zero",
    score_dtype: ScoreType = "float64",
    relevance_level: float = 1,
    max_depth: int | None = None,
    judged_only: bool = False,
    map_denominator: MapDenominator = "relevant",
    per_query: bool = True,
) -> dict[str, Any]:
    """What a run scores: `{"mean": {measure: value}, "per_query": {query: {measure: value}}}`.

    The values are those of trec_eval, to the last bit. Queries are those of the judgments, in the
    order of their bytes; queries that only the run has are ignored. Means add up one query after
    another; counts are totals, and a mean over no query is NaN. With "zero" the total num_rel is
    that of all judgments above 0, whatever the level: so counts trec_eval -c. That of a query goes
    by the level.

    Args:
        qrels: the judgments: a path, what `read_qrels` returns, `{query: {document: relevance}}`,
            or a pandas or Arrow table with the columns query_id, doc_id and relevance.
        run: the scores of the retrieved documents, in the same shapes; its column is score.
        measures: names such as "ndcg@10"; see the card of ir_ranking.
        missing: a query of which the run has no document counts as "zero" (trec_eval -c), or
            "skip" leaves it out, the default of trec_eval 9.
        score_dtype: "float64" as trec_eval 10, or "float32" as trec_eval 9 and pytrec_eval.
        relevance_level: the least relevance that makes a document relevant (trec_eval -l).
        max_depth: look at so many documents of a query (trec_eval -M).
        judged_only: leave out documents without a judgment, or with a negative one (trec_eval -J).
        map_denominator: "relevant", "min_k" or "retrieved" documents; see the card of ir_ranking.
        per_query: whether the result holds the scores of each query.

    Raises:
        ValueError: a file, an input or an option is not what it may be.
        OSError: a file cannot be read.

    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}}
    >>> run = {"q1": {"a": 0.5, "b": 2.0, "x": 0.5}}
    >>> score_run(qrels, run, ["mrr", "recall@3"])["mean"]
    {'mrr': 0.16666666666666666, 'recall@3': 0.25}
    >>> score_run(qrels, run, ["mrr"], missing="skip")["per_query"]
    {'q1': {'mrr': 0.3333333333333333}}
    """
    check_choice("missing", missing, ("zero", "skip"))
    check_flag("per_query", per_query)
    asked = parse_measures(measures)
    reading = Reading(score_dtype, judged_only, max_depth)
    reading.check()
    scored = _rankings(qrels, run, reading)
    of_queries = scores(
        scored.ranked, asked, relevance_level=relevance_level, map_denominator=map_denominator
    )
    queries = scored.queries
    if missing == "skip":
        queries = [query for query, there in zip(queries, scored.there, strict=True) if there]
        of_queries = {name: values[scored.there] for name, values in of_queries.items()}
    means = {measure.name: _mean(measure, of_queries[measure.name]) for measure in asked}
    if missing == "zero":
        means |= _complete_means(asked, of_queries, scored, score_dtype)
    result: dict[str, Any] = {"mean": means}
    if per_query:
        columns = [_plain(measure, of_queries[measure.name]) for measure in asked]
        names = [measure.name for measure in asked]
        result["per_query"] = {
            query: dict(zip(names, row, strict=True))
            for query, row in zip(queries, zip(*columns, strict=True), strict=True)
        }
    return result


def _mean(measure: Measure, values: Floats) -> float:
    if not values.size:
        return 0 if measure.kind.startswith("num_") else float("nan")
    return average(measure)(values)


def _complete_means(
    measures: Sequence[Measure],
    of_queries: Mapping[str, Floats],
    scored: "_Scored",
    score_dtype: ScoreType,
) -> dict[str, float]:
    """What trec_eval -c does not make of what it prints for each query.

    `num_rel` counts all judgments above 0. Version 9 adds to the logarithms of `gm_map` those of
    missing queries last, and all at once, which can move the last digits.
    """
    means: dict[str, float] = {}
    for measure in measures:
        if measure.kind == "num_rel":
            means[measure.name] = int(np.count_nonzero(scored.ranked.judgments.relevance > 0))
        if measure.kind == "gm_map" and score_dtype == "float32" and scored.there.any():
            logarithms = average(measure).before(of_queries[measure.name])
            there = logarithms[scored.there]
            total = float(np.add.accumulate(there)[-1])
            total += (logarithms.size - there.size) * math.log(LEAST_MAP)
            means[measure.name] = math.exp(total / logarithms.size)
    return means


def _plain(measure: Measure, values: Floats) -> list[float]:
    counts: bool = measure.kind.startswith("num_")
    plain: list[float] = (values.astype(np.int64) if counts else values).tolist()
    return plain


class _Scored(NamedTuple):
    """Rankings of the queries of some judgments, and which of them the run has."""

    queries: list[str]
    there: Booleans
    ranked: Rankings


def _rankings(qrels: Any, run: Any, reading: Reading) -> _Scored:
    if isinstance(qrels, Mapping) and isinstance(run, Mapping):
        return _of_dicts(qrels, run, reading)
    judged, ranked = _as_rows("qrels", qrels, Qrels), _as_rows("run", run, Run)
    return _of_rows(judged, ranked, reading)


def _of_dicts(
    qrels: Mapping[str, Mapping[str, float]],
    run: Mapping[str, Mapping[str, float]],
    reading: Reading,
) -> _Scored:
    """Strings know their hash, so dicts are asked as they are."""
    queries, judged, _ = _checked("qrels", qrels, sorted(qrels, key=_encoded_name))
    order = [query for query in queries if query in run]
    _, found, score = _checked("run", run, order)
    ranked = dict(zip(order, found, strict=True))
    documents = [ranked.get(query, {}) for query in queries]
    there = np.fromiter(map(bool, documents), np.bool_, len(documents))
    return _Scored(queries, there, rank_ids(documents, score, judged, reading))


def _of_rows(qrels: Qrels, run: Run, reading: Reading) -> _Scored:
    relevance = _relevance(qrels, run)
    number = {query: each for each, query in enumerate(qrels.queries)}
    numbers = np.array([number.get(query, -1) for query in run.queries], dtype=np.int64)
    query, score, ids = numbers[run.query], run.values, run.ids
    if (numbers < 0).any():  # queries without judgments
        kept = np.flatnonzero(query >= 0)
        query, score, relevance, ids = query[kept], score[kept], relevance[kept], ids.take(kept)
    judgments = Judgments(len(qrels.queries), qrels.query, qrels.values)
    there = np.bincount(query, minlength=len(qrels.queries)) > 0
    return _Scored(
        qrels.queries, there, rank(query, score, relevance, judgments, ids.take, reading)
    )


def _relevance(qrels: Qrels, run: Run) -> Floats:
    """The relevance of each document of a run, `UNJUDGED` for those without a judgment."""
    suspects = _perhaps_among(run.keys, qrels.keys)
    keys = np.concatenate([run.keys[suspects], qrels.keys])
    order = np.argsort(keys)
    keys = keys[order]
    met = np.flatnonzero(keys[1:] == keys[:-1])
    one, other = order[met], order[met + 1]
    number, judgments = np.minimum(one, other), np.maximum(one, other) - len(suspects)
    if (number >= len(suspects)).any() or (judgments < 0).any():
        return _relevance_by_text(qrels, run)  # two that differ happen to have the same key
    rows = suspects[number]
    if not _same(run, rows, qrels, judgments):
        return _relevance_by_text(qrels, run)
    relevance = np.full(len(run), UNJUDGED)
    relevance[rows] = qrels.values[judgments]
    return relevance


def _perhaps_among(keys: Unsigned, others: Unsigned) -> Integers:
    """Where keys are that may be among others: all that are, and one in sixteen of the rest.

    The highest bits say where in a table the others leave a mark; most keys find none.
    """
    size = (16 * len(others)).bit_length()
    shift = np.uint64(64 - size)
    marked = np.zeros(1 << size, dtype=np.bool_)
    marked[others >> shift] = True
    return np.flatnonzero(marked[keys >> shift])


def _same(run: Run, rows: Integers, qrels: Qrels, judgments: Integers) -> bool:
    """Whether these rows are of the same query and document, each with its counterpart."""
    number = {query: each for each, query in enumerate(qrels.queries)}
    numbers = np.array([number.get(query, -1) for query in run.queries], dtype=np.int64)
    ids, others = run.ids.take(rows), qrels.ids.take(judgments)
    return (
        np.array_equal(numbers[run.query[rows]], qrels.query[judgments])
        and np.array_equal(ids.lengths, others.lengths)
        and all(np.array_equal(ids.words(at), others.words(at)) for at in range(0, ids.longest, 8))
    )


def _relevance_by_text(qrels: Qrels, run: Run) -> Floats:
    judged = qrels.to_dict()
    documents = zip((run.queries[q] for q in run.query.tolist()), run.ids.texts(), strict=True)
    known = (judged.get(query, {}).get(document, UNJUDGED) for query, document in documents)
    return np.fromiter(known, np.float64, len(run))


# What else may be scored


_READERS: Mapping[type[QueryDocuments], Callable[[File], QueryDocuments]] = {
    Run: read_run,
    Qrels: read_qrels,
}


def _as_rows(side: str, value: Any, kind: type[Kind]) -> Kind:
    """The rows in whatever holds them."""
    if isinstance(value, kind):
        return value
    if isinstance(value, str | os.PathLike):
        return _READERS[kind](value)  # type: ignore[return-value] # of this kind
    if isinstance(value, Mapping):
        queries, of_queries, values = _checked(side, value, sorted(value, key=_encoded_name))
        sizes = np.fromiter(map(len, of_queries), np.int64, len(of_queries))
        query = np.repeat(np.arange(len(sizes)), sizes)
        return kind(queries, query, Ids.of(list(chain.from_iterable(of_queries))), values)
    names = getattr(value, "column_names", None)  # of Arrow and of datasets
    names = list(getattr(value, "columns", ())) if names is None else names
    wanted = ("query_id", "doc_id", kind.value)
    if isinstance(value, QueryDocuments) or not set(wanted) <= set(map(str, names)):
        raise ValueError(
            f"{side} must be a path, a dict of dicts, what read_{side}() returns, or a table with "
            f"the columns {', '.join(wanted)}; got {type(value).__name__}"
        )
    return _of_table(side, {name: value[name] for name in wanted}, kind)


def _of_table(side: str, table: Mapping[str, Any], kind: type[Kind]) -> Kind:
    names = ("query_id", "doc_id", kind.value)
    shapes = (Scalar(str), Scalar(str), Scalar(float))
    queries, documents, values = (
        checked_column(f"{side}.{name}", table[name], shape)
        for name, shape in zip(names, shapes, strict=True)
    )
    codes: dict[str, int] = {}
    query = [codes.setdefault(name, len(codes)) for name in queries]
    rows = kind.made(
        list(codes), np.array(query, dtype=np.int64), Ids.of(list(documents)), flat([values])
    )
    repeated = rows.repeated()
    if repeated is not None:
        raise ValueError(
            f"{side}[{repeated}]: query {queries[repeated]!r} has document "
            f"{documents[repeated]!r} already"
        )
    return rows


def _encoded_name(query: Any) -> bytes:
    if not isinstance(query, str):
        raise ValueError(f"ids must be strings, got the query {query!r}")
    return encoded(query)


def _checked(
    side: str, rows: Mapping[str, Mapping[str, float]], queries: list[str]
) -> tuple[list[str], list[Mapping[str, float]], Floats]:
    """Some queries, their documents, and the numbers of these: strings, and numbers that are."""
    of_queries = [rows[query] for query in queries]
    for query, documents in zip(queries, of_queries, strict=True):
        if not isinstance(documents, Mapping):
            raise ValueError(f"{side}[{query!r}] must be a dict, got {type(documents).__name__}")
    if not set(map(type, chain.from_iterable(of_queries))) <= {str}:
        wrong = (d for documents in of_queries for d in documents if not isinstance(d, str))
        raise ValueError(f"ids must be strings, {side} has the document {next(wrong)!r}")
    values = list(chain.from_iterable(documents.values() for documents in of_queries))
    if Scalar(float).take(values) is None and not _exact_integers(values):
        places = (f"{side}[{q!r}][{d!r}]" for q in queries for d in rows[q])
        values = [_number(place, value) for place, value in zip(places, values, strict=True)]
    return queries, of_queries, np.array(values, dtype=np.float64)


def _exact_integers(values: list[Any]) -> bool:
    return Scalar(int).take(values) is not None and max(map(abs, values), default=0) <= 2**53


def _number(place: str, value: Any) -> float:
    try:
        number: float = Scalar(float).plain(value, as_it_stands=False)
    except Mismatch as mismatch:
        raise ValueError(f"{place} {mismatch.problem}") from None
    return number
