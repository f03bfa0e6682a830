"""Distribute the arguments of a call over several modules: options and columns."""

from collections.abc import Iterable, Mapping
from typing import Any

from ..base.declarations import Module
from ..numbers.checks import nearest

# Options that affect only what is reported beside a score, and how; not the score itself.
OF_INTERVALS = ("confidence_level", "interval", "clusters", "n_resamples", "seed")
OF_SCRIPTS = ("result_format", "signature")  # for scripts written around another module
OF_ROWS = ("explain",)  # texts about single rows, in `per_example`
REPORTING = frozenset(
    {
        *("per_example", "groups", "standard_error", "conventions"),
        *(*OF_ROWS, *OF_SCRIPTS, *OF_INTERVALS),
    }
)


def assign(
    options: Mapping[str, Any], defaults: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """The options of each module, from keys `option` and `module.option`; the longer key wins.

    `defaults` has the defaults of each module. An integer for an option whose default is a float
    becomes a float: the same number, so the same signature.

    >>> known = {
    ...     "qa_em": {"normalizer": "squad"},
    ...     "qa_f1": {"normalizer": "squad", "both_empty": 1.0},
    ... }
    >>> assign({"qa_f1.normalizer": "drop", "normalizer": "lower", "both_empty": 0}, known)
    {'qa_em': {'normalizer': 'lower'}, 'qa_f1': {'normalizer': 'drop', 'both_empty': 0.0}}
    """
    assigned: dict[str, dict[str, Any]] = {module: {} for module in defaults}
    keys: dict[str, list[tuple[str, str]]] = {}
    for module, module_options in defaults.items():
        for option in module_options:
            if is_assignable(option):
                keys.setdefault(option, []).append((module, option))
                keys[f"{module}.{option}"] = [(module, option)]
    for key in sorted(options, key=lambda key: "." in key):
        if key not in keys:
            names = [name for name in keys if "." not in name]
            hint = nearest(key, keys) or f"; the options are {', '.join(names)}"
            raise ValueError(f"there is no option {key!r}{hint}")
        for module, option in keys[key]:
            value = options[key]
            is_whole = type(value) is int and isinstance(defaults[module][option], float)
            assigned[module][option] = float(value) if is_whole else value
    return assigned


def names_of_functions(options: Mapping[str, Any]) -> list[str]:
    """The options that are functions, or lists with one, which cannot be stored in a file.

    >>> names_of_functions({"normalizer": str.lower, "extract": ["boxed", len], "ties": "first"})
    ['normalizer', 'extract']
    """
    return [
        name
        for name, value in options.items()
        if any(map(callable, value if isinstance(value, list | tuple) else [value]))
    ]


def check_supported(options: Iterable[str], metrics: Mapping[str, Module]) -> None:
    """Check that each option belongs to at least one module.

    >>> from types import SimpleNamespace
    >>> check_supported(["k"], {"pass_at_k": SimpleNamespace(options={"k": 1})})
    """
    for option in options:
        if not any(option in metric.options for metric in metrics.values()):
            raise ValueError(
                f"{option} is not an option of any of the modules: {', '.join(metrics)}"
            )


def is_assignable(option: str) -> bool:
    """Whether an option can be set for one of several modules that are scored together.

    >>> is_assignable("normalizer"), is_assignable("explain"), is_assignable("seed")
    (True, True, False)
    """
    return option not in REPORTING or option in OF_ROWS


def texts_of_rows(options: Mapping[str, Any]) -> list[str]:
    """The options among these that ask for texts about single rows.

    >>> texts_of_rows({"explain": True, "rounding": "none"}), texts_of_rows({"explain": False})
    (['explain'], [])
    """
    return [option for option in OF_ROWS if options.get(option)]
