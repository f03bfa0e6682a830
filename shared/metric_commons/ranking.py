"""Ranking measures of many queries at once, equal to those of trec_eval to the last bit.

Measures look at few rows of a run: at the documents that have a judgment, perhaps thirty of a
thousand, and at their ranks. So a run, whatever its shape, is first brought to these (`Rankings`);
each measure then is a sum over them, query by query, for all queries in one call.

Why that is exact: `numpy.bincount` adds weights in the order of rows, which is the order of ranks,
so each sum takes the roundings that trec_eval's loop takes. Logarithms and powers are those of the
C library, one by one, since numpy's own may differ from them in the last bit. Nothing else rounds
but single divisions.

The order of a ranking is trec_eval's: score descending, equal scores by document id descending, as
bytes. Sorting by id is dear, and needed only among equal scores of which some have a judgment and
some have another or none: elsewhere the order cannot show.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, repeat
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .averages import Average
from .checks import check_choice, check_flag
from .columns import Column
from .measures import EVERY, Measure
from .ratios import precision_recall_f1

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Keys = NDArray[np.floating[Any]]  # scores, perhaps in single precision
Words = NDArray[np.uint64]
ScoreType = Literal["float64", "float32"]
MapDenominator = Literal["relevant", "min_k", "retrieved"]

UNJUDGED = -np.inf  # the relevance of a document without a judgment
LEAST_MAP = 1e-5  # what a geometric mean takes for 0, as trec_eval does
_EXACT = 2.0**53  # relevance beyond this would have been rounded
_STEEPEST = 1000.0  # of exponential gains: a sum of thousands of 2**1000 is still finite


class Documents(NamedTuple):
    """Some documents of each query, query after query and by ascending rank."""

    query: Ints  # 0, 1, 2, ...
    rank: Ints  # from 1
    relevance: Floats

    def where(self, kept: Flags) -> "Documents":
        """Those that are kept."""
        return Documents(self.query[kept], self.rank[kept], self.relevance[kept])

    def down_to(self, cutoff: int) -> "Documents":
        """Those of the first ranks."""
        return self if cutoff == EVERY else self.where(self.rank <= cutoff)


class Judgments(NamedTuple):
    """What is known of the documents of each query, in any order."""

    queries: int
    query: Ints
    relevance: Floats  # negative: the document was in the pool, but is as good as not judged


class Rankings(NamedTuple):
    """The rankings of all queries, as far as measures look at them."""

    judgments: Judgments
    retrieved: Ints  # how many documents each query has; shape (queries,)
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


def encoded(text: str) -> bytes:
    r"""The bytes of an id: those of its file if it came from one, else UTF-8.

    Bytes that are not UTF-8 become single surrogates in Python, and here they become bytes again.

    >>> encoded("\udcff"), encoded("\ud800")
    (b'\xff', b'\xed\xa0\x80')
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # surrogates that stand for no byte
        return text.encode("utf-8", "surrogatepass")


class Ids(NamedTuple):
    """Document ids as slices of one array of bytes."""

    data: NDArray[np.uint8]  # eight bytes longer than its last slice
    starts: Ints
    lengths: Ints

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Ids":
        """The ids as UTF-8, whose order is that of code points.

        >>> Ids.of(["a", "é"]).lengths.tolist()
        [1, 2]
        """
        pieces = list(map(encoded, texts))
        return cls.sliced(b"".join(pieces), np.fromiter(map(len, pieces), np.int64, len(pieces)))

    @classmethod
    def sliced(cls, data: bytes, lengths: Ints) -> "Ids":
        """Ids that stand one after another."""
        return cls(np.frombuffer(data + bytes(8), np.uint8), np.cumsum(lengths) - lengths, lengths)

    @property
    def longest(self) -> int:
        """The length of the longest id in bytes."""
        return int(self.lengths.max(initial=0))

    def take(self, rows: Ints) -> "Ids":
        """The ids of some rows; no byte is copied."""
        return Ids(self.data, self.starts[rows], self.lengths[rows])

    def words(self, at: int) -> Words:
        """Eight bytes of each id from its byte `at` on, the first one highest, zeros past its end.

        Comparing such words, one after another, is comparing bytes.

        >>> [hex(word) for word in Ids.of(["ab", "abcdefghi"]).words(0).tolist()]
        ['0x6162000000000000', '0x6162636465666768']
        >>> Ids.of(["ab", "abcdefghi"]).words(8).tolist() == [0, ord("i") << 56]
        True
        """
        every = np.ndarray((len(self.data) - 7,), ">u8", self.data.data, strides=(1,))
        inside = self.lengths - at
        starts = self.starts + at
        if inside.size and int(inside.min()) >= 8:
            return every[starts].astype(np.uint64)
        np.minimum(starts, len(every) - 1, out=starts)
        return every[starts].astype(np.uint64) & _FIRST_BYTES[np.clip(inside, 0, 8)]


_FIRST_BYTES = np.array([2**64 - 2 ** (8 * (8 - n)) for n in range(9)], dtype=np.uint64)


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

    def ids_at(rows: Ints) -> Ids:
        every = list(chain.from_iterable(ids))
        return Ids.of([every[row] for row in rows.tolist()])

    query = np.repeat(queries, _sizes(ids))
    return rank(query, score, relevance, judgments, ids_at, reading)


def _fields(side: str, rows: Column, field: str) -> tuple[list[list[str]], list[Any]]:
    """The ids of each row, and what stands beside them."""
    ids, values = [row["doc_id"] for row in rows], [row[field] for row in rows]
    for row, (of_query, beside) in enumerate(zip(ids, values, strict=True)):
        if len(of_query) != len(beside):
            raise ValueError(
                f"{side}[{row}] has {len(of_query)} values of 'doc_id', "
                f"but {len(beside)} of {field!r}"
            )
    return ids, values


def _candidates(predictions: Column, references: Column) -> tuple[Ints, Floats, Floats]:
    """Query, score and relevance of documents that have no ids, all of them judged."""
    sizes, judged = _sizes(predictions), _sizes(references)
    if not np.array_equal(sizes, judged):
        row = int((sizes != judged).argmax())
        raise ValueError(
            f"predictions[{row}] has {sizes[row]} scores, "
            f"but references[{row}] has {judged[row]} relevance levels"
        )
    return np.repeat(np.arange(len(sizes)), sizes), flat(predictions), flat(references)


def _lists(column: Column) -> list[list[str]]:
    return column.tolist() if isinstance(column, np.ndarray) else column


def _sizes(rows: Iterable[Any]) -> Ints:
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
            raise ValueError(f"{side}[{row}] has the document {twice!r} more than once")


# Order and ranks


def rank(
    query: Ints,
    score: Floats,
    relevance: Floats,
    judgments: Judgments,
    ids_at: Callable[[Ints], Ids] | None,
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


def numbered(query: Ints) -> Ints:
    """For each row its number among those of its query, from 1; rows stand query after query.

    >>> numbered(np.array([0, 0, 3, 3, 3])).tolist()
    [1, 2, 1, 2, 3]
    """
    rows = np.arange(1, len(query) + 1)
    counts = np.bincount(query)
    return rows - np.repeat(np.cumsum(counts) - counts, counts)


def _order(query: Ints, score: Keys) -> Ints | None:
    """Rows query after query, by descending score; None if that is how they stand.

    Queries may come in any order, and equal scores too.
    """
    rises = (score[1:] > score[:-1]) & (query[1:] == query[:-1])
    of_starts = query[_starts(query)]
    if not rises.any() and len(np.unique(of_starts)) == len(of_starts):
        return None
    return grouped(query, -score)


def _starts(query: Ints) -> Ints:
    """The rows at which another query begins."""
    changes = np.flatnonzero(query[1:] != query[:-1]) + 1
    return np.concatenate([[0], changes]) if len(query) else changes


def grouped(group: Ints, key: NDArray[Any]) -> Ints:
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
    query: Ints,
    score: Keys,
    relevance: Floats,
    order: Ints | None,
    ids_at: Callable[[Ints], Ids] | None,
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


def descending(group: Ints, ids: Ids) -> Ints:
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


# Measures


def scores(
    ranked: Rankings,
    measures: Sequence[Measure],
    *,
    relevance_level: float = 1,
    map_denominator: MapDenominator = "relevant",
) -> dict[str, Floats]:
    """Each measure of each query, by the name it was asked for; arrays of shape (queries,).

    A query without relevant documents, or of which nothing was retrieved, scores 0.

    Args:
        ranked: the rankings.
        measures: what to compute, from `parse_measures`.
        relevance_level: the least relevance that makes a document relevant. (n)DCG and ERR do
            not ask for it: their gain is the relevance itself, if positive.
        map_denominator: average precision divides by the number of all relevant documents, by
            no more of them than the cutoff, or by that of the retrieved ones.

    Raises:
        ValueError: an option out of its range, or a relevance too great for an exponential gain.

    Source:
        trec_eval 10; for ndcg_exp and err gdeval.pl (Burges et al. 2005; Chapelle et al. 2009);
        for rbp Moffat and Zobel (2008).

    >>> ranked = rankings([[3.0, 2.0, 1.0]], [[0.0, 1.0, 1.0]])
    >>> of_queries = scores(ranked, [Measure("map", "map"), Measure("P@2", "precision", 2)])
    >>> {name: values.tolist() for name, values in of_queries.items()}
    {'map': [0.5833333333333333], 'P@2': [0.5]}
    """
    check_choice("map_denominator", map_denominator, ("relevant", "min_k", "retrieved"))
    if isinstance(relevance_level, bool) or not isinstance(relevance_level, Real):
        raise ValueError(f"relevance_level must be a number, got {relevance_level!r}")
    if not 0 <= relevance_level < math.inf:
        raise ValueError(f"relevance_level must be at least 0, got {relevance_level!r}")
    scoring = _Scoring(ranked, float(relevance_level), map_denominator)
    return {measure.name: scoring.of(measure) for measure in measures}


def average(measure: Measure) -> Average:
    """How a measure is averaged over queries: added up one query after another, as trec_eval does.

    Counts stay sums. The geometric mean of average precision takes 1e-5 for less than that.

    >>> average(Measure("map", "map"))(np.array([0.25, 0.75]))
    0.5
    >>> average(Measure("num_rel", "num_rel"))(np.array([2.0, 5.0]))
    7
    """
    if measure.kind == "gm_map":
        return Average(sequential_mean, before=_logarithms, after=lambda mean, _: math.exp(mean))
    if measure.kind.startswith("num_"):
        return Average(sequential_mean, after=lambda mean, rows: round(mean * rows))
    return Average(sequential_mean)


def sequential_mean(values: ArrayLike) -> float:
    """The mean of a sum that adds one value after another, rounding each time.

    So do trec_eval and all that builds on it, and to be equal to the last bit one has to. The
    order of values can move that last bit.

    >>> sequential_mean([0.1] * 10)
    0.09999999999999999
    """
    return float(np.add.accumulate(np.asarray(values, dtype=np.float64))[-1]) / np.size(values)


class _Scoring:
    """Measures of some rankings, and what they have in common."""

    def __init__(self, ranked: Rankings, level: float, map_denominator: str) -> None:
        self._ranked = ranked
        self._queries = ranked.judgments.queries
        self._level = level
        self._map_denominator = map_denominator

    def of(self, measure: Measure) -> Floats:
        """A measure of each query."""
        scores: Floats = getattr(self, f"_{measure.kind}")(measure)
        return scores

    # What measures share

    def _count(self, query: Ints) -> Ints:
        return np.bincount(query, minlength=self._queries)

    def _sum(self, query: Ints, terms: Floats) -> Floats:
        """Of each query the sum of its terms, added one after another."""
        # of no rows numpy makes integers
        return np.bincount(query, terms, self._queries).astype(np.float64, copy=False)

    def _share(self, part: NDArray[Any], whole: NDArray[Any]) -> Floats:
        share: Floats = np.divide(part, whole, out=np.zeros(self._queries), where=whole > 0)
        return share

    @cached_property
    def _relevant(self) -> Ints:
        """How many relevant documents each query has, found or not."""
        judgments = self._ranked.judgments
        return self._count(judgments.query[judgments.relevance >= self._level])

    @cached_property
    def _hits(self) -> Documents:
        """The relevant documents that were found."""
        return self._ranked.found.where(self._ranked.found.relevance >= self._level)

    def _hit_counts(self, cutoff: int) -> Ints:
        return self._count(self._hits.down_to(cutoff).query)

    # Relevant or not

    def _num_q(self, _: Measure) -> Floats:
        return np.ones(self._queries)

    def _num_ret(self, _: Measure) -> Floats:
        return self._ranked.retrieved.astype(np.float64)

    def _num_rel(self, _: Measure) -> Floats:
        return self._relevant.astype(np.float64)

    def _num_rel_ret(self, _: Measure) -> Floats:
        return self._hit_counts(EVERY).astype(np.float64)

    def _precision(self, measure: Measure) -> Floats:
        return self._hit_counts(measure.cutoff) / measure.cutoff

    def _recall(self, measure: Measure) -> Floats:
        return self._share(self._hit_counts(measure.cutoff), self._relevant)

    def _f1(self, measure: Measure) -> Floats:
        hits = self._hit_counts(measure.cutoff)
        return precision_recall_f1(hits, np.full_like(hits, measure.cutoff), self._relevant).f1

    def _hit_rate(self, measure: Measure) -> Floats:
        return (self._hit_counts(measure.cutoff) > 0).astype(np.float64)

    def _rprec(self, _: Measure) -> Floats:
        hits = self._hits
        among_as_many = hits.query[hits.rank <= self._relevant[hits.query]]
        return self._share(self._count(among_as_many), self._relevant)

    def _map(self, measure: Measure) -> Floats:
        hits = self._hits.down_to(measure.cutoff)
        precision = numbered(hits.query) / hits.rank
        relevant = self._relevant
        if self._map_denominator == "retrieved":
            relevant = self._count(hits.query)
        elif self._map_denominator == "min_k":
            relevant = np.minimum(relevant, measure.cutoff)
        return self._share(self._sum(hits.query, precision), relevant)

    def _gm_map(self, measure: Measure) -> Floats:
        return np.maximum(self._map(measure), LEAST_MAP)

    def _mrr(self, measure: Measure) -> Floats:
        hits = self._hits.down_to(measure.cutoff)
        first = hits.where(numbered(hits.query) == 1)
        return self._sum(first.query, 1.0 / first.rank)

    def _bpref(self, _: Measure) -> Floats:
        """How seldom documents judged not relevant stand above relevant ones."""
        judgments, relevant = self._ranked.judgments, self._relevant
        levels = judgments.relevance
        wrong = self._count(judgments.query[(levels >= 0) & (levels < self._level)])
        found = self._ranked.found.where(self._ranked.found.relevance >= 0)
        hit = found.relevance >= self._level
        above = numbered(found.query)[hit] - numbered(found.query[hit])
        query = found.query[hit]
        at_most = np.maximum(np.minimum(relevant, wrong)[query], 1)
        terms = np.where(above > 0, 1.0 - np.minimum(above, relevant[query]) / at_most, 1.0)
        return self._share(self._sum(query, terms), relevant)

    def _rbp(self, measure: Measure) -> Floats:
        """Of a reader who goes on to the next document with probability p."""
        hits = self._hits.down_to(measure.cutoff)
        p = measure.parameter
        reached = np.array([p**above for above in range(_deepest(hits))])
        return (1 - p) * self._sum(hits.query, reached[hits.rank - 1])

    def _judged(self, measure: Measure) -> Floats:
        return self._count(self._ranked.found.down_to(measure.cutoff).query) / measure.cutoff

    # Graded

    def _ndcg(self, measure: Measure) -> Floats:
        return self._share(self._dcg(measure), self._gained(self._ideal, measure.cutoff))

    def _ndcg_exp(self, measure: Measure) -> Floats:
        ideal = self._gained(self._exponential(self._ideal), measure.cutoff)
        return self._share(self._dcg_exp(measure), ideal)

    def _dcg(self, measure: Measure) -> Floats:
        return self._gained(self._gaining, measure.cutoff)

    def _dcg_exp(self, measure: Measure) -> Floats:
        return self._gained(self._exponential(self._gaining), measure.cutoff)

    @cached_property
    def _gaining(self) -> Documents:
        """Found documents whose relevance is positive; others gain nothing."""
        return self._ranked.found.where(self._ranked.found.relevance > 0)

    @cached_property
    def _ideal(self) -> Documents:
        """All documents of positive relevance in the best order, found or not."""
        judgments = self._ranked.judgments
        positive = judgments.relevance > 0
        query, relevance = judgments.query[positive], judgments.relevance[positive]
        best = grouped(query, -relevance)
        return Documents(query[best], numbered(query[best]), relevance[best])

    def _gained(self, documents: Documents, cutoff: int) -> Floats:
        """Of each query the relevance of its documents, discounted by the logarithm of the rank."""
        documents = documents.down_to(cutoff)
        discounts = np.array([math.log2(rank + 1) for rank in range(1, _deepest(documents) + 1)])
        return self._sum(documents.query, documents.relevance / discounts[documents.rank - 1])

    def _exponential(self, documents: Documents) -> Documents:
        """The documents with 2**relevance - 1 in place of relevance."""
        levels, which = np.unique(documents.relevance, return_inverse=True)
        if levels.size and levels[-1] > _STEEPEST:
            raise ValueError(f"relevance {levels[-1]:g} is too great for an exponential gain")
        gains = np.array([2.0**level - 1 for level in levels.tolist()])
        return documents._replace(relevance=gains[which])

    def _err(self, measure: Measure) -> Floats:
        """The expected reciprocal rank at which a reader stops, who stops at good documents."""
        levels = self._ranked.judgments.relevance
        highest = levels.max(initial=0)
        if highest > measure.parameter:
            raise ValueError(
                f"{measure.name!r} knows grades up to {measure.parameter:g}, but there is "
                f"relevance {highest:g}; name the greatest, as in 'err(max_grade={highest:g})@20'"
            )
        found = self._gaining.down_to(measure.cutoff)
        stops = self._exponential(found).relevance / 2.0**measure.parameter
        total, going = np.zeros(self._queries), np.ones(self._queries)
        for rows in _first_second_third(found.query):  # of all queries at once
            query = found.query[rows]
            total[query] += stops[rows] * going[query] / found.rank[rows]
            going[query] *= 1 - stops[rows]
        return total


def _deepest(documents: Documents) -> int:
    return int(documents.rank.max(initial=0))


def _first_second_third(query: Ints) -> list[Ints]:
    """The first rows of all queries, then the second ones, and so on."""
    number = numbered(query)
    rows = np.argsort(number, kind="stable")
    return np.split(rows, np.cumsum(np.bincount(number)[1:])[:-1])


def _logarithms(values: Floats) -> Floats:
    return np.array([math.log(value) for value in values.tolist()])
