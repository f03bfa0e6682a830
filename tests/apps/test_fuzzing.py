"""Damaged files and odd options: every outcome is a right result, or an error of one line.

What is damaged are small files of every kind that users write. The normal run takes some seconds;
the slow one runs for FUZZ_SECONDS (60 by default) with new damages every time, and says its seed.
"""

import os
import random
import time

import pytest

from metric_commons.cli import config
from metric_commons.evaluation import catalog
from metric_commons.files.tables import Source
from metric_commons.files.trec import read_qrels, read_run

JSON_LINES = '{"a": "Paris", "b": ["paris", "Rome"], "c": 1.5}\n{"a": "Oslo", "b": ["x"], "c": 2}\n'
JSON = f"[{JSON_LINES.strip().replace(chr(10), ',')}]"
CSV = 'a,b,c\n"Paris, France","[""paris""]",1.5\nOslo,"[""x""]",2\n'
YAML = "modules: {qa_em: {normalizer: lower}}\ndata: {path: x.jsonl, limit: 3}\nseed: 1\n"
QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n"
RUN = "q1 Q0 b 1 2.0 B\nq1 Q0 a 2 1.0 B\nq2 Q0 c 1 0.5 B\n"

FILES = {
    "x.jsonl": (JSON_LINES, lambda path: Source(path, ["a", "b", "c"]).columns()),
    "x.json": (
        f"[{JSON_LINES.strip().replace(chr(10), ',')}]",
        lambda path: Source(path, ["a"]).columns(),
    ),
    "x.csv": (CSV, lambda path: Source(path, ["a", "b", "c"], numbers=["c"]).columns()),
    "x.tsv": (CSV.replace(",", "\t"), lambda path: Source(path, ["a"]).columns()),
    "x.yaml": (YAML, lambda p: config.validated(config.Config, config.read(p).content, p)),
    "qrels": (QRELS, lambda path: read_qrels(path)),
    "run": (RUN, lambda path: read_run(path)),
}
# Damages that once led to tracebacks, endless work or other numbers.
FOUND = {
    "x.yaml": [b"a: &a [*a]\nmodules: *a\n", b"modules: " + b"[" * 3000, b"seed: 0x" + b"f" * 400],
    "x.jsonl": [b'{"a": ' * 2000, b'{"a": "\\ud800", "b": [], "c": 1e999}', b"\xff\xfe{}"],
    "x.csv": [b'a,b,c\n"', b"a,b,c\r\r\n1,2\n", b"\x00,\x00\n"],
    "run": [b"q Q0 a 1 nan B\n", b"q Q0 a 1 1e999 B\n", b"q\xff Q0 a 1 1 B\n"],
    "qrels": [b"q 0 a 99999999999999999999\n", b"q 0 a\x00 1\n", b"\xef\xbb\xbfq 0 a 1\n"],
}
ODD = [
    *(None, True, -1, 0, 2**64, 10**400, -0.0, 1e308, float("nan"), float("inf"), 1j, "", "x"),
    *("\x1b[2J", "\ud800", b"x", memoryview(b"x"), [], [None], {}, {"a": 1}, set(), object(), len),
]


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


def outcome(path, data, read):
    """Whether a damaged file is read; anything but an error of one line is a fault."""
    path.write_bytes(data)
    try:
        read(path)
    except (ValueError, OSError):
        return False
    return True


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_read_or_refused(tmp_path, name):
    text, read = FILES[name]
    dice = random.Random(name)
    path = tmp_path / name
    for data in FOUND.get(name, []):
        outcome(path, data, read)
    outcomes = [outcome(path, damaged(text.encode(), dice), read) for _ in range(250)]

    assert outcome(path, text.encode(), read)
    assert 0 < sum(outcomes) < len(outcomes)


@pytest.mark.parametrize("module", ["qa_f1", "classification", "regression", "ir_ranking", "bleu"])
def test_odd_options_are_accepted_or_refused(module):
    options = catalog.load(module).declared_options
    errors = []
    for option in options.values():
        for value in ODD:
            try:
                option.check(value)
            except ValueError as error:
                errors.append(str(error))

    assert len(errors) > len(options)
    assert not any("\n" in error for error in errors)


@pytest.mark.slow
def test_new_damages_for_a_while(tmp_path):
    seed = random.SystemRandom().randrange(2**32)
    dice = random.Random(seed)
    end = time.monotonic() + float(os.environ.get("FUZZ_SECONDS", "60"))
    tried = refused = 0
    while time.monotonic() < end:
        name = dice.choice([*FILES])
        text, read = FILES[name]
        data = damaged(text.encode(), dice)
        try:
            refused += not outcome(tmp_path / name, data, read)
        except Exception as error:
            raise AssertionError(f"seed {seed}, {name}: {data!r}") from error
        tried += 1
    print(f"seed {seed}: {tried} tried, {refused} refused, 0 wrong")  # noqa: T201

    assert 0 < refused < tried
