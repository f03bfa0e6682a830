"""Pseudovalues of rows: a value of each row, whose mean is a score, for scores of any kind.

A module may have a function for them. Otherwise they are those of the jackknife: the score, plus
the number of rows times the loss of the score if the row is left out.
"""

import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ...data.files.stored import to_jsonable
from ...module.catalog.catalog import load_without_evaluate
from ...module.declaration.declarations import REPORTING, Module
from ...statistics.arguments.arrays import Floats, Integers, take
from ...statistics.arguments.domains import is_per_row
from ...statistics.resampling.progress import step
from ..results.module_results import ModuleResult

_KEPT = 1 << 20  # rows of draws whose scores are kept
_DIGITS = 12  # of a pseudovalue of the jackknife, so that equal rows have equal ones


class ScoredInputs:
    """The rows of a system and a module, from whose inputs scores are computed.

    Args:
        system: the name of the system.
        module: the name of the module.
        result: its result, with the inputs of rows.
        names: the scores that are compared.

    Raises:
        ValueError: an option was a function, and a file stores only its name; or the rows do not
            have these scores.
    """

    def __init__(
        self, system: str, module: str, result: ModuleResult, names: Collection[str]
    ) -> None:
        self.module, self.result, self.names = module, result, names
        options = {name: value for name, value in result.options.items() if name not in REPORTING}
        try:
            metric: Module = load_without_evaluate(module)
            declared = metric.declared_options
            self.options = {n: value for n, value in options.items() if n in declared}
            per_row = {
                name
                for name, value in self.options.items()
                if value is not None and is_per_row(declared[name].annotation)
            }
            settings = {n: v for n, v in self.options.items() if n not in per_row}
            settings |= dict.fromkeys(declared.keys() & {"confidence_level"})  # intervals take time
            self.metric: Module = load_without_evaluate(module, **settings)
            self.inputs = self.metric.with_nan(result.row_inputs)
            self.columns = self.inputs | {name: self.options[name] for name in per_row}
            scores = self.scores(self.columns)
        except ValueError as error:
            raise ValueError(
                f"{module} of system {system!r} cannot be recomputed from saved rows: {error}"
            ) from error
        for name in names:
            score = result.scores[name]
            if not _are_equal(scores.get(name, math.nan), score):
                raise ValueError(
                    f"{name} of the rows of system {system!r} is {scores.get(name)}, but the "
                    f"result says {score}; the rows belong to another result"
                )

    def __len__(self) -> int:
        return len(next(iter(self.inputs.values())))

    def scores(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """Return the scores of these rows."""
        result: dict[str, Any] = self.metric.compute(**columns)
        return result

    def pseudovalues(
        self, rival: "ScoredInputs", order: Sequence[int] | None = None
    ) -> dict[str, tuple[Floats, Floats]]:
        """Return the pseudovalues of this system and another by score, for scores that have some.

        Args:
            rival: the other system.
            order: the order of its rows; None for the same order.

        >>> from ...evaluation.scoring.scoring import score
        >>> rows = {"predictions": [0, 0, 1, 1], "references": [0, 1, 1, 1], "per_example": True}
        >>> result = score("classification", **rows).systems["predictions"]["classification"]
        >>> rows = ScoredInputs("a", "classification", result, ["accuracy"])
        >>> rows.pseudovalues(rows)["accuracy"][0]
        array([1., 0., 1., 1.])
        """
        if self.metric.pseudovalues is None:
            first, second = self._of_jackknife, rival._of_jackknife
            rows = np.arange(len(self)) if order is None else np.array(order)
            values = {n: (first[n], second[n][rows]) for n in first if n in second}
        else:
            inputs = rival.inputs
            if order is not None:
                inputs = {name: take(column, np.array(order)) for name, column in inputs.items()}
            values = dict(self.metric.pseudovalues(self.inputs, inputs, **self.options))
        return {
            name: pair
            for name, pair in values.items()
            if name in self.names and not any(np.isnan(column).all() for column in pair)
        }

    @cached_property
    def _of_jackknife(self) -> dict[str, Floats]:
        """Return the pseudovalues of the jackknife; equal rows are left out once."""
        number = len(self)
        kinds: dict[str, list[int]] = {}
        for row, values in enumerate(zip(*self.columns.values(), strict=True)):
            kinds.setdefault(json.dumps(to_jsonable(list(values))), []).append(row)
        columns = {name: np.empty(number) for name in self.names}
        for position, rows in enumerate(kinds.values()):
            with step(position, len(kinds)):
                others = np.delete(np.arange(number), rows[0])
                scores = self._of_rows(others) if others.size else {}
            for name, column in columns.items():
                column[rows] = scores.get(name, math.nan)
        pseudovalues = {}
        for name, without in columns.items():
            value = self.result.scores[name]
            if np.isfinite(without).all():
                column = (number - 1) * (float(np.sort(without).mean()) - without) + value
                pseudovalues[name] = column.round(_DIGITS)
        return pseudovalues

    def _of_rows(self, rows: Integers) -> dict[str, Any]:
        """Return the scores of some rows; none if they have no scores."""
        try:
            return self.scores({name: take(column, rows) for name, column in self.columns.items()})
        except ValueError:
            return {}

    def drawn_score(
        self, name: str, rival: "ScoredInputs", order: Sequence[int] | None
    ) -> Callable[[Integers], float]:
        """Return the function from indices of rows to a score; NaN if it is undefined.

        Args:
            name: the score.
            rival: the system whose rows follow those of this one.
            order: the order of its rows; None for the same order.
        """
        second = rival.columns
        if order is not None:
            second = {key: take(column, np.array(order)) for key, column in second.items()}
        metric, columns = self.metric, dict[str, Any]()
        for key, column in self.columns.items():
            both = [*column, *second[key]]
            # Modules check an array of numbers in less time.
            is_numeric = metric.arrays_allowed and set(map(type, both)) <= {float}
            columns[key] = np.array(both) if is_numeric else both
        if "measures" in self.options:  # the others take time
            metric = load_without_evaluate(self.module, **{**metric.options, "measures": [name]})

        @lru_cache(_KEPT // len(self))  # few rows are drawn alike again and again
        def score_of(rows: bytes) -> float:
            drawn = {
                k: take(column, np.frombuffer(rows, np.int64)) for k, column in columns.items()
            }
            try:
                return float(metric.compute(**drawn)[name])
            except ValueError:
                return math.nan

        return lambda rows: score_of(np.sort(rows).tobytes())


def _are_equal(first: Any, second: float) -> bool:
    """Return whether two scores are equal but for rounding; both may be undefined."""
    if not isinstance(first, float):
        return False
    close = math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)
    return close or (math.isnan(first) and math.isnan(second))
