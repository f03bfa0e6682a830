"""`metric-commons audit`: printed scores, without their rows."""

import json

import pytest

from tests.spec import ROOT

CASES = json.loads((ROOT / "tests/cases/audits.json").read_text("utf-8"))


@pytest.mark.parametrize(("options", "status", "sentences"), CASES["scores"])
def test_what_a_score_says_by_itself(run, options, status, sentences):
    found, out, _ = run("audit", *options.split())

    assert found == status
    assert [sentence for sentence in sentences if sentence not in out] == []


def test_the_interval_is_that_of_the_rows(run):
    _, out, _ = run("audit", *"--score 0.82 --rows 500 --format json".split())
    low, high = json.loads(out)["score"]["confidence_interval"]

    # scipy.stats.binomtest(410, 500).proportion_ci()
    assert (low, high) == pytest.approx((0.7834636306, 0.8526994175), abs=1e-9)


@pytest.mark.parametrize(("text", "status", "marked", "notes"), CASES["tables"])
def test_cells_that_cannot_be_told_apart_are_marked(run, tmp_path, text, status, marked, notes):
    (tmp_path / "table.md").write_text(text)
    found, out, _ = run("audit", str(tmp_path / "table.md"))
    table, _, note = out.partition("≈ cannot be told apart from the best beside it")

    assert found == status
    assert table.count("≈") == len(marked)
    assert all(cell in table for cell in marked)
    assert all(text in " ".join(note.split()) for text in notes)


@pytest.mark.parametrize(("text", "options", "status", "message"), CASES["wrong_calls"])
def test_wrong_calls(run, tmp_path, text, options, status, message):
    path = tmp_path / "table.md"
    path.write_text(text or "")
    found, _, error = run("audit", *([] if text is None else [str(path)]), *options.split())

    assert (found, message in error) == (status, True), error
