"""Pieces of files: the columns, lines and errors are those of reading row by row."""

import datetime
import gzip
import pickle
import random
from decimal import Decimal

import pyarrow as pa
import pytest
from pyarrow import parquet

from metric_commons.data.files import pieces
from metric_commons.data.files.pieces import PiecesOfParquet
from metric_commons.data.tables import tables
from metric_commons.data.tables.tables import Source
from metric_commons.evaluation.rows.worker_processes import map_ordered

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


def from_other_process(source):
    columns = {field: [] for field in source.fields}
    rows = 0
    for start, piece in source.pieces(3):
        assert start >= rows
        for block in source.blocks_of(pickle.loads(pickle.dumps(piece)), start):
            rows += len(block[source.fields[0]])
            for field, values in block.items():
                columns[field] += values
    source.end(rows)
    return columns


@pytest.mark.parametrize("seed", range(300))
def test_json_lines_are_read_as_row_by_row(monkeypatch, tmp_path, seed):
    chance = random.Random(seed)
    monkeypatch.setattr(pieces, "_SIZE", chance.choice((1, 50, 300, 1 << 20)))
    monkeypatch.setattr(pieces, "_PARSED", chance.choice((1, 40, 100, 1 << 16)))
    data = drawn_lines(chance)
    path = tmp_path / "x.jsonl"
    path.write_bytes(gzip.compress(data) if seed % 3 == 0 else data)
    fields = chance.choice((["a"], ["a", "d"], ["d", "a.b"], ["p"]))
    expected = outcome(Source(path, fields, limit=ENDLESS), Source.columns)

    assert outcome(Source(path, fields), Source.columns) == expected
    assert outcome(Source(path, fields), in_blocks) == expected
    distributed = outcome(Source(path, fields), from_other_process)
    assert isinstance(distributed, str) == isinstance(expected, str)
    if not isinstance(expected, str):
        assert distributed[:2] == expected[:2]


def test_the_drawn_lines_have_both_outcomes(tmp_path):
    path = tmp_path / "x.jsonl"
    kinds = []
    for seed in range(100):
        path.write_bytes(drawn_lines(random.Random(seed)))
        kinds.append(type(outcome(Source(path, ["a"]), Source.columns)))
    assert 20 < kinds.count(str) < 80


def test_a_block_without_blanks_is_not_read_line_by_line(monkeypatch, tmp_path):
    """Lines that end in CR LF, or in nothing at the end of the file, are plain too."""
    monkeypatch.delattr("metric_commons.data.files.json_rows.decoded_lines")
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n{"a": 2}\n{"a": 3}')
    source = Source(path, ["a"])

    assert source.columns() == {"a": [1, 2, 3]}
    assert [source.location(row) for row in range(3)] == [
        f"row {n} (line {n + 1})" for n in (0, 1, 2)
    ]


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
@pytest.mark.parametrize("size", [1, 40, 1 << 20])
def test_parquet_is_read_as_row_by_row(monkeypatch, tmp_path, field, size):
    monkeypatch.setattr(tables, "_SIZE", size)
    monkeypatch.setattr(pieces, "_ROWS", 3)
    monkeypatch.setattr(pieces, "_MINIMUM_ROWS", 10)
    monkeypatch.setattr(pieces, "_MAXIMUM_ROWS", 4)
    path = tmp_path / "x.parquet"
    parquet.write_table(TABLE, path, row_group_size=7)
    expected = outcome(Source(path, [field], limit=ENDLESS), Source.columns)

    assert outcome(Source(path, [field]), Source.columns) == expected
    assert outcome(Source(path, [field]), in_blocks) == expected
    distributed = outcome(Source(path, [field]), from_other_process)
    if isinstance(expected, str):  # a piece does not know about faults in others
        assert isinstance(distributed, str)
    else:
        assert distributed == expected


@pytest.mark.parametrize("seed", range(30))
def test_pieces_of_parquet_are_all_rows_once_and_can_be_parsed_in_any_order(
    monkeypatch, tmp_path, seed
):
    chance = random.Random(seed)
    for name in ("_ROWS", "_MINIMUM_ROWS", "_MAXIMUM_ROWS", "_SIZE_OF_PIECE"):
        monkeypatch.setattr(pieces, name, chance.choice((1, 2, 3, 7, 10, 100, 1000)))
    path = tmp_path / "x.parquet"
    sizes = [chance.choice((0, 1, 5, 20)) for _ in range(chance.randrange(1, 9))] + [1]
    total = sum(sizes)
    with parquet.ParquetWriter(path, pa.schema({"a": pa.int64()})) as file:
        for group, size in enumerate(sizes):
            start = sum(sizes[:group])
            file.write_table(pa.table({"a": pa.array(range(start, start + size), pa.int64())}))
    with path.open("rb") as stream:
        pieces_of_file = PiecesOfParquet(stream, lambda: ["a"])
        drawn = list(pieces_of_file)
        first_rows = [piece.start for piece in drawn]
        rows = [row for piece in drawn for row in range(piece.start, piece.start + piece.rows)]
        chance.shuffle(drawn)
        for piece in drawn:
            batches = pieces_of_file.parsed(piece, piece.start)
            values = [value for batch in batches for value in batch.values("a")]
            assert values == [*range(piece.start, piece.start + piece.rows)]

    assert first_rows == sorted(first_rows)
    assert rows == [*range(total)]


@pytest.mark.processes
def test_processes_that_read_the_same_file_do_not_move_each_other(monkeypatch, tmp_path):
    for name in ("_ROWS", "_MINIMUM_ROWS", "_MAXIMUM_ROWS"):
        monkeypatch.setattr(pieces, name, 50)
    path = tmp_path / "x.parquet"
    texts = [f"{row}-" + "x" * (row % 70) for row in range(20_000)]
    parquet.write_table(pa.table({"a": texts}), path, row_group_size=900)

    source = Source(path, ["a"])

    def read(task):
        start, piece = task
        return [text for block in source.blocks_of(piece, start) for text in block["a"]]

    assert [text for part in map_ordered(read, source.pieces(50), 3) for text in part] == texts


def test_columns_that_are_not_asked_for_are_not_read(tmp_path):
    path = tmp_path / "x.parquet"
    parquet.write_table(TABLE, path)
    with path.open("rb") as stream:
        pieces_of_file = PiecesOfParquet(stream, lambda: ["a", "whole.b"])
        (piece,) = pieces_of_file
        names = {tuple(block.batch.schema.names) for block in pieces_of_file.parsed(piece, 0)}

    assert names == {("a", "whole")}


@pytest.mark.long
def test_blocks_of_long_texts_have_few_rows(tmp_path):
    path = tmp_path / "x.parquet"
    texts = ["x" * 10_000] * 10_000  # stored once, so that the size of the file says nothing
    parquet.write_table(pa.table({"a": texts, "b": texts}), path)
    source = Source(path, ["a"])

    rows = [
        len(block["a"])
        for start, piece in source.pieces(1)
        for block in source.blocks_of(piece, start)
    ]

    assert sum(rows) == 10_000
    assert max(rows) <= pieces._ROWS


def test_a_table_without_rows_is_named(tmp_path):
    path = tmp_path / "x.parquet"
    parquet.write_table(TABLE.slice(0, 0), path)

    with pytest.raises(ValueError, match=r"x\.parquet: there are no rows"):
        Source(path, ["a"]).columns()
