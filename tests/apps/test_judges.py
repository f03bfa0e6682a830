"""Judges on the command line and on the report page: sentences that one can quote."""

import random

import pytest

from metric_commons.__main__ import main
from tests.apps.files import write_rows


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A file of rows, every fourth with a label."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    chance = random.Random(0)
    rows = []
    for row in range(300):
        truth = chance.random() < 0.8
        verdict = truth if chance.random() < 0.9 else not truth
        rows.append({"judge": int(verdict), "human": int(truth) if row % 4 == 0 else None})
    write_rows(tmp_path / "new.jsonl", rows)
    return tmp_path


def printed(capsys, *arguments):
    status = main([*arguments])
    output, error = capsys.readouterr()
    assert status == 0, error
    return output


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
