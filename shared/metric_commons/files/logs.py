"""Logs of evaluation harnesses: formats detected by content, and rows with standard columns.

A format is a file in the folder `log_formats`, with

* `FORMAT`, its name;
* `MARKS`, by which the format of a file is detected;
* `read(content)`, which returns the `Log`.

Standard columns are functions of a record, the row as it was logged, so that columns are computed
only on request:

* `id` and `epoch` identify the sample of a row; rows with the same id form one unit;
* `prediction` and `references` are texts; `accepted_answers` are references that may be empty, for
  questions without an answer; `option_scores` and `truth` have a value for each option of a
  multiple-choice question; `predicted` and `label` are classes; `instructions` are IFEval's;
* `message` is the answer with its tool calls, or its text; `reference` is the one reference, a text
  or a value of JSON;
* `logged` is a dictionary of the scores in the log, NaN for samples without one;
* `error` tells whether the sample ended in an error.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import IO, Any, Literal, NamedTuple, Protocol

from ..numbers.checks import nearest
from .json_rows import Row
from .pieces import Pieces
from .read_limits import Limits

PLAIN_ROWS = "rows"  # the format of rows that are not a log
Record = Mapping[str, Any]
Column = Callable[[Record], Any]


@dataclass(frozen=True)
class Content:
    """The content of a file whose format is not known yet."""

    path: Path
    # "lines" of JSON objects, a JSON "document", a "zip" archive, a "parquet" table, "text" lines.
    kind: Literal["lines", "document", "zip", "parquet", "text"]
    first: Any  # the first record, or the names of members or columns
    rows: Iterator[Row]  # of lines, of a document that is a list, and of a table
    document: Any = None
    file: IO[bytes] | None = None  # of an archive
    limits: Limits = field(default_factory=Limits)

    def has(self, *names: str) -> bool:
        """Whether the first record has all these fields."""
        return isinstance(self.first, Mapping) and all(name in self.first for name in names)


@dataclass(frozen=True)
class Marks:
    """The marks by which a format is detected; all of them must hold."""

    kinds: Sequence[str] = ("lines", "document")
    suffixes: Sequence[str] = ()  # alternatives
    fields: Sequence[Sequence[str]] = ()  # of the first record; alternative sets of fields
    further: Callable[[Content], bool] | None = None

    def hold(self, content: Content) -> bool:
        """Whether the content has the marks."""
        return (
            content.kind in self.kinds
            and (not self.suffixes or content.path.suffix in self.suffixes)
            and (not self.fields or any(content.has(*names) for names in self.fields))
            and (self.further is None or self.further(content))
        )


class Means(NamedTuple):
    """Mean scores of a split, from a file without scores of rows."""

    split: str
    scores: Mapping[str, float]
    subsets: Mapping[str, Mapping[str, float]]  # the scores of each subset, if there are several
    about: Mapping[str, Any]  # their origin, for a signature


@dataclass(frozen=True, kw_only=True)
class Log:
    """The rows of a file, with what its format defines about them."""

    format_name: str
    rows: Iterator[Row]
    columns: Mapping[str, Column] = field(default_factory=dict)
    system: str | None = None
    task: str | None = None
    samples: int | None = None  # their number, according to the log
    problem: str | None = None  # why the log may be incomplete, such as a cancelled run
    # What distinguishes rows that must not be mixed, such as splits: a log with several of them is
    # refused until one is chosen with `--filter`, for the key "filter", or with `--where`.
    variants: Mapping[str, Column] = field(default_factory=dict)
    lower_is_better: frozenset[str] = frozenset()
    conventions: Mapping[str, str] = field(default_factory=dict)  # of its metrics, in words
    sidecars: Mapping[str, str] = field(default_factory=dict)  # hashes of other files read
    repeated_ids_allowed: bool = True
    means: Sequence[Means] = ()  # for a format without rows
    has_cells: bool = False  # whether rows are of CSV or TSV, whose values are texts
    pieces: Pieces | None = None  # an alternative to `rows` that is faster


class Format(Protocol):
    """A file in the folder `log_formats`."""

    FORMAT: str
    MARKS: Marks

    def read(self, content: Content) -> Log:
        """The log."""


@cache
def formats() -> dict[str, Any]:
    """The formats by name."""
    package = import_module("..log_formats", __package__)
    stems = sorted(module.name for module in iter_modules(package.__path__))
    modules = [import_module(f".{stem}", package.__name__) for stem in stems]
    return {module.FORMAT: module for module in modules}


def format_named(name: str) -> Any:
    """The format of this name.

    >>> format_named("lm_eval")
    Traceback (most recent call last):
    ValueError: there is no format 'lm_eval'; did you mean 'lm-eval'?
    """
    readers = formats()
    if name not in readers:
        hint = nearest(name, readers) or f"; there are {', '.join(readers)}"
        raise ValueError(f"there is no format {name!r}{hint}")
    return readers[name]


def recognized(content: Content) -> Any:
    """The format whose marks the content has; None if there is none.

    Raises:
        ValueError: the content has the marks of several formats.
    """
    candidates = [module for module in formats().values() if module.MARKS.hold(content)]
    if len(candidates) > 1:
        names = " or ".join(module.FORMAT for module in candidates)
        raise ValueError(f"this may be {names}; choose one with --from")
    return candidates[0] if candidates else None


def numbers_alone(scores: Mapping[str, Any]) -> dict[str, float]:
    """The scores that are numbers.

    >>> numbers_alone({"acc": True, "f1": [1, 0], "note": "x"})
    {'acc': 1.0}
    """
    return {name: float(value) for name, value in scores.items() if isinstance(value, int | float)}


def argmax(values: Sequence[float]) -> int:
    """The index of the largest value, the first in a tie, as in numpy.argmax.

    >>> argmax([0.1, 0.7, 0.7])
    1
    """
    return max(range(len(values)), key=lambda position: (values[position], -position))


def listed(value: Any) -> list[Any]:
    """The value in a list, unless it is a list already.

    >>> listed("a"), listed(["a", "b"])
    (['a'], ['a', 'b'])
    """
    return value if isinstance(value, list) else [value]
