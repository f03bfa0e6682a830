"""Installed versions."""

from functools import cache

DISTRIBUTION = "metric-commons"


@cache
def version(distribution: str) -> str:
    """Return the installed version of a distribution, cached since a look-up takes milliseconds."""
    from importlib import metadata

    return metadata.version(distribution)
