import hashlib
import json
import os
import re
import shlex
import shutil
from itertools import product
from pathlib import Path

import pytest

from metric_commons.evaluation.results.results import Results
from metric_commons.retrieval import runs
from metric_commons.statistics.tests.corrections import adjusted
from metric_commons.statistics.tests.significance import compare
from tests.apps.files import systems_in
from tests.spec import GIVEN, ROOT, nightly, recorded
from tests.tables import by_table

EXAMPLES = ROOT / "examples"
DATA = GIVEN / "data" / "ir"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real runs are not here")

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\nq2 0 d 1\nq3 0 e 1\n"
A = "q1 Q0 a 1 2.0 A\nq1 Q0 b 2 1.0 A\nq2 Q0 c 1 2.0 A\nq3 Q0 e 1 1.0 A\n"
B = "q1 Q0 b 1 2.0 B\nq1 Q0 a 2 1.0 B\nq2 Q0 d 1 2.0 B\nq2 Q0 c 2 1.0 B\n"
PAIR = ("trec", "--compare", "qrels", "a.run", "b.run")


@pytest.fixture
def run(run, monkeypatch):
    """Run the command beside three small files: its exit status, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "100")
    for name, text in (("qrels", QRELS), ("a.run", A), ("b.run", B)):
        Path(name).write_text(text)
    return run


def cells(out):
    """The words of each line."""
    return [line.split() for line in out.splitlines()]


# trec


def test_a_row_is_a_run_and_a_column_a_measure(run):
    status, out, err = run("trec", "qrels", "a.run", "b.run", "-m", "map", "-m", "P@1")

    assert status == 0
    assert err.startswith("note: b: 1 of 3 judged queries have no results; they count 0 here")
    assert cells(out)[0] == ["system", "map", "P@1"]
    assert cells(out)[2:4] == [["a", "0.8333", "1.0000"], ["b", "0.5000", "0.3333"]]


def test_a_missing_query_is_skipped_if_asked(run):
    _, out, err = run("trec", "qrels", "b.run", "-m", "map", "--missing", "skip", "--explain")

    assert err == ""
    assert ["b", "0.7500"] in cells(out)
    assert "|rows=2|" in out


@by_table("options")
def test_an_option_is_that_of_score_run(run, options):
    Path("c.run").write_text(
        "q1 Q0 x 1 9 C\nq1 Q0 b 1 8.00000001 C\nq1 Q0 a 1 8 C\nq2 Q0 d 1 1 C\n"
    )
    _, out, _ = run("trec", "qrels", "c.run", "-m", "ndcg", "-m", "map", *options, "--format=json")
    value = options[1] if len(options) > 1 else True
    option = options[0].lstrip("-").replace("-", "_")
    told = {option: int(value) if str(value).isdigit() else value}
    result = systems_in(out)["c"]["ir_ranking"]

    assert result.scores == runs.score_run("qrels", "c.run", ["ndcg", "map"], **told)["mean"]
    assert result.options[option] == told[option]


def test_the_default_measures_are_those_of_the_module(run):
    _, out, _ = run("trec", "qrels", "a.run", "--format", "json")
    scores = systems_in(out)["a"]["ir_ranking"].scores

    assert scores == runs.score_run("qrels", "a.run")["mean"]


def test_the_saved_result_has_queries_intervals_and_inputs(run):
    _, out, _ = run(
        *("trec", "qrels", "a.run", "b.run", "-m", "map", "-m", "num_rel_ret", "--per-query"),
        *("--confidence", "0.9", "--save", "build/r.json", "--explain"),
    )
    saved = Results.read("build/r.json")
    result = saved.systems["b"]["ir_ranking"]

    assert ["system", "group", "rows", "map", "num_rel_ret"] in cells(out)
    assert ["b", "q1", "1", "0.5000", "1"] in cells(out)
    assert result.scores == {"map": 0.5, "num_rel_ret": 3}
    assert result.groups["q2"] == {"map": 1.0, "num_rel_ret": 2, "n": 1}
    assert result.rows == 3
    assert result.options["confidence_level"] == 0.9
    low, high = result.confidence_interval["map"]
    assert low <= 0.5 <= high
    assert f"0.50 [{low:.2f}, {high:.2f}]" in out
    assert result.signature in out
    assert saved.provenance["inputs"] == [
        {"path": name, "sha256": hashlib.sha256(text.encode()).hexdigest(), "rows": rows}
        for name, text, rows in (("qrels", QRELS, 5), ("a.run", A, 4), ("b.run", B, 4))
    ]


def test_of_unjudged_documents_few_are_better(run):
    run("trec", "qrels", "a.run", "-m", "map", "-m", "unj@5", "--save", "saved.json")

    (result,) = Results.read("saved.json").systems["a"].values()

    assert result.lower_is_better == ["unj@5"]


def test_runs_are_called_by_what_tells_them_apart(run):
    for name in ("x/input.s", "x/input.t\ue000", "y/input.s"):
        Path(name).parent.mkdir(exist_ok=True)
        shutil.copy("a.run", name)
    _, few, _ = run("trec", "qrels", "x/input.s", "x/input.t\ue000", "-m", "map")
    _, all_, _ = run("trec", "qrels", "x/input.s", "y/input.s", "-m", "map")

    assert {"input.s", r"input.t\ue000"} <= {line[0] for line in cells(few) if line}
    assert {"x/input.s", "y/input.s"} <= {line[0] for line in cells(all_) if line}


# compare


def test_the_verdict_comes_first_and_a_row_is_a_measure(run):
    status, out, _ = run(*PAIR, "-m", "map", "-m", "mrr", "--explain")

    assert status == 0
    assert out.startswith("No difference is significant: map +0.33 [")
    assert ["a", "b", "mrr", "1.0", "0.5", "+0.5"] in [row[:6] for row in cells(out)]
    assert "paired_significance|test=permutation|alternative=two-sided|" in out


@by_table("given, told")
def test_a_comparison_is_that_of_its_scores(run, given, told):
    form = ("--missing", "skip", "--save", "r.json", "--format", "json")
    _, out, _ = run(*PAIR, "-m", "map", "-m", "mrr", *given, *form)
    columns = (
        {measure: [scores[query][measure] for query in ("q1", "q2")] for measure in ("map", "mrr")}
        for scores in (
            runs.score_run("qrels", name, ["map", "mrr"])["per_query"]
            for name in ("a.run", "b.run")
        )
    )
    correction, alpha = told.get("correction", "bonferroni"), told.get("alpha", 0.05)
    level = 0.975 if correction == "bonferroni" else 0.95
    testing = {name: value for name, value in told.items() if name != "correction"}
    testing["bounds"] = (0, 1)
    a, b = columns
    expected = {name: compare(a[name], b[name], confidence_level=level, **testing) for name in a}
    corrected = adjusted([each["p_value"] for each in expected.values()], correction).tolist()
    for each, p in zip(expected.values(), corrected, strict=True):
        each |= {"p_adjusted": p, "significant": p < alpha}
    saved = json.loads(Path("r.json").read_text())

    assert json.loads(out) == saved
    assert [each["score"] for each in saved["comparisons"]] == ["map", "mrr"]
    for each in saved["comparisons"]:
        told_of_all = {"a": "a", "b": "b", "module": "ir_ranking", "rows": 2}
        assert each.items() >= {**told_of_all, **expected[each["score"]]}.items()
        assert each["options"].items() >= told.items()
    assert systems_in(saved)["b"]["ir_ranking"].scores == {"map": 0.75, "mrr": 0.75}
    assert [source["path"] for source in saved["provenance"]["inputs"]] == [
        *("qrels", "a.run", "b.run")
    ]


def test_measures_that_are_no_mean_are_not_compared(refused):
    for name in ("gm_map", "num_rel_ret"):
        status, said = refused(*PAIR, "-m", name)
        assert status == 2
        assert said == f"--measure: '{name}' is not a mean over queries, so it cannot be compared"


# Pictures


@pytest.mark.long
@pytest.mark.parametrize(
    ("queries", "a", "b"),
    [
        (61, "aax", "axa"),
        *nightly(*product((1, 60, 61, 3000), "ax", "ax")),
        *nightly((3000, "aax", "axa")),
    ],
)
def test_any_differences_can_be_drawn(run, queries, a, b):
    pytest.importorskip("matplotlib")
    names = [f"$q_{i}" for i in range(queries)]
    Path("qrels").write_text("".join(f"{name} 0 a 1\n" for name in names))
    for path, pattern in (("$日.run", a), ("b" * 99 + ".run", b)):
        found = (f"{name} Q0 {pattern[i % len(pattern)]} 1 1 A\n" for i, name in enumerate(names))
        Path(path).write_text("".join(found))
    status, _, err = run(
        *("trec", "--compare", "qrels", "$日.run", "b" * 99 + ".run", "-m", "map", "-m", "P@1"),
        *("--plot", "d.svg"),
    )

    assert (status, err) == (0, "")
    assert Path("d.svg").stat().st_size > 5000


@pytest.mark.long
def test_ids_that_cannot_be_printed_are_drawn_and_shown(run):
    pytest.importorskip("matplotlib")
    for name in ("qrels", "a.run", "b.run"):
        Path(name).write_bytes(Path(name).read_bytes().replace(b"q1", b"q\xff"))
    drawn, _, _ = run(*PAIR, "-m", "map", "--plot", "d.png")
    status, out, _ = run("trec", "qrels", "a.run", "-m", "map", "--per-query")

    assert (drawn, status) == (0, 0)
    assert ["a", r"q\udcff", "1", "1.0000"] in cells(out)


# What goes wrong


@by_table("name, content, message")
@pytest.mark.parametrize("command", [["trec"], ["trec", "--compare"]])
def test_a_file_that_cannot_be_read_is_one_line(refused, command, name, content, message):
    Path(name).unlink()
    if content is not None:
        Path(name).write_bytes(content.encode("latin-1"))
    status, said = refused(*command, "qrels", "a.run", "b.run", "--save", "out/r.json")

    assert status == 1
    assert said.startswith(message)


def recorded_faults():
    """Recorded pairs of files of which one is not what it should be."""
    cases = [case for case in recorded("ir") if case["kind"] == "eval"]
    return [case for case in cases if "error" in case["expected"]]


@pytest.mark.parametrize("case", recorded_faults(), ids=lambda case: case["id"])
@pytest.mark.parametrize("command", [["trec"], ["trec", "--compare"]])
def test_a_recorded_fault_is_one_line(refused, command, case):
    for name, text in (("qrels", case["qrels"]), ("a.run", case["run"])):
        Path(name).write_bytes(text.encode("utf-8"))
    status, said = refused(*command, "qrels", "a.run", "b.run", "--save", "out/r.json")

    which = {"qrels": "qrels", "run": "a.run"}[case["expected"]["error"].split()[0].rstrip(":")]
    place = f"{which} has no rows" if not case["qrels"] else rf"{which}(, line \d+)?: "
    assert status == 1
    assert re.match(place, said)


def test_a_total_goes_by_what_trec_eval_counts(run):
    _, out, _ = run(
        *("trec", "qrels", "a.run", "-m", "num_rel", "-m", "map", "--relevance-level", "2"),
        *("--per-query", "--confidence", "0.9", "--format", "json"),
    )
    result = systems_in(out)["a"]["ir_ranking"]

    assert result.scores["num_rel"] == 4  # above 0, with trec_eval's -c -l 2
    assert sum(each["num_rel"] for each in result.groups.values()) == 1
    assert result.confidence_interval.keys() == {"map"}


def test_a_folder_is_no_file_but_a_pipe_is(run, refused):
    Path("folder").mkdir()
    assert refused("trec", "qrels", "folder") == (
        1,
        "folder: this is a folder; name the files in it",
    )

    reading, writing = os.pipe()
    os.write(writing, Path("a.run").read_bytes())
    os.close(writing)
    _, piped, _ = run("trec", "qrels", f"/dev/fd/{reading}", "--format", "csv")
    _, stored, _ = run("trec", "qrels", "a.run", "--format", "csv")
    os.close(reading)
    assert [line.partition(",")[2] for line in piped.splitlines()] == [
        line.partition(",")[2] for line in stored.splitlines()
    ]


def test_runs_without_a_common_query_are_not_compared(refused):
    Path("a.run").write_text("q3 Q0 e 1 1.0 A\n")
    status, said = refused(*PAIR, "--missing", "skip")

    assert (status, said) == (1, "a and b have no query in common")


@by_table("command, options, status, message")
def test_an_option_that_makes_no_sense_is_one_line(refused, command, options, status, message):
    if "--plot" in options:
        pytest.importorskip("matplotlib")
    found, said = refused(*command.split(), "qrels", "a.run", "b.run", *options)

    assert found == status
    assert said.startswith(message)


# Examples and real data


@pytest.mark.long
def test_the_sessions_of_the_examples_are_true(run, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("COLUMNS", "80")
    shutil.copytree(EXAMPLES, "examples")
    page = Path("examples/README.md").read_text("utf-8")
    sessions = re.findall(
        r"^```console\n\$ metric-commons (.+?(?:\\\n.+?)*)\n(.+?)```$", page, re.M | re.S
    )

    assert len(sessions) == 3
    for command, shown in sessions:
        status, out, err = run(*shlex.split(command.replace("\\\n", " ")))
        assert (status, re.sub("^note: .*\n", "", err)) == (0, "")
        printed = "\n".join(line.rstrip() for line in out.splitlines())
        assert printed.startswith(shown.rstrip())


@pytest.mark.long
@pytest.mark.parametrize(
    ("folder", "suffix", "count"),
    [(ROOT / "examples", ".txt", 2), pytest.param(DATA / "dl19", ".run.gz", 6, marks=needs_data)],
    ids=["examples", "dl19"],
)
def test_real_runs_score_as_score_run_says_to_the_last_bit(run, folder, suffix, count):
    (qrels,), systems = folder.glob("qrels*"), sorted(folder.glob("*.run.*"))
    measures = ["ndcg@10", "map", "recall@100", "gm_map", "num_rel_ret"]
    _, out, _ = run(
        "trec", qrels, *systems, *(f"-m{each}" for each in measures), "--format", "json"
    )

    results = systems_in(out)
    assert len(results) == len(systems) == count
    for path in systems:
        scores = results[path.name.removesuffix(suffix)]["ir_ranking"].scores
        assert scores == runs.score_run(qrels, path, measures)["mean"]


def test_one_run_cannot_be_compared(run):
    status, _, err = run("trec", "qrels", "a.run", "--compare")

    assert (status, err) == (2, "--compare needs at least two runs\n")
