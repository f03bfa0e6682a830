"""Values sent between processes as JSON: plain values of Python, with their exact types.

A program must not influence how the other side reads its values, so there is no pickle: `unpacked`
creates only builtin types, whose `==` is honest. The file needs only the standard library, since
supervisors import nothing else.
"""

import os
import struct
from typing import Any

_DEEPEST = 100  # levels of nesting
_CONTAINERS = (("l", list), ("t", tuple), ("s", set), ("z", frozenset))
_MESSAGE = 500  # characters


def packed(value: Any, depth: int = 0) -> Any:
    """Return a plain value as JSON; instances of subclasses become instances of their base class.

    Raises:
        TypeError: the value is of another class, or nested more than 100 levels deep.

    >>> packed([1, (2.5, None)])
    {'l': [{'i': '0x1'}, {'t': [{'f': '2.5'}, None]}]}
    """
    if depth > _DEEPEST:
        raise TypeError("nested too deeply")
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if isinstance(value, int):
        return {"i": hex(int.__index__(value))}  # text: JSON refuses more than 4,300 digits
    if isinstance(value, float):
        return {"f": float.__repr__(value)}
    if isinstance(value, complex):
        return {"c": [value.real.hex(), value.imag.hex()]}
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (bytes, bytearray)):
        return {"b": bytes(value).hex()}
    for tag, container in _CONTAINERS:
        if isinstance(value, container):
            items: Any = container.__iter__(value)  # type: ignore[arg-type]
            return {tag: [packed(item, depth + 1) for item in items]}
    if isinstance(value, dict):
        pairs = dict.items(value)
        return {"d": [[packed(key, depth + 1), packed(item, depth + 1)] for key, item in pairs]}
    if hasattr(value, "tolist"):  # an array of numpy
        return packed(value.tolist(), depth + 1)
    raise TypeError(f"an object of class {kind.__name__} is not a plain value")


def unpacked(value: Any) -> Any:
    """Return the inverse of `packed`.

    Raises:
        ValueError, TypeError, KeyError, RecursionError: the input does not come from `packed`.

    >>> unpacked(packed({"a": [1, (2, 3)], None: {4}}))
    {'a': [1, (2, 3)], None: {4}}
    """
    if not isinstance(value, dict):
        return value
    ((tag, body),) = value.items()
    if tag == "i":
        return int(body, 16)
    if tag == "f":
        return float(body)
    if tag == "c":
        return complex(*map(float.fromhex, body))
    if tag == "b":
        return bytes.fromhex(body)
    if tag == "d":
        return {unpacked(key): unpacked(item) for key, item in body}
    return dict(_CONTAINERS)[tag](map(unpacked, body))


def error_message(error: BaseException) -> str:
    """Return the class of an error and its text, which may be hostile: cut, and without surrogates.

    >>> error_message(ValueError("no"))
    'ValueError: no'
    """
    name = type(error).__name__
    try:
        text = f"{name}: {error}"
    except BaseException:  # its __str__ fails
        text = name
    return text[:_MESSAGE].encode("utf-8", "backslashreplace").decode()


def send_text(descriptor: int, text: str) -> None:
    """Send a text of ASCII, after four bytes with its length."""
    content = text.encode("ascii")
    content = struct.pack("<I", len(content)) + content
    while content:
        content = content[os.write(descriptor, content) :]


def receive_text(descriptor: int, limit: int = 1 << 28) -> str:
    """Return the next text.

    Raises:
        EOFError: the other end is closed.
        ValueError: the text is longer than `limit`.
    """
    (size,) = struct.unpack("<I", _exactly(descriptor, 4))
    if size > limit:
        raise ValueError(f"a message of {size} bytes, more than {limit}")
    return _exactly(descriptor, size).decode("ascii")


def _exactly(descriptor: int, size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = os.read(descriptor, min(size, 1 << 20))
        if not part:
            raise EOFError("the other end is closed")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
