"""Ids of queries and documents as bytes, which can be compared for all rows at once."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Bytes, Integers, Unsigned

HASHED = 1 << 15  # ids hashed at a time: few enough for the processor's cache

# The constants of SplitMix64 (Steele, Lea and Flood 2014), whose multipliers spread every bit.
GOLDEN, _MULTIPLIER_1, _MULTIPLIER_2 = (
    np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
_HALF = np.uint64(32)


def encoded(text: str) -> bytes:
    r"""Return the bytes of an id as in the file that it came from, or in UTF-8.

    Python decodes a byte that is not UTF-8 as a single surrogate (PEP 383). Here the surrogate
    becomes that byte again.

    >>> encoded("\udcff"), encoded("\ud800")
    (b'\xff', b'\xed\xa0\x80')
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that does not come from decoding a byte
        return text.encode("utf-8", "surrogatepass")


def decoded(data: bytes) -> str:
    r"""Return the inverse of `encoded`.

    >>> decoded(b"\xff") == "\udcff"
    True
    """
    return data.decode("utf-8", "surrogateescape")


class Ids(NamedTuple):
    """Ids as slices of one array of bytes."""

    data: Bytes  # eight bytes beyond its last slice, so that words can be read from any byte
    starts: Integers
    lengths: Integers

    @classmethod
    def from_texts(cls, texts: Sequence[str]) -> "Ids":
        """Return the ids encoded as UTF-8, which sorts as code points do.

        >>> Ids.from_texts(["a", "é"]).lengths.tolist()
        [1, 2]
        """
        encodings = list(map(encoded, texts))
        lengths = np.fromiter(map(len, encodings), np.int64, len(encodings))
        data = b"".join([*encodings, bytes(8)])
        return cls.from_padded(np.frombuffer(data, np.uint8), lengths)

    @classmethod
    def from_padded(cls, data: Bytes, lengths: Integers) -> "Ids":
        """Return the ids of these lengths, concatenated in data with eight bytes more."""
        # Halving the bytes of each number saves much memory for a run of millions of rows.
        kind = np.int32 if len(data) < 2**31 else np.int64
        lengths = lengths.astype(kind, copy=False)
        starts: Integers = np.cumsum(lengths, dtype=kind)
        starts -= lengths
        return cls(data, starts, lengths)

    @property
    def longest(self) -> int:
        """Return the length of the longest id in bytes."""
        return int(self.lengths.max(initial=0))

    def texts(self) -> list[str]:
        """Return the ids as strings."""
        data, ends = self.data.tobytes(), self.starts + self.lengths
        slices = zip(self.starts.tolist(), ends.tolist(), strict=True)
        return [decoded(data[start:end]) for start, end in slices]

    def take(self, rows: Integers) -> "Ids":
        """Return the ids of these rows; no byte is copied."""
        return Ids(self.data, self.starts[rows], self.lengths[rows])

    def words(self, offset: int) -> Unsigned:
        """Return eight bytes of each id, starting at this offset, as one big-endian number.

        Past the end of an id the bytes are zero. Comparing such words one after another is the same
        as comparing bytes.

        >>> [hex(word) for word in Ids.from_texts(["ab", "abcdefghi"]).words(0).tolist()]
        ['0x6162000000000000', '0x6162636465666768']
        >>> Ids.from_texts(["ab", "abcdefghi"]).words(8).tolist() == [0, ord("i") << 56]
        True
        """
        # A view with a stride of one byte has a word at every byte, without copying.
        words = np.ndarray((len(self.data) - 7,), ">u8", self.data.data, strides=(1,))
        remaining = self.lengths - offset
        starts = self.starts + offset
        if remaining.size and int(remaining.min()) >= 8:
            return words[starts].astype(np.uint64)
        np.minimum(starts, len(words) - 1, out=starts)
        return words[starts].astype(np.uint64) & _FIRST_BYTES[np.clip(remaining, 0, 8)]

    def hashes(self) -> Unsigned:
        """Return a 64-bit hash of each id.

        It depends only on the id, not on the length of other ids: the zero words past the end
        of an id add 0 to its hash.

        >>> first, second = Ids.from_texts(["a", "b"]).hashes()
        >>> bool(first == second), bool(first == Ids.from_texts(["a", "much longer"]).hashes()[0])
        (False, True)
        """
        hashes = np.empty(len(self.lengths), np.uint64)
        for start in range(0, len(hashes), HASHED):
            rows = slice(start, start + HASHED)
            hashes[rows] = _hashes(Ids(self.data, self.starts[rows], self.lengths[rows]))
        return hashes


def _hashes(ids: Ids) -> Unsigned:
    hashes = ids.lengths.astype(np.uint64) * _MULTIPLIER_1
    rows: Integers | slice = slice(None)
    for offset in range(0, ids.longest, 8):
        if offset and int(ids.lengths.min()) <= offset:
            rows = np.flatnonzero(ids.lengths > offset)
        words = (ids if isinstance(rows, slice) else ids.take(rows)).words(offset)
        words *= _MULTIPLIER_2 + np.uint64(2 * offset)
        words ^= words >> _HALF
        hashes[rows] += words * GOLDEN
    hashes ^= hashes >> _HALF
    return hashes * _MULTIPLIER_2


# Masks that keep the first n bytes of a word, for n from 0 to 8.
_FIRST_BYTES = np.array([2**64 - 2 ** (8 * (8 - n)) for n in range(9)], dtype=np.uint64)
