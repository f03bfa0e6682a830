"""The page of a static Space: the examples of its card, editable and scored in the browser.

The page contains the files of the module, and loads Python with numpy and scipy when asked to
score. It needs no server of ours, and also works from a local folder.
"""

import doctest
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from html import escape
from io import StringIO
from itertools import chain
from pathlib import Path
from string import Template
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

from .imports import flatten

# The release of Pyodide whose numpy and scipy the modules run with, and its address.
_PYODIDE = "314.0.7"
_HOST = "cdn.jsdelivr.net"
_PYODIDE_HOME = f"https://{_HOST}/pyodide/v{_PYODIDE}/full/"
_PACKAGES = ("numpy", "scipy")

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_PAGE = Path(__file__).with_name("page.html")
_CARRIED = [
    Path(__file__).with_name("demo.py"),
    Path(__file__).parents[2] / "module" / "declaration" / "declared_module.py",
]

# Its last expression is the function that the page calls with arguments in JSON.
_PROGRAM = """\
import sys
from functools import partial
from pathlib import Path
space = Path("/space")
sys.path.append(str(space.parent))
from space.declared_module import declared_class
from space.demo import answer
partial(answer, declared_class(space / "NAME.py")())
"""


def page(
    card: str,
    *,
    name: str,
    summary: str,
    namespace: str,
    version: str,
    requirements: Sequence[str],
    files: Mapping[str, str],
) -> str:
    """Return the page as HTML; `files` are those of the module.

    >>> options = {"summary": "Toys & co.", "version": "0.1.0", "requirements": ["numpy>=2"]}
    >>> "<p>Toys &amp; co. " in page("", name="toy", namespace="org", files={}, **options)
    True
    """
    carried = {
        **{path.name: flatten(path.read_text("utf-8")) for path in _CARRIED},
        **files,
    }
    return Template(_PAGE.read_text("utf-8")).substitute(
        name=escape(name),
        summary=escape(summary),
        namespace=escape(namespace),
        version=escape(version),
        requirements=escape(" ".join(f"'{line}'" for line in requirements), quote=False),
        example=_example(card).replace("./metrics/", f"{escape(namespace)}/"),
        card=card_html(card).replace("./metrics/", f"{escape(namespace)}/"),
        files=_in_script(carried),
        examples=_in_script(worked_examples(card, name)),
        program=_in_script(_PROGRAM.replace("NAME", name)),
        packages=_in_script(_PACKAGES),
        pyodide=_PYODIDE,
        host=_HOST,
        home=_PYODIDE_HOME,
    )


def card_html(card: str) -> str:
    r"""Return the text of a card, below its front matter, as HTML.

    The page has a heading above the card, so headings are one level lower. Wide tables scroll by
    themselves. HTML in a card is shown as text.

    >>> print(card_html("---\ntitle: Toy\n---\n# Toy\n\nOf `a < b`, [see](x.md).").strip())
    <h2>Toy</h2>
    <p>Of <code>a &lt; b</code>, <a href="x.md">see</a>.</p>
    """
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(_FRONT_MATTER.sub("", card))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + 1, 6)}"
    html = str(markdown.renderer.render(tokens, markdown.options, {}))
    html = html.replace("<table>", '<div class="wide"><table>')
    return html.replace("</table>", "</table></div>")


def _in_script(value: object) -> str:
    """Return JSON without the end of a script element."""
    return json.dumps(value).replace("<", "\\u003c")


def _example(card: str) -> str:
    """Return the first code block of the card, with the output after each example."""
    blocks = []
    code = ""
    for example in next(iter(usage(card)), []):
        code += example.source
        if example.want:
            blocks += [f"<pre>{escape(code.rstrip(), quote=False)}</pre>"]
            blocks += [f'<pre class="output">{escape(example.want.rstrip(), quote=False)}</pre>']
            code = ""
    return "\n".join(blocks)


def usage(card: str) -> list[list[doctest.Example]]:
    """Return the examples in the usage section of a card, block by block."""
    section = card.partition("\n## Usage\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return [doctest.DocTestParser().get_examples(block) for block in blocks]


def worked_examples(card: str, module: str) -> list[dict[str, Any]]:
    """Return the settings and arguments of each call of a module in a card, if JSON can hold them.

    The code of the card runs with modules that only note how they are called.
    """
    examples: list[dict[str, Any]] = []

    def load(path: str, **settings: Any) -> Any:
        def note(**arguments: Any) -> Any:
            with suppress(TypeError):
                example = json.loads(json.dumps({**settings, **arguments}))
                if path.rpartition("/")[2] == module and example not in examples:
                    examples.append(example)
            return MagicMock()

        return SimpleNamespace(compute=note)

    library = SimpleNamespace(load=load)
    names: dict[str, Any] = {"evaluate": library, "metric_commons": library}
    for example in chain.from_iterable(usage(card)):
        is_error = example.exc_msg is not None or example.source.startswith("try")
        if not is_error and example.source.split() not in [["import", name] for name in names]:
            with suppress(Exception), redirect_stdout(StringIO()):
                exec(example.source, names)
    return examples
