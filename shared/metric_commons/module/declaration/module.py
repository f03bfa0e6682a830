"""The base of all scripts: an `evaluate.Metric` or `Comparison` that keeps its columns in memory.

`evaluate` sends every value through a chain of Python calls into an Arrow file and back, checks the
type of the first row only, rounds values that do not fit, and waits on a lock when there are two
instances. None of this is needed: here rows stay in memory, every row is checked, and nothing is
changed silently. In a distributed evaluation each process keeps its own rows until the scores are
computed; then `evaluate` synchronizes the processes and sends the rows to the main one.
"""

import abc
import inspect
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import datasets
import evaluate
import numpy as np

from .declarations import RESULT_FORMAT, completed, format_option, spelled_out
from .row_module import Batch, RowModule
from .stock_formats import configured_format
from .text_inputs import text_inputs

_INPUTS = text_inputs(datasets)
TEXTS_AND_REFERENCES = _INPUTS.texts_and_references
ANSWERS_AND_REFERENCES = _INPUTS.answers_and_references
ANSWERS_OR_NONE = _INPUTS.answers_or_none

_LOADER = frozenset(inspect.signature(evaluate.EvaluationModule.__init__).parameters) - {
    "self",
    "kwargs",
}


class BatchModule(RowModule, evaluate.EvaluationModule, abc.ABC):  # type: ignore[misc] # no types
    """A module of `evaluate`, for one or several processes."""

    types = datasets

    # Attributes of `evaluate`, which is untyped: files and locks of a distributed evaluation.
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
        if "_compute" in cls.__dict__:  # help() shows every option
            cls.__doc__ = completed(cls.written_docstring, cls.declared_options)
            signature = spelled_out(cls._compute, format_option(cls.stock_formats))
            cls._compute.__signature__ = signature  # type: ignore[attr-defined]

    def __init__(self, config_name: str | None = None, **kwargs: Any) -> None:
        if config_name is not None and config_name not in ("default", *self.configurations):
            result_format = configured_format(self.stock_formats, config_name)
            if kwargs.setdefault(RESULT_FORMAT, result_format) != result_format:
                raise ValueError(
                    f"the configuration {config_name!r} stands for {RESULT_FORMAT}="
                    f"{result_format!r}, and not for {kwargs[RESULT_FORMAT]!r}"
                )
        stock = self._format_in(kwargs)
        self._check_options(kwargs, stock, others=_LOADER)
        declared = self._options_of(stock)
        settings = {name: kwargs[name] for name in declared if name in kwargs}
        loading = {name: value for name, value in kwargs.items() if name not in declared}
        evaluate.EvaluationModule.__init__(self, config_name=config_name, **loading)
        if self.info.format is not None:
            raise TypeError(f"format={self.info.format!r} would round values; leave it out")
        RowModule.__init__(self, settings)

    def _feature_names(self) -> list[str]:
        return self.input_names  # of the stock module that this one replaces

    def reset(self) -> None:
        """Discard the rows added so far."""
        super().reset()
        self._close()

    def compute(self, **arguments: Any) -> Any:
        """Score the rows added so far, together with the rows passed here."""
        try:
            return super().compute(**arguments)
        finally:
            if self.num_process > 1:
                self._close()

    def _close(self) -> None:
        """Close and remove the files of a distributed evaluation, even of an unfinished one."""
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

    def _gathered(self, batches: list[Batch]) -> list[Batch] | None:
        """Return all batches in process order on the main process; None on the others.

        They are sent as JSON, which preserves every value of batches of any shape.
        """
        if self.num_process == 1:
            return batches
        texts = [json.dumps(batch, default=np.ndarray.tolist) for batch in batches]
        self.selected_feature_format = datasets.Features({"batch": datasets.Value("string")})
        self._init_writer()
        self.writer.write_batch({"batch": texts or ["null"]})
        self._finalize()
        if self.process_id:
            self.cache_file_name = None  # the main process reads and removes the file
            return None
        return [tuple(batch) for batch in map(json.loads, self.data["batch"][:]) if batch]

    def __reduce__(self) -> tuple[Any, ...]:
        bound = ("compute", "add", "add_batch")  # bound methods that refer to this very instance
        state = {name: value for name, value in self.__dict__.items() if name not in bound}
        with self._lock:
            state["_batches"] = list(self._batches)  # a copy collects its own rows
        return _revive, (type(self).__module__, type(self).__qualname__), state


class BatchMetric(BatchModule, evaluate.Metric):  # type: ignore[misc]
    """The base class of metrics.

    It is abstract, since `evaluate` instantiates the first concrete class in a script's namespace.
    """


class BatchComparison(BatchModule, evaluate.Comparison):  # type: ignore[misc]
    """The base class of comparisons."""


def _revive(module: str, name: str) -> BatchModule:
    """Return an empty instance of a class that `evaluate` loaded, perhaps in another process."""
    if module not in sys.modules:
        evaluate.loading.init_dynamic_modules()
    cls = getattr(import_module(module), name)
    return cls.__new__(cls)  # type: ignore[no-any-return]
