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
