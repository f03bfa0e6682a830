"""Configuration files: YAML, checked as a whole before any data is read."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from ruamel.yaml import YAML
from ruamel.yaml.constructor import ConstructorError, SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from ...data.files.access import read_file
from ...data.files.stored import refuse_device
from ...data.harness_logs.logs import Format
from ...evaluation.results.results import FORMATS
from ...module.catalog.request import Reporting
from ...statistics.arguments.checks import OptionError, nearest, shown
from ...statistics.arguments.domains import Count, Jobs, OneOf, check_option
from ...statistics.intervals.methods import Correction

Kind = TypeVar("Kind")

_MAX_VALUES = 100_000  # in a configuration


@dataclass(frozen=True)
class Fields:
    """The fields of the data."""

    predictions: str | None = None
    references: str | None = None
    groups: str | None = None
    clusters: str | Sequence[str] | None = None
    id: str | None = None
    columns: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Data:
    """The source of the rows."""

    path: str | None = None
    format: Format | None = None
    fields: Fields = Fields()
    limit: Count | None = None


@dataclass(frozen=True)
class ConfiguredSystem:
    """The source of a system's predictions: a field, and the file if it is not that of the data."""

    path: str | None = None
    predictions: str | None = None


@dataclass(frozen=True)
class ConfiguredOutputs:
    """The destinations of results."""

    save: str | None = None
    rows: str | None = None
    html: str | None = None
    format: Annotated[str, OneOf(FORMATS)] = "table"


@dataclass(frozen=True, kw_only=True)
class Config(Reporting):
    """One evaluation. The keys of `Reporting` are top-level keys of the file."""

    data: Data = Data()
    systems: Mapping[str, ConfiguredSystem] = field(default_factory=dict)
    modules: Mapping[str, Mapping[str, Any]]
    compare: bool | None = None  # type: ignore[assignment]  # None: if they can be compared
    correction: Correction | Literal["bh"] = "bonferroni"  # type: ignore[assignment]
    jobs: Jobs | None = None
    outputs: ConfiguredOutputs = ConfiguredOutputs()


def written_out(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of a configuration file with its short forms written out.

    >>> written_out({"modules": ["qa_em"], "systems": {"a": "answer"}})
    {'modules': {'qa_em': {}}, 'systems': {'a': {'predictions': 'answer'}}}
    """
    full, modules, systems = dict(content), content.get("modules"), content.get("systems")
    if isinstance(modules, list) and all(isinstance(name, str) for name in modules):
        full["modules"] = {name: {} for name in modules}
    elif isinstance(modules, dict):
        full["modules"] = {name: {} if v is None else v for name, v in modules.items()}
    if isinstance(systems, dict):
        full["systems"] = {
            name: {"predictions": value} if isinstance(value, str) else value
            for name, value in systems.items()
        }
    return full


_NO_VALUES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True)
class ConfigDocument:
    """The content of a YAML file."""

    content: dict[str, Any]
    repeated: list[tuple[str, int]]  # keys repeated in a mapping, and their lines


class _Constructor(SafeConstructor):
    """A constructor that notes repeated keys of a mapping, whose last value counts.

    Impossible values, such as a 13th month, are errors with their line.
    """

    repeated: list[tuple[str, int]]

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        """Return the value of a node."""
        try:
            return super().construct_object(node, deep)
        except _NO_VALUES as error:
            kind = str(node.tag).rpartition(":")[2]
            raise ConstructorError(
                None, None, f"{shown(node.value, 80)} is not a valid {kind}", node.start_mark
            ) from error

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
        _check_size(content)
    except MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise ValueError(f"{path}: {line}{error.problem}") from error
    except RecursionError as error:
        raise ValueError(f"{path}: values are nested too deeply") from error
    except (YAMLError, ValueError, OverflowError) as error:
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


def _check_size(content: Any) -> None:
    """Check that there are not too many values once aliases are expanded.

    A few lines of aliases of aliases may expand to billions of values. Each list and mapping is
    counted once and remembered.
    """
    sizes: dict[int, int] = {}

    def size(value: Any) -> int:
        if not isinstance(value, dict | list):
            return 1
        if id(value) not in sizes:
            sizes[id(value)] = _MAX_VALUES  # in case the value contains itself
            items = value.values() if isinstance(value, dict) else value
            sizes[id(value)] = 1 + sum(map(size, items))
        return sizes[id(value)]

    if size(content) > _MAX_VALUES:
        raise ValueError(f"its aliases expand to more than {_MAX_VALUES:,} values")


def validated(
    kind: type[Kind],
    content: Any,
    path: Path,
    parents: Sequence[str] = (),
    *,
    others_allowed: bool = False,
) -> Kind:
    """Return a section of a file as an instance of a dataclass, checked by its annotations.

    Args:
        kind: the dataclass.
        content: the content of the section.
        path: the file.
        parents: the keys that lead to the section.
        others_allowed: whether keys that the dataclass does not have are allowed.

    Raises:
        ValueError: a key or its value is not valid; the message names the first one.
    """
    if not isinstance(content, dict):
        raise key_error(path, parents, f"expected keys with values, got {content!r}")
    items: dict[str, Any] = {item.name: item for item in fields(kind)}  # type: ignore[arg-type]
    for key in content:
        if key not in items and not others_allowed:
            hint = nearest(str(key), items) or f"; the keys here are {', '.join(items)}"
            raise key_error(path, [*parents, str(key)], f"unknown key{hint}")
    annotations = get_type_hints(kind, include_extras=True)
    values = {}
    for name, item in items.items():
        keys = [*parents, name]
        if name in content:
            values[name] = _value(annotations[name], content[name], path, keys, others_allowed)
        elif item.default is MISSING and item.default_factory is MISSING:
            raise key_error(path, keys, "is missing")
    return kind(**values)


def _value(
    annotation: Any, value: Any, path: Path, keys: Sequence[str], others_allowed: bool
) -> Any:
    """Return the value of a key, checked by its annotation."""
    if is_dataclass(annotation):
        kind: Any = annotation
        return validated(kind, value, path, keys, others_allowed=others_allowed)
    if get_origin(annotation) is Mapping:
        if not isinstance(value, dict):
            raise key_error(path, keys, f"expected keys with values, got {value!r}")
        for name in value:
            if not isinstance(name, str):
                raise key_error(path, [*keys, str(name)], f"the key must be a string, got {name!r}")
        _, item_annotation = get_args(annotation)
        return {
            name: _value(item_annotation, item, path, [*keys, name], others_allowed)
            for name, item in value.items()
        }
    try:
        check_option(keys[-1], value, annotation)
    except OptionError as error:
        raise key_error(path, keys, error.problem) from error
    return value


def key_error(path: Path, parents: Sequence[str], problem: str) -> ValueError:
    """Return an error about a key of a file, on one line."""
    return ValueError(f"{path}: key {'.'.join(parents)!r}: {problem}")
