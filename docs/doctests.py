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
            text = obj.docstring.value
            obj.docstring.value = EXAMPLES.sub(r"```python\n\g<0>\n```", text)
