"""JSON files with a format number, written atomically, and the values in them."""

import hashlib
import json
import math
import os
import secrets
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

from ...statistics.arguments.checks import shown
from .access import create_file, read_file, target_to_write
from .json_rows import fault_of

OPEN_FILES = ("/dev/stdout", "/dev/stderr", "/dev/fd/")
DAMAGES = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError)


class Stored(ABC):
    """An object that is stored as JSON in its own format, usually in a file."""

    FORMAT: ClassVar[str]

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the format and the content, as values that JSON can hold."""

    @classmethod
    @abstractmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return the inverse of `to_dict`."""

    def to_json(self) -> str:
        """Return JSON in ASCII, which any locale can hold, with a checksum of the content."""
        content = self.to_dict()
        content["sha256"] = checksum(content)
        return json.dumps(content, indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the inverse of `to_json`.

        Raises:
            ValueError: the text has another format, or its content was changed.
        """
        try:
            content = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            problem = f"not a JSON object in the format {cls.FORMAT}: {fault_of(error)}"
            raise ValueError(problem) from error
        stored = content.get("format") if isinstance(content, dict) else None
        if stored != cls.FORMAT:
            hint = f", but {shown(stored)}: score again" if stored else ""
            raise ValueError(f"not in the format {cls.FORMAT}{hint}")
        if content.pop("sha256", None) != checksum(content):
            raise ValueError("the content has changed since it was written; score again")
        try:
            return cls.from_dict(content)
        except DAMAGES as error:
            raise ValueError(f"not a complete {cls.FORMAT}: {error}") from error

    def save(self, path: str | Path) -> None:
        """Write a file atomically."""
        write_whole(path, [self.to_json(), "\n"])

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Return the object in a file that `save` wrote.

        Raises:
            ValueError: the file has another format.
            OSError: it cannot be read.
        """
        refuse_device(path)
        try:
            return cls.from_json(read_file(path).decode())
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error


def checksum(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the content as JSON, without the spaces of its file."""
    return hashlib.sha256(json.dumps(content, allow_nan=False).encode()).hexdigest()


def to_jsonable(value: Any) -> Any:
    """Return the value for JSON: NaN and infinities become None, and functions their names.

    >>> to_jsonable({"roc_auc": float("nan"), "k": (1, 10), "normalizer": str.lower})
    {'roc_auc': None, 'k': [1, 10], 'normalizer': 'str.lower'}
    """
    match value:
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {str(key): to_jsonable(item) for key, item in value.items()}
        case list() | tuple():
            return [to_jsonable(item) for item in value]
        case _:
            return option_text(value) if callable(value) else value


def option_texts(options: Mapping[str, Any]) -> list[str]:
    """Return each option with its value as text, as in a signature.

    >>> option_texts({"normalizer": "squad", "both_empty": 0.0})
    ['normalizer=squad', 'both_empty=0.0']
    """
    return [f"{name}={option_text(value)}" for name, value in options.items()]


def option_text(value: Any) -> str:
    """Return the value of an option as text in a signature; functions include their modules.

    >>> option_text(["boxed", {"regex": "[0-9]+", "group": -1}, math.fsum, str.lower])
    'boxed,{"regex": "[0-9]+", "group": -1},math:fsum,str.lower'
    """
    if isinstance(value, list | tuple):
        return ",".join(map(option_text, value))
    if isinstance(value, Mapping):
        return json.dumps(to_jsonable(value))
    if callable(value):
        module = getattr(value, "__module__", None)
        name = str(getattr(value, "__qualname__", type(value).__name__))
        return f"{module}:{name}" if module else name
    return str(value)


def from_jsonable(value: Any) -> Any:
    """Return the value read from JSON, with NaN where `to_jsonable` wrote None."""
    match value:
        case None:
            return math.nan
        case dict():
            return {key: from_jsonable(item) for key, item in value.items()}
        case list():
            return [from_jsonable(item) for item in value]
    return value


def refuse_device(path: str | Path) -> None:
    """Refuse a device such as /dev/zero, whose content may never end.

    Raises:
        ValueError: the path is a device.
        OSError: there is no such file.

    >>> refuse_device("/dev/zero")
    Traceback (most recent call last):
    ValueError: /dev/zero is a device, not a file
    """
    is_device = stat.S_ISCHR(os.stat(path).st_mode)
    if is_device and not str(path).startswith(("/dev/stdin", "/dev/fd/", "/dev/null")):
        raise ValueError(f"{path} is a device, not a file")


def write_whole(path: str | Path, pieces: Iterable[str | bytes]) -> None:
    """Write a file atomically: a temporary file in the same folder is renamed at the end.

    Missing folders are created. If writing fails, an existing file does not change. A file that is
    replaced keeps its mode, so that private files stay private. Open files, such as /dev/stdout,
    are written directly.

    Raises:
        ValueError: the name has control characters, or the path is not that of a file.
        OSError: the file cannot be written.
    """
    data = (piece if isinstance(piece, bytes) else piece.encode() for piece in pieces)
    if str(path).startswith(OPEN_FILES):
        with open(path, "wb") as file:
            file.writelines(data)
        return
    target = target_to_write(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".metric-commons-{secrets.token_hex(8)}")
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    created = 0o666 if mode is None else 0o666 & mode
    try:
        with create_file(temporary, created) as file:
            file.writelines(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)
