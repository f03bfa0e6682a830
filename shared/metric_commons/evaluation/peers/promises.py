"""Promises that every module keeps, checked on its own example: `metric-commons check`.

The example in the docstring is run unchanged. The promises are checked on its first call of
`compute`; anything else is for the tests of the module.
"""

import doctest
import json
from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from types import SimpleNamespace
from typing import Any

from ...module.catalog.catalog import load_without_evaluate, name_of, script_of
from ..rows.states import State


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
    metric = load_without_evaluate(name)
    calls: list[dict[str, Any]] = []
    problem = _problem(lambda: _example(name, metric, calls))
    yield "its example runs and prints what it shows", problem
    if problem:
        return
    options = calls[0]
    columns = {n: options.pop(n) for n in metric.input_names if options.get(n) is not None}

    def result(rows: slice, **more: Any) -> Mapping[str, Any]:
        part = {field: column[rows] for field, column in columns.items()}
        scores: Mapping[str, Any] = metric.compute(**part, **options, **more)
        return scores

    def order() -> str:
        is_same = _text(result(slice(None, None, -1))) == _text(result(slice(None)))
        return "" if is_same else "rows in another order have another result"

    def merging() -> str:
        known = State(name).metric.options
        states = [State(name, **{n: v for n, v in options.items() if n in known}) for _ in "ab"]
        for state, rows in zip(states, (slice(0, 1), slice(1, None)), strict=True):
            state.update(**{field: column[rows] for field, column in columns.items()})
        states[0].merge(states[1])
        merged = states[0].result()
        whole = {n: value for n, value in result(slice(None)).items() if n in merged}
        return "" if _text(merged) == _text(whole) else "merged parts have another result"

    def intervals() -> str:
        if "confidence_level" not in metric.declared_options:
            return "it has no option confidence_level; pass **summary to summarize"
        has_some = result(slice(None), confidence_level=0.9).get("confidence_interval")
        return "" if has_some is not None else "confidence_level changes nothing"

    yield "the order of rows does not matter", _problem(order)
    yield "parts can be merged", _problem(merging)
    yield "scores have intervals", _problem(intervals)


def _problem(check: Callable[[], str]) -> str | None:
    try:
        return check() or None
    except Exception as error:  # whatever the module raises
        return f"{type(error).__name__}: {error}"


def _example(name: str, metric: Any, calls: list[dict[str, Any]]) -> str:
    """Run the example of a module, and note its calls of `compute`."""

    class Recorded(type(metric)):  # type: ignore[misc]
        """The module, which notes its calls."""

        def compute(self, **arguments: Any) -> Any:
            """Return the result of a call, which is noted."""
            calls.append({**self.settings, **arguments})
            return super().compute(**arguments)

    package = SimpleNamespace(load=lambda _, **settings: Recorded(**settings))
    names = {"evaluate": package, "metric_commons": package}
    example = doctest.DocTestParser().get_doctest(
        metric.written_docstring, names, name, str(script_of(name)), 0
    )
    for step in example.examples:
        if step.source in ("import evaluate\n", "import metric_commons\n"):
            step.source = "pass\n"
    output: list[str] = []
    if doctest.DocTestRunner(verbose=False).run(example, out=output.append).failed:
        return "".join(output).strip()
    return "" if calls else "no example of the class calls compute"


def _text(result: Mapping[str, Any]) -> str:
    return json.dumps(result, sort_keys=True)
