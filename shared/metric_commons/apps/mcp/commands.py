"""`metric-commons mcp` and `metric-commons ultrarag-init`: a server with evaluations as tools."""

import os
from pathlib import Path
from typing import Annotated

from ...evaluation.results.rendering import message_line
from ...module.catalog.request import can_fork
from ...module.catalog.usage import UsageError, extra
from ...statistics.arguments.domains import Range
from ..functions.findings import Finding

Limit = Annotated[float, Range(0.1)]


def mcp(
    *,
    root: Path,
    seconds: Limit = 600.0,
    gigabytes: Limit = 4.0,
    allow_execution: bool = False,
    ultrarag: Path | None = None,
) -> None:
    """Serve evaluations to agents over the Model Context Protocol, on stdio.

    Tools: evaluate, evaluate_trec, evaluate_trec_pvalue, evaluate_file,
    compare_files, report, list_modules, describe_module. A client starts this
    command itself. Every call runs in a separate process, which is ended if the
    call is cancelled, or takes too long or too much memory.

    Args:
        root: The folder whose files may be read and written, at which relative paths start.
        seconds: How long a call may take.
        gigabytes: How much memory a call may use.
        allow_execution: Allow code_eval to run programs that a model wrote; see SECURITY.md.
        ultrarag: Hidden.
    """
    if not can_fork():
        raise UsageError("the server needs Linux, macOS or WSL, where processes can be forked")
    with extra("mcp"):
        from .server import serve

    from ...programs.executions import PERMISSION
    from .root import Root
    from .tools import CallContext

    # Inherited by the processes of calls; by default, Arrow reserves a gigabyte for any file.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    if allow_execution:
        os.environ[PERMISSION] = "1"
    folder = ultrarag and ultrarag.resolve()
    serve(CallContext(Root(root), allow_execution, folder, seconds, gigabytes))


def ultrarag_init(folder: Path, *, root: Path | None = None) -> Finding:
    """Write a server folder that replaces UltraRAG's evaluation server.

    A pipeline then says `servers: evaluation: DIR`. The server runs in the
    Python that runs this command, whatever UltraRAG has installed.

    Args:
        folder: The folder to write; it must not exist.
        root: The folder whose files may be read and written, at which relative paths start; by
            default the one that UltraRAG runs in.
    """
    from . import folder as server_folder

    server_folder.write(folder, root)
    said = f"wrote {folder}; in a pipeline: `servers: {{evaluation: {folder}}}`"
    return Finding({}, [message_line(said)])
