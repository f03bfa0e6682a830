"""The server: that of the SDK, with a process of its own for each call."""

import json
import multiprocessing
import os
import re
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from importlib.metadata import version
from multiprocessing import connection, forkserver, resource_tracker
from typing import Any, NamedTuple

import anyio
from anyio import to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool

from ...data.trec.trec import LineError
from ...evaluation.results.rendering import label, message_line
from ...module.catalog.usage import MissingExtraError
from ...statistics.arguments.checks import OptionError
from ...statistics.resampling.progress import watched
from .schemas import NAMES, call, check, description
from .tools import CallContext

Report = Callable[[float], Awaitable[object]]  # of the fraction that is done, for the client

_INSTRUCTIONS = """\
Exact scores of answers and of retrieval runs. evaluate scores answers passed in the call, \
evaluate_file scores answers in files, with any module of list_modules; compare_files compares \
saved results, and report makes a page from one. evaluate_trec and evaluate_trec_pvalue score TREC \
runs. Paths are relative to the folder that the server may use."""

_PAUSE = 0.1  # seconds between two reports of progress
_INTERRUPTED = 130  # the exit status

# Processes are forked from one that has imported what most calls need.
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(
    [__name__, "metric_commons.evaluation.scoring.scoring", "scipy.special"]
)


class CallLimits(NamedTuple):
    """What a call may use.

    Args:
        seconds: its time.
        gigabytes: its memory (1 GB is 2**30 bytes).
        processes: how many calls run at the same time; further calls wait.
    """

    seconds: float = 600.0
    gigabytes: float = 4.0
    processes: int = 8


class ToolError(ValueError):
    """A call was refused; the message gives the reason."""


def serve(context: CallContext, limits: CallLimits) -> None:
    """Serve on stdin and stdout until stdin ends; calls end with the server."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _end)
    app = server(context, limits)

    async def until_the_end() -> None:
        # All other output of this process and of calls goes to stderr.
        async with stdio_server() as (requests, answers):
            _start_the_forkserver()
            await app.run(requests, answers, app.create_initialization_options())

    anyio.run(until_the_end)


def _start_the_forkserver() -> None:
    """Start it with interrupts blocked, which would end it with a traceback while it imports."""
    resource_tracker.ensure_running()  # which blocks them itself, and then no longer
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    forkserver.ensure_running()
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _end(*_: object) -> None:
    """End at an interrupt, although a thread waits for stdin, which nothing can end."""
    os.write(2, b"interrupted\n")
    os._exit(_INTERRUPTED)


def server(context: CallContext, limits: CallLimits = CallLimits()) -> "Server[Any]":  # noqa: B008
    """Return a server that answers calls of the tools."""
    names = [name for name in NAMES if context.server_folder or name != "build"]
    waiting = anyio.Semaphore(limits.processes)

    async def on_list(_: Any, __: Any) -> ListToolsResult:
        return ListToolsResult(tools=[Tool.model_validate(description(name)) for name in names])

    async def on_call(session: Any, request: Any) -> CallToolResult:
        async def report(fraction: float) -> None:
            await session.session.report_progress(fraction, 1.0)

        try:
            async with waiting:
                text = await answer(context, limits, request.name, request.arguments or {}, report)
        except ValueError as error:
            content = TextContent(type="text", text=message(error))
            return CallToolResult(content=[content], is_error=True)
        structured = json.loads(text)
        return CallToolResult(
            content=[TextContent(type="text", text=text)], structured_content=structured
        )

    return Server(
        "metric-commons",
        version=version("metric-commons"),
        instructions=_INSTRUCTIONS,
        on_list_tools=on_list,
        on_call_tool=on_call,
    )


async def answer(
    context: CallContext,
    limits: CallLimits,
    name: str,
    arguments: Mapping[str, Any],
    report: Report,
) -> str:
    """Return the result of a call, made by a process that is killed when this is cancelled.

    Raises:
        ValueError: the call is refused, or took too much time or memory.
    """
    check(name, arguments)
    receiver, sender = _processes.Pipe(duplex=False)
    process = _processes.Process(
        target=_work, args=(sender, limits.gigabytes, context, name, arguments)
    )
    try:
        await to_thread.run_sync(process.start)
        sender.close()
        with anyio.fail_after(limits.seconds):
            while True:
                await anyio.wait_readable(receiver.fileno())
                kind, value = receiver.recv()
                if kind == "result":
                    return str(value)
                if kind == "refused":
                    raise ToolError(value)
                await report(value)
    except TimeoutError:
        raise ToolError(
            f"took longer than {limits.seconds:g} seconds and was stopped; request less, or start "
            "the server with a higher --seconds"
        ) from None
    except (EOFError, ConnectionError):
        raise ToolError(
            "the process of this call was killed, perhaps because it ran out of memory, of which "
            f"it may use {limits.gigabytes:g} GB; try again, or request less"
        ) from None
    finally:
        for kill in (process.kill, lambda: os.killpg(process.pid or 0, signal.SIGKILL)):
            with suppress(ProcessLookupError, AttributeError):
                kill()
        receiver.close()
        if process.pid is not None:
            process.join()
            process.close()  # with its files


# In the process of a call


def _work(
    sender: Any, gigabytes: float, context: CallContext, name: str, arguments: Mapping[str, Any]
) -> None:
    """Send the result of a tool, or why it was refused."""
    os.setsid()
    os.dup2(2, 1)
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    limit = int(gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    last = 0.0

    def report(fraction: float) -> None:
        nonlocal last
        if fraction >= 1 or time.monotonic() - last >= _PAUSE:
            last = time.monotonic()
            sender.send(("progress", fraction))

    try:
        with watched(report):
            sender.send(("result", call(context, name, arguments)))
    except MemoryError:
        told = f"needs more than the {gigabytes:g} GB of memory that a call may use; request less"
        sender.send(("refused", f"{told}, or start the server with a higher --gigabytes"))
    except (ValueError, OSError, MissingExtraError) as error:
        sender.send(("refused", message(error)))
    except Exception as error:
        sys.stderr.writelines(f"{label(line)}\n" for line in traceback.format_exc().splitlines())
        kind = type(error).__name__
        told = f"an internal error, shown on the server's stderr ({kind}); report it"
        sender.send(("refused", told))


def _end_with_the_server() -> None:
    """End this process, and those that it has started, when the server ends, even if killed."""
    parent = multiprocessing.parent_process()
    connection.wait([parent.sentinel] if parent else [])
    os.killpg(0, signal.SIGKILL)


# A value that a message quotes, as in "field 'a' is 'Paris' (str); expected float".
_QUOTED = re.compile(
    r"""\b(is|state|but|query) (?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\[{(].*[\]})])"""
    r"(?= \(\w+\)|; |, which | has no | \.\.\.|$)"
)


def message(error: Exception) -> str:
    """Return the message of an error, as one line.

    Values from files are not quoted, since a path may lead to any file below the root.
    """
    text = error.problem if isinstance(error, LineError) else str(error)
    if not isinstance(error, OptionError | ToolError):  # which quote only arguments of the caller
        text = _QUOTED.sub(r"\1 a value", text)
    if isinstance(error, OSError) and error.filename:
        text = f"{error.filename}: {error.strerror}"
    return message_line(text)
