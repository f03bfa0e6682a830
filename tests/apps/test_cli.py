import gzip
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

from metric_commons.apps.console import outputs
from metric_commons.data.files import streams
from metric_commons.data.tables import tables as files
from metric_commons.evaluation.scoring import files as evaluation
from tests.apps.files import systems_in, write_rows
from tests.apps.question_answers import SOURCES, answer_files
from tests.spec import ROOT

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


def test_a_wide_table_goes_on_below(run, monkeypatch):
    write("x.jsonl", json_lines(ROWS))
    systems = ["--predictions", "other=answer"]
    command = ("score", "qa_em", "qa_f1", "x.jsonl", *FIELDS, *systems, "--digits", "4")
    command = (*command, "--confidence", "0.9")
    _, narrow, _ = run(*command)
    monkeypatch.setenv("COLUMNS", "120")
    _, wide, _ = run(*command)

    assert [line.split() for line in narrow.splitlines() if "system" in line] == [
        ["system", "qa_em", "qa_f1"],
        ["system", "qa_precision", "qa_recall"],
    ]
    assert wide.count("system") == 1
    assert max(len(line) for line in narrow.splitlines() if "|" not in line) <= 80


@pytest.mark.parametrize(("rows", "is_bold"), [(12, True), (2, False)])
def test_a_significant_difference_is_bold_on_a_terminal(run, monkeypatch, rows, is_bold):
    monkeypatch.setenv("FORCE_COLOR", "1")
    write("x.jsonl", json_lines([{"right": "a", "wrong": "b", "gold": "a"}] * rows))
    fields = ["--predictions", "right", "--predictions", "wrong", "--references", "gold"]

    _, out, _ = run("score", "qa_em", "x.jsonl", *fields, "--compare")

    (line,) = (line for line in out.splitlines() if line.startswith("right  wrong"))
    assert ("\x1b[1m" in line) is is_bold


def test_a_column_wider_than_the_screen_has_a_page_of_its_own():
    table = outputs.Table(["system", "x" * 90, "y"], [["a", "1", "2"]], 1, set())

    assert list(outputs._pages(table, 80)) == [[1], [2]]


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


def test_labels_of_other_blocks_count(refused, monkeypatch):
    monkeypatch.setattr(evaluation, "_ROWS", 1)
    write("x.jsonl", json_lines(ROWS[0] | {"topic": topic} for topic in (1, 2, "1")))

    status, said = refused("score", "qa_em", "x.jsonl", *FIELDS, "--group-by", "topic")

    assert status == 1
    assert said.startswith("x.jsonl: row 2 (line 3): field 'topic' is '1', but an earlier row has")


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


@pytest.mark.parametrize(
    ("paths", "fields", "systems"),
    [
        (["a.jsonl"], ["p"], ["p"]),
        (["a.jsonl"], ["p", "q"], ["p", "q"]),
        (["x/a.jsonl", "b.csv.gz"], ["p"], ["a", "b"]),
        (["a.jsonl", "b.jsonl"], ["p", "q"], ["a/p", "a/q", "b/p", "b/q"]),
        (["x/a.jsonl", "y/a.jsonl"], ["p"], ["x/a.jsonl", "y/a.jsonl"]),
    ],
)
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


@pytest.mark.long
@pytest.mark.parametrize("source", SOURCES)
def test_figures_of_natural_questions(run, source, tmp_path):
    files = answer_files(source, tmp_path)
    status, out, err = run(
        *("score", "qa_em", "qa_f1", *files),
        *("--predictions", "prediction", "--references", "answer", "--set", "qa_f1.both_empty=0"),
    )
    rows = [line.split()[:3] for line in out.splitlines() if line.startswith("NQ_")]

    assert (status, err) == (0, "")
    assert rows == [
        [path.stem, *(f"{float(figure) / 100:.4f}" for figure in figures)]
        for path, figures in files.items()
    ]


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


@pytest.mark.parametrize(
    "values",
    [
        ["2017-01-02", "2018-03-04"],
        ["2017-01-02T10:00:00", "NA"],
        ["one", ["one", "two"]],
        [["1"], [1]],
        [2**70, 0.1, -0.0, True, None],
        [2**53 + 1, 0.5],
        ["", " ", "\u00a0", "\u2028", "\x85", "\x00", "\r\n", "\ud800", "e\u0301", "\ufeff"],
    ],
)
def test_json_values_are_taken_as_they_are_written(run, values):
    rows = [{"a": value} for value in values]

    assert repr(column(json_lines(rows))) == repr(values)
    assert repr(column(json.dumps(rows), name="x.json")) == repr(values)


def test_text_need_not_be_escaped(run):
    text = '{"a": "\u2028 \x85 é 日本"}\n'.encode() + b'{"a": "\xed\xa0\x80"}\n'

    assert column(text) == ["\u2028 \x85 é 日本", "\ud800"]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        ("NA\nNone\nnull\nnan\n", ["NA", "None", "null", "nan"]),
        ("2017\n007\n1e3\nTrue\n", ["2017", "007", "1e3", "True"]),
        ('""\n" x "\n"a\r\nb"\n"q""q"\n', ["", " x ", "a\r\nb", 'q"q']),
        ('"[""x"", ""y""]"\n[1]\n[]\n', [["x", "y"], [1], []]),
        ('"[""x""]"\nx\n', ['["x"]', "x"]),
        ("[x]\n[1]\n", ["[x]", "[1]"]),
        ("x" * 200_000, ["x" * 200_000]),
    ],
)
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


@pytest.mark.parametrize(
    ("row", "field", "value"),
    [
        ({"a": {"b": {"c": "x"}}}, "a.b.c", "x"),
        ({"a.b": "x", "a": {"b": "y"}}, "a.b", "x"),
        ({"a": {"text": ["x", "y"]}}, "a.text", ["x", "y"]),
    ],
)
def test_a_field_may_lie_inside_another(run, row, field, value):
    parquet.write_table(pa.Table.from_pylist([row]), "x.parquet")

    assert column(json_lines([row]), field) == [value]
    assert files.Source(Path("x.parquet"), [field]).columns() == {field: [value]}


def test_a_row_knows_its_line(run):
    text = 'a,b\n"x\ny",1\n\nz,2\n'

    numbered = files.Source(write("x.csv", text), ["a"])
    plain = files.Source(write("x.json", '[{"a": 1}]'), ["a"])
    numbered.columns(), plain.columns()

    assert numbered.location(1) == "row 1 (line 5)"
    assert plain.location(0) == "row 0"


# What it refuses

GOOD = json.dumps(ROWS[0]) + "\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.jsonl", "", "the file is empty"),
        ("x.jsonl", "\n\n", "there are no rows"),
        ("x.json", "[]", "there are no rows"),
        ("x.csv", "", "the file is empty"),
        ("x.csv", "answer,gold\n", "there is a header, but no rows"),
        (
            "x.jsonl",
            GOOD + '\n{"b": 1}\n',
            "row 1 (line 3): there is no field 'answer'; the fields are",
        ),
        (
            "x.csv",
            "Answer,gold\nx,y\n",
            "line 1: there is no field 'answer'; did you mean 'Answer'?",
        ),
        ("x.jsonl", GOOD + GOOD[:20], "row 1 (line 2) is cut off: not JSON: Unterminated string"),
        (
            "x.jsonl",
            GOOD + "{a: 1}\n",
            "row 1 (line 2): not JSON: Expecting property name",
        ),
        ("x.jsonl", GOOD + "[1]\n", "row 1 (line 2) is not an object with fields"),
        ("x.jsonl", '{"a": "x", "a": "z"}\n', "row 0 (line 1): field 'a' is given twice"),
        (
            "x.jsonl",
            GOOD.encode() + b'{"a": "\xff"}\n',
            "line 2 is not UTF-8: byte 0xff",
        ),
        ("x.json", "[1]", "row 0 is not an object with fields"),
        (
            "x.json",
            '{"a": 1}',
            'neither a list of objects, one per row, nor {"data": [...]',
        ),
        ("x.json", "[{]", "Expecting property name enclosed in double quotes: line 1"),
        ("x.json", "[" * 100_000, "values are nested too deeply"),
        ("x.json", b"\xff", "line 1 is not UTF-8: byte 0xff after 0 valid bytes; save"),
        (
            "x.csv",
            "answer,gold\nx\n",
            "row 0 (line 2): the number of cells is 1, but the header has 2",
        ),
        ("x.csv", 'answer,gold\nx,y\nx,"y\n', "row 1 (line 3): unexpected end of data"),
        (
            "x.csv",
            'answer,gold\n"x\rx",y\nx,y\rz\n',
            "row 1 (line 3): a carriage return does not end a line; a text that has one",
        ),
        ("x.csv", "answer,gold,answer\nx,y,z\n", "line 1: there are 2 columns 'answer'"),
        ("x.parquet", "PAR1", ""),
        ("x.jsonl.gz", gzip.compress(b"x" * 99, mtime=0)[:-9], "Compressed file ended"),
        ("x.jsonl.gz", b"\x1f\x8bx" * 9, "Unknown compression method"),
    ],
)
def test_a_file_that_cannot_be_read_is_one_line(refused, name, content, message):
    write(name, content)
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


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"answer": 3}, "x.jsonl: row 2 (line 4): field 'answer'"),
        ({"gold": None}, "x.jsonl: row 2 (line 4): field 'gold' is None; every row needs"),
        ({"gold": ["a", 1]}, "x.jsonl: row 2 (line 4): field 'gold'[1]"),
        ({"topic": None}, "x.jsonl: row 2 (line 4): field 'topic' is None"),
    ],
)
def test_a_row_that_a_module_refuses_is_named_as_in_the_file(refused, broken, message):
    write("x.jsonl", json_lines(ROWS[:1]) + "\n" + json_lines([ROWS[1], ROWS[2] | broken]))
    status, said = refused(
        "score", "qa_em", "x.jsonl", *FIELDS, "--group-by", "topic", "--save", "r.json"
    )

    assert status == 1
    assert said.startswith(message)


@pytest.mark.parametrize(
    ("options", "expected", "message"),
    [
        (["--set", "normalizer=squat"], 2, "normalizer must be one of "),
        (["--confidence", "95%"], 2, "--confidence must be a number strictly between 0 and 1, got"),
        (
            ["--confidence", "0.9", "--n-resamples", "0"],
            2,
            "--n-resamples must be an integer",
        ),
        (["--seed", "x"], 2, "--seed must be an integer, at least 0, got"),
        (["--n-resamples", "1000000000000"], 2, "an integer from 1 to 10,000,000, got"),
        (["--save", "x.jsonl/r.json"], 1, "x.jsonl"),
        (["--save", os.devnull], 1, f"{os.devnull} is not a file"),
    ],
)
def test_an_option_with_a_bad_value_is_one_line(refused, options, expected, message):
    write("x.jsonl", json_lines(ROWS))
    status, said = refused("score", "qa_f1", "x.jsonl", *FIELDS, *options)

    assert status == expected
    assert message in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["qa_ff1", "x.jsonl", *FIELDS], "'qa_ff1' is neither a module nor a file; did you mean"),
        (["x.jsonl", *FIELDS], "name a module: "),
        (["qa_em", *FIELDS], "name a file to score"),
        (["qa_em", "x.jsonl", "x.jsonl", *FIELDS], "system 'x.jsonl' is given twice"),
        (["qa_em", "x.jsonl", *FIELDS, *FIELDS], "system 'answer' is given twice"),
        (["qa_em", "x.jsonl", "--references", "gold"], "qa_em needs --predictions FIELD"),
        (
            ["qa_em", "x.jsonl", "-p", "document"],
            "--references may be 'answer' or 'gold'; name one of them",
        ),
        (["qa_em", "x.jsonl", *FIELDS, "--sav", "r"], "No such option '--sav'"),
        (["qa_em", "x.jsonl", *FIELDS, "--column", "source=a"], "--column source: qa_em takes"),
        (["qa_em", "x.jsonl", *FIELDS, "--format", "xml"], "--format must be one of"),
        (["qa_em", "x.jsonl", *FIELDS, "--set", "normalizer"], "--set takes NAME=VALUE, got"),
        (
            ["qa_em", "x.jsonl", *FIELDS, "--set", "normaliser=lower"],
            "--set: there is no option 'normaliser'; did you mean 'normalizer'?",
        ),
        (["qa_em", "x.jsonl", *FIELDS, "--save", "x.jsonl"], "x.jsonl would be overwritten"),
        (
            ["qa_em", "x.jsonl", *FIELDS, "--save", "r", "--rows", "./r"],
            "r would be overwritten",
        ),
    ],
)
def test_a_command_that_makes_no_sense_is_one_line(refused, arguments, message):
    write("x.jsonl", json_lines(ROWS))
    status, said = refused("score", *arguments)

    assert status == 2
    assert said.startswith(message)


def test_an_unknown_command_is_one_line(refused):
    assert refused("scor") == (2, "No such command 'scor'; did you mean 'score'?")


# How it ends


@pytest.mark.processes
def test_a_disk_without_room_leaves_the_old_file(tmp_path):
    (tmp_path / "x.jsonl").write_text(json_lines(ROWS * 500))
    (tmp_path / "rows.jsonl").write_text("old")
    program = "import sys; from metric_commons.__main__ import main; sys.exit(main())"
    command = ("score", "qa_em", "x.jsonl", *FIELDS, "--rows", "rows.jsonl")
    done = subprocess.run(
        [sys.executable, "-c", program, *command],
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        capture_output=True,
        text=True,
    )

    said = "error: rows.jsonl: File too large\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)
    assert (tmp_path / "rows.jsonl").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["rows.jsonl", "x.jsonl"]


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
    assert ("reading x.jsonl:  " in bar) == is_terminal
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


@pytest.mark.processes
@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_letters_that_the_screen_lacks_are_written_in_ascii(tmp_path, encoding):
    for name, right in (("one", 90), ("two", 89), ("three", 10)):
        rows = [{"id": n, "p": "x" if n < right else "y", "r": "x"} for n in range(100)]
        write_rows(tmp_path / f"{name}.jsonl", rows)
    command = ["score", "qa_em", "one.jsonl", "two.jsonl", "three.jsonl"]
    done = subprocess.run(
        [sys.executable, "-m", "metric_commons", *command, "-p", "p", "-r", "r", "--compare"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
    )

    assert done.returncode == 0, done.stderr
    assert b"0.9000a" in done.stdout
