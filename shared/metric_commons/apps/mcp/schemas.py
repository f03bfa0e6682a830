"""The arguments of tools, as clients see them: made from signatures and docstrings."""

import inspect
import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...data.files.access import limited_to
from ...data.files.stored import to_jsonable
from ...evaluation.comparison.combined_results import compare
from ...evaluation.scoring.scoring import score
from ...statistics.arguments.checks import alternatives, nearest
from ...statistics.arguments.domains import check_option, describe, schema
from ..console.commands import OF_FILES, CommandOption, options_of
from . import tools
from .tools import CallContext

_TOOLS: Mapping[str, Callable[..., dict[str, Any]]] = {
    tool.__name__: tool
    for tool in (
        tools.evaluate,
        tools.evaluate_trec,
        tools.evaluate_trec_pvalue,
        tools.evaluate_file,
        tools.compare_files,
        tools.report,
        tools.list_modules,
        tools.describe_module,
        tools.build,
    )
}
NAMES = (*_TOOLS,)
# Functions whose further parameters a tool has, and those of them that it has in another form.
_FURTHER: Mapping[str, tuple[Callable[..., Any], Iterable[str]]] = {
    "evaluate_file": (score, ("modules", "data", "predictions", "rows", "jobs")),
    "compare_files": (
        compare,
        ("results", "system", "id", "score", "lower_is_better", "clusters", "missing"),
    ),
}


def parameters(name: str) -> dict[str, CommandOption]:
    """Return the arguments of a tool.

    Raises:
        ValueError: there is no such tool.
    """
    if name not in _TOOLS:
        raise ValueError(f"unknown tool {name!r}{alternatives(name, _TOOLS)}")
    taken = options_of(_TOOLS[name])
    taken.pop("context")
    if name in _FURTHER:
        function, others = _FURTHER[name]
        taken |= {n: o for n, o in options_of(function, OF_FILES).items() if n not in others}
    return taken


def description(name: str) -> dict[str, Any]:
    """Return a tool as the protocol describes it."""
    taken = parameters(name)
    return {
        "name": name,
        "description": (inspect.getdoc(_TOOLS[name]) or "").partition("\n\nArgs:")[0],
        "inputSchema": {
            "type": "object",
            "properties": {
                key: schema(option.annotation) | {"description": option.help}
                for key, option in taken.items()
            },
            "required": [key for key, o in taken.items() if o.default is inspect.Parameter.empty],
            "additionalProperties": False,
        },
    }


def call(context: CallContext, name: str, values: Mapping[str, Any]) -> str:
    """Return the result of a tool as JSON; files are those below the root.

    Raises:
        ValueError: the tool or an argument is unknown, an argument is missing, or it or the content
            of a file is not valid.
        OSError: a file cannot be read or written.
    """
    taken = parameters(name)
    for key in values:
        if key not in taken:
            hint = nearest(key, taken) or f"; its arguments are {', '.join(taken) or 'none'}"
            raise ValueError(f"{name} has no argument {key!r}{hint}")
    for key, option in taken.items():
        if key in values:
            check_option(key, values[key], option.annotation)
        elif option.default is inspect.Parameter.empty:
            accepted = describe(option.annotation)
            raise ValueError(f"{name} lacks the argument {key!r} ({accepted}): {option.help}")
    root = context.root
    os.chdir(root.folder)  # relative paths in saved results start here, too
    with limited_to(root):
        confined = root.confined({key: o.annotation for key, o in taken.items()}, values)
        result = to_jsonable(_TOOLS[name](context, **confined))
    # Half of a pair of surrogates cannot be sent.
    return json.dumps(result, ensure_ascii=False).encode("utf-8", "replace").decode()
