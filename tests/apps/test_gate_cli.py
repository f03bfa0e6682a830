"""`gate`, `power` and `compare` on saved results, as a new user would call them."""

import json
from pathlib import Path

import pytest

from metric_commons.evaluation.results.results import Results
from tests.apps.files import write_rows
from tests.apps.saved import run_once
from tests.tables import by_table

ROWS = [
    {"id": f"q{n}", "doc": n // 4, "part": n % 4, "gold": "x", "old": "x" if n % 3 else "y"}
    for n in range(60)
]
for number, row in enumerate(ROWS):
    row["same"] = row["old"]
    row["good"] = "x"
    row["bad"] = "y"
    row["near"] = "y" if number in (1, 2, 4, 5) else "x" if number in (0, 3, 6, 9) else row["old"]


@pytest.fixture
def saved(run):
    """Scores a field into `<field>.json`, with its rows beside it."""

    def saved(*fields, rows=True, options=("--id", "id"), name=None, count=60):
        write_rows("rows.jsonl", ROWS[:count])
        name = name or fields[0]
        predictions = [word for field in fields for word in ("--predictions", field)]
        files = ["--rows", f"{name}.rows.jsonl"] if rows else []
        command = ("score", "qa_em", "rows.jsonl", *predictions, "--references", "gold")
        status, _, err = run_once(run, *command, *options, "--save", f"{name}.json", *files)
        assert (status, err) == (0, "")
        return f"{name}.json"

    return saved


def gate(run, new, old, margin=0.05, *options):
    given = ("--baseline", old, "--score", "qa_em", "--margin", margin, *options)
    return run("gate", new, *given)


@by_table("new, margin, status, words")
def test_the_status_is_the_verdict(run, saved, new, margin, status, words):
    found, out, err = gate(run, saved(new), saved("old"), margin)
    first, second, *more = out.splitlines()

    assert (found, err) == (status, "")
    assert first.startswith("qa_em: new ")
    assert "[" in first
    assert second.startswith(words)
    assert "60 rows" in second
    assert "equal" not in second
    assert bool(more) is (status == 3)
    assert not more or more[0].startswith("metric-commons power says how many rows")


@pytest.mark.long
def test_results_without_rows_say_how_to_make_them(run, saved):
    old, new = saved("old"), saved("good", rows=False)
    advice = "score again with --save and --rows FILE, or name that file"
    message = f"good.json: it does not name a file of its scored rows; {advice}\n"
    for command in (
        ("gate", new, "--baseline", old, "--score", "qa_em", "--margin", "0.1"),
        ("compare", old, new),
        ("power", new, old, "--effect", "0.1"),
    ):
        assert run(*command) == (1, "", message)
    saved("good", name="again")
    assert gate(run, "again.rows.jsonl", old)[0] == 0
    Path("again.rows.jsonl").rename("moved.jsonl")
    assert gate(run, "again.json", old)[2] == (
        f"again.json: its scored rows are missing: again.rows.jsonl; {advice}\n"
    )
    assert gate(run, "moved.jsonl", old)[0] == 0
    with Path("old.rows.jsonl").open("a") as file:
        file.write("\n")
    assert gate(run, old, old)[2] == (
        f"old.json: its scored rows changed: old.rows.jsonl; {advice}\n"
    )


def test_a_result_finds_its_rows_beside_it(run, saved, monkeypatch):
    saved("old")
    saved("good")
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")

    assert gate(run, "../good.json", "../old.json")[0] == 0


def test_rows_with_other_ids_are_not_compared(run, saved):
    old, new = saved("old"), saved("good", options=())
    status, out, err = gate(run, new, old)

    assert (status, out) == (1, "")
    assert err == (
        "the rows of 'baseline' have ids, those of 'new' do not; score both on the same rows, "
        "with --id and --rows\n"
    )


@by_table("options, status, message")
def test_what_makes_no_sense_is_one_line(run, saved, options, status, message):
    found, out, err = gate(run, saved("good"), saved("old"), 0.05, *options)

    assert (found, out, err.count("\n")) == (status, "", 1)
    assert message in err


@pytest.mark.long
def test_a_result_with_several_systems_has_no_gate(run, saved):
    message = "the new result has the systems good, bad; a gate is for one\n"
    assert gate(run, saved("good", "bad", name="several"), saved("old")) == (1, "", message)


@pytest.mark.long
def test_saved_results_are_compared(run, saved):
    names = [saved(name) for name in ("old", "good", "bad")]
    status, out, err = run("compare", *names[:2], "--save", "c.json", "--correction", "holm")
    (comparison,) = Results.read("c.json").comparisons

    assert (status, err) == (0, "")
    assert (comparison["a"], comparison["b"]) == ("old", "good")
    assert comparison["options"]["correction"] == "holm"
    assert "does not show that the systems are equal" in " ".join(out.split())
    status, out, _ = run("compare", *names, "--correction", "holm", "--explain")
    assert status == 0
    assert "corrected by Holm's method over 3 comparisons" in (" ".join(out.split()))
    table = [line.split() for line in out.splitlines()]
    assert ["qa_em", "good", "1.0000", "1", "1"] in table
    assert ["qa_em", "bad", "0.0000", "3", "3"] in table
    assert run("compare", "nix.json", names[0])[2] == "no such file: nix.json\n"
    Path("qrels").write_text("q 0 a 1\n")
    assert run("compare", names[0], "qrels")[2].startswith("qrels: ")
    status, _, err = run("compare", "qrels", names[0])
    assert (status, err.endswith("metric-commons trec QRELS RUN RUN --compare\n")) == (2, True)
    status, _, err = run("compare", *names, "--missing", "skip")
    assert (status, err) == (2, "--missing is for a table of scores\n")


@pytest.mark.long
def test_the_power_of_a_benchmark(run, saved):
    names = [saved("old"), saved("near")]
    status, out, err = run("power", *names, "--effect", "0.1")
    assert (status, err) == (0, "")
    assert "rows needed: to detect 0.1" in out
    status, out, _ = run("power", *names, "--effect", "0.1", "--format", "json")
    content = json.loads(out)
    (plan,) = content["plans"]

    assert (content["effect"], content["alpha"], content["power"]) == (0.1, 0.05, 0.8)
    assert (plan["a"], plan["b"], plan["score"], plan["rows"]) == ("old", "near", "qa_em", 60)
    assert plan["rows_needed"] > 60
    both = saved("old", "near", name="both")
    (again,) = json.loads(run("power", both, "--effect", "0.1", "--format", "json")[1])["plans"]
    assert again == plan
    assert run("power", names[0], "--effect", "0.1")[2] == (
        "there is no score of single rows that two systems share\n"
    )
    assert run("power", *names, "--effect", "-1")[0] == 2
    fields = ("--cluster-by", "doc", "--cluster-by", "part")
    crossed = [saved(name, options=("--id", "id", *fields)) for name in ("old", "near")]
    assert run("power", *crossed, "--effect", "0.1", *fields[:2])[0] == 0
    assert run("power", *crossed, "--effect", "0.1", *fields)[2] == (
        "crossed clusters cannot be planned; name one field with --cluster-by\n"
    )


def test_runs_have_rows_too(run):
    Path("qrels").write_text("".join(f"q{i} 0 a 1\n" for i in range(20)))
    for name, document in (("a", "a"), ("b", "b")):
        Path(f"{name}.run").write_text("".join(f"q{i} Q0 {document} 1 1 A\n" for i in range(20)))
        files = ("--save", f"{name}.json", "--rows", f"{name}.jsonl")
        assert run("trec", "qrels", f"{name}.run", "-m", "map", *files)[0] == 0
    options = ("--score", "map", "--margin", "0.01")

    assert run("gate", "a.json", "--baseline", "b.json", *options)[0] == 0
    assert run("gate", "b.json", "--baseline", "a.json", *options)[0] == 4
    _, first, *_ = map(json.loads, Path("a.jsonl").read_text().splitlines())
    assert (first["id"], first["ir_ranking"]) == ("q0", {"map": 1.0})


# several scores, and floors


def test_several_scores_and_floors_all_have_to_pass(run, saved):
    new, old = saved("good"), saved("old")
    both = ("gate", new, "--baseline", old, "--score", "qa_em", "--margin", "0.05")

    status, out, err = run(*both, "--floor", "qa_em=0.9", "--format", "json")
    checks = json.loads(out)["checks"]

    assert (status, err) == (0, "")
    assert [check["verdict"] for check in checks] == ["not inferior", "not inferior"]
    assert checks[0]["difference"] == 1 - 40 / 60
    assert checks[1]["confidence_interval"][0] > 0.9
    assert run(*both, "--floor", "qa_em=1.0")[0] == 3


@by_table("floor, options, status")
def test_a_floor_needs_no_baseline(run, saved, floor, options, status):
    new = saved("old", options=("--id", "id", "--cluster-by", "doc"))
    assert run("gate", new, "--floor", f"qa_em={floor}", *options)[0] == status


@pytest.mark.long
def test_where_lower_is_better_a_floor_is_the_highest_value(run, saved):
    Path("t.jsonl").write_text('{"p": "a b", "r": "a b"}\n' * 60)
    score = ("score", "error_rate", "t.jsonl", "-p", "p", "-r", "r", "-o", "t.json")
    assert run(*score, "--confidence", "0.9")[0] == 0

    status, out, _ = run("gate", "t.json", "--floor", "wer=0.2")
    assert (status, "at most 0.2" in out) == (0, True)
    assert run(*score)[0] == 0
    status, _, err = run("gate", "t.json", "--floor", "wer=0.2")
    assert (status, "score with --confidence 0.9" in err) == (2, True)


@by_table("options, message")
def test_a_gate_that_makes_no_sense_is_one_line(run, saved, options, message):
    status, out, err = run("gate", saved("old"), *options)

    assert (status, out) == (2, "")
    assert err.startswith(message)


# ---- looking again ------------------------------------------------------------------------------


@by_table("new, looks, verdict")
def test_rows_may_be_added_between_looks(run, saved, new, looks, verdict):
    old = saved("old")
    for count, expected in looks:
        options = ("--sequential", "--total", 60)
        status, out, err = gate(run, saved(new, count=count), old, 0.05, *options)
        assert (status, err) == (expected, "")
        assert out.startswith(f"qa_em: {count} of 60 rows, difference ")
    assert out.endswith(f"at 90 % over all looks: {verdict}.\n")
    status, out, _ = gate(run, f"{new}.json", old, 0.05, *options, "--format", "json")
    (check,) = json.loads(out)["checks"]
    assert (check["rows"], check["total"]) == (60, 60)
    assert check["confidence_interval"][0] <= check["difference"] <= check["confidence_interval"][1]


def test_rows_of_sequences_are_matched_by_their_ids(run, saved):
    new, old = saved("near", count=20), saved("old")
    _, expected, _ = gate(run, new, old, 0.05, "--sequential")
    ROWS.reverse()
    try:
        reversed_old = saved("old")
    finally:
        ROWS.reverse()
    assert gate(run, new, reversed_old, 0.05, "--sequential") == (3, expected, "")
    status, _, err = gate(run, saved("near"), saved("old", count=20), 0.05, "--sequential")
    assert (status, err) == (1, "row 20, 'q20', of the new system is not in the baseline\n")
    without = saved("near", options=(), count=20)
    status, _, err = gate(run, without, saved("old", options=(), count=19), 0.05, "--sequential")
    assert (status, err) == (1, "row 19 of the new system is not in the baseline\n")
    status, _, err = gate(run, without, saved("old"), 0.05, "--sequential")
    assert (status, err.startswith("only one of both results has ids")) == (1, True)
