"""`metric-commons mcp` and `metric-commons ultrarag-init`: a server with evaluations as tools."""

import os
from pathlib import Path
from typing import Annotated

import typer

from ...evaluation.results.rendering import message_line
from ...module.catalog.request import can_fork
from ...module.catalog.usage import UsageError, extra


def mcp(
    roots: Annotated[list[Path] | None, typer.Option("--root", metavar="DIR")] = None,
    seconds: Annotated[float, typer.Option(metavar="NUMBER", min=0.1)] = 600.0,
    gigabytes: Annotated[float, typer.Option(metavar="NUMBER", min=0.1)] = 4.0,
    processes: Annotated[int, typer.Option(metavar="COUNT", min=1)] = 8,
    max_memory: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            min=0.1,
            show_default="half of the memory of the machine or its control group",
        ),
    ] = None,
    allow_execution: Annotated[bool, typer.Option("--allow-execution")] = False,
    ultrarag: Annotated[Path | None, typer.Option(hidden=True)] = None,
    python_version: Annotated[str | None, typer.Option(hidden=True)] = None,
) -> None:
    """Serve evaluations to agents over the Model Context Protocol, on stdio.

    Tools: evaluate, evaluate_trec, evaluate_trec_pvalue, evaluate_file,
    compare_files, report, list_modules, describe_module. A client starts this
    command itself. Every call runs in a separate process, which is ended if the
    call is cancelled, or takes too long or too much memory.

    Args:
        roots: A folder whose files may be read and written; may be repeated. Relative paths start
            at the first. Without it, the working directory, if it is the folder of a project.
        seconds: How long a call may take.
        gigabytes: How much memory a call may use.
        processes: How many calls run at the same time.
        max_memory: How much memory all calls together may use, in GB, on Linux.
        allow_execution: Allow code_eval to run programs that a model wrote; see SECURITY.md.
        ultrarag: The folder that `ultrarag-init` wrote.
        python_version: The version of UltraRAG's Python.
    """
    if not can_fork():
        raise UsageError("the server needs Linux, macOS or WSL, where processes can be forked")
    with extra("mcp"):
        from .server import Calls, serve
        from .workers import Budget, Workers

    from ...programs.executions import PERMISSION
    from .roots import CallContext, Roots, project_folder

    if allow_execution:
        os.environ[PERMISSION] = "1"  # inherited by the processes of calls
    folders = Roots(roots or [project_folder()], execution_allowed=allow_execution)
    server_folder = None if ultrarag is None else Roots([ultrarag])
    workers = Workers(Budget(seconds, gigabytes, processes, max_memory))
    serve(Calls(CallContext(folders, server_folder, python_version), workers))


def ultrarag_init(
    folder: Annotated[Path, typer.Argument(metavar="DIR")],
    roots: Annotated[list[Path] | None, typer.Option("--root", metavar="DIR")] = None,
) -> None:
    """Write a server folder that replaces UltraRAG's evaluation server.

    A pipeline then says `servers: evaluation: DIR`. The server runs in the
    Python that runs this command, whatever UltraRAG has installed.

    Args:
        folder: The folder to write; it must not exist.
        roots: A folder whose files may be read and written, in addition to the folder that UltraRAG
            runs in; may be repeated.
    """
    from . import folder as server_folder

    server_folder.write(folder, roots or [])
    typer.echo(message_line(f"wrote {folder}; in a pipeline: `servers: {{evaluation: {folder}}}`"))
