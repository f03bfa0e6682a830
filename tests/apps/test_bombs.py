"""Small files that unpack to much are refused in one line that names what can be done."""

import json
import os

import pytest

from metric_commons.data.files import access
from metric_commons.data.files.access import Limits
from metric_commons.data.files.streams import Stream
from metric_commons.data.tables.tables import Source
from metric_commons.data.trec.trec import read_run
from metric_commons.evaluation.rows.table_files import FORMAT, read_tables
from metric_commons.evaluation.rows.versions import DISTRIBUTION, version
from tests.apps import bombs


@pytest.mark.long
@pytest.mark.parametrize("codec", bombs.CODECS)
@pytest.mark.parametrize(
    "content", ["a list with a long text", "a document of empty lists", "a line of a run"]
)
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, codec, content):
    path = bombs.write_compressed(tmp_path, codec, content, 64 if codec == "gz" else 16)
    with pytest.raises(ValueError, match=r"more than 1,000 times") as raised:
        bombs.read(path)

    assert str(raised.value).startswith(f"{path}: the content is more than 1,000 times as large")
    assert str(raised.value).endswith("decompress it first, or set --max-unpacked")


@pytest.mark.long
@pytest.mark.parametrize("method", [*bombs.METHODS, "zstandard"])
def test_a_log_with_a_bomb_is_refused(tmp_path, method):
    if method == "zstandard":
        path = bombs.write_zstandard_archive(tmp_path, 16)
    else:
        path = bombs.write_archive(tmp_path, method, 24)
    with pytest.raises(ValueError, match=r"1,000 times as large|unknown compression") as raised:
        bombs.read(path)

    assert str(raised.value).startswith(f"{path}: ")


def test_samples_of_a_log_are_counted_together(tmp_path):
    path = bombs.write_archive(tmp_path, "deflate", 3, samples=3)
    bombs.read(path)
    small = Limits(whole=1_000_000)
    with pytest.raises(ValueError, match=r"samples/0_epoch_1.json has more than 1,000,000 bytes"):
        Source(path, ["id"], limits=small).columns()


def test_a_cell_of_csv_has_the_limit_of_a_line(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('a,b\n"' + "x\n" * 1000 + '",y\n', "utf-8")
    with pytest.raises(ValueError, match=r"a cell is longer than 500 bytes, the limit of a line"):
        Source(path, ["a"], limits=Limits(line=500)).columns()
    assert len(Source(path, ["a"]).columns()["a"][0]) == 2000


@pytest.mark.long
def test_a_named_size_replaces_the_ratio(tmp_path):
    path = bombs.write_compressed(tmp_path, "bz2", "a list with a long text", 12)
    limits = Limits().with_whole(20_000_000)
    assert len(Source(path, ["a"], limits=limits).columns()["a"][0]) == 12 * bombs.MIB


def test_a_compressed_document_has_a_limit(tmp_path):
    path = bombs.write_compressed(tmp_path, "gz", "a document with a long text", 4)
    with pytest.raises(ValueError, match=r"has more than 1,000,000 bytes, the limit of what is"):
        Source(path, ["a"], limits=Limits(whole=1_000_000)).columns()


@pytest.fixture
def small(monkeypatch):
    """Small limits of lines and documents."""
    monkeypatch.setattr(access, "_default", Limits(line=10_000, whole=50_000))


def sparse(path, start):
    """A file that continues with many zeros, which take no space."""
    path.write_bytes(start)
    os.truncate(path, 1 << 20)
    return path


@pytest.mark.parametrize("start", [b"q Q0 d 1 1 t\n", b"q Q0 d 1 1 ", b'{"q": {"d": 1}'])
def test_a_run_whose_line_never_ends_is_refused(tmp_path, small, start):
    path = sparse(tmp_path / "run", start)
    with pytest.raises(ValueError, match=r"limit of a line|read as a whole") as raised:
        read_run(path)
    assert str(raised.value).startswith(f"{path}: ")


@pytest.mark.parametrize("rows", ["", "\n", '\n{"system": "'])
def test_rows_whose_line_never_ends_are_refused(tmp_path, small, rows):
    header = {"format": FORMAT, "version": version(DISTRIBUTION), "runs": {}, "provenance": {}}
    path = sparse(tmp_path / "x.jsonl", f"{json.dumps(header)}{rows}".encode())
    with pytest.raises(ValueError, match=r"line \d is longer than 10,000 bytes") as raised:
        read_tables(path)
    assert str(raised.value).startswith(f"{path}: ")


@pytest.mark.parametrize("zeros", [0, 1 << 20])
def test_the_copy_of_a_sparse_archive_is_the_same_file(tmp_path, zeros):
    path = tmp_path / "x.parquet"
    path.write_bytes(b"PAR1" + bytes(zeros) + b"x" + bytes(zeros))
    with Stream(path) as stream:
        copy = stream.seekable()
        assert copy.read() == path.read_bytes()
        taken = os.fstat(copy.fileno()).st_blocks * 512

    assert taken <= 1 << 19
