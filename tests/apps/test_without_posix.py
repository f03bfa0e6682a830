"""Commands without `fork` and without the modules of POSIX, as on Windows."""

import json
import subprocess
import sys

import pytest

from metric_commons.evaluation.results.results import Results
from tests.spec import PATIENCE, ROOT

pytestmark = pytest.mark.processes

ROWS = [{"a": "Paris", "b": "Rome", "g": ["Paris"]}, {"a": "Oslo", "b": "Oslo", "g": ["Rome"]}]


def without_posix(folder, *words):
    return subprocess.run(
        [sys.executable, "-m", "tests.apps.without_posix", *words],
        cwd=folder,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'shared'}", "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_rows_are_scored_compared_and_shown_but_a_server_is_refused(tmp_path):
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "saved.json").write_text("old")
    fields = ("--predictions", "a", "--predictions", "b", "--references", "g")
    saving = ("--save", "saved.json", "--rows", "rows.rows.jsonl", "--confidence", "0.9")
    done = without_posix(
        tmp_path,
        *("score", "qa_f1", "rows.jsonl", *fields, *saving, "--compare"),
        *("then", "compare", "saved.json", "--save", "compared.json"),
        *("then", "report", "saved.json", "--save", "page.html"),
        *("then", "score", "qa_em", "rows.jsonl", *fields[:2], *fields[4:], "--rows", "1.part"),
        *("then", "merge", "1.part", "--save", "merged.json"),
        *("then", "mcp", "--root", "."),
    )
    saved = Results.read(tmp_path / "saved.json")

    refusal = "error: the server needs Linux, macOS or WSL, where processes can be forked"
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, refusal)
    assert saved.systems["a"]["qa_f1"].scores["qa_f1"] == 0.5
    assert Results.read(tmp_path / "merged.json").systems["a"]["qa_em"].scores == {"qa_em": 0.5}
    assert len(Results.read(tmp_path / "compared.json").comparisons) == 1
    assert "qa_f1" in (tmp_path / "page.html").read_text("utf-8")
    assert not [*tmp_path.glob(".metric-commons-*")]
