"""`metric-commons mcp` and `metric-commons ultrarag-init`: a server with evaluations as tools."""

from pathlib import Path
from typing import Annotated

import typer

from ..evaluation.usage import extra


def mcp(
    roots: Annotated[
        list[Path] | None,
        typer.Option(
            "--root",
            metavar="DIR",
            help="A folder whose files may be read and written; may be given several times. "
            "Relative paths start at the first. Without it, the working directory.",
        ),
    ] = None,
    ultrarag: Annotated[
        Path | None, typer.Option(hidden=True, help="The folder that `ultrarag-init` wrote.")
    ] = None,
) -> None:
    """Serve the evaluations to agents, by the Model Context Protocol on stdio.

    Tools: evaluate, evaluate_trec, evaluate_trec_pvalue, evaluate_file,
    list_modules, describe_module. A client starts this command itself.
    """
    with extra("mcp"):
        from .server import serve

    serve(roots or [Path()], ultrarag_folder=ultrarag)


def ultrarag_init(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder to write; it must not exist.")
    ],
    roots: Annotated[
        list[Path] | None,
        typer.Option(
            "--root",
            metavar="DIR",
            help="A folder whose files may be read and written besides those of the one that "
            "UltraRAG runs in; may be given several times.",
        ),
    ] = None,
) -> None:
    """Write a server folder that replaces UltraRAG's evaluation server.

    A pipeline then says `servers: evaluation: DIR`. The server runs in the
    Python that runs this command, whatever UltraRAG has installed.
    """
    from . import folder as server_folder

    server_folder.write(folder, roots or [])
    typer.echo(f"wrote {folder}; in a pipeline: `servers: {{evaluation: {folder}}}`")
