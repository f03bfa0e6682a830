"""The command line: its commands, their help, options that were renamed, and exit statuses."""

import sys
import traceback
from collections.abc import Iterable, Sequence
from importlib import import_module
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ...evaluation.results.rendering import message_line
from ...module.catalog.usage import UsageError
from ...statistics.arguments.checks import OptionError, UnexpectedError
from ...statistics.resampling.progress import set_quiet
from ..console.options import Quiet, with_groups

if TYPE_CHECKING:
    from typer import Context

# The groups of commands in the help, in this order.
PANELS = {
    "Score": ("score", "trec", "execute", "run", "merge"),
    "Compare and decide": ("compare", "leaderboard", "gate", "power", "verify", "audit"),
    "Show and convert": ("report", "plot", "export"),
    "Modules": ("list", "describe", "presets", "new", "check"),
    "Other programs": ("hub", "mcp", "ultrarag-init", "patch-evaluate"),
}


class _PlainSwitches:
    """Its help shows no type for switches."""

    def get_params(self, ctx: "Context") -> list[Any]:
        """Return the parameters; switches show no value."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        return parameters


class Command(_PlainSwitches, TyperCommand):  # type: ignore[misc]
    """A command whose help shows no type for switches."""


class Group(_PlainSwitches, TyperGroup):  # type: ignore[misc]
    """A group of commands whose help shows no type for switches."""


def panel_of(command: str) -> str:
    """Return the group of a command in the help.

    >>> panel_of("gate")
    'Compare and decide'
    """
    return next(panel for panel, names in PANELS.items() if command in names)


# The file and the function of a command whose name differs from one of them.
_FUNCTIONS = {
    "merge": "score.merge",
    "patch-evaluate": "verify.patch_evaluate",
    "list": "modules.list_modules",
    "presets": "modules.list_presets",
    "describe": "modules.describe",
    "new": "modules.new",
    "check": "modules.check",
}
OF_APPLICATIONS = ("hub", "mcp", "ultrarag-init")  # commands of other rooms
COMMANDS = [name for names in PANELS.values() for name in names if name not in OF_APPLICATIONS]
_DESCRIBING = ("list", "describe", "presets", "new", "check", "patch-evaluate")
# Options that act while the command line is read, and the commands that do not have them.
_IMMEDIATE: tuple[tuple[Parameter, set[str]], ...] = (
    (
        Parameter("quiet", Parameter.KEYWORD_ONLY, default=False, annotation=Quiet),
        {*("gate", "power"), *_DESCRIBING, "trec"},  # trec has one without -q
    ),
)


def commands(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the program with these commands; the files of other commands are not imported."""
    app = typer.Typer(
        help="Score the answers of language models: exact, fast and with confidence intervals.",
        epilog="Exit status: 0 done; 1 a file or its content is wrong; 2 the command line is "
        "wrong; 130 interrupted. gate also has 3 (undecided) and 4 (worse), "
        "verify 4 (a row differs), audit 3 (not told apart).",
        context_settings={"help_option_names": ["-h", "--help"]},
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        cls=Group,
    )
    for name in names:
        file, _, function = _FUNCTIONS.get(name, name).partition(".")
        command = getattr(import_module(f".{file}", __package__), function or name)
        options = [option for option, excluded in _IMMEDIATE if name not in excluded]
        app.command(
            name,
            cls=Command,
            # The options behind a script are its own.
            context_settings={"allow_interspersed_args": name != "patch-evaluate"},
            rich_help_panel=panel_of(name),
        )(with_groups(command, options))
    app.callback()(_common)
    return app


def run_command(program: typer.Typer, arguments: Sequence[str] | None) -> int:
    """Run a command of a program; an error becomes its exit status and one line on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    set_quiet(quiet=False)
    try:
        return program(words, prog_name="metric-commons", standalone_mode=False) or 0
    except Exception as error:
        message, status = _refusal(error, words)
    if message:
        prefix = typer.style("error", fg=typer.colors.RED, bold=True)
        typer.echo(f"{prefix}: {message_line(message)}", err=True)
    return status


def _refusal(error: Exception, words: Sequence[str]) -> tuple[str, int]:
    """Return the message of an error, if help was not shown instead, and the exit status."""
    match error:
        case typer.TyperException():
            # The message of the library is "Input should be a valid integer, unable to parse ...".
            text = error.format_message().partition(", unable to parse")[0]
            text = text.replace("Input should be", "it must be").replace("Value error, ", "")
            return text and _with_hint(text, words), error.exit_code
        case UsageError() | OptionError():
            return str(error), 2
        case MemoryError():
            return "there is not enough memory; score less at a time", 1
        case RecursionError():
            return "values are nested too deeply", 1
        case FileNotFoundError():
            return f"no such file: {error.filename or error}", 1
        case IsADirectoryError():
            return _folder_message(Path(error.filename)), 1
        case OSError():
            prefix = f"{error.filename}: " if error.filename else ""
            return f"{prefix}{error.strerror or error}", 1
        # Bad input, a missing library of an extra, or a feature that the operating system lacks.
        case ValueError() | UnexpectedError() | ImportError() | NotImplementedError():
            return str(error), 1
    traceback.print_exc()  # an error in this package
    return f"{type(error).__name__}: {error}; please report this, with the lines above", 1


def _with_hint(message: str, words: Sequence[str]) -> str:
    """Return the message, with the equivalent of another tool's command or option.

    >>> _with_hint("No such command 'wer'.", ["wer", "a.txt"])
    "No such command 'wer'; use error_rate (its score wer), as in metric-commons score MODULE FILE \
-r REFERENCES"
    >>> _with_hint("No such option: --use_stemmer", ["score", "rouge_n_l", "--use_stemmer"])
    'No such option: --use_stemmer; options of modules are as in --set use_stemmer=VALUE'
    """
    from ...module.catalog import catalog
    from ...module.catalog.field_names import suggestion

    plain = message.partition(" (Possible")[0].partition(". Did you")[0].removesuffix(".")
    if plain.startswith("No such option: ") and words[0] == "score":
        modules = [word for word in words if catalog.is_known(word)]
        option = plain.split()[3].lstrip("-").replace("-", "_")
        if any(option in catalog.load_without_evaluate(name).options for name in modules):
            return f"{plain}; options of modules are as in --set {option}=VALUE"
        line = f"metric-commons score {' '.join(dict.fromkeys(modules)) or 'MODULE'} FILE"
        return f"{message}; the line is {line} -r REFERENCES --set OPTION=VALUE"
    if plain.startswith("No such option: ") and words[0] == "trec":
        return f"{message}; the line is metric-commons trec QRELS RUN -m MEASURE"
    hint = suggestion(words[0], catalog.names()) if plain.startswith("No such command") else ""
    if hint.startswith("; use"):
        hint += ", as in metric-commons score MODULE FILE -r REFERENCES"
    return message if hint.startswith("; did") else f"{plain}{hint}" if hint else message


def _folder_message(path: Path) -> str:
    """Return the message about a folder in place of a file, with one of its files."""
    files = sorted(member for member in path.rglob("*") if member.is_file())
    example = f", such as {files[0]}" if files else ""
    return f"{path}: this is a folder; name the files in it{example}"


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
