"""`leaderboard`, as a new user would call them."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from metric_commons import load
from metric_commons.evaluation.results.results import FORMATS
from metric_commons.statistics import interval
from tests.apps.files import sample_of_lm_eval, write_rows
from tests.apps.saved import run_once
from tests.tables import by_table

pytestmark = pytest.mark.long


def write_task(name, rows, hits):
    """A file with a system that is right in so many rows, in the last ones of the file."""
    lines = [
        {"id": f"{name}{row}", "gold": "x"}
        | {system: "x" if row < number else "y" for system, number in hits.items()}
        for row in range(rows)
    ]
    write_rows(f"{name}.jsonl", lines)


@pytest.fixture
def saved(run):
    """Scores systems of a task, each into a result of its own."""

    def saved(task, *systems, rows=True, options=(), name="{task}.{system}", module="qa_em"):
        paths = []
        for system in systems:
            stem = name.format(task=task, system=system)
            fields = ("--predictions", system, "--references", "gold", "--id", "id")
            files = ("--rows", f"{stem}.rows") if rows else ()
            command = ("score", module, f"{task}.jsonl", *fields, *options)
            status, _, err = run_once(run, *command, "--save", f"{stem}.json", *files)
            assert (status, err) == (0, "")
            paths.append(f"{stem}.json")
        return paths

    write_task("one", 40, {"good": 38, "fair": 25, "poor": 3, "same": 37})
    write_task("two", 60, {"good": 50, "fair": 40, "poor": 9})
    return saved


def records(out):
    return list(csv.DictReader(io.StringIO(out)))


def test_systems_are_ranked_with_intervals_and_tiers(run, saved):
    paths = saved("one", "poor", "good", "same", "fair")
    status, out, err = run("leaderboard", *paths, "--by", "qa_em", "--format", "csv")
    found = records(out)

    assert (status, err) == (0, "")
    names = ("rank", "system", "best_rank", "worst_rank", "tier")
    assert [tuple(each[name] for name in names) for each in found] == [
        ("1", "good", "1", "2", "1"),
        ("1", "same", "1", "2", "1"),
        ("3", "fair", "3", "3", "2"),
        ("4", "poor", "4", "4", "3"),
    ]
    expected = interval([1.0] * 38 + [0.0] * 2)
    assert float(found[0]["value"]) == 38 / 40
    assert [float(found[0][end]) for end in ("low", "high")] == [expected.low, expected.high]
    out = run("leaderboard", *paths, "--by", "qa_em", "--top", "2", "--explain")[1]
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["rank", "system", "qa_em", "95%", "interval", "ranks", "tier", "rows"]
    assert lines[2][:3] == ["1", "good", "0.950ᵃ"]
    assert len([line for line in lines if line[1:2] in (["good"], ["same"])]) == 2
    assert "fair" not in out
    told = " ".join(out.split())
    assert "corrected by Bonferroni's method over 6 comparisons" in told
    assert "qa_em|normalizer=squad|" in told
    page = run("leaderboard", *paths, "--by", "qa_em", "--format", "html")[1]
    assert page.count(">1–2<") == 2


@pytest.mark.parametrize("method", ["auto", "wilson"])
def test_intervals_of_any_level_are_computed_as_the_saved_ones(run, saved, method):
    options = ("--confidence", "0.9", "--interval", method)
    paths = saved("one", "good", options=options)
    for level in ("0.5", "0.9"):
        command = ("leaderboard", *paths, "--by", "qa_em", "--confidence", level)
        board = json.loads(run(*command, "--format", "json")[1])
        expected = interval([1.0] * 38 + [0.0] * 2, confidence_level=float(level), method=method)
        (only,) = board["systems"]
        assert only["confidence_interval"] == [expected.low, expected.high]
        assert board["confidence_level"] == float(level)


def test_without_rows_there_are_intervals_and_no_ranks(run, saved):
    paths = [*saved("one", "good"), *saved("one", "fair", rows=False)]
    status, out, _ = run("leaderboard", *paths, "--by", "qa_em")
    told = " ".join(out.split())

    assert status == 0
    assert out.splitlines()[0].split() == ["system", "qa_em", "95%", "interval", "rows"]
    assert (
        "There are no ranks: one.fair.json: it does not name a file of its scored rows; score "
        "again with --save and --rows FILE, or name that file" in told
    )
    saved("one", "fair", name="again")
    out = run("leaderboard", paths[0], "again.rows", "--by", "qa_em")[1]
    assert out.splitlines()[0].split()[0] == "rank"


@by_table("options, words")
def test_unlike_results_are_refused(run, saved, options, words):
    task = "two" if options is None else "one"
    paths = [*saved("one", "good"), *saved(task, "fair", options=options or ())]
    status, out, err = run("leaderboard", *paths, "--by", "qa_em")

    assert (status, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"the results are not comparable: {words}")


def test_a_score_that_a_result_lacks_is_one_line(run, saved):
    paths = saved("one", "good")

    assert run("leaderboard", *paths, "--by", "qa_me") == (
        *(1, ""),
        "one.good.json: there is no score 'qa_me'; did you mean 'qa_em'?\n",
    )
    assert run("leaderboard", *paths, *paths, "--by", "qa_em") == (
        *(2, ""),
        "result one.good.json is given twice\n",
    )


def test_systems_of_one_name_are_named_by_their_files(run, saved):
    for system in ("good", "fair"):
        rows = [json.loads(line) for line in Path("one.jsonl").read_text().splitlines()]
        lines = [{"id": row["id"], "gold": "x", "answer": row[system]} for row in rows]
        write_rows(f"{system}.jsonl", lines)
        saved(system, "answer", name=f"run_{system}")
    paths = ["run_good.json", "run_fair.json"]
    out = run("leaderboard", *paths, "--by", "qa_em", "--format", "csv")[1]

    assert [each["system"] for each in records(out)] == ["run_good: answer", "run_fair: answer"]


def test_less_is_better_where_it_is(run, saved):
    paths = saved("one", "poor", "good", module="ter", rows=False)
    found = records(run("leaderboard", *paths, "--by", "ter", "--format", "csv")[1])

    assert [each["system"] for each in found] == ["good", "poor"]
    assert "Lower is better." in run("leaderboard", *paths, "--by", "ter")[1]


@pytest.mark.parametrize("name", FORMATS)
def test_a_leaderboard_has_every_format_of_results(run, saved, name):
    """A format of tables is also in `TABLE_FORMATS`, another in `_WRITERS` of the command."""
    status, out, _ = run(
        "leaderboard", *saved("one", "good", "fair"), "--by", "qa_em", "--format", name
    )

    assert status == 0
    assert "good" in out


def test_the_page_has_one_script_and_sorts(run, saved):
    paths = saved("one", "good", "fair")
    page = run("leaderboard", *paths, "--by", "qa_em", "--format", "html")[1]

    assert page.count("<script>") == 1
    assert re.search(r"script-src 'sha256-[\w+/]{43}='", page)
    assert "src=" not in page.replace("script-src", "")
    assert "0.950" in page
    assert "{{" not in page
    assert ">good</text>" in page
    assert "by qa_em · ↑ higher is better · 95 % intervals" in re.sub(r"\s+", " ", page)


def test_tasks_of_logs_are_no_rivals(run):
    for model, hits in (("large", 9), ("small", 4)):
        paths = []
        for task, rows in (("qa", 10), ("quiz", 10)):
            samples = [
                sample_of_lm_eval(row, "x", "x", em=float(row < hits)) for row in range(rows)
            ]
            paths.append(write_rows(f"{model}/samples_{task}_2026-01-15T09-00-00.jsonl", samples))
        files = ("--save", f"{model}.json", "--rows", f"{model}.rows")
        assert run("score", "logged", *paths, *files)[0] == 0
    command = ("leaderboard", "large.json", "small.json", "--by", "em")

    assert run(*command)[2] == (
        "the results are not comparable: task: qa (large.json), quiz (large.json)\n"
    )


# Votes


FIELDS = ("model_a", "model_b", "winner")
VOTES = [
    ("ada", "bob", "model_a"),
    ("ada", "bob", "model_a"),
    ("bob", "ada", "model_a"),
    ("bob", "eve", "tie"),
    ("eve", "ada", "model_b"),
    ("eve", "bob", "model_a"),
    ("ada", "eve", "model_a"),
] * 12


@pytest.fixture
def votes(run):
    rows = [
        {"model_a": a, "model_b": b, "winner": winner, "prompt": f"p{row % 9}", "points": 0.5}
        for row, (a, b, winner) in enumerate(VOTES)
    ]
    write_rows("votes.jsonl", rows)
    return ("leaderboard", "--votes", "votes.jsonl")


def test_votes_are_ranked_below_a_sentence(run, votes):
    status, out, err = run(*votes)
    expected = load("pairwise_ranking").compute(
        **dict(zip(FIELDS, map(list, zip(*VOTES, strict=True)), strict=True)), confidence_level=0.95
    )
    low, high = expected["confidence_interval"]["ratings"]["ada"]
    sentence, *lines = out.split("\n\n")

    assert (status, err) == (0, "")
    assert " ".join(sentence.split()) == (
        f"84 votes on 3 systems: ada has the highest rating, {expected['ratings']['ada']:.0f} "
        f"(95% interval {low:.0f} to {high:.0f}), above all others."
    )
    assert lines[0].split("\n")[2].split()[:3] == ["1", "ada", f"{expected['ratings']['ada']:.1f}"]
    page = run(*votes, "--format", "html")[1]
    assert page.index('<p class="sentence">84 votes on 3 systems: ada') < page.index("<table>")
    content = json.loads(run(*votes, "--format", "json")[1])
    assert content["sentence"] == " ".join(sentence.split())
    for record in content["systems"]:
        system = record["system"]
        assert record["rating"] == expected["ratings"][system]
        assert record["confidence_interval"] == expected["confidence_interval"]["ratings"][system]
        assert record["rank_interval"] == expected["rank_interval"][system]
        assert record["win_rate"] == expected["win_rate"][system]


def test_systems_that_votes_cannot_tell_apart_are_named(run, votes):
    told = " ".join(run(*votes, "--confidence", "0.9999")[1].split())
    assert "but cannot be told apart from " in told
    told = " ".join(run(*votes, "--set", "method=elo")[1].split())
    assert "these votes give no interval for it." in told
    told = " ".join(run(*votes, "--set", "method=win_rate")[1].split())
    assert "ada has the highest win rate, 80.0% (95% interval" in told


def test_votes_have_clusters_and_options(run, votes):
    out = run(*votes, "--cluster-by", "prompt", "--format", "csv")[1]
    plain = run(*votes, "--format", "csv")[1]
    davidson = run(*votes, "--set", "ties=davidson", "--format", "csv")[1]

    assert [each["rating"] for each in records(out)] == [each["rating"] for each in records(plain)]
    assert records(out)[0]["low"] != records(plain)[0]["low"]
    assert records(davidson)[0]["rating"] != records(plain)[0]["rating"]
    assert len(run(*votes, "--top", "2", "--format", "markdown")[1].split("\n|")) == 5


@by_table("rest, message")
def test_what_goes_with_votes(run, votes, rest, message):
    status, _, err = run(*votes, *rest)
    assert status in (1, 2)
    assert message in " ".join(err.split())
    assert run("leaderboard")[0] == 2
    assert run("leaderboard", "a.json", "--by", "qa_em", "--set", "ties=half")[0] == 2


def test_votes_without_finite_ratings_are_one_line(run):
    row = {"model_a": "x", "model_b": "y", "winner": "model_a"}
    write_rows("votes.jsonl", [row])
    status, _, err = run("leaderboard", "--votes", "votes.jsonl")

    assert status == 1
    assert err.startswith("separated: 'x' never lost a point to 'y'")


def test_as_many_rows_of_other_questions_are_refused(run, saved):
    write_task("other", 40, {"fair": 20})
    paths = [*saved("one", "good"), *saved("other", "fair")]

    message = run("leaderboard", *paths, "--by", "qa_em")[2]
    assert "ids of the rows: different in one.good.json, other.fair.json" in message


def test_options_of_intervals_make_no_other_board(run, saved):
    paths = [*saved("one", "good"), *saved("one", "fair", options=("--confidence", "0.9"))]

    assert run("leaderboard", *paths, "--by", "qa_em")[0] == 0
