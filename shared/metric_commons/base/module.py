"""The base of all scripts: an `evaluate.Metric` or `Comparison` that keeps its columns in memory.

`evaluate` sends every value through a chain of Python calls into an Arrow file and back, checks
the type of the first row alone, rounds what does not fit and waits on a lock when two instances
live. None of that is needed: here rows stay in memory, every row is checked, and nothing is changed
in silence. Of several processes each keeps its own rows until the scores are asked for; then
`evaluate` makes them wait for each other, and carries the rows to the main one.
"""

import abc
import inspect
import json
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import datasets
import evaluate
import numpy as np

from ..numbers.arrays import Column
from ..numbers.checks import nearest
from ..numbers.score_ranges import SHARES, Ranges
from ..numbers.shapes import ListOf, Record, Scalar, Shape
from ..statistics.sums import RowStatistics
from .columns import Layout, copied, holds_queries, joined, query_rows, read
from .locks import Lock
from .options import Option, completed, declared_options, spelled_out

_TEXT = datasets.Value("string")
# A text a row, and its reference or references: what every module takes that compares texts.
TEXTS_AND_REFERENCES = [
    datasets.Features({"predictions": _TEXT, "references": _TEXT}),
    datasets.Features({"predictions": _TEXT, "references": datasets.List(_TEXT)}),
]
# The same, or sets of references, or the dictionaries of SQuAD, of which `text.squad_answers`
# makes texts.
_SQUAD_ANSWER = {"id": _TEXT, "prediction_text": _TEXT}
_SQUAD_QUESTION = {
    "id": _TEXT,
    "answers": {
        "text": datasets.List(_TEXT),
        "answer_start": datasets.List(datasets.Value("int64")),
    },
}
ANSWERS_AND_REFERENCES = [
    *TEXTS_AND_REFERENCES,
    datasets.Features({"predictions": _TEXT, "references": datasets.List(datasets.List(_TEXT))}),
    datasets.Features({"predictions": _SQUAD_ANSWER, "references": _SQUAD_QUESTION}),
]
# Questions may have no answer: lists of references may be empty, and SQuAD v2 has a probability.
ANSWERS_OR_NONE = [
    TEXTS_AND_REFERENCES[1],
    datasets.Features(
        {
            "predictions": _SQUAD_ANSWER | {"no_answer_probability": datasets.Value("float64")},
            "references": _SQUAD_QUESTION,
        }
    ),
]

Batch = tuple[int, dict[str, Column]]  # the index of its layout, and its columns

_KINDS = {"string": str, "bool": bool, "int64": int, "float64": float}
_LOADER = frozenset(inspect.signature(evaluate.EvaluationModule.__init__).parameters) - {
    "self",
    "kwargs",
}


class BatchModule(evaluate.EvaluationModule, abc.ABC):  # type: ignore[misc] # it has no types
    """A module that declares its inputs in `_info` and its options in `_compute`.

    `_compute` takes the inputs and, as keyword-only arguments with defaults, the options; the
    annotation of an option says what it may be. `**summary` and the like stand for options
    that many modules have, see `options.SHARED`. Options may be given to `compute`, and as settings
    at load: `evaluate.load(path, option=value)`. An option that does not exist is a TypeError.

    Features must hold values as they are: string, bool, int64, float64, and lists and dicts of
    them. Where a column may have several shapes, a list of Features declares them; `_compute` gets
    columns of one of these. The first of them names all columns; of one that another leaves out
    `_compute` gets None. A column is a list, whatever it was given as; a numpy array stays one for
    modules with `arrays_allowed`.
    """

    arrays_allowed = False  # whether `_compute` takes numpy arrays as well as lists
    nan_allowed = False  # whether NaN may stand in columns of floats
    # Names of configurations that evaluate's own modules have, and that change nothing here.
    configurations: frozenset[str] = frozenset()
    unsigned_allowed = False  # whether ints may be as great as 2**64 - 1, and not just 2**63 - 1
    # What the scores are made of, and so what a state keeps of the rows: "means" of the scores of
    # rows; "outcomes", of which only some may count; "rankings", kept by their ids; "counts" of
    # equal rows; "moments" of numbers; "sums" over rows of statistics, of which scores are made; or
    # "answers", of which a probability says whether they count.
    scores_are: Literal["means", "outcomes", "rankings", "counts", "moments", "sums", "answers"] = (
        "means"
    )
    # The score to compare systems by; None for the first of the result.
    main_score: str | None = None
    # Scores that are no means, though their module scores row by row: patterns of names, and
    # "sum", "geometric_mean" or "sums", which all scores of the kind "sums" are.
    aggregation: Mapping[str, str] = MappingProxyType({})
    # The columns of a harness's log that are the inputs, in their order: texts, or "option_scores"
    # and "truth", or "predicted" and "label", or "outcomes" of all rows of a sample.
    log_columns: tuple[str, ...] = ("prediction", "references")
    # Names of scores, or patterns of them; of all others higher is better.
    lower_is_better: frozenset[str] = frozenset()
    # Between which numbers scores lie, by patterns of their names: see `numbers.score_ranges`.
    score_ranges: Ranges = SHARES

    # Every option as the script declares it: its default, what it may be, its help.
    declared_options: ClassVar[Mapping[str, Option]]
    written_docstring: ClassVar[str]  # as the script has it; help() shows it with all options

    # Of `evaluate`, which publishes no types: what a distributed evaluation holds open.
    writer: Any
    data: Any
    cache_file_name: Any
    selected_feature_format: Any
    filelock: Any
    rendez_vous_lock: Any
    filelocks: Any
    file_paths: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.scores_are == "sums":
            cls.aggregation = MappingProxyType({"*": "sums"})
        if "_compute" in cls.__dict__:
            docstring = cls.written_docstring = cls.__doc__ or ""
            cls.declared_options = declared_options(cls._compute, docstring)
            cls.__doc__ = completed(docstring, cls.declared_options)
            cls._compute.__signature__ = spelled_out(cls._compute)  # type: ignore[attr-defined]

    def __init__(self, config_name: str | None = None, **kwargs: Any) -> None:
        if config_name not in (None, "default", *self.configurations):
            raise ValueError(f"there is no configuration {config_name!r}; give options by name")
        declared = self.declared_options
        self._settings = {name: kwargs[name] for name in declared if name in kwargs}
        self._check(self._settings)
        loading = {name: value for name, value in kwargs.items() if name not in declared}
        self._refuse_unknown(loading, accepted={*declared, *_LOADER})
        super().__init__(config_name=config_name, **loading)
        self._features_read: Any = None
        self._read_features()
        self._batches: list[Batch] = []
        self._lock = Lock()  # of the batches: threads may add and compute at once

    def _read_features(self) -> None:
        """The layouts of the features, again if somebody has set others since."""
        if self._features_read is not self.features:
            self._layouts = _layouts(
                self.info, self.feature_sets, nan=self.nan_allowed, unsigned=self.unsigned_allowed
            )
            self._features_read = self.features

    @abc.abstractmethod
    def _compute(self, **columns_and_options: Any) -> dict[str, Any]:
        """The scores, from checked columns."""

    @property
    def feature_sets(self) -> list[datasets.Features]:
        """What columns may look like: the features of each way to give them, at least one."""
        features = self.features
        return features if isinstance(features, list) else [features]

    @property
    def accepted_inputs(self) -> dict[str, list[str]]:
        """What one row of each input may be, in words."""
        return {
            name: list(
                dict.fromkeys(str(layout[name]) for layout in self._layouts if name in layout)
            )
            for name in self._layouts[0]
        }

    @property
    def options(self) -> dict[str, Any]:
        """Every option with the value that `compute` takes if it is not given one."""
        defaults = {name: option.default for name, option in self.declared_options.items()}
        return defaults | self._settings

    def _check(self, options: Mapping[str, Any]) -> None:
        for name, value in options.items():
            self.declared_options[name].check(value)

    def _refuse_unknown(self, arguments: Mapping[str, Any], accepted: set[str]) -> None:
        for name in arguments:
            if name not in accepted:
                options = ", ".join(self.declared_options)
                raise TypeError(
                    f"{type(self).__name__} has no option {name!r}{nearest(name, accepted)}; "
                    f"its options are {options}"
                )

    def compute(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> Any:
        """Score the rows added so far, and those given here.

        No row is left behind afterwards, whether the scores could be computed or not. Several
        threads may call this at once: the rows given here are those of this call alone, and each
        added row goes into one call.

        Args:
            predictions: one prediction a row.
            references: one reference a row, if the module has references.
            **kwargs: other inputs, and options.

        Returns:
            The scores by name; None on all but the main process of a distributed evaluation.

        Raises:
            TypeError: there is no such option.
            ValueError: a row or an option is not what it may be, or there are no rows.

        """
        columns = {"predictions": predictions, "references": references}
        return self.compute_with_statistics(**columns, **kwargs)[0]

    def compute_with_statistics(self, **arguments: Any) -> tuple[Any, RowStatistics | None]:
        """What `compute` returns, and what each row adds to the sums behind the scores.

        The statistics are None unless `scores_are` "sums".
        """
        names = self._feature_names()
        columns_of_rows = {*names, "predictions", "references"}
        options = {name: arguments[name] for name in arguments if name not in columns_of_rows}
        inputs = {name: arguments.get(name) for name in names}
        batches = self._taken()
        try:
            self._refuse_unknown(options, accepted=set(self.declared_options))
            self._check(options)
            if any(column is not None for column in inputs.values()):
                batches.append(self._read(inputs))
            if self.num_process > 1:
                batches = self._gathered(batches)
                if self.process_id:
                    return None, None
            batches = list(filter(_row_count, batches))
            if not batches:
                raise ValueError(f"{names[0]} is empty; a score of no rows is undefined")
            columns: dict[str, Any] = joined(batches, self._layouts)
            # Numbers of 64 bits without a sign come as arrays alone.
            if not self.arrays_allowed:
                columns = {name: _as_list(column) for name, column in columns.items()}
            columns = dict.fromkeys(names) | columns
            result = self._compute(**columns, **{**self._settings, **options})
            return _plain(result), getattr(result, "statistics", None)
        finally:
            if self.num_process > 1:
                self._release()

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add rows, to be scored by the next `compute`. A batch with a bad row is not added at all.

        Args:
            predictions: one prediction a row.
            references: one reference a row, if the module has references.
            **kwargs: other inputs.

        Raises:
            ValueError: a row is not what it may be.

        """
        columns = {"predictions": predictions, "references": references, **kwargs}
        self._keep_copy(*self._read(self._inputs(columns, kwargs)))

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add one row, to be scored by the next `compute`.

        Args:
            prediction: the prediction.
            reference: the reference, if the module has references.
            **kwargs: other inputs.

        Raises:
            ValueError: the row is not what it may be.

        """
        columns = {"predictions": prediction, "references": reference, **kwargs}
        inputs = self._inputs(columns, kwargs)
        row: dict[str, Any] = {name: [value] for name, value in inputs.items()}
        present = {name: row[name] for name in inputs if inputs[name] is not None}
        self._read_features()
        if len(present) < len(row) and _fit(present, self._layouts):
            row = dict.fromkeys(row) | present
        self._keep_copy(*self._read(row))

    def checked(self, **inputs: Any) -> dict[str, Any]:
        """The columns as `_compute` takes them, once every row is checked.

        Raises:
            ValueError: a row is not what it may be.
        """
        batch = self._read(self._inputs(inputs, inputs))
        return joined([batch], self._layouts)

    def as_rows(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """The inputs as rows; of rankings they may be dictionaries `{query: {document: number}}`.

        Raises:
            ValueError: no query is in all of them.
        """
        if self.scores_are != "rankings" or not all(map(holds_queries, inputs.values())):
            return inputs
        return query_rows(
            inputs, {name: list(shape) for name, shape in self.feature_sets[0].items()}
        )

    def row_statistics(self, **inputs: Any) -> RowStatistics:
        """What each row adds to the sums of which the scores are made, where `scores_are` "sums".

        There may be no rows.

        Raises:
            ValueError: a row is not what it may be.
        """
        has_rows = any(len(column) for column in inputs.values())
        checked = (
            self.checked(**inputs) if has_rows else {name: [] for name in self._feature_names()}
        )
        columns = {name: _as_list(column) for name, column in checked.items()}
        result: Any = self._compute(**columns, **self._settings)
        return result.statistics  # type: ignore[no-any-return] # of a SumsResult or a SumsNumber

    def reset(self) -> None:
        """Forget the rows added so far."""
        self._taken()
        self._release()

    def _release(self) -> None:
        """Close and remove what a distributed evaluation holds open, finished or not."""
        if self.writer is not None:
            self.writer.finalize()
        self.writer = self.data = self.selected_feature_format = None
        for path in self.file_paths or filter(None, [self.cache_file_name]):
            Path(path).unlink(missing_ok=True)
        for lock in (self.filelock, self.rendez_vous_lock, *(self.filelocks or ())):
            if lock is not None:
                lock.release()
        self.filelock = self.rendez_vous_lock = self.filelocks = None
        self.file_paths = self.cache_file_name = None

    def _inputs(self, columns: Mapping[str, Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        names = self._feature_names()
        for name in kwargs:
            if name not in names:
                raise ValueError(f"{name} is not an input; the inputs are {', '.join(names)}")
        return {name: columns.get(name) for name in names}

    def _read(self, inputs: Mapping[str, Any]) -> Batch:
        self._read_features()
        columns = self.as_rows(
            {name: column for name, column in inputs.items() if column is not None}
        )
        if any(layout.keys() == columns.keys() for layout in self._layouts):
            try:
                return read(columns, self._layouts)
            except ValueError:  # perhaps of rows to which a column is missing
                longer = [layout for layout in self._layouts if layout.keys() > columns.keys()]
                if not _fit(columns, [{key: layout[key] for key in columns} for layout in longer]):
                    raise
        missing = next(name for name in inputs if name not in columns)
        raise ValueError(f"{missing} is missing; the inputs are {', '.join(inputs)}")

    def _keep_copy(self, layout: int, columns: Mapping[str, Column]) -> None:
        shapes = self._layouts[layout]
        self._keep(layout, {name: copied(column, shapes[name]) for name, column in columns.items()})

    def _keep(self, layout: int, columns: dict[str, Column]) -> None:
        with self._lock:
            self._batches.append((layout, columns))

    def _taken(self) -> list[Batch]:
        """The batches added so far, which are no longer kept."""
        with self._lock:
            batches, self._batches = self._batches, []
        return batches

    def _gathered(self, batches: list[Batch]) -> list[Batch]:
        """On the main process the batches of all, in the order of processes; on others nothing.

        They travel as text: JSON keeps every value as it is, whatever shapes the batches have.
        """
        texts = [json.dumps(batch, default=np.ndarray.tolist) for batch in batches]
        self.selected_feature_format = datasets.Features({"batch": _TEXT})
        self._init_writer()
        self.writer.write_batch({"batch": texts or ["null"]})
        self._finalize()
        if self.process_id:
            self.cache_file_name = None  # the main process reads the file, and removes it
            return []
        return [tuple(batch) for batch in map(json.loads, self.data["batch"][:]) if batch]

    def __len__(self) -> int:
        with self._lock:
            return sum(map(_row_count, self._batches))

    def __reduce__(self) -> tuple[Any, ...]:
        bound = ("compute", "add", "add_batch")  # copies of methods that hold this very instance
        state = {name: value for name, value in self.__dict__.items() if name not in bound}
        with self._lock:
            state["_batches"] = list(self._batches)  # a copy collects rows of its own
        return _revive, (type(self).__module__, type(self).__qualname__), state


class BatchMetric(BatchModule, evaluate.Metric):  # type: ignore[misc]
    """What the class of a metric derives from.

    It is abstract: of a script's names `evaluate` takes the first class that is not.
    """


class BatchComparison(BatchModule, evaluate.Comparison):  # type: ignore[misc]
    """What the class of a comparison derives from."""


def _revive(module: str, name: str) -> BatchModule:
    """An empty instance of a class that `evaluate` has loaded, perhaps in another process."""
    if module not in sys.modules:
        evaluate.loading.init_dynamic_modules()
    cls = getattr(import_module(module), name)
    return cls.__new__(cls)  # type: ignore[no-any-return]


def _fit(columns: Mapping[str, Any], layouts: Sequence[Layout]) -> bool:
    """Whether the columns have one of the layouts."""
    try:
        return bool(read(columns, layouts))
    except ValueError:
        return False


def _row_count(batch: Batch) -> int:
    return len(next(iter(batch[1].values())))


def _as_list(column: Column) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else column


def _layouts(
    info: evaluate.MetricInfo, feature_sets: list[datasets.Features], **allowed: bool
) -> list[Layout]:
    if info.format is not None:
        raise TypeError(f"format={info.format!r} would round values; leave it out")
    return [
        {name: _shape(feature, **allowed) for name, feature in layout.items()}
        for layout in feature_sets
    ]


def _shape(feature: Any, **allowed: bool) -> Shape:
    """The shape that a feature declares; one that would change values is a TypeError."""
    if isinstance(feature, datasets.Value) and feature.dtype in _KINDS:
        return Scalar(_KINDS[feature.dtype], **allowed)
    if isinstance(feature, datasets.List) and feature.length == -1:
        return ListOf(_shape(feature.feature, **allowed))
    if isinstance(feature, dict):
        fields = feature.items()
        return Record(tuple((name, _shape(inner, **allowed)) for name, inner in fields))
    raise TypeError(
        f"{feature} may change values; use string, bool, int64, float64, lists and dicts of them"
    )


def _plain(value: Any) -> Any:
    """A result of Python's own types, whatever numpy left in it."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, tuple | list):
        plain = {str, bool, int, float, type(None)}
        return list(value) if set(map(type, value)) <= plain else [_plain(v) for v in value]
    return float(value) if isinstance(value, float) else value
