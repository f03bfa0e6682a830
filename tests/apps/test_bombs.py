"""Small files that unpack to much are refused in one line that names what can be done."""

import pytest

from metric_commons.files.read_limits import Limits
from metric_commons.files.tables import Source
from tests.apps import bombs


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


def test_a_named_size_replaces_the_ratio(tmp_path):
    path = bombs.write_compressed(tmp_path, "bz2", "a list with a long text", 12)
    limits = Limits().with_whole(20_000_000)
    assert len(Source(path, ["a"], limits=limits).columns()["a"][0]) == 12 * bombs.MIB


def test_a_compressed_document_has_a_limit(tmp_path):
    path = bombs.write_compressed(tmp_path, "gz", "a document with a long text", 4)
    with pytest.raises(ValueError, match=r"has more than 1,000,000 bytes, the limit of what is"):
        Source(path, ["a"], limits=Limits(whole=1_000_000)).columns()
