"""Names of a package that are imported on first use."""

TYPE_CHECKING = False  # importing `typing` takes longer than all else here
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def resolver(
    module: str, homes: "Mapping[str, str]", package: "str | None" = None
) -> "Callable[[str], Any]":
    """Return a `__getattr__` for `module`: `homes` maps each name to the file that defines it.

    Files are given relative to `package`, which is the module itself unless it is a single file.

    >>> resolver("collections", {"Mapping": "abc"})("Mapping").__name__
    'Mapping'
    >>> resolver("collections", {})("Mapping")
    Traceback (most recent call last):
    AttributeError: module 'collections' has no attribute 'Mapping'
    """

    def resolve(name: str) -> "Any":
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        # Not earlier: commands handle interrupts only after this file.
        from importlib import import_module

        return getattr(import_module(f".{homes[name]}", package or module), name)

    return resolve
