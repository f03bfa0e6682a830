"""Hostile input of every kind: is it read rightly or refused in one line, and does nothing hang?

Run in a clone as `python -m tests.apps.probes [SECONDS] [SEED]`, which prints a table.
"""

import base64
import contextlib
import copy
import io
import json
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from functools import cache
from pathlib import Path

from pyarrow import parquet

import metric_commons
from metric_commons.apps.cli import run as run_command
from metric_commons.apps.console import config
from metric_commons.apps.console.commands import OF_FILES, options_of
from metric_commons.apps.console.outputs import WithRows
from metric_commons.apps.mcp.root import Root
from metric_commons.apps.mcp.schemas import call, parameters
from metric_commons.apps.mcp.tools import CallContext
from metric_commons.data.files.stored import checksum
from metric_commons.data.tables.tables import Source
from metric_commons.data.trec.trec import read_qrels, read_run
from metric_commons.evaluation.results.results import Results
from metric_commons.evaluation.rows.row_tables import result
from metric_commons.evaluation.rows.states import State
from metric_commons.evaluation.rows.table_files import read_tables, write_tables
from metric_commons.evaluation.scoring.scoring import score
from metric_commons.module.declaration.declarations import REPORTING
from tests.apps.bombs import bombs
from tests.apps.odd_calls import odd_calls
from tests.spec import CASES, METRICS, specs
from tests.tables import tabled

KEYS = options_of(score, OF_FILES) | options_of(WithRows)

CORPUS = CASES / "damaged.jsonl"  # what once led to tracebacks, endless work or other numbers
PATIENCE = 60  # seconds of one probe: some comparisons compute 40,000 scores
LONGEST = 2_000  # characters of a message

JSON_LINES = '{"a": "Paris", "b": ["paris", "Rome"], "c": 1.5}\n{"a": "Oslo", "b": ["x"], "c": 2}\n'
CSV = 'a,b,c\n"Paris, France","[""paris""]",1.5\nOslo,"[""x""]",2\n'
YAML = "modules: [qa_em]\noptions: {normalizer: lower}\ndata: x.jsonl\nseed: 1\n"
QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n"
RUN = "q1 Q0 b 1 2.0 B\nq1 Q0 a 2 1.0 B\nq2 Q0 c 1 0.5 B\n"
ROWS = {"predictions": ["Paris", "Rome", "Oslo"], "references": ["paris", "Rom", "Oslo"]}


class Unprintable:
    """An object without a text."""

    def __repr__(self):
        raise RuntimeError


def nested(depth):
    """A list in so many lists."""
    value = []
    for _ in range(depth):
        value = [value]
    return value


ODD = [
    *(None, True, -1, 0, 2**64, 10**400, -0.0, 1e308, float("nan"), float("inf"), 1j, "", "x"),
    *("\x1b[2J", "\ud800", b"x", memoryview(b"x"), [], [None], {}, {"a": 1}, set(), object(), len),
    *(2**62, 10**15, 10**5000, "x" * 10**5, ["x" * 5000], nested(3000), Unprintable(), range(10)),
]
ODD_JSON = [None, True, -1, 0, 1.5, 10**30, 1e308, "", "x", "\x1b[2J", [], [None], {}, {"a": 1}]
OUTSIDE = [
    *("/etc/passwd", "../secret", "/proc/self/environ", "/sys/kernel/profiling", "/dev/stdin"),
    *("link", "circle", "a\0b", "", ".", "/", "new/../../secret", "\ud800", "x" * 5000),
]
CALLS = tabled(__file__, "CALLS")


class HungError(BaseException):
    """A probe took too long."""


def _lines(data):
    return sum(bool(line.strip()) for line in data.splitlines())


def _columns(*fields, numbers=()):
    return lambda path: Source(path, [*fields], numbers=[*numbers]).columns()


def _json_lines(path):
    rows = len(_columns("a", "b", "c")(path)["a"])
    if rows != sum(bool(line.strip()) for line in path.read_bytes().split(b"\n")):
        raise AssertionError(f"{rows} rows")


def _trec(read, count):
    def checked(path):
        if count(read(path)) != _lines(path.read_bytes().replace(b"\r", b"")):
            raise AssertionError("a line is lost")

    return checked


@cache
def _stored():
    """Results with their rows."""
    systems = {"a": ROWS["predictions"], "b": ["paris", "x", "y"]}
    options = {"confidence_level": 0.9, "groups": ["a", "a", "b"]}
    references = ROWS["references"]
    return score(
        ["qa_em", "qa_f1"], predictions=systems, references=references, compare=True, **options
    )


def _results_again(path):
    if Results.read(path).to_dict() != _stored().to_dict():
        raise AssertionError("other content")


@cache
def _file_of_rows(ending):
    """The bytes of a file of rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"x.{ending}")
        write_tables(path, _stored().rows, _stored().provenance)
        return path.read_bytes()


def _rows_again(path):
    """Read a file of rows, and compute its results, unless there are none or too many."""
    for modules in read_tables(path).tables.values():
        for table in modules.values():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # numbers near the greatest float
                result(table)


# By the name of a file its content, and what reads it: an error of one line refuses it.
FILES = {
    "x.jsonl": (lambda: JSON_LINES, _json_lines),
    "x.json": (lambda: f"[{JSON_LINES.strip().replace(chr(10), ',')}]", _columns("a")),
    "x.csv": (lambda: CSV, _columns("a", "b", "c", numbers=["c"])),
    "x.tsv": (lambda: CSV.replace(",", "\t"), _columns("a")),
    "x.yaml": (
        lambda: YAML,
        lambda p: run_command._values(p, config.read(p), KEYS),
    ),
    "qrels": (lambda: QRELS, read_qrels),
    "run": (lambda: RUN, _trec(read_run, len)),
    "result.json": (lambda: _stored().to_json(), _results_again),
    "rows.jsonl": (lambda: _file_of_rows("jsonl").decode(), _rows_again),
}


def damaged(data, dice):
    """The data with one to three damages."""
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(data) + 1)
        width = dice.randrange(1, 9)
        data = dice.choice(
            [
                data[:at] + bytes([dice.randrange(256)]) + data[at + 1 :],
                data[:at] + dice.choice(b'0123456789"{}[],:-e.\n\t&*').to_bytes() + data[at:],
                data[:at] + data[at + width :],
                data[:at] + data[at : at + width] * dice.randrange(2, 50) + data[at:],
                data[:at],
            ]
        )
    return data


def corpus():
    """What the fuzzer found: the name of a file, and its content."""
    found = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]
    return [(case["file"], base64.b64decode(case["base64"])) for case in found]


def is_read(path, data, read):
    """Whether a damaged file is read; anything but an error of one line is a fault."""
    path.write_bytes(data)
    try:
        read(path)
    except (ValueError, OSError):
        return False
    return True


# What is tried, by its name in the table: a function of dice and a folder, which says whether the
# input was taken. It raises anything but a ValueError or an OSError where something is wrong.


def _of_files(names):
    def probe(dice, folder):
        name = dice.choice(names)
        text, read = FILES[name]
        data = damaged(text().encode(), dice)
        try:
            return is_read(folder / name, data, read)
        except Exception as error:
            line = {"file": name, "base64": base64.b64encode(data).decode()}
            error.add_note(f"a line for {CORPUS.name}: {json.dumps(line)}")
            raise

    return probe


def _leaves(value, path=()):
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from _leaves(item, (*path, key))


# Rows and documents with the marks of the formats that harnesses write.
LOGS = tabled(__file__, "LOGS")


def changed_logs(dice, folder):
    """A value of a log becomes another, whatever its format has there."""
    name = dice.choice([*LOGS])
    content = json.loads(json.dumps(LOGS[name]))
    for _ in range(dice.randrange(1, 3)):
        *folders, last = dice.choice([*_leaves(content)])
        place = content
        for key in folders:
            place = place[key]
        place[last] = copy.deepcopy(dice.choice(ODD_JSON))
    (folder / name).write_text(json.dumps(content) + "\n", "utf-8")
    fields = dice.sample(["id", "prediction", "references", "logged", "truth", "label"], 2)
    Source(folder / name, fields).columns()
    return True


def changed_results(dice, folder):
    """A value of a saved result becomes another or is removed, and the checksum is made to fit."""
    content = json.loads(_stored().to_json())
    del content["sha256"]
    *folders, last = dice.choice([*_leaves(content)])
    place = content
    for key in folders:
        place = place[key]
    if dice.random() < 0.3:
        del place[last]
    else:
        place[last] = copy.deepcopy(dice.choice([*ODD_JSON, 0.0, 0.25, 0.7, 1.0, 3, 5, 7.5]))
    path = folder / "changed.json"
    path.write_text(json.dumps(content | {"sha256": checksum(content)}), "utf-8")
    try:
        again = Results.read(path)
    except ValueError as error:
        if str(path) not in str(error):
            raise AssertionError(f"the file is not named: {error}") from error
        raise
    views = (again.to_table, again.to_markdown, again.to_csv, again.to_latex, again.to_html)
    for view in (*views, again.to_json, again.to_pandas):
        view()
    json.dumps(again.ranks)
    return True


def changed_rows(dice, folder):
    """A value of a file of rows becomes another, or its header changes."""
    path = folder / f"x.{dice.choice(['jsonl', 'parquet'])}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        dice.choice(_states()).save(path)
    if path.suffix == ".jsonl":
        lines = path.read_text("utf-8").splitlines()
        number = dice.randrange(len(lines))
        lines[number] = json.dumps(_changed(json.loads(lines[number]), dice))
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    else:
        table = parquet.read_table(path)
        metadata = {
            key: json.dumps(_changed(json.loads(value), dice)) if dice.random() < 0.9 else b"x"
            for key, value in table.schema.metadata.items()
        }
        columns = [name for name in table.column_names if dice.random() < 0.95]
        parquet.write_table(table.select(columns).replace_schema_metadata(metadata), path)
    _rows_again(path)
    return True


def _changed(content, dice):
    """The content with another value somewhere."""
    *folders, last = dice.choice([*_leaves(content)])
    place = content
    for key in folders:
        place = place[key]
    place[last] = copy.deepcopy(dice.choice([*ODD_JSON, 7.5, 2**62]))
    return content


def odd_options(dice, _):
    """A value that no option can be, or hardly."""
    metric, sample = dice.choice(_samples())
    name = dice.choice([*metric.declared_options])
    values = [value for value in ODD if value is not len]  # which takes no options of its own
    type(metric)().compute(**sample | {name: dice.choice(values)})
    return True


def odd_rows(dice, _):
    """A column with a row that no row can be, or hardly."""
    metric, sample = dice.choice(_samples())
    name = dice.choice([name for name in sample if name not in metric.declared_options])
    rows = list(sample[name])
    rows[dice.randrange(len(rows))] = dice.choice(ODD)
    type(metric)().compute(**sample | {name: rows})
    return True


@cache
def _samples():
    """Each module with the arguments of its calls."""
    return [(metric_commons.load(name), spec.sample) for name in METRICS for spec in specs(name)]


@cache
def _states():
    """States of each module, with clusters, groups or neither."""
    states = []
    for metric, sample in _samples():
        columns = {key: value for key, value in sample.items() if key not in metric.options}
        stated = sample.keys() - columns.keys() - REPORTING - {"sample_weight"}
        columns |= {key: sample[key] for key in sample.keys() & {"sample_weight"}}
        rows = len(next(iter(columns.values())))
        labels = [str(row % 2) for row in range(rows)]
        for further in ({}, {"clusters": labels}, {"groups": labels}):
            with contextlib.suppress(ValueError):  # where a module has no such labels
                state = State(metric.name, **{key: sample[key] for key in stated})
                state.update(**columns, **further)
                state.result()
                states.append(state)
    return states


def _files_of_server(folder):
    root = folder / "root"
    if not root.exists():
        root.mkdir()
        for name, text in (("qrels", QRELS), ("run", RUN), ("x.jsonl", JSON_LINES)):
            (root / name).write_text(text, "utf-8")
        (folder / "secret").write_text(QRELS, "utf-8")
        (root / "link").symlink_to(folder / "secret")
        (root / "circle").symlink_to(root / "circle")
        _stored().save_rows(root / "saved.rows.jsonl").save(root / "saved.json")
    return root


def _ask(folder, tool, arguments):
    with contextlib.redirect_stderr(io.StringIO()):  # where UltraRAG's tables go
        call(CallContext(Root(_files_of_server(folder))), tool, arguments)


def odd_arguments(dice, folder):
    """A call of a tool with an odd argument, or an unknown one."""
    tool = dice.choice([*CALLS])
    name = dice.choice([*parameters(tool), "x"])
    _ask(folder, tool, CALLS[tool] | {name: dice.choice(ODD_JSON)})
    return True


def outside_paths(dice, folder):
    """A call of a tool that reads or writes where it may not."""
    tool = dice.choice(["evaluate_trec", "evaluate_file", "report", "compare_files"])
    paths = {"path", "run_path", "qrels_path", "paths", "rows_path", "save_path"}
    name = dice.choice(sorted(paths & parameters(tool).keys()))
    # A written file has the time in its name, so that a link to itself is not met.
    is_written = name in ("rows_path", "save_path")
    path = dice.choice([path for path in OUTSIDE if path != "circle" or not is_written])
    arguments = CALLS[tool] | {name: [path] if name == "paths" else path}
    _ask(folder, tool, arguments)
    raise AssertionError(f"{tool} took {arguments}")


PROBES = {
    "damaged tables (JSON, JSON Lines, CSV, TSV)": _of_files(
        ["x.jsonl", "x.json", "x.csv", "x.tsv"]
    ),
    "damaged runs and judgments": _of_files(["run", "qrels"]),
    "changed logs of harnesses": changed_logs,
    "damaged configurations": _of_files(["x.yaml"]),
    "damaged results and rows": _of_files(["result.json", "rows.jsonl"]),
    "changed results, with a checksum that fits": changed_results,
    "changed files of rows": changed_rows,
    "odd options of modules": odd_options,
    "odd values in rows of modules": odd_rows,
    "odd rows of two systems, scored and compared": odd_calls,
    "odd arguments of the server's tools": odd_arguments,
    "paths outside of the server's folders": outside_paths,
    "bombs of gz, bz2, xz, zst and zip": bombs,
}


def outcome(probe, dice, folder):
    """What becomes of a probe: "taken", "refused", "wrong" or "hung", and the fault."""

    def alarm(*_):
        raise HungError

    signal.signal(signal.SIGALRM, alarm)
    signal.alarm(PATIENCE)
    try:
        return ("taken" if probe(dice, folder) else "refused"), None
    except HungError:
        return "hung", "no answer"
    except (ValueError, OSError) as error:
        is_long = "\n" in str(error)
        if isinstance(error, ValueError):  # others name a file, whose path may be long
            is_long |= len(str(error)) > LONGEST
        return ("wrong" if is_long else "refused"), str(error)
    except Exception as error:
        notes = getattr(error, "__notes__", [])
        return "wrong", "; ".join([f"{type(error).__name__}: {error}", *notes])
    finally:
        signal.alarm(0)


def counts_of(name, seconds, dice):
    """How many inputs were tried, taken, refused, wrong or hung within this time."""
    _stored(), _states()  # which takes longer than a probe may
    counts, end = Counter(), time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            result, fault = outcome(PROBES[name], dice, Path(folder))
            counts.update([result, "tried"])
            if result in ("wrong", "hung"):
                print(f"{name}: {fault}", file=sys.stderr)  # noqa: T201
    return counts


def print_table(names, count, seconds):
    """Print how many inputs of each kind were tried and refused; 1 if any was wrong.

    The words of the command are the seconds of all kinds together, and a seed.
    """
    words = dict(enumerate(sys.argv))
    share = float(words.get(1, seconds)) / len(names)
    seed = words.get(2, random.SystemRandom().randrange(2**32))
    print(f"seed {seed}", file=sys.stderr)  # noqa: T201
    print("| what | tried | refused | wrong | hung |\n| --- | ---: | ---: | ---: | ---: |")  # noqa: T201
    total, home = Counter(), os.getcwd()  # a call of a tool changes the folder
    for name in (*names, "all"):
        counts = total
        if name in names:
            counts = count(name, share, random.Random(f"{seed} {name}"))
            total += counts
        os.chdir(home)
        cells = (f"{counts[key]:,}" for key in ("tried", "refused", "wrong", "hung"))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)  # noqa: T201
    return int(bool(total["wrong"] or total["hung"]))


if __name__ == "__main__":
    sys.exit(print_table([*PROBES], counts_of, 60))
