"""The table of the suites of peers, and how a suite is judged."""

import json
import os
import subprocess
import sys
import tomllib

import pytest

from tests.peers.__main__ import HEAD, PEERS, outcomes, row, rows_of_page
from tests.spec import ROOT

pytestmark = pytest.mark.processes

DIFFERENCES = tomllib.loads((ROOT / "tests/peers/differences.toml").read_text("utf-8"))


def test_every_peer_has_a_row_or_runs_in_the_workflow_alone():
    missing = {peer.distribution for peer in PEERS.values()} - rows_of_page().keys()

    assert missing <= {
        peer.distribution for peer in PEERS.values() if peer.source == "repository" or peer.variable
    }
    for cells in rows_of_page().values():
        assert len(cells) == HEAD.splitlines()[0].count("|") - 1
        cases, *numbers = map(int, cells[4:])
        assert cases == sum(numbers)


def test_every_peer_has_a_list_of_differences():
    assert DIFFERENCES.keys() == PEERS.keys()
    assert all(reason for reasons in DIFFERENCES.values() for reason in reasons.values())


def test_how_a_suite_is_judged(tmp_path):
    pytest.importorskip("jiwer", reason="jiwer is not installed")
    suite = (ROOT / "tests/peers/judged_suite.txt").read_text("utf-8")
    (tmp_path / "test_suite.py").write_text(suite)
    (tmp_path / "listed.py").write_text(
        "from tests.peers import plugin\n"
        "plugin.differences = lambda peer: dict.fromkeys(['*test_listed*'], 'a reason')\n"
    )
    paths = [str(tmp_path), str(ROOT), str(ROOT / "shared")]
    run = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "listed", "-p", "tests.peers.plugin"),
            *("--peer", "jiwer", "--outcomes", "found.json", "-c", os.devnull, "-q", "."),
            *("--import-mode=importlib", "-p", "no:cacheprovider"),
        ],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert json.loads((tmp_path / "found.json").read_text()) == {
        "test_suite.py::test_equal": "equal",
        "test_suite.py::test_unsupported": "unsupported",
        "test_suite.py::test_unsupported_where_an_error_is_expected": "unsupported",
        "test_suite.py::test_wrong": "failed",
        "test_suite.py::test_listed": "differs",
        "test_suite.py::test_listed_but_equal": "failed",
    }, run.stdout
    assert run.returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "peer", [name for name, peer in PEERS.items() if peer.source != "repository"]
)
def test_the_suites_end_as_the_table_says(peer):
    pytest.importorskip(peer, reason=f"{peer} is not installed")
    variable = PEERS[peer].variable
    if variable and variable not in os.environ:
        pytest.skip(f"{variable} does not name the folder of its data")
    found = outcomes(peer)

    assert [test for test, ending in found.items() if ending == "failed"] == []
    cells = [cell.strip() for cell in row(peer, found).split("|")[1:-1]]
    assert cells == rows_of_page()[PEERS[peer].distribution]
