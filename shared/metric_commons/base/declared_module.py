"""Modules as their scripts declare them, loaded without `evaluate` and `datasets`.

A script needs the two libraries for words: `evaluate.MetricInfo`, `datasets.Value("string")`. To
import them takes two seconds, and longer where they find libraries of models. So here a script is
executed with these words defined in its own namespace, and its imports of the two are left out; no
other code sees these definitions. Options, checks and scores are those of every module.
"""

import ast
import inspect
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from .row_module import RowModule
from .text_inputs import text_inputs

_LIBRARIES = ("evaluate", "datasets")
_BASE = ".base.module"


class Value(NamedTuple):
    """The type of a value."""

    dtype: str


class List(NamedTuple):
    """Lists of values of a type."""

    feature: Any
    length: int = -1


_TYPES = SimpleNamespace(Value=Value, List=List, Features=dict)


class DeclaredModule(RowModule):
    """A module that one process computes, and that does not have to be one of `evaluate`."""

    types = _TYPES
    name: str  # of the module
    script: Path

    def __init__(self, **settings: Any) -> None:
        self._refuse_unknown(settings, accepted=set(self.declared_options))
        self.info = self._info()
        self.features = self.info.features
        super().__init__(settings)

    def _info(self) -> Any:
        """What the script says of the module: description, features and the like."""
        raise NotImplementedError

    @property
    def description(self) -> str:
        """What the module measures."""
        return str(self.info.description)

    def __reduce__(self) -> tuple[Any, ...]:
        with self._lock:
            state = {**self.__dict__, "_batches": list(self._batches)}
        return _empty, (self.script,), state


_INFORMATION = SimpleNamespace(MetricInfo=SimpleNamespace, ComparisonInfo=SimpleNamespace)
_WORDS = {
    "evaluate": _INFORMATION,
    "datasets": _TYPES,
    "BatchMetric": DeclaredModule,
    "BatchComparison": DeclaredModule,
    **{name.upper(): inputs for name, inputs in text_inputs(_TYPES)._asdict().items()},
}


@cache
def declared_class(script: Path) -> type[DeclaredModule]:
    """The class of a module, from its script.

    Raises:
        OSError: the script cannot be read.
    """
    tree = ast.parse(script.read_text("utf-8"), str(script))
    tree.body = [statement for statement in tree.body if not _is_left_out(statement)]
    namespace: dict[str, Any] = {"__name__": f"{__name__}.{script.stem}", **_WORDS}
    exec(compile(tree, str(script), "exec"), namespace)  # a script of ours, as an import would
    cls: type[DeclaredModule] = next(
        value
        for value in namespace.values()
        if isinstance(value, type)
        and issubclass(value, DeclaredModule)
        and not inspect.isabstract(value)
    )
    cls.name, cls.script = script.stem, script
    return cls


def _is_left_out(statement: ast.stmt) -> bool:
    """Whether a statement imports what `_WORDS` has."""
    if isinstance(statement, ast.Import):
        return all(alias.name in _LIBRARIES for alias in statement.names)
    return isinstance(statement, ast.ImportFrom) and (statement.module or "").endswith(_BASE)


def _empty(script: Path) -> DeclaredModule:
    """An instance to be filled, perhaps in another process."""
    cls = declared_class(script)
    return cls.__new__(cls)
