"""The command line: its commands, their help, options that were renamed, and exit statuses."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperCommand, TyperGroup

from ..catalog.usage import MissingExtraError, UsageError
from ..numbers.checks import OptionError
from ..results.rendering import message_line

if TYPE_CHECKING:
    from typer import Context

# The groups of commands in the help, in this order.
PANELS = {
    "Score": ("score", "trec", "execute", "init", "run", "merge"),
    "Compare and decide": ("compare", "leaderboard", "history", "gate", "power"),
    "Show and convert": ("report", "plot", "export"),
    "Modules": ("list", "describe", "presets"),
    "Other programs": ("hub", "mcp", "ultrarag-init", "patch-evaluate"),
}
# Old options by command, which work until the next minor version.
RENAMED = {
    "score": {"--answers": "--references-file"},
    "report": {"--html": "--save"},
    "export": {"--out": "--save"},
    "describe": {"--json": "--format=json"},
}


class Command(TyperCommand):
    """A command whose help shows no type for switches."""

    def get_params(self, ctx: "Context") -> list:  # type: ignore[type-arg,override]
        """The parameters, of which switches take no value."""
        return _without_types(super().get_params(ctx))


class Group(TyperGroup):
    """A group of commands whose help shows no type for switches."""

    def get_params(self, ctx: "Context") -> list:  # type: ignore[type-arg,override]
        """The parameters, of which switches take no value."""
        return _without_types(super().get_params(ctx))


def _without_types(parameters: list) -> list:  # type: ignore[type-arg]
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters


def panel_of(command: str) -> str:
    """The group of a command in the help.

    >>> panel_of("gate")
    'Compare and decide'
    """
    return next(panel for panel, names in PANELS.items() if command in names)


def with_new_names(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The words of a command line with renamed options, and for each what to say, or "".

    >>> list(with_new_names(["report", "r.json", "--html=r.html"]))[2]
    ('--save=r.html', '--html is now --save; the next minor version removes the old name')
    """
    renamed = RENAMED.get(words[0], {}) if words else {}
    are_options = True
    for word in words:
        are_options = are_options and word != "--"
        old, equals, value = word.partition("=")
        if not (are_options and old in renamed):
            yield word, ""
            continue
        new = renamed[old]
        message = f"{old} is now {new}; the next minor version removes the old name"
        yield f"{new}{equals}{value}", message


# The commands in the order of the help, the file of each, and its function if the names differ.
COMMANDS = {
    **{name: name for name in ("score", "execute", "merge", "run")},
    "init": "run",
    **{name: name for name in ("trec", "compare", "leaderboard")},
    "history": "leaderboard",
    **{name: name for name in ("gate", "power", "plot", "report", "export", "describe")},
    "patch-evaluate": "patched_script.patch_evaluate",
    "list": "describe.list_modules",
    "presets": "describe.list_presets",
}


def commands(names: Iterable[str] = tuple(COMMANDS)) -> typer.Typer:
    """The program with these commands; the files of other commands are not imported."""
    app = typer.Typer(
        help="Score the answers of language models: exact, fast and with confidence intervals.",
        epilog="Exit status: 0 done; 1 a file or its content is wrong; 2 the command line is "
        "wrong; 130 interrupted. gate also has 3 (undecided) and 4 (worse).",
        context_settings={"help_option_names": ["-h", "--help"]},
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        cls=Group,
    )
    for name in names:
        file, _, function = COMMANDS[name].partition(".")
        command = getattr(import_module(f".{file}", __package__), function or name)
        # The options behind a script are its own.
        settings = {"allow_interspersed_args": name != "patch-evaluate"}
        panel = panel_of(name)
        app.command(name, cls=Command, context_settings=settings, rich_help_panel=panel)(command)
    app.callback()(_common)
    return app


def run_command(program: typer.Typer, arguments: Sequence[str] | None) -> int:
    """Run a command of a program; an error becomes its exit status and one line on stderr."""
    words = []
    for word, message in with_new_names(sys.argv[1:] if arguments is None else arguments):
        words.append(word)
        if message:
            typer.echo(f"{_kind('warning', typer.colors.YELLOW)} {message}", err=True)
    try:
        return program(words, prog_name="metric-commons", standalone_mode=False) or 0
    except typer.TyperException as error:
        # The message of the library is "Input should be a valid integer, unable to parse ...".
        message = error.format_message().partition(", unable to parse")[0]
        message = message.replace("Input should be", "it must be").replace("Value error, ", "")
        return _refused(message, error.exit_code)
    except (UsageError, OptionError) as error:
        return _refused(str(error), 2)
    except (MissingExtraError, NotImplementedError) as error:  # on this operating system
        return _refused(str(error), 1)
    except MemoryError:
        return _refused("there is not enough memory; score less at a time", 1)
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
    typer.echo(f"{_kind('error', typer.colors.RED)} {message_line(message)}", err=True)
    return status


def _kind(word: str, colour: str) -> str:
    """The kind of a message before it, in colour on a terminal."""
    return f"{typer.style(word, fg=colour, bold=True)}:"


def _show_version(is_requested: bool) -> None:
    if is_requested:
        from importlib.metadata import version

        typer.echo(f"metric-commons {version('metric-commons')}")
        raise typer.Exit


def _common(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_show_version, is_eager=True, help="Show the version."
        ),
    ] = False,
) -> None:
    pass
