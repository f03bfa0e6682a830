"""A page with leaderboards: sortable tables in a single file without external resources."""

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from importlib.metadata import version
from pathlib import Path

_FOLDER = Path(__file__).parent


def leaderboard_page(tables: Sequence[str]) -> str:
    """A page with these tables, which are HTML from `as_html`.

    Its only script sorts a table by the column whose header is clicked; the page's security policy
    allows only the SHA-256 of this script, so that no other script can run.
    """
    script = (_FOLDER / "leaderboard.js").read_text("utf-8")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    template = (_FOLDER / "leaderboard.html").read_text("utf-8")
    cards = "\n".join(f'<section class="card">{table}</section>' for table in tables)
    made_by = escape(f"Made by metric-commons {version('metric-commons')}.")
    for name, text in {
        "DIGEST": digest,
        "TABLES": cards,
        "SCRIPT": script,
        "MADE_BY": made_by,
    }.items():
        template = template.replace(f"{{{{{name}}}}}", text)
    return template
