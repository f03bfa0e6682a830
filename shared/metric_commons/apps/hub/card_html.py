"""Convert cards to HTML, for the page of a Space."""

import re

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


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
