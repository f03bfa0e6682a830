"""The bytes of files and pipes, decompressed and hashed while they are read, within limits."""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import re
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Self

from .access import (
    GrowthLimit,
    Limits,
    LineLimit,
    check_unchanged,
    check_whole,
    default_limits,
    open_file,
    state_of,
)

STANDARD_INPUT = Path("-")
_CHUNK = 1 << 18  # bytes to read and hash at a time
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
    """

    def __init__(
        self,
        path: Path,
        limits: Limits | None = None,
        advance: Callable[[int], object] | None = None,
    ) -> None:
        self.path, self.limits = path, limits or default_limits()
        self._advance = advance
        self._hash = hashlib.sha256()
        self._file: Any = None
        self._stored: Any = None  # the bytes as stored
        self._temporary: IO[bytes] | None = None
        self.is_compressed = False
        self._stored_bytes = 0  # read so far
        self.content: Any = None  # the decompressed bytes

    def __enter__(self) -> Self:
        is_file = self.path != STANDARD_INPUT
        self._file = open_file(self.path) if is_file else sys.stdin.buffer
        try:
            self._look(is_file)
        except BaseException:
            self.__exit__()
            raise
        return self

    def _look(self, is_file: bool) -> None:
        """Read the start, which shows whether the content is compressed."""
        self._state = state_of(self._file) if is_file else None
        observers: list[Callable[[memoryview], object]] = [self._hash.update, self._count]
        if self._advance is not None:
            advance = self._advance
            observers.append(lambda data: advance(len(data)))
        self._stored = io.BufferedReader(_Observed(self._file, observers), _CHUNK)
        lines = LineLimit(self.limits.line)
        decompressed = _decompressed(self._stored)
        if decompressed is None:
            lines.observe(memoryview(self._stored.peek()))  # already read to detect the compression
            observers.append(lines.observe)
            self.content = self._stored
        else:
            self.is_compressed = True
            size = self.size
            growth = GrowthLimit(self.limits, lambda: size or self._stored_bytes)
            self.content = io.BufferedReader(
                _Observed(decompressed, [growth.observe, lines.observe]), _CHUNK
            )
        self._lines = lines

    def _count(self, data: memoryview) -> None:
        self._stored_bytes += len(data)

    def __exit__(self, *error: object) -> None:
        if self._temporary is not None:
            self._temporary.close()
        if self.path != STANDARD_INPUT:
            self._file.close()

    @property
    def size(self) -> int | None:
        """Return the number of stored bytes; None for a pipe."""
        status = os.fstat(self._file.fileno()) if self.path != STANDARD_INPUT else None
        return status.st_size if status is not None and status.st_size else None

    def start(self) -> bytes:
        """Return the first bytes of the content, which remain to be read."""
        data: bytes = self.content.peek(1)
        return data

    def chunks(self) -> Iterator[bytes]:
        """Yield the remaining content, whose lines may be of any length."""
        self._lines.limit = sys.maxsize
        while data := self.content.read(_CHUNK):
            yield data

    def text(self) -> str:
        """Return the remaining content, as text without a byte order mark.

        Raises:
            ValueError: it exceeds the limit of what is read as a whole.
        """
        data = bytearray()
        for chunk in self.chunks():
            data += chunk
            check_whole(len(data), self.limits.whole)
        return data.decode("utf-8", "surrogatepass").removeprefix("\ufeff")

    def seekable(self) -> IO[bytes]:
        """Return the content as a seekable temporary file.

        Raises:
            ValueError: it was compressed, and exceeds the limit of what is read as a whole.
        """
        self._temporary = tempfile.TemporaryFile()  # noqa: SIM115 # closed with the stream
        for chunk in self.chunks():
            if chunk.strip(b"\0"):
                self._temporary.write(chunk)
            else:  # zeros of a sparse file take no space in the copy either
                self._temporary.seek(len(chunk), os.SEEK_CUR)
            if self.is_compressed:
                check_whole(self._temporary.tell(), self.limits.whole)
        self._temporary.truncate()
        self._temporary.seek(0)
        return self._temporary

    def sha256(self) -> str:
        """Return the hash of the stored bytes, after reading the rest of them.

        Raises:
            ValueError: the file has changed since it was opened.
        """
        while self._stored.read(_CHUNK):
            pass
        if self.path != STANDARD_INPUT:
            check_unchanged(self._file, self._state, "the file")
        return self._hash.hexdigest()


class _Observed(io.RawIOBase):
    """A source of bytes that passes all bytes to observers."""

    def __init__(self, source: Any, observers: list[Callable[[memoryview], object]]) -> None:
        self._source, self._observers = source, observers

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count: int = self._source.readinto(buffer) or 0
        data = memoryview(buffer)[:count]
        for observe in self._observers:
            observe(data)
        return count


class _Streams(io.RawIOBase):
    """The content of one or several compressed streams, which zeros may separate.

    Python's own classes end silently before a stream whose first bytes are damaged.
    """

    def __init__(self, stored: io.BufferedReader, start: Callable[[], Any]) -> None:
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


def _decompressed(stored: io.BufferedReader) -> Any:
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


def uncompressed(data: bytes, limits: Limits, subject: str) -> bytes:
    """Return the content of compressed bytes; other bytes unchanged.

    Raises:
        ValueError: it exceeds a limit.

    >>> [uncompressed(data, Limits(), "x") for data in (gzip.compress(b"x"), b"x")]
    [b'x', b'x']
    """
    compressed = _decompressed(io.BufferedReader(io.BytesIO(data)))
    if compressed is None:
        return data
    growth = GrowthLimit(limits, lambda: len(data), subject)
    content = bytearray()
    while chunk := compressed.read(_CHUNK):
        content += chunk
        growth.observe(memoryview(chunk))
        check_whole(len(content), limits.whole, subject)
    return bytes(content)


def broken_compression() -> tuple[type[Exception], ...]:
    """Return the errors that libraries raise for truncated or damaged compressed bytes.

    They also raise an OSError without a number.
    """
    return EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile
