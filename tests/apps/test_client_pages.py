"""Pages of clients name the versions tried, and scripts, which a workflow runs.

`tests/shared/frameworks/test_client_recipes.py` runs the recipes.
"""

import re
from typing import get_args

import pytest

from metric_commons.frameworks.harnesses.row_scorers import Framework
from tests.spec import ROOT

PAGES = sorted((ROOT / "docs" / "clients").glob("*.md"))
SCRIPTS = sorted((ROOT / "examples" / "clients").glob("*.py"))
TEXTS = {page.stem: page.read_text("utf-8") for page in PAGES}
MATRIX = (ROOT / ".github" / "workflows" / "clients.yml").read_text("utf-8")
NAV = (ROOT / "docs" / "mkdocs.yml").read_text("utf-8")


@pytest.mark.parametrize("page", TEXTS)
def test_a_page_names_a_version_and_a_script(page):
    named = re.findall(r"`(?:examples/clients/)?(with_\w+\.py)`", TEXTS[page])

    assert named
    assert {*named} <= {script.name for script in SCRIPTS}
    assert re.search(r"[a-zA-Z_] \d+(\.\d+)*", TEXTS[page])
    assert "```" in TEXTS[page]
    assert f"clients/{page}.md" in NAV


@pytest.mark.parametrize("script", [script.stem for script in SCRIPTS])
def test_a_script_has_a_page_and_a_job(script):

    assert any(f"{script}.py" in page for page in TEXTS.values())
    assert f"{{ script: {script}, " in MATRIX


def test_the_table_of_scorers_has_all_frameworks():
    rows = re.findall(r"^\| (\w+) \| `?\w+", TEXTS["others"], re.MULTILINE)

    assert {*get_args(Framework)} <= {*rows}
