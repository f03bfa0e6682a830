"""Scores that follow from moments: sums over rows of errors, squares and products."""

from collections.abc import Mapping
from functools import reduce
from itertools import chain
from typing import Any, Self

from ...module.declaration.row_module import RowModule
from ...regression.errors import MOMENT_MEASURES, aggregate_outputs, moment_measures
from ...regression.measure_names import parse_measures
from ...regression.moments import Moments, compute_moments, required_measures, required_terms
from ...regression.pairs import Pairs
from ...statistics.arguments.arrays import Integers, take
from ...statistics.arguments.checks import check_weights
from ...statistics.intervals.summary import members
from .counts import RowCounts
from .score_kind import Columns, RowLabels, ScoreKind, SufficientStatistics

_POSITIVE_TERMS = ("absolute", "squared", "relative", "symmetric")  # the ends of their names


class RegressionMoments(SufficientStatistics):
    """Sums over rows, which determine most measures of a regression."""

    @staticmethod
    def suffice(metric: RowModule) -> bool:
        """Return whether all requested measures follow from such sums."""
        names = {measure.name for measure in parse_measures(metric.options["measures"])}
        return names <= MOMENT_MEASURES.keys()

    def __init__(self, metric: RowModule) -> None:
        super().__init__(metric)
        self._measures = [measure.name for measure in parse_measures(self._options["measures"])]
        self._groups: dict[str | None, list[Moments]] = {}  # of each output

    def __len__(self) -> int:
        return sum(moments[0].rows for moments in self._groups.values())

    def update(self, columns: Columns, labels: RowLabels) -> None:
        inputs = dict(columns)
        weight = inputs.pop("sample_weight", None)
        checked = self._metric.checked(**inputs)
        measures = required_measures(self._measures, self._options["multioutput"])
        rows = len(checked["references"])
        weights = check_weights("sample_weight", weight, rows)
        parts = checked["predictions"], checked["references"], weights

        def moments(rows: Integers | None) -> list[Moments]:
            selected = parts if rows is None else [take(part, rows) for part in parts]
            return compute_moments(Pairs(*selected), measures)

        if labels.groups is None:
            self._add({None: moments(None)})
        else:
            groups = members(labels.groups).items()
            self._add({label: moments(of_label) for label, of_label in groups})

    def merge(self, statistics: Self) -> None:
        self._add(statistics._groups)

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting["confidence_level"] is not None:
            raise ValueError(
                "this state keeps sums, but intervals need rows; "
                "State(..., confidence_level=0.95) keeps them, on the command line --confidence"
            )
        moments = list(self._groups.values())
        result = self._values(reduce(_added, moments))
        if None not in self._groups:
            result["groups"] = {
                label: self._values(self._groups[label]) | {"n": self._groups[label][0].rows}
                for label in sorted(self._groups, key=str)
            }
        return result

    def to_jsonable(self) -> Any:
        return [
            [label, [of_output.to_jsonable() for of_output in moments]]
            for label, moments in self._groups.items()
        ]

    def read_jsonable(self, content: Any) -> None:
        self._add({label: [*map(Moments.from_jsonable, moments)] for label, moments in content})

    def check(self) -> None:
        terms = required_terms(required_measures(self._measures, self._options["multioutput"]))
        for moments in chain(*self._groups.values()):
            rows = moments.rows
            if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
                raise ValueError(f"rows is {rows!r}, not a number of rows")
            if moments.weight < 0:
                raise ValueError("the sum of weights is negative")
            if not {*terms} <= moments.sums.keys():
                raise ValueError("sums of terms are missing")
            for term, total in moments.sums.items():
                if term.endswith(_POSITIVE_TERMS) and total < 0:
                    raise ValueError(f"the sum of {term} is negative")
            for name, (low, high) in moments.ranges.items():
                if moments.weight and low > high:
                    raise ValueError(f"the minimum of {name} is above its maximum")

    def _add(self, new: Mapping[str | None, list[Moments]]) -> None:
        merged = dict(self._groups)
        for label, moments in new.items():
            if not moments:
                raise ValueError("sums of outputs are missing")
            first = next(iter(merged.values()), moments)
            if len(first) != len(moments):
                raise ValueError(f"some rows have {len(first)} numbers, others {len(moments)}")
            merged[label] = _added(merged[label], moments) if label in merged else moments
        if None in merged and len(merged) > 1:
            raise ValueError("some rows have groups, others have none")
        self._groups = merged

    def _values(self, moments: list[Moments]) -> dict[str, Any]:
        values = moment_measures(moments, self._measures)
        return aggregate_outputs(values, moments, self._options["multioutput"])


class RegressionRows(SufficientStatistics):
    """Sums over rows, or the rows themselves if there are intervals or clusters.

    Sums take the same space for any number of rows. But the intervals of most measures need rows,
    and so do clusters, which may have rows in several parts.
    """

    def __init__(self, metric: RowModule, *, with_intervals: bool = False) -> None:
        super().__init__(metric)
        self._with_intervals = with_intervals
        self._moments = RegressionMoments(metric)
        self._rows = RowCounts(metric)

    def __len__(self) -> int:
        return len(self._moments) + len(self._rows)

    def update(self, columns: Columns, labels: RowLabels) -> None:
        needs_rows = self._with_intervals or labels.clusters is not None or len(self._rows) > 0
        if needs_rows and len(self._moments):
            raise ValueError("some rows have clusters, others have none")
        (self._rows if needs_rows else self._moments).update(columns, labels)

    def merge(self, statistics: Self) -> None:
        if any(
            len(first._moments) and len(second._rows)
            for first, second in ((self, statistics), (statistics, self))
        ):
            raise ValueError(
                "one state keeps rows, for intervals or clusters, and the other sums alone"
            )
        self._moments.merge(statistics._moments)
        self._rows.merge(statistics._rows)

    def result(self, **reporting: Any) -> dict[str, Any]:
        return (self._rows if len(self._rows) else self._moments).result(**reporting)

    def to_jsonable(self) -> Any:
        if len(self._rows):
            return {"rows": self._rows.to_jsonable()}
        return self._moments.to_jsonable()

    def read_jsonable(self, content: Any) -> None:
        if isinstance(content, dict):
            self._rows.read_jsonable(content["rows"])
        else:
            self._moments.read_jsonable(content)

    def check(self) -> None:
        self._rows.check()
        self._moments.check()


class _MomentsKind(ScoreKind):
    keeps_inputs = True

    def statistics(self, metric: RowModule, *, with_intervals: bool) -> SufficientStatistics:
        if RegressionMoments.suffice(metric):
            return RegressionRows(metric, with_intervals=with_intervals)
        return RowCounts(metric)


KIND = _MomentsKind()


def _added(first: list[Moments], second: list[Moments]) -> list[Moments]:
    """Return the moments of all rows, for each output."""
    return [*map(Moments.__add__, first, second)]
