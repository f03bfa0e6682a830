"""Small files that unpack to much are refused in one line that names what can be done."""

import pytest

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
    assert str(raised.value).endswith("decompress it first")


@pytest.mark.long
@pytest.mark.parametrize("method", [*bombs.METHODS, "zstandard"])
def test_a_log_with_a_bomb_is_refused(tmp_path, method):
    path = bombs.write_archive(tmp_path, method, 24)
    with pytest.raises(ValueError, match=r"1,000 times as large|has more content than") as raised:
        bombs.read(path)

    assert str(raised.value).startswith(f"{path}: ")
