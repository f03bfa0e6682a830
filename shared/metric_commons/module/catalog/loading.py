"""Loading of modules as modules of `evaluate`, also by the names of those that they replace."""

from os import PathLike
from typing import Any

from .catalog import holds_module, is_known, script_of
from .stock_modules import Replacement, replacement_of


def load(name: str | PathLike[str], config_name: str | None = None, **settings: Any) -> Any:
    """Load a module of `evaluate`, by its name or the path of its folder.

    The name of one of evaluate's own modules, such as "rouge", loads the module of ours that
    replaces it, with the same inputs, options and keys; nothing is downloaded. `settings` become
    the defaults of options. A configuration stands for a `result_format`.

    >>> load("qa_f1", normalizer="lower").options["normalizer"]
    'lower'
    >>> load("classification", "mrpc").options
    {'result_format': 'glue/mrpc'}
    >>> load("exact_match").compute(predictions=["a", "b"], references=["a", "c"])
    {'exact_match': 0.5}
    """
    if isinstance(name, str) and not holds_module(name) and not is_known(name):
        entry = replacement_of(name, config_name)
        if entry is not None:
            return load_replacement(entry, config_name, **settings)
    script = script_of(name)
    import evaluate  # takes a second, so only on use

    return evaluate.load(str(script), config_name, **settings)


def load_replacement(entry: Replacement, configuration: str | None = None, **settings: Any) -> Any:
    """Load the module that replaces a stock module, under the name of the latter.

    Evaluators and `combine` name scores after their module, such as the rate of "wer".
    """
    defaults = {"result_format": entry.result_format, **entry.defaults}
    module = load(entry.module, **{**defaults, **settings})
    module.info.module_name = entry.stock
    module.config_name = module.info.config_name = configuration or "default"
    return module
