"""`metric-commons run`: an evaluation described in a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...module.catalog.usage import UsageError
from ...statistics.arguments.checks import OptionError, nearest
from ..console.commands import (
    OptionParameter,
    called,
    command,
    is_chosen,
    parameters_of,
    refuse,
)
from ..console.outputs import Presentation
from . import score

_NAMES = {"format": "format_name"}  # of keys whose parameters have other names


def run(
    file: Path,
    *,
    preset: str | None = None,
    sort: str | None = None,
    presentation: Presentation,
) -> None:
    """Run an evaluation that is described in a YAML file.

    metric-commons run examples/capitals.yaml

    Its keys are the parameters of `metric_commons.score`, and save, rows, sort,
    format and others of the command `score`. Paths in it are relative to the
    working directory. A parameter file of UltraRAG gives the scores of its
    evaluation server; sections for other servers are ignored.

    Args:
        file: A file like examples/capitals.yaml, or a parameter file of UltraRAG.
        preset: Options that reproduce another tool, instead of those in the file.
        sort: Sort systems by this score, best first.
    """
    from ..console import config  # imports a parser of YAML
    from . import ultrarag  # imports numpy

    presentation.check()
    document = config.read(file)
    options = {"preset": preset, "sort": sort, **vars(presentation)}
    if ultrarag.is_parameters(document.content):
        refuse(options, "does not apply to a parameter file of UltraRAG")
        ultrarag.run(file, document)
        return
    for key, line in document.repeated:
        raise ValueError(f"{file}: key {key!r}: is repeated in line {line}")
    values = _values(file, content := document.content)
    values |= {name: value for name, value in options.items() if is_chosen(name)}
    words = [*_texts(content.get("modules")), *_texts(content.get("data"))]
    try:
        called(score.score, {**values, "words": words})
    except (UsageError, OptionError) as error:
        raise ValueError(f"{file}: {error}") from error  # the file is wrong


def _values(file: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of all options of `score`; errors name the key.

    Raises:
        ValueError: a key is unknown or missing, or its value is not valid.
    """
    from ..console import config

    taken = {p.name: p for p in parameters_of(score.score, score.ASKED)}
    keys = [
        *("modules", "data", "format"),
        *(n for n in taken if n not in ("words", "format_name")),
    ]
    for key in ("modules", "data"):
        if not content.get(key):
            raise config.key_error(file, [key], "is missing")
    values = {name: parameter.default for name, parameter in taken.items()}
    for key, value in content.items():
        if key not in keys:
            hint = nearest(str(key), keys) or f"; the keys are {', '.join(keys)}"
            raise config.key_error(file, [str(key)], f"unknown key{hint}")
        name = _NAMES.get(key, key)
        if name in taken:
            try:
                values[name] = _value(taken[name], value)
            except OptionError as error:
                raise config.key_error(file, [key], error.problem) from error
    return values


def _value(parameter: OptionParameter, value: Any) -> Any:
    """Return the value of a key as that of an option: one text may stand for a list."""
    if parameter.name == "predictions" and isinstance(value, dict):
        value = [f"{system}={field}" for system, field in value.items()]
    elif parameter.is_repeated and isinstance(value, str):
        value = [value]
    parameter.check(parameter.name, value)
    return Path(value) if Path in parameter.kinds and isinstance(value, str) else value


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(map(str, value or ()))


COMMANDS = {"run": command(run)}
