"""The command line: its commands, their help, and exit statuses."""

import re
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import click

from ...data.files.access import read_file
from ...evaluation.results.rendering import message_line
from ...module.catalog.usage import UsageError
from ...statistics.arguments.checks import OptionError, UnexpectedError, nearest
from ...statistics.resampling.progress import set_quiet

if TYPE_CHECKING:
    from ..console.commands import Spec

_PACKAGE = Path(__file__).parents[2]
# The commands in groups, as the help shows them; each with its function, and how it differs from
# what `Spec` says.
_JOBS = {"jobs": "--jobs -j"}
PANELS: Mapping[str, Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "Score": {
        "score": (
            "evaluation.scoring.scoring:score",
            {
                "presentation": "WithRows",
                "arguments": ("words",),
                "hidden": ("modules", "data", "rows"),
                "kinds": "OF_FILES",
                "defaults": {"jobs": None},
                "adapt": "apps.cli.words:score_words",
            },
        ),
        "trec": (
            "apps.cli.trec:trec",
            {
                "presentation": "apps.cli.trec:TrecPresentation",
                "hidden": ("as_trec_eval",),
                "adapt": "apps.cli.trec:trec_words",
                # The flags of trec_eval; its -q prints the scores of queries.
                "flags": {
                    "relevance_level": "--relevance-level -l",
                    "max_depth": "--max-depth -M",
                    "judged_only": "--judged-only -J",
                    "per_query": "--per-query -q",
                    "complete": "--complete -c",
                    "no_summary": "--no-summary -n",
                    "collection_size": "--collection-size -N",
                    "quiet": "--quiet",
                },
            },
        ),
        "execute": (
            "apps.functions.execute:execute",
            {"required": ("tests", "save"), "flags": _JOBS},
        ),
        "run": (
            "apps.cli.run:run",
            {"presentation": "WithRows", "hidden": ("how",), "adapt": "apps.cli.run:run_words"},
        ),
        "merge": ("apps.functions.merge:merge", {"presentation": "WithRows"}),
    },
    "Compare and decide": {
        "compare": (
            "evaluation.comparison.combined_results:compare",
            {"presentation": "Presentation", "kinds": {"results": Path}},
        ),
        "leaderboard": (
            "apps.functions.leaderboard:leaderboard",
            {
                "presentation": "OneTable",
                "arguments": ("results",),
                "kinds": {"results": Path},
                "defaults": {"results": ()},
            },
        ),
        "gate": ("apps.functions.gate:gate", {}),
        "power": ("apps.functions.power:power", {"required": ("effect",)}),
        "verify": (
            "apps.functions.verify:verify",
            {
                "arguments": ("module", "data"),
                "kinds": {"predictions": str, "references": str},
                "required": ("predictions", "references", "against"),
            },
        ),
        "audit": ("apps.functions.audit:audit", {"arguments": ("table",)}),
    },
    "Show and convert": {
        "report": ("apps.functions.report:report", {"required": ("save",)}),
        "plot": (
            "apps.functions.plot:plot",
            {
                "arguments": ("kind", "results"),
                "required": ("save",),
                "adapt": "apps.cli.words:plot_words",
            },
        ),
        "export": ("apps.cli.export:export", {"required": ("scale", "save")}),
    },
    "Modules": {
        "list": ("apps.functions.modules:list_modules", {}),
        "describe": ("apps.functions.modules:described", {}),
        "presets": ("apps.functions.modules:list_presets", {}),
        "new": ("apps.functions.modules:new", {"flags": {"folder": "--in"}}),
        "check": ("apps.functions.modules:check", {}),
    },
    "Other programs": {
        "hub": ("apps.hub.commands:hub", {}),
        "mcp": ("apps.mcp.commands:mcp", {"required": ("root",)}),
        "ultrarag-init": ("apps.mcp.commands:ultrarag_init", {}),
        # The options behind a script are its own.
        "patch-evaluate": (
            "apps.functions.verify:patch_evaluate",
            {
                "arguments": ("script", "arguments"),
                "settings": {
                    "context_settings": {
                        "allow_interspersed_args": False,
                        "ignore_unknown_options": True,
                    }
                },
            },
        ),
    },
}
COMMANDS = {name: spec for panel in PANELS.values() for name, spec in panel.items()}
_EPILOG = (
    "Exit status: 0 done; 1 a file or its content is wrong; 2 the command line is wrong; 130 "
    "interrupted. gate also has 3 (undecided) and 4 (worse), verify 4 (a row differs), "
    "audit 3 (not told apart)."
)


class Program(click.Group):
    """The program, which imports the function of a command once it is needed."""

    def __init__(self) -> None:
        super().__init__(
            "metric-commons",
            help="Score the answers of language models: exact, fast and with confidence intervals.",
            epilog=_EPILOG,
            context_settings={"help_option_names": ["-h", "--help"]},
            no_args_is_help=True,
        )
        click.version_option(
            *(None, "--version", "-V"),
            package_name="metric-commons",
            message="metric-commons %(version)s",
            help="Show the version.",
        )(self)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; None if there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        if cmd_name == "hub":
            found: click.Command = _named(COMMANDS["hub"][0])
            return found
        from ..console.commands import command

        return command(spec_of(cmd_name), cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in their groups."""
        for panel, names in PANELS.items():
            with formatter.section(panel):
                formatter.write_dl([(name, _summary(name)) for name in names])


def _summary(name: str) -> str:
    """Return the first line about a command, whose function is not imported."""
    path, _, function = COMMANDS[name][0].partition(":")
    text = read_file(_PACKAGE.joinpath(*path.split(".")).with_suffix(".py")).decode()
    pattern = rf'^def {function}\(.*?"""(.*?)(?:"""|\n)'
    found = re.search(pattern, text, re.DOTALL | re.MULTILINE)
    return found[1] if found else text.split('"""')[1]


def _named(place: str) -> Any:
    """Return what has this name in a file of the package."""
    path, _, name = place.partition(":")
    return getattr(import_module(f".{path}", _PACKAGE.name), name)


def spec_of(name: str) -> "Spec":
    """Return how a function is a command."""
    from ..console import commands, outputs
    from ..functions.findings import Finding

    place, differences = COMMANDS[name]
    found = dict(differences)
    for key in ("presentation", "adapt"):
        if key in found:
            text = found[key]
            found[key] = _named(text) if ":" in text else getattr(outputs, text)
    if found.get("kinds") == "OF_FILES":
        found["kinds"] = commands.OF_FILES
    function = _named(place)
    if get_type_hints(function)["return"] is Finding:
        found["presentation"] = outputs.Plain
    return commands.Spec(function, outputs.deliver, **found)


def run_command(program: click.Command, arguments: Sequence[str] | None) -> int:
    """Run a command of a program; an error becomes its exit status and one line on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    set_quiet(quiet=False)
    try:
        with program.make_context("metric-commons", [*words]) as context:
            return program.invoke(context) or 0
    except click.exceptions.Exit as error:
        return error.exit_code
    except Exception as error:
        message, status = _refusal(error, words)
    if message:
        prefix = click.style("error", fg="red", bold=True)
        click.echo(f"{prefix}: {message_line(message)}", err=True)
    return status


def _refusal(error: Exception, words: Sequence[str]) -> tuple[str, int]:
    """Return the message of an error, if help was not shown instead, and the exit status."""
    match error:
        case click.exceptions.NoArgsIsHelpError():
            click.echo(error.format_message())
            return "", 2
        case click.ClickException():
            return _with_hint(error.format_message(), words), error.exit_code
        case UsageError() | OptionError():
            return str(error), 2
        case MemoryError():
            return "there is not enough memory; score less at a time", 1
        case RecursionError():
            return "values are nested too deeply", 1
        case FileNotFoundError():
            return f"no such file: {error.filename or error}", 1
        case IsADirectoryError():
            return f"{error.filename}: this is a folder; name the files in it", 1
        case OSError():
            prefix = f"{error.filename}: " if error.filename else ""
            return f"{prefix}{error.strerror or error}", 1
        # Bad input, a missing library of an extra, or a feature that the operating system lacks.
        case ValueError() | UnexpectedError() | ImportError() | NotImplementedError():
            return str(error), 1
    traceback.print_exc()  # an error in this package
    return f"{type(error).__name__}: {error}; please report this, with the lines above", 1


def _with_hint(message: str, words: Sequence[str]) -> str:
    """Return the message, with what an unknown name or option may have meant."""
    from ...module.catalog import catalog
    from ...module.catalog.field_names import suggestion

    if message.startswith("No such option") and words[0] == "score":
        return f"{message.removesuffix('.')}; options of modules are as in --set OPTION=VALUE"
    if not message.startswith("No such command"):
        return message
    hint = suggestion(words[0], catalog.names())
    if not hint or "did you mean" in hint:
        hint = nearest(words[0], COMMANDS) or hint
    return f"No such command {words[0]!r}{hint}"
