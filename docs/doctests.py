"""Examples of docstrings as blocks of code, which Markdown would take for quotations."""

import re
from functools import partial
from importlib import import_module
from importlib.util import resolve_name
from typing import Any

from griffe import Extension, Object

EXAMPLES = re.compile(r"^>>> .*?(?=\n\n(?!>>> )|\Z)", re.DOTALL | re.MULTILINE)
IMPORT = re.compile(r"^>>> from (\.[\w.]*) import ([\w, ]+)$", re.MULTILINE)


class Doctests(Extension):
    """Put fences around the lines of an example and its result."""

    def on_instance(self, *, obj: Object, **_: Any) -> None:
        """Change the docstring of a module, class or function."""
        if obj.docstring:
            # What a reader copies names the package, and has no marks for doctest.
            text = re.sub(r" *# doctest: .*", "", obj.docstring.value)
            text = IMPORT.sub(partial(_public_import, obj.module.path), text)
            text = EXAMPLES.sub(r"```pycon\n\g<0>\n```", text)  # which end at the first blank line
            obj.docstring.value = text.replace("<BLANKLINE>", "")


def _public_import(module: str, match: re.Match[str]) -> str:
    """A relative import of a module's example, from the room that makes its names public."""
    source = resolve_name(match[1], module.rpartition(".")[0])
    room = source.rpartition(".")[0]
    wanted = {name.strip() for name in match[2].split(",")}
    for package in ("metric_commons", room):
        if wanted <= set(getattr(import_module(package), "__all__", ())):
            source = package
            break
    return f">>> from {source} import {match[2]}"
