"""Boards of published tables and folders of results."""

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.apps.files import sample_of_lm_eval, write_rows
from tests.tables import by_table, tabled

LONG = [
    *(("a", "x", 0.75, 0.01), ("a", "y", 0.5, 0.01)),
    *(("b", "x", 0.5, 0.01), ("b", "y", 0.25, 0.01)),
]
LM_EVAL = tabled(__file__, "LM_EVAL")


def board(run, *arguments):
    status, out, err = run("leaderboard", *arguments, "--format", "json")
    assert status == 0, err
    return json.loads(out)


def write(name, fields, rows=LONG, separator=","):
    records = [dict(zip(fields, row, strict=False)) for row in rows]
    if name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(records), name)
    elif name.endswith(".json"):
        Path(name).write_text(json.dumps(records))
    elif name.endswith(".jsonl"):
        Path(name).write_text("".join(json.dumps(record) + "\n" for record in records))
    else:
        text = io.StringIO()
        lines = csv.writer(text, delimiter=separator, lineterminator="\n")
        lines.writerows([fields, *(row[: len(fields)] for row in rows)])
        Path(name).write_text(text.getvalue())
    return name


FIELDS = ("model", "task", "score", "standard_error")


@pytest.mark.parametrize(
    "make",
    [
        lambda: write("t.csv", FIELDS),
        lambda: write("t.tsv", ("System", "dataset", "value", "stderr"), separator="\t"),
        lambda: write("t.json", ("name", "benchmark", "main_score")),
        lambda: write("t.jsonl", FIELDS),
        lambda: write("t.parquet", FIELDS),
        lambda: write("w.csv", ("model", "x", "y"), [("a", 0.75, 0.5), ("b", 0.5, 0.25)]),
    ],
)
def test_tables_of_every_kind_are_the_same_board(run, make):
    content = board(run, make())

    assert content["tasks"] == ["x", "y"]
    assert {each["system"]: each["value"] for each in content["systems"]} == {
        "a": 0.625,
        "b": 0.375,
    }
    assert content["mean"] == "tasks"
    assert [each["borda"] for each in content["systems"]] == [2.0, 0.0]


def test_errors_and_rows_give_ranks(run):
    content = board(run, write("t.csv", FIELDS))
    assert [each["rank_interval"] for each in content["systems"]] == [[1, 1], [2, 2]]
    rows = [(*row[:3], 40) for row in LONG]
    content = board(run, write("n.csv", ("model", "task", "score", "rows"), rows))
    assert 0.5 < content["systems"][0]["confidence_interval"][0] < 0.55
    wide = "model,x,x_stderr\na,0.75,0.01\nb,0.5,0.01\n"
    Path("w.csv").write_text(wide)
    content = board(run, "w.csv")
    assert content["tasks"] == ["x"]
    assert content["systems"][0]["rank_interval"] == [1, 1]
    Path("l.csv").write_text(wide)
    assert board(run, "l.csv", "--lower-is-better")["systems"][0]["system"] == "b"


def test_results_of_lm_eval(run):
    for model, more in (("a", 0.0), ("b", 0.125)):
        document = json.loads(json.dumps(LM_EVAL))
        document["model_name"] = model
        document["results"]["x"]["acc,none"] += more
        Path("runs", model).mkdir(parents=True)
        Path("runs", model, "results_2026.json").write_text(json.dumps(document))
    content = board(run, "runs", "--by", "acc")

    assert {each["system"]: each["tasks"] for each in content["systems"]} == {
        "b": {"x": 0.875, "y": 0.5},
        "a": {"x": 0.75, "y": 0.5},
    }
    assert content["systems"][0]["rank_interval"] == [1, 1]
    content = board(run, "runs/a", "--by", "em,none")
    assert content["systems"][0]["tasks"] == {"y": 0.25}
    path = next(Path("runs/a").iterdir())
    message = f"{path}: task y has acc,none, em,none; name one of them in full with --by\n"
    assert run("leaderboard", "runs/a")[::2] == (1, message)
    status, _, err = run("score", "logged", str(path))
    assert status == 2
    assert err.startswith(f"{path} cannot be scored: it contains means without scores of rows")


def test_a_log_of_samples_is_scored_first(run):
    samples = [sample_of_lm_eval(0, "x", "x", em=1.0)]
    write_rows("samples_qa_2026-01-15T09-00-00.jsonl", samples)
    status, _, err = run("leaderboard", "samples_qa_2026-01-15T09-00-00.jsonl")

    assert status == 1
    assert "this is a log of lm-eval; score it first: metric-commons score logged" in err


@by_table("content, message")
def test_bad_tables_are_one_line(run, content, message):
    Path("bad.csv").write_text(content)
    status, out, err = run("leaderboard", "bad.csv")

    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(message)


def test_what_is_left_out_is_told(run):
    Path("w.csv").write_text("name,x,link,y\na,0.75,http,0.5\nb,0.5,http,-\n")
    status, out, err = run("leaderboard", "w.csv")

    assert status == 0
    assert err.splitlines() == [
        "note: b has no score of task y; it is left out",
    ]
    assert "b" not in out.split("\n\n")[1]
    content = board(run, "w.csv", "--missing-tasks", "worst", "--mean", "borda")
    assert [each["borda"] for each in content["systems"]] == [2.0, 0.0]
    assert board(run, "w.csv", "--by", "x")["tasks"] == ["x"]
    for arguments in (("w.csv", "--rows", "w.csv"), ("w.csv", "--group"), ("--by", "x")):
        assert run("leaderboard", *arguments)[0] == 2
