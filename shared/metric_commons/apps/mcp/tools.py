"""The tools: their functions, and their arguments and results as clients see them."""

import inspect
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...data.files.access import limited_to
from ...data.files.stored import to_jsonable
from ...module.catalog.request import DEFAULTS, HELP, annotations
from ...module.declaration.declarations import arguments
from ...statistics.arguments.checks import nearest
from ...statistics.arguments.domains import check_option, describe, schema
from ...statistics.resampling.progress import watched
from . import file_tools
from .roots import CallContext, ServerResamples
from .ultrarag_tools import build, evaluate, evaluate_trec, evaluate_trec_pvalue
from .workers import Progress


@dataclass(frozen=True)
class ToolSchema:
    """A function that clients may call by name.

    Its keyword-only parameters are the arguments; their annotations define the valid values, and
    the Args section of its docstring describes them.

    Args:
        function: the implementation.
        output: the JSON Schema of its return value.
        read_only: whether it never writes a file.
        request: additional arguments, which are fields of a request.
    """

    function: Callable[..., Mapping[str, Any]]
    output: Mapping[str, Any]
    read_only: bool = False
    request: Sequence[str] = ()

    @property
    def name(self) -> str:
        """Return the name of the function."""
        return self.function.__name__

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """Return the arguments by name."""
        parameters = inspect.signature(self.function, eval_str=True).parameters
        return {name: p for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY} | {
            name: inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=DEFAULTS[name],
                annotation={**annotations(), "n_resamples": ServerResamples}[name],
            )
            for name in self.request
        }

    @cached_property
    def help(self) -> dict[str, str]:
        """Return the description of each argument."""
        return {**HELP, **arguments(inspect.getdoc(self.function) or "")}

    def description(self) -> dict[str, Any]:
        """Return the tool as the protocol describes it."""
        text = (inspect.getdoc(self.function) or "").partition("\n\nArgs:")[0]
        required = [name for name, p in self.parameters.items() if p.default is p.empty]
        return {
            "name": self.name,
            "description": text,
            "inputSchema": {
                "type": "object",
                "properties": {name: self._property(name) for name in self.parameters},
                "required": required,
                "additionalProperties": False,
            },
            "outputSchema": self.output,
            # A call that saves something creates a file with a new name and replaces none.
            "annotations": {
                "readOnlyHint": self.read_only,
                "destructiveHint": False,
                "idempotentHint": self.read_only,
                "openWorldHint": False,
            },
        }

    def _property(self, name: str) -> dict[str, Any]:
        parameter = self.parameters[name]
        accepted, about = schema(parameter.annotation), {"description": self.help[name]}
        if parameter.default is None:
            # Omitting it means null. Many clients cannot fill in a choice of types: the inspector
            # sends text for all of them.
            members = [member for member in accepted["anyOf"] if member != {"type": "null"}]
            return (members[0] if len(members) == 1 else {"anyOf": members}) | about
        if parameter.default is not parameter.empty:
            about["default"] = parameter.default
        return accepted | about

    def check(self, values: Mapping[str, Any]) -> None:
        """Check the arguments of a call.

        Raises:
            ValueError: an argument is unknown, missing, or not valid.
        """
        for name in values:
            if name not in self.parameters:
                arguments = ", ".join(self.parameters) or "none"
                hint = nearest(name, self.parameters) or f"; its arguments are {arguments}"
                raise ValueError(f"{self.name} has no argument {name!r}{hint}")
        for name, parameter in self.parameters.items():
            if name in values:
                check_option(name, values[name], parameter.annotation)
            elif parameter.default is parameter.empty:
                accepted = describe(parameter.annotation)
                raise ValueError(
                    f"{self.name} lacks the argument {name!r} ({accepted}): {self.help[name]}"
                )


def call(
    progress: Progress,
    name: str,
    arguments: Mapping[str, Any],
    context: CallContext,
) -> tuple[str, dict[str, Any]]:
    """Run a tool; its result as JSON, and as an object.

    Raises:
        ValueError: an argument or the content of a file is not valid.
        OSError: a file cannot be read or written.
    """
    os.chdir(context.roots.first)  # relative paths in saved results start here, too
    with limited_to(context.roots), watched(progress):
        result: Any = to_jsonable(TOOLS[name].function(context, **arguments))
    text = json.dumps(result, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a pair of surrogates, which no message can hold
        text = text.encode("utf-8", "replace").decode()
        result = json.loads(text)
    return text, result


# Schemas of results


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


_TEXT, _TEXT_OR_NULL, _NUMBER = {"type": "string"}, {"type": ["string", "null"]}, {"type": "number"}
_OBJECT, _LIST = {"type": "object"}, {"type": "array"}
_ABOUT = {"saved_to": _TEXT_OR_NULL, "profile": _TEXT, "signature": _TEXT}
_RESULTS = _object(
    format=_TEXT,
    runs=_OBJECT,
    records=_LIST,
    comparisons=_LIST,
    provenance=_OBJECT,
    saved_to=_TEXT_OR_NULL,
)
_COMPARISON = _object(
    A_mean=_NUMBER,
    B_mean=_NUMBER,
    diff=_NUMBER,
    p_value=_NUMBER,
    significant={"type": "boolean"},
)


def _mapping(values: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


TOOLS = {
    tool.name: tool
    for tool in (
        # Scores of rows and their means; the client would check every score.
        ToolSchema(evaluate, _object(eval_res=_OBJECT, **_ABOUT)),
        ToolSchema(evaluate_trec, _object(eval_res=_mapping(_NUMBER), **_ABOUT)),
        ToolSchema(evaluate_trec_pvalue, _object(eval_res=_mapping(_COMPARISON), **_ABOUT)),
        ToolSchema(file_tools.evaluate_file, _RESULTS, request=file_tools.REQUEST_FIELDS),
        ToolSchema(file_tools.compare_files, _RESULTS, request=file_tools.COMPARISON_FIELDS),
        ToolSchema(file_tools.report, _object(saved_to=_TEXT)),
        ToolSchema(
            file_tools.list_modules,
            _object(modules={"type": "array", "items": _object(name=_TEXT, summary=_TEXT)}),
            read_only=True,
        ),
        ToolSchema(
            file_tools.describe_module,
            _object(
                name=_TEXT,
                summary=_TEXT,
                inputs={"type": "array", "items": _TEXT},
                options=_OBJECT,
                card=_TEXT,
            ),
            read_only=True,
        ),
        ToolSchema(build, {"type": "object"}),
    )
}
