"""Files in YAML."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from ...data.files.access import read_file
from ...data.files.stored import refuse_device

# What the constructor of an impossible value, such as a 13th month, may raise.
_NO_VALUES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, YAMLError)


@dataclass(frozen=True)
class ConfigDocument:
    """The content of a YAML file."""

    content: dict[str, Any]
    repeated: list[tuple[str, int]]  # keys repeated in a mapping, and their lines


class _Constructor(SafeConstructor):
    """A constructor that notes repeated keys of a mapping, whose last value counts."""

    repeated: list[tuple[str, int]]

    def check_mapping_key(
        self, node: Any, key_node: Any, mapping: Any, key: Any, value: Any
    ) -> bool:
        """Return whether to use the value: always."""
        if key in mapping:
            self.repeated.append((str(key), key_node.start_mark.line + 1))
        return True


def read(path: Path) -> ConfigDocument:
    """Read a YAML file.

    Raises:
        ValueError: it is not YAML, or not a mapping.
        OSError: the file cannot be read.
    """
    repeated: list[tuple[str, int]] = []
    reader = YAML(typ="safe", pure=True)
    reader.Constructor = type("Constructor", (_Constructor,), {"repeated": repeated})
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
    return ConfigDocument(content, sorted(repeated, key=lambda key_and_line: key_and_line[1]))


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
