import os
import stat
import subprocess
import sys
import time

import pytest

from metric_commons.files.stored import write_whole
from tests.spec import PATIENCE


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(mode)
    write_whole(path, ["new"])

    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text() == "new"


def test_a_new_file_has_the_mode_of_new_files(tmp_path):
    write_whole(tmp_path / "ours", ["x"])
    (tmp_path / "plain").write_text("x")

    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


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


def test_what_killed_runs_left_is_removed_after_a_day(tmp_path):
    names = [".file.0a1b2c3d", ".file.0a1b2c3e", ".other.0a1b2c3d", ".file.txt", ".file.0a1b2c3"]
    for name in names:
        (tmp_path / name).touch()
        if name != names[1]:
            os.utime(tmp_path / name, (0, time.time() - 25 * 60 * 60))
    write_whole(tmp_path / "file", ["x"])

    assert {path.name for path in tmp_path.iterdir()} == {*names[1:], "file"}


def test_links_in_a_circle_are_an_error_of_the_system(tmp_path):
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(OSError, match="circle"):
        write_whole(tmp_path / "circle" / "file", ["x"])
