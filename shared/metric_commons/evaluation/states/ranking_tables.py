"""The scores of rankings in a table, with one row per id, in the order of the ids.

Integers come before texts, and texts in the order of their bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...data.files.stored_columns import text_column, texts_of
from ...data.trec.identifiers import GOLDEN, Ids
from ...statistics.arguments.arrays import Booleans, Floats, Integers
from .row_tables import JoinedTables, Table

_INTEGER, _TEXT = "integer", "text"  # the columns of ids, one of which is null in each row
_SCORE = "="  # before the names of scores
_FEWEST = 16  # minimum of bits of the number of marks


class RankingTable:
    """Scores of rankings with distinct ids.

    >>> rankings = RankingTable(["mrr"])
    >>> rankings.add(["q", 7], {"mrr": [0.5, 1.0]}, {"groups": ["a", "b"]})
    >>> rankings.in_order()
    ({'mrr': array([1. , 0.5])}, {'groups': ['b', 'a']})
    """

    def __init__(self, measures: Sequence[str]) -> None:
        self._measures = list(measures)
        self._tables = JoinedTables(_in_order, shortens=False)
        self._codes: SortedRuns | None = SortedRuns()
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    def __getstate__(self) -> dict[str, Any]:
        # In another process texts have other codes.
        return self.__dict__ | {"_codes": None}

    def add(
        self, ids: Sequence[Any], scores: Mapping[str, Any], labels: Mapping[str, Sequence[str]]
    ) -> None:
        """Add rankings.

        Args:
            ids: integers of 64 bits or texts, one per ranking.
            scores: one per ranking, by measure.
            labels: groups and clusters, if any, one per ranking.

        Raises:
            ValueError: an id occurs twice, or only some rankings have labels.
        """
        import pyarrow as pa

        integers = [None if isinstance(name, str) else name for name in ids]
        texts = [name if isinstance(name, str) else None for name in ids]
        columns = {_INTEGER: pa.array(integers, pa.int64()), _TEXT: text_column(texts)}
        columns |= {name: text_column(column) for name, column in labels.items()}
        columns |= {
            f"{_SCORE}{name}": pa.array(np.asarray(scores[name])) for name in self._measures
        }
        codes = _sorted_codes(columns[_INTEGER].drop_null(), columns[_TEXT].drop_null())
        self._append([*labels], [pa.table(columns)], [codes])

    def merge(self, rankings: Self) -> None:
        """Add other rankings, which are not changed.

        Raises:
            ValueError: an id occurs twice, or only some rankings have labels.
        """
        tables = rankings._tables
        self._append(tables.names, tables.parts(), rankings._known_codes().runs)

    def in_order(self) -> tuple[dict[str, Floats], dict[str, Any]]:
        """Return the scores by measure and the labels, in the order of the ids."""
        table = self._tables.table()
        scores = {name: table.column(f"{_SCORE}{name}").to_numpy() for name in self._measures}
        return scores, {name: texts_of(table.column(name)) for name in self._tables.names}

    def tables_of_scores(self) -> Iterator[dict[str, Floats]]:
        """Yield the scores of each table, by measure."""
        for table in self._tables.parts():
            yield {name: table.column(f"{_SCORE}{name}").to_numpy() for name in self._measures}

    def to_jsonable(self) -> Any:
        """For files: ids, labels and scores, in the order of the ids."""
        if not self._rows:
            return None
        table = self._tables.table()
        ids = {name: table.column(name).drop_null().combine_chunks() for name in (_INTEGER, _TEXT)}
        return {
            "ids": {_INTEGER: ids[_INTEGER].to_numpy(), _TEXT: ids[_TEXT]},
            "labels": {name: table.column(name).combine_chunks() for name in self._tables.names},
            "scores": self.in_order()[0],
        }

    def read_jsonable(self, content: Any) -> None:
        """Take in what `to_jsonable` returned, or the same in lists.

        Raises:
            ValueError: it is not a table of scores, or an id occurs twice.
        """
        import pyarrow as pa

        if content is None:
            return
        integers = np.asarray(content["ids"][_INTEGER])
        if integers.size and integers.dtype.kind != "i":
            raise ValueError("some integer ids are not integers")
        texts = text_column(content["ids"][_TEXT])
        numbers = pa.array(integers, pa.int64())
        columns = {
            _INTEGER: _joined([numbers, pa.nulls(len(texts), pa.int64())]),
            _TEXT: _joined([pa.nulls(len(numbers), texts.type), texts]),
        }
        columns |= {name: text_column(column) for name, column in content["labels"].items()}
        for name in self._measures:
            values = np.asarray(content["scores"][name])
            if values.dtype != np.float64:
                raise ValueError(f"the scores of {name} are not floats")
            columns[f"{_SCORE}{name}"] = pa.array(values)
        codes = _sorted_codes(numbers, texts)
        self._append([*content["labels"]], [pa.table(columns)], [codes])

    def _append(
        self, names: Sequence[str], tables: Sequence[Table], runs: Sequence[Integers]
    ) -> None:
        """Add tables, all or none; the runs are sorted codes of all their ids."""
        for table in tables:
            self._tables.check(names, table)
        codes = self._known_codes()
        if any((run[1:] == run[:-1]).any() or codes.has_any(run) for run in runs):
            self._check_different(tables)
        for run in runs:
            codes.add(run)
        for table in tables:
            self._tables.add(names, table)
            self._rows += table.num_rows

    def _known_codes(self) -> "SortedRuns":
        if self._codes is None:
            self._codes = SortedRuns()
            for table in self._tables.parts():
                ids = (
                    table.column(name).drop_null().combine_chunks() for name in (_INTEGER, _TEXT)
                )
                self._codes.add(_sorted_codes(*ids))
        return self._codes

    def _check_different(self, tables: Sequence[Table]) -> None:
        """Compare the ids themselves, since some codes are equal."""
        seen = set(chain.from_iterable(map(_ids, self._tables.parts())))
        for name in chain.from_iterable(map(_ids, tables)):
            if name in seen:
                shown = name.decode("utf-8", "surrogatepass") if isinstance(name, bytes) else name
                raise ValueError(f"ranking {shown!r} occurs twice; give each ranking its own id")
            seen.add(name)


class SortedRuns:
    """Integers in a few sorted arrays, which can be searched without a set of all integers.

    Each array is at least twice as long as the next, so integers are sorted only a few times. Each
    integer sets one of many marks, so that only a few have to be searched for.

    >>> codes = SortedRuns()
    >>> codes.add(np.array([1, 5]))
    >>> codes.has_any(np.array([2, 5])), codes.has_any(np.array([2, 6]))
    (True, False)
    """

    def __init__(self) -> None:
        self.runs: list[Integers] = []
        self._unmarked: list[Integers] = []
        self._marks: Booleans = np.zeros(0, bool)
        self._size = 0

    def has_any(self, integers: Integers) -> bool:
        """Return whether one of these integers is present."""
        if not self.runs:
            return False
        self._mark()
        likely = integers[self._marks[self._places(integers)]]
        for run in self.runs if likely.size else []:
            positions = np.minimum(np.searchsorted(run, likely), run.size - 1)
            if (run[positions] == likely).any():
                return True
        return False

    def _mark(self) -> None:
        """Set the marks of all integers."""
        if self._marks.size < 8 * self._size:
            self._marks = np.zeros(1 << max(_FEWEST, (16 * self._size).bit_length()), bool)
            self._unmarked = list(self.runs)
        for integers in self._unmarked:
            self._marks[self._places(integers)] = True
        self._unmarked = []

    def _places(self, integers: Integers) -> NDArray[np.uint64]:
        """Return the position of the mark of each integer."""
        bits = self._marks.size.bit_length() - 1
        return (integers.view(np.uint64) * GOLDEN) >> np.uint64(64 - bits)

    def add(self, integers: Integers) -> None:
        """Add sorted integers, at least one."""
        self.runs.append(integers)
        self._unmarked.append(integers)
        self._size += integers.size
        while len(self.runs) > 1 and self.runs[-2].size < 2 * self.runs[-1].size:
            both = np.concatenate([self.runs.pop(), self.runs.pop()])
            self.runs.append(np.sort(both, kind="stable"))  # merges sorted runs


def _in_order(table: Table) -> Table:
    by_id = [(_INTEGER, "ascending"), (_TEXT, "ascending")]  # with nulls last
    return table.sort_by(by_id).combine_chunks()


def _ids(table: Table) -> list[int | bytes]:
    integers, texts = (table.column(name).to_pylist() for name in (_INTEGER, _TEXT))
    return [integers[i] if text is None else text for i, text in enumerate(texts)]


def _sorted_codes(integers: Any, texts: Any) -> Integers:
    """Return an integer for each id, rarely the same for two.

    The integer itself, or the hash of a text.

    Args:
        integers: an array of Arrow without nulls.
        texts: another one, of bytes.
    """
    return np.sort(np.concatenate([integers.to_numpy(), _hashes(texts)]))


def _hashes(texts: Any) -> Integers:
    """Return a hash of each text."""
    if not len(texts):
        return np.empty(0, np.int64)
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int64, len(texts) + 1, 8 * texts.offset)
    ids = Ids.from_bytes(memoryview(data)[ends[0] : ends[-1]].tobytes(), np.diff(ends))
    return ids.hashes().view(np.int64)


def _joined(arrays: Sequence[Any]) -> Any:
    """Concatenate arrays of Arrow, of which some may be empty."""
    import pyarrow as pa

    filled = [array for array in arrays if len(array)]
    return filled[0] if len(filled) == 1 else pa.concat_arrays(arrays)
