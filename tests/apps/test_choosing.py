"""Which scores and which systems a result shows: `--scores`, `--sort`, `--top`."""

import csv
import io
import json
from pathlib import Path

import pytest

from metric_commons.evaluation.comparison.saved_results import read_results
from metric_commons.evaluation.results.results import Results
from metric_commons.evaluation.scoring.scoring import score
from tests.apps.files import write_rows
from tests.apps.saved import run_once

ROWS = [
    {
        "gold": "the red fox",
        "topic": "ab"[row % 2],
        **{f"s{hits:02}": "red fox" if row < hits else "red" for hits in range(26)},
    }
    for row in range(30)
]


@pytest.fixture(autouse=True)
def _rows(run):
    write_rows("rows.jsonl", ROWS)


def scored(run, *options, modules=("qa_em", "qa_f1"), systems=("s03", "s25")):
    fields = [word for system in systems for word in ("--predictions", system)]
    command = ("score", *modules, "rows.jsonl", *fields, "--references", "gold")
    status, out, err = run_once(run, *command, *options)
    assert (status, err) == (0, "")
    return out


def every_score(results):
    return {
        (module, name)
        for modules in results.systems.values()
        for module, result in modules.items()
        for name in result.scores
    }


@pytest.mark.long
def test_scores_are_those_that_are_named_everywhere(run):
    options = ("--scores", "qa_f1", "--scores", "qa_em.qa_em", "--group-by", "topic")
    files = ("--save", "r.json", "--rows", "rows.out")
    out = scored(run, *options, *files, "--compare", "--confidence", "0.9")
    results = read_results(Path("r.json"))

    assert "qa_precision" not in out
    assert every_score(results) == {("qa_em", "qa_em"), ("qa_f1", "qa_f1")}
    assert [each["score"] for each in results.comparisons] == ["qa_em", "qa_f1"]
    assert results.comparisons[0]["options"]["tests"] == 2
    f1 = results.systems["s03"]["qa_f1"]
    for values in (f1.confidence_interval, f1.standard_error):
        assert values.keys() == {"qa_f1"}
    group = f1.groups["a"]
    assert group.keys() - {"n"} == {
        *("qa_f1", "confidence_interval", "interval", "standard_error", "effective_n")
    }
    assert group["confidence_interval"].keys() == {"qa_f1"}
    compared = json.loads(run("compare", "r.json", "--format", "json")[1])
    assert {each["score"] for each in compared["comparisons"]} == {"qa_em", "qa_f1"}
    of_rows = read_results(Path("rows.out"))  # rows are whole, so that another score can be chosen
    assert every_score(of_rows) > every_score(results)


@pytest.mark.long
def test_commands_do_what_they_do_with_the_scores_that_were_chosen(run):
    pytest.importorskip("jinja2")
    scored(run, "--scores", "qa_recall", "--save", "r.json", "--rows", "rows.out")
    (compared,) = json.loads(run("compare", "r.json", "--format", "json")[1])["comparisons"]
    assert compared["score"] == "qa_recall"
    assert run("report", "r.json", "--save", "p.html")[0] == 0
    page = Path("p.html").read_text()
    assert "The lowest qa_recall over all systems" in page
    assert "qa_f1 " not in page
    board = run("leaderboard", "r.json", "--by", "qa_recall", "--format", "json")[1]
    assert [each["system"] for each in json.loads(board)["systems"]] == ["s25", "s03"]
    assert run("leaderboard", "r.json", "--by", "qa_f1")[2] == (
        "r.json: there is no score 'qa_f1'; there are qa_recall\n"
    )


def test_a_module_of_which_no_score_is_named_is_left_out(run):
    scored(run, "--scores", "qa_recall", "--save", "r.json", "--rows", "x.jsonl", "--compare")

    assert every_score(Results.read("r.json")) == {("qa_f1", "qa_recall")}


@pytest.mark.long
def test_a_file_a_part_and_a_page_choose_too(run):
    pytest.importorskip("jinja2")
    content = {
        "data": "rows.jsonl",
        "references": "gold",
        "predictions": {"A": "s03", "B": "s25"},
        "modules": "qa_f1",
        "compare": True,
        "scores": ["qa_recall"],
        "save": "r.json",
    }
    Path("c.yaml").write_text(json.dumps(content))
    assert run("run", "c.yaml")[0] == 0
    assert every_score(Results.read("r.json")) == {("qa_f1", "qa_recall")}

    scored(run, "--rows", "1.part", modules=["qa_f1"])
    assert run("merge", "1.part", "--scores", "qa_f1", "--save", "m.json")[0] == 0
    assert every_score(Results.read("m.json")) == {("qa_f1", "qa_f1")}

    scored(run, "--save", "r.json")
    assert run("report", "r.json", "--save", "p.html", "--scores", "qa_recall")[0] == 0
    assert "qa_precision" not in Path("p.html").read_text()


def test_a_score_that_is_not_there_is_one_line(run):
    fields = ("--predictions", "s03", "--references", "gold")
    status, out, err = run("score", "qa_f1", "rows.jsonl", *fields, "--scores", "qa_f")

    assert (status, out) == (1, "")
    assert err == "there is no score 'qa_f'; did you mean 'qa_f1'?\n"


@pytest.mark.long
def test_systems_are_sorted_and_the_first_are_shown(run):
    files = ("--save", "r.json", "--rows", "rows.out")
    scored(run, *files, modules=["qa_f1"], systems=["s03", "s25", "s00", "s16"])
    command = ("compare", "r.json", "--sort", "qa_f1", "--top", "2", "--save", "c.json")
    status, out, _ = run(*command, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))

    assert status == 0
    assert list(dict.fromkeys(row["system"] for row in rows)) == ["s25", "s16"]
    assert {row["versus"] for row in rows} == {"", "s16"}
    saved = Results.read("c.json")
    assert list(saved.systems) == ["s25", "s16", "s03", "s00"]
    assert len(saved.comparisons) == 6
    assert {"s25", "s16"} in [{each[side] for side in "ab"} for each in saved.comparisons]
    assert saved.ranks["qa_f1"]["s25"]["rank_interval"] == [1, 1]
    out = run(*command, "--explain")[1]
    assert "s03" not in out
    assert "over 6 comparisons" in " ".join(out.split())
    assert run(*command[:3], "qa_f")[2] == "there is no score 'qa_f'; did you mean 'qa_f1'?\n"


@pytest.mark.long
def test_more_than_25_systems_have_ranks_without_letters():
    names = [f"s{hits:02}" for hits in range(26)]
    answers = {name: [row[name] for row in ROWS] for name in names}
    gold = [row["gold"] for row in ROWS]
    results = score("qa_em", predictions=answers, references=gold, compare=True)
    scores, ranks = results.tables()

    assert scores.header == ["system", "qa_em"]
    assert all(cell.replace(".", "").isascii() for _, cell in scores.rows)
    assert ranks.header == ["score", "system", "value", "tier", "ranks"]
    assert [row[1] for row in ranks.rows] == names[::-1]
