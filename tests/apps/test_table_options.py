"""The options of tables in every command that prints them, and --quiet."""

from pathlib import Path

import pytest

from tests.apps.files import write_rows

ROWS = [
    {"gold": "x", "a": "x" if row % 3 else "y", "b": "x" if row % 2 else "y"} for row in range(30)
]
SCORED = ["score", "qa_em", "rows.jsonl", "--predictions", "a", "--predictions", "b", "-r", "gold"]
CONFIG = """\
data: rows.jsonl
references: gold
predictions: [b, a]
modules: [qa_em, qa_f1]
compare: true
"""


@pytest.fixture
def rows(run):
    write_rows("rows.jsonl", ROWS)
    return run


def test_run_takes_the_options_of_score(rows):
    Path("c.yaml").write_text(CONFIG)
    status, out, err = rows(
        "run", "c.yaml", "--digits", 1, "--percent", "--sort", "qa_em", "--table", "scores"
    )

    assert (status, err) == (0, "")
    assert out.split()[:3] == ["system", "qa_em", "(%)"] or "qa_em (%)" in out
    assert out.index("a  ") < out.index("b  ")
    assert "66.7" in out
    assert "p_adjusted" not in out
    latex = rows("run", "c.yaml", "--format", "latex", "--caption", "Both.", "--label", "tab:x")[1]
    assert r"\caption{Both.}" in latex
    assert r"\label{tab:x}" in latex
    assert rows("run", "c.yaml", "--caption", "Both.")[0] == 2


def test_merge_sorts(rows):
    assert rows(*SCORED, "--rows", "all.part", "-q")[0] == 0
    ascending = rows("merge", "all.part", "--sort", "qa_em")[1]

    assert ascending.index("a  ") < ascending.index("b  ")


def test_a_board_of_votes_takes_digits_and_percent(rows):
    votes = [
        {"model_a": "a", "model_b": "b", "winner": "model_a" if n % 3 else "model_b"}
        for n in range(30)
    ]
    write_rows("votes.jsonl", votes)
    out = rows("leaderboard", "--votes", "votes.jsonl", "--digits", 2, "--percent")[1]

    assert "win rate (%)" in out
    assert "66.67" in out


@pytest.mark.long
def test_quiet_leaves_out_notes_and_written_files(rows, capsys):
    from metric_commons.__main__ import main

    def said(*words):
        assert main([str(word) for word in words]) == 0
        return capsys.readouterr().err

    assert "wrote r.json" in said(*SCORED, "--save", "r.json")
    assert "note: " in said("report", "r.json", "--save", "r.html")
    assert said("report", "r.json", "--save", "r.html", "-q") == ""
    assert "wrote " in said(
        "export", "r.json", "--scale", "1", "-o", "r.md"
    )  # the choice is not kept


def test_a_terminal_without_bars_if_quiet(monkeypatch):
    from metric_commons.statistics.resampling import progress

    class Terminal:
        @staticmethod
        def isatty():
            return True

    monkeypatch.setattr(progress.sys, "stderr", Terminal())
    assert progress.shows_bars()
    progress.set_quiet(quiet=True)
    assert not progress.shows_bars()
    progress.set_quiet(quiet=False)


@pytest.mark.long
def test_ranks_of_twenty_systems_fit_a_terminal(rows):
    names = [f"system-{number:02}" for number in range(20)]
    values = [
        {"gold": "x"} | {n: "x" if row >= 6 * k else "y" for k, n in enumerate(names)}
        for row in range(120)
    ]
    write_rows("many.jsonl", values)
    fields = [word for name in names for word in ("-p", name)]
    command = ("score", "qa_em", "many.jsonl", *fields, "-r", "gold", "--compare")
    out = rows(*command, "--table", "ranks")[1]
    lines = [line for line in out.splitlines() if line.startswith("qa_em  ")]

    assert len(lines) == 20
    assert max(map(len, lines)) <= 80
    assert rows(*command, "--format", "latex", "--table", "all")[1].isascii()
