"""Load modules from their scripts without `evaluate` and `datasets`.

A script needs the two libraries only for declarations: `evaluate.MetricInfo`,
`datasets.Value("string")`. Importing them takes two seconds, and longer if they find deep learning
libraries; in a browser they cannot be installed. Here a script is executed with these names defined
in its own namespace, and without its imports of the two libraries; no other code sees these
definitions. Options, checks and scores are the same as usual.

Commands, states, the server and the page of a Space load modules in this way. `evaluate.load`
remains for the public `load`, whose users expect an `evaluate.Metric`: one that
`evaluate.combine` takes, and that scores in distributed processes.
"""

import ast
import inspect
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from .columns import Layout
from .row_module import RowModule
from .text_inputs import text_inputs


class DeclaredValue(NamedTuple):
    """The type of a value."""

    dtype: str


class List(NamedTuple):
    """A list of values of one type."""

    feature: Any
    length: int = -1


_TYPES = SimpleNamespace(Value=DeclaredValue, List=List, Features=dict)


class DeclaredModule(RowModule):
    """A module that runs in one process and does not derive from a class of `evaluate`."""

    types = _TYPES
    script: Path

    def __init__(self, **settings: Any) -> None:
        self.info, _ = _declarations(type(self))
        self.features = self.info.features
        super().__init__(settings)

    def _info(self) -> Any:
        """Return the declarations of the script: description, features and so on."""
        raise NotImplementedError

    def _layouts_of_features(self) -> Sequence[Layout]:
        if self.features is not self.info.features:  # they were replaced
            return super()._layouts_of_features()
        return _declarations(type(self))[1]

    @property
    def description(self) -> str:
        """Return a description of what the module measures."""
        return str(self.info.description)

    def __reduce__(self) -> tuple[Any, ...]:
        with self._lock:
            state = {**self.__dict__, "_batches": list(self._batches)}
        return _empty, (self.script,), state


@cache
def _declarations(cls: type[DeclaredModule]) -> tuple[Any, Sequence[Layout]]:
    """Return the declarations of `_info` and the layouts, read once.

    Each `score` makes a module.
    """
    module = cls.__new__(cls)
    module.info = module._info()
    module.features = module.info.features
    return module.info, RowModule._layouts_of_features(module)


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
    """Load the class of a module from its script.

    Raises:
        OSError: the script cannot be read.
        ValueError: it has no module, or several.
    """
    tree = ast.parse(script.read_text("utf-8"), str(script))
    for statement in tree.body:  # without imports of names that `_WORDS` defines
        if isinstance(statement, ast.Import | ast.ImportFrom):
            statement.names = [n for n in statement.names if (n.asname or n.name) not in _WORDS]
    tree.body = [statement for statement in tree.body if getattr(statement, "names", True)]
    # In a Space, a script imports files in its folder, and this file is one of them.
    namespace: dict[str, Any] = {
        "__name__": f"{__name__}.{script.stem}",
        "__package__": __package__,
        **_WORDS,
    }
    exec(compile(tree, str(script), "exec"), namespace)  # as in an import
    classes = [
        value
        for value in namespace.values()
        if isinstance(value, type)
        and issubclass(value, DeclaredModule)
        and not inspect.isabstract(value)
    ]
    if len(classes) != 1:
        names = ", ".join(cls.__name__ for cls in classes) or "none"
        raise ValueError(f"{script} needs one class that derives from BatchMetric, and has {names}")
    classes[0].name, classes[0].script = script.stem, script
    return classes[0]


def _empty(script: Path) -> DeclaredModule:
    """Return an empty instance for unpickling, perhaps in another process."""
    cls = declared_class(script)
    return cls.__new__(cls)
