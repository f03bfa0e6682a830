"""Whether a user of the command line wants progress bars and notes."""

import sys
from contextvars import ContextVar

_quiet = ContextVar("quiet", default=False)


def set_quiet(*, quiet: bool) -> bool:
    """Choose whether progress bars and notes on stderr are left out, and return the choice."""
    _quiet.set(quiet)
    return quiet


def is_quiet() -> bool:
    """Return whether progress bars and notes on stderr are left out."""
    return _quiet.get()


def shows_bars() -> bool:
    """Return whether progress bars are shown: on a terminal, unless the user wants none."""
    return not is_quiet() and sys.stderr is not None and sys.stderr.isatty()
