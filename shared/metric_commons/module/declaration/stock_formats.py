"""Results as the modules of `evaluate` return them: `result_format="glue/mrpc"`.

A script lists the stock modules that it can replace in `stock_formats`: for each name, or name and
configuration, the function that computes the result. Its signature is that of the stock module:
parameters without a default are the inputs, with the shapes of their rows as annotations; those
with a default are the options. The docstring describes the result and, under Differences, how it
differs from that of the stock module.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from inspect import Parameter, getdoc, signature
from itertools import product
from typing import Any, get_args, get_type_hints

from ...statistics.arguments.checks import nearest
from ...statistics.arguments.shapes import Shape
from .columns import Layout
from .declarations import Option, declared_options, format_option, section


@dataclass(frozen=True)
class StockFormat:
    """A stock module, as the signature of the function in its place declares it.

    >>> def r_squared(*, predictions, references, digits: int = 3):
    ...     pass
    >>> stock = StockFormat("r_squared", r_squared)
    >>> stock.input_names, list(stock.options)
    (['predictions', 'references'], ['result_format', 'digits'])
    """

    name: str
    compute: Callable[..., Any]

    @cached_property
    def options(self) -> Mapping[str, Option]:
        """Return the options of the stock module, and `result_format` itself."""
        declared = declared_options(self.compute, getdoc(self.compute) or "")
        return {**format_option([self.name]), **declared}

    @cached_property
    def input_names(self) -> list[str]:
        """Return the names of the inputs, in order."""
        return [
            name
            for name, parameter in signature(self.compute).parameters.items()
            if parameter.default is Parameter.empty
        ]

    @cached_property
    def layouts(self) -> list[Layout]:
        """Return the layouts of the inputs: their shapes in all combinations."""
        hints = get_type_hints(self.compute, include_extras=True)
        shapes: list[tuple[Shape, ...]] = [get_args(hints[name])[1:] for name in self.input_names]
        return [
            dict(zip(self.input_names, combination, strict=True))
            for combination in product(*shapes)
        ]

    @property
    def differences(self) -> str:
        """Return the differences from the result of the stock module, in words."""
        return " ".join(section(getdoc(self.compute) or "", "Differences").split())


@cache
def stock_format(name: str, compute: Callable[..., Any]) -> StockFormat:
    """Return the stock module of this name, made once, since its layouts take some time."""
    return StockFormat(name, compute)


def configured_format(formats: Mapping[str, Callable[..., Any]], configuration: str) -> str:
    """Return the format with this name, or with this name after the slash.

    Of several such formats it is the first: `rte` is a task of GLUE.

    Raises:
        ValueError: no format has this name.

    >>> configured_format({"glue/rte": print, "super_glue/rte": print}, "rte")
    'glue/rte'
    """
    if configuration in formats:
        return configuration
    for name in formats:
        if name.partition("/")[2] == configuration:
            return name
    hint = nearest(configuration, formats)
    raise ValueError(f"there is no configuration {configuration!r}{hint}; pass options by name")
