"""Programs that run in a Python of their own: here too much is imported already."""

import subprocess
import sys
from pathlib import Path

from tests.spec import PATIENCE


def output(program: str, *arguments: str, cwd: Path | None = None) -> str:
    """What a program prints; it has to succeed."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    return done.stdout
