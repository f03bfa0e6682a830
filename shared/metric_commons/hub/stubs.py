"""Stubs of `evaluate` and `datasets`, sufficient for scoring if neither is installed.

In a browser, modules run without these libraries, which need Arrow, files and a network. A module
derives from a class of `evaluate` and declares its inputs with types of `datasets`; a few lines
replace both, since everything else is in the module. This file does not import any of our other
files: it is part of a page.
"""

import importlib
import inspect
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any


class EvaluationModule:
    """The attributes that `evaluate` gives a module: its information, its inputs and its name."""

    def __init__(
        self, config_name: str | None = None, num_process: int = 1, process_id: int = 0
    ) -> None:
        self.config_name = config_name or "default"
        self.num_process, self.process_id = num_process, process_id
        self.writer = self.data = self.cache_file_name = None
        self.filelock = self.rendez_vous_lock = self.filelocks = self.file_paths = None
        self.info = self._info()

    def _info(self) -> Any:
        raise NotImplementedError

    @property
    def features(self) -> Any:
        """The inputs: one declaration, or several alternatives."""
        return self.info.features

    def _feature_names(self) -> list[str]:
        features = self.features
        return list(features[0] if isinstance(features, list) else features)


class Metric(EvaluationModule):
    """The base class of metrics."""


class Comparison(EvaluationModule):
    """The base class of comparisons."""


class Information(SimpleNamespace):
    """The declarations of a module."""

    format = None


class Value:
    """The type of a value."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype


class List:
    """A list of values of one type."""

    def __init__(self, feature: Any, length: int = -1) -> None:
        self.feature, self.length = feature, length


def load(path: str, **settings: Any) -> Any:
    """Load the module of a script in a folder with all files that it imports."""
    script = Path(path)
    sys.path.insert(0, str(script.parent.parent))
    module = importlib.import_module(f"{script.parent.name}.{script.stem}")
    for cls in vars(module).values():
        if (
            isinstance(cls, type)
            and issubclass(cls, EvaluationModule)
            and not inspect.isabstract(cls)
        ):
            return cls(**settings)
    raise ValueError(f"{script.name} has no module")


def install() -> None:
    """Make `import evaluate` and `import datasets` resolve to this file."""
    names: dict[str, dict[str, Any]] = {
        "evaluate": {
            "EvaluationModule": EvaluationModule,
            "Metric": Metric,
            "Comparison": Comparison,
            "MetricInfo": Information,
            "ComparisonInfo": Information,
            "load": load,
        },
        "datasets": {"Value": Value, "List": List, "Features": dict},
    }
    for name, content in names.items():
        module = sys.modules[name] = ModuleType(name)
        vars(module).update(content)
