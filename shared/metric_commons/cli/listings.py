"""`metric-commons list` and `metric-commons presets`: the modules, and sets of their options."""

import json
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..catalog import catalog
from ..catalog.presets import PRESETS
from ..files.stored import to_jsonable

Format = Annotated[
    Literal["table", "json"], typer.Option("--format", help="Format of the printed output.")
]


def list_modules(format_name: Format = "table") -> None:
    """List the modules and their inputs."""
    if format_name == "json":
        listed = [
            {"name": name, "summary": catalog.summary(name), "takes": catalog.takes(name)}
            for name in catalog.names()
        ]
        typer.echo(json.dumps(listed, indent=2))
        return
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name in catalog.names():
        table.add_row(name, Text(catalog.summary(name)))
        table.add_row("", Text(catalog.takes(name), style="dim"))
    Console().print(table)


def list_presets(format_name: Format = "table") -> None:
    """List the presets: sets of options that reproduce the numbers of another tool."""
    if format_name == "json":
        presets = [{"name": name, **preset._asdict()} for name, preset in PRESETS.items()]
        typer.echo(json.dumps(to_jsonable(presets), indent=2))
        return
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, preset in PRESETS.items():
        table.add_row(name, Text(preset.about))
        for module, options in preset.modules.items():
            option_texts = (f"{option}={value}" for option, value in options.items())
            table.add_row("", Text(f"  {module}: {', '.join(option_texts)}"))
    Console(highlight=False).print(table)
