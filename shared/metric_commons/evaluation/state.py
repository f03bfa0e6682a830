"""States: what rows leave behind, to be merged with that of other rows.

Where rows are too many for one process, each process keeps a `State` of those that it saw. States
merge in any order and any grouping into the state of all rows, whose result is that of one
`compute`. A state keeps what that needs: of scores how often each value occurs, of labels how often
each pair, of a regression sums. Rankings are kept one by one, under the ids of their queries,
because the order in which their scores are added up belongs to the definition of their means.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from itertools import islice
from typing import Any, Self, cast

import numpy as np

from ..files.stored import Stored, plain
from ..numbers.arrays import Floats
from ..numbers.checks import RowError, check_labels, check_measures, check_weights
from ..numbers.contingency import contingency
from ..numbers.multisets import Multiset
from ..outcomes.preferences import outcomes, win_rates
from ..ranking.names import parse_measures
from ..ranking.ranking_measures import average
from ..regression.residuals import (
    MEASURES,
    OF_MOMENTS,
    Moments,
    Pairs,
    measures_of,
    moments,
    over_outputs,
    with_weighing,
)
from ..statistics.bootstrap import mean_interval
from ..statistics.summary import members, summarize
from .arguments import REPORTING
from .catalog import load

_DISTRIBUTION = "metric-commons"

Columns = Mapping[str, Any]
Labels = Sequence[str] | None  # of rows; None if they are not grouped
Ids = Sequence[int | str]


class State(Stored):
    """The state of a module with these options, of no rows yet.

    Args:
        module: its name.
        **options: of the module, as far as they can move a score; those about what is reported
            beside scores are for `result`.

    Raises:
        ValueError: there is no such module, or an option is a function, which cannot be compared
            with that of another state.
        TypeError: there is no such option.

    >>> first, second = State("qa_em"), State("qa_em")
    >>> first.update(predictions=["Paris"], references=["paris"])
    >>> second.update(predictions=["Rome", "Oslo"], references=["paris", "Oslo"])
    >>> first.merge(State.from_json(second.to_json()))
    >>> len(first), round(first.result()["qa_em"], 4)
    (3, 0.6667)
    """

    FORMAT = "metric-commons-state/1"

    def __init__(self, module: str, **options: Any) -> None:
        self.module = module
        self.metric = loaded(module)(**options)
        self.options = {
            name: plain(value)
            for name, value in self.metric.options.items()
            if name not in REPORTING
        }
        for name, value in self.metric.options.items():
            if callable(value):
                raise ValueError(f"{name} is a function, which a state cannot hold")
            if name in options and name in REPORTING:
                raise ValueError(f"{name} is an option of the result, not of the state")
        self._statistics = _statistics(self.metric)

    def __len__(self) -> int:
        return len(self._statistics)

    def update(
        self,
        *,
        groups: Sequence[Any] | None = None,
        ids: Sequence[int | str] | None = None,
        **columns: Any,
    ) -> None:
        """Take in more rows, or none of them if one is wrong.

        Args:
            groups: a label a row, in every update or in none.
            ids: for rankings, an integer or a string a row, all different; scores are added up in
                the order of ids, integers before strings, and those by their bytes. Without ids
                rows are numbered, which does not do for states that will be merged.
            **columns: the inputs of the module.

        Raises:
            ValueError: a row, a label or an id is not what it may be.
        """
        rows = len(next(iter(columns.values()))) if columns else 0
        labels = None if groups is None else check_labels("groups", groups, rows)
        self._statistics.update(columns, labels, ids)

    def merge(self, other: "State") -> None:
        """Take in the rows of another state, which stays as it is.

        Raises:
            ValueError: it is of another module or has other options, one is grouped and the other
                is not, or both hold the same ranking.
        """
        if self.module != other.module:
            raise ValueError(
                f"a state of {other.module} cannot be merged into one of {self.module}"
            )
        for name, value in self.options.items():
            if other.options.get(name) != value:
                raise ValueError(
                    f"states of different options cannot be merged: {name} is {value!r} in one and "
                    f"{other.options.get(name)!r} in the other"
                )
        self._statistics.merge(other._statistics)

    def result(self, **reporting: Any) -> dict[str, Any]:
        """What `compute` returns for all rows.

        Args:
            **reporting: the options of the module about what comes beside its scores, such as
                `confidence_level`, `n_resamples` and `seed`. Groups are reported if there are any.

        Raises:
            ValueError: there are no rows, or an option is not one that a state can serve.
        """
        if not len(self):
            raise ValueError("the state has no rows; a score of no rows is undefined")
        defaults = {
            name: value
            for name, value in self.metric.options.items()
            if name in REPORTING and name != "groups"
        }
        for name in reporting:
            if name not in defaults:
                raise ValueError(f"{name} is not an option of a result of {self.module}")
        return self._statistics.result(**defaults | reporting)

    def to_dict(self) -> dict[str, Any]:
        """What merges and results need, in plain values."""
        return {
            "format": self.FORMAT,
            "version": version(_DISTRIBUTION),
            "module": self.module,
            "options": self.options,
            "rows": len(self),
            "statistics": self._statistics.to_plain(),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`.

        Raises:
            ValueError: it comes from another version, whose scores may be others.
        """
        if content["version"] != version(_DISTRIBUTION):
            raise ValueError(
                f"the state is of {_DISTRIBUTION} {content['version']}, but this is "
                f"{version(_DISTRIBUTION)}; scores may have changed between them"
            )
        state = cls(content["module"], **content["options"])
        state._statistics.take_plain(content["statistics"])
        if len(state) != content["rows"]:
            raise ValueError(f"the state is damaged: it should have {content['rows']} rows")
        return state


def loaded(module: str) -> Any:
    """The class of a module. `evaluate` takes 50 ms to find it, which small states would feel."""
    return type(_instance(module))


@cache
def _instance(module: str) -> Any:
    """A module, kept: Python loses an interrupt while `evaluate` destroys one that is garbage."""
    return load(module)


class _Statistics(ABC):
    """What the result of a module depends on, of any number of rows."""

    def __init__(self, metric: Any) -> None:
        self._metric = metric
        self._options = {k: v for k, v in metric.options.items() if k not in REPORTING}

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def update(self, columns: Columns, labels: Labels, ids: Ids | None) -> None:
        """Take in rows."""

    @abstractmethod
    def merge(self, other: Any) -> None:
        """Take in statistics of the same kind."""

    @abstractmethod
    def result(self, **reporting: Any) -> dict[str, Any]:
        """The result of all rows."""

    @abstractmethod
    def to_plain(self) -> Any:
        """Lists, dicts, strings and finite numbers, for JSON."""

    @abstractmethod
    def take_plain(self, plain: Any) -> None:
        """Take in what `to_plain` returned."""


class _Scores(_Statistics):
    """Scores of single rows, of which the exact mean is reported."""

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._of_groups: dict[str | None, dict[str, Multiset]] = {}

    def __len__(self) -> int:
        return sum(_rows_of(scores) for scores in self._of_groups.values())

    def update(self, columns: Columns, labels: Labels, ids: Ids | None) -> None:
        _refuse_ids(ids)
        scores = self._scores_of_rows(columns)
        rows = len(next(iter(scores.values())))
        of_groups = {None: np.arange(rows)} if labels is None else members(labels)
        self._take(
            {
                label: {name: Multiset.of(values[of]) for name, values in scores.items()}
                for label, of in of_groups.items()
            }
        )

    def merge(self, other: Self) -> None:
        self._take(other._of_groups)

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting["per_example"]:
            raise ValueError("a state does not keep the scores of single rows")
        whole = _together(self._of_groups.values())
        result = self._means(whole)
        level = reporting["confidence_level"]
        if level is not None:
            result["confidence_interval"] = self._intervals(whole, **_bootstrap(reporting))
        if None not in self._of_groups:
            result["groups"] = {
                label: self._means(self._of_groups[label]) | {"n": _rows_of(self._of_groups[label])}
                for label in sorted(self._of_groups, key=str)
            }
        return result

    def to_plain(self) -> Any:
        return [
            [label, {name: scores.to_plain() for name, scores in of_label.items()}]
            for label, of_label in self._of_groups.items()
        ]

    def take_plain(self, plain: Any) -> None:
        self._take(
            {
                label: {name: Multiset.from_plain(scores) for name, scores in of_label.items()}
                for label, of_label in plain
            }
        )

    def _take(self, new: Mapping[str | None, dict[str, Multiset]]) -> None:
        together = self._of_groups | {
            label: _together([self._of_groups[label], scores])
            if label in self._of_groups
            else scores
            for label, scores in new.items()
        }
        if None in together and len(together) > 1:
            raise ValueError("some rows have groups, others have none")
        self._of_groups = together

    def _scores_of_rows(self, columns: Columns) -> dict[str, Floats]:
        scores = self._metric.compute(**columns, per_example=True, confidence_level=None)
        return {name: np.array(values) for name, values in scores["per_example"].items()}

    def _means(self, scores: Mapping[str, Multiset]) -> dict[str, Any]:
        return {name: multiset.mean() for name, multiset in scores.items()}

    def _intervals(self, scores: Mapping[str, Multiset], **bootstrap: Any) -> dict[str, Any]:
        return {
            name: list(mean_interval(multiset.values, multiset.counts, **bootstrap))
            for name, multiset in scores.items()
        }


class _Outcomes(_Scores):
    """Outcomes of comparisons; whether a tie counts is decided at the end."""

    def _scores_of_rows(self, columns: Columns) -> dict[str, Floats]:
        return {"outcome": outcomes(self._metric.checked(**columns)["predictions"])}

    def _means(self, scores: Mapping[str, Multiset]) -> dict[str, Any]:
        return win_rates(scores["outcome"].written_out(), **self._options)

    def _intervals(self, scores: Mapping[str, Multiset], **bootstrap: Any) -> dict[str, Any]:
        written_out = scores["outcome"].written_out()
        result = win_rates(written_out, **self._options, **bootstrap)
        intervals: dict[str, Any] = result["confidence_interval"]
        return intervals


class _Rankings(_Statistics):
    """The scores of each ranking, under its id."""

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._of_ids: dict[int | str, tuple[str | None, list[float]]] = {}
        self._measures = parse_measures(self._options["measures"])

    def __len__(self) -> int:
        return len(self._of_ids)

    def update(self, columns: Columns, labels: Labels, ids: Ids | None) -> None:
        scores = self._metric.compute(**columns, per_example=True, confidence_level=None)
        rows = list(zip(*scores["per_example"].values(), strict=True))
        names = range(len(self), len(self) + len(rows)) if ids is None else _checked_ids(ids, rows)
        groups = [None] * len(rows) if labels is None else labels
        self._take(
            (name, (group, list(row))) for name, group, row in zip(names, groups, rows, strict=True)
        )

    def merge(self, other: Self) -> None:
        self._take(other._of_ids.items())

    def result(self, **reporting: Any) -> dict[str, Any]:
        in_order = [self._of_ids[name] for name in sorted(self._of_ids, key=_place)]
        labels = [group for group, _ in in_order]
        scores = np.array([row for _, row in in_order]).T
        return summarize(
            {measure.name: of for measure, of in zip(self._measures, scores, strict=True)},
            {measure.name: average(measure) for measure in self._measures},
            **reporting,
            groups=None if None in labels else labels,
        )

    def to_plain(self) -> Any:
        return [[name, group, row] for name, (group, row) in self._of_ids.items()]

    def take_plain(self, plain: Any) -> None:
        self._take((name, (group, row)) for name, group, row in plain)

    def _take(self, new: Iterable[tuple[int | str, tuple[str | None, list[float]]]]) -> None:
        taken: dict[int | str, tuple[str | None, list[float]]] = {}
        for name, row in new:
            if name in taken or name in self._of_ids:
                raise ValueError(f"ranking {name!r} is there twice; give each an id of its own")
            taken[name] = row
        ungrouped = {group is None for group, _ in taken.values()}
        ungrouped |= {group is None for group, _ in islice(self._of_ids.values(), 1)}
        if len(ungrouped) > 1:
            raise ValueError("some rows have groups, others have none")
        self._of_ids |= taken


class _Rows(_Statistics):
    """How often each row occurs, for modules to which the order of rows is all the same.

    Few labels make few rows, and labels with scores are all that a curve needs. Where rows are
    seldom equal this keeps them all: a silhouette compares every point with every other.
    """

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._counts: dict[tuple[Any, ...], int] = {}
        self._names: list[str] = []

    def __len__(self) -> int:
        return sum(self._counts.values())

    def update(self, columns: Columns, labels: Labels, ids: Ids | None) -> None:
        _refuse_ids(ids)
        _refuse_groups(self._metric, labels)
        weights = {name: columns[name] for name in columns if name in self._metric.options}
        inputs = {name: column for name, column in columns.items() if name not in weights}
        checked = self._metric.checked(**inputs)
        for name, column in weights.items():
            checked[name] = check_weights(name, column, len(next(iter(checked.values()))))
        self._take(list(checked), _counted(list(checked.values())))

    def merge(self, other: Self) -> None:
        self._take(other._names, other._counts)

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting.get("per_example"):
            raise ValueError("a state does not keep the order of rows")
        counts = list(self._counts.values())
        columns = {
            name: _repeated(values, counts)
            for name, values in zip(self._names, zip(*self._counts, strict=True), strict=True)
        }
        result: dict[str, Any] = self._metric.compute(**columns, **reporting)
        return result

    def to_plain(self) -> Any:
        return [self._names, [list(row) for row in self._counts], list(self._counts.values())]

    def take_plain(self, plain: Any) -> None:
        names, rows, counts = plain
        hashable = [tuple(map(_hashable, row)) for row in rows]
        self._take(names, dict(zip(hashable, counts, strict=True)))

    def _take(self, names: list[str], counts: Mapping[tuple[Any, ...], int]) -> None:
        if self._names and names and names != self._names:
            raise ValueError(f"some rows have {self._names}, others {names}")
        self._names = self._names or names
        for row, count in counts.items():
            self._counts[row] = self._counts.get(row, 0) + count


class _Moments(_Statistics):
    """Sums over rows, of which the measures of a regression are made."""

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._measures = check_measures(self._options["measures"], MEASURES)
        self._moments: Moments | None = None

    def __len__(self) -> int:
        return self._moments.rows if self._moments else 0

    def update(self, columns: Columns, labels: Labels, ids: Ids | None) -> None:
        _refuse_ids(ids)
        _refuse_groups(self._metric, labels)
        inputs = dict(columns)
        weight = inputs.pop("sample_weight", None)
        checked = self._metric.checked(**inputs)
        pairs = Pairs(checked["predictions"], checked["references"], weight)
        terms = with_weighing(self._measures, self._options["multioutput"])
        self._take(moments(pairs, terms))

    def merge(self, other: Self) -> None:
        if other._moments:
            self._take(other._moments)

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting["confidence_level"] is not None:
            raise ValueError("this state keeps sums, but intervals resample rows; use compute")
        of = cast(Moments, self._moments)  # without rows no result is asked for
        values = measures_of(of, self._measures)
        return over_outputs(values, of, self._options["multioutput"])

    def to_plain(self) -> Any:
        return self._moments and self._moments.to_plain()

    def take_plain(self, plain: Any) -> None:
        self._moments = plain and Moments.from_plain(plain)

    def _take(self, new: Moments) -> None:
        if self._moments and self._moments.outputs != new.outputs:
            raise ValueError(
                f"some rows have {self._moments.outputs} numbers, others {new.outputs}"
            )
        self._moments = self._moments.merged(new) if self._moments else new


def _counted(columns: Sequence[Any]) -> Mapping[tuple[Any, ...], int]:
    """How often each row of some columns occurs."""
    if len(columns) == 2 and all(map(_is_flat, columns)):
        (keys, values), (other_keys, other_values) = map(_as_labels, columns)
        table = contingency(keys, other_keys)
        first, second = values(table.row_labels), other_values(table.column_labels)
        entries = zip(
            table.rows.tolist(), table.columns.tolist(), table.counts.tolist(), strict=True
        )
        return {(first[one], second[other]): count for one, other, count in entries}
    listed = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns]
    return Counter(zip(*(map(_hashable, column) for column in listed), strict=True))


def _is_flat(column: Any) -> bool:
    if isinstance(column, np.ndarray):
        return column.ndim == 1
    return not isinstance(column[0], list | dict)


def _as_labels(column: Any) -> tuple[Any, Callable[[list[Any]], list[Any]]]:
    """A column whose values can be counted as labels, and how to get values back from labels.

    Floats that are equal have the same bits, once -0.0 has become 0.0.
    """
    numbers = column if isinstance(column, np.ndarray) else None
    if numbers is None and isinstance(column[0], float):
        numbers = np.array(column)
    if numbers is None or numbers.dtype.kind != "f":
        return column, lambda labels: labels
    return (numbers + 0.0).view(
        np.int64
    ), lambda labels: np.array(labels, np.int64).view(np.float64).tolist()


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _repeated(values: Sequence[Any], counts: Sequence[int]) -> Any:
    """A column of these values, each as often as it occurs; an array where that is the same."""
    rows = [list(value) if isinstance(value, tuple) else value for value in values]
    parts = {type(item) for row in rows for item in (row if isinstance(row, list) else [row])}
    widths = {len(row) if isinstance(row, list) else None for row in rows}
    if len(parts) == len(widths) == 1 and parts <= {bool, int, float}:
        array = np.array(rows)
        if array.dtype in (np.bool, np.int64, np.float64):
            return np.repeat(array, counts, axis=0)
    return [row for row, count in zip(rows, counts, strict=True) for _ in range(count)]


_KINDS: dict[str, type[_Statistics]] = {
    "classification": _Rows,
    "clustering": _Rows,
    "ir_ranking": _Rankings,
    "paired_significance": _Rows,
    "win_rate": _Outcomes,
}


def _statistics(metric: Any) -> _Statistics:
    """What is kept of the rows of a module with these options."""
    if metric.name == "regression":
        measures = check_measures(metric.options["measures"], MEASURES)
        return _Moments(metric) if OF_MOMENTS.keys() >= set(measures) else _Rows(metric)
    return _KINDS.get(metric.name, _Scores)(metric)


def _refuse_groups(metric: Any, labels: Labels) -> None:
    if labels is not None:
        raise ValueError(f"groups is not an option of {metric.name}")


def _rows_of(scores: Mapping[str, Multiset]) -> int:
    return len(next(iter(scores.values())))


def _together(parts: Iterable[Mapping[str, Multiset]]) -> dict[str, Multiset]:
    several = list(parts)
    return {name: Multiset.sum(part[name] for part in several) for name in several[0]}


def _bootstrap(reporting: Mapping[str, Any]) -> dict[str, Any]:
    return {name: reporting[name] for name in ("confidence_level", "n_resamples", "seed")}


def _refuse_ids(ids: Ids | None) -> None:
    if ids is not None:
        raise ValueError("only rankings have ids")


def _checked_ids(ids: Ids, rows: Sequence[object]) -> Ids:
    if len(ids) != len(rows):
        raise ValueError(f"ids has {len(ids)} values for {len(rows)} rows")
    for row, name in enumerate(ids):
        if not isinstance(name, int | str) or isinstance(name, bool):
            raise RowError("ids", row, f"is {name!r}; an id is an integer or a string")
    return ids


def _place(name: int | str) -> tuple[int, int, bytes]:
    """Integers before strings, and these in the order of their bytes."""
    if isinstance(name, int):
        return 0, name, b""
    return 1, 0, name.encode("utf-8", "surrogatepass")
