"""`list`, `presets`, `describe`, `new` and `check`: the modules, and metrics of one's own."""

from pathlib import Path
from string import Template
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...data.files.access import read_file
from ...data.files.stored import to_jsonable, write_whole
from ...evaluation.results.rendering import counted
from ...module.catalog import catalog
from ...module.catalog.field_names import suggestion
from ...module.catalog.presets import PRESETS
from ...module.catalog.usage import UsageError
from ..console.options import PrintedFormat
from ..console.outputs import show_json

_TEMPLATES = {"new_script.txt": "{}.py", "new_card.txt": "README.md", "new_test.txt": "test_{}.py"}


def list_modules(format_name: PrintedFormat = "table") -> None:
    """List the modules and their inputs."""
    if format_name == "json":
        listed = [
            {"name": name, "summary": catalog.summary(name), "takes": catalog.takes(name)}
            for name in catalog.names()
        ]
        show_json(listed)
        return
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name in catalog.names():
        table.add_row(name, Text(catalog.summary(name)))
        table.add_row("", Text(catalog.takes(name), style="dim"))
    Console().print(table)


def list_presets(format_name: PrintedFormat = "table") -> None:
    """List the presets: sets of options that reproduce the numbers of another tool."""
    if format_name == "json":
        show_json([{"name": name, **preset._asdict()} for name, preset in PRESETS.items()])
        return
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, preset in PRESETS.items():
        table.add_row(name, Text(preset.about))
        for module, options in preset.modules.items():
            option_texts = (f"{option}={value}" for option, value in options.items())
            table.add_row("", Text(f"  {module}: {', '.join(option_texts)}"))
    Console(highlight=False).print(table)


def describe(
    name: Annotated[str, typer.Argument(metavar="MODULE")],
    format_name: Annotated[Literal["table", "json"], typer.Option("--format")] = "table",
) -> None:
    """Show what a module measures: its inputs, its options with their values, and its results.

    Args:
        name: A name listed by `metric-commons list`, or the folder of a module of your own.
        format_name: json comes with a JSON Schema of each option.
    """
    from ...module.catalog.catalog import describe

    name = catalog.name_of(name)
    if not catalog.is_known(name):
        modules = catalog.names()
        hint = suggestion(name, modules) or f"; the modules are {', '.join(modules)}"
        raise UsageError(f"there is no module {name!r}{hint}")
    description = describe(name)
    if format_name == "json":
        show_json(description.to_dict())
        return
    from rich.syntax import Syntax  # imports Pygments, which --json does not need

    console = Console(highlight=False)
    console.print(f"[bold]{description.name}[/bold]\n")
    for paragraph in description.about.split("\n\n"):
        console.print(" ".join(paragraph.split()), markup=False)
        console.print()
    inputs = _table("input", "one row", "meaning")
    for column in description.inputs:
        _add_row(inputs, column.name, " or ".join(column.accepts), column.help)
    options = _table("option", "values", "default", "effect")
    for option in description.options:
        default = repr(to_jsonable(option.default))
        _add_row(options, option.name, option.accepts, default, option.help)
    for table in (inputs, options):
        console.print(table)
        console.print()
    if description.compiled:
        console.print(f"[bold]compiled path[/bold]\n{description.compiled}\n", highlight=False)
    console.print("[bold]results[/bold]")
    console.print(description.results, markup=False)
    console.print("\n[bold]example[/bold]")
    console.print(Syntax(description.example, "pycon", background_color="default", word_wrap=True))


def new(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    *,
    folder: Annotated[Path, typer.Option("--in", metavar="DIR")] = Path(),
) -> None:
    """Write a metric of your own to begin with: its script, its card and a test.

    metric-commons new token_jaccard --in metrics

    The metric works already; change what it computes. `metric-commons check` then tells whether it
    can be scored, compared, merged and published like those of this package.

    Args:
        name: Its name in lower case, such as token_jaccard.
        folder: The folder in which its own folder is made.
    """
    if not name.isidentifier() or name != name.lower():
        raise UsageError(f"NAME must be a word in lower case, such as token_jaccard; got {name!r}")
    if catalog.is_known(name):
        raise UsageError(f"there is a module {name!r} already; choose another name")
    target = folder / name
    if target.exists():
        raise UsageError(f"{target} exists; name another folder with --in")
    target.mkdir(parents=True)
    words = {
        "name": name,
        "class_name": name.title().replace("_", ""),
        "title": name.replace("_", " ").capitalize(),
        "place": "." if folder.is_absolute() else f"./{folder.as_posix()}".removesuffix("/."),
    }
    for template, file in _TEMPLATES.items():
        text = read_file(Path(__file__).with_name(template)).decode()
        path = target / file.format(name)
        write_whole(path, [Template(text).substitute(words).encode()])
        typer.echo(f"wrote {path}")


def check(
    module: Annotated[str, typer.Argument(metavar="MODULE")],
) -> None:
    """Check that a metric keeps the promises of every module, on the example of its docstring.

    metric-commons check metrics/token_jaccard

    Exit status: 0 all promises are kept, 1 some are not.

    Args:
        module: The folder or the script of a metric, or the name of a module.
    """
    from ...evaluation.peers.promises import check_module

    if not catalog.is_known(module) and Path(module).exists():
        module = str(Path(module).absolute())
    broken = 0
    for promise, problem in check_module(module):
        broken += problem is not None
        typer.echo(f"{'ok    ' if problem is None else 'broken'}  {promise}")
        if problem is not None:
            typer.echo("\n".join(f"        {line}" for line in problem.splitlines()))
    if broken:
        typer.echo(f"{counted(broken, 'promise')} broken", err=True)
        raise typer.Exit(1)


def _add_row(table: Table, *cells: str) -> None:
    """Add a row of plain texts, in which brackets are not markup."""
    table.add_row(*map(Text, cells))


def _table(*header: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in header:
        table.add_column(name, overflow="fold")
    return table
