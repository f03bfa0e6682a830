"""The arguments of tools, as clients see them: made from signatures and docstrings."""

import inspect
import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from ...data.files.access import limited_to
from ...data.files.stored import to_jsonable
from ...module.catalog.request import DEFAULTS, HELP, annotations
from ...module.declaration.declarations import arguments
from ...statistics.arguments.checks import alternatives, nearest
from ...statistics.arguments.domains import check_option, describe, schema
from . import tools
from .tools import CallContext

Parameters = Mapping[str, inspect.Parameter]

# Parameters that a tool passes on as they are.
_SCORED = [name for name in DEFAULTS if name not in ("modules", "ids", "rows", "jobs")]
_COMPARED = ["scores", "correction", "assume", "bounds"]
TOOLS: Mapping[Callable[..., dict[str, Any]], list[str]] = {
    tools.evaluate: [],
    tools.evaluate_trec: [],
    tools.evaluate_trec_pvalue: [],
    tools.evaluate_file: _SCORED,
    tools.compare_files: _COMPARED,
    tools.report: [],
    tools.list_modules: [],
    tools.describe_module: [],
    tools.build: [],
}
_NAMED = {tool.__name__: tool for tool in TOOLS}


def parameters(name: str) -> Parameters:
    """Return the arguments of a tool.

    Raises:
        ValueError: there is no such tool.
    """
    if name not in _NAMED:
        raise ValueError(f"unknown tool {name!r}{alternatives(name, _NAMED)}")
    named = inspect.signature(_NAMED[name], eval_str=True).parameters
    kind = inspect.Parameter.KEYWORD_ONLY
    return {key: p for key, p in named.items() if p.kind is kind} | {
        key: inspect.Parameter(key, kind, default=DEFAULTS[key], annotation=annotations()[key])
        for key in TOOLS[_NAMED[name]]
    }


def description(name: str) -> dict[str, Any]:
    """Return a tool as the protocol describes it."""
    taken, texts = parameters(name), _texts(name)
    is_read_only = name in ("list_modules", "describe_module")
    return {
        "name": name,
        "description": (inspect.getdoc(_NAMED[name]) or "").partition("\n\nArgs:")[0],
        "inputSchema": {
            "type": "object",
            "properties": {
                key: _property(p) | {"description": texts[key]} for key, p in taken.items()
            },
            "required": [key for key, p in taken.items() if p.default is p.empty],
            "additionalProperties": False,
        },
        "outputSchema": {"type": "object"},
        # A call that saves something creates a file with a new name and replaces none.
        "annotations": {
            "readOnlyHint": is_read_only,
            "destructiveHint": False,
            "idempotentHint": is_read_only,
            "openWorldHint": False,
        },
    }


def _texts(name: str) -> dict[str, str]:
    return {**HELP, **arguments(inspect.getdoc(_NAMED[name]) or "")}


def _property(parameter: inspect.Parameter) -> dict[str, Any]:
    accepted = schema(parameter.annotation)
    if parameter.default is None:
        # Omitting it means null. Many clients cannot fill in a choice of types: the inspector
        # sends text for all of them.
        members = [member for member in accepted["anyOf"] if member != {"type": "null"}]
        return members[0] if len(members) == 1 else {"anyOf": members}
    if parameter.default is parameter.empty:
        return accepted
    return accepted | {"default": parameter.default}


def check(name: str, values: Mapping[str, Any]) -> None:
    """Check the arguments of a call.

    Raises:
        ValueError: the tool or an argument is unknown, or an argument is missing or not valid.
    """
    taken = parameters(name)
    for key in values:
        if key not in taken:
            hint = nearest(key, taken) or f"; its arguments are {', '.join(taken) or 'none'}"
            raise ValueError(f"{name} has no argument {key!r}{hint}")
    for key, parameter in taken.items():
        if key in values:
            check_option(key, values[key], parameter.annotation)
        elif parameter.default is parameter.empty:
            accepted, text = describe(parameter.annotation), _texts(name)[key]
            raise ValueError(f"{name} lacks the argument {key!r} ({accepted}): {text}")


def call(context: CallContext, name: str, values: Mapping[str, Any]) -> str:
    """Return the result of a tool as JSON; files are those below the root.

    Raises:
        ValueError: an argument or the content of a file is not valid.
        OSError: a file cannot be read or written.
    """
    check(name, values)
    root = context.root
    os.chdir(root.folder)  # relative paths in saved results start here, too
    known = {key: parameter.annotation for key, parameter in parameters(name).items()}
    with limited_to(root):
        result = to_jsonable(_NAMED[name](context, **root.confined(known, values)))
    # Half of a pair of surrogates cannot be sent.
    return json.dumps(result, ensure_ascii=False).encode("utf-8", "replace").decode()
