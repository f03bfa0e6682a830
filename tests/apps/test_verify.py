"""`metric-commons verify`: another package on rows of one's own."""

import json

import pytest

from tests.tables import by_table

pytest.importorskip("jiwer", reason="jiwer is not installed")

SIDES = ("-p", "hypothesis", "-r", "reference", "--against", "jiwer")


@pytest.fixture
def transcripts(tmp_path, monkeypatch):
    """Return the name of a file with two rows, which agree unless case matters."""
    monkeypatch.chdir(tmp_path)
    rows = [("the cat sat", "the cat sat"), ("The cat sat", "the dog sat")]
    lines = (json.dumps({"hypothesis": ours, "reference": theirs}) for ours, theirs in rows)
    (tmp_path / "runs.jsonl").write_text("\n".join(lines))
    return "runs.jsonl"


def test_all_rows_agree(run, transcripts):
    status, out, _ = run("verify", "error_rate", transcripts, *SIDES)

    assert status == 0
    assert out.splitlines()[0].startswith("2 of 2 rows agree (jiwer ")
    assert "all rows together: wer 0.333333 ours, 0.333333 theirs" in out.splitlines()


def test_rows_that_differ_are_shown_side_by_side_and_have_an_exit_status(run, transcripts):
    command = ("verify", "error_rate", transcripts, *SIDES, "--set", "normalizer=lower")
    status, out, _ = run(*command)

    assert status == 4
    assert out.splitlines()[0].startswith("1 of 2 rows agree (jiwer ")
    assert "The cat sat" in out
    record = json.loads(run(*command, "--format", "json")[1])
    assert (record["rows"], record["agree"]) == (2, 1)
    (difference,) = record["differences"]
    assert (difference["row"], difference["score"]) == (1, "wer")


@by_table("arguments, status, message")
def test_what_cannot_be_compared_is_one_line(run, transcripts, arguments, status, message):
    found, _, err = run("verify", *arguments)

    assert found == status
    assert message in err
    assert len(err.splitlines()) <= 2


def test_a_peer_that_is_missing_says_what_to_install(run, transcripts, monkeypatch):
    monkeypatch.setattr("metric_commons.evaluation.peers.peers.find_spec", lambda name: None)
    status, _, err = run("verify", "error_rate", transcripts, *SIDES)

    assert (status, err) == (1, "jiwer is not installed: pip install jiwer\n")
