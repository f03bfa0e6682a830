"""Names of a package that are imported on first use."""

TYPE_CHECKING = False  # importing `typing` takes longer than all else here
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def resolver(package: str, homes: "Mapping[str, str]") -> "Callable[[str], Any]":
    """A `__getattr__` for `package`: `homes` maps each name to the file that defines it.

    >>> resolver("collections", {"Mapping": "abc"})("Mapping").__name__
    'Mapping'
    >>> resolver("collections", {})("Mapping")
    Traceback (most recent call last):
    AttributeError: module 'collections' has no attribute 'Mapping'
    """

    def resolve(name: str) -> "Any":
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        # Not earlier: commands handle interrupts only after this file.
        from importlib import import_module

        return getattr(import_module(f".{homes[name]}", package), name)

    return resolve
