"""`metric-commons run`: an evaluation described in a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...module.catalog.usage import UsageError
from ...statistics.arguments.checks import OptionError, nearest
from ..console.commands import CommandOption, options_of
from ..console.outputs import WithRows, deliver


def run(file: Path, *, how: WithRows = WithRows()) -> int:  # noqa: B008
    """Run an evaluation that is described in a YAML file.

    metric-commons run examples/capitals.yaml

    Its keys are the parameters of `metric_commons.score`, and save, rows, sort, format and others
    of the command `score`. Paths in it are relative to the working directory. A parameter file of
    UltraRAG gives the scores of its evaluation server; sections for other servers are ignored.

    Args:
        file: A file like examples/capitals.yaml, or a parameter file of UltraRAG.
        how: How results are printed and saved, instead of what the file says.
    """
    from ..console import config  # imports a parser of YAML
    from . import ultrarag
    from .app import spec_of

    scoring = spec_of("score")
    content = config.read(file)
    changed = {n: v for n, v in vars(how).items() if v != vars(WithRows())[n]}
    if ultrarag.is_parameters(content):
        for name in changed:
            raise OptionError(name, "does not apply to a parameter file of UltraRAG")
        ultrarag.run(file, content)
        return 0
    taken = options_of(scoring.function, scoring.kinds)
    shown = options_of(WithRows)
    values = _values(file, content, {**taken, **shown}) | changed
    how = WithRows(**{name: values.pop(name) for name in shown})
    values["words"] = [*_listed(values.pop("modules")), *_listed(values.pop("data"))]
    try:
        return deliver(scoring, values, how)
    except (UsageError, OptionError) as error:
        raise ValueError(f"{file}: {error}") from error  # the file is wrong


def _values(
    file: Path, content: Mapping[str, Any], taken: Mapping[str, CommandOption]
) -> dict[str, Any]:
    """Return the values of all keys; errors name the key.

    Raises:
        ValueError: a key is unknown or missing, or its value is not valid.
    """
    from ..console.config import key_error

    keys = {"format" if name == "format_name" else name: name for name in taken}
    for key in ("modules", "data"):
        if not content.get(key):
            raise key_error(file, [key], "is missing")
    values = {name: parameter.default for name, parameter in taken.items()}
    values["jobs"] = None
    for key, value in content.items():
        if key not in keys:
            hint = nearest(str(key), keys) or f"; the keys are {', '.join(keys)}"
            raise key_error(file, [str(key)], f"unknown key{hint}")
        parameter = taken[keys[key]]
        try:
            values[parameter.name] = parameter.of_key(value)
        except OptionError as error:
            raise key_error(file, [key], error.problem) from error
    return values


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def run_words(values: dict[str, Any], how: WithRows) -> int:
    """Run the file that is named."""
    return run(**values, how=how)
