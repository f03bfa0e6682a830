"""What evaluation harnesses log: formats known by their content, and rows with standard columns.

A format is a file in the folder `log_formats`, with

* `FORM`, its name;
* `recognizes(content)`, whether a file's content has the marks of the format;
* `read(content)`, the `Log`.

Standard columns are functions from a record, the row as it was logged, so that only those columns
are made that somebody asks for:

* `id` and `epoch` say which sample a row is; rows with one id are one unit;
* `prediction` and `references` are texts; `accepted_answers` are references of which there may be
  none, where a question has no answer; `option_scores` and `truth` have a value for each option
  of a multiple choice; `predicted` and `label` are classes;
* `logged` is a dictionary of the scores that the log has, NaN where a sample has none;
* `error` is whether the sample ended in an error.
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
from .pieces import Cut
from .streams import Limits

PLAIN_ROWS = "rows"  # the form of rows that are no log
Record = Mapping[str, Any]
Column = Callable[[Record], Any]


@dataclass(frozen=True)
class Content:
    """What a file holds, before its format is known."""

    path: Path
    # "lines" of JSON objects, a JSON "document", a "zip" archive, a "parquet" table, "text" lines.
    kind: Literal["lines", "document", "zip", "parquet", "text"]
    first: Any  # the first record, or the names of members or columns
    rows: Iterator[Row]  # those of lines, of a document that is a list, and of a table
    document: Any = None
    file: IO[bytes] | None = None  # of an archive
    limits: Limits = field(default_factory=Limits)

    def has(self, *names: str) -> bool:
        """Whether the first record has all these fields."""
        return isinstance(self.first, Mapping) and all(name in self.first for name in names)


class Means(NamedTuple):
    """Scores of all rows of a split, where a file has no scores of rows."""

    split: str
    scores: Mapping[str, float]
    subsets: Mapping[str, Mapping[str, float]]  # the same of each, where there are several
    about: Mapping[str, Any]  # what they are of, for a signature


@dataclass(frozen=True, kw_only=True)
class Log:
    """The rows of a file, and what its format says about them."""

    form: str
    rows: Iterator[Row]
    columns: Mapping[str, Column] = field(default_factory=dict)
    system: str | None = None
    task: str | None = None
    samples: int | None = None  # how many the log says that it has
    problem: str | None = None  # why the log may not be whole, such as a run that was cancelled
    # What tells unlike rows apart, such as splits: a log with several of them is refused until one
    # is chosen with `--filter`, for the key "filter", or with `--where`.
    strata: Mapping[str, Column] = field(default_factory=dict)
    lower_is_better: frozenset[str] = frozenset()
    conventions: Mapping[str, str] = field(default_factory=dict)  # of its metrics, in words
    companions: Mapping[str, str] = field(default_factory=dict)  # files read too, with their hashes
    repeated_ids_allowed: bool = True
    means: Sequence[Means] = ()  # of a format without rows
    has_cells: bool = False  # rows of CSV and TSV, whose values are texts
    pieces: Cut | None = None  # to be read instead of the rows, where that is possible


class Format(Protocol):
    """A file in the folder `log_formats`."""

    FORM: str

    def recognizes(self, content: Content) -> bool:
        """Whether the content has the marks of the format."""

    def read(self, content: Content) -> Log:
        """The log."""


@cache
def formats() -> dict[str, Any]:
    """The formats by their names."""
    package = import_module("..log_formats", __package__)
    stems = sorted(module.name for module in iter_modules(package.__path__))
    modules = [import_module(f".{stem}", package.__name__) for stem in stems]
    return {module.FORM: module for module in modules}


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
    """The format whose marks the content has; None if it has those of none.

    Raises:
        ValueError: it has those of several.
    """
    candidates = [module for module in formats().values() if module.recognizes(content)]
    if len(candidates) > 1:
        names = " or ".join(module.FORM for module in candidates)
        raise ValueError(f"this may be {names}; say which with --from")
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
    """The value in a list, unless it is one.

    >>> listed("a"), listed(["a", "b"])
    (['a'], ['a', 'b'])
    """
    return value if isinstance(value, list) else [value]
