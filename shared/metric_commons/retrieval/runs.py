"""Scores of a run against relevance judgments, as trec_eval computes them.

The documents of a run are matched with their judgments by sorting the 64-bit hashes of query and
document of both together. Every match is then compared byte by byte, so the result never depends on
the hash.
"""

import math
import os
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple, TypeVar, cast

import numpy as np

from ..data.trec.identifiers import HASHED, Ids, encoded
from ..data.trec.trec import Qrels, QueryDocuments, Run, read_qrels, read_run
from ..statistics.arguments.arrays import Booleans, Floats, Integers, Unsigned
from ..statistics.arguments.checks import RowError
from ..statistics.arguments.domains import Count, checked_options
from ..statistics.arguments.shapes import Mismatch, Scalar, checked_column
from .names import RankingMeasure, parse_measures
from .order import (
    EXACT,
    UNJUDGED,
    Judgments,
    RankingOptions,
    Rankings,
    ScoreType,
    flat,
    rank,
    rank_ids,
)
from .ranking_measures import (
    GEOMETRIC,
    MIN_GEO_MEAN,
    SIGNED,
    MapDenominator,
    RelevanceLevel,
    average,
    scores,
    sequential_mean,
)

Missing = Literal["zero", "skip"]
QueryScores = Mapping[str, Mapping[str, float]]  # query -> measure -> value, queries by bytes

_NUMBER = Scalar(float)
_Table = TypeVar("_Table", bound=QueryDocuments)


@checked_options
def score_run(
    qrels: Any,
    run: Any,
    measures: Any = ("ndcg@10", "map", "mrr", "recall@10", "precision@10"),
    *,
    missing: Missing = "zero",
    score_dtype: ScoreType = "float64",
    relevance_level: RelevanceLevel = 1,
    max_depth: Count | None = None,
    judged_only: bool = False,
    map_denominator: MapDenominator = "relevant",
    per_query: bool = True,
) -> dict[str, Any]:
    """Return the scores of a run.

    `{"mean": {measure: value}, "per_query": {query: {measure: value}}}`.

    The values equal those of trec_eval to the last bit. The result contains the queries of the
    judgments, in ascending order of bytes; queries that occur only in the run are ignored. For
    means, values are added query after query; counts are totals; a mean over no queries is NaN.
    With missing="zero", the total num_rel counts all judgments above 0 at any `relevance_level`, as
    `trec_eval -c` does; the num_rel of a query uses the level.

    Args:
        qrels: the judgments: a path, the result of `read_qrels`, `{query: {document: relevance}}`,
            or a pandas or Arrow table with the columns query_id, doc_id and relevance.
        run: the scores of the retrieved documents, in the same forms; its column is score.
        measures: names such as "ndcg@10"; see the card of ir_ranking.
        missing: a query for which the run has no documents scores "zero" (trec_eval -c), or is left
            out ("skip", the default of trec_eval 9).
        score_dtype: "float64" as in trec_eval 10, or "float32" as in trec_eval 9 and pytrec_eval.
            Other differences between these versions follow it: how `iprec_at_recall` and `11pt_avg`
            round recall, `yaap` and `utility` of queries missing from the run, and the
            summation of geometric means.
        relevance_level: the smallest relevance that makes a document relevant (trec_eval -l).
        max_depth: use only this many documents per query (trec_eval -M).
        judged_only: drop documents without a judgment, or with a negative one (trec_eval -J).
        map_denominator: "relevant", "min_k" or "retrieved" documents; see the card of ir_ranking.
        per_query: whether to return the scores of each query.

    Raises:
        ValueError: a file, an input or an option is not valid.
        OSError: a file cannot be read.

    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}}
    >>> run = {"q1": {"a": 0.5, "b": 2.0, "x": 0.5}}
    >>> score_run(qrels, run, ["mrr", "recall@3"])["mean"]
    {'mrr': 0.16666666666666666, 'recall@3': 0.25}
    >>> score_run(qrels, run, ["mrr"], missing="skip")["per_query"]
    {'q1': {'mrr': 0.3333333333333333}}
    """
    parsed = parse_measures(measures)
    with_ties = any(measure.averages_ties for measure in parsed)
    options = RankingOptions(score_dtype, judged_only, max_depth, with_ties)
    queries, in_run, ranked = _evaluate(qrels, run, options)
    columns = scores(
        ranked,
        parsed,
        relevance_level=relevance_level,
        map_denominator=map_denominator,
        score_dtype=score_dtype,
    )
    if missing == "skip":
        queries = [query for query, occurs in zip(queries, in_run, strict=True) if occurs]
        columns = {name: values[in_run] for name, values in columns.items()}
        in_run = in_run[in_run]
    means: dict[str, float] = {}
    for measure in parsed:
        values = columns[measure.name]
        if measure.kind in SIGNED and score_dtype == "float32":
            # Version 9 of trec_eval adds nothing for a query that the run does not have; version
            # 10 computes its measures, some of which are not 0 for an empty ranking.
            values[~in_run] = 0.0
        if measure.kind == "num_rel" and missing == "zero":
            means[measure.name] = int(np.count_nonzero(ranked.judgments.relevance > 0))
        elif not values.size:
            means[measure.name] = 0 if measure.kind.startswith("num_") else math.nan
        elif measure.kind in GEOMETRIC and score_dtype == "float32" and in_run.any():
            means[measure.name] = _geometric_mean(measure, values, in_run)
        else:
            means[measure.name] = average(measure, sequential_mean)(values)
        if measure.kind.startswith("num_"):
            columns[measure.name] = values.astype(np.int64)
    if not per_query:
        return {"mean": means}
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    of_queries = [dict(zip(columns, row, strict=True)) for row in rows]
    return {"mean": means, "per_query": dict(zip(queries, of_queries, strict=True))}


def _geometric_mean(measure: RankingMeasure, values: Floats, in_run: Booleans) -> float:
    """Return the mean of version 9 of trec_eval.

    It adds the logarithms of all missing queries at the end, as one product, which can change the
    last digits.
    """
    logarithms = average(measure).before(values)
    total = float(np.add.accumulate(logarithms[in_run])[-1])
    total += (values.size - np.count_nonzero(in_run)) * math.log(MIN_GEO_MEAN)
    return math.exp(total / values.size)


def relevance_strings(
    qrels: Qrels,
    run: Run,
    length: int,
    score_dtype: ScoreType = "float64",
    judged_only: bool = False,
    max_depth: int | None = None,
) -> dict[str, str]:
    """The relevance of the first documents of each query, in the form of trec_eval's `relstring`.

    A document is a digit, `>` above 9, `-` without a judgment, or `.` with a negative one, which
    means in the pool but not judged. A query without documents in the run has an empty string.
    """
    options = RankingOptions(score_dtype, judged_only, max_depth)
    queries, _, ranked = _evaluate(qrels, run, options)
    lengths = np.minimum(ranked.retrieved, length).tolist()
    rows = [["-"] * count for count in lengths]
    top = ranked.judged.top(length)
    for query, position, level in zip(*(column.tolist() for column in top), strict=True):
        sign = "." if level < 0 else ">" if level > 9 else str(int(level))
        rows[query][position - 1] = sign
    return dict(zip(queries, map("".join, rows), strict=True))


class _Evaluation(NamedTuple):
    """The rankings of the judged queries, and whether each of these queries is in the run."""

    queries: list[str]
    in_run: Booleans
    ranked: Rankings


def _evaluate(qrels: Any, run: Any, options: RankingOptions) -> _Evaluation:
    is_table = not isinstance(qrels, Mapping), not isinstance(run, Mapping)
    judged: Any = _table("qrels", qrels, Qrels) if is_table[0] else qrels
    retrieved: Any = _table("run", run, Run) if is_table[1] else run
    relevance = _relevance(judged, retrieved) if all(is_table) else None
    if relevance is None:  # strings cache their hash, so looking up each document is fastest
        return _evaluate_dicts(
            judged.to_dict() if is_table[0] else judged,
            retrieved.to_dict() if is_table[1] else retrieved,
            options,
        )
    query, score = _query_indices(judged, retrieved)[retrieved.query], retrieved.values
    ids = retrieved.ids
    if (query < 0).any():
        rows = np.flatnonzero(query >= 0)
        query, score, relevance, ids = query[rows], score[rows], relevance[rows], ids.take(rows)
    judgments = Judgments(len(judged.queries), judged.query, judged.values)
    in_run = np.zeros(len(judged.queries), np.bool_)
    in_run[query] = True
    ranked = rank(query, score, relevance, judgments, ids.take, options)
    return _Evaluation(judged.queries, in_run, ranked)


def _evaluate_dicts(
    qrels: Mapping[str, Any], run: Mapping[str, Any], options: RankingOptions
) -> _Evaluation:
    queries = sorted(qrels, key=_sort_key)
    judged, _ = _documents("qrels", qrels, queries)
    common = [query for query in queries if query in run]
    retrieved, score = _documents("run", run, common)
    by_query = dict(zip(common, retrieved, strict=True))
    documents = [by_query.get(query, {}) for query in queries]
    in_run = np.fromiter(map(bool, documents), np.bool_, len(documents))
    return _Evaluation(queries, in_run, rank_ids(documents, score, judged, options))


def _query_indices(qrels: Qrels, run: Run) -> Integers:
    """Return the index of each query of the run among those of the judgments.

    -1 if it is missing.
    """
    indices = {query: index for index, query in enumerate(qrels.queries)}
    return np.array([indices.get(query, -1) for query in run.queries], dtype=np.int32)


def _relevance(qrels: Qrels, run: Run) -> Floats | None:
    """Return the relevance of each document of a run, `UNJUDGED` for those without a judgment.

    None if different documents have the same hash.
    """
    candidates = _candidates(run.hashes, qrels.hashes)
    hashes = np.concatenate([run.hashes[candidates], qrels.hashes])
    order = np.argsort(hashes)
    hashes = hashes[order]
    equal = np.flatnonzero(hashes[1:] == hashes[:-1])
    left, right = order[equal], order[equal + 1]
    matches, judgments = np.minimum(left, right), np.maximum(left, right) - len(candidates)
    if (matches >= len(candidates)).any() or (judgments < 0).any():
        return None  # two rows of one table
    rows = candidates[matches]
    if not _are_same(run, rows, qrels, judgments):
        return None
    relevance = np.full(len(run), UNJUDGED)
    relevance[rows] = qrels.values[judgments]
    return relevance


def _candidates(hashes: Unsigned, judged: Unsigned) -> Integers:
    """Return the rows of a run that may be judged, by their hashes: all that are, 1 in 16 others.

    The highest bits of a hash are an index into a table of flags, as in a Bloom filter with one
    hash function. There are at least sixteen flags for each judgment.
    """
    size = (16 * len(judged)).bit_length()
    shift = np.uint64(64 - size)
    occurs = np.zeros(1 << size, dtype=np.bool_)
    occurs[judged >> shift] = True
    may_be_judged = np.empty(len(hashes), np.bool_)
    for start in range(0, len(hashes), HASHED):
        rows = slice(start, start + HASHED)
        may_be_judged[rows] = occurs[hashes[rows] >> shift]
    return np.flatnonzero(may_be_judged)


def _are_same(run: Run, rows: Integers, qrels: Qrels, judgments: Integers) -> bool:
    """Return whether each row of the run has the query and the document of its judgment."""
    ids, judged = run.ids.take(rows), qrels.ids.take(judgments)
    return (
        np.array_equal(_query_indices(qrels, run)[run.query[rows]], qrels.query[judgments])
        and np.array_equal(ids.lengths, judged.lengths)
        and all(
            np.array_equal(ids.words(offset), judged.words(offset))
            for offset in range(0, ids.longest, 8)
        )
    )


# Qrels and runs that are not files


def _table(name: str, value: Any, kind: type[_Table]) -> _Table:
    """Return the rows of whatever a caller passes as `qrels` or `run`."""
    if isinstance(value, kind):
        return value
    if isinstance(value, str | os.PathLike):
        read: Any = read_run if kind is Run else read_qrels
        return cast(_Table, read(value))
    columns = getattr(value, "column_names", None)  # of Arrow and datasets
    columns = list(getattr(value, "columns", ())) if columns is None else columns
    required = ("query_id", "doc_id", kind.layout.number)
    if isinstance(value, QueryDocuments) or not set(required) <= set(map(str, columns)):
        raise ValueError(
            f"{name} must be a path, a dict of dicts, the result of read_{name}(), or a table with "
            f"the columns {', '.join(required)}; got {type(value).__name__}"
        )
    shapes = {"query_id": Scalar(str), "doc_id": Scalar(str), kind.layout.number: _NUMBER}
    names, texts, numbers = (
        checked_column(f"{name}.{column}", value[column], shape) for column, shape in shapes.items()
    )
    indices: dict[str, int] = {}
    index = np.array([indices.setdefault(text, len(indices)) for text in names], np.int64)
    ids = Ids.from_texts(list(texts))
    rows = kind.from_unsorted(list(indices), index, ids, flat([numbers]))
    duplicate = rows.first_duplicate()
    if duplicate is not None:
        problem = f": query {names[duplicate]!r} has document {texts[duplicate]!r} already"
        raise RowError(name, duplicate, problem)
    return rows


def _sort_key(query: Any) -> bytes:
    if not isinstance(query, str):
        raise ValueError(f"ids must be strings, got the query {query!r}")
    return encoded(query)


def _documents(
    name: str, table: Mapping[str, Mapping[str, float]], queries: list[str]
) -> tuple[list[Mapping[str, float]], Floats]:
    """Return the documents of these queries and their numbers, checking all ids and numbers."""

    def exact(query: str, text: str) -> float:
        try:
            return cast(float, _NUMBER.plain(table[query][text], strict=False))
        except Mismatch as mismatch:
            raise ValueError(f"{name}[{query!r}][{text!r}] {mismatch.problem}") from None

    def numbers(query: str) -> Iterable[float]:
        row = table[query]
        if not isinstance(row, Mapping):
            raise ValueError(f"{name}[{query!r}] must be a dict, got {type(row).__name__}")
        for text in row if not set(map(type, row)) <= {str} else ():
            if not isinstance(text, str):
                raise ValueError(f"ids must be strings, {name} has the document {text!r}")
        if set(map(type, row.values())) <= {float, int}:
            return row.values()
        return [exact(query, text) for text in row]

    # Query after query, while its documents are in the cache of the processor.
    try:
        values = flat(map(numbers, queries))
    except OverflowError:
        values = np.array([math.nan])
    if not (np.abs(values) < EXACT).all():  # NaN, or an integer that may have been rounded
        values = flat([exact(query, text) for text in table[query]] for query in queries)
    return [table[query] for query in queries], values
