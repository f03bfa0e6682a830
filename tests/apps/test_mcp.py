"""The server as its clients see it: the official client, and one that is rude."""

import io
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

import metric_commons
from metric_commons.__main__ import main
from metric_commons.apps.mcp.root import Root
from metric_commons.apps.mcp.schemas import call as run_tool
from metric_commons.apps.mcp.server import message
from metric_commons.apps.mcp.server import server as new_server
from metric_commons.apps.mcp.tools import CallContext
from metric_commons.evaluation.results.results import Results
from metric_commons.evaluation.scoring.scoring import score
from metric_commons.frameworks.harnesses import ultrarag
from metric_commons.frameworks.harnesses.ultrarag import signature
from metric_commons.module.catalog import catalog
from tests.apps.server_session import LONG, calls_of, is_running, write_long_rows
from tests.programs import output
from tests.spec import METRICS, PATIENCE, ROOT, nightly
from tests.tables import by_table, tabled

pytestmark = [pytest.mark.anyio, pytest.mark.processes]


PROGRAM = ["-c", "import sys; from metric_commons.__main__ import main; sys.exit(main())"]
TOOLS = {
    "evaluate",
    "evaluate_trec",
    "evaluate_trec_pvalue",
    "evaluate_file",
    "compare_files",
    "report",
    "list_modules",
    "describe_module",
}
ANSWERS = {"pred_ls": ["Paris", "Rome"], "gt_ls": [["paris"], ["Oslo", "Rome, Italy"]]}
QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n"
NEW = "q1 Q0 a 1 2.0 A\nq2 Q0 c 1 2.0 A\n"
RUN = {"run_path": "new", "qrels_path": "qrels"}
RUNS = {"run_new_path": "new", "run_old_path": "old", "qrels_path": "qrels"}
FILE = {"path": "rows.jsonl", "modules": ["qa_em"], "predictions": "bot"}
OLD = "q1 Q0 b 1 2.0 B\nq1 Q0 a 2 1.0 B\n"
ROWS = (
    '{"bot": "Paris", "gold": ["paris"], "of": "x"}\n{"bot": "Rome", "gold": ["Oslo"], "of": "y"}\n'
)


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture
def root(tmp_path):
    """A folder that a server may use, in one that it may not."""
    folder = tmp_path / "root"
    folder.mkdir()
    for name, text in (("qrels", QRELS), ("new", NEW), ("old", OLD), ("rows.jsonl", ROWS)):
        (folder / name).write_text(text, "utf-8")
    (tmp_path / "secret").write_text(QRELS, "utf-8")
    return folder


@pytest.fixture
def server():
    """A server in this process, whose calls have processes of their own."""
    return lambda root, **allowed: new_server(CallContext(Root(root), **allowed))


@pytest.fixture
async def call(root, server):
    """Call a tool of a server in this process."""
    async with Client(server(root)) as client:
        yield client.call_tool


@pytest.fixture
def refused(root, monkeypatch):
    """Call a tool as the process of a call does, which refuses it: what the client reads."""
    monkeypatch.chdir(root)

    def refused(tool, arguments):
        with pytest.raises((ValueError, OSError)) as error:
            run_tool(CallContext(Root(root)), tool, arguments)
        return message(error.value)

    return refused


def text_of(result):
    """What a client of UltraRAG reads."""
    return json.loads(result.content[0].text, parse_constant=refuse_constant)


def refuse_constant(name):
    raise AssertionError(f"{name} is no JSON")


# Every tool


async def test_the_tools_say_what_they_take_and_return(root, server):
    async with Client(server(root)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    assert tools.keys() == TOOLS
    for tool in tools.values():
        assert tool.description
        assert tool.input_schema["additionalProperties"] is False
        assert all(p["description"] for p in tool.input_schema["properties"].values())
    arguments = tools["evaluate"].input_schema["properties"]
    assert arguments["pred_ls"]["items"] == {"type": "string"}
    kinds = [kind["type"] for kind in arguments["metrics"]["anyOf"]]
    assert kinds == ["array", "null"]
    for name, of_ultrarag in (
        ("evaluate", "pred_ls gt_ls metrics save_path"),
        ("evaluate_trec", "run_path qrels_path metrics ks save_path"),
        ("evaluate_trec_pvalue", f"{' '.join(RUNS)} metrics ks n_resamples save_path"),
    ):
        given = [*tools[name].input_schema["properties"]]
        assert given[: len(of_ultrarag.split())] == of_ultrarag.split()


async def test_evaluate(call):
    result = await call("evaluate", ANSWERS)
    odd = await call("evaluate", {"pred_ls": ["B"], "gt_ls": [["A"]]})

    assert result.structured_content == text_of(result)
    assert text_of(result) == {
        "eval_res": ultrarag.evaluate(**ANSWERS),
        "saved_to": None,
        "signature": signature("evaluate", 2),
    }
    assert text_of(odd)["eval_res"]["acc"] == [1.0]


def test_ultrarag_is_told_where_the_result_was_saved(root, monkeypatch):
    said = io.StringIO()
    monkeypatch.setattr(sys, "stderr", said)
    monkeypatch.chdir(root)
    arguments = {**ANSWERS, "save_path": "out/scores.json"}
    found = json.loads(run_tool(CallContext(Root(root)), "evaluate", arguments))
    run_tool(CallContext(Root(root)), "evaluate", ANSWERS)

    saved, *rest = said.getvalue().splitlines()
    assert saved == f"Evaluation results saved to {found['saved_to']}"
    assert not any("saved" in line for line in rest)


async def test_evaluate_file(call):
    options = {"normalizer": "lower", "qa_f1.both_empty": 0}
    shared = {"options": options, "confidence_level": 0.9, "compare": True}
    names = {"modules": ["qa_em", "qa_f1"], "predictions": ["bot", "of"], "references": "gold"}
    asked = {"path": "rows.jsonl", "groups": "of", **names, **shared}
    found = text_of(await call("evaluate_file", asked))

    systems = {"bot": ["Paris", "Rome"], "of": ["x", "y"]}
    columns = {"references": [["paris"], ["Oslo"]], "groups": ["x", "y"]}
    expected = score(["qa_em", "qa_f1"], predictions=systems, **columns, **shared).to_dict()
    assert [*found["runs"]] == ["bot", "of"]
    for name in ("runs", "records", "comparisons"):
        assert found[name] == expected[name]


async def test_what_is_undefined_is_null(call, root):
    outcomes = "".join(json.dumps({"outcome": "tie"}) + "\n" for _ in range(3))
    (root / "ties.jsonl").write_text(outcomes, "utf-8")
    asked = {"path": "ties.jsonl", "modules": ["win_rate"], "predictions": "outcome"}
    result = await call("evaluate_file", {**asked, "save_path": "out"})

    assert math.isnan(metric_commons.load("win_rate").compute(predictions=["tie"])["win_rate"])
    saved = json.loads(Path(text_of(result)["saved_to"]).read_text("utf-8"))
    for found in (text_of(result), saved):
        values = {record["score"]: record["value"] for record in found["records"]}
        assert values["win_rate"] is None


async def test_list_and_describe_modules(call, monkeypatch):
    monkeypatch.setattr(catalog, "_loaded", {})  # by other tests in this process
    listed = text_of(await call("list_modules", {}))["modules"]
    told = text_of(await call("describe_module", {"name": "qa_f1"}))

    assert [module["name"] for module in listed] == METRICS
    assert all(module["summary"] for module in listed)
    assert told["inputs"] == ["predictions", "references"]
    assert told["options"]["normalizer"] == "squad"
    assert "## Usage" in told["card"]


async def test_results_are_saved_under_a_name_of_their_own(call, root):
    places = [
        Path(text_of(await call("evaluate", {**ANSWERS, "save_path": path}))["saved_to"])
        for path in ("out/scores.json", "out/scores.json", str(root / "out" / "scores"))
    ]

    assert len({*places}) == 3
    for place in places:
        assert place.parent == root / "out"
        assert place.name.startswith("scores_20")
        assert place.suffix == ".json"
        saved = json.loads(place.read_text("utf-8"))
        assert saved.pop("signature") == signature("evaluate", 2)
        assert saved == ultrarag.evaluate(**ANSWERS)
    assert sorted(root.glob("out/*")) == sorted(places)


async def test_the_card_lists_every_tool_with_its_arguments(root, server):
    card = (ROOT / "shared" / "metric_commons" / "apps" / "mcp" / "README.md").read_text("utf-8")
    rows = (line.split("|")[1:3] for line in card.splitlines() if line.startswith("| `"))
    told = {}
    for names, arguments in rows:
        for name, of_tool in zip(names.split(","), arguments.split(";"), strict="," not in names):
            told[name.strip(" `")] = re.findall(r"`(\w+)`", of_tool)
    async with Client(server(root)) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    assert told.keys() >= tools.keys()
    for name, tool in tools.items():
        assert told[name] == [*tool.input_schema.get("properties", {})]


# Every error


@by_table("tool, arguments, cause")
def test_a_mistake_of_the_caller_is_an_error_of_the_tool(refused, root, tool, arguments, cause):
    before = sorted(root.parent.rglob("*"))

    assert cause in refused(tool, arguments)
    assert sorted(root.parent.rglob("*")) == before


@by_table("path, cause")
def test_only_files_below_the_roots_are_read(refused, root, path, cause):
    write_links(root, "secret")

    assert cause in refused("evaluate_trec", RUN | {"run_path": path})
    assert cause in refused("evaluate_trec", RUN | {"qrels_path": path})
    assert cause in refused("evaluate_file", FILE | {"path": path})


def write_links(root, name):
    """Links that lead to a name outside of the root, above it, and nowhere; a folder and a pipe."""
    (root / "link").symlink_to(root.parent / name)
    (root / "above").symlink_to(root.parent)
    (root / "circle").symlink_to(root / "circle")
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")


@by_table("path, cause")
def test_only_files_below_the_roots_are_written(refused, root, path, cause):
    write_links(root, "nothing yet")
    before = sorted(root.parent.rglob("*"))

    assert cause in refused("evaluate", {**ANSWERS, "save_path": path})
    assert sorted(root.parent.rglob("*")) == before


async def test_files_of_the_system_are_not_read(server):
    async with Client(server(Path("/"))) as client:
        asked = {"run_path": "proc/self/environ", "qrels_path": "/sys/kernel/notes"}
        result = await client.call_tool("evaluate_trec", asked)

    assert result.is_error
    assert "belongs to the system" in result.content[0].text
    with pytest.raises(ValueError, match="belongs to the system"):
        Root(Path("/proc"))


# Several systems


SYSTEMS = tabled(__file__, "SYSTEMS")


@pytest.fixture
def two(root):
    """A file with the answers of two systems."""
    rows = [
        {"id": f"q{n}", "a": "x", "b": "x" if n % 3 else "y", "gold": "x", "why": f"because {n}"}
        for n in range(12)
    ]
    (root / "two.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


async def test_saved_results_are_compared_and_reported(call, root, two, tmp_path):
    saving = {"save_path": "out/result.json", "rows_path": "out/rows.jsonl"}
    saved = text_of(await call("evaluate_file", {**SYSTEMS, **saving}))
    compared = await call("compare_files", {"paths": [saved["saved_to"]], "test": "mcnemar"})
    rows = str(next((root / "out").glob("rows_*.jsonl")))
    asked = {"path": saved["saved_to"], "save_path": "page", "fields": ["why"]}
    page = Path(text_of(await call("report", asked))["saved_to"])

    (comparison,) = text_of(compared)["comparisons"]
    assert comparison["diff"] == 1 / 3
    assert page.parent == root
    assert "because" in page.read_text("utf-8")

    # A result may name any file: those outside are not looked at.
    Path(rows).rename(tmp_path / "rows.jsonl")
    results = Results.read(saved["saved_to"])
    record = results.provenance["rows"] | {"path": str(tmp_path / "rows.jsonl")}
    forged = replace(results, provenance=results.provenance | {"rows": record})
    forged.save(saved["saved_to"])
    refused = await call("compare_files", {"paths": [saved["saved_to"]]})
    assert refused.is_error
    assert "its scored rows are missing" in refused.content[0].text


async def test_a_file_of_one_endless_line(call, root):
    (root / "endless.jsonl").write_bytes(b"x" * 21_000_000)
    result = await call("evaluate_file", FILE | {"path": "endless.jsonl", "references": "gold"})

    assert result.is_error
    assert len(result.content[0].text) < 3000


# The official client, over stdio


async def test_the_official_client(root):
    """Its server is the one that the guide for agents configures."""
    guide = (ROOT / "docs" / "guides" / "agents.md").read_text("utf-8")
    block = guide.partition("```json\n")[2].partition("```")[0]
    (configured,) = json.loads(block)["mcpServers"].values()
    assert (configured["command"], configured["args"][:2]) == ("metric-commons", ["mcp", "--root"])
    arguments = [*PROGRAM, "mcp", "--root", str(root)]
    started = StdioServerParameters(
        command=sys.executable, args=arguments, env=dict(os.environ), cwd=root
    )
    asked = RUNS | {"metrics": ["map"], "n_resamples": 50}
    found = {}

    async def ask(name, arguments):
        found[name] = await client.call_tool(name, arguments)

    async with Client(started) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        async with anyio.create_task_group() as group:
            group.start_soon(ask, "evaluate_trec_pvalue", asked)
            group.start_soon(ask, "evaluate", ANSWERS | {"save_path": "out.json"})
        wrong = await client.call_tool("evaluate", {**ANSWERS, "gt_ls": [["a"]]})

    assert tools == TOOLS
    assert text_of(found["evaluate_trec_pvalue"])["eval_res"] == {
        "map": {"A_mean": 1.0, "B_mean": 0.25, "diff": 0.75, "p_value": 0.5, "significant": False}
    }
    assert text_of(found["evaluate"])["eval_res"] == ultrarag.evaluate(**ANSWERS)
    assert Path(text_of(found["evaluate"])["saved_to"]).parent == root
    assert wrong.is_error
    assert "gt_ls has 1 rows" in wrong.content[0].text


# A client that keeps to nothing


class Wire:
    """The lines that a server reads and writes."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self.process: Any = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.requests = 0
        self.others: list[Any] = []  # what was not an answer to the last request
        about = {"name": "a client", "version": "1"}
        version = {"protocolVersion": "2025-06-18", "capabilities": {}}
        self.ask("initialize", version | {"clientInfo": about})
        self.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')

    def write(self, line: bytes) -> None:
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: Any) -> Any:
        self.send(method, params)
        while True:
            answer = json.loads(self.process.stdout.readline(), parse_constant=refuse_constant)
            assert answer["jsonrpc"] == "2.0"
            if answer.get("id") == self.requests:
                return answer
            self.others.append(answer)

    def send(self, method: str, params: Any) -> None:
        self.requests += 1
        self.tell(method, params, id=self.requests)

    def tell(self, method: str, params: Any, **more: Any) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        self.write(json.dumps(message).encode())

    def is_right(self) -> bool:
        """Whether it answers a short call."""
        answer = self.ask("tools/call", {"name": "evaluate", "arguments": ANSWERS})
        found = json.loads(answer["result"]["content"][0]["text"])["eval_res"]
        return found == ultrarag.evaluate(**ANSWERS)

    def refused(self, arguments: Any) -> str:
        """Why it refuses to score a file."""
        result = self.ask("tools/call", {"name": "evaluate_file", "arguments": arguments})["result"]
        assert result["isError"]
        return result["content"][0]["text"]

    def status(self, name: str) -> int:
        """A figure of the process in kibibytes."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        (line,) = (line for line in text.splitlines() if line.startswith(f"{name}:"))
        return int(line.split()[1])

    def close(self) -> int:
        """The exit status of the server, which ends with its input."""
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(timeout=PATIENCE)


@pytest.fixture
def wire(root):
    """Start a server and talk to it line by line."""
    started = []

    def wire(*options: str) -> Wire:
        started.append(Wire([sys.executable, *PROGRAM, "mcp", "--root", str(root), *options], root))
        return started[-1]

    yield wire
    assert [each.close() for each in started] == [0] * len(started)


def test_what_takes_long_to_import_waits_until_it_is_needed():
    program = """
import sys
import metric_commons.apps.cli.app, metric_commons.apps.mcp.server
from metric_commons import score

rows = {"predictions": {"a": ["Paris", "Rome"], "b": ["Oslo"] * 2}, "references": ["Paris"] * 2}
score("qa_f1", **rows, confidence_level=0.9, compare=True)
print(*{name.partition(".")[0] for name in sys.modules})
"""
    assert not {"datasets", "evaluate", "matplotlib", "pandas", "pyarrow"} & {
        *output(program).split()
    }


CALL = b'{"jsonrpc": "2.0", "id": 9000, "method": "tools/call"'
MALFORMED = [
    b"",
    b"{",
    b"[]",
    b"[1]",
    b"{}",
    b"null",
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"jsonrpc": "2.0", "id": 9000}',
    b'{"jsonrpc": "2.0", "id": 9000, "method": "no such method"}',
    CALL + b"}",
    CALL + b', "params": {"name": "evaluate", "arguments": []}}',
    b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}',
]


@pytest.mark.slow
def test_malformed_requests_do_no_harm(wire):
    server = wire()
    for line in MALFORMED:
        server.write(line)
        assert server.is_right()


NOISY = """
import os, sys
from metric_commons.apps.mcp import server
from metric_commons.frameworks.harnesses import ultrarag

def noisy(function):
    def with_noise(*arguments, **options):
        print("noise", flush=True)
        os.write(1, b"noise")
        os.system("echo noise")
        return function(*arguments, **options)

    return with_noise

server.answer = noisy(server.answer)  # in the process of the server
ultrarag.evaluate = noisy(ultrarag.evaluate)  # in that of the call
"""


def test_nothing_but_the_protocol_is_on_stdout(wire, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(NOISY, "utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    assert wire().is_right()  # every line read was the protocol


# Work that takes long


@pytest.fixture
def long(root):
    """Arguments of a call that takes minutes."""
    write_long_rows(root)
    return LONG


@pytest.fixture
def large(root):
    """Arguments of a call that needs more than 200 megabytes."""
    rows = '{"data":\n[{"b": "y",\n"a": "%s"}]}' % ("x" * 100_000_000)
    (root / "large.json").write_text(rows, "utf-8")
    return {"path": "large.json", "modules": ["qa_em"], "predictions": "a", "references": "b"}


def eventually(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_long_work_blocks_nobody_and_stops_when_it_is_cancelled(wire, long):
    server = wire()
    server.tell("tools/call", {"name": "evaluate_file", "arguments": long}, id="long")
    eventually(lambda: calls_of(server.process.pid))
    assert server.is_right()
    before = calls_of(server.process.pid)
    server.tell("notifications/cancelled", {"requestId": "long"})
    eventually(lambda: not any(map(is_running, before)))

    assert not any("result" in other for other in server.others)


@pytest.mark.parametrize("ending", ["by force", *nightly("of the input")])
def test_the_end_of_a_server_ends_its_work(root, long, ending):
    server = Wire([sys.executable, *PROGRAM, "mcp", "--root", str(root)], root)
    server.send("tools/call", {"name": "evaluate_file", "arguments": long})
    eventually(lambda: calls_of(server.process.pid))
    started = calls_of(server.process.pid)
    if ending == "by force":
        server.process.kill()
        server.close()
    else:
        assert server.close() == 0
    eventually(lambda: not any(map(is_running, started)))


@pytest.mark.slow
def test_a_call_has_a_budget(wire, large, long):
    server = wire("--seconds", "1")
    assert "took longer than 1 seconds" in server.refused(long)
    server = wire("--gigabytes", "0.3")
    assert "0.3 GB" in server.refused(large)
    assert server.is_right()


def test_a_process_that_is_killed_is_an_error_of_its_call_alone(wire, long):
    server = wire()
    server.send("tools/call", {"name": "evaluate_file", "arguments": long})
    eventually(lambda: calls_of(server.process.pid))
    (worker,) = calls_of(server.process.pid)
    os.kill(worker, signal.SIGKILL)
    answer = json.loads(server.process.stdout.readline())

    assert answer["result"]["isError"]
    assert "was killed" in answer["result"]["content"][0]["text"]
    assert server.is_right()


def test_the_command_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "metric_commons.apps.mcp.server", None)
    status = main(["mcp", "--root", "."])
    out, err = capsys.readouterr()

    assert (status, out) == (1, "")
    assert "pip install 'metric-commons[mcp]'" in err


def test_the_command_refuses_a_root_that_is_no_folder(tmp_path, capsys):
    status = main(["mcp", "--root", str(tmp_path / "none")])
    out, err = capsys.readouterr()

    assert (status, out) == (1, "")
    assert "none is not a folder" in err


# Programs that a model wrote


async def test_programs_are_run_only_by_a_server_that_may(root, server, monkeypatch):
    row = {"candidates": ["def f(x): return x + 1"], "tests": "assert f(1) == 2"}
    (root / "programs.jsonl").write_text(json.dumps(row))
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    asked = {"path": "programs.jsonl", "modules": ["code_eval"], "references": "tests"}
    asked |= {"predictions": "candidates", "options": {"allow_execution": True}}

    async def answer(**allowed):
        async with Client(server(root, **allowed)) as client:
            return await client.call_tool("evaluate_file", asked)

    refused, answered = await answer(), await answer(execution_allowed=True)

    assert refused.is_error
    assert "started with --allow-execution" in refused.content[0].text
    (record,) = text_of(answered)["records"]
    assert (record["score"], record["value"]) == ("pass@1", 1.0)
