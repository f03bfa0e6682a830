"""Several processes read and score rows: the result and the errors are those of one process."""

import csv
import gzip
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from metric_commons import load, score
from metric_commons.__main__ import main
from metric_commons.data.files import arrow_rows, delimited_rows
from metric_commons.evaluation.rows import blocks, worker_processes
from metric_commons.evaluation.scoring import files, scoring
from metric_commons.module.catalog.catalog import load_without_evaluate
from tests.spec import METRICS, PATIENCE, nightly, specs
from tests.tables import tabled

pytestmark = pytest.mark.processes

COUNT = 70
LISTS = ("gold", "found", "relevant")
ROWS = [
    {
        "id": f"q{i}",
        "answer": ("Paris", "the Rhine", "", "ünder 42")[i % 4],
        "other": ("Paris", "Rhine")[i % 2],
        "gold": [("Paris", "Rhine")[i % 3 % 2], "42"],
        "topic": f"t{i % 3}",
        "document": i // 4,
        "label": i % 2,
        "guess": i % 3 % 2,
        "found": ["a", "b", "c"][i % 3 :],
        "relevant": ["b", "c"][: 1 + i % 2],
    }
    for i in range(COUNT)
]
ANSWERS = ("--predictions", "answer", "--references", "gold")
LABELS = ("--predictions", "guess", "--references", "label")
RANKINGS = ("--predictions", "found", "--references", "relevant")
BOTH = (*ANSWERS, "--predictions", "other", "--compare")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """A few rows in each block and piece, so that a small file has many."""
    monkeypatch.setattr(files, "_ROWS", 4)
    monkeypatch.setattr(delimited_rows, "_SIZE", 100)
    monkeypatch.setattr(arrow_rows, "_ROWS", 4)


@pytest.fixture
def processes(monkeypatch):
    """The number of pieces that processes were given in each call.

    None of these may refuse a piece: all would be done again in one process, which hides faults.
    """
    counts = []

    def counted(work, given, jobs):
        counts.append(0)
        try:
            for result in worker_processes.mapped(work, given, jobs):
                counts[-1] += 1
                yield result
        except worker_processes.RefusedError as error:
            pytest.fail(f"a process refused a piece: {error}")

    monkeypatch.setattr(blocks, "mapped", counted)
    return counts


def lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def write(name, rows):
    path = Path(name)
    if name.endswith(".parquet"):
        parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=11)
    elif name.endswith(".csv"):
        with path.open("w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, rows[0], quoting=csv.QUOTE_ALL)
            table.writeheader()
            table.writerows(row | {k: json.dumps(row[k]) for k in LISTS} for row in rows)
    else:
        data = json.dumps(rows).encode() if name.endswith(".json") else lines(rows)
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)


def saved(run, *arguments):
    """What one process and two save and print, but for the time."""
    found = []
    for jobs in (1, 2):
        status, out, err = run("score", *arguments, "--jobs", jobs, "--save", "r.json")
        assert (status, err) == (0, ""), err
        found.append((out, *map(undated, ["r.json", *Path().glob("rows.jsonl")])))
    return found


def undated(name):
    """The lines of a file, without the time and the checksums that depend on it."""
    return re.sub(r'("(created|sha256)": )"[^"]*"', r"\1", Path(name).read_text())


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "x.parquet", "x.csv", "x.json"])
def test_every_kind_of_file_gives_the_same_result(run, processes, name):
    write(name, ROWS)
    one, two = saved(
        run, "qa_em", "qa_f1", name, *ANSWERS, "--group-by", "topic", "--confidence", 0.9
    )

    assert one == two
    assert processes[0] > 4


@pytest.mark.parametrize(
    ("arguments", "reads"),
    [
        (("qa_em", "qa_f1", *BOTH, "--id", "id", "--cluster-by", "document"), True),
        (("qa_f1", *ANSWERS, "--rows", "rows.jsonl", "--id", "id"), True),
        (("qa_f1", *ANSWERS, "--cluster-by", "document", "--standard-error"), True),
        (("bleu", *BOTH, "--confidence", 0.9, "--n-resamples", 50), True),
        (("classification", *LABELS, "--confidence", 0.9), True),
        (("ir_ranking", *RANKINGS, "--confidence", 0.9), True),
        (("ir_ranking", *RANKINGS, "--id", "id", "--set", 'measures=["gm_map", "num_rel"]'), True),
        (("qa_f1", *ANSWERS, "--where", "topic=t1"), False),
    ],
)
def test_whatever_is_asked_for_is_the_same(run, processes, arguments, reads):
    write("x.jsonl", ROWS)
    one, two = saved(run, arguments[0], "x.jsonl", *arguments[1:])

    assert one == two
    assert processes[0] > (4 if reads else 1)


def test_files_of_several_systems_are_the_same(run, processes):
    for name, shift in (("a.jsonl", 0), ("b.jsonl.gz", 1)):
        rows = [row | {"answer": ROWS[(i + shift) % COUNT]["answer"]} for i, row in enumerate(ROWS)]
        write(name, rows)
    one, two = saved(run, "qa_f1", "a.jsonl", "b.jsonl.gz", *ANSWERS, "--compare", "--id", "id")
    assert one == two
    assert len(processes) == 2, "each file is read and scored"
    one, two = saved(run, "qa_f1", "a.jsonl", "b.jsonl.gz", *ANSWERS)
    assert one == two


DAMAGES = tabled(__file__, "DAMAGES")
COMPARED = ("--compare", "--predictions", "other")


@pytest.mark.parametrize(
    ("damage", "mode"),
    [
        *((damage, ()) for damage in DAMAGES),
        (DAMAGES[0], COMPARED),
        *nightly(*((damage, COMPARED) for damage in DAMAGES[1:])),
    ],
)
def test_the_first_wrong_row_is_named_as_by_one_process(refused, damage, mode):
    rows = [row | damage.get(i, {}) for i, row in enumerate(ROWS)]
    write("x.jsonl", rows)
    arguments = ("score", "qa_f1", "x.jsonl", *ANSWERS, "--group-by", "topic", *mode, "--jobs")

    assert refused(*arguments, 3) == refused(*arguments, 1)


@pytest.mark.parametrize(
    "text",
    [
        lines(ROWS) + b'{"answer": \n',
        lines(ROWS[:30]) + b"\n \n" + lines([{"answer": "a"}] * 3) + lines(ROWS) + b"[1]\n",
        lines(ROWS) + b'{"answer": "\xff"}\n' + lines(ROWS),
        lines(ROWS) + b"\xef\xbb\xbf" + lines(ROWS),
        b"",
        b"\n\n",
        gzip.compress(lines(ROWS))[:-9],
        lines(ROWS) + b"\x0c\n" + lines(ROWS),
    ],
    ids=["cut", "missing", "utf8", "mark", "empty", "blank", "gzip", "form feed"],
)
def test_a_damaged_file_is_refused_as_by_one_process(refused, text):
    Path("x.jsonl").write_bytes(text)
    arguments = ("score", "qa_f1", "x.jsonl", *ANSWERS, "--jobs")

    assert refused(*arguments, 3) == refused(*arguments, 1)


def test_the_size_of_files_decides(run, processes, monkeypatch):
    write("x.jsonl", ROWS)
    monkeypatch.setattr(scoring, "cores", lambda: 2)
    for size, calls in ((10**9, 0), (1, 1)):
        monkeypatch.setattr(scoring, "_SIZE_OF_PROCESS", size)
        assert run("score", "qa_em", "x.jsonl", *ANSWERS)[0] == 0
        assert len(processes) == calls


def test_a_wrong_number_is_refused(refused, monkeypatch):
    write("x.jsonl", ROWS)
    arguments = ("score", "qa_em", "x.jsonl", *ANSWERS, "--jobs")
    for jobs in (0, "two"):
        assert refused(*arguments, jobs)[0] == 2
    for wrong in (0, -1, 1.5, True, "2", 10**9):
        with pytest.raises(ValueError, match="jobs must be an integer from 1 to 512"):
            score("qa_em", "x.jsonl", jobs=wrong)
    with pytest.raises(ValueError, match="jobs is about files"):
        score("qa_em", predictions=["a"], references=["a"], jobs=2)
    monkeypatch.delattr(os, "fork")
    assert refused(*arguments, 2) == (
        2,
        "--jobs must be 1 here; several processes need Linux, macOS or WSL, where they are forked",
    )


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_processes_are_forked_whatever_the_start_method_is(
    processes, method, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    write("x.jsonl", [{"p": "ab", "r": "cb"}] * 12)
    before = multiprocessing.get_start_method(allow_none=True)
    multiprocessing.set_start_method(method, force=True)
    try:
        # A function of this test cannot be pickled, as other start methods would ask for.
        options = {"normalizer": lambda text: text[-1:]}
        found = score("qa_em", "x.jsonl", predictions="p", references="r", options=options, jobs=2)
    finally:
        multiprocessing.set_start_method(before, force=True)

    assert found["p"]["qa_em"]["qa_em"] == 1.0
    assert processes[0] > 1


def plain(results):
    """What results hold, with NaN as a file has it, since that is not equal to itself."""
    content = results.to_dict()
    del content["provenance"]["created"]
    parts = [vars(r[m]) for r in results.systems.values() for m in r]
    for modules in results.rows.values():
        for table in modules.values():
            parts.append({**table.columns, **table.texts, **table.clusters})

    def listed(value):
        return value.tolist() if isinstance(value, np.ndarray) else str(value)

    return json.dumps([content, *parts], default=listed)


# How columns are divided and joined depends on the kind of score: by day one module of each,
# and one with inputs of several shapes.
WITH_PREDICTIONS = [name for name in METRICS if "predictions" in specs(name)[0].sample]
KINDS = {load_without_evaluate(name).score_kind: name for name in WITH_PREDICTIONS}
BY_DAY = sorted({*KINDS.values(), "qa_em"})


@pytest.mark.parametrize(
    "name", [*BY_DAY, *nightly(*(name for name in WITH_PREDICTIONS if name not in BY_DAY))]
)
def test_rows_of_every_module_give_the_same_result(processes, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    supported = load(name).options
    for spec in specs(name):
        columns = {
            column: list(spec.sample[column]) * (1 if "SQuAD" in spec.shape else 12)
            for column in load_without_evaluate(name).input_names
            if column in spec.sample
        }
        options = {key: value for key, value in spec.sample.items() if key not in columns}
        if any(isinstance(value, list) and key != "measures" for key, value in options.items()):
            continue  # an option with a value for each row, which files have not
        rows = len(columns["predictions"])
        labels = {"groups": [i % 2 for i in range(rows)], "clusters": [i // 3 for i in range(rows)]}
        if options.get("method") == "rogan_gladen":  # which refuses clusters
            del labels["clusters"]
        columns |= labels
        write(
            "x.jsonl",
            [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
        )
        shared = {"options": options, "n_resamples": 40, "rows": True}
        shared |= {"columns": {c: c for c in columns if c not in labels}}
        asked = {"confidence_level": 0.9, **{label: label for label in labels}}
        for more in ({}, {k: v for k, v in asked.items() if k in supported}):
            one, two = (score(name, "x.jsonl", **shared, **more, jobs=jobs) for jobs in (1, 2))
            assert plain(one) == plain(two)


PROGRAM = """
import os, signal, sys, time
from metric_commons.evaluation.rows import blocks
from metric_commons.__main__ import main

def slow(*arguments, scored=blocks.tables_of):
    {action}
    return scored(*arguments)

parent = os.getpid()
blocks.tables_of = slow
sys.exit(main())
"""


def started(tmp_path, action):
    """A command whose two processes do something before they score."""
    (tmp_path / "x.jsonl").write_bytes(lines(ROWS) * 200)
    arguments = ("score", "qa_em", "x.jsonl", *ANSWERS, "--jobs", "2", "--save", "r.json")
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(action=action), *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a group of its own, as the terminal interrupts it
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for_both(process, folder):
    """Until both processes have left a file named after them."""
    deadline = time.monotonic() + PATIENCE
    while sum(path.name.isdigit() for path in folder.iterdir()) < 2:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.01)


def remaining(process):
    """The processes of its session that still run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, session = stat.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(session) == process.pid and state != "Z":
            found.append(stat)
    return found


def test_an_interrupt_ends_all_processes_with_one_line(tmp_path):
    process = started(tmp_path, "open(str(os.getpid()), 'w').close(); time.sleep(1000)")
    wait_for_both(process, tmp_path)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)

    assert (process.returncode, out, err) == (130, "", "interrupted\n")
    assert remaining(process) == []
    assert not (tmp_path / "r.json").exists()


def test_a_killed_process_is_one_line(tmp_path):
    process = started(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    out, err = process.communicate(timeout=PATIENCE)

    assert (process.returncode, out) == (1, "")
    assert err == (
        "error: a worker process was ended: from outside, or for want of memory; take fewer jobs\n"
    )
    assert remaining(process) == []
    assert not (tmp_path / "r.json").exists()


def test_processes_end_with_their_parent(tmp_path):
    process = started(tmp_path, "open(str(os.getpid()), 'w').close(); time.sleep(0.2)")
    wait_for_both(process, tmp_path)
    process.kill()
    process.communicate(timeout=PATIENCE)
    deadline = time.monotonic() + PATIENCE
    while remaining(process):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_fault_of_ours_is_not_hidden():
    def work(_):
        raise TypeError("a fault")

    with pytest.raises(TypeError, match="a fault"):
        list(worker_processes.mapped(work, [1, 2], 2))
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("error", [ValueError, OSError, ZeroDivisionError, MemoryError])
def test_a_process_that_refuses_a_task_says_why(error):
    def work(task):
        if task == 3:
            raise error("too much")
        return task

    with pytest.raises(worker_processes.RefusedError, match=f"{error.__name__}: too much"):
        list(worker_processes.mapped(work, range(6), 2))
    assert multiprocessing.active_children() == []


def test_the_command_takes_no_process_for_a_pipe(monkeypatch, tmp_path, capsys, processes):
    path = tmp_path / "x.jsonl"
    path.write_bytes(lines(ROWS))
    with path.open("rb") as file:
        monkeypatch.setattr("sys.stdin", type("Input", (), {"buffer": file}))
        assert main(["score", "qa_em", "-", *ANSWERS, "--jobs", "2"]) == 0
    assert processes == []
