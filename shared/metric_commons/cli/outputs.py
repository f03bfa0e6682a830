"""Where results go."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from metric_commons.results import Results

Form = Annotated[
    Literal["table", "json", "markdown", "latex", "csv"],
    typer.Option("--format", help="What to print."),
]


class Misuse(typer.TyperException):
    """A command line that makes no sense."""

    exit_code = 2


def check_outputs(outputs: Sequence[Path | None], inputs: Sequence[Path]) -> None:
    """No output would replace an input, or another output."""
    taken = {path.resolve() for path in inputs}
    for path in filter(None, outputs):
        if path.resolve() in taken:
            raise Misuse(f"{path} would be overwritten")
        taken.add(path.resolve())


def show(results: Results, form: str) -> None:
    """Print results in one of the forms."""
    match form:
        case "json":
            typer.echo(results.to_json())
        case "markdown":
            typer.echo(results.to_markdown())
        case "latex":
            typer.echo(results.to_latex())
        case "csv":
            typer.echo(results.to_csv(), nl=False)
        case _:
            from . import tables

            tables.show(results)
