"""Files in YAML."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from ...data.files.access import read_file
from ...data.files.stored import refuse_device
from ...module.catalog.usage import note

# What the constructor of an impossible value, such as a 13th month, may raise.
_NO_VALUES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, YAMLError)


class _Constructor(SafeConstructor):
    """A constructor for which the last value of a repeated key counts, with a note."""

    def check_mapping_key(
        self, node: Any, key_node: Any, mapping: Any, key: Any, value: Any
    ) -> bool:
        """Return whether to use the value: always."""
        if key in mapping:
            line = key_node.start_mark.line + 1
            note(f"key {key!r} is repeated in line {line}; the last one counts")
        return True


def read(path: Path) -> dict[str, Any]:
    """Read a YAML file.

    Raises:
        ValueError: it is not YAML, or not a mapping.
        OSError: the file cannot be read.
    """
    reader = YAML(typ="safe", pure=True)
    reader.Constructor = _Constructor
    refuse_device(path)
    try:
        content = reader.load(read_file(path).decode())
    except MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise ValueError(f"{path}: {line}{error.problem}") from error
    except RecursionError as error:
        raise ValueError(f"{path}: values are nested too deeply") from error
    except _NO_VALUES as error:
        raise ValueError(f"{path}: {error}") from error
    if not isinstance(content, dict):
        raise ValueError(f"{path}: expected keys with values, got {type(content).__name__}")
    return content


def as_yaml(content: Any) -> str:
    """Return the text of a YAML file, with the keys in their order.

    >>> print(as_yaml({"scores": [0.5], "model": None}), end="")
    scores:
    - 0.5
    model: null
    """
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.width = 10_000  # so that a signature stays on one line
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    text = io.StringIO()
    writer.dump(content, text)
    return text.getvalue()


def key_error(path: Path, parents: Sequence[str], problem: str) -> ValueError:
    """Return an error about a key of a file, on one line."""
    return ValueError(f"{path}: key {'.'.join(parents)!r}: {problem}")
