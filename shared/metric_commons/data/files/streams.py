"""The bytes of files and pipes, decompressed and hashed while they are read.

Compressed content has one limit, so that a small file cannot fill the memory: it may be 1,000 times
as large as what is stored.
"""

import bz2
import gzip
import hashlib
import io
import lzma
import re
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Self

from .access import open_file, state_of

STANDARD_INPUT = Path("-")
_CHUNK = 1 << 18  # bytes to read and hash at a time
_RATIO = 1000  # how many times larger than its file compressed content may be
_FREE = 10_000_000  # bytes of content that any compressed file may have
_GZIP, _BZIP2, _XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00"
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")  # a frame without content, as pzstd writes
_SUFFIXES = (".gz", ".bz2", ".xz", ".zst")


def stem(path: Path) -> str:
    """Return the file's name without the suffixes of its format and compression.

    >>> stem(Path("runs/v1.2.jsonl.gz")), stem(STANDARD_INPUT)
    ('v1.2', 'standard input')
    """
    return "standard input" if path == STANDARD_INPUT else Path(uncompressed_name(path)).stem


def suffix(path: Path) -> str:
    """Return the suffix of the file's format, in lower case without the dot.

    >>> suffix(Path("runs/v1.2.JSONL.gz"))
    'jsonl'
    """
    return Path(uncompressed_name(path)).suffix.lower().removeprefix(".")


def uncompressed_name(path: Path) -> str:
    """Return the file's name without the suffix of its compression."""
    return path.stem if path.suffix.lower() in _SUFFIXES else path.name


class Stream:
    """The decompressed bytes of a file, or of standard input for the path `-`.

    The hash is of exactly the bytes that were read; a file that changes meanwhile is refused.

    Args:
        path: the file.
        advance: called with the number of bytes that were read each time.
    """

    def __init__(self, path: Path, advance: Callable[[int], object] | None = None) -> None:
        self.path, self._advance = path, advance
        self._hash = hashlib.sha256()
        self._is_hashed = False
        self._stored_bytes = self._content_bytes = 0  # read so far

    def __enter__(self) -> Self:
        is_file = self.path != STANDARD_INPUT
        self._file: Any = open_file(self.path) if is_file else sys.stdin.buffer
        self._state = state_of(self._file) if is_file else None
        # The bytes as stored, and the decompressed ones.
        self._stored: io.BufferedReader[Any] = io.BufferedReader(
            _Observed(self._file, self._note), _CHUNK
        )
        self.content: io.BufferedReader[Any] = self._stored
        try:
            decompressed = _decompressed(self._stored)
        except BaseException:
            self.__exit__()
            raise
        self.is_compressed = decompressed is not None
        if decompressed is not None:
            self.content = io.BufferedReader(_Observed(decompressed, self._check_growth), _CHUNK)
        return self

    def __exit__(self, *error: object) -> None:
        if self.path != STANDARD_INPUT:
            self._file.close()

    def _note(self, data: memoryview) -> None:
        self._hash.update(data)
        self._stored_bytes += len(data)
        if self._advance is not None:
            self._advance(len(data))

    def _check_growth(self, data: memoryview) -> None:
        self._content_bytes += len(data)
        check_ratio(self._content_bytes, self.size or self._stored_bytes, "the content")

    @property
    def size(self) -> int | None:
        """Return the number of stored bytes; None for a pipe."""
        return self._state[0] if self._state else None

    def start(self) -> bytes:
        """Return the first bytes of the content, which remain to be read."""
        return self.content.peek(1)

    def seekable(self) -> IO[bytes]:
        """Return the whole content as a seekable file: in memory, unless it is stored as it is."""
        if self.is_compressed or self._state is None:
            return io.BytesIO(self.content.read())
        self._hash_rest()
        self._file.seek(0)
        self.content = io.BufferedReader(self._file)
        return self.content

    def sha256(self) -> str:
        """Return the hash of the stored bytes, after reading the rest of them.

        Raises:
            ValueError: the file has changed since it was opened.
        """
        self._hash_rest()
        if self.path != STANDARD_INPUT and state_of(self._file) != self._state:
            raise ValueError("the file has changed while it was read")
        return self._hash.hexdigest()

    def _hash_rest(self) -> None:
        while not self._is_hashed:
            self._is_hashed = not self._stored.read(_CHUNK)


class _Observed(io.RawIOBase):
    """A source of bytes that shows all bytes to a function."""

    def __init__(self, source: Any, observe: Callable[[memoryview], object]) -> None:
        self._source, self._observe = source, observe

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self._source.readinto(buffer) or 0
        self._observe(memoryview(buffer)[:count])
        return count


class _Streams(io.RawIOBase):
    """The content of one or several compressed streams, which zeros may separate.

    Python's own classes end silently before a stream whose first bytes are damaged.
    """

    def __init__(self, stored: "io.BufferedReader[Any]", start: Callable[[], Any]) -> None:
        self._stored, self._start = stored, start
        self._stream = start()

    def readinto(self, buffer: Any) -> int:
        while True:
            part = b""
            if self._stream.eof:
                part = self._stream.unused_data.lstrip(b"\0")
                while not part and (block := self._stored.read1(_CHUNK)):
                    part = block.lstrip(b"\0")
                if not part:
                    return 0
                self._stream = self._start()
            elif self._stream.needs_input:
                part = self._stored.read1(_CHUNK)
                if not part:
                    raise EOFError("the compressed content ends too early")
            data = self._stream.decompress(part, len(buffer))
            if data:
                buffer[: len(data)] = data
                return len(data)


def _decompressed(stored: "io.BufferedReader[Any]") -> Any:
    """Return the content of compressed bytes, detected by their start; None if not compressed."""
    start = stored.peek(len(_XZ))
    if start.startswith(_GZIP):
        return gzip.GzipFile(fileobj=stored)
    if start.startswith(_BZIP2):
        return _Streams(stored, bz2.BZ2Decompressor)
    if start.startswith(_XZ):
        return _Streams(stored, lzma.LZMADecompressor)
    if start.startswith(_ZSTANDARD) or _SKIPPABLE.match(start):
        import pyarrow as pa

        return pa.CompressedInputStream(stored, "zstd")  # an end within a frame is an OSError
    return None


def uncompressed(data: bytes, size: int) -> bytes:
    """Return at most this many bytes of the content of compressed bytes.

    >>> uncompressed(gzip.compress(b"text"), 4)
    b'text'
    """
    content: bytes = _decompressed(io.BufferedReader(io.BytesIO(data))).read(size)
    return content


class UnpackedSizeError(ValueError):
    """Compressed content is suspiciously large, and may be made to fill the memory."""


def check_ratio(size: int, stored: int, subject: str) -> None:
    """Check that compressed content is not suspiciously much larger than its compressed size.

    Args:
        size: the bytes of the content so far.
        stored: the bytes that are stored.
        subject: the content in the message.

    Raises:
        UnpackedSizeError: it is.

    >>> check_ratio(9_000_000, 759, "x")
    """
    if size > _FREE and size > _RATIO * stored:
        raise UnpackedSizeError(
            f"{subject} is more than {_RATIO:,} times as large as the {stored:,} bytes stored, "
            "which is the limit; decompress it first"
        )


def broken_compression() -> tuple[type[Exception], ...]:
    """Return the errors that libraries raise for truncated or damaged compressed bytes.

    They also raise an OSError without a number.
    """
    return EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile
