"""`--cluster-by` on saved rows: the same as if they had been scored with this field alone."""

import json
from pathlib import Path

import numpy as np
import pytest

from metric_commons import score
from tests.apps.files import sample_of_lm_eval, write_rows
from tests.apps.saved import run_once
from tests.tables import by_table

ROWS = 40
FIELD = ("--cluster-by", "doc.passage")
BOTH = (*FIELD, "--cluster-by", "doc.topic")
COMMANDS = {
    "qa_f1": ["--predictions", "{system}", "--references", "gold"],
    "win_rate": ["--predictions", "wins_{system}"],
    "ter": ["--predictions", "{system}", "--references", "gold"],
    "ir_ranking": [
        *("--predictions", "ranking_{system}", "--references", "relevant"),
        *("--set", 'measures=["ndcg@2", "utility"]'),
    ],
}


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    texts = ["the river Rhine", "Paris", "in Paris", "42"]
    return [
        {
            "id": f"q{row}",
            "doc": {"passage": row // 6, "topic": "xyz"[row % 3]},
            "gold": texts[rng.integers(2)],
            "number": float(rng.integers(9)),
            "relevant": ["a", "b"][: 1 + row % 2],
        }
        | {
            f"{name}{system}": value
            for system in ("x", "y")
            for name, value in {
                "": texts[rng.integers(4)],
                "wins_": float(rng.choice([0.0, 0.5, 1.0])),
                "number_": float(rng.integers(9)),
                "ranking_": ["a", "b", "c"][int(rng.integers(3)) :],
            }.items()
        }
        for row in range(ROWS)
    ]


@pytest.fixture
def saved(run, rows):
    """The results of both systems, each in a file of its own."""
    write_rows("rows.jsonl", rows)

    def saved(module, *options):
        for system in ("x", "y"):
            fields = [word.format(system=system) for word in COMMANDS[module]]
            files = ("--save", f"{system}.json", "--rows", f"{system}.rows")
            command = ("score", module, "rows.jsonl", *fields, *options, *files)
            status, _, err = run_once(run, *command)
            assert (status, err) == (0, "")

    return saved


@pytest.mark.long
@pytest.mark.parametrize(
    "module", [*list(COMMANDS)[:2], "ir_ranking", pytest.param("ter", marks=pytest.mark.slow)]
)
def test_clusters_that_are_chosen_later_are_those_that_came_first(run, saved, module):
    compared = ("compare", "x.json", "y.json", "--format", "json")
    saved(module, *BOTH)
    status, out, err = run(*compared, *FIELD)
    assert (status, err) == (0, "")
    later = json.loads(out)
    saved(module, *FIELD)
    first = json.loads(run(*compared)[1])

    assert first["comparisons"][0]["n_clusters"] in (6, 7)  # ties of a whole cluster do not count
    for part in ("runs", "records", "comparisons"):
        assert later[part] == first[part]


@pytest.mark.long
def test_boards_and_other_commands_choose_clusters_too(run, saved):
    saved("qa_f1", "--id", "id", *BOTH)
    paths = ("x.json", "y.json")
    board = ("leaderboard", *paths, "--by", "qa_f1", "--format", "json")
    later = json.loads(run(*board, *FIELD)[1])
    gate = ("gate", "x.json", "--baseline", "y.json", "--score", "qa_f1", "--margin", "0.3")
    verdict = run(*gate, *FIELD)[1]
    planned = run("power", *paths, "--effect", "0.1", *FIELD)

    assert planned[0] == 0
    assert any("|clusters=7|" in line for line in later["signatures"])
    saved("qa_f1", "--id", "id")
    assert run(*gate)[1] != verdict
    saved("qa_f1", "--id", "id", *FIELD, "--confidence", "0.95")
    assert json.loads(run(*board)[1])["systems"] == later["systems"]
    assert run(*gate)[1] == verdict
    assert planned == run("power", *paths, "--effect", "0.1")


def test_rows_of_a_log_have_clusters(run, rows):
    for system in ("x", "y"):
        folder = Path(system)
        folder.mkdir()
        samples = [
            sample_of_lm_eval(
                number, row[system], row["gold"], exact_match=float(row[system] == row["gold"])
            )
            | {"doc": row["doc"], "filter": name}
            for name in ("none", "strict")
            for number, row in enumerate(rows)
        ]
        write_rows(folder / "samples_qa_2026-01-15T09-00-00.jsonl", samples[::-1])
        log = f"{system}/samples_qa_2026-01-15T09-00-00.jsonl"
        files = (*BOTH, "--save", f"{system}.json", "--rows", f"{system}.rows")
        assert run("score", "logged", log, "--filter", "strict", *files)[0] == 0
    for field, number in (("doc.passage", 7), ("doc.topic", 3)):
        command = ("compare", "x.json", "y.json", "--format", "json", "--cluster-by", field)
        status, out, err = run(*command)
        assert (status, err) == (0, "")
        (found,) = json.loads(out)["comparisons"]
        assert (found["rows"], found["n_clusters"]) == (ROWS, number)


@pytest.mark.parametrize("command", ["compare", "leaderboard", "gate", "power"])
def test_clusters_that_rows_do_not_have_are_one_line(run, saved, command):
    rest = {
        "compare": ("y.json",),
        "leaderboard": ("y.json", "--by", "qa_f1"),
        "gate": ("--baseline", "y.json", "--score", "qa_f1", "--margin", "0.1"),
        "power": ("y.json", "--effect", "0.1"),
    }[command]
    for scored, known in (((), "none"), (BOTH, "doc.passage, doc.topic")):
        saved("qa_f1", *scored)
        assert run(command, "x.json", *rest, "--cluster-by", "doc") == (
            *(1, ""),
            f"x.json: rows of 'x' were scored without --cluster-by doc; their clusters: {known}\n",
        )
    Path("x.rows").unlink()
    status, out, err = run(command, "x.json", *rest, *FIELD)
    assert (status, out) == (1, "")
    assert err.startswith(
        "clusters need scored rows: x.json: its scored rows are missing: x.rows; score again"
    )


@pytest.mark.parametrize("data", ["columns", "file"])
def test_python_and_commands_name_clusters_alike(run, rows, data):
    columns = {name: [row[name] for row in rows] for name in ("x", "y", "gold")}
    columns["passage"] = [row["doc"]["passage"] for row in rows]
    lines = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    data = {"columns": columns, "file": write_rows("rows.jsonl", lines)}[data]
    named = {"predictions": ["x", "y"], "references": "gold", "clusters": "passage"}
    results = score("qa_f1", data, rows=True, **named).save_rows("p.parquet")
    results.save("p.json")
    out = run("compare", "p.json", "--cluster-by", "passage", "--format", "json")[1]

    assert json.loads(out)["comparisons"][0]["n_clusters"] == 7


@pytest.mark.long
@by_table("module, options")
def test_a_saved_result_has_the_intervals_of_its_rows(run, rows, module, options):
    write_rows("rows.jsonl", rows)
    fields = [word.format(system="x") for word in COMMANDS[module]]
    command = ("score", module, "rows.jsonl", *fields, *options)
    expected = json.loads(run(*command, "--confidence", "0.9", "--format", "json")[1])
    intervals = {
        each["score"]: [each["low"], each["high"]]
        for each in expected["records"]
        if each["low"] is not None
    }
    assert run(*command, "--save", "alone.json", "--rows", "alone.parquet")[0] == 0
    write_rows("a.jsonl", rows[:9])
    write_rows("b.jsonl", rows[9:])
    for part in "ab":
        partial = ("score", module, f"{part}.jsonl", *fields, *options)
        assert run(*partial, "--rows", f"{part}.part")[0] == 0
    merged = ("--save", "merged.json", "--rows", "merged.jsonl")
    assert run("merge", "a.part", "b.part", *merged)[0] == 0
    means = [name for name in intervals if name != "utility"]

    assert means
    for path in ("alone.json", "merged.json", "alone.parquet"):
        for name in means:
            board = ("leaderboard", path, "--by", name, "--confidence", "0.9", "--format", "json")
            status, out, err = run(*board)
            assert (status, err) == (0, "")
            (found,) = json.loads(out)["systems"]
            assert found["confidence_interval"] == pytest.approx(intervals[name], abs=1e-12)


@pytest.mark.long
def test_scores_of_a_log_may_have_any_range(run):
    for scores in ([40.0, 90.0, 60.0], [-3.0, 2.0, 0.5]):
        samples = [
            sample_of_lm_eval(number, "a", "a", percent=score)
            for number, score in enumerate(scores)
        ]
        write_rows("log.jsonl", samples)
        files = ("--save", "log.json", "--rows", "log.rows")
        command = ("score", "logged", "log.jsonl", *files, "--format", "json")
        (result,) = json.loads(run(*command, "--confidence", "0.95")[1])["records"]
        expected = [result["low"], result["high"]]
        assert run(*command)[0] == 0
        out = run("leaderboard", "log.json", "--by", "percent", "--format", "json")[1]

        (found,) = json.loads(out)["systems"]
        assert found["confidence_interval"] == expected
        assert expected[0] < np.mean(scores) < expected[1]
