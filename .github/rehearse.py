"""Rehearse a release: install the wheel in empty environments, and run what README shows.

Run as `make rehearse`, or after `make package` as `python .github/rehearse.py [EXTRAS ...]`, where
EXTRAS is a name such as `plot` or several such as `cli,plot,report`; without any, each extra alone.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SHOWN = "cli,plot,report"  # what README's commands need; IFEval needs `languages`, too
COMMANDS = ("score", "report", "plot", "mcp", "hub", "describe")
PROGRAM = (
    "import metric_commons; f1 = metric_commons.load('qa_f1'); "
    "assert f1.compute(predictions=['a b'], references=['b'])['qa_f1'] == 1.0"
)
EXTRA_IS_MISSING = re.compile(r"(error: )?.*pip install 'metric-commons\[\w+\]'\n")


def commands_of_readme() -> Iterator[str]:
    """Yield the commands that README shows."""
    text = (ROOT / "README.md").read_text("utf-8")
    for block in re.findall(r"^```(?:sh|console)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            if line.removeprefix("$ ").startswith("metric-commons "):
                yield line.removeprefix("$ ")


def run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with its output as text."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


def problems(extras: str) -> Iterator[str]:
    """Yield what fails in an empty environment with these extras."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        scripts = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
        (wheel,) = (ROOT / "dist").glob(f"metric_commons-{PROJECT['version']}-*.whl")
        package = f"{wheel}[{extras}]" if extras else str(wheel)
        pip = (str(scripts / "python"), "-m", "pip", "--quiet", "install", package)
        found = run(*pip, folder=folder)
        if found.returncode:
            yield f"pip: {found.stderr}"
            return
        shutil.copytree(ROOT / "examples", folder / "examples")
        found = run(str(scripts / "python"), "-c", PROGRAM, folder=folder)
        if found.returncode:
            yield f"Python: {found.stderr}"
        for command in COMMANDS:
            found = run(str(scripts / "metric-commons"), command, "--help", folder=folder)
            is_named = EXTRA_IS_MISSING.fullmatch(found.stderr) is not None
            if found.returncode and not (found.returncode == 1 and is_named):
                yield f"{command} --help: {found.stderr}"
        for line in commands_of_readme() if extras == SHOWN else ():
            found = run(str(scripts / "metric-commons"), *line.split()[1:], folder=folder)
            if found.returncode:
                yield f"{line}: {found.stderr}"


def main(choices: list[str]) -> int:
    """Rehearse these extras, or each alone, and print the outcomes; 0 if nothing fails."""
    status = 0
    for extras in choices or ["", SHOWN, *PROJECT["optional-dependencies"]]:
        failed = list(problems(extras))
        status |= bool(failed)
        print(f"[{extras}] " + ("; ".join(failed) or "works"), flush=True)  # noqa: T201
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
