"""Convert cards to HTML, for the subset of Markdown that they use.

Headings, paragraphs, lists, tables, code blocks, links, and inline code, bold and italics.
"""

import re
from collections.abc import Callable, Iterator
from html import escape


def card_html(card: str) -> str:
    r"""The text of a card, below its front matter, as HTML.

    >>> card_html("---\ntitle: Toy\n---\n# Toy\n\nOf `a < b`, [see](x.md).")
    '<h2>Toy</h2>\n<p>Of <code>a &lt; b</code>, <a href="x.md">see</a>.</p>'
    """
    text = re.sub(r"\A---\n.*?\n---\n", "", card, flags=re.DOTALL)
    return "\n".join(_block(block) for block in _blocks(text))


def _blocks(text: str) -> Iterator[str]:
    """Code blocks, and the blocks between them, which blank lines separate."""
    for part in re.split(r"^(```.*?^```)$", text, flags=re.MULTILINE | re.DOTALL):
        if part.startswith("```"):
            yield part
        else:
            yield from filter(None, (block.strip("\n") for block in re.split(r"\n\s*\n", part)))


def _block(block: str) -> str:
    if block.startswith("```"):
        code = block.partition("\n")[2].removesuffix("```").rstrip("\n")
        return f"<pre>{escape(code, quote=False)}</pre>"
    heading = re.match(r"(#+) +(.*)", block)
    if heading:
        level = min(len(heading[1]) + 1, 6)  # the page has a heading above
        following = block[heading.end() :].strip("\n")
        first = f"<h{level}>{_inline(heading[2])}</h{level}>"
        return f"{first}\n{_block(following)}" if following else first
    if block.startswith("|"):
        return _table(block.splitlines())
    items = re.split(r"^(?:[-*]|\d+\.) +", block, flags=re.MULTILINE)
    if len(items) > 1 and not items[0]:
        kind = "ol" if block[0].isdigit() else "ul"
        return f"<{kind}>{''.join(f'<li>{_inline(item)}</li>' for item in items[1:])}</{kind}>"
    return f"<p>{_inline(block)}</p>"


def _table(lines: list[str]) -> str:
    head, _, *rows = [
        [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
        for line in lines
    ]
    body = "".join(_table_row(row, "td") for row in rows)
    return (
        f'<div class="wide"><table><thead>{_table_row(head, "th")}</thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _table_row(cells: list[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{_inline(cell)}</{tag}>" for cell in cells) + "</tr>"


def _inline(text: str) -> str:
    """Text with inline marks, except inside code."""
    pieces = re.split(r"(`+)(.+?)\1", text, flags=re.DOTALL)
    return "".join(
        _marked(pieces[index]) + _code(pieces[index + 2 : index + 3])
        for index in range(0, len(pieces), 3)
    )


def _code(pieces: list[str]) -> str:
    return "".join(f"<code>{escape(piece.strip(), quote=False)}</code>" for piece in pieces)


_MARKS: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"\[([^\]]+)\]\(((?:https?:[^)\s]*|[^):\s]+))\)", r'<a href="\2">\1</a>'),
    (r"&lt;(https?://[^&\s]+)&gt;", r'<a href="\1">\1</a>'),
    (r"(?<!\w)\*\*(\S.*?)\*\*(?!\w)", r"<strong>\1</strong>"),
    (r"(?<![\w*])\*([^\s*].*?)\*(?![\w*])", r"<em>\1</em>"),
]


def _marked(text: str) -> str:
    html = escape(text)
    for pattern, replacement in _MARKS:
        html = re.sub(pattern, replacement, html, flags=re.DOTALL)
    return html
