"""Blocks of files: the columns, lines and errors are those of reading row by row."""

import datetime
import gzip
import json
import random
from decimal import Decimal

import pyarrow as pa
import pytest
from pyarrow import parquet

from metric_commons.data.files import arrow_rows, delimited_rows
from metric_commons.data.files.arrow_rows import parquet_blocks
from metric_commons.data.files.json_rows import unique_fields
from metric_commons.data.tables.tables import Source

ENDLESS = 10**9  # rows, with which a file is read row by row

VALUES = (
    *('"x"', '""', '"\\u00e9\\n\\u2028"', '"\\ud800"', '"é\u2028"', "null", "true", '["a", "b"]'),
    *("0", "-0", "-0.0", "12345678901234567890123", "1E400", "-1e-400", "0.1", "1e23"),
    *("0.30000000000000004", "123456789.123456789123456789", "NaN", "-Infinity", '{"b": 1}'),
    *('{"b": [1.0, {"c": []}]}', '"}\\n{"', '"a\\": "'),
)
BAD_VALUES = ("01", "1.", "'x'", '"a\tb"', '{"b": 1, "b": 2}', "[1,]", "9" * 5_000, "[" * 3_000)
BAD_LINES = (
    *(b"[1]", b"7", b'"a"', b"null", b"{", b"}", b'{"a": 1}{"a": 2}', b'{"a": 1} {"a": 2}'),
    *(b'{"a":\n1}', b'{"a": [{}\n{}]}', b'{"a": "\xff"}', b'{"a": 1, "a": 1}', b'{"c": 1}'),
    *(b"{}", b"\x0b", b"\xc2\xa0", b'\xef\xbb\xbf{"a": 1}', b'{"a": 1},', b'{"a": "x', b"\x00"),
)


def drawn_lines(chance):
    """Lines as bytes: most of them plain, some with blanks, some not valid."""

    def row(values):
        fields = [f'"a": {chance.choice(values)}', f'"d": {chance.choice(VALUES)}']
        fields += [f'"p": {chance.choice(VALUES)}'] * (chance.random() < 0.5)
        chance.shuffle(fields)
        return ("{" + ", ".join(fields) + "}").encode("utf-8", "surrogatepass")

    lines = [row(VALUES) for _ in range(chance.randrange(40))]
    is_windows = chance.random() < 0.2
    for line in range(len(lines)):
        if chance.random() < 0.02:
            lines[line] = chance.choice((b"", b" ", b"\t\r", b"\n\n"))
        elif chance.random() < 0.02:
            lines[line] = b"  " + lines[line] + chance.choice((b" ", b"\r", b"\t "))
    for _ in range(chance.choice((0, 0, 1, 2)) if lines else 0):
        bad = chance.choice((*BAD_LINES, row(BAD_VALUES)))
        lines.insert(chance.randrange(len(lines) + 1), bad)
    ending = b"\r\n" if is_windows else b"\n"
    start = b"\xef\xbb\xbf" if chance.random() < 0.1 else b""
    return start + ending.join(lines) + ending * (chance.random() < 0.7)


def outcome(source, read):
    """The columns and the location of each row, or the error; `repr` shows every bit and sign."""
    try:
        columns = read(source)
    except ValueError as error:
        return str(error)
    rows = range(source.rows)
    return repr(columns), source.rows, [source.location(row) for row in rows], source.sha256


def in_blocks(source):
    columns = {field: [] for field in source.fields}
    for block in source.blocks(3):
        assert 0 < len(block[source.fields[0]]) <= 3
        for field, values in block.items():
            columns[field] += values
    return columns


def read_by_json(data, field):
    """The values of a field as `json` reads each line; None if a line or the field is refused."""
    values = []
    for number, line in enumerate(data.split(b"\n")):
        try:
            text = line.decode("utf-8", "surrogatepass")
            text = text.removeprefix("\ufeff") if number == 0 else text
            if text.strip(" \t\r\n"):
                values.append(json.loads(text, object_pairs_hook=unique_fields)[field])
        except (ValueError, TypeError, KeyError, RecursionError):
            return None
    return values or None


@pytest.mark.parametrize("seed", range(300))
def test_json_lines_are_read_as_json_reads_them(tmp_path, seed):
    chance = random.Random(seed)
    data = drawn_lines(chance)
    path = tmp_path / "x.jsonl"
    path.write_bytes(gzip.compress(data) if seed % 3 == 0 else data)
    field = chance.choice("adp")
    expected = read_by_json(data, field)
    found = outcome(Source(path, [field]), Source.columns)

    assert isinstance(found, str) == (expected is None)
    assert expected is None or found[0] == repr({field: expected})
    assert outcome(Source(path, [field]), in_blocks) == found


def test_the_drawn_lines_have_both_outcomes(tmp_path):
    path = tmp_path / "x.jsonl"
    kinds = []
    for seed in range(100):
        path.write_bytes(drawn_lines(random.Random(seed)))
        kinds.append(type(outcome(Source(path, ["a"]), Source.columns)))
    assert 20 < kinds.count(str) < 80


def test_a_field_given_twice_is_found_where_colons_hide_it(tmp_path):
    path = tmp_path / "x.jsonl"
    for twice in ('"a": 1, "a": 2', '"a" : 1, "a": 2', '"a"\t:1,"a":2', '"a":1,\r"a"\r:2'):
        path.write_text('{"a": 0}\n{' + twice + "}\n", newline="")
        with pytest.raises(ValueError, match=r"\(line 2\): field 'a' is given twice"):
            Source(path, ["a"]).columns()


CELLS = (
    "",
    "x",
    "é",
    '"y"',
    '"a,b"',
    '"a\nb"',
    '"a\r\n\r\nb"',
    '""',
    '"q""q"',
    '""""',
    " z ",
    "[1]",
)
ODD_CELLS = ('5" x', '"x"y', '"open', "a\rb", '"a\rb"', "\ufeff", "\0", "a,b", '"a"  ', "\ud800")


@pytest.mark.parametrize("seed", range(400))
def test_cells_are_read_as_the_csv_module_reads_them(monkeypatch, tmp_path, seed):
    chance = random.Random(seed)
    monkeypatch.setattr(delimited_rows, "_SIZE", chance.choice((1, 20, 90, 1 << 19)))
    ending = chance.choice(("\n", "\n", "\r\n"))
    width = chance.choice((1, 2, 3))
    rows = [[chance.choice(CELLS) for _ in range(width)] for _ in range(chance.randrange(30))]
    for _ in range(chance.choice((0, 0, 1, 2)) if rows else 0):
        chance.choice(rows)[-1] = chance.choice(ODD_CELLS)
    lines = [",".join(row) for row in [["a", "b", "c"][:width], *rows]]
    lines += [""] * chance.choice((0, 0, 1))
    chance.random() < 0.1 and lines.insert(chance.randrange(1, len(lines) + 1), "")
    text = chance.choice(("", "\ufeff")) + ending.join(lines) + ending * (chance.random() < 0.7)
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode("utf-8", "surrogatepass") + b"\xff" * (chance.random() < 0.05))
    fields = chance.choice((["a"], ["c", "a"], ["b"]))
    expected = outcome(Source(path, fields, limit=ENDLESS), Source.columns)

    with monkeypatch.context() as patched:
        patched.setattr(delimited_rows.Cells, "columns", lambda *_: None)
        assert outcome(Source(path, fields), Source.columns) == expected
    assert outcome(Source(path, fields), Source.columns) == expected
    with monkeypatch.context() as patched:
        patched.setattr(delimited_rows, "_end_of_rows", lambda *_: None)  # csv alone
        assert outcome(Source(path, fields), Source.columns) == expected


MOMENT = datetime.datetime(2020, 1, 2, 3, 4, 5, 678901)
TABLE = pa.table(
    {
        "a": ["x", "", None, "é"] * 5,
        "numbers": pa.array([1, 2**62, -1, None] * 5, pa.int64()),
        "floats": [0.1, float("nan"), -0.0, 1e-320] * 5,
        "single": pa.array([0.1, 1.5, None, -0.0] * 5, pa.float32()),
        "lists": [["a"], [], None, ["b", "c"]] * 5,
        "whole": [{"b": "x", "c": {"d": row, "0": row}} for row in range(20)],
        "gaps": [{"b": "x"}, None, {"b": None}, {"b": "y"}] * 5,
        "a.b": pa.array(["p"] * 20).dictionary_encode(),
        "maps": pa.array(
            [[("k", 1.5)], [], None, [("k", 0.0), ("l", 1.0)]] * 5,
            pa.map_(pa.string(), pa.float64()),
        ),
        "times": [MOMENT, None] * 10,
        "decimals": [Decimal("1.50"), None] * 10,
        "binary": [b"\xff", b""] * 10,
    }
)
PATHS = (
    *("whole.b", "whole.c.d", "whole.c[0]", "whole.c.0", "gaps.b", "lists[0]", "lists[*]"),
    "whole[*]",
    "a.c",
    "whole.x",
    "nothing",
)


@pytest.mark.parametrize("field", [*TABLE.column_names, *PATHS])
def test_parquet_is_read_as_row_by_row(monkeypatch, tmp_path, field):
    monkeypatch.setattr(arrow_rows, "_ROWS", 4)
    path = tmp_path / "x.parquet"
    parquet.write_table(TABLE, path, row_group_size=7)
    expected = outcome(Source(path, [field], limit=ENDLESS), Source.columns)

    assert outcome(Source(path, [field]), Source.columns) == expected
    assert outcome(Source(path, [field]), in_blocks) == expected


def test_columns_that_are_not_asked_for_are_not_read(tmp_path):
    path = tmp_path / "x.parquet"
    parquet.write_table(TABLE, path)
    with path.open("rb") as stream:
        _, _, blocks = parquet_blocks(stream, lambda: ["a", "whole.b"])
        names = {tuple(block.batch.schema.names) for block in blocks}

    assert names == {("a", "whole")}


@pytest.mark.long
def test_blocks_of_long_texts_have_few_rows(tmp_path):
    path = tmp_path / "x.parquet"
    texts = ["x" * 10_000] * 10_000  # stored once, so that the size of the file says nothing
    parquet.write_table(pa.table({"a": texts, "b": texts}), path)

    with path.open("rb") as stream:
        _, _, blocks = parquet_blocks(stream, lambda: ["a"])
        rows = [len(block.batch) for block in blocks]

    assert sum(rows) == 10_000
    assert max(rows) <= arrow_rows._ROWS


def test_a_table_without_rows_is_named(tmp_path):
    path = tmp_path / "x.parquet"
    parquet.write_table(TABLE.slice(0, 0), path)

    with pytest.raises(ValueError, match=r"x\.parquet: there are no rows"):
        Source(path, ["a"]).columns()
