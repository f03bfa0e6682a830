"""The page of a static Space: how to load the module, and the first example of its card."""

from collections.abc import Sequence
from html import escape

from .demo import usage

_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
<style>
  :root {{ color-scheme: light dark; }}
  body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2.5rem auto;
         padding: 0 1rem; }}
  pre {{ font: 14px/1.5 ui-monospace, monospace; padding: .75rem 1rem; border-radius: .5rem;
        margin: .5rem 0; overflow-x: auto; background: light-dark(#f3f4f6, #1f2430); }}
  pre.output {{ background: none; border: 1px solid light-dark(#d5d8de, #3b4252); }}
</style>
<h1>{name}</h1>
<p>{summary}</p>
<h2>Example</h2>
{example}
<h2>Load it</h2>
<pre>pip install {requirements}</pre>
<pre>import evaluate

{name} = evaluate.load("{namespace}/{name}", revision="{version}")</pre>
<p>Without <code>revision</code> it is the latest version. <a href="README.md">Its card</a>
describes inputs, options, results and edge cases.</p>
</html>
"""


def page(
    card: str,
    *,
    name: str,
    summary: str,
    namespace: str,
    version: str,
    requirements: Sequence[str],
) -> str:
    """The page as HTML.

    >>> options = {"summary": "Toys & co.", "version": "0.1.0", "requirements": ["numpy>=2"]}
    >>> "<p>Toys &amp; co.</p>" in page("", name="toy", namespace="org", **options)
    True
    """
    return _PAGE.format(
        name=escape(name),
        summary=escape(summary),
        namespace=escape(namespace),
        version=escape(version),
        requirements=escape(" ".join(f"'{line}'" for line in requirements), quote=False),
        example=_example(card).replace(f"./metrics/{name}", f"{escape(namespace)}/{name}"),
    )


def _example(card: str) -> str:
    """The first block of code in the card, each piece of code with its output after it."""
    blocks = []
    code = ""
    for example in next(iter(usage(card)), []):
        code += example.source
        if example.want:
            blocks += [f"<pre>{escape(code.rstrip(), quote=False)}</pre>"]
            blocks += [f'<pre class="output">{escape(example.want.rstrip(), quote=False)}</pre>']
            code = ""
    return "\n".join(blocks)
