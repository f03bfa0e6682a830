"""Logs that harnesses wrote: our command prints the figure that the log itself holds."""

import gzip
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.apps.saved import systems_of
from tests.spec import GIVEN

FILES = GIVEN / "data" / "files"
COMMANDS = FILES / "expected.jsonl"

needs_logs = pytest.mark.skipif(not COMMANDS.is_file(), reason="the logs are not here")


def lines(path):
    return (
        [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        if path.is_file()
        else []
    )


# Files that are not read any more; long tables; messages that named every id.
GONE = "retrieval/run.ranx.lz4"  # CBOR in LZ4: not worth two packages
CASES = [case for case in lines(COMMANDS) if case["file"] != GONE]
FIRST_OF_FORMATS = {case["format"]: case["id"] for case in CASES[::-1]}


def wanted(kind):
    cases = [case for case in CASES if case["kind"] == kind]
    return pytest.mark.parametrize("case", cases, ids=[case["id"] for case in cases])


def open_file(path):
    return io.BytesIO(gzip.compress(path.read_bytes()))


def words(case, *, names_format=True):
    """The command of a case, in the words of the specification."""
    options = dict(case.get("options", {}))
    if case["module"] == "trec":
        command = ["trec", FILES / options.pop("qrels"), FILES / case["file"]]
        for measure in case["scores"]:
            command += ["--measure", measure]
    else:
        path = "-" if case.get("stdin") else FILES / case["file"]
        command = ["score", case["module"], path]
        command += ["--from", case["format"]] if names_format or case.get("stdin") else []
    for name, value in options.items():
        values = [f"{k}={v}" for k, v in value.items()] if isinstance(value, dict) else [value]
        for item in values:
            command += [f"--{name}", FILES / item if name == "answers" else item]
    for name, value in case.get("set", {}).items():
        command += ["--set", f"{name}={json.dumps(value)}"]
    return [*map(str, command)]


@needs_logs
@wanted("score")
def test_a_command_prints_the_figure_of_the_log(run, case, monkeypatch):
    if case["file"].endswith(".zst") or case["file"].startswith("inspect/2026"):
        pytest.importorskip("zstandard")
    if case.get("stdin"):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=open_file(FILES / case["file"])))
    status, out, err = run(*words(case, names_format=False), "--format", "json")

    assert (status, err) == (0, "")
    systems = systems_of(out)
    system = systems[case["of_system"]] if "of_system" in case else next(iter(systems.values()))
    (result,) = system.values()
    assert "rows" not in case or result["rows"] == case["rows"]
    for name, score in case["scores"].items():
        assert result["scores"][name] == pytest.approx(score, rel=case["tolerance"], abs=1e-15)
        if case.get("interval_holds"):
            low, high = result["confidence_interval"][name]
            assert low < score < high
    if case["id"] in FIRST_OF_FORMATS.values():
        named = run(*words(case), "--format", "json")[1]
        assert systems_of(named) == systems


@needs_logs
@wanted("error")
def test_what_is_no_figure_is_one_line_that_says_why(refused, case):
    if case["file"].startswith("inspect/2026"):
        pytest.importorskip("zstandard")
    status, said = refused(*words(case))

    assert status in (1, 2)
    for word in case["words"]:
        assert word in said


def test_squad_v2_takes_logs_that_say_which_questions_have_no_answer(run, refused):
    questions = [("q1", [{"text": "Paris", "answer_start": 0}]), ("q2", [])]
    paragraph = {"qas": [{"id": name, "answers": answers} for name, answers in questions]}
    Path("gold.json").write_text(json.dumps({"data": [{"paragraphs": [paragraph]}]}))
    Path("answers.json").write_text(json.dumps({"q1": "Paris", "q2": ""}))
    sample = {"doc_id": 0, "target": "unanswerable", "resps": [["x"]], "filtered_resps": ["x"]}
    Path("samples_x.jsonl").write_text(json.dumps(sample) + "\n")

    def scores(*files):
        status, out, _ = run("score", "squad_v2", *files, "--format", "json")
        assert status == 0
        (result,) = systems_of(out).values()
        return [result["squad_v2"]["scores"][name] for name in ("exact", "NoAns_exact")]

    assert scores("answers.json", "--answers", "gold.json") == [1.0, 1.0]
    assert "needs --references" in refused("score", "squad_v2", "samples_x.jsonl")[1]
    samples = [
        {**sample, "doc_id": number, "doc": {"answers": {"text": texts, "answer_start": []}}}
        | {"target": target, "resps": [[answer]], "filtered_resps": [answer, ["-9.5", "False"]]}
        | {"arguments": [["Q", {"until": ["."]}], ["Q", " unanswerable"]]}
        for number, (texts, target, answer) in enumerate(
            [(["Paris"], "Paris", "paris"), ([], "unanswerable", ""), ([], "unanswerable", "Rome")]
        )
    ]
    Path("samples_y.jsonl").write_text("".join(json.dumps(each) + "\n" for each in samples))
    assert scores("samples_y.jsonl") == [2 / 3, 0.5]
