import atexit
import gc
import gzip
import io
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tracemalloc
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from metric_commons.__main__ import process
from metric_commons.data.files import streams
from metric_commons.data.tables import tables as files
from metric_commons.evaluation.scoring import files as evaluation
from tests.apps.files import systems_in
from tests.spec import ROOT
from tests.tables import by_table

CAPITALS = str(ROOT / "examples" / "capitals.jsonl")
ROWS = [
    {"question": "q0", "answer": "The cat.", "gold": ["cat", "tiger"], "topic": "pets"},
    {"question": "q1", "answer": "dog", "gold": ["wolf"], "topic": "wild"},
    {"question": "q2", "answer": "", "gold": ["bird"], "topic": "pets"},
]
FIELDS = ["--predictions", "answer", "--references", "gold"]


def json_lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def write(name, content):
    path = Path(name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def column(content, field="a", name="x.jsonl"):
    return files.Source(write(name, content), [field]).columns()[field]


# What it prints


def test_the_demo_prints_a_table_and_saves_the_result(run):
    status, out, err = run(
        *("score", "qa_em", "qa_f1", "substring_recall", CAPITALS),
        *("--predictions", "atlas", "--predictions", "borealis", "--references", "answers"),
        *("--confidence", "0.95", "--save", "build/demo.json", "--explain"),
    )
    saved = json.loads(Path("build/demo.json").read_text())
    atlas, borealis = (systems_in(saved)[name] for name in ("atlas", "borealis"))

    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines()[:9])) <= 80
    for modules in (atlas, borealis):
        for result in modules.values():
            assert result.rows == 32
            assert result.signature in out.splitlines()
            for name, value in result.scores.items():
                low, high = result.confidence_interval[name]
                assert f"{value:.2f} [{low:.2f}, {high:.2f}]" in out
    assert atlas["qa_em"].scores["qa_em"] > borealis["qa_em"].scores["qa_em"] + 0.2
    assert saved["provenance"]["inputs"][0]["path"] == CAPITALS


@pytest.mark.long
def test_the_commands_of_the_examples_work(run):
    shutil.copytree(ROOT / "examples", "examples")
    page = Path("examples/README.md").read_text("utf-8")
    commands = re.findall(r"^```bash\n(.+?)\n```$", page, re.MULTILINE | re.DOTALL)

    assert len(commands) >= 3
    for command in commands:
        program, *arguments = shlex.split(command.replace("\\\n", " "))
        status, out, err = run(*arguments, "--explain")
        (data,) = (word for word in arguments if word.startswith("examples/"))
        rows = len(Path(data).read_text("utf-8").splitlines())
        assert (program, status, err) == ("metric-commons", 0, "")
        assert arguments[0] == "leaderboard" or f"|rows={rows}|" in out


@pytest.mark.parametrize(("rows", "is_bold"), [(12, True), (2, False)])
def test_a_significant_difference_is_bold_on_a_terminal(run, monkeypatch, rows, is_bold):
    monkeypatch.setenv("FORCE_COLOR", "1")
    write("x.jsonl", json_lines([{"right": "a", "wrong": "b", "gold": "a"}] * rows))
    fields = ["--predictions", "right", "--predictions", "wrong", "--references", "gold"]

    _, out, _ = run("score", "qa_em", "x.jsonl", *fields, "--compare")

    (line,) = (line for line in out.splitlines() if line.startswith("right  wrong"))
    assert ("\x1b[1m" in line) is is_bold


# Many rows


@pytest.mark.parametrize("size", [1, 2, 5])
def test_blocks_give_what_all_rows_give(run, monkeypatch, size):
    write("x.jsonl", json_lines(ROWS * 3))
    options = ["--predictions", "question", "--confidence", "0.9", "--group-by", "topic"]
    command = ("score", "qa_em", "substring_recall", "x.jsonl", *FIELDS, *options, "--format=json")
    _, kept, _ = run(*command, "--rows", "rows.jsonl")
    monkeypatch.setattr(evaluation, "_ROWS", size)
    _, forgotten, _ = run(*command)

    assert systems_in(forgotten) == systems_in(kept)


@pytest.mark.parametrize("size", [2, 100])
def test_a_row_of_a_later_block_is_named_as_in_the_file(refused, monkeypatch, size):
    monkeypatch.setattr(evaluation, "_ROWS", size)
    write("x.jsonl", json_lines([*ROWS, ROWS[0] | {"gold": []}]))

    assert refused("score", "qa_em", "x.jsonl", *FIELDS) == (
        1,
        "x.jsonl: row 3 (line 4): field 'gold' is empty; every row needs at least one reference",
    )


@pytest.mark.parametrize("options", [(), ("--rows", "r")])
def test_rows_are_forgotten_once_they_are_scored(run, options):
    write("x.jsonl", json_lines({"answer": f"{n:05}" * 1000, "gold": "x"} for n in range(2_000)))
    command = ("score", "qa_em", "x.jsonl", *FIELDS, "--jobs", 1, "--explain", *options)
    run(*command)  # what is imported stays
    tracemalloc.start()
    try:
        _, out, _ = run(*command)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert "|rows=2000|" in out
    assert peak < 6_000_000, "of ten million characters, a block is read, and parsed"


# Systems


@by_table("paths, fields, systems")
def test_a_system_is_called_by_what_tells_it_apart(run, paths, fields, systems):
    for path in paths:
        Path(path).parent.mkdir(exist_ok=True)
        text = 'p,q,r\n"a",b,c\n' if ".csv" in path else '{"p": "a", "q": "b", "r": "c"}\n'
        write(path, gzip.compress(text.encode()) if path.endswith(".gz") else text)
    options = [word for field in fields for word in ("--predictions", field)]
    status, out, err = run(
        "score", "qa_em", *paths, *options, "--references", "r", "--format", "json"
    )

    assert (status, err) == (0, "")
    assert list(systems_in(out)) == systems
    assert [source["path"] for source in json.loads(out)["provenance"]["inputs"]] == paths


# What it reads


def as_table(rows, delimiter):
    cells = [[row["answer"], json.dumps(row["gold"]), row["topic"]] for row in rows]
    quoted = [['"' + cell.replace('"', '""') + '"' for cell in row] for row in cells]
    return "\n".join(delimiter.join(row) for row in [["answer", "gold", "topic"], *quoted])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.jsonl", json_lines(ROWS)),
        ("x.jsonl.gz", gzip.compress(json_lines(ROWS).encode())),
        ("x.json", json.dumps(ROWS)),
        ("x.json", json.dumps({"version": 1, "data": ROWS}, indent=2)),
        ("x.csv", as_table(ROWS, ",")),
        ("x.tsv", as_table(ROWS, "\t")),
        ("x.CSV", as_table(ROWS, ",").replace("\n", "\r\n")),
    ],
)
def test_every_kind_of_file_holds_the_same(run, name, content):
    write(name, content)
    columns = files.Source(Path(name), ["answer", "gold"]).columns()

    assert columns == {key: [row[key] for row in ROWS] for key in ("answer", "gold")}


@by_table("cells, values")
def test_cells_are_strings_or_all_lists(run, cells, values):
    assert column("a\n" + cells, name="x.csv") == values


def test_cells_are_numbers_where_all_modules_take_numbers(run):
    Path("x.csv").write_text("guess,truth,word\n0.9,1,win\n0.2,0,1\n0.4,1,2017\n")
    rows = [{"guess": 0.9, "truth": 1}, {"guess": 0.2, "truth": 0}, {"guess": 0.4, "truth": 1}]
    Path("x.jsonl").write_text(json_lines(rows))
    fields = ["--predictions", "guess", "--references", "truth", "--format", "json"]

    for module in ("classification", "regression"):
        systems = []
        for name in ("x.csv", "x.jsonl"):
            status, out, _ = run("score", module, name, *fields)
            assert status == 0
            systems.append(systems_in(out))
        assert systems[0] == systems[1]
    # answers are texts, even if they look like numbers; and not every cell of `word` does
    assert run("score", "qa_em", "x.csv", *fields)[0] == 0
    status, _, err = run("score", "win_rate", "x.csv", "--predictions", "word")
    assert (status, "'1'" in err) == (1, True)


def test_marks_and_blank_lines_of_editors_are_no_values(run):
    assert column('\ufeff{"a": "x"}\r\n\r\n{"a": "y"}\r\n\n') == ["x", "y"]
    assert column('\ufeff[{"a": "x"}]', name="x.json") == ["x"]
    assert column("\ufeffa,b\r\n\r\nx,1\r\n\r\ny,2\r\n\r\n", name="x.csv") == ["x", "y"]


@by_table("row, field, value")
def test_a_field_may_lie_inside_another(run, row, field, value):
    parquet.write_table(pa.Table.from_pylist([row]), "x.parquet")

    assert column(json_lines([row]), field) == [value]
    assert files.Source(Path("x.parquet"), [field]).columns() == {field: [value]}


# What it refuses

GOOD = json.dumps(ROWS[0]) + "\n"


@by_table("name, content, message")
def test_a_file_that_cannot_be_read_is_one_line(refused, name, content, message):
    write(name, content.encode("latin-1"))
    status, said = refused("score", "qa_em", name, *FIELDS, "--save", "out/r.json")

    assert status == 1
    assert said.startswith(f"{name}: {message}")


def test_a_table_with_an_unknown_suffix_is_not_read_as_texts(refused):
    Path("x.dat").write_text("answer,gold\na,a\n")

    assert refused("score", "qa_em", "x.dat", "-p", "answer", "-r", "gold") == (
        1,
        "no such file: gold",
    )
    assert refused("score", "qa_em", "x.dat", *FIELDS, "--from", "rows") == (
        1,
        "x.dat: not JSON; for other content say --from csv, tsv, lines or conll",
    )


def test_a_field_that_parquet_lacks_is_one_line(refused):
    parquet.write_table(pa.Table.from_pylist([{"a": 1, "b": 2}]), "x.parquet")

    assert refused("score", "qa_em", "x.parquet", *FIELDS) == (
        1,
        "x.parquet: there is no field 'answer'; the fields are a, b",
    )


@by_table("broken, message")
def test_a_row_that_a_module_refuses_is_named_as_in_the_file(refused, broken, message):
    write("x.jsonl", json_lines(ROWS[:1]) + "\n" + json_lines([ROWS[1], ROWS[2] | broken]))
    status, said = refused(
        "score", "qa_em", "x.jsonl", *FIELDS, "--group-by", "topic", "--save", "r.json"
    )

    assert status == 1
    assert said.startswith(message)


@by_table("options, expected, message")
def test_an_option_with_a_bad_value_is_one_line(refused, options, expected, message):
    write("x.jsonl", json_lines(ROWS))
    status, said = refused("score", "qa_f1", "x.jsonl", *FIELDS, *options)

    assert status == expected
    assert message in said


@by_table("arguments, message")
def test_a_command_that_makes_no_sense_is_one_line(refused, arguments, message):
    write("x.jsonl", json_lines(ROWS))
    status, said = refused("score", *arguments)

    assert status == 2
    assert said.startswith(message)


# How it ends


def test_a_disk_without_room_leaves_the_old_file(run):
    write("x.jsonl", json_lines(ROWS * 500))
    write("rows.jsonl", "old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        ended = run("score", "qa_em", "x.jsonl", *FIELDS, "--rows", "rows.jsonl")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert ended == (1, "", "rows.jsonl: File too large\n")
    assert Path("rows.jsonl").read_text() == "old"
    assert sorted(os.listdir()) == ["rows.jsonl", "x.jsonl"]


@pytest.mark.processes
def test_an_interrupt_ends_it_at_once(tmp_path, interrupted):
    os.mkfifo(tmp_path / "x.jsonl")
    arguments = ("score", "qa_em", "x.jsonl", *FIELDS, "--save", "r.json")

    assert interrupted(tmp_path / "x.jsonl", *arguments) == (130, "", "interrupted\n")
    assert os.listdir(tmp_path) == ["x.jsonl"]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_long_work_shows_a_bar_on_a_terminal(run, monkeypatch, clock, is_terminal):
    def slow(stream, buffer):
        clock.now += 2
        return read(stream, buffer)

    read = streams._Observed.readinto
    monkeypatch.setattr(streams._Observed, "readinto", slow)
    monkeypatch.setattr(files, "shows_bars", lambda: is_terminal)
    write("x.jsonl", GOOD * 10_000 + "{}\n")
    status, _, err = run("score", "qa_em", "x.jsonl", *FIELDS)
    bar, _, said = err.rpartition("\r")

    assert status == 1
    assert ("reading:  " in bar) == is_terminal
    assert said.startswith("x.jsonl: row 10000 (line 10001): there is no field 'answer'")


def test_without_its_libraries_it_says_what_to_install():
    program = (
        "import sys; sys.modules['click'] = None; from metric_commons.__main__ import main;"
        "sys.exit(main(['list']))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert run.returncode == 1
    assert run.stderr.endswith("pip install 'metric-commons[cli]'\n")
    assert run.stderr.count("\n") == 1


# The other commands


def test_the_version_is_the_distribution_s(run):
    assert run("--version") == (0, f"metric-commons {version('metric-commons')}\n", "")


@pytest.mark.processes
def test_a_command_without_standard_output_fails_before_it_works(tmp_path):
    (tmp_path / "x.jsonl").write_text(GOOD, "utf-8")
    command = [sys.executable, "-m", "metric_commons", "score", "qa_em", "x.jsonl", *FIELDS]
    close = ["sh", "-c", 'exec "$@" >&-', "sh"]
    done = subprocess.run([*close, *command], cwd=tmp_path, stderr=subprocess.PIPE, text=True)

    assert (done.returncode, done.stderr) == (1, "error: standard output is closed\n")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_letters_that_the_screen_lacks_are_written_in_ascii(run, monkeypatch, encoding):
    rows = [{"a": "xy"[n > 89], "b": "xy"[n > 88], "c": "xy"[n > 9], "r": "x"} for n in range(99)]
    write("x.jsonl", json_lines(rows))
    screen = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(sys, "argv", "_ score qa_em x.jsonl -p a -p b -p c -r r --compare".split())
    monkeypatch.setattr(gc, "set_threshold", lambda _: None)
    monkeypatch.setattr(atexit, "register", lambda _: None)

    assert process() == 0
    screen.flush()
    assert b"0.9091a" in screen.buffer.getvalue()
