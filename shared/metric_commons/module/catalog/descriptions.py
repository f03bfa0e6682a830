"""Describe modules: what they measure and take, as their scripts declare it."""

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ..declaration.declarations import Option, arguments, section
from . import catalog


@dataclass(frozen=True)
class Input:
    """An input of a module: the valid types of a row, and its meaning."""

    name: str
    accepts: list[str]
    help: str


@dataclass(frozen=True)
class Description:
    """A module in words.

    >>> description = describe("pass_at_k")
    >>> [option.name for option in description.options][:2]
    ['k', 'measures']
    >>> description.inputs[0].accepts[-1]
    'list of bool'
    """

    name: str
    summary: str
    about: str
    inputs: list[Input]
    options: list[Option]
    results: str
    example: str
    lower_is_better: list[str]
    compiled: str | None = None  # the optional package that makes it faster, and its version

    def to_dict(self) -> dict[str, Any]:
        """As JSON values; each option with its JSON Schema."""
        options = [
            {
                "name": option.name,
                "default": option.default,
                "accepts": option.accepts,
                "help": option.help,
                "schema": option.schema,
            }
            for option in self.options
        ]
        return {
            **vars(self),
            "inputs": [vars(column) for column in self.inputs],
            "options": options,
        }


def describe(name: str) -> Description:
    """Describe a module: what it measures, its inputs, options, results, and an example.

    Raises:
        ValueError: the module is unknown.
    """
    module = catalog.load_without_evaluate(name)
    docstring = module.written_docstring
    help_of_inputs = arguments(docstring)
    return Description(
        name=name,
        summary=catalog.summary(name),
        about=str(module.description).strip(),
        inputs=[
            Input(column, accepted, help_of_inputs.get(column, ""))
            for column, accepted in module.accepted_inputs.items()
        ],
        options=list(module.declared_options.values()),
        results=section(docstring, "Returns"),
        example=section(docstring, "Examples"),
        lower_is_better=sorted(module.lower_is_better),
        compiled=_compiled(module.compiled_package),
    )


def _compiled(package: str | None) -> str | None:
    """Return an optional package with its version, or that it is not installed."""
    if package is None:
        return None
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} is not installed"
