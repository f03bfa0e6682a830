"""The commands, and how they end."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..evaluation import catalog
from ..evaluation.presets import PRESETS
from ..evaluation.rendering import escaped
from ..evaluation.usage import MissingExtraError, UsageError
from ..numbers.checks import OptionError
from .compare import compare
from .describe import describe
from .export import export
from .gate import gate
from .leaderboard import history, leaderboard
from .merge import merge
from .plot import plot
from .power import power
from .report import report
from .run import init, run
from .score import score
from .trec import trec

_LONGEST = 2_000  # characters of a message, which may quote a long value

app = typer.Typer(
    help="Score the answers of language models: exact, fast and with confidence intervals.",
    epilog="Exit status: 0 done; 1 a file or its content is wrong; 2 the command line is wrong; "
    "130 interrupted. gate also has 3 (undecided) and 4 (worse).",
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in (
    *(score, merge, run, init, trec, compare, leaderboard, history, gate, power, plot, report),
    *(export, describe),
):
    app.command()(command)


def run_command(program: typer.Typer, arguments: Sequence[str] | None) -> int:
    """Run a command of a program; an error becomes its exit status and one line on stderr."""
    try:
        return program(arguments, prog_name="metric-commons", standalone_mode=False) or 0
    except typer.TyperException as error:
        # The library behind says: Input should be a valid integer, unable to parse string as ...
        message = error.format_message().partition(", unable to parse")[0]
        return _refused(message.replace("Input should be", "it must be"), error.exit_code)
    except (UsageError, OptionError) as error:
        return _refused(str(error), 2)
    except MissingExtraError as error:
        return _refused(str(error), 1)
    except MemoryError:
        return _refused("this needs more memory than there is; ask for less at a time", 1)
    except RecursionError:
        return _refused("values are nested too deeply", 1)
    except FileNotFoundError as error:
        return _refused(f"no such file: {error.filename or error}", 1)
    except OSError as error:
        prefix = f"{error.filename}: " if error.filename else ""
        return _refused(f"{prefix}{error.strerror or error}", 1)
    except ValueError as error:
        return _refused(str(error), 1)


def _refused(message: str, status: int) -> int:
    line = escaped(" ".join(message.splitlines()))
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST // 2 - 3]} ... {line[-_LONGEST // 2 + 2 :]}"
    typer.echo(line, err=True)
    return status


@app.command("list")
def list_modules() -> None:
    """List the modules and their inputs."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name in catalog.names():
        table.add_row(name, catalog.summary(name))
        table.add_row("", Text(catalog.takes(name), style="dim"))
    Console().print(table)


@app.command("presets")
def list_presets() -> None:
    """List the presets: sets of options that reproduce the numbers of another tool."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, preset in PRESETS.items():
        table.add_row(name, preset.about)
        for module, options in preset.modules.items():
            option_texts = (f"{option}={value}" for option, value in options.items())
            table.add_row("", f"  {module}: {', '.join(option_texts)}")
    Console(highlight=False).print(table)


def _show_version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(f"metric-commons {version('metric-commons')}")
        raise typer.Exit


@app.callback()
def _common(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass
