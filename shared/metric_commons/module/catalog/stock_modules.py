"""The modules of `evaluate` that ours can replace, as our scripts declare."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from ..declaration.stock_formats import stock_format
from .catalog import load_without_evaluate, names

_ISOLATED = (
    "Programs run in isolation, so one may fail that passes in the module of evaluate; messages "
    "are ours."
)


class Replacement(NamedTuple):
    """A stock module, perhaps with a configuration, and the module that replaces it."""

    stock: str
    configuration: str | None
    module: str  # ours
    result_format: str
    differences: str  # between the results, in words; empty if there are none
    defaults: Mapping[str, Any] = MappingProxyType({})  # of options that differ from ours
    kind: str = "metric"  # or "comparison"


@cache
def replacements() -> tuple[Replacement, ...]:
    """Return all stock modules that can be replaced, sorted by name.

    >>> [entry.module for entry in replacements() if entry.stock == "rouge"]
    ['rouge_n_l']
    """
    entries = []
    for module in names():
        loaded = load_without_evaluate(module)
        for name, defaults in loaded.own_stock_formats.items():
            entries.append(Replacement(name, None, module, name, _ISOLATED, defaults))
        for name, compute in loaded.stock_formats.items():
            stock, _, configuration = name.partition("/")
            declared = stock_format(name, compute)
            kind = "comparison" if "predictions1" in declared.input_names else "metric"
            entries.append(
                Replacement(
                    stock, configuration or None, module, name, declared.differences, kind=kind
                )
            )
    return tuple(sorted(entries, key=lambda entry: entry.result_format))


def replacement_of(name: str, configuration: str | None = None) -> Replacement | None:
    """Return the replacement of the stock module of this name, which may have its organization.

    Raises:
        ValueError: the stock module has configurations, but not this one.

    >>> replacement_of("evaluate-metric/rouge").module, replacement_of("comet")
    ('rouge_n_l', None)
    """
    name = name.removeprefix("evaluate-metric/").removeprefix("evaluate-comparison/")
    entry = replacement(name, configuration)
    names = [entry.configuration for entry in replacements() if entry.stock == name]
    if entry is None and names:
        listed = ", ".join(filter(None, names))
        raise ValueError(f"{name} has no configuration {configuration!r}; it has {listed}")
    return entry


def replacement(stock: str, configuration: str | None = None) -> Replacement | None:
    """Return the replacement of a stock module; None if there is none.

    Configurations that only describe the inputs, such as "multilabel", make no difference.

    >>> replacement("glue", "stsb").module, replacement("f1", "multilabel").result_format
    ('regression', 'f1')
    >>> replacement("comet") is None
    True
    """
    by_name = {(entry.stock, entry.configuration): entry for entry in replacements()}
    return by_name.get((stock, configuration)) or by_name.get((stock, None))
