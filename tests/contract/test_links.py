"""Pages read in the repository: each link leads to a file, and to a heading of it."""

import re

import pytest

from tests.spec import ROOT

FOLDERS = ("docs", "metrics", "examples", "shared", ".github")
PAGES = [*ROOT.glob("*.md"), *(page for name in FOLDERS for page in (ROOT / name).rglob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
OUTSIDE = ("https:", "http:", "mailto:")


def prose(page):
    """Return the text of a page without its code."""
    return re.sub(r"^```.*?^```|`[^`\n]*`", "``", page.read_text("utf-8"), flags=re.S | re.M)


def headings(page):
    """Return the headings of a page as they stand in addresses."""
    titles = re.findall(
        r"^#+ (.+)$", re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.S | re.M), re.M
    )
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page):
    targets = [link for link in LINK.findall(prose(page)) if not link.startswith(OUTSIDE)]
    dead = []
    for target in targets:
        path, _, heading = target.partition("#")
        file = page.parent / path if path else page
        if not file.exists() or (heading and heading not in headings(file)):
            dead.append(target)

    assert not dead
    assert "--8<--" not in prose(page)
