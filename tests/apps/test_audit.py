"""`metric-commons audit`: printed scores, without their rows."""

import json

import pytest

TABLE = """
| system | NQ (n=3610) | Trivia (n=500) | BLEU (n=100) |
| :--- | ---: | ---: | ---: |
| **ours** | **47.8** | 82.0 ± 1.7 | 27.3 |
| dpr | 41.5 | 80.0 | 26.1 |
| bm25 | 22.0 | 70.2% | 20.0 |
"""
OF_TASKS = "| task | n | A | B |\n|---|---|---|---|\n| NQ | 3,610 | .478 | .415 |\n"
CLEAR = "| | QA | Hard |\n|-|-|-|\n| n | 1000 | 500 |\n| a | .9 | .5 |\n| b | .5 | .9 |\n"


@pytest.mark.parametrize(
    ("options", "status", "sentences"),
    [
        ("--score 1.0 --rows 10", 0, ["score 1.0 of 10 rows: 95% interval [0.69, 1.00]"]),
        ("--score 10% --rows 500 --alpha 0.1", 0, ["90% interval [0.08, 0.12]"]),
        (
            "--score 1.0 --rows 10 --baseline 0.7",
            3,
            ["[0.69, 1.00]", "[0.35, 0.93]", "No outcome with these scores could", "0.2500"],
        ),
        (
            "--score 0.82 --rows 500 --baseline 0.80",
            3,
            [
                "[0.78, 0.85]",
                "[0.76, 0.83]",
                "p may be as small as 0.0020, and is 0.4684",
                "6,038 rows",
                "On 500 rows the scores cannot be told apart at 0.05.",
            ],
        ),
        ("--score 0.5 --rows 1000 --baseline 90%", 0, ["scores can be told apart at 0.05."]),
        ("--score 0.5 --rows 1000 --baseline 0.5", 3, ["There is no difference."]),
        ("--score 0.82 --rows 500", 0, ["[0.78, 0.85]"]),
    ],
)
def test_what_a_score_says_by_itself(run, options, status, sentences):
    found, out, _ = run("audit", *options.split())

    assert found == status
    assert [sentence for sentence in sentences if sentence not in out] == []


def test_the_interval_is_that_of_the_rows(run):
    _, out, _ = run("audit", *"--score 0.82 --rows 500 --format json".split())
    low, high = json.loads(out)["score"]["confidence_interval"]

    # scipy.stats.binomtest(410, 500).proportion_ci()
    assert (low, high) == pytest.approx((0.7834636306, 0.8526994175), abs=1e-9)


@pytest.mark.parametrize(
    ("text", "status", "marked", "notes"),
    [
        (TABLE, 3, ["80.0 ≈"], ["not means of rows: BLEU (n=100)."]),
        (OF_TASKS, 0, [], []),
        (OF_TASKS.replace("3,610", "50"), 3, [".415 ≈"], []),
        (CLEAR, 0, [], []),
        ('model,"NQ (n=3,610)",Trivia (n=1000)\na,45.1,61.0\nb,46.0,68.2\n', 3, ["45.1 ≈"], []),
    ],
)
def test_cells_that_cannot_be_told_apart_are_marked(run, tmp_path, text, status, marked, notes):
    (tmp_path / "table.md").write_text(text)
    found, out, _ = run("audit", str(tmp_path / "table.md"))
    table, _, note = out.partition("≈ cannot be told apart from the best beside it")

    assert found == status
    assert table.count("≈") == len(marked)
    assert all(cell in table for cell in marked)
    assert all(text in " ".join(note.split()) for text in notes)


@pytest.mark.parametrize(
    ("text", "options", "status", "message"),
    [
        (TABLE, "--score 0.82", 2, "name a file with a table, or --score and --rows"),
        (TABLE, "--baseline 0.82", 2, "--baseline is not for a table"),
        ("no table", "", 1, "table.md: there is no table of Markdown"),
        (TABLE.replace(" (n=500)", ""), "", 1, "Trivia: no number of rows; write 'n=500'"),
        (TABLE.replace("| 70.2%", ""), "", 1, "the row 'bm25' has 3 cells, not 4"),
        (OF_TASKS.replace("task", "x"), "", 1, "call the first column system or task, not 'x'"),
        (OF_TASKS.replace("3,610", "many"), "", 1, "must be a whole number above 0, got 'many'"),
        (None, "--score 82 --rows 5", 2, "between 0 and 1, got '82'; a percentage is 82%"),
        (None, "--score 0.82", 2, "--score needs --rows"),
    ],
)
def test_wrong_calls(run, tmp_path, text, options, status, message):
    path = tmp_path / "table.md"
    path.write_text(text or "")
    found, _, error = run("audit", *([] if text is None else [str(path)]), *options.split())

    assert (found, message in error) == (status, True), error
