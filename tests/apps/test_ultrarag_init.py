"""The folder that UltraRAG takes for its evaluation server, and what UltraRAG does with it."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml
from mcp import Client, StdioServerParameters

from metric_commons.__main__ import main
from metric_commons.apps.mcp import folder
from metric_commons.frameworks.harnesses import ultrarag
from tests.apps.test_mcp import NEW, OLD, QRELS
from tests.shared.frameworks.harnesses.test_ultrarag import DOCUMENTED, DOCUMENTED_MEANS, means
from tests.spec import PATIENCE, trec_eval_files

pytestmark = [pytest.mark.anyio, pytest.mark.processes]

CHECKOUT = os.environ.get("ULTRARAG_CHECKOUT")
# Python without anything installed, as UltraRAG's has another mcp, or none.
BARE = getattr(sys, "_base_executable", sys.executable)


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The folder in which UltraRAG runs, with our server folder in it."""
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    for name, text in (("qrels.txt", QRELS), ("run_a.txt", NEW), ("run_b.txt", OLD)):
        Path("data", name).write_text(text, "utf-8")
    assert main(["ultrarag-init", "servers/scores"]) == 0
    return Path("servers", "scores")


def changed(place, **parameters):
    """Change parameter.yaml."""
    path = place / "parameter.yaml"
    content = yaml.safe_load(path.read_text("utf-8")) | parameters
    path.write_text(yaml.safe_dump(content), "utf-8")


class UltraRAG:
    """What its client does with one server, `servers: evaluation: <place>`."""

    def __init__(self, place, python=BARE):
        self.place, self.python = str(place), python

    @asynccontextmanager
    async def _server(self, path):
        assert path.endswith(".py")
        assert os.path.exists(path)
        environment = dict(os.environ)
        started = StdioServerParameters(command=self.python, args=[path], env=environment)
        async with Client(started) as client:
            yield client

    async def build(self):
        """The description of the server that its tool `build` leaves."""
        parameter_file = os.path.join(self.place, "parameter.yaml")
        parameters = yaml.safe_load(Path(parameter_file).read_text("utf-8"))
        entry = Path(self.place) / "src" / f"{Path(self.place).name}.py"
        async with self._server(parameters.get("path", str(entry))) as client:
            result = await client.call_tool("build", {"parameter_file": parameter_file})
            assert not result.is_error, result.content[0].text
        return yaml.safe_load(Path(self.place, "server.yaml").read_text("utf-8"))

    async def run(self, tool, **variables):
        """The outputs of a step, whose inputs are parameters or variables of earlier steps."""
        described = yaml.safe_load(Path(self.place, "server.yaml").read_text("utf-8"))
        parameters = yaml.safe_load(Path(self.place, "parameter.yaml").read_text("utf-8"))
        step = described["tools"][tool]
        arguments = {
            name: parameters[value[1:]] if value.startswith("$") else variables[value]
            for name, value in step["input"].items()
        }
        async with self._server(described["path"]) as client:
            result = await client.call_tool(tool, arguments)
        assert not result.is_error, result.content[0].text
        data = json.loads(result.content[0].text)
        return {key: data[key] for key in step["output"]}


# The folder


def test_the_folder_is_what_ultrarag_expects(place):
    files = sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())
    described = yaml.safe_load((place / "server.yaml").read_text("utf-8"))
    parameters = yaml.safe_load((place / "parameter.yaml").read_text("utf-8"))

    assert files == ["README.md", "parameter.yaml", "server.yaml", "src/scores.py"]
    assert described.keys() == {"path", "parameter", "tools", "prompts"}
    assert described["tools"].keys() == {"evaluate", "evaluate_trec", "evaluate_trec_pvalue"}
    assert described["tools"]["evaluate"] == {
        "input": {
            "pred_ls": "pred_ls",
            "gt_ls": "gt_ls",
            "metrics": "$metrics",
            "save_path": "$save_path",
        },
        "output": ["eval_res"],
    }
    assert described["tools"]["evaluate_trec_pvalue"]["input"]["metrics"] == "$ir_metrics"
    for tool in described["tools"].values():
        needed = {value[1:] for value in tool["input"].values() if value.startswith("$")}
        assert needed <= parameters.keys()
    assert parameters["metrics"] == [*ultrarag.ANSWER_METRICS]
    assert parameters["ir_metrics"] == [*ultrarag.RANKING_METRICS]
    assert parameters["ks"] == [*ultrarag.CUTOFFS]


async def test_build_describes_the_server_from_its_parameters(place):
    before = yaml.safe_load((place / "server.yaml").read_text("utf-8"))
    path = place / "parameter.yaml"
    kept = {"run_path": "a", "qrels_path": "b", "metrics": None, "save_path": "c"}  # not ours
    path.write_text(yaml.safe_dump(kept), "utf-8")
    described = await UltraRAG(place).build()
    assert described["path"] == "servers/scores/src/scores.py"
    assert described["parameter"] == "servers/scores/parameter.yaml"
    assert described["tools"]["evaluate"] == before["tools"]["evaluate"]
    assert described["tools"]["evaluate_trec"]["input"]["ks"] == "ks"


@pytest.mark.slow
async def test_build_writes_nowhere_else(place, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "parameter.yaml").write_text("ks: [1]\n", "utf-8")
    (place / "broken.yaml").write_text("[1", "utf-8")
    (place / "list.yaml").write_text("[1]", "utf-8")
    before = (place / "server.yaml").read_bytes()

    started = StdioServerParameters(command=BARE, args=[str(place / "src" / "scores.py")])
    async with Client(started) as client:
        for path, cause in (
            (other / "parameter.yaml", "is not in"),
            (place / "broken.yaml", "broken.yaml: "),
            (place / "list.yaml", "expected keys with values"),
        ):
            result = await client.call_tool("build", {"parameter_file": str(path)})
            assert result.is_error
            assert cause in result.content[0].text
    assert (place / "server.yaml").read_bytes() == before
    assert not (other / "server.yaml").exists()


def test_a_folder_that_is_not_empty_stays_as_it_is(tmp_path, capsys):
    (tmp_path / "file").write_text("mine")
    for target in (tmp_path, tmp_path / "file"):
        assert main(["ultrarag-init", str(target)]) == 1
        assert "nothing was written" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]

    (tmp_path / "empty").mkdir()
    assert main(["ultrarag-init", str(tmp_path / "empty")]) == 0


def test_a_link_to_a_folder_names_the_script(tmp_path):
    (tmp_path / "target").mkdir()
    link = tmp_path / "link"
    link.symlink_to("target")
    assert main(["ultrarag-init", str(link)]) == 0
    written = (link / "server.yaml").read_text("utf-8")
    assert Path(yaml.safe_load(written)["path"]).is_file()
    folder.build((tmp_path / "target").resolve(), str(link / "parameter.yaml"))
    assert (link / "server.yaml").read_text("utf-8") == written


# Its client


async def test_the_documented_answers_whatever_is_on_the_path(place, monkeypatch):
    impostor = Path("impostor").absolute()
    monkeypatch.setenv("PYTHONPATH", str(impostor))
    for package in ("mcp", "metric_commons"):
        for path in (impostor / package, Path(package)):  # in the working directory, too
            path.mkdir(parents=True)
            (path / "__init__.py").write_text("raise SystemExit('the wrong one')")
    predictions, references = DOCUMENTED
    outputs = await UltraRAG(place).run("evaluate", pred_ls=predictions, gt_ls=references)
    found = outputs["eval_res"]
    assert means(found) == DOCUMENTED_MEANS
    assert [round(score, 4) for score in found["f1"]] == [0.5714, 0.0]
    (saved,) = Path("output").iterdir()
    assert saved.match("evaluate_results_*.json")
    content = json.loads(saved.read_text("utf-8"))
    assert {name: content[name] for name in found} == found
    assert content["signature"].startswith("ultrarag.evaluate|rows=2|")


@pytest.mark.slow
async def test_files_elsewhere_have_to_be_named(place, tmp_path, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "run").write_text(NEW, "utf-8")
    changed(place, run_path=str(elsewhere / "run"))
    with pytest.raises(AssertionError, match=r"run_path: .* leads outside"):
        await UltraRAG(place).run("evaluate_trec")

    (elsewhere / "data").mkdir()
    (elsewhere / "data" / "qrels.txt").write_text(QRELS, "utf-8")
    assert main(["ultrarag-init", "servers/wider", "--root", str(elsewhere)]) == 0
    changed(Path("servers", "wider"), run_path="run")
    found = await UltraRAG("servers/wider").run("evaluate_trec")
    assert found["eval_res"]["map"] == 1.0


# The entry file


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("command", "instead of metric-commons"),  # it never starts itself for ever
        ("PYTHON", "/no/python is gone; write this folder again"),
    ],
)
def test_the_entry_says_what_it_cannot_start(place, name, message):
    entry = place / "src" / "scores.py"
    text = entry.read_text("utf-8")
    again = f"import runpy; runpy.run_path({str(entry)!r})"
    value = {"command": f"[PYTHON, '-c', {again!r}]", "PYTHON": "'/no/python'"}[name]
    start = next(line for line in text.splitlines() if line.startswith(f"{name} = "))
    entry.write_text(text.replace(start, f"{name} = {value}"), "utf-8")
    done = subprocess.run(
        [BARE, str(entry)], capture_output=True, text=True, timeout=PATIENCE, check=False
    )

    assert done.returncode == 1
    assert message in done.stderr


# UltraRAG itself


@pytest.fixture
def command():
    """Run a command of UltraRAG, from the checkout that the environment names."""
    if not CHECKOUT:
        pytest.skip("ULTRARAG_CHECKOUT does not name a checkout with its own environment")
    programs = Path(CHECKOUT) / ".venv" / "bin"
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}

    def command(*arguments):
        subprocess.run(
            ["ultrarag", *arguments],
            env=environment,
            check=True,
            timeout=PATIENCE,
            capture_output=True,
        )

    return command


def remembered(name):
    """What a run of a pipeline left."""
    (path,) = Path("output").glob(f"memory_*{name}*.json")
    return path.read_text("utf-8")


@pytest.mark.slow
def test_ultrarag_scores_a_run(command, place):
    for name in ("results.test", "qrels.test"):
        shutil.copy(trec_eval_files() / name, Path("data", name))
    changed(place, run_path="data/results.test", qrels_path="data/qrels.test")
    pipeline = {"servers": {"evaluation": str(place)}, "pipeline": ["evaluation.evaluate_trec"]}
    Path("eval_trec.yaml").write_text(yaml.safe_dump(pipeline), "utf-8")

    command("build", "eval_trec.yaml")
    assert Path("parameter", "eval_trec_parameter.yaml").is_file()
    assert Path("server", "eval_trec_server.yaml").is_file()
    command("run", "eval_trec.yaml")

    assert "0.17854506039656948" in remembered("eval_trec")


@pytest.mark.slow
def test_ultrarag_scores_answers(command, place):
    rows = (
        json.dumps({"question": "?", "golden_answers": accepted, "pred_answer": answer})
        for answer, accepted in zip(*DOCUMENTED, strict=True)
    )
    Path("data", "answers.jsonl").write_text("\n".join(rows), "utf-8")
    benchmark = Path("servers", "benchmark")
    shutil.copytree(Path(CHECKOUT) / "servers" / "benchmark", benchmark)
    script = benchmark / "src" / "benchmark.py"
    text = script.read_text("utf-8").replace("->q_ls,gt_ls", "->q_ls,gt_ls,pred_ls")
    script.write_text(text, "utf-8")
    fields = {"gt_ls": "golden_answers", "q_ls": "question", "pred_ls": "pred_answer"}
    read = {"key_map": fields, "limit": -1, "name": "answers", "path": "data/answers.jsonl"}
    changed(benchmark, benchmark=read | {"shuffle": False, "seed": 42})
    pipeline = {
        "servers": {"benchmark": str(benchmark), "evaluation": str(place)},
        "pipeline": ["benchmark.get_data", "evaluation.evaluate"],
    }
    Path("evaluate_results.yaml").write_text(yaml.safe_dump(pipeline), "utf-8")

    command("build", "evaluate_results.yaml")
    command("run", "evaluate_results.yaml")

    assert "0.2857142857142857" in remembered("evaluate_results")
