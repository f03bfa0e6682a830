"""Options, as declared by the signature of `_compute` and described in the class docstring.

The signature declares the name, the default and, by its annotation, the valid values of an option;
the Args section of the class docstring describes it. Checks, help and schemas derive from these.
"""

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from ..numbers.domains import check_option, describe, schema
from ..statistics.summary import Resampling, Uncertainty, summarize

# The functions that `**summary`, `**uncertainty` and `**resampling` in a signature stand for: their
# keyword-only parameters, with their help, become options. Under any other name the annotation is
# the function: `**options: f`.
SHARED: Mapping[str, Callable[..., Any]] = {
    "summary": summarize,
    "uncertainty": Uncertainty,
    "resampling": Resampling,
}


RESULT_FORMAT = "result_format"

_HELP_OF_FORMAT = (
    "the name of a module of `evaluate`, whose inputs, options and result replace those described "
    "here; None for the result below."
)


@dataclass(frozen=True)
class Option:
    """An option of a module."""

    name: str
    default: Any
    annotation: Any
    help: str

    @property
    def accepts(self) -> str:
        """The valid values, in words."""
        return describe(self.annotation)

    @property
    def schema(self) -> dict[str, Any]:
        """The valid values, as JSON Schema."""
        return schema(self.annotation)

    def check(self, value: Any) -> None:
        """Check that it may have this value.

        Raises:
            OptionError: it may not.
        """
        check_option(self.name, value, self.annotation)


def declared_options(compute: Callable[..., Any], docstring: str) -> Mapping[str, Option]:
    r"""The options that a signature and a docstring declare, in signature order.

    >>> def compute(*, predictions, beta: float = 1.0):
    ...     pass
    >>> declared_options(compute, "F.\n\nArgs:\n    predictions: labels.\n    beta: of F.")
    {'beta': Option(name='beta', default=1.0, annotation=<class 'float'>, help='of F.')}
    """
    helps = arguments(docstring)
    options: dict[str, Option] = {}
    for parameter in inspect.signature(compute).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            source = _source(parameter)
            options |= declared_options(source, inspect.getdoc(source) or "")
        elif parameter.kind is parameter.KEYWORD_ONLY and parameter.default is not parameter.empty:
            annotation = parameter.annotation
            options[parameter.name] = Option(
                parameter.name,
                parameter.default,
                Any if annotation is parameter.empty else annotation,
                helps.get(parameter.name, ""),
            )
    return options


def format_option(names: Iterable[str]) -> dict[str, Option]:
    """The option `result_format` with these values, or no option if there are none."""
    values = tuple(names)
    if not values:
        return {}
    annotation = Literal[values] | None  # type: ignore[valid-type] # known only at run time
    return {RESULT_FORMAT: Option(RESULT_FORMAT, None, annotation, _HELP_OF_FORMAT)}


def _source(parameter: inspect.Parameter) -> Callable[..., Any]:
    """The function whose options `**parameter` stands for."""
    source: Callable[..., Any] = SHARED.get(parameter.name, parameter.annotation)
    return source


def spelled_out(
    compute: Callable[..., Any], further: Mapping[str, Option] = MappingProxyType({})
) -> inspect.Signature:
    """The signature of a function, with `**summary` and the like spelled out, and more options."""
    signature = inspect.signature(compute)
    *parameters, final = signature.parameters.values()
    spelled = [final]
    if final.kind is final.VAR_KEYWORD:
        shared = spelled_out(_source(final)).parameters.values()
        spelled = [parameter for parameter in shared if parameter.kind is parameter.KEYWORD_ONLY]
    extras = [
        inspect.Parameter(
            option.name, final.KEYWORD_ONLY, default=option.default, annotation=option.annotation
        )
        for option in further.values()
    ]
    return signature.replace(parameters=[*parameters, *spelled, *extras])


def completed(docstring: str, options: Mapping[str, Option]) -> str:
    r"""The docstring of a class, completed with what its signature says about each option.

    >>> beta = Option("beta", 1.0, float, "of F.")
    >>> print(completed("F.\n\nArgs:\n    predictions: labels.\n    beta: F.\n", {"beta": beta}))
    F.
    <BLANKLINE>
    Args:
        predictions: labels.
        beta (a number; default 1.0): of F.
    """
    text = inspect.cleandoc(docstring)
    head, _, sections = text.partition("\nArgs:\n")
    tail = sections[len(_indented(sections)) :].removeprefix("\n")
    inputs = _entries(_indented(sections), leave_out=options)
    described = [
        textwrap.fill(
            f"{option.name} ({option.accepts}; default {option.default!r}): {option.help}",
            width=96,
            initial_indent=" " * 4,
            subsequent_indent=" " * 8,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for option in options.values()
    ]
    lines = [head, "Args:", *inputs, *described, tail.rstrip()]
    return "\n".join(lines).rstrip("\n")


def _indented(text: str) -> str:
    """The leading lines of a text that are indented."""
    match = re.match(r"(?:[ ].*\n?)*", text)
    return match[0].rstrip("\n") if match else ""


def _entries(lines: str, leave_out: Mapping[str, Option]) -> list[str]:
    """The entries of Args as written, except those of options."""
    entries = re.findall(r"^    \S.*(?:\n {8}.*)*", lines, re.MULTILINE)
    return [entry for entry in entries if re.match(r"\s*(\w+)", entry)[1] not in leave_out]  # type: ignore[index]


def arguments(docstring: str) -> dict[str, str]:
    r"""The description of each argument in the Args section of a docstring, on one line.

    The options that `**summary` stands for are described where they are declared.

    >>> arguments("F1.\n\nArgs:\n    k (int): how\n        many.\n\nReturns:\n    x: y.")
    {'k': 'how many.'}
    """
    lines = section(docstring, "Args").split("\n")
    entries: dict[str, str] = {}
    name = ""
    for line in lines:
        entry = re.match(r"(\*{0,2}\w+)(?: \([^)]*\))?:\s*(.*)", line)
        if entry:
            name = entry[1]
            entries[name] = entry[2]
        elif name and line.strip():
            entries[name] += f" {line.strip()}"
    return {name: text for name, text in entries.items() if not name.startswith("*")}


def section(docstring: str, title: str) -> str:
    r"""The text of one section of a docstring, dedented.

    >>> section("F1.\n\nReturns:\n    a number\n\nExamples:\n    >>> 1", "Returns")
    'a number'
    """
    text = inspect.cleandoc(docstring)
    match = re.search(rf"^{title}:\n((?:[ ].*\n?|\n)*)", text, re.MULTILINE)
    return inspect.cleandoc(match[1]) if match else ""
