"""The declarations of a module: its inputs, options and scores, and how it is called."""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from ..numbers.score_ranges import SHARES, Ranges

if TYPE_CHECKING:
    from .options import Option


class JsonInput(NamedTuple):
    """The values of JSON that rows of an input may be; each but a text becomes its JSON text."""

    accepted: Literal["objects", "values"]  # objects and lists of objects, or any values
    mark: str = ""  # stands before texts that were values, as those of a model have another meaning


OBJECTS, VALUES = JsonInput("objects"), JsonInput("values")


class Module(Protocol):
    """A module, whether its scores are computed from rows or taken from a log.

    The attributes have defaults, which scripts replace.
    """

    # Whether inputs may be dictionaries {query: {document: number}}, or maps as in Spark.
    queries_allowed: bool = False
    arrays_allowed: bool = False  # whether `_compute` takes numpy arrays as well as lists
    nan_allowed: bool = False  # whether float columns may contain NaN
    holes_allowed: bool = False  # whether lists may contain None
    # Names of configurations of evaluate's own modules, which are accepted and ignored.
    configurations: frozenset[str] = frozenset()
    # The modules of evaluate whose place this one can take, and the functions for their results.
    stock_formats: Mapping[str, Callable[..., Any]] = MappingProxyType({})
    # Values of options whose meaning depends on all rows together.
    options_of_all_rows: Mapping[str, Any] = {}
    single_text_allowed: bool = True  # whether a text may replace a list of one text
    single_items_allowed: bool = False  # whether it may do so as an item of a longer list
    # Inputs whose rows may also be values of JSON.
    json_inputs: Mapping[str, JsonInput] = MappingProxyType({})
    # Keys of the result that describe rows, or how they were computed; not scores.
    reports: frozenset[str] = frozenset()
    # Keys of `per_example` that hold a text or None for each row; not scores.
    row_texts: frozenset[str] = frozenset()
    # Sums over all rows that must not be 0, and the error if one is; a part of the rows may have 0.
    undefined_without: Mapping[str, str] = {}
    runs_programs: bool = False  # whether it runs programs written by a model
    unsigned_allowed: bool = False  # whether ints may be up to 2**64 - 1, rather than 2**63 - 1
    # What the scores are made of, which determines how rows are kept and compared: "means" of row
    # scores; "outcomes", only some of which may count; "rankings", kept by their ids; "counts" of
    # equal rows; "moments" of numbers; "sums" of statistics over the rows; or "answers", whose
    # probability decides whether they count. Each is a file in the folder `score_kinds`.
    score_kind: str = "means"
    # From checked columns and all options, the columns whose equal rows a state counts, if
    # `score_kind` is "counts"; `compute` returns the same result for these as for the originals.
    state_columns: Callable[..., Mapping[str, Any]] = staticmethod(lambda columns, **_: columns)
    # Names of row scores that are in every result, whatever the options.
    always_scored: frozenset[str] = frozenset()
    # The score by which systems are compared; None for the first one of the result.
    main_score: str | None = None
    # Scores that are not means of rows: patterns of names, with "sum", "geometric_mean" or "sums".
    # If `score_kind` is "sums", all scores are "sums" unless a module names those that are; the
    # others are then means of rows, and each has a `RowMean` among its distributions.
    aggregation: Mapping[str, str] = MappingProxyType({})
    # The columns of a harness log that are the inputs, in order: texts, or "option_scores" and
    # "truth", or "predicted" and "label", or "outcomes" of all rows of a sample.
    log_columns: tuple[str, ...] = ("prediction", "references")
    # Scores of rows, each with the names that harnesses use for it, in lower case.
    logged_names: tuple[tuple[str, ...], ...] = ()
    # Scores for which lower is better, by name or pattern; for all others higher is better.
    lower_is_better: frozenset[str] = frozenset()
    compiled_package: str | None = None  # optional: with it the same results take less time
    unbounded: frozenset[str] = frozenset()  # names of row means that may exceed 1
    # Ranges of scores, by patterns of their names: see `numbers.score_ranges`.
    score_ranges: Ranges = SHARES
    # From a result, with its intervals if there are any, a sentence that a reader can quote.
    sentence: "Callable[[Mapping[str, Any]], str] | None" = None
    # Every option as the script declares it: its default, its valid values, its help.
    declared_options: "Mapping[str, Option]" = MappingProxyType({})

    @property
    def feature_sets(self) -> Sequence[Mapping[str, Any]]:
        """The alternatives for the features of the inputs, at least one."""
        ...

    @property
    def input_names(self) -> Sequence[str]:
        """The names of the inputs, in order."""
        ...

    @property
    def required_inputs(self) -> Sequence[str]:
        """The inputs that no alternative of the features leaves out."""
        return [name for name in self.input_names if all(name in f for f in self.feature_sets)]

    @property
    def options(self) -> Mapping[str, Any]:
        """Every option with the value that `compute` uses by default."""
        ...

    def with_nan(self, column: Any) -> Any:
        """A column of a table, with NaN in place of None if this module takes NaN.

        Files and tables have no other way to say that a number is missing.
        """
        is_number_or_none = self.nan_allowed and isinstance(column, list) and None in column
        if not is_number_or_none or any(isinstance(value, str | list) for value in column):
            return column
        return [math.nan if value is None else value for value in column]

    def as_rows(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """The inputs as rows."""
        return inputs

    def compute(self, *, predictions: Any, **arguments: Any) -> Any:
        """The scores by name."""
        ...

    def compute_with_statistics(self, *, predictions: Any, **arguments: Any) -> tuple[Any, Any]:
        """The result of `compute`, and the contributions of rows to the sums behind the scores.

        The latter are None unless scores follow from sums.
        """
        return self.compute(predictions=predictions, **arguments), None
