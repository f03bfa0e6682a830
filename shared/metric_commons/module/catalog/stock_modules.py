"""The modules of `evaluate` whose place ours can take, as our scripts declare it."""

from functools import cache
from typing import NamedTuple

from ..declaration.stock_formats import stock_format
from .catalog import load_without_evaluate, names


class Replacement(NamedTuple):
    """A stock module, perhaps with a configuration, and what to load in its place."""

    stock: str
    configuration: str | None
    module: str  # ours
    result_format: str
    differences: str  # between the results, in words; empty if there are none


@cache
def replacements() -> tuple[Replacement, ...]:
    """Return all stock modules that can be replaced, sorted by name.

    >>> [entry.module for entry in replacements() if entry.stock == "rouge"]
    ['rouge_n_l']
    """
    entries = []
    for module in names():
        for name, compute in load_without_evaluate(module).stock_formats.items():
            stock, _, configuration = name.partition("/")
            differences = stock_format(name, compute).differences
            entries.append(Replacement(stock, configuration or None, module, name, differences))
    return tuple(sorted(entries, key=lambda entry: entry.result_format))


def replacement(stock: str, configuration: str | None = None) -> Replacement | None:
    """Return the replacement of a stock module; None if none of our modules can take its place.

    Configurations that only describe the inputs, such as "multilabel", make no difference.

    >>> replacement("glue", "stsb").module, replacement("f1", "multilabel").result_format
    ('regression', 'f1')
    >>> replacement("comet") is None
    True
    """
    by_name = {(entry.stock, entry.configuration): entry for entry in replacements()}
    return by_name.get((stock, configuration)) or by_name.get((stock, None))
