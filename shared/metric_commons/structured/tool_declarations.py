"""Declarations of tools, in OpenAI's form or in BFCL's: names, parameters, defaults."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from ..statistics.arguments.checks import OptionError
from ..statistics.arguments.domains import PerRow
from .json_texts import InvalidJsonError, read_json

Tools = Annotated[Sequence[Any], PerRow("list of tools")]


class DeclaredTool(NamedTuple):
    """A declared tool."""

    properties: Mapping[str, Any]  # the schema of each parameter
    required: Sequence[str]


Toolbox = Mapping[str, DeclaredTool]  # tools by their names


def toolboxes(tools: Sequence[Any] | None, rows: int) -> list[Toolbox]:
    """Return the tools of each row.

    Args:
        tools: declarations for all rows, or a list of them for each row; lists may be JSON texts.
        rows: the number of rows.

    Raises:
        OptionError: there is not one list for each row, or a declaration is not valid.

    >>> tools = [{"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}}}]
    >>> list(toolboxes(tools, 2)[1])
    ['f']
    """
    if tools is None or not rows:
        return [{}] * rows
    declared = list(tools)
    if not any(isinstance(item, list | tuple | str) for item in declared):
        return [toolbox(declared, "tools")] * rows
    if len(declared) != rows:
        raise OptionError("tools", f"has {len(declared)} lists for {rows} rows")
    boxes: dict[int, Toolbox] = {}  # rows often share a list
    for row, item in enumerate(declared):
        if id(item) not in boxes:
            boxes[id(item)] = toolbox(item, f"tools[{row}]")
    return [boxes[id(item)] for item in declared]


def toolbox(tools: Any, label: str) -> Toolbox:
    """Return the tools of one list of declarations; `label` names the list in error messages.

    Raises:
        OptionError: a declaration is not valid.
    """
    if isinstance(tools, str):
        try:
            tools = read_json(tools)
        except InvalidJsonError as error:
            raise OptionError(label, str(error)) from None
    if not isinstance(tools, list | tuple):
        raise OptionError(label, "is not a list of tools")
    box: dict[str, DeclaredTool] = {}
    for number, declaration in enumerate(tools):
        name = f"{label}[{number}]"
        if isinstance(declaration, Mapping) and isinstance(declaration.get("function"), Mapping):
            declaration = declaration["function"]
        if not isinstance(declaration, Mapping) or not isinstance(declaration.get("name"), str):
            raise OptionError(name, "is not the declaration of a tool, which has a name")
        parameters = declaration.get("parameters") or {}
        properties = parameters.get("properties") if isinstance(parameters, Mapping) else parameters
        properties = {} if properties is None else properties
        if not isinstance(properties, Mapping):
            raise OptionError(name, "has parameters without an object of properties")
        if not all(isinstance(schema, Mapping) for schema in properties.values()):
            raise OptionError(name, "has a property that is not an object")
        required = parameters.get("required") or []
        if not isinstance(required, list | tuple) or not all(
            isinstance(parameter, str) for parameter in required
        ):
            raise OptionError(name, "has required parameters that are not a list of names")
        box[declaration["name"]] = DeclaredTool(properties, list(required))
    return box
