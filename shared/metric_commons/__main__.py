"""The command `metric-commons`, and `python -m metric_commons`: all commands in one program."""

import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer import Typer


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit status is 0 done, 1 bad input, 2 bad usage, 130 interrupted."""
    try:
        from .cli.app import run_command

        commands = program()
    except ModuleNotFoundError as error:
        sys.stderr.write(f"{error}; it comes with: pip install 'metric-commons[cli]'\n")
        return 1
    return run_command(commands, arguments)


@cache
def program() -> "Typer":
    """The commands of all applications; here alone they meet."""
    from .cli.app import app
    from .hub.commands import hub
    from .mcp.commands import mcp, ultrarag_init

    app.command()(mcp)
    app.command()(ultrarag_init)
    app.add_typer(hub, name="hub")
    return app


if __name__ == "__main__":
    sys.exit(main())
