"""Configuration files: YAML, checked as a whole before any data is read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.constructor import ConstructorError, SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from ..files.contents import Format
from ..files.stored import refuse_device
from ..numbers.checks import nearest, shown
from ..results.results import FORMATS
from ..scoring.worker_processes import MOST_JOBS
from ..statistics.methods import Method

Model = TypeVar("Model", bound=BaseModel)

_MOST_VALUES = 100_000  # of a configuration


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Fields(_Section):
    """Which fields of the data are what."""

    predictions: str | None = None
    references: str | None = None
    groups: str | None = None
    clusters: str | None = None
    id: str | None = None


class Data(_Section):
    """Where rows come from."""

    path: str | None = None
    format: Format | None = None
    fields: Fields = Fields()
    limit: Annotated[int, Field(ge=1)] | None = None


class System(_Section):
    """Whose predictions: a field, and the file if it is not that of the data."""

    path: str | None = None
    predictions: str | None = None


def _system(value: Any) -> Any:
    """A system of which only the field is given."""
    return {"predictions": value} if isinstance(value, str) else value


def _modules(value: Any) -> Any:
    """Modules as a list, or with options that are left out."""
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return {name: {} for name in value}
    if isinstance(value, dict):
        return {name: {} if options is None else options for name, options in value.items()}
    return value


def _format(value: str) -> str:
    """A form that results can be printed in."""
    if value not in FORMATS:
        listed = ", ".join(map(repr, FORMATS))
        raise ValueError(f"expected one of {listed}{nearest(value, FORMATS)}")
    return value


class Outputs(_Section):
    """Where results go."""

    save: str | None = None
    per_example: str | None = None
    html: str | None = None
    format: Annotated[str, AfterValidator(_format)] = "table"


class Config(_Section):
    """One evaluation."""

    data: Data = Data()
    systems: dict[str, Annotated[System, BeforeValidator(_system)]] = {}
    modules: Annotated[dict[str, dict[str, Any]], BeforeValidator(_modules), Field(min_length=1)]
    preset: str | None = None
    confidence_level: Annotated[float, Field(gt=0, lt=1)] | None = None
    interval: Method = "auto"
    standard_error: bool = False
    n_resamples: Annotated[int, Field(ge=1, le=10_000_000)] = 10_000
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    compare: bool | None = None
    scores: list[str] | None = None
    correction: Literal["holm", "max_t", "bh", "benjamini_hochberg", "none"] = "holm"
    jobs: Annotated[int, Field(ge=1, le=MOST_JOBS)] | None = None
    outputs: Outputs = Outputs()


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
    """Nothing, if the values are not too many once every alias stands for what it names.

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


def validated(kind: type[Model], content: Any, path: Path, above: Sequence[str] = ()) -> Model:
    """The content of a file as a model, or a `ValueError` that names the first key that is wrong.

    `place` are the keys above the content in the file.
    """
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        keys = [str(part) for part in first["loc"] if part != "[key]"]
        raise wrong(path, [*above, *keys], _problem(kind, first, keys)) from None


def wrong(path: Path, above: Sequence[str], problem: str) -> ValueError:
    """What is wrong with a key of a file, as one line."""
    return ValueError(f"{path}: key {'.'.join(above)!r}: {problem}")


def _problem(kind: type[BaseModel], error: Mapping[str, Any], keys: Sequence[str]) -> str:
    match error["type"]:
        case "extra_forbidden":
            keys_here = list(_model_at(kind, keys[:-1]).model_fields)
            hint = nearest(keys[-1], keys_here) or f"; the keys here are {', '.join(keys_here)}"
            return f"there is no such key{hint}"
        case "missing":
            return "is missing"
        case "model_type" | "dict_type":
            return f"expected keys with values, got {error['input']!r}"
        case "value_error":
            return f"{error['msg'].removeprefix('Value error, ')}, got {error['input']!r}"
        case "literal_error":
            value = str(error["input"])
            return f"expected {error['ctx']['expected']}, got {value!r}" + nearest(
                value, [part.strip("'") for part in error["ctx"]["expected"].split("'")[1::2]]
            )
    message = error["msg"].removeprefix("Input ")
    return f"{message[0].lower()}{message[1:]}, got {error['input']!r}"


def _model_at(kind: type[BaseModel], keys: Sequence[str]) -> type[BaseModel]:
    """The model that these keys lead to; names that users choose are passed over."""
    for name in keys:
        if name in kind.model_fields:
            kind = next(_models(kind.model_fields[name].annotation), kind)
    return kind


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)


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
