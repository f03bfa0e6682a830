"""Declarations of tools, in OpenAI's form or in BFCL's: names, parameters, defaults."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar

from ..statistics.arguments.checks import OptionError
from ..statistics.arguments.domains import PerRow
from .json_texts import InvalidJsonError, read_json

T = TypeVar("T")
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
    if tools is None:
        return [{}] * rows
    if not any(isinstance(item, list | tuple | str) for item in tools):
        return [toolbox(tools, "tools")] * rows
    return prepared("tools", "lists", tools, rows, toolbox)


def prepared(
    option: str, items: str, values: Sequence[Any], rows: int, prepare: Callable[[Any, str], T]
) -> list[T]:
    """Return what is prepared of the value of each row, once if rows share it.

    Args:
        option: the name of the option.
        items: what its values are, in error messages.
        values: one for each row.
        rows: the number of rows.
        prepare: prepares a value; its second argument is its name in error messages.

    Raises:
        OptionError: there is not one value for each row.
    """
    if rows and len(values) != rows:
        raise OptionError(option, f"has {len(values)} {items} for {rows} rows")
    unique: dict[int | str, T] = {}
    keys = [value if isinstance(value, str) else id(value) for value in values]
    for row, key in enumerate(keys):
        if key not in unique:
            unique[key] = prepare(values[row], f"{option}[{row}]")
    return [unique[key] for key in keys]


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
        is_object = isinstance(parameters, Mapping)
        properties = (is_object and parameters.get("properties")) or {}
        required = (is_object and parameters.get("required")) or []
        is_object &= isinstance(properties, Mapping) and isinstance(required, list | tuple)
        if not is_object or not all(isinstance(item, Mapping) for item in properties.values()):
            problem = "has parameters that are not an object with properties and required names"
            raise OptionError(name, problem)
        box[declaration["name"]] = DeclaredTool(properties, list(required))
    return box
