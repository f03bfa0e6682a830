"""Digests of columns, which show whether two results come from the same rows, in any order."""

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np

from .arrays import Unsigned

_MODULUS = 1 << 64


def row_digest(rows: Sequence[Any]) -> int:
    """The digest of a column: the sum of one number per row, so that digests of parts add up.

    A text and a list of just that text have the same digest. The digest detects accidental
    differences; it does not protect against columns forged to look alike.

    >>> row_digest(["a", ["b"]]) == added(row_digest(["b"]), row_digest(["a"]))
    True
    >>> row_digest(["a", "b"]) == row_digest(["a", "c"])
    False
    """
    to_list = getattr(rows, "to_pylist", None) or getattr(rows, "tolist", None)
    listed = to_list() if to_list else rows
    texts = _texts(listed)
    try:
        codes = np.fromiter(map(crc32, map(str.encode, texts)), np.uint64, len(listed))
    except UnicodeEncodeError:
        data = (text.encode("utf-8", "surrogatepass") for text in texts)
        codes = np.fromiter(map(crc32, data), np.uint64, len(listed))
    return int(scattered(codes).sum(dtype=np.uint64)) % _MODULUS


def added(first: int, second: int) -> int:
    """The digest of two parts together."""
    return (first + second) % _MODULUS


def _texts(rows: Sequence[Any]) -> Sequence[str]:
    """The text of each row; columns of a single type are converted in one go, which is faster."""
    kinds = set(map(type, rows))
    if kinds == {str}:
        return rows
    if kinds == {int}:
        return list(map(repr, rows))
    if kinds == {list}:
        return [row[0] if len(row) == 1 and type(row[0]) is str else repr(row) for row in rows]
    return list(map(_text, rows))


def _text(row: Any) -> str:
    if hasattr(row, "tolist"):
        row = row.tolist()
    if isinstance(row, tuple):
        row = list(row)
    if isinstance(row, list) and len(row) == 1 and isinstance(row[0], str):
        row = row[0]
    return row if isinstance(row, str) else repr(row)


def scattered(codes: Unsigned) -> Unsigned:
    """The codes spread over 64 bits, so that different codes hardly ever have equal sums.

    Source:
        The finalizer of SplitMix64 (Steele, Lea and Flood 2014).
    """
    mixed = (codes + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)  # so that empty texts count too
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
