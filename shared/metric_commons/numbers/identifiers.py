"""Ids of queries and documents as bytes: compared, sorted and matched for all rows at once."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Integers, Unsigned


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


def decoded(data: bytes) -> str:
    r"""The inverse of `encoded`.

    >>> decoded(b"\xff") == "\udcff"
    True
    """
    return data.decode("utf-8", "surrogateescape")


class Ids(NamedTuple):
    """Document ids as slices of one array of bytes."""

    data: NDArray[np.uint8]  # eight bytes longer than its last slice
    starts: Integers
    lengths: Integers

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Ids":
        """The ids as UTF-8, whose order is that of code points.

        >>> Ids.of(["a", "é"]).lengths.tolist()
        [1, 2]
        """
        pieces = list(map(encoded, texts))
        return cls.sliced(b"".join(pieces), np.fromiter(map(len, pieces), np.int64, len(pieces)))

    @classmethod
    def sliced(cls, data: bytes, lengths: Integers) -> "Ids":
        """Ids that stand one after another."""
        return cls(np.frombuffer(data + bytes(8), np.uint8), np.cumsum(lengths) - lengths, lengths)

    @property
    def longest(self) -> int:
        """The length of the longest id in bytes."""
        return int(self.lengths.max(initial=0))

    def texts(self) -> list[str]:
        """The ids as strings."""
        data, ends = self.data.tobytes(), self.starts + self.lengths
        slices = zip(self.starts.tolist(), ends.tolist(), strict=True)
        return [decoded(data[start:end]) for start, end in slices]

    def take(self, rows: Integers) -> "Ids":
        """The ids of some rows; no byte is copied."""
        return Ids(self.data, self.starts[rows], self.lengths[rows])

    def words(self, at: int) -> Unsigned:
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
