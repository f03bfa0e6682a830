"""The arguments of a tool, from its signature and docstring: schema for clients, and checks."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...module.catalog.request import DEFAULTS, HELP, annotations
from ...module.declaration.declarations import arguments
from ...statistics.arguments.checks import nearest
from ...statistics.arguments.domains import check_option, describe, schema


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
                annotation=annotations()[name],
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
