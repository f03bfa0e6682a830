"""A module without `evaluate`: its options, columns and scores.

Rows stay in memory, every row is checked, and nothing is changed silently. `module` turns this into
a module of `evaluate`; code that does not need `evaluate` uses a `declared_module`.
"""

import abc
import inspect
import threading
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from ...statistics.arguments.arrays import Column
from ...statistics.arguments.checks import UnexpectedError, nearest
from ...statistics.arguments.shapes import ListOf, Record, Scalar, Shape
from ...statistics.intervals.sums import RowStatistics
from .columns import (
    Layout,
    copied,
    holds_maps,
    holds_queries,
    joined,
    json_rows,
    map_rows,
    query_rows,
    read,
)
from .declarations import (
    OF_READING,
    REPORTING,
    RESULT_FORMAT,
    Module,
    Option,
    declared_options,
    format_option,
    meant_input,
)
from .stock_formats import StockFormat, stock_format

Batch = tuple[int, dict[str, Column]]  # the index of its layout, and its columns

# Errors that the input or the environment of a module may cause.
_SEARCHED = 10_000  # rows in which the cause of any other error is searched
_EXPECTED = (ValueError, TypeError, OSError, ImportError, MemoryError, RuntimeError)
_KINDS = {"string": str, "bool": bool, "int64": int, "float64": float}


class Lock(type(threading.RLock())):  # type: ignore[misc]
    """A lock that one thread may take several times; a copy or a pickle of it is a new lock.

    >>> import copy
    >>> lock = Lock()
    >>> with lock, lock, copy.deepcopy(lock):
    ...     copy.copy(lock) is lock
    False
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()


class RowModule(Module):
    """A module that declares its inputs in `_info` and its options in `_compute`.

    `_compute` takes the inputs and, as keyword-only arguments with defaults, the options; the
    annotation of an option defines its valid values. `**summary` and similar names stand for the
    options of many modules, see `declarations`. Options may be passed to `compute`, or at load:
    `evaluate.load(path, option=value)`. An unknown option is a TypeError.

    Features must preserve values: string, bool, int64, float64, and lists and dicts of these. Where
    a column may have several shapes, a list of Features declares them; `_compute` gets all columns
    in one of these. The first Features must name all columns; a column that the chosen Features
    lack is passed to `_compute` as None. A column is passed as a list, even if it was an array;
    modules with `arrays_allowed` get numpy arrays as they are.
    """

    written_docstring: ClassVar[str]  # as in the script; help() shows it with all options

    name: str  # of the module
    types: Any  # the namespace of the feature types in `_info`: `Value` and `List`
    features: Any  # as `_info` declares them: one Features, or a list of alternatives

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.score_kind == "sums" and not cls.aggregation:
            cls.aggregation = MappingProxyType({"*": "sums"})
        if "_compute" in cls.__dict__:
            docstring = cls.written_docstring = cls.__doc__ or ""
            own_options = declared_options(cls._compute, docstring)
            cls.declared_options = {**own_options, **format_option(cls.stock_formats)}
            if "extract" in own_options:  # with rates of texts without an answer
                cls.lower_is_better = cls.lower_is_better | OF_READING
                cls.score_ranges = {**dict.fromkeys(OF_READING, (0, 1)), **cls.score_ranges}

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._check_options(settings, self._format_in(settings))
        self.settings = dict(settings)
        self._features_read: Any = None
        self._read_features()
        self._batches: list[Batch] = []
        self._lock = Lock()  # guards the batches: threads may add and compute at the same time

    def _read_features(self) -> None:
        """Read the layouts from the features, again if these have been replaced since."""
        if self._features_read is not self.features:
            self._own_layouts = self._layouts_of_features()
            self._features_read = self.features

    def _layouts_of_features(self) -> Sequence[Layout]:
        limits = {"nan": self.nan_allowed, "unsigned": self.unsigned_allowed}
        shapes: dict[Shape, Shape] = {}  # equal shapes are one object

        def shape(feature: Any) -> Shape:
            new = self._shape(feature, **limits)
            return shapes.setdefault(new, new)

        return [
            {name: shape(feature) for name, feature in features.items()}
            for features in self.feature_sets
        ]

    def _layouts_of(self, stock: StockFormat | None) -> Sequence[Layout]:
        self._read_features()
        return self._own_layouts if stock is None else stock.layouts

    @property
    def _layouts(self) -> Sequence[Layout]:
        """Return the layouts of rows that are added."""
        return self._layouts_of(self._format_in(self.settings))

    def _shape(self, feature: Any, **limits: bool) -> Shape:
        """Return the shape that a feature declares; a lossy one is a TypeError."""
        if isinstance(feature, self.types.Value) and feature.dtype in _KINDS:
            return Scalar(_KINDS[feature.dtype], **limits)
        if isinstance(feature, self.types.List) and feature.length == -1:
            limits |= {"missing": self.holes_allowed}
            item = self._shape(feature.feature, **limits)
            return ListOf(item, self.single_text_allowed, self.single_items_allowed)
        if isinstance(feature, dict):
            fields = feature.items()
            return Record(tuple((name, self._shape(inner, **limits)) for name, inner in fields))
        raise TypeError(
            f"{feature} may change values; use string, bool, int64, float64, lists and dicts of "
            "them"
        )

    @abc.abstractmethod
    def _compute(self, **columns_and_options: Any) -> dict[str, Any]:
        """Return the scores, computed from checked columns."""

    @property
    def feature_sets(self) -> list[Any]:
        """Return the alternatives for the features of the inputs, at least one."""
        features = self.features
        return features if isinstance(features, list) else [features]

    @property
    def input_names(self) -> list[str]:
        """Return the names of the inputs, in order."""
        return list(self._layouts[0])

    @property
    def accepted_inputs(self) -> dict[str, list[str]]:
        """Return the valid types of a row of each input, in words."""
        return {
            name: list(
                dict.fromkeys(str(layout[name]) for layout in self._layouts if name in layout)
            )
            for name in self._layouts[0]
        }

    @cached_property
    def options(self) -> dict[str, Any]:
        """Return every option with the value that `compute` uses by default."""
        declared = self._options_of(self._format_in(self.settings))
        return {name: option.default for name, option in declared.items()} | self.settings

    def _options_of(self, stock: StockFormat | None) -> Mapping[str, Option]:
        return self.declared_options if stock is None else stock.options

    def _format_in(self, options: Mapping[str, Any]) -> StockFormat | None:
        """Return the stock module whose result is requested; None for the module's own result.

        Raises:
            OptionError: the format is unknown.
        """
        name = options.get(RESULT_FORMAT) if self.stock_formats else None
        if name is None:
            return None
        self.declared_options[RESULT_FORMAT].check(name)
        return stock_format(name, self.stock_formats[name])

    def _check_options(
        self,
        options: Mapping[str, Any],
        stock: StockFormat | None,
        others: Set[str] = frozenset(),
        inputs: Set[str] = frozenset(),
    ) -> None:
        """Check the names and values of options.

        Args:
            options: by name.
            stock: the stock module whose options they are; None for the module's own.
            others: further valid names.
            inputs: names that a misspelled one may mean, and that the options do not contain.

        Raises:
            TypeError: neither the module, or the stock module, nor `others` have such an option.
            OptionError: an option may not have this value.
        """
        declared = self._options_of(stock)
        for name in options:
            if name not in declared and name not in others:
                owner = type(self).__name__ if stock is None else f"{RESULT_FORMAT}={stock.name!r}"
                hint = meant_input(name, inputs) or nearest(name, declared.keys() | others | inputs)
                raise TypeError(
                    f"{owner} has no option {name!r}{hint}; its options are {', '.join(declared)}"
                )
        for name, value in options.items():
            if name in declared:
                declared[name].check(value)

    def compute(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> Any:
        """Score the rows added so far, together with the rows passed here.

        No rows are kept afterwards, even if scoring fails. Several threads may call this at the
        same time: the rows passed here belong to this call alone, and each added row is scored by
        exactly one call.

        Args:
            predictions: one prediction per row.
            references: one reference per row, if the module has references.
            **kwargs: other inputs, and options.

        Returns:
            The scores by name; None on all but the main process of a distributed evaluation.

        Raises:
            TypeError: an option is unknown.
            ValueError: a row or an option is not valid, or there are no rows.

        """
        batches = self._taken()
        given = {"predictions": predictions, "references": references}
        options = {**self.settings, **given, **kwargs}
        stock = self._format_in(options)
        layouts = self._layouts_of(stock)
        names = layouts[0].keys()
        inputs = {name: options.pop(name, None) for name in names}
        surplus = [name for name in given if options.pop(name, None) is not None]
        self._check_options(options, stock, inputs=names)
        if stock is not None and surplus:
            raise TypeError(
                f"{surplus[0]} is not an input of {RESULT_FORMAT}={stock.name!r}; "
                f"its inputs are {', '.join(names)}"
            )
        if batches and layouts is not self._layouts:  # they were added for another result
            batches = [read(joined(batches, self._layouts), layouts)]
        if any(column is not None for column in inputs.values()):
            batches.append(self._read(inputs, layouts))
        gathered = self._gathered(batches)
        if gathered is None:
            return None
        batches = list(filter(_row_count, gathered))
        if not batches:
            raise ValueError(f"{next(iter(names))} is empty; a score of no rows is undefined")
        columns = self._columns(joined(batches, layouts), names)
        if stock is not None:
            del options[RESULT_FORMAT]
            return _plain(stock.compute(**columns, **options))
        if self.stock_formats:
            options.pop(RESULT_FORMAT, None)
        result = self._scores(columns, options)
        statistics = getattr(result, "statistics", None)
        if statistics is not None:
            if not self.aggregation:  # systems would be compared by means of rows
                raise TypeError(
                    f"the scores of {type(self).__name__} follow from sums; "
                    'it must declare aggregation = {"*": "sums"}'
                )
            self.check_sums(statistics)
        plain = _plain(result)
        if hasattr(result, "conventions"):  # what followed from rows, part of the signature
            plain = type(result)(plain)
            plain.conventions = result.conventions
        return plain

    def _columns(self, rows: Mapping[str, Column], names: Iterable[str]) -> dict[str, Any]:
        """Return the columns as `_compute` takes them."""
        columns = {name: rows.get(name) for name in names}
        if self.arrays_allowed:
            return columns
        return {
            name: column.tolist() if isinstance(column, np.ndarray) else column
            for name, column in columns.items()
        }

    def _scores(self, columns: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
        """Return the result of `_compute`; unexpected errors become an UnexpectedError.

        Raises:
            ImportError: a library is missing that this result needs.
            UnexpectedError: there was an error that is not about the input.
        """
        try:
            with np.errstate(all="ignore"):  # numbers near the largest float may overflow
                return self._compute(**columns, **options)
        except ModuleNotFoundError as error:
            if error.name is None:  # its message names the extra with the library
                raise
            package = error.name.partition(".")[0]
            raise ImportError(
                f"{type(self).__name__} needs {package} for this: pip install {package}",
                name=package,
            ) from error
        except _EXPECTED:
            raise
        except Exception as error:
            options = {name: v for name, v in options.items() if name not in REPORTING}
            row = self._row_that_raises(type(error), columns, options)
            raise UnexpectedError(inspect.getfile(self._compute), row, error) from error

    def _row_that_raises(
        self, kind: type[Exception], columns: Mapping[str, Any], options: Mapping[str, Any]
    ) -> int | None:
        """Return the first row that alone ends in an error of this kind, if there is one."""
        rows = len(next(iter(columns.values())))
        for row in range(min(rows, _SEARCHED)):
            of_row = {
                name: None if column is None else column[row : row + 1]
                for name, column in columns.items()
            }
            try:
                self._compute(**of_row, **options)
            except kind:
                return row
            except Exception:  # a row alone may have no score
                continue
        return None

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add rows, to be scored by the next `compute`. A batch with a bad row is not added at all.

        Args:
            predictions: one prediction per row.
            references: one reference per row, if the module has references.
            **kwargs: other inputs.

        Raises:
            ValueError: a row is not valid.

        """
        columns = {"predictions": predictions, "references": references, **kwargs}
        self._keep_copy(*self._read(self._inputs(columns, kwargs), self._layouts))

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add one row, to be scored by the next `compute`.

        Args:
            prediction: the prediction.
            reference: the reference, if the module has references.
            **kwargs: other inputs.

        Raises:
            ValueError: the row is not valid.

        """
        columns = {"predictions": prediction, "references": reference, **kwargs}
        inputs = self._inputs(columns, kwargs)
        row: dict[str, Any] = {name: [value] for name, value in inputs.items()}
        present = {name: row[name] for name in inputs if inputs[name] is not None}
        if len(present) < len(row) and _fit(present, self._layouts):
            row = dict.fromkeys(row) | present
        self._keep_copy(*self._read(row, self._layouts))

    def checked(self, **inputs: Any) -> dict[str, Any]:
        """Return the columns as `_compute` takes them, after checking every row.

        Raises:
            ValueError: a row is not valid.
        """
        batch = self._read(self._inputs(inputs, inputs), self._layouts)
        return joined([batch], self._layouts)

    def as_rows(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the inputs as rows; rankings may be dictionaries `{query: {document: number}}`.

        Rows of rankings may also be pyarrow maps from documents to numbers, as in Spark.

        Raises:
            ValueError: the inputs have no query in common.
        """
        if not self.queries_allowed:
            return inputs
        fields = {name: list(shape) for name, shape in self.feature_sets[0].items()}
        if all(map(holds_queries, inputs.values())):
            return query_rows(inputs, fields)
        return {
            name: map_rows(column, fields[name]) if holds_maps(column) else column
            for name, column in inputs.items()
        }

    def check_sums(self, statistics: RowStatistics) -> None:
        """Check that the sums over all rows define the scores.

        Raises:
            ValueError: a sum is 0 that must not be 0.
        """
        for name, problem in self.undefined_without.items():
            if (
                name in statistics.names
                and not statistics.values[:, statistics.names.index(name)].any()
            ):
                raise ValueError(problem)

    def row_statistics(self, **inputs: Any) -> RowStatistics:
        """Return what each row adds to the sums behind the scores, if `score_kind` is "sums".

        There may be no rows.

        Raises:
            ValueError: a row is not valid.
        """
        if any(len(column) for column in inputs.values()):
            return self.result_of_rows(**inputs).statistics  # type: ignore[no-any-return]
        # There is nothing to report of no rows.
        plain = {name: v for name, v in self.settings.items() if name not in REPORTING}
        result: Any = self._scores({name: [] for name in self.input_names}, plain)
        return result.statistics  # type: ignore[no-any-return]

    def result_of_rows(self, **arguments: Any) -> Any:
        """Return the result as `_compute` returns it, with what it is computed from.

        Args:
            **arguments: inputs and options.

        Raises:
            ValueError: a row or an option is not valid.
        """
        names = self.input_names
        options = {name: v for name, v in arguments.items() if name not in names}
        self._check_options(options, None)
        checked = self.checked(**{n: v for n, v in arguments.items() if n in names})
        return self._scores(self._columns(checked, names), {**self.settings, **options})

    def reset(self) -> None:
        """Discard the rows added so far."""
        self._taken()

    def _gathered(self, batches: list[Batch]) -> list[Batch] | None:
        """Return the batches of all processes; None if another process computes the scores."""
        return batches

    def _inputs(self, columns: Mapping[str, Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        names = self.input_names
        for name in kwargs:
            if name not in names:
                hint = nearest(name, names)
                raise ValueError(f"{name} is not an input{hint}; the inputs are {', '.join(names)}")
        return {name: columns.get(name) for name in names}

    def _read(self, inputs: Mapping[str, Any], layouts: Sequence[Layout]) -> Batch:
        columns = {name: column for name, column in inputs.items() if column is not None}
        for name, values in self.json_inputs.items():
            if name in columns:
                columns[name] = json_rows(name, columns[name], values)
        columns = dict(self.as_rows(columns))
        if any(layout.keys() == columns.keys() for layout in layouts):
            try:
                return read(columns, layouts)
            except ValueError:  # perhaps because rows lack a column
                longer = [layout for layout in layouts if layout.keys() > columns.keys()]
                if not _fit(columns, [{key: layout[key] for key in columns} for layout in longer]):
                    raise
        missing = next(name for name in inputs if name not in columns)
        raise ValueError(f"{missing} is missing; the inputs are {', '.join(inputs)}")

    def _keep_copy(self, layout: int, columns: Mapping[str, Column]) -> None:
        shapes = self._layouts[layout]
        copies = {name: copied(column, shapes[name]) for name, column in columns.items()}
        with self._lock:
            self._batches.append((layout, copies))

    def _taken(self) -> list[Batch]:
        """Remove and return the batches added so far."""
        with self._lock:
            batches, self._batches = self._batches, []
        return batches

    def __len__(self) -> int:
        with self._lock:
            return sum(map(_row_count, self._batches))


def _fit(columns: Mapping[str, Any], layouts: Sequence[Layout]) -> bool:
    """Return whether the columns have one of the layouts."""
    try:
        return bool(read(columns, layouts))
    except ValueError:
        return False


def _row_count(batch: Batch) -> int:
    return len(next(iter(batch[1].values())))


_PLAIN = {str, bool, int, float, type(None)}


def _plain(value: Any) -> Any:
    """Return a result in Python's own types, converted from numpy where necessary."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, dict):
        if set(map(type, value.values())) <= _PLAIN:
            return dict(value)
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, tuple | list):
        return list(value) if set(map(type, value)) <= _PLAIN else [_plain(v) for v in value]
    return float(value) if isinstance(value, float) else value
