"""The command `metric-commons`."""

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; its exit status is 0 done, 1 bad input, 2 bad usage, 130 interrupted."""
    try:
        from . import app
    except ModuleNotFoundError as error:
        sys.stderr.write(f"{error}; it comes with: pip install 'metric-commons[cli]'\n")
        return 1
    return app.main(arguments)
