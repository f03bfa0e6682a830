"""The leaves of JSON values that match: scalars, and empty lists and objects.

Objects are compared key by key. Lists are compared by index, or by the assignment with which most
leaves match, bottom up, so that lists within lists are aligned too. The number of matching leaves
does not depend on which of several best assignments is chosen; the path of a leaf may.
"""

import json
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ..statistics.arguments.checks import OptionError
from .assignments import best_assignment, equal_pairs
from .json_equality import Equality

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_PATH = re.compile(r'\$(?:\.[A-Za-z_]\w*|\[\]|\["(?:[^"\\]|\\.)*"\])+')


def step(path: str, key: str) -> str:
    """Return the path of a field of an object.

    >>> step("$", "id"), step("$[]", "a.b")
    ('$.id', '$[]["a.b"]')
    """
    if _IDENTIFIER.fullmatch(key):
        return f"{path}.{key}"
    return f"{path}[{json.dumps(key, ensure_ascii=False)}]"


def check_paths(option: str, paths: Sequence[str]) -> None:
    """Check that these are paths of fields.

    Raises:
        OptionError: one is not.

    >>> check_paths("ignore_paths", ["$.items[].id", "items.id"])
    Traceback (most recent call last):
    ValueError: ignore_paths: 'items.id' is not a path of a field, such as '$.items[].id'
    """
    for path in paths:
        if not _PATH.fullmatch(path):
            raise OptionError(
                option, f": {path!r} is not a path of a field, such as '$.items[].id'"
            )


Absence = Literal["value", "absent"]

_CELLS = 1 << 20  # pairs of items up to which all pairs of two lists are compared
_MATCH, _WRONG, _MISSING, _EXTRA = range(4)
PATH_COUNTS = ("matched", "wrong", "missing", "extra")

PathCounts = dict[str, list[int]]  # for each path the numbers of `PATH_COUNTS`


class _Absent:
    """Represents a missing value."""


ABSENT = _Absent()


@dataclass(slots=True)
class _Cache:
    """The keys and matches of the lists and objects of a row, by their identity.

    Lists in any order are compared on each level, so a pair of them recurs with its parents.
    """

    keys: dict[int, Hashable] = field(default_factory=dict)
    matches: dict[tuple[int, int], int] = field(default_factory=dict)


@dataclass(frozen=True)
class LeafComparison:
    """How the leaves of two values are compared; the options are those of `json_match`.

    >>> comparison = LeafComparison(Equality(str))
    >>> comparison.matched({"a": 1, "b": [1, 2]}, {"a": 1, "b": [2, 2]})
    2
    """

    equality: Equality
    nulls: Absence = "value"
    empties: Absence = "value"
    ignore_paths: frozenset[str] = field(default_factory=frozenset)

    @property
    def _empty_leaves(self) -> int:
        return int(self.empties == "value")

    @property
    def keeps_all(self) -> bool:
        """Return whether values are compared completely."""
        return self.nulls == self.empties == "value" and not self.ignore_paths

    def reduced(self, value: Any, path: str = "$") -> Any:
        """Return the value without ignored fields and, bottom up, fields that count as absent.

        >>> comparison = LeafComparison(Equality(str), empties="absent")
        >>> comparison.reduced({"a": {"b": ""}, "c": 0, "d": [""]})
        {'c': 0, 'd': ['']}
        """
        if isinstance(value, dict):
            fields = {}
            for key, inner in value.items():
                inner_path = step(path, key)
                if inner_path in self.ignore_paths:
                    continue
                inner = self.reduced(inner, inner_path)
                if inner is None and self.nulls == "absent":
                    continue
                is_empty = isinstance(inner, str | list | dict) and not inner
                if is_empty and self.empties == "absent":
                    continue
                fields[key] = inner
            return fields
        if isinstance(value, list):
            items = []
            for inner in value:
                items.append(self.reduced(inner, f"{path}[]"))
            return items
        return value

    def leaves(self, value: Any) -> int:
        """Return the number of leaves of a value.

        >>> LeafComparison(Equality(str)).leaves({"a": [1, {}], "b": None})
        3
        """
        total = 0
        waiting = [value]
        while waiting:
            inner = waiting.pop()
            if isinstance(inner, dict | list) and inner:
                waiting.extend(inner.values() if isinstance(inner, dict) else inner)
            elif isinstance(inner, dict | list):
                total += self._empty_leaves
            else:
                total += 1
        return total

    def matched(self, predicted: Any, expected: Any) -> int:
        """Return the number of leaves that match."""
        return self._matched(predicted, expected, _Cache())

    def _matched(self, predicted: Any, expected: Any, cache: _Cache) -> int:
        if isinstance(predicted, dict) and isinstance(expected, dict):
            if not predicted and not expected:
                return self._empty_leaves
            total = 0
            for key, value in predicted.items():
                if key in expected:
                    total += self._matched(value, expected[key], cache)
            return total
        if isinstance(predicted, list) and isinstance(expected, list):
            if not predicted and not expected:
                return self._empty_leaves
            if self.equality.list_order == "any":
                pair = id(predicted), id(expected)
                matches = cache.matches.get(pair)
                if matches is None:
                    matches = self._matched_in_any_order(predicted, expected, cache)
                    cache.matches[pair] = matches
                return matches
            total = 0
            for value, target in zip(predicted, expected, strict=False):
                total += self._matched(value, target, cache)
            return total
        if isinstance(predicted, dict | list) or isinstance(expected, dict | list):
            return 0
        return int(self.equality.scalars(predicted, expected))

    def _matched_in_any_order(
        self, predicted: Sequence[Any], expected: Sequence[Any], cache: _Cache
    ) -> int:
        """Return the largest number of leaves that match, items paired one to one.

        Equal items are paired first. This is optimal if equality is transitive: if c is on both
        sides, then a leaf of b that matches c, which matches a, matches a as well.
        """
        total = 0
        rows, columns = list(range(len(predicted))), list(range(len(expected)))
        if self.equality.is_transitive:
            keys, targets = (
                [self.equality.key(value, cache.keys) for value in side]
                for side in (predicted, expected)
            )
            pairs = equal_pairs(keys, targets)
            for row, _ in pairs:
                total += self.leaves(predicted[row])
            rows, columns = _unpaired(predicted, expected, pairs)
        if not rows or not columns:
            return total
        table: list[list[int]] = []
        for row in rows:  # comprehensions would be frames of each level
            table.append([])
            for column in columns:
                table[-1].append(self._matched(predicted[row], expected[column], cache))
        if len(rows) == 1 or len(columns) == 1:
            return total + max(map(max, table))
        matches = np.array(table)
        return total + int(matches[best_assignment(-matches)].sum())

    # ---- by path --------------------------------------------------------------------------------

    def by_path(self, predicted: Any, expected: Any) -> PathCounts:
        """Return for each path the number of leaves that match, are wrong, missing and extra.

        Matched, wrong and extra leaves of all paths add up to the predicted leaves; matched, wrong
        and missing ones to the expected leaves.

        >>> LeafComparison(Equality(str)).by_path({"a": 1, "b": 2}, {"a": 3, "c": 4})
        {'$.a': [0, 1, 0, 0], '$.b': [0, 0, 0, 1], '$.c': [0, 0, 1, 0]}
        """
        counts: PathCounts = {}
        self._compare(predicted, expected, "$", counts, _Cache())
        return counts

    def _compare(
        self, predicted: Any, expected: Any, path: str, counts: PathCounts, cache: _Cache
    ) -> None:
        if isinstance(predicted, dict) and isinstance(expected, dict):
            self._count_empty(predicted, expected, path, counts)
            for key in sorted(predicted.keys() | expected.keys()):
                values = predicted.get(key, ABSENT), expected.get(key, ABSENT)
                self._compare(*values, step(path, key), counts, cache)
        elif isinstance(predicted, list) and isinstance(expected, list):
            self._count_empty(predicted, expected, path, counts)
            rows, columns = set(range(len(predicted))), set(range(len(expected)))
            for row, column in self._pairs(predicted, expected, cache):
                rows.remove(row)
                columns.remove(column)
                self._compare(predicted[row], expected[column], f"{path}[]", counts, cache)
            for row in rows:
                self._count_leaves(predicted[row], f"{path}[]", _EXTRA, counts)
            for column in columns:
                self._count_leaves(expected[column], f"{path}[]", _MISSING, counts)
        elif _is_scalar(predicted) and _is_scalar(expected):
            is_match = self.equality.scalars(predicted, expected)
            _add(counts, path, _MATCH if is_match else _WRONG)
        else:
            self._count_leaves(expected, path, _MISSING, counts)
            self._count_leaves(predicted, path, _EXTRA, counts)

    def _count_empty(self, predicted: Any, expected: Any, path: str, counts: PathCounts) -> None:
        """Count an empty list or object as one leaf."""
        if self.empties == "absent" or (predicted and expected):
            return
        if predicted or expected:
            _add(counts, path, _MISSING if predicted else _EXTRA)
        else:
            _add(counts, path, _MATCH)

    def _count_leaves(self, value: Any, path: str, kind: int, counts: PathCounts) -> None:
        """Count all leaves of a value that is missing on the other side."""
        if isinstance(value, dict) and value:
            for key, inner in value.items():
                self._count_leaves(inner, step(path, key), kind, counts)
        elif isinstance(value, list) and value:
            for inner in value:
                self._count_leaves(inner, f"{path}[]", kind, counts)
        elif isinstance(value, dict | list):
            if self.empties == "value":
                _add(counts, path, kind)
        elif value is not ABSENT:
            _add(counts, path, kind)

    def _pairs(
        self, predicted: Sequence[Any], expected: Sequence[Any], cache: _Cache
    ) -> list[tuple[int, int]]:
        """Return the items that are compared with each other.

        In any order these are the pairs with most matching leaves, and among those with the
        smallest sum of |i - j|: the cost of a pair is an integer, so that this is exact. Pairs
        without a matching leaf are separated.
        """
        if self.equality.list_order == "ordered":
            return [(n, n) for n in range(min(len(predicted), len(expected)))]
        pairs: list[tuple[int, int]] = []
        rows, columns = list(range(len(predicted))), list(range(len(expected)))
        cells = len(rows) * len(columns)
        if cells > _CELLS and self.equality.is_transitive:
            keys, targets = ([self.equality.key(v) for v in side] for side in (predicted, expected))
            pairs = equal_pairs(keys, targets)
            rows, columns = _unpaired(predicted, expected, pairs)
        if not rows or not columns:
            return pairs
        table = np.zeros((len(rows), len(columns)), np.int64)
        for row, number in enumerate(rows):  # comprehensions would be frames of each level
            for column, position in enumerate(columns):
                pair = predicted[number], expected[position]
                table[row, column] = self._matched(*pair, cache)
        distances = np.abs(np.subtract.outer(rows, columns))
        numbers_of_pairs = best_assignment(distances - table * (cells + 1))
        for row, column in zip(*(numbers.tolist() for numbers in numbers_of_pairs), strict=True):
            if table[row, column] > 0:
                pairs.append((rows[row], columns[column]))
        return pairs


def _unpaired(
    predicted: Sequence[Any], expected: Sequence[Any], pairs: Sequence[tuple[int, int]]
) -> tuple[list[int], list[int]]:
    """Return the positions of items without an equal one, but perhaps with equal leaves."""
    rows, columns = {row for row, _ in pairs}, {column for _, column in pairs}
    return (
        [n for n, value in enumerate(predicted) if n not in rows and not _is_leaf(value)],
        [n for n, value in enumerate(expected) if n not in columns and not _is_leaf(value)],
    )


def _is_leaf(value: Any) -> bool:
    return not isinstance(value, dict | list) or not value


def _is_scalar(value: Any) -> bool:
    return value is not ABSENT and not isinstance(value, dict | list)


def _add(counts: PathCounts, path: str, kind: int) -> None:
    counts.setdefault(path, [0, 0, 0, 0])[kind] += 1
