"""`metric-commons trec --format trec_eval` prints what trec_eval prints.

Its own expected files are compared, and a binary where `TREC_EVAL` names one.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from metric_commons.apps.console.trec_eval import lines
from tests.spec import GIVEN, trec_eval_files
from tests.tables import by_table

DATA = GIVEN / "data" / "ir"
FILES = DATA / "treceval"
needs_files = pytest.mark.skipif(not FILES.is_dir(), reason="trec_eval's own files are not here")
BINARY = os.environ.get("TREC_EVAL", "")
VERSION_10 = re.compile(r"(?:rbp|rbp_resid|unj_\d+) ")  # what all_trec of version 9 does not have

QRELS = "q1 0 a 1\nq1 0 b 0\nq1 0 c -1\nq2 0 c 12\nq2 0 d 1\nq3 0 e 1\n"
RUN = "q1 Q0 a 1 2.0 my-tag\nq1 Q0 x 2 1.5 my-tag\nq1 Q0 c 3 1.0 my-tag\nq2 Q0 c 1 2.0 my-tag\n"


PARAMETERS = (
    "-q -m iprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 "
    "-m Rprec_mult.5.0,0.2,0.35 -m utility.2,-1,0,0 -m 11pt_avg..25,.5,.75 "
    "-m ndcg.1=3,2=9,4=4.5 -m ndcg_cut.10,20,23 -m success.2,5,20"
)


@pytest.fixture
def printed(run):
    """What the command prints for two small files: lines of name, query and value."""
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)

    def printed(*arguments, files=("qrels", "run")):
        status, out, err = run("trec", "--format", "trec_eval", *arguments, *files)
        assert (status, err) == (0, "")
        return out.splitlines()

    return printed


def test_without_measures_they_are_the_official_ones(printed):
    names = [line.split("\t")[0].rstrip() for line in printed()]

    assert (names[0], names[-1], len(names)) == ("runid", "P_1000", 30)
    assert names == [line.label for line in lines(["official"], None)]


@by_table("arguments, queries")
def test_flags_choose_lines(printed, arguments, queries):
    found = [line.split("\t")[1] for line in printed("-m", "map", *arguments)]

    assert found == queries


@by_table("arguments, values")
def test_flags_are_those_of_trec_eval(printed, arguments, values):
    found = printed(*arguments)

    if values is not None:
        assert [line.split("\t")[2] for line in found] == values
    if BINARY:
        assert found == _of_the_binary(arguments, "qrels", "run", skips="-c" not in arguments)


@by_table("arguments, message")
def test_what_cannot_be_printed_is_refused(run, printed, arguments, message):
    Path("run2").write_text(RUN)

    status, out, err = run("trec", "--format", "trec_eval", "qrels", "run", *arguments)
    assert (status, out) == (2, "")
    assert message in err


@pytest.mark.long
def test_options_of_this_form_are_refused_with_others(run, printed):
    for option, message in (("-n", "--no-summary"), ("-N1", "--collection-size")):
        status, _, err = run("trec", "qrels", "run", option)
        assert (status, err) == (2, f"{message} is an option of --format trec_eval\n")


def test_the_whole_result_may_be_saved_too(run, printed):
    printed("-m", "P.1", "-q", "--save", "result.json", "--rows", "rows.jsonl")

    assert '"P_1"' in Path("result.json").read_text()
    assert '"q2"' in Path("rows.jsonl").read_text()


@pytest.mark.parametrize(
    ("arguments", "qrels", "results", "expected"),
    [
        ("", "qrels.test", "results.test", "out.test"),
        pytest.param(
            *("", "qrels.comment.test.gz", "results.comment.test.gz", "out.comment.test"),
            marks=needs_files,
        ),
        ("-m all_trec", "qrels.test", "results.test", "out.test.a"),
        ("-m all_trec -q", "qrels.test", "results.test", "out.test.aq"),
        ("-m all_trec -q -c", "qrels.test", "results.trunc", "out.test.aqc"),
        ("-m all_trec -q -c -M100", "qrels.test", "results.trunc", "out.test.aqcM"),
        ("-m all_trec -m relstring.20 -q -l2", "qrels.rel_level", "results.test", "out.test.aql"),
        (PARAMETERS, "qrels.test", "results.test", "out.test.meas_params"),
    ],
)
def test_the_expected_files_of_trec_eval(printed, arguments, qrels, results, expected):
    folder = FILES if "comment" in qrels else trec_eval_files()
    found = printed(*arguments.split(), files=(folder / qrels, folder / results))

    wanted = (folder / expected).read_text("latin-1").splitlines()
    assert found == [line for line in wanted if not VERSION_10.match(line)]
    if "all_trec" in arguments:
        arguments = arguments.replace("all_trec", "all_trec_10")
        found = printed(*arguments.split(), files=(folder / qrels, folder / results))
        if qrels == "qrels.rel_level":  # for grades trec_eval's rbp reads uninitialized variables
            found, wanted = (
                [line for line in output if not line.startswith("rbp ")]
                for output in (found, wanted)
            )
        assert found == wanted


def _of_the_binary(arguments, qrels, results, *, skips):
    """What trec_eval prints; version 10 ends with an error where queries have no results."""
    if skips:
        in_run = {line.split()[0] for line in Path(results).read_text().splitlines()}
        rows = Path(qrels).read_text().splitlines(keepends=True)
        qrels = "judged"
        Path(qrels).write_text("".join(row for row in rows if row.split()[0] in in_run))
    command = [BINARY, *arguments, qrels, results]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.slow
@pytest.mark.skipif(not BINARY, reason="TREC_EVAL names no binary")
@pytest.mark.parametrize("flags", ["", "-c", "-J", "-l2", "-M50", "-l2 -M7 -J"])
def test_a_binary_prints_the_same(printed, tmp_path, flags):
    arguments = [*flags.split(), "-q", "-m", "all_trec", "-m", "dcg", "-m", "unj", "-m", "yaap"]
    files = tmp_path / "judgments", tmp_path / "results"
    for path, name in zip(files, ("qrels.rel_level", "results.trunc"), strict=True):
        path.write_bytes((trec_eval_files() / name).read_bytes())

    expected = _of_the_binary(arguments, *map(str, files), skips="-c" not in flags)
    found = printed(*arguments, files=files)
    assert found == [line for line in expected if not line.startswith("rbp")]
