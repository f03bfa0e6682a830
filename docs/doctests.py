"""Examples of docstrings as blocks of code, which Markdown would take for quotations."""

import re
from typing import Any

from griffe import Extension, Object

EXAMPLES = re.compile(r"^>>> .*?(?=\n\n(?!>>> )|\Z)", re.DOTALL | re.MULTILINE)


class Doctests(Extension):
    """Put fences around the lines of an example and its result."""

    def on_instance(self, *, obj: Object, **_: Any) -> None:
        """Change the docstring of a module, class or function."""
        if obj.docstring:
            # What a reader copies names the package, and has no marks for doctest.
            text = re.sub(r" *# doctest: .*", "", obj.docstring.value)
            text = re.sub(r"^>>> from \.+(\w+) import", _whole_name(obj), text, flags=re.MULTILINE)
            text = text.replace("<BLANKLINE>", "")
            obj.docstring.value = EXAMPLES.sub(r"```python\n\g<0>\n```", text)


def _whole_name(obj: Object) -> str:
    """The import of a neighbour, written from outside the package."""
    return rf">>> from {obj.module.path.rpartition('.')[0]}.\1 import"
