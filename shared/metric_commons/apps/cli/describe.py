"""`metric-commons list`, `presets` and `describe`: the modules, and what they measure and take."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...data.files.stored import to_jsonable
from ...module.catalog import catalog
from ...module.catalog.field_names import suggestion
from ...module.catalog.presets import PRESETS
from ...module.catalog.usage import UsageError
from ..console.options import PrintedFormat, modules_like
from ..console.outputs import show_json

if TYPE_CHECKING:
    from ...module.catalog.descriptions import Description


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
    name: Annotated[str, typer.Argument(metavar="MODULE", autocompletion=modules_like)],
    format_name: Annotated[Literal["table", "json"], typer.Option("--format")] = "table",
) -> None:
    """Show what a module measures: its inputs, its options with their values, and its results.

    Args:
        name: A name listed by `metric-commons list`, or the folder of a module of your own.
        format_name: json comes with a JSON Schema of each option.
    """
    from ...module.catalog.descriptions import describe

    name = catalog.name_of(name)
    if not catalog.is_known(name):
        modules = catalog.names()
        hint = suggestion(name, modules) or f"; the modules are {', '.join(modules)}"
        raise UsageError(f"there is no module {name!r}{hint}")
    description = describe(name)
    if format_name == "json":
        show_json(description.to_dict())
        return
    _show(description)


def _show(description: "Description") -> None:
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


def _add_row(table: Table, *cells: str) -> None:
    """A row of plain texts, in which brackets are not markup."""
    table.add_row(*map(Text, cells))


def _table(*header: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in header:
        table.add_column(name, overflow="fold")
    return table
