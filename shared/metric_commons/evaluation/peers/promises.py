"""Promises that every module keeps, checked on its own example: `metric-commons check`.

The example in the docstring is run unchanged. The promises are checked on its first call of
`compute`; anything else is for the tests of the module.
"""

import doctest
import json
import math
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, NamedTuple

from ...module.catalog.catalog import load_without_evaluate, name_of, path, script_of
from ...module.declaration.declared_module import DeclaredModule
from ...statistics.arguments.domains import score_range
from ..rows.states import State

Columns = Mapping[str, Sequence[Any]]


class BrokenPromiseError(Exception):
    """A module breaks a promise."""


class Sample(NamedTuple):
    """A module with the first call of its example."""

    module: DeclaredModule
    columns: Columns
    options: Mapping[str, Any]

    def compute(self, rows: slice | None = None, **more: Any) -> Mapping[str, Any]:
        """Return the result of the call for some of its rows, with further options."""
        columns = {
            name: column if rows is None else column[rows] for name, column in self.columns.items()
        }
        result: Mapping[str, Any] = self.module.compute(**columns, **self.options, **more)
        return result

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return len(next(iter(self.columns.values())))


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
    try:
        sample = _sample(name)
    except Exception as error:  # whatever the example raises
        yield "its example runs and prints what it shows", _message(error)
        return
    yield "its example runs and prints what it shows", None
    for promise, check in _PROMISES.items():
        try:
            check(sample)
        except Exception as error:  # whatever the module raises
            yield promise, _message(error)
        else:
            yield promise, None


def _message(error: Exception) -> str:
    return (
        str(error) if isinstance(error, BrokenPromiseError) else f"{type(error).__name__}: {error}"
    )


def _sample(name: str) -> Sample:
    """Run the example of a module, and return its first call of `compute`."""
    module = load_without_evaluate(name)
    calls: list[dict[str, Any]] = []

    class Recorded(type(module)):  # type: ignore[misc]
        """The module, which notes its calls."""

        def compute(self, **arguments: Any) -> Any:
            """Return the result of a call, which is noted."""
            calls.append({**self.settings, **arguments})
            return super().compute(**arguments)

    def load(_: Any, **settings: Any) -> Any:
        return Recorded(**settings)

    names = {
        "evaluate": SimpleNamespace(load=load),
        "metric_commons": SimpleNamespace(load=load),
    }
    parser, output = doctest.DocTestParser(), list[str]()
    example = parser.get_doctest(module.written_docstring, names, name, str(script_of(name)), 0)
    for step in example.examples:
        if step.source in ("import evaluate\n", "import metric_commons\n"):
            step.source = "pass\n"
    failed = doctest.DocTestRunner(verbose=False).run(example, out=output.append).failed
    if failed:
        raise BrokenPromiseError("".join(output).strip())
    if not calls:
        raise BrokenPromiseError("no example of the class calls compute")
    columns = {n: calls[0].pop(n) for n in module.input_names if calls[0].get(n) is not None}
    return Sample(module, columns, calls[0])


def _is_described(sample: Sample) -> None:
    docstring = sample.module.written_docstring
    for heading in ("Args:", "Returns:", "Examples:"):
        _expect(heading in docstring, f"the docstring of the class has no section {heading}")
    for name in (*sample.module.input_names, *sample.module.declared_options):
        option = sample.module.declared_options.get(name)
        _expect(
            f"{name} (" in docstring or f"{name}:" in docstring or bool(option and option.help),
            f"the docstring of the class says nothing about {name}",
        )
    card = path(sample.module.name) / "README.md"
    _expect(card.is_file(), f"there is no card, {card}")


def _has_plain_scores(sample: Sample) -> None:
    result = sample.compute()
    _expect(bool(result), "the result is empty")
    text = json.dumps(result)  # an error names the type
    _expect(json.loads(text) == result or "NaN" in text, "the result is changed by JSON")
    for name, value in result.items():
        ends = score_range(name, sample.module.score_ranges)
        if isinstance(value, float) and not math.isnan(value) and ends is not None:
            _expect(ends[0] <= value <= ends[1], f"{name} is {value}, outside its range {ends}")


def _ignores_order(sample: Sample) -> None:
    backwards = sample.compute(slice(None, None, -1))
    _expect(_same(backwards, sample.compute()), "rows in another order have another result")


def _keeps_rows(sample: Sample) -> None:
    module, expected = sample.module, sample.compute()
    for row in range(sample.rows):
        module.add(**{name: column[row] for name, column in sample.columns.items()})
    _expect(_same(module.compute(**sample.options), expected), "add gives another result")
    module.add_batch(**sample.columns)
    copies = [deepcopy(module), pickle.loads(pickle.dumps(module))]
    _expect(_same(module.compute(**sample.options), expected), "add_batch gives another result")
    for copy in copies:
        _expect(_same(copy.compute(**sample.options), expected), "a copy gives another result")


def _refuses_bad_rows(sample: Sample) -> None:
    first, column = next(iter(sample.columns.items()))
    _refuses(sample, {first: []}, "no rows")
    if len(sample.columns) > 1:
        _refuses(sample, {first: [*column, column[0]]}, "columns of different lengths")
    for name, values in sample.columns.items():
        _refuses(sample, {name: [*values[:-1], None]}, f"None in {name}", name)
        _refuses(sample, {name: [*values[:-1], object()]}, f"an object in {name}", name)


def _refuses(sample: Sample, changed: Columns, flaw: str, named: str = "") -> None:
    try:
        sample.module.compute(**{**sample.columns, **changed}, **sample.options)
    except ValueError as error:
        _expect(named in str(error), f"the error about {flaw} does not name it: {error}")
    else:
        raise BrokenPromiseError(f"{flaw}: no ValueError")


def _refuses_unknown_options(sample: Sample) -> None:
    try:
        sample.compute(no_such_option=1)
    except TypeError:
        return
    raise BrokenPromiseError("an unknown option does not raise TypeError")


def _merges(sample: Sample) -> None:
    name = sample.module.name
    empty = State(name)
    options = {n: v for n, v in sample.options.items() if n in empty.metric.options}
    states = []
    for rows in (slice(0, 1), slice(1, None)):
        state = State(name, **options)
        if range(sample.rows)[rows]:
            state.update(**{name: column[rows] for name, column in sample.columns.items()})
        with TemporaryDirectory() as folder:
            state.save(path := Path(folder, "rows.parquet"))
            State.read(path)  # an error says why not
        states.append(state)
    states[0].merge(states[1])
    expected = {n: v for n, v in sample.compute().items() if n in (merged := states[0].result())}
    _expect(_same(merged, expected), "the merged states of parts give another result")


def _has_intervals(sample: Sample) -> None:
    if "confidence_level" not in sample.module.declared_options:
        raise BrokenPromiseError("it has no option confidence_level; pass **summary to summarize")
    result = sample.compute(confidence_level=0.9)
    intervals = result.get("confidence_interval")
    _expect(intervals is not None, "confidence_level changes nothing")
    for name, ends in intervals.items() if isinstance(intervals, dict) else ():
        if isinstance(ends, list) and not any(map(math.isnan, ends)):
            _expect(ends[0] <= result[name] <= ends[1], f"{name} is outside its interval {ends}")


def _has_rows(sample: Sample) -> None:
    if "per_example" not in sample.module.declared_options:
        return
    rows = sample.compute(per_example=True)["per_example"]
    for name, values in rows.items():
        _expect(len(values) == sample.rows, f"per_example has {len(values)} values of {name}")


def _same(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


def _expect(is_kept: bool, problem: str) -> None:
    if not is_kept:
        raise BrokenPromiseError(problem)


_PROMISES: Mapping[str, Callable[[Sample], None]] = {
    "inputs, options and results are described": _is_described,
    "scores are plain numbers in their ranges": _has_plain_scores,
    "the order of rows does not matter": _ignores_order,
    "add, add_batch, copies and compute agree": _keeps_rows,
    "bad rows are errors that name them": _refuses_bad_rows,
    "an unknown option is an error": _refuses_unknown_options,
    "parts can be merged": _merges,
    "scores have intervals": _has_intervals,
    "each row has its scores": _has_rows,
}
