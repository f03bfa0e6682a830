"""The order of rankings: trec_eval's, for all queries in one call.

Scores descend; equal scores are ordered by document id, descending, as bytes. Sorting by id is
dear, and needed only among equal scores of which some have a judgment and some have another or
none: elsewhere the order cannot show. Measures look at the documents that have a judgment, perhaps
thirty of a thousand, and at their ranks: `Rankings` holds just these.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain, repeat
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Booleans, Column, Floats, Integers
from ..numbers.checks import RowError, check_choice, check_flag
from ..numbers.identifiers import Ids
from .names import EVERY

Keys = NDArray[np.floating[Any]]  # scores, perhaps in single precision
ScoreType = Literal["float64", "float32"]
MapDenominator = Literal["relevant", "min_k", "retrieved"]

UNJUDGED = -np.inf  # the relevance of a document without a judgment
_EXACT = 2.0**53  # relevance beyond this would have been rounded


class Documents(NamedTuple):
    """Some documents of each query, query after query and by ascending rank."""

    query: Integers  # 0, 1, 2, ...
    rank: Integers  # from 1
    relevance: Floats

    def where(self, kept: Booleans) -> "Documents":
        """Those that are kept."""
        return Documents(self.query[kept], self.rank[kept], self.relevance[kept])

    def down_to(self, cutoff: int) -> "Documents":
        """Those of the first ranks."""
        return self if cutoff == EVERY else self.where(self.rank <= cutoff)


class Judgments(NamedTuple):
    """What is known of the documents of each query, in any order."""

    queries: int
    query: Integers
    relevance: Floats  # negative: the document was in the pool, but is as good as not judged


class Rankings(NamedTuple):
    """The rankings of all queries, as far as measures look at them."""

    judgments: Judgments
    retrieved: Integers  # how many documents each query has; shape (queries,)
    found: Documents  # of these the ones that have a judgment


class Reading(NamedTuple):
    """How the ranking of a query is read."""

    score_dtype: ScoreType = "float64"  # what scores are rounded to before they are compared
    judged_only: bool = False  # leave out documents without a judgment, or with a negative one
    max_depth: int | None = None  # look at so many documents, before any is left out

    def check(self) -> None:
        """Nothing, if these may be.

        Raises:
            ValueError: one may not; the message has its name and value.
        """
        check_choice("score_dtype", self.score_dtype, ("float64", "float32"))
        check_flag("judged_only", self.judged_only)
        depth = self.max_depth
        whole = isinstance(depth, Integral) and not isinstance(depth, bool)
        if depth is not None and not (whole and depth > 0):
            raise ValueError(f"max_depth must be None or an integer, at least 1, got {depth!r}")


_AS_IT_IS = Reading()


# From the shapes of a module to rankings


def rankings(
    predictions: Column,
    references: Column,
    *,
    score_dtype: ScoreType = "float64",
    judged_only: bool = False,
    max_depth: int | None = None,
) -> Rankings:
    """The rankings of rows that hold one query each.

    Args:
        predictions: of each query `{"doc_id": ids, "score": scores}`; or the ids alone, the best
            one first; or the scores of candidates, of which equal ones keep their order.
        references: in the same shapes, `{"doc_id": ids, "relevance": levels}`; or the ids of the
            relevant documents; or the relevance of the candidates.
        score_dtype: what scores are rounded to before they are compared.
        judged_only: leave out documents without a judgment, or with a negative one.
        max_depth: look at so many documents of a query, before any of them is left out.

    Raises:
        ValueError: ids and numbers that differ in length, a document twice in a query, or a
            relevance that is not finite; names the row.

    >>> ranked = rankings([[0.5, 2.0, 1.0]], [[1.0, 0.0, 2.0]])
    >>> ranked.found.rank.tolist(), ranked.found.relevance.tolist()
    ([1, 2, 3], [0.0, 2.0, 1.0])
    """
    reading = Reading(score_dtype, judged_only, max_depth)
    if isinstance(predictions[0], Mapping):
        ids, score = _fields("predictions", predictions, "score")
        known, levels = _fields("references", references, "relevance")
    elif any(isinstance(row[0], str) for row in chain(predictions, references) if len(row)):
        ids, known = _lists(predictions), _lists(references)
        score = [range(len(row), 0, -1) for row in ids]
        levels = [[1.0] * len(row) for row in known]
    else:
        query, keys, relevance = _candidates(predictions, references)
        judgments = Judgments(len(predictions), query, relevance)
        return rank(query, keys, relevance, judgments, None, reading)
    judged = [dict(zip(*row, strict=True)) for row in zip(known, levels, strict=True)]
    _no_repeats("predictions", ids, map(set, ids))
    _no_repeats("references", known, judged)
    return rank_ids(ids, flat(score), judged, reading)


def rank_ids(
    ids: Sequence[Collection[str]],
    score: Floats,
    judged: Sequence[Mapping[str, float]],
    reading: Reading = _AS_IT_IS,
) -> Rankings:
    """The rankings of queries whose documents are strings.

    Args:
        ids: the documents of each query, in any order, none of them twice.
        score: one a document, query after query.
        judged: the relevance of each query's judged documents.
        reading: how rankings are read.

    >>> rank_ids([["a", "b"]], np.array([1.0, 1.0]), [{"a": 1.0}]).found.rank.tolist()
    [2]
    """
    queries = np.arange(len(ids))
    judgments = Judgments(
        len(judged), np.repeat(queries, _sizes(judged)), flat(row.values() for row in judged)
    )
    relevance = flat(
        map(known.get, of_query, repeat(UNJUDGED))
        for known, of_query in zip(judged, ids, strict=True)
    )

    def ids_at(rows: Integers) -> Ids:
        every = list(chain.from_iterable(ids))
        return Ids.of([every[row] for row in rows.tolist()])

    query = np.repeat(queries, _sizes(ids))
    return rank(query, score, relevance, judgments, ids_at, reading)


def _fields(side: str, rows: Column, field: str) -> tuple[list[list[str]], list[Any]]:
    """The ids of each row, and what stands beside them."""
    ids, values = [row["doc_id"] for row in rows], [row[field] for row in rows]
    for row, (of_query, beside) in enumerate(zip(ids, values, strict=True)):
        if len(of_query) != len(beside):
            raise RowError(
                side, row, f"has {len(of_query)} values of 'doc_id', but {len(beside)} of {field!r}"
            )
    return ids, values


def _candidates(predictions: Column, references: Column) -> tuple[Integers, Floats, Floats]:
    """Query, score and relevance of documents that have no ids, all of them judged."""
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
    return column.tolist() if isinstance(column, np.ndarray) else column


def _sizes(rows: Iterable[Any]) -> Integers:
    return np.fromiter(map(len, rows), np.int64)


def flat(rows: Iterable[Iterable[float]]) -> Floats:
    """All numbers of all rows.

    >>> flat([[1, 2], [], [0.5]]).tolist()
    [1.0, 2.0, 0.5]
    """
    if isinstance(rows, np.ndarray):
        return rows.astype(np.float64, copy=False).reshape(-1)
    return np.fromiter(chain.from_iterable(rows), np.float64)


def _no_repeats(
    side: str, ids: Sequence[Sequence[str]], distinct: Iterable[Collection[str]]
) -> None:
    for row, (of_query, different) in enumerate(zip(ids, distinct, strict=True)):
        if len(of_query) != len(different):
            seen: set[str] = set()
            twice = next(each for each in of_query if each in seen or seen.add(each))  # type: ignore[func-returns-value]
            raise RowError(side, row, f"has the document {twice!r} more than once")


# Order and ranks


def rank(
    query: Integers,
    score: Floats,
    relevance: Floats,
    judgments: Judgments,
    ids_at: Callable[[Integers], Ids] | None,
    reading: Reading = _AS_IT_IS,
) -> Rankings:
    """The rankings of all queries, from one row a document.

    Args:
        query: of each row, shape (rows,); rows may come in any order.
        score: higher comes first; no NaN. Infinities are as good as others.
        relevance: `UNJUDGED` for documents without a judgment.
        judgments: of all queries, the documents that were not retrieved included.
        ids_at: the ids of some rows, called for rows whose scores are equal and whose relevance
            is not; None if such rows keep their order.
        reading: how rankings are read.

    Raises:
        ValueError: an option out of its range; a relevance that is not finite, or so great that
            it has been rounded.
    """
    reading.check()
    _check_relevance(judgments.relevance)
    keys: Keys = score
    if reading.score_dtype == "float32":
        with np.errstate(over="ignore"):  # beyond its range there is infinity, as in C
            keys = score.astype(np.float32)
    order = _order(query, keys)
    if order is not None:
        query, keys, relevance = query[order], keys[order], relevance[order]
    relevance = _settled(query, keys, relevance, order, ids_at)

    starts = _starts(query)
    retrieved = np.zeros(judgments.queries, dtype=np.int64)
    retrieved[query[starts]] = np.diff(starts, append=len(query))
    before = np.zeros(judgments.queries, dtype=np.int64)  # rows above the first one of a query
    before[query[starts]] = starts
    at = np.flatnonzero(relevance >= 0 if reading.judged_only else relevance != UNJUDGED)
    at = at[np.argsort(query[at], kind="stable")]
    found = Documents(query[at], at - before[query[at]] + 1, relevance[at])
    if reading.max_depth is not None:
        found = found.down_to(reading.max_depth)
        retrieved = np.minimum(retrieved, reading.max_depth)
    if reading.judged_only:
        retrieved = np.bincount(found.query, minlength=judgments.queries)
        found = found._replace(rank=numbered(found.query))
    return Rankings(judgments, retrieved, found)


def numbered(query: Integers) -> Integers:
    """For each row its number among those of its query, from 1; rows stand query after query.

    >>> numbered(np.array([0, 0, 3, 3, 3])).tolist()
    [1, 2, 1, 2, 3]
    """
    rows = np.arange(1, len(query) + 1)
    counts = np.bincount(query)
    return rows - np.repeat(np.cumsum(counts) - counts, counts)


def _order(query: Integers, score: Keys) -> Integers | None:
    """Rows query after query, by descending score; None if that is how they stand.

    Queries may come in any order, and equal scores too.
    """
    rises = (score[1:] > score[:-1]) & (query[1:] == query[:-1])
    of_starts = query[_starts(query)]
    if not rises.any() and len(np.unique(of_starts)) == len(of_starts):
        return None
    return grouped(query, -score)


def _starts(query: Integers) -> Integers:
    """The rows at which another query begins."""
    changes = np.flatnonzero(query[1:] != query[:-1]) + 1
    return np.concatenate([[0], changes]) if len(query) else changes


def grouped(group: Integers, key: NDArray[Any]) -> Integers:
    """Rows by ascending group and key, equal ones in any order.

    One quick sort by key, then a stable one by group: its numbers are sorted sixteen bits at a
    time, which numpy does by counting.

    >>> grouped(np.array([1, 0, 1]), np.array([0.5, 2.0, 0.25])).tolist()
    [1, 2, 0]
    """
    order = np.argsort(key)
    for shift in range(0, int(group.max(initial=0)).bit_length(), 16):
        digits = (group[order] >> shift).astype(np.uint16)
        order = order[np.argsort(digits, kind="stable")]
    return order


def _settled(
    query: Integers,
    score: Keys,
    relevance: Floats,
    order: Integers | None,
    ids_at: Callable[[Integers], Ids] | None,
) -> Floats:
    """The relevance of each rank, once equal scores stand in their right order.

    Only relevance moves: which of several documents with equal scores has which id, nobody asks.
    """
    tied = (score[1:] == score[:-1]) & (query[1:] == query[:-1])
    mixed = tied & (relevance[1:] != relevance[:-1])
    if not mixed.any():
        return relevance
    tie = np.cumsum(np.concatenate([[True], ~tied])) - 1  # the number of each row's tie
    matters = np.zeros(tie[-1] + 1, dtype=np.bool_)
    matters[tie[1:][mixed]] = True
    at = np.flatnonzero(matters[tie])
    rows = at if order is None else order[at]
    right = grouped(tie[at], rows) if ids_at is None else descending(tie[at], ids_at(rows))
    settled = relevance.copy()
    settled[at] = relevance[at[right]]
    return settled


def descending(group: Integers, ids: Ids) -> Integers:
    """Rows by ascending group, in each by descending id; groups already stand one after another.

    Eight bytes at a time, and past the first eight only rows that are still equal to a neighbour.

    >>> descending(np.array([0, 0, 1]), Ids.of(["a", "b", "c"])).tolist()
    [1, 0, 2]
    >>> descending(np.array([0, 0, 0]), Ids.of(["long-prefix-1", "long-prefix", "M"])).tolist()
    [0, 1, 2]
    """
    order = np.arange(len(group))
    places = order.copy()  # where rows stand that are equal to a neighbour so far
    depths = (*range(0, ids.longest, 8), None)
    for at in depths:
        rows = order[places]
        some = ids.take(rows)
        key = ~(some.lengths.astype(np.uint64) if at is None else some.words(at))
        new = grouped(group, key)
        order[places] = rows[new]
        key, group = key[new], group[new]
        equal = (key[1:] == key[:-1]) & (group[1:] == group[:-1])
        if not equal.any():
            break
        group = np.cumsum(np.concatenate([[True], ~equal]))
        still = np.concatenate([equal, [False]]) | np.concatenate([[False], equal])
        group, places = group[still], places[still]
    return order


def _check_relevance(relevance: Floats) -> None:
    wrong = ~(np.abs(relevance) <= _EXACT)
    if wrong.any():
        value = relevance[wrong.argmax()]
        raise ValueError(f"relevance must be finite, and at most 2**53 in size, got {value}")
