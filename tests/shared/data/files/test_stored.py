import os
import stat
import subprocess
import sys
import time

import pytest

from metric_commons.data.files.access import temporary_name
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
        "from metric_commons.files import write_whole; write_whole('/dev/stdout', ['x', b'y'])"
    )
    command = [sys.executable, "-c", program]
    piped = subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE)
    with (tmp_path / "out").open("wb") as file:
        subprocess.run(command, stdout=file, check=True, timeout=PATIENCE)

    assert piped.stdout == b"xy"
    assert (tmp_path / "out").read_bytes() == b"xy"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@of_posix
def test_what_dead_processes_left_is_removed_at_the_next_write(tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    computer = temporary_name().split("-")[2]
    other_computer = f"{int(computer, 16) ^ 1:08x}"
    names = {
        f".metric-commons-{computer}-{dead.pid}-01234567": False,
        f".metric-commons-{computer}-{os.getpid()}-01234567": True,
        f".metric-commons-{computer}-1-01234567": True,  # the process of another user
        f".metric-commons-{other_computer}-{dead.pid}-01234567": True,
        f".metric-commons-{computer}-{dead.pid}-0123456": True,  # not a name of ours
        f".metric-commons-{computer}-{dead.pid}-01234567.json": True,
    }
    for name in names:
        (tmp_path / name).touch()
    write_whole(tmp_path / "file", ["x"])

    kept = [name for name, is_kept in names.items() if is_kept]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*kept, "file"])


def test_what_another_computer_left_is_removed_after_a_day(tmp_path):
    computer = int(temporary_name().split("-")[2], 16) ^ 1
    old, new = (tmp_path / f".metric-commons-{computer:08x}-1-0123456{n}" for n in range(2))
    old.touch()
    new.touch()
    os.utime(old, (0, time.time() - 25 * 60 * 60))
    write_whole(tmp_path / "file", ["x"])

    assert {path.name for path in tmp_path.iterdir()} == {new.name, "file"}


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
