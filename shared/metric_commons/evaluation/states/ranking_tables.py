"""The scores of rankings in a table, with one row per id, in the order of the ids.

Integers come before texts, and texts in the order of their bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from ...data.files.stored_columns import text_column, texts_of
from ...statistics.arguments.arrays import Floats
from .row_tables import JoinedTables, Table

_INTEGER, _TEXT = "integer", "text"  # the columns of ids, one of which is null in each row
_SCORE = "="  # before the names of scores


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
        self._ids: set[int | bytes] = set()

    def __len__(self) -> int:
        return len(self._ids)

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
        self._append([*labels], [pa.table(columns)])

    def merge(self, rankings: Self) -> None:
        """Add other rankings, which are not changed.

        Raises:
            ValueError: an id occurs twice, or only some rankings have labels.
        """
        self._append(rankings._tables.names, rankings._tables.parts())

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
        if not self._ids:
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
        self._append([*content["labels"]], [pa.table(columns)])

    def _append(self, names: Sequence[str], tables: Sequence[Table]) -> None:
        """Add tables, all or none."""
        added: set[int | bytes] = set()
        for table in tables:
            self._tables.check(names, table)
            for name in _ids(table):
                if name in self._ids or name in added:
                    text = str(name, "utf-8", "surrogatepass") if isinstance(name, bytes) else name
                    raise ValueError(f"ranking {text!r} occurs twice; give each ranking its own id")
                added.add(name)
        self._ids |= added
        for table in tables:
            self._tables.add(names, table)


def _in_order(table: Table) -> Table:
    by_id = [(_INTEGER, "ascending"), (_TEXT, "ascending")]  # with nulls last
    return table.sort_by(by_id).combine_chunks()


def _ids(table: Table) -> list[int | bytes]:
    integers, texts = (table.column(name).to_pylist() for name in (_INTEGER, _TEXT))
    return [integers[i] if text is None else text for i, text in enumerate(texts)]


def _joined(arrays: Sequence[Any]) -> Any:
    """Concatenate arrays of Arrow, of which some may be empty."""
    import pyarrow as pa

    filled = [array for array in arrays if len(array)]
    return filled[0] if len(filled) == 1 else pa.concat_arrays(arrays)
