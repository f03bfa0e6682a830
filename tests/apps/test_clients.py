"""Clients of other people: a long session of the official one, and the inspector."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from metric_commons.evaluation.scoring.scoring import score
from metric_commons.frameworks.harnesses import ultrarag
from metric_commons.module.catalog import catalog
from tests.apps.server_session import write_files
from tests.spec import PATIENCE, ROOT

pytestmark = pytest.mark.processes

INSPECTOR = os.environ.get("MCP_INSPECTOR")  # the path of its command, mcp-inspector


def session(client, *arguments):
    """Run a session, with the official client of this Python."""
    done = subprocess.run(
        [client, "-m", "tests.apps.server_session", *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "shared")},
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout)  # noqa: T201
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_session_of_a_thousand_calls():
    told = session(sys.executable, "1000")

    assert "'cancelled': 45, " in told
    assert "'killed, told': 5" in told
    assert "'interrupted, told': 1" in told


@pytest.fixture
def inspector(tmp_path):
    """Ask a server by the inspector: its answer to a call of a tool."""
    if INSPECTOR is None:
        pytest.skip("MCP_INSPECTOR does not name the inspector")
    write_files(tmp_path)

    def ask(method, *options):
        server = [sys.executable, "-m", "metric_commons", "mcp", "--root", str(tmp_path)]
        done = subprocess.run(
            [INSPECTOR, "--cli", *server, "--method", method, *options],
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        )
        return json.loads(done.stdout)

    return ask


@pytest.mark.slow
def test_the_inspector(inspector, tmp_path):
    def call(tool, **arguments):
        options = []
        for name, value in arguments.items():
            text = value if isinstance(value, str) else json.dumps(value)
            options += ["--tool-arg", f"{name}={text}"]
        return inspector("tools/call", "--tool-name", tool, *options)

    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text("utf-8").splitlines()]
    tools = {tool["name"]: tool for tool in inspector("tools/list")["tools"]}
    answers = {"pred_ls": ["Paris", "Rome"], "gt_ls": [["paris"], ["Oslo"]]}
    evaluated = call("evaluate", **answers)
    run = call("evaluate_trec", run_path="new", qrels_path="qrels", ks=[1, 3])
    scored = call(
        "evaluate_file", path="rows.jsonl", modules=["qa_f1"], predictions="fid", references="gold"
    )
    page = call("report", path="saved.json", save_path="page.html")
    listed = call("list_modules")
    unknown = call("evaluate_trec", run_path="new", qrels_path="qrels", k="1")
    outside = call("evaluate_trec", run_path="/etc/passwd", qrels_path="qrels")

    assert tools["evaluate"]["inputSchema"]["additionalProperties"] is False
    expected = ultrarag.evaluate(**answers)
    assert evaluated["structuredContent"]["eval_res"] == expected
    expected = ultrarag.evaluate_trec(tmp_path / "new", tmp_path / "qrels", ks=[1, 3])
    assert run["structuredContent"]["eval_res"] == expected
    (system,) = scored["structuredContent"]["systems"].values()
    expected = score(
        "qa_f1", predictions=[r["fid"] for r in rows], references=[r["gold"] for r in rows]
    )
    assert system["qa_f1"]["scores"] == expected.systems["predictions"]["qa_f1"].scores
    assert "<html" in Path(page["structuredContent"]["saved_to"]).read_text("utf-8")
    assert len(listed["structuredContent"]["modules"]) == len(catalog.names())
    assert unknown["isError"]
    assert "has no argument 'k'" in unknown["content"][0]["text"]
    assert outside["isError"]
    assert "start the server with --root" in outside["content"][0]["text"]
