"""The order of the documents in rankings, for all queries in one call.

The order is that of trec_eval: scores descend, and documents with equal scores are sorted by id in
descending order of bytes. Sorting by id is expensive, and necessary only where documents with equal
scores differ in relevance, since elsewhere their order does not affect measures. Measures depend
only on the ranks of the judged documents, perhaps thirty of a thousand, so `Rankings` holds only
these.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.trec.identifiers import Ids
from ..statistics.arguments.arrays import Booleans, Column, Floats, Integers
from ..statistics.arguments.checks import RowError
from ..statistics.arguments.domains import Count, checked_options
from .names import NO_CUTOFF

ScoreType = Literal["float64", "float32"]

UNJUDGED = -np.inf  # the relevance of a document without a judgment
EXACT = 2.0**53  # a relevance above this would have been rounded


class Documents(NamedTuple):
    """Documents of queries, one per row, ordered by query and then by rank."""

    query: Integers  # 0, 1, 2, ...
    rank: Integers  # from 1
    relevance: Floats

    def select(self, rows: Booleans | Integers) -> "Documents":
        """Return some of the rows."""
        return Documents(self.query[rows], self.rank[rows], self.relevance[rows])

    def top(self, cutoff: int) -> "Documents":
        """Return the documents up to this rank."""
        return self if cutoff == NO_CUTOFF else self.select(self.rank <= cutoff)


class Judgments(NamedTuple):
    """The judged documents of all queries, one per row, in any order."""

    queries: int  # the number of queries
    query: Integers
    relevance: Floats  # negative: in the pool, but treated as unjudged


class TieRanks(NamedTuple):
    """The first and the last rank of the documents tied with a document."""

    first: Integers
    last: Integers


class Rankings(NamedTuple):
    """The rankings of all queries, reduced to what measures depend on."""

    judgments: Judgments
    retrieved: Integers  # the number of retrieved documents, shape (queries,)
    judged: Documents  # the retrieved documents that have a judgment
    ties: TieRanks | None = None  # of `judged`, if a measure needs them


class RankingOptions(NamedTuple):
    """How documents are ordered, and which of them count."""

    score_dtype: ScoreType = "float64"  # scores are rounded to it before they are compared
    judged_only: bool = False  # drop documents without a judgment, or with a negative one
    max_depth: int | None = None  # cut the ranking at this rank, before any document is dropped
    with_ties: bool = False  # whether to compute the ranks that tied documents share


# From the inputs of a module to rankings


@checked_options
def rankings(
    predictions: Column,
    references: Column,
    *,
    score_dtype: ScoreType = "float64",
    judged_only: bool = False,
    max_depth: Count | None = None,
    with_ties: bool = False,
) -> Rankings:
    """Return the rankings of rows, where each row is one query.

    Args:
        predictions: for each query `{"doc_id": ids, "score": scores}`; or just the ids, best first;
            or the scores of candidates, where ties keep their order.
        references: in the same three forms: `{"doc_id": ids, "relevance": levels}`; or the ids of
            the relevant documents; or the relevance of the candidates.
        score_dtype: scores are rounded to this type before they are compared.
        judged_only: drop documents without a judgment, or with a negative one.
        max_depth: cut each ranking at this rank, before any document is dropped.
        with_ties: whether a measure averages over documents with equal scores.

    Raises:
        ValueError: ids and numbers differ in length, or a query has a document twice, in which case
            the message names the row; or a relevance is not finite.

    >>> ranked = rankings([[0.5, 2.0, 1.0]], [[1.0, 0.0, 2.0]])
    >>> ranked.judged.rank.tolist(), ranked.judged.relevance.tolist()
    ([1, 2, 3], [0.0, 2.0, 1.0])
    """
    options = RankingOptions(score_dtype, judged_only, max_depth, with_ties)
    if isinstance(predictions[0], Mapping):
        retrieved, scores = _fields("predictions", predictions, "score")
        judged, levels = _fields("references", references, "relevance")
    elif any(isinstance(row[0], str) for row in chain(predictions, references) if len(row)):
        retrieved, judged = _lists(predictions), _lists(references)
        scores = [range(len(row), 0, -1) for row in retrieved]
        levels = [[1.0] * len(row) for row in judged]
    else:
        query, score, relevance = _candidates(predictions, references)
        judgments = Judgments(len(predictions), query, relevance)
        return rank(query, score, relevance, judgments, None, options)
    qrels = [dict(zip(*row, strict=True)) for row in zip(judged, levels, strict=True)]
    _check_unique("predictions", retrieved, map(set, retrieved))
    _check_unique("references", judged, qrels)
    return rank_ids(retrieved, flat(scores), qrels, options)


def rank_ids(
    retrieved: Sequence[Collection[str]],
    score: Floats,
    qrels: Sequence[Mapping[str, float]],
    options: RankingOptions,
) -> Rankings:
    """Return the rankings of queries whose documents have ids.

    Args:
        retrieved: the distinct ids of each query's documents, in any order.
        score: one per document, query after query.
        qrels: the relevance of each query's judged documents.
        options: how documents are ordered.

    >>> scores = np.array([1.0, 1.0])
    >>> rank_ids([["a", "b"]], scores, [{"a": 1.0}], RankingOptions()).judged.rank.tolist()
    [2]
    """
    queries = np.arange(len(retrieved))
    judgments = Judgments(
        len(qrels),
        np.repeat(queries, _sizes(qrels)),
        flat(judged.values() for judged in qrels),
    )
    relevance = flat(
        map(judged.get, ids, repeat(UNJUDGED)) for judged, ids in zip(qrels, retrieved, strict=True)
    )

    def take_ids(rows: Integers) -> Ids:
        ids = list(chain.from_iterable(retrieved))
        return Ids.from_texts([ids[row] for row in rows.tolist()])

    query = np.repeat(queries, _sizes(retrieved))
    return rank(query, score, relevance, judgments, take_ids, options)


def _fields(column: str, rows: Column, field: str) -> tuple[list[list[str]], list[Any]]:
    """Return the ids of each row, and the numbers that belong to them."""
    ids, numbers = [row["doc_id"] for row in rows], [row[field] for row in rows]
    for row, (documents, values) in enumerate(zip(ids, numbers, strict=True)):
        if len(documents) != len(values):
            raise RowError(
                column,
                row,
                f"has {len(documents)} values of 'doc_id', but {len(values)} of {field!r}",
            )
    return ids, numbers


def _candidates(predictions: Column, references: Column) -> tuple[Integers, Floats, Floats]:
    """Return query, score and relevance of documents without ids, all of them judged."""
    sizes, judged = _sizes(predictions), _sizes(references)
    if not np.array_equal(sizes, judged):
        row = int((sizes != judged).argmax())
        raise RowError(
            "predictions",
            row,
            f"has {sizes[row]} scores, but references[{row}] has {judged[row]} relevance levels",
        )
    return np.repeat(np.arange(len(sizes)), sizes), flat(predictions), flat(references)


def _lists(column: Column) -> list[list[str]]:
    """Return the column as lists of Python strings, whose `repr` messages show."""
    return column.tolist() if isinstance(column, np.ndarray) else column


def _sizes(rows: Iterable[Any]) -> Integers:
    return np.fromiter(map(len, rows), np.int64)


def flat(rows: Iterable[Iterable[float]]) -> Floats:
    """Return the numbers of all rows, one after another.

    >>> flat([[1, 2], [], [0.5]]).tolist()
    [1.0, 2.0, 0.5]
    """
    if isinstance(rows, np.ndarray):
        return rows.astype(np.float64, copy=False).reshape(-1)
    return np.fromiter(chain.from_iterable(rows), np.float64)


def _check_unique(
    column: str, rows: Sequence[Sequence[str]], distinct: Iterable[Collection[str]]
) -> None:
    """Check that no row has a document twice; `distinct` has the distinct documents of each row."""
    for row, (ids, unique) in enumerate(zip(rows, distinct, strict=True)):
        if len(ids) == len(unique):
            continue
        earlier: set[str] = set()
        for text in ids:
            if text in earlier:
                raise RowError(column, row, f"has the document {text!r} more than once")
            earlier.add(text)


# Order and ranks


def rank(
    query: Integers,
    score: Floats,
    relevance: Floats,
    judgments: Judgments,
    take_ids: Callable[[Integers], Ids] | None,
    options: RankingOptions,
) -> Rankings:
    """Return the rankings of all queries, from one row per document.

    Args:
        query: the number of each row's query, shape (rows,); rows may come in any order.
        score: higher comes first. Infinities are allowed, NaN is not.
        relevance: `UNJUDGED` for documents without a judgment.
        judgments: all judgments, including those of documents that were not retrieved.
        take_ids: returns the ids of given rows. It is called once, for the rows whose order depends
            on their ids. None means that documents with equal scores keep their order.
        options: how documents are ordered.

    Raises:
        ValueError: an option is not valid; or a relevance is not finite, or so large that it has
            been rounded.
    """
    wrong = ~(np.abs(judgments.relevance) <= EXACT)
    if wrong.any():
        value = judgments.relevance[wrong.argmax()]
        raise ValueError(f"relevance must be finite, and at most 2**53 in size, got {value}")
    if options.score_dtype == "float32":
        with np.errstate(over="ignore"):  # too large values become infinite, as in C
            score = score.astype(np.float32).astype(np.float64)
    order = _order(query, score)
    if order is not None:
        query, score, relevance = query[order], score[order], relevance[order]
    relevance = _break_ties(query, score, relevance, order, take_ids)

    starts = _starts(query)
    retrieved = np.zeros(judgments.queries, dtype=np.int64)
    retrieved[query[starts]] = np.diff(starts, append=len(query))
    first_row = np.zeros(judgments.queries, dtype=np.int64)
    first_row[query[starts]] = starts
    rows = np.flatnonzero(relevance >= 0 if options.judged_only else relevance != UNJUDGED)
    rows = rows[np.argsort(query[rows], kind="stable")]
    judged = Documents(query[rows], rows - first_row[query[rows]] + 1, relevance[rows])
    ties = _tie_ranks(query, score, rows, judged) if options.with_ties else None
    if options.max_depth is not None:
        if ties is not None:
            is_kept = judged.rank <= options.max_depth
            ties = TieRanks(ties.first[is_kept], np.minimum(ties.last[is_kept], options.max_depth))
        judged = judged.top(options.max_depth)
        retrieved = np.minimum(retrieved, options.max_depth)
    ranked = Rankings(judgments, retrieved, judged, ties)
    return condensed(ranked) if options.judged_only else ranked


def _tie_ranks(query: Integers, score: Floats, rows: Integers, judged: Documents) -> TieRanks:
    """Return the first and the last rank that share the score of the documents in these rows."""
    starts = np.append(True, (score[1:] != score[:-1]) | (query[1:] != query[:-1]))[: len(query)]
    bounds = np.append(np.flatnonzero(starts), len(query))
    tie = np.cumsum(starts)[rows] - 1
    shift = judged.rank - rows
    return TieRanks(bounds[tie] + shift, bounds[tie + 1] - 1 + shift)


def condensed(ranked: Rankings) -> Rankings:
    """Return the rankings without documents that have no judgment, or a negative one.

    Such condensed lists (Sakai, Alternatives to bpref, 2007) do not penalize a system for
    retrieving documents that are not in the pool.

    >>> run = [{"doc_id": ["new", "a"], "score": [2.0, 1.0]}]
    >>> ranked = rankings(run, [{"doc_id": ["a"], "relevance": [1]}])
    >>> ranked.judged.rank.tolist(), condensed(ranked).judged.rank.tolist()
    ([2], [1])
    """
    is_judged = ranked.judged.relevance >= 0
    judged = ranked.judged.select(is_judged)
    judged = judged._replace(rank=positions(judged.query))
    ties = ranked.ties
    if ties is not None:  # the remaining documents of a tie have consecutive ranks
        first, starts = ties.first[is_judged], np.ones(len(judged.rank), np.bool_)
        starts[1:] = (first[1:] != first[:-1]) | (judged.query[1:] != judged.query[:-1])
        tie = np.cumsum(starts) - 1
        sizes = np.bincount(tie)
        first = judged.rank[starts][tie]
        ties = TieRanks(first, first + sizes[tie] - 1)
    retrieved = np.bincount(judged.query, minlength=ranked.judgments.queries)
    return Rankings(ranked.judgments, retrieved, judged, ties)


def with_gains(ranked: Rankings, gains: tuple[tuple[float, float], ...]) -> Rankings:
    """Return the rankings with other levels of relevance, given as pairs of old and new level.

    >>> with_gains(rankings([[2.0, 1.0]], [[1.0, 3.0]]), ((1.0, 5.0),)).judged.relevance.tolist()
    [5.0, 3.0]
    """
    judgments, judged = ranked.judgments, ranked.judged
    columns = [judgments.relevance.copy(), judged.relevance.copy()]
    for level, gain in gains:
        for relevance, column in zip((judgments.relevance, judged.relevance), columns, strict=True):
            column[relevance == level] = gain
    return ranked._replace(
        judgments=judgments._replace(relevance=columns[0]),
        judged=judged._replace(relevance=columns[1]),
    )


def positions(query: Integers) -> Integers:
    """Return the position of each row among the rows of its query, from 1.

    Rows are sorted by query.

    >>> positions(np.array([0, 0, 3, 3, 3])).tolist()
    [1, 2, 1, 2, 3]
    """
    rows = np.arange(1, len(query) + 1)
    counts = np.bincount(query)
    return rows - np.repeat(np.cumsum(counts) - counts, counts)


def _order(query: Integers, score: Floats) -> Integers | None:
    """Return the rows by query and descending score; None if they are already in this order.

    Queries, and documents with equal scores, may be in any order.
    """
    rises = (score[1:] > score[:-1]) & (query[1:] == query[:-1])
    blocks = query[_starts(query)]
    if not rises.any() and np.bincount(blocks).max(initial=0) <= 1:
        return None
    return sort_groups(query, -score)


def _starts(query: Integers) -> Integers:
    """Return the rows where a new query begins."""
    changes = np.flatnonzero(query[1:] != query[:-1]) + 1
    return np.concatenate([[0], changes]) if len(query) else changes


def sort_groups(group: Integers, key: NDArray[Any]) -> Integers:
    """Return the rows by ascending group and key; rows with equal keys come in any order.

    A quicksort by key is followed by a stable sort by group, sixteen bits at a time: for 16-bit
    integers numpy's stable sort is a radix sort, which takes linear time.

    >>> sort_groups(np.array([1, 0, 1]), np.array([0.5, 2.0, 0.25])).tolist()
    [1, 2, 0]
    """
    order = np.argsort(key)
    for shift in range(0, int(group.max(initial=0)).bit_length(), 16):
        digits = (group[order] >> shift).astype(np.uint16)
        order = order[np.argsort(digits, kind="stable")]
    return order


def _break_ties(
    query: Integers,
    score: Floats,
    relevance: Floats,
    order: Integers | None,
    take_ids: Callable[[Integers], Ids] | None,
) -> Floats:
    """Return the relevance at each rank, after ordering documents with equal scores.

    Only relevance is rearranged, because measures depend on nothing else about a document.
    """
    tied = (score[1:] == score[:-1]) & (query[1:] == query[:-1])
    mixed = tied & (relevance[1:] != relevance[:-1])
    if not mixed.any():
        return relevance
    kind = np.int32 if len(tied) < 2**31 - 1 else np.int64  # saves half the memory
    tie: Integers = np.zeros(len(relevance), kind)  # of every row, numbered from the top
    np.cumsum(~tied, out=tie[1:])
    is_mixed = np.zeros(int(tie[-1]) + 1, dtype=np.bool_)
    is_mixed[tie[1:][mixed]] = True
    ranks = np.flatnonzero(is_mixed[tie])
    group: Integers = tie[ranks]
    rows = ranks if order is None else order[ranks]
    resolved = sort_groups(group, rows) if take_ids is None else sort_ids(group, take_ids(rows))
    relevance = relevance.copy()
    relevance[ranks] = relevance[ranks[resolved]]
    return relevance


def sort_ids(group: Integers, ids: Ids) -> Integers:
    """Return the rows by ascending group and descending id; they are already ordered by group.

    Eight bytes are compared at a time. After the first eight, only rows still equal to a neighbour
    are compared. The last key is the length: an id precedes its own prefixes.

    >>> sort_ids(np.array([0, 0, 1]), Ids.from_texts(["a", "b", "c"])).tolist()
    [1, 0, 2]
    >>> ids = Ids.from_texts(["long-prefix-1", "long-prefix", "M"])
    >>> sort_ids(np.array([0, 0, 0]), ids).tolist()
    [0, 1, 2]
    """
    order = np.arange(len(group))
    unresolved = order.copy()  # the positions of rows that are still equal to a neighbour
    offsets = (*range(0, ids.longest, 8), None)
    for offset in offsets:
        rows = order[unresolved]
        subset = ids.take(rows)
        key = ~(subset.lengths.astype(np.uint64) if offset is None else subset.words(offset))
        ascending = sort_groups(group, key)
        order[unresolved] = rows[ascending]
        key, group = key[ascending], group[ascending]
        equal = (key[1:] == key[:-1]) & (group[1:] == group[:-1])
        if not equal.any():
            break
        group = np.cumsum(np.concatenate([[True], ~equal]))
        has_equal = np.concatenate([equal, [False]]) | np.concatenate([[False], equal])
        group, unresolved = group[has_equal], unresolved[has_equal]
    return order
