"""Our modules in place of evaluate's own, in scripts that load these by name."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import signature
from typing import Any

from ...module.catalog.loading import load_replacement
from ...module.catalog.stock_modules import replacement_of, replacements

# Parameters of `evaluate.load` that ours have too; the others are for finding a script.
_OF_MODULES = ("process_id", "num_process", "experiment_id", "keep_in_memory")


@contextmanager
def patch_evaluate() -> Iterator[None]:
    """Let `evaluate.load("glue", "mrpc")` return one of our modules, with the same result.

    This holds for every stock module that one of ours can replace, without a network, until the end
    of the `with` statement; all other names are loaded as usual. A line on stderr says so. No file
    is changed. If a file has imported the name `load` from `evaluate` before, it keeps the old one.
    Options belong into `compute`; like the stock modules, ours ignore those of `evaluate.load`.

    Raises:
        ValueError: in the `with` statement, `evaluate.load` is asked for a configuration that the
            stock module does not have.

    >>> import evaluate
    >>> with patch_evaluate():
    ...     metric = evaluate.load("glue", "mrpc")
    >>> metric.compute(predictions=[0, 1, 1], references=[0, 1, 0])
    {'accuracy': 0.6666666666666666, 'f1': 0.6666666666666666}
    """
    import evaluate  # takes a second, so only on use

    stock_load = evaluate.load
    replacing = _replacing(stock_load)
    holders = [
        module
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] == "evaluate" and vars(module).get("load") is stock_load
    ]
    names = ", ".join(dict.fromkeys(entry.stock for entry in replacements()))
    sys.stderr.write(f"metric-commons: evaluate.load returns our modules for {names}\n")
    for module in holders:
        module.load = replacing  # type: ignore[attr-defined] # it has this name
    try:
        yield
    finally:
        for module in holders:
            module.load = stock_load  # type: ignore[attr-defined]


def _replacing(stock_load: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function like `evaluate.load` that returns our modules where it can."""
    parameters = signature(stock_load)

    @wraps(stock_load)
    def replacing_load(*positional: Any, **settings: Any) -> Any:
        arguments = parameters.bind(*positional, **settings).arguments
        configuration = arguments.get("config_name")
        entry = replacement_of(arguments["path"], configuration)
        if entry is None or arguments.get("module_type") not in (None, entry.kind):
            return stock_load(*positional, **settings)
        of_module = {name: arguments[name] for name in _OF_MODULES if name in arguments}
        is_distributed = arguments.get("num_process", 1) > 1
        if (
            is_distributed and "cache_dir" in arguments
        ):  # through which the processes send their rows
            of_module["cache_dir"] = arguments["cache_dir"]
        # The stock modules take any other option of `load` and any configuration, and ignore them.
        module = load_replacement(entry, configuration, **of_module)
        if is_distributed:
            module.data_dir = module._build_data_dir()  # no other stock module has its files here
        return module

    return replacing_load
