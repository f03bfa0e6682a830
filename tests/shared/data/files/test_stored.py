import os
import stat
import subprocess
import sys

import pytest

from metric_commons.data.files.stored import write_whole
from tests.spec import PATIENCE

of_posix = pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions and links")


@of_posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, ["new"])

    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text() == "new"


@of_posix
def test_a_new_file_has_the_mode_of_new_files(tmp_path):
    write_whole(tmp_path / "ours", ["x"])
    (tmp_path / "plain").write_text("x")

    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.processes
@of_posix
def test_standard_output_is_written_through(tmp_path):
    program = (
        "from metric_commons.data.files.stored import write_whole; "
        "write_whole('/dev/stdout', ['x', b'y'])"
    )
    command = [sys.executable, "-c", program]
    piped = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE)
    with (tmp_path / "out").open("wb") as file:
        subprocess.run(command, stdout=file, check=True, timeout=PATIENCE)

    assert piped.stdout == b"xy"
    assert (tmp_path / "out").read_bytes() == b"xy"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


KILLED = """
import os, signal
from metric_commons.data.files.stored import write_whole

def pieces():
    yield "new" * 100_000
    os.kill(os.getpid(), signal.SIGKILL)

write_whole("file", pieces())
"""


@pytest.mark.processes
@of_posix
def test_a_process_that_is_killed_leaves_the_old_file(tmp_path):
    (tmp_path / "file").write_text("old")
    subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, timeout=PATIENCE)

    assert (tmp_path / "file").read_text() == "old"


def test_only_the_file_is_left(tmp_path):
    write_whole(tmp_path / "file", ["old"])
    write_whole(tmp_path / "file", ["new"])

    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "new"


@pytest.mark.parametrize("name", ["a\nb", "\x1b[2J", "a\x9bb", "a\u2028b", "\u202eabc", "x\x7f/b"])
def test_no_file_gets_a_name_with_control_characters(tmp_path, name):
    with pytest.raises(ValueError, match="has control characters") as raised:
        write_whole(tmp_path / name, ["x"])

    assert str(raised.value).isprintable()
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("name", ["Zürich", "a\u3000b", "\N{WOMAN}\u200d\N{PERSONAL COMPUTER}"])
def test_names_in_all_writing_systems_are_fine(tmp_path, name):
    write_whole(tmp_path / name, ["x"])

    assert (tmp_path / name).read_text() == "x"


@of_posix
def test_links_in_a_circle_are_an_error_of_the_system(tmp_path):
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(OSError, match="circle"):
        write_whole(tmp_path / "circle" / "file", ["x"])
