"""The server, with version 1 or version 2 of the library `mcp`."""

import inspect
import os
import signal
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from ...statistics.arguments.checks import alternatives
from .call_process import message
from .roots import CallContext
from .stdio import open_protocol
from .tools import TOOLS, ToolSchema, call
from .workers import Report, ToolRefusedError, Workers

_INSTRUCTIONS = """\
Exact scores of answers and of retrieval runs. evaluate scores answers passed in the call, \
evaluate_file scores answers in files, with any module of list_modules; compare_files compares \
saved results, and report makes a page from one. evaluate_trec and evaluate_trec_pvalue score TREC \
runs. Paths are relative to the folder that the server may use."""

_INTERRUPTED = 130  # the exit status

_IS_FIRST_MAJOR = "on_call_tool" not in inspect.signature(Server).parameters


@dataclass(frozen=True)
class Calls:
    """Answers to calls of tools.

    Args:
        context: of all calls; the tool `build` needs its server folder.
        workers: the processes that do the work.
    """

    context: CallContext
    workers: Workers

    @property
    def tools(self) -> dict[str, ToolSchema]:
        """Return the tools by name."""
        has_folder = self.context.server_folder is not None
        return {name: tool for name, tool in TOOLS.items() if name != "build" or has_folder}

    def listed(self) -> list[types.Tool]:
        """Return the tools, as the protocol describes them."""
        return [types.Tool.model_validate(tool.description()) for tool in self.tools.values()]

    async def answer(
        self, name: str, arguments: Mapping[str, Any], report: Report
    ) -> types.CallToolResult:
        """Return the result of a tool, or the error that ended it."""
        structured = None
        try:
            if name not in self.tools:
                hint = alternatives(name, self.tools)
                raise ValueError(f"unknown tool {name!r}{hint}")
            self.tools[name].check(arguments)
            text, structured = await self.workers.run(
                call, name, arguments, self.context, progress=report
            )
        except ToolRefusedError as error:
            text = str(error)
        except ValueError as error:
            text = message(error)
        result = {"content": [{"type": "text", "text": text}], "isError": structured is None}
        if structured is not None:
            result["structuredContent"] = structured
        return types.CallToolResult.model_validate(result)


def server(calls: Calls) -> "Server[Any]":
    """Return a server that answers these calls."""
    about = {"version": version("metric-commons"), "instructions": _INSTRUCTIONS}
    return _first_major(calls, about) if _IS_FIRST_MAJOR else _second_major(calls, about)


def _first_major(calls: Calls, about: dict[str, Any]) -> "Server[Any]":
    app: Any = Server("metric-commons", **about)

    async def on_list() -> list[types.Tool]:
        return calls.listed()

    async def on_call(name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        context = app.request_context
        token = context.meta.progressToken if context.meta else None

        async def report(fraction: float) -> None:
            if token is not None:
                await context.session.send_progress_notification(token, fraction, 1.0)

        return await calls.answer(name, arguments, report)

    app.list_tools()(on_list)
    app.call_tool(validate_input=False)(on_call)
    return app  # type: ignore[no-any-return]


def _second_major(calls: Calls, about: dict[str, Any]) -> "Server[Any]":
    async def on_list(context: Any, parameters: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=calls.listed())

    async def on_call(context: Any, parameters: Any) -> types.CallToolResult:
        report = partial(context.session.report_progress, total=1.0)
        return await calls.answer(parameters.name, parameters.arguments or {}, report)

    return Server("metric-commons", on_list_tools=on_list, on_call_tool=on_call, **about)


def serve(calls: Calls) -> None:
    """Serve on stdin and stdout; when stdin ends or at an interrupt, all calls are ended."""
    workers, app = calls.workers, server(calls)
    _end_at_an_interrupt(workers)
    requests, answers = open_protocol(at_end=workers.close)
    workers.prepare()

    async def until_the_end() -> None:
        streams: Any = requests, answers
        async with stdio_server(*streams) as (reading, writing):
            await app.run(reading, writing, app.create_initialization_options())

    try:
        anyio.run(until_the_end)
    finally:
        workers.close()


def _end_at_an_interrupt(workers: Workers) -> None:
    """End at an interrupt with 130, although a thread waits for stdin, which nothing can end."""

    def end(*_: object) -> None:
        workers.close()
        os.write(2, b"interrupted\n")
        os._exit(_INTERRUPTED)  # clients see that the streams are closed

    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, end)
