"""The server: that of the SDK, with a process of its own for each call."""

import json
import multiprocessing
import os
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from multiprocessing import connection, forkserver, resource_tracker
from typing import Any

import anyio
from anyio import to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool

from ...evaluation.results.rendering import label, message_line
from ...module.catalog.usage import MissingExtraError
from .schemas import NAMES, call, description
from .tools import CallContext

_INSTRUCTIONS = """\
Exact scores of answers and of retrieval runs. evaluate scores answers passed in the call, \
evaluate_file scores answers in files, with any module of list_modules; compare_files compares \
saved results, and report makes a page from one. evaluate_trec and evaluate_trec_pvalue score TREC \
runs. Paths are relative to the folder that the server may use."""

_INTERRUPTED = 130  # the exit status
_CALLS = 8  # that run at the same time; further calls wait

# Processes are forked from one that has imported what most calls need.
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(
    [__name__, "metric_commons.evaluation.scoring.scoring", "scipy.special"]
)


def serve(context: CallContext) -> None:
    """Serve on stdin and stdout until stdin ends; calls end with the server."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _end)
    app = server(context)

    async def until_the_end() -> None:
        # All other output of this process and of calls goes to stderr.
        async with stdio_server() as (requests, answers):
            _start_the_forkserver()
            await app.run(requests, answers, app.create_initialization_options())

    try:
        anyio.run(until_the_end)
    except* BrokenPipeError:  # the client has gone, and reads no more answers
        pass


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


def server(context: CallContext) -> "Server[Any]":
    """Return a server that answers calls of the tools."""
    names = [name for name in NAMES if context.server_folder or name != "build"]
    waiting = anyio.Semaphore(_CALLS)

    async def on_list(_: Any, __: Any) -> ListToolsResult:
        return ListToolsResult(tools=[Tool.model_validate(description(name)) for name in names])

    async def on_call(_: Any, request: Any) -> CallToolResult:
        async with waiting:
            text, is_error = await answer(context, request.name, request.arguments or {})
        return CallToolResult(
            content=[TextContent(type="text", text=text)],
            structured_content=None if is_error else json.loads(text),
            is_error=is_error,
        )

    return Server(
        "metric-commons",
        version=version("metric-commons"),
        instructions=_INSTRUCTIONS,
        on_list_tools=on_list,
        on_call_tool=on_call,
    )


async def answer(context: CallContext, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
    """Return the result of a call, or why there is none, and whether that is so.

    It is made by a process that is killed when this is cancelled.
    """
    receiver, sender = _processes.Pipe(duplex=False)
    process = _processes.Process(target=_work, args=(sender, context, name, arguments))
    try:
        await to_thread.run_sync(process.start)
        sender.close()
        with anyio.fail_after(context.seconds):
            await anyio.wait_readable(receiver.fileno())
            text, is_error = receiver.recv()
            return text, is_error
    except TimeoutError:
        return (
            f"took longer than {context.seconds:g} seconds and was stopped; request less, or start "
            "the server with a higher --seconds"
        ), True
    except (EOFError, ConnectionError):
        return (
            "the process of this call was killed, perhaps because it ran out of memory, of which "
            f"it may use {context.gigabytes:g} GB; try again, or request less"
        ), True
    finally:
        for kill in (process.kill, lambda: os.killpg(process.pid or 0, signal.SIGKILL)):
            with suppress(ProcessLookupError, AttributeError):
                kill()
        receiver.close()
        if process.pid is not None:
            process.join()
            process.close()  # with its files


# In the process of a call


def _work(sender: Any, context: CallContext, name: str, arguments: Mapping[str, Any]) -> None:
    """Send the result of a tool, or why there is none, and whether that is so."""
    os.setsid()
    os.dup2(2, 1)
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    size = int(context.gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))
    try:
        sender.send((call(context, name, arguments), False))
    except MemoryError:
        limit = f"the {context.gigabytes:g} GB of memory that a call may use (--gigabytes)"
        sender.send((f"needs more than {limit}; request less", True))
    except (ValueError, OSError, MissingExtraError) as error:
        sender.send((message(error), True))
    except Exception as error:
        sys.stderr.writelines(f"{label(line)}\n" for line in traceback.format_exc().splitlines())
        kind = type(error).__name__
        sender.send((f"an internal error, shown on the server's stderr ({kind}); report it", True))


def _end_with_the_server() -> None:
    """End this process, and those that it has started, when the server ends, even if killed."""
    parent = multiprocessing.parent_process()
    connection.wait([parent.sentinel] if parent else [])
    os.killpg(0, signal.SIGKILL)


def message(error: Exception) -> str:
    """Return the message of an error, as one line."""
    if isinstance(error, OSError) and error.filename:
        return message_line(f"{error.filename}: {error.strerror}")
    return message_line(str(error))
