"""Configuration files: YAML, checked as a whole before any data is read."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from ruamel.yaml import YAML
from ruamel.yaml.constructor import ConstructorError, SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from ..files.contents import Format
from ..files.stored import refuse_device
from ..numbers.checks import OptionError, nearest, shown
from ..numbers.domains import Count, Jobs, OneOf, check_option
from ..results.results import FORMATS
from ..scoring.request import Reporting

Kind = TypeVar("Kind")

_MOST_VALUES = 100_000  # of a configuration


@dataclass(frozen=True)
class Fields:
    """Which fields of the data are what."""

    predictions: str | None = None
    references: str | None = None
    groups: str | None = None
    clusters: str | None = None
    id: str | None = None


@dataclass(frozen=True)
class Data:
    """Where rows come from."""

    path: str | None = None
    format: Format | None = None
    fields: Fields = Fields()
    limit: Count | None = None


@dataclass(frozen=True)
class System:
    """Whose predictions: a field, and the file if it is not that of the data."""

    path: str | None = None
    predictions: str | None = None


@dataclass(frozen=True)
class Outputs:
    """Where results go."""

    save: str | None = None
    per_example: str | None = None
    html: str | None = None
    format: Annotated[str, OneOf(FORMATS)] = "table"


@dataclass(frozen=True, kw_only=True)
class _Inputs:
    """What is scored."""

    data: Data = Data()
    systems: Mapping[str, System] = field(default_factory=dict)
    modules: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Config(Reporting, _Inputs):
    """One evaluation. The keys of `Reporting` stand at the top of the file."""

    compare: bool | None = None  # type: ignore[assignment]  # None for systems that can be compared
    correction: Literal["holm", "max_t", "bh", "benjamini_hochberg", "none"] = "holm"  # type: ignore[assignment]
    jobs: Jobs | None = None
    outputs: Outputs = Outputs()


def written_out(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a configuration file without its short forms.

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
class Document:
    """What a YAML file says."""

    content: dict[str, Any]
    repeated: list[tuple[str, int]]  # keys that one mapping has again, and in which line


class _Constructor(SafeConstructor):
    """Of a key that a mapping has again the last value counts, and the key is noted.

    What a value cannot be, such as the 13th month, is an error that has its line.
    """

    repeated: list[tuple[str, int]]

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        """The value of a node."""
        try:
            return super().construct_object(node, deep)
        except _NO_VALUES as error:
            kind = str(node.tag).rpartition(":")[2]
            raise ConstructorError(
                None, None, f"{shown(node.value, 80)} is no {kind}", node.start_mark
            ) from error

    def check_mapping_key(
        self, node: Any, key_node: Any, mapping: Any, key: Any, value: Any
    ) -> bool:
        """Whether the value counts: always."""
        if key in mapping:
            self.repeated.append((str(key), key_node.start_mark.line + 1))
        return True


def read(path: Path) -> Document:
    """What a YAML file says.

    Raises:
        ValueError: it is not YAML, or no mapping.
        OSError: the file cannot be read.
    """
    repeated: list[tuple[str, int]] = []
    reader = YAML(typ="safe", pure=True)
    reader.Constructor = type("Constructor", (_Constructor,), {"repeated": repeated})
    refuse_device(path)
    try:
        content = reader.load(path.read_text("utf-8"))
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
    return Document(content, sorted(repeated, key=lambda key_and_line: key_and_line[1]))


def _check_size(content: Any) -> None:
    """Check that the values are not too many once every alias stands for what it names.

    A few lines of aliases of aliases may stand for billions of values. Each list and mapping is
    counted once and remembered.
    """
    sizes: dict[int, int] = {}

    def size(value: Any) -> int:
        if not isinstance(value, dict | list):
            return 1
        if id(value) not in sizes:
            sizes[id(value)] = _MOST_VALUES  # of a value inside itself
            items = value.values() if isinstance(value, dict) else value
            sizes[id(value)] = 1 + sum(map(size, items))
        return sizes[id(value)]

    if size(content) > _MOST_VALUES:
        raise ValueError(f"its aliases stand for more than {_MOST_VALUES:,} values")


def validated(
    kind: type[Kind],
    content: Any,
    path: Path,
    parents: Sequence[str] = (),
    *,
    others_allowed: bool = False,
) -> Kind:
    """A section of a file as an object of a dataclass, whose annotations say what values may be.

    Args:
        kind: the dataclass.
        content: of the section.
        path: the file.
        parents: the keys that lead to the section.
        others_allowed: whether there may be keys that the dataclass does not have.

    Raises:
        ValueError: names the first key that is wrong.
    """
    if not isinstance(content, dict):
        raise wrong(path, parents, f"expected keys with values, got {content!r}")
    items: dict[str, Any] = {item.name: item for item in fields(kind)}  # type: ignore[arg-type]
    for key in content:
        if key not in items and not others_allowed:
            hint = nearest(str(key), items) or f"; the keys here are {', '.join(items)}"
            raise wrong(path, [*parents, str(key)], f"there is no such key{hint}")
    annotations = get_type_hints(kind, include_extras=True)
    values = {}
    for name, item in items.items():
        keys = [*parents, name]
        if name in content:
            values[name] = _value(annotations[name], content[name], path, keys, others_allowed)
        elif item.default is MISSING and item.default_factory is MISSING:
            raise wrong(path, keys, "is missing")
    return kind(**values)


def _value(
    annotation: Any, value: Any, path: Path, keys: Sequence[str], others_allowed: bool
) -> Any:
    """The value of a key, checked by its annotation."""
    if is_dataclass(annotation):
        kind: Any = annotation
        return validated(kind, value, path, keys, others_allowed=others_allowed)
    if get_origin(annotation) is Mapping:
        if not isinstance(value, dict):
            raise wrong(path, keys, f"expected keys with values, got {value!r}")
        for name in value:
            if not isinstance(name, str):
                raise wrong(path, [*keys, str(name)], f"the key must be a string, got {name!r}")
        _, of_items = get_args(annotation)
        return {
            name: _value(of_items, item, path, [*keys, name], others_allowed)
            for name, item in value.items()
        }
    try:
        check_option(keys[-1], value, annotation)
    except OptionError as error:
        raise wrong(path, keys, error.problem) from error
    return value


def in_order_of_keys(kind: Any, content: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a section in the order in which its dataclass has the keys."""
    return {
        item.name: (
            in_order_of_keys(type(item.default), content[item.name])
            if is_dataclass(item.default)
            else content[item.name]
        )
        for item in fields(kind)
        if item.name in content
    }


def wrong(path: Path, parents: Sequence[str], problem: str) -> ValueError:
    """The error about a key of a file, as one line."""
    return ValueError(f"{path}: key {'.'.join(parents)!r}: {problem}")


# What `init` writes. It runs as it is where the examples are.
EXAMPLE = """\
# One evaluation:  metric-commons run FILE
# Paths start at the folder in which the command runs. Every key but `modules` may be left out.

data:
  path: examples/capitals.jsonl   # .jsonl, .json, .csv, .tsv or .parquet; all but the last also .gz
  # format: jsonl                 # if the name does not say it
  # limit: 1000                   # only the first rows
  fields:                         # which field of a row is what; a.b is b inside a
    references: answers
    groups: topic                 # the rows of each label are also scored apart
    id: question                  # which row it is: files must agree on it, and the page shows it

# Each system has a name, and the field of its predictions. One with a file of its own is written
#   cirrus: {path: runs/cirrus.jsonl, predictions: answer}
# Without data.path every file also holds the references, which then must agree row by row.
systems:
  atlas: atlas
  borealis: borealis

modules:                          # as `metric-commons list` has them, with their options
  qa_em:
  qa_f1: {both_empty: 0}
  substring_recall: {match: tokens}

# preset: ultrarag                # a community's options, as `metric-commons presets` shows them
confidence_level: 0.95            # of the intervals; without it there are none
interval: auto                    # how they are made; auto suits the method to each score
n_resamples: 10000                # where something is resampled
seed: 0                           # the same seed gives the same numbers

compare: true                     # every two systems, by permutation tests
# scores: [qa_f1, qa_recall]      # which are compared; without it the main score of each module
correction: holm                  # over all comparisons; or max_t, benjamini_hochberg (bh), none
# jobs: 4                         # processes; without it one for small files, else all cores

outputs:
  format: table                   # or json, markdown, latex, csv, html: what is printed
  save: build/capitals.json       # the whole result
  per_example: build/capitals_rows.jsonl   # the scores of every row
  html: build/capitals.html       # a page with pictures, differences, groups and examples
"""
