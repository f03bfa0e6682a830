"""The scripts of examples/ run, and print what the modules say."""

import ast
import contextlib
import io
import json
import re
import runpy
from math import fsum
from pprint import pformat

import pytest

from metric_commons import load
from tests.spec import ROOT

pytestmark = pytest.mark.processes

LINES = (ROOT / "examples" / "capitals.jsonl").read_text("utf-8").splitlines()
QUESTIONS = [json.loads(line) for line in LINES]


def output(script):
    """What a script prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(str(ROOT / "examples" / script), run_name="__main__")
    return printed.getvalue()


def scored(name, system):
    return load(name).compute(
        predictions=[question[system] for question in QUESTIONS],
        references=[question["answers"] for question in QUESTIONS],
        per_example=True,
    )


def test_a_dataset_is_scored_with_map():
    scores = scored("qa_f1", "borealis")["per_example"]["qa_f1"]

    lines = output("score_dataset.py").splitlines()

    assert [float(line.split()[0]) for line in lines[1:-1]] == [
        round(score, 2) for score in sorted(scores)[:5]
    ]
    assert lines[-1] == f"Mean F1 of 32 answers: {fsum(scores) / 32:.4f}"


def test_two_systems_are_compared():
    printed = output("compare_systems.py")

    for name in ("qa_f1", "substring_recall"):
        a, b = (scored(name, system)["per_example"][name] for system in ("atlas", "borealis"))
        result = load("paired_significance").compute(predictions1=a, predictions2=b)
        (line,) = re.findall(rf"^{name}: (.*)$", printed, re.MULTILINE)
        assert f"difference {result['diff']:.4f}" in line
        assert f"p = {result['p_value']:.4f}" in line
        assert line.endswith("*") == result["significant"]


@pytest.mark.parametrize(
    ("script", "scores"),
    [
        ("trainer_classification.py", ["accuracy", "f1", "roc_auc"]),
        ("trainer_seq2seq.py", ["qa_em", "qa_f1"]),
    ],
)
def test_a_model_learns_by_the_scores_of_its_hook(script, scores):
    pytest.importorskip("torch", reason="the group trainer, with torch, is not installed")
    pytest.importorskip("accelerate", reason="the group trainer, with torch, is not installed")

    printed = output(script)

    for name in scores:
        first, *_ = re.findall(rf"'eval_{name}': '?([\d.e-]+)", printed)
        (last,) = re.findall(rf"^(?:best|final) {name}: ([\d.]+)$", printed, re.MULTILINE)
        assert float(first) < float(last)
        assert float(last) > 0.5


def test_the_notebook_prints_what_it_shows(monkeypatch):
    notebook = json.loads((ROOT / "examples" / "evaluation.ipynb").read_text("utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    monkeypatch.chdir(ROOT / "examples")
    monkeypatch.setenv("MPLBACKEND", "agg")
    names = {}

    for cell in cells:
        shown = "".join(
            "".join(output.get("text", output.get("data", {}).get("text/plain", [])))
            for output in cell["outputs"]
            if "image/png" not in output.get("data", {})
        )
        *statements, last = ast.parse("".join(cell["source"])).body
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(ast.Module(statements, []), "cell", "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
                if value is not None:
                    printed.write(pformat(value, sort_dicts=False))
            else:
                exec(compile(ast.Module([last], []), "cell", "exec"), names)
        assert printed.getvalue().strip() == shown.strip()

    assert any("image/png" in str(cell["outputs"]) for cell in cells)
