"""The reader of rows: compression, hashes, limits, blocks, and the words for bad rows."""

import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import sys
from types import SimpleNamespace

import pyarrow as pa
import pytest
from pyarrow import parquet

from metric_commons.data.files.field_paths import value_at
from metric_commons.data.files.streams import STANDARD_INPUT
from metric_commons.data.tables.selection import Selection
from metric_commons.data.tables.tables import Source
from tests.tables import by_table

ROWS = [{"p": f"answer {row}", "r": ["a", str(row)]} for row in range(50)]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
CSV = b"p,r,n\n" + b"".join(b'"x, %d","[""a""]",%d.5\n' % (row, row) for row in range(50))


def zstandard(data):
    library = pytest.importorskip("zstandard")
    half = len(data) // 2  # two frames, as programs that append write them
    return library.compress(data[:half]) + library.compress(data[half:])


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def standard_input(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    return STANDARD_INPUT


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "x.JSONL.ZST"])
@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress, zstandard])
def test_compression_is_known_by_content_and_the_hash_is_that_of_the_file(write, compress, name):
    path = write(name, compress(LINES))
    source = Source(path, ["p"])

    assert source.columns() == {"p": [row["p"] for row in ROWS]}
    assert source.provenance() == {
        "path": str(path),
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "rows": 50,
    }


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_pipe_is_read_once(monkeypatch, compress):
    content = compress(LINES)
    source = Source(standard_input(monkeypatch, content), ["p", "r"], limit=3)

    assert [*source.blocks(2)] == [
        {"p": ["answer 0", "answer 1"], "r": [["a", "0"], ["a", "1"]]},
        {"p": ["answer 2"], "r": [["a", "2"]]},
    ]
    assert source.provenance()["sha256"] == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("fault", [b"{\n", b'{"p": "\xff"}\n', b"[1]\n"])
@pytest.mark.parametrize("rows", [50, 255, 256, 257])  # at a seam of the blocks, too
def test_rows_before_an_error_can_be_read(write, rows, fault):
    content = b"".join(b'{"p": %d}\n' % row for row in range(rows))
    path = write("x.jsonl", content + fault)

    assert Source(path, ["p"], limit=rows).columns() == {"p": [*range(rows)]}
    with pytest.raises(ValueError, match=f"(row {rows} .line|line) {rows + 1}"):
        Source(path, ["p"], limit=rows + 1).columns()


def test_a_table_comes_through_a_pipe(monkeypatch, tmp_path):
    parquet.write_table(pa.Table.from_pylist(ROWS), tmp_path / "x.parquet")
    path = standard_input(monkeypatch, (tmp_path / "x.parquet").read_bytes())

    assert Source(path, ["r[1]"]).columns() == {"r[1]": [str(row) for row in range(50)]}


def test_an_array_may_be_called_lines(write):
    path = write("x.jsonl", json.dumps(ROWS, indent=2).encode())

    assert Source(path, ["p"]).columns()["p"] == [row["p"] for row in ROWS]


def test_cells_come_in_blocks(write):
    path = write("x.csv", CSV)
    source = Source(path, ["p", "r", "n"], numbers=["n"])
    blocks = [*source.blocks(20)]

    assert [len(block["p"]) for block in blocks] == [20, 20, 10]
    assert blocks[2]["r"] == [["a"]] * 10
    assert blocks[1]["n"][0] == 20.5
    assert source.provenance()["sha256"] == hashlib.sha256(CSV).hexdigest()


@pytest.mark.parametrize(
    ("content", "settings", "message"),
    [
        (
            b"p,n\nx,1\n\ny,\n",
            {"numbers": ["n"], "only_numbers": ["n"]},
            "x.csv: row 1 (line 4): field 'n' is empty",
        ),
        (
            b"p,n\nx,1\ny,n/a\nz,2\nz,?\n",
            {"numbers": ["n"], "only_numbers": ["n"]},
            "x.csv: row 1 (line 3): field 'n' is 'n/a', which is not a number; and 1 more",
        ),
        (
            b"p,n\n" + b"x,\n" * 9 + b"x,1\n",
            {"filled": ["n"]},
            "x.csv: row 0 (line 2): field 'n' is empty; and 8 more",
        ),
    ],
)
def test_the_first_offending_cell_is_named_and_others_are_counted(
    write, content, settings, message
):
    path = write("x.csv", content)

    with pytest.raises(ValueError, match=r"x\.csv") as raised:
        Source(path, ["p", "n"], **settings).columns()

    assert str(raised.value).endswith(message)


@by_table("cell, value")
def test_spellings_of_numbers(write, cell, value):
    path = write("x.csv", f'p,n\nx,1\ny,"{cell}"\n'.encode())
    must = Source(path, ["n"], numbers=["n"], only_numbers=["n"])

    if value is None:
        with pytest.raises(ValueError, match="which is not a number"):
            must.columns()
    else:
        (_, found) = must.columns()["n"]
        assert (type(found), repr(found)) == (type(value), repr(value))
        assert repr([*must.blocks(1)][1]["n"]) == repr([value])


def test_labels_are_numbers_only_as_json_has_them(write):
    path = write("x.csv", b"n\n+1\n-1\n")

    assert Source(path, ["n"], numbers=["n"]).columns()["n"] == ["+1", "-1"]


def test_a_later_block_may_not_change_what_a_column_is(write):
    path = write("x.csv", b"a,b\n[1],1\n[2],2\nx,3\n")

    assert Source(path, ["a"]).columns() == {"a": ["[1]", "[2]", "x"]}
    with pytest.raises(
        ValueError, match=r"row 2 \(line 4\): field 'a' is 'x', which is not a list, as"
    ):
        [*Source(path, ["a"]).blocks(2)]


def test_rows_without_a_field_are_counted(write):
    path = write("x.jsonl", b'{"a": {"b": [1]}}\n{"a": {"b": []}}\n{"a": {}}\n')

    with pytest.raises(ValueError, match=r"\(line 2\).*a\.b\[0\].*and 1 more$"):
        Source(path, ["a.b[0]"]).columns()


def test_columns_of_one_name_are_refused(tmp_path):
    table = pa.table([pa.array([1]), pa.array([2]), pa.array([3])], names=["a", "b", "a"])
    parquet.write_table(table, tmp_path / "x.parquet")

    assert Source(tmp_path / "x.parquet", ["b"]).columns() == {"b": [2]}
    with pytest.raises(ValueError, match="there are 2 columns 'a'"):
        Source(tmp_path / "x.parquet", ["a"]).columns()


def test_rows_can_be_chosen(write):
    path = write("x.jsonl", LINES)
    source = Source(path, ["p"], selection=Selection(conditions={"r[1]": "7"}))

    assert source.columns() == {"p": ["answer 7"]}
    assert source.excluded == {"where": 49}
    with pytest.raises(ValueError, match=r"no row has r\[1\]=x; there are 0 \(1 rows\), 1 "):
        Source(path, ["p"], selection=Selection(conditions={"r[1]": "x"})).columns()


def parquet_file(data):
    rows = [json.loads(line) for line in data.splitlines()]
    sink = io.BytesIO()
    table = pa.Table.from_pylist(rows)
    parquet.write_table(table, sink, compression="none", write_page_checksum=True)
    return sink.getvalue()


COMPRESSIONS = [gzip.compress, bz2.compress, lzma.compress, zstandard]


@pytest.mark.parametrize("compress", [*COMPRESSIONS, parquet_file])
def test_a_file_that_was_cut_is_refused_wherever_the_cut_is(write, compress):
    content = compress(LINES * 100)
    for size in (len(content) * part // 9 for part in range(1, 9)):
        path = write("x.parquet" if compress is parquet_file else "x.jsonl", content[:size])
        with pytest.raises(ValueError, match=r"x\.(jsonl|parquet): "):
            Source(path, ["p"]).columns()
    with pytest.raises(ValueError, match=r"x\.(jsonl|parquet): "):
        Source(write(path.name, content[:-1]), ["p"]).columns()


@pytest.mark.parametrize("compress", COMPRESSIONS)
@pytest.mark.parametrize("place", [0, 1, 3, 5, 9, 15, 30, "cut", "letters"])
def test_a_second_stream_that_is_damaged_is_refused(write, compress, place):
    second = bytearray(compress(LINES))
    if place == "cut":
        second = second[: len(second) // 2]
    elif place == "letters":
        second = b"no stream at all"
    else:
        second[place] ^= 255
    path = write("x.jsonl", compress(LINES) + bytes(second))

    if compress is gzip.compress and place in (5, 9):  # the time and the system of a file
        assert len(Source(path, ["p"]).columns()["p"]) == 100
        return
    with pytest.raises(ValueError, match=r"x\.jsonl: "):
        Source(path, ["p"]).columns()


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("zeros", [4, 64, 1 << 20])
def test_zeros_may_follow_a_stream(write, compress, zeros):
    path = write("x.jsonl", (compress(LINES) + bytes(zeros)) * 2)

    assert len(Source(path, ["p"]).columns()["p"]) == 100


@pytest.mark.parametrize("number", range(16))
def test_frames_of_zstandard_without_content_are_skipped(write, number):
    skipped = (0x184D2A50 + number).to_bytes(4, "little") + bytes([3, 0, 0, 0]) + b"any"
    path = write("x.jsonl.zst", skipped + zstandard(LINES) + skipped)

    assert len(Source(path, ["p"]).columns()["p"]) == 50


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress, parquet_file])
def test_a_changed_byte_is_found_where_the_format_has_checksums(write, compress):
    content = bytearray(compress(LINES))
    place = content.find(b"answer 33") if compress is parquet_file else len(content) // 2
    content[place] ^= 1
    path = write("x.parquet" if compress is parquet_file else "x.jsonl", content)

    with pytest.raises(ValueError, match=r"x\.(jsonl|parquet): "):
        Source(path, ["p"]).columns()


@pytest.mark.parametrize("compress", [bytes, *COMPRESSIONS, parquet_file])
@pytest.mark.parametrize("change", ["longer", "other", "shorter"])
def test_a_file_that_changes_while_it_is_read_is_refused(write, compress, change):
    content = compress(LINES)
    name = "x.parquet" if compress is parquet_file else "x.jsonl"
    path = write(name, content)
    source = Source(path, ["p"])
    blocks = source.blocks(10)
    next(blocks)
    new = {"longer": content + content, "other": bytes(len(content)), "shorter": content[:-1]}
    os.utime(path, ns=(1, 1)) if change == "other" else write(name, new[change])

    with pytest.raises(ValueError, match=r"x\.(jsonl|parquet): the file has changed while it was"):
        list(blocks)


@pytest.mark.parametrize("path", ["a.0", "e[0]", "n.x"])
def test_a_path_that_leads_nowhere_is_an_error(path):
    record = {"a": {"b": 1}, "resps": [["-1.5"], ["-2"]], "e": [], "n": None}
    assert (value_at(record, "resps[-1][0]"), value_at(record, "n")) == ("-2", None)
    with pytest.raises(ValueError, match="no "):
        value_at(record, path)
