"""Installed versions."""

import sys
from functools import cache
from pathlib import Path

DISTRIBUTION = "metric-commons"


@cache
def version(distribution: str) -> str:
    """Return the installed version of a distribution.

    It is in the name of a folder; `importlib.metadata` takes longer to import than most scores.
    """
    name = distribution.replace("-", "_")
    for folder in map(Path, sys.path):
        for path in folder.glob(f"{name}-*.dist-info"):
            return path.stem.removeprefix(f"{name}-")
    from importlib import metadata

    return metadata.version(distribution)
