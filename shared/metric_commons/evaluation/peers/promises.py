"""Promises that every module keeps, checked on its own example: `metric-commons check`.

The example in the docstring is run unchanged. The promises are checked on its first call of
`compute`; anything else is for the tests of the module.
"""

import doctest
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from types import SimpleNamespace
from typing import Any, NamedTuple

from ...module.catalog.catalog import load_without_evaluate, name_of, script_of
from ...module.declaration.declared_module import DeclaredModule
from ..rows.states import State


class ExampleCall(NamedTuple):
    """The first call of the example of a module."""

    module: DeclaredModule
    columns: Mapping[str, Sequence[Any]]
    options: Mapping[str, Any]

    def result(self, rows: slice = slice(None), **more: Any) -> Mapping[str, Any]:
        """Return the result of the call for some of its rows, with further options."""
        columns = {name: column[rows] for name, column in self.columns.items()}
        result: Mapping[str, Any] = self.module.compute(**columns, **self.options, **more)
        return result


Problems = Iterator[str]


def check_module(module: str | PathLike[str]) -> Iterator[tuple[str, str | None]]:
    """Yield each promise of a module, with the problem, or None if the promise is kept.

    Args:
        module: its name, or the path of its folder or script.

    Raises:
        ValueError: there is no module.

    >>> {problem for _, problem in check_module("qa_f1")}
    {None}
    """
    name = name_of(module)
    script_of(name)
    calls: list[ExampleCall] = []
    for promise, check in _PROMISES.items():
        try:
            problem = next(check(calls[0]) if calls else _runs(name, calls), None)
        except Exception as error:  # whatever the module raises
            problem = f"{type(error).__name__}: {error}"
        yield promise, problem
        if not calls:
            return


def _runs(name: str, calls: list[ExampleCall]) -> Problems:
    """Run the example of a module, and note its first call of `compute`."""
    module = load_without_evaluate(name)

    class Recorded(type(module)):  # type: ignore[misc]
        """The module, which notes its calls."""

        def compute(self, **arguments: Any) -> Any:
            """Return the result of a call, which is noted."""
            options = {**self.settings, **arguments}
            inputs = [n for n in module.input_names if options.get(n) is not None]
            calls.append(ExampleCall(module, {n: options.pop(n) for n in inputs}, options))
            return super().compute(**arguments)

    package = SimpleNamespace(load=lambda _, **settings: Recorded(**settings))
    names = {"evaluate": package, "metric_commons": package}
    example = doctest.DocTestParser().get_doctest(
        module.written_docstring, names, name, str(script_of(name)), 0
    )
    for step in example.examples:
        if step.source in ("import evaluate\n", "import metric_commons\n"):
            step.source = "pass\n"
    output: list[str] = []
    if doctest.DocTestRunner(verbose=False).run(example, out=output.append).failed:
        calls.clear()
        yield "".join(output).strip()
    elif not calls:
        yield "no example of the class calls compute"


def _ignores_order(call: ExampleCall) -> Problems:
    if not _same(call.result(slice(None, None, -1)), call.result()):
        yield "rows in another order have another result"


def _merges(call: ExampleCall) -> Problems:
    name = call.module.name
    known = State(name).metric.options
    options = {n: value for n, value in call.options.items() if n in known}
    states = []
    for rows in (slice(0, 1), slice(1, None)):
        state = State(name, **options)
        state.update(**{name: column[rows] for name, column in call.columns.items()})
        states.append(state)
    states[0].merge(states[1])
    merged = states[0].result()
    if not _same(merged, {n: value for n, value in call.result().items() if n in merged}):
        yield "the merged states of parts give another result"


def _has_intervals(call: ExampleCall) -> Problems:
    if "confidence_level" not in call.module.declared_options:
        yield "it has no option confidence_level; pass **summary to summarize"
    result = call.result(confidence_level=0.9)
    if result.get("confidence_interval") is None:
        yield "confidence_level changes nothing"


def _same(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


_PROMISES: Mapping[str, Callable[[ExampleCall], Problems]] = {
    "its example runs and prints what it shows": lambda call: iter(()),
    "the order of rows does not matter": _ignores_order,
    "parts can be merged": _merges,
    "scores have intervals": _has_intervals,
}
