"""Judges on the command line and on the report page: numbers, and sentences that one can quote."""

import json
import math
import random

import pytest

from metric_commons.__main__ import main
from metric_commons.judging import judge_corrected
from tests.apps.files import write_rows


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Two systems in files of rows, in different orders, every fourth row with a label."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    chance = random.Random(0)
    for name, rate, order in (("new", 0.8, 1), ("old", 0.5, -1)):
        rows = []
        for row in range(300):
            truth = chance.random() < rate
            verdict = truth if chance.random() < 0.9 else not truth
            label = int(truth) if row % 4 == 0 else None
            rows.append({"id": f"q{row}", "judge": int(verdict), "human": label, "topic": row // 5})
        write_rows(tmp_path / f"{name}.jsonl", rows[::order])
    return tmp_path


def printed(capsys, *arguments):
    status = main([*arguments])
    output, error = capsys.readouterr()
    assert status == 0, error
    return output


def refused(capsys, message, *arguments):
    assert main([*arguments]) != 0
    assert message in " ".join(capsys.readouterr().err.split())


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


LABELLED = ("--predictions", "judge", "--labels", "human")
BOTH = ("compare", "new.jsonl", "old.jsonl")


def test_the_corrected_difference_of_two_systems(files, capsys):
    command = (*BOTH, *LABELLED, "--id", "id")
    found = json.loads(printed(capsys, *command, "--format", "json"))
    old = {row["id"]: row for row in rows_of(files / "old.jsonl")}
    pairs = [(row, old[row["id"]]) for row in rows_of(files / "new.jsonl")]
    expected = judge_corrected(
        [a["judge"] - b["judge"] for a, b in pairs],
        [math.nan if a["human"] is None else a["human"] - b["human"] for a, b in pairs],
        score_range=(-1, 1),
    )
    assert found["judge_corrected"] == expected["judge_corrected"]
    assert found["confidence_interval"] == expected["confidence_interval"]
    assert found["labelled"] == 75

    text = printed(capsys, *command)
    assert found["sentence"] in text
    assert "new is better" in found["sentence"]
    assert printed(capsys, *command, "--cluster-by", "topic") != text


def test_one_file_with_the_fields_of_both_systems(files, capsys):
    rows = [
        {"a": row["judge"], "b": 0, "human_a": row["human"], "human_b": 0}
        for row in rows_of(files / "new.jsonl")
    ]
    write_rows(files / "both.jsonl", rows)
    fields = ("--predictions", "a", "--predictions", "b", "--labels", "human_a")
    text = printed(capsys, "compare", "both.jsonl", *fields, "--labels", "human_b")
    assert "Between a and b, people would see a difference of +0." in text
    refused(capsys, "one for each system of a single file", "compare", "both.jsonl", *fields)


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("--labels needs --predictions", (*BOTH, "--labels", "human")),
        ("--test is for", (*BOTH, *LABELLED, "--test", "t")),
        ("--labels compares two systems, not 1", ("compare", "new.jsonl", *LABELLED)),
        ("--id is for --labels", (*BOTH, "--id", "id")),
        (
            "field 'topic' is 'x'",
            ("compare", "odd.jsonl", "odd.jsonl", "-p", "topic", "--labels", "human"),
        ),
    ],
)
def test_what_the_commands_refuse(files, capsys, message, arguments):
    (files / "odd.jsonl").write_text('{"topic": "x", "human": 1}\n')
    refused(capsys, message, *arguments)


@pytest.mark.long
def test_sentences_in_tables_and_on_top_of_the_page(files, capsys):
    command = ("score", "judge_corrected", "new.jsonl", "-p", "judge", "-r", "human")
    text = printed(capsys, *command, "--confidence", "0.95", "--save", "result.json")
    sentence = "By the labels of 75 of 300 rows, people would give 0."
    assert sentence in text
    printed(capsys, "report", "result.json", "--save", "page.html")
    page = (files / "page.html").read_text("utf-8")
    assert page.index(sentence) < page.index("<nav>")

    (files / "ratings.jsonl").write_text('{"r": [1, null, 2]}\n{"r": [1, 1, 1]}\n{"r": [2, 2]}\n')
    text = printed(capsys, *("score", "judge_agreement", "ratings.jsonl", "--predictions", "r"))
    assert "Two ratings of a row agree in 66.7 % of the cases." in text
    assert "the effect of chance is not known" in text
