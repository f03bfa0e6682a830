"""States: what rows leave behind, to be merged with that of other rows.

Where rows are too many for one process, each process keeps a `State` of those that it saw. States
merge in any order and any grouping into the state of all rows, whose result is that of one
`compute`. A state keeps what that needs: of scores how often each value occurs, of labels how often
each pair, of a regression sums, or rows if intervals are asked for. Rankings are kept one by one,
under the ids of their queries, so that none is counted twice. All sums are exact, and each mean is
rounded once; so the result has the same bits as that of all rows together.
"""

import json
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cache, lru_cache
from typing import Annotated, Any, Self

from ..base.declared_module import DeclaredModule
from ..base.locks import Lock
from ..catalog.arguments import OF_ROWS, REPORTING, names_of_functions, texts_of_rows
from ..catalog.catalog import load_without_evaluate
from ..files.stored import check_object, to_jsonable
from ..files.stored_columns import StoredColumns
from ..numbers.checks import check_labels
from ..numbers.domains import Range
from ..results.signature import version
from ..score_kinds.score_kind import kind_of
from ..score_kinds.sufficient_statistics import CountedScores, RowLabels

_DISTRIBUTION = "metric-commons"
_CONTENT = {
    **dict.fromkeys(("format", "version", "module"), str),
    "options": Mapping[str, Any],
    "rows": Annotated[int, Range(0)],
    "statistics": Any,
}
_OF_INTERVALS = ("confidence_level", "standard_error")  # what a state may be told in advance


class State(StoredColumns):
    """The state of a module with these options, of no rows yet.

    Args:
        module: its name.
        **options: of the module, as far as they can move a score; those about what is reported
            beside scores are for `result`. But a regression keeps rows, and not sums, only if
            `confidence_level` is stated here, which `result` then takes.

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

    FORMAT = "metric-commons-state/4"

    def __init__(self, module: str, **options: Any) -> None:
        self.module = module
        loaded(module)(**options)  # which checks them
        for name in texts_of_rows(options):
            raise ValueError(f"{name} is about single rows, which a state does not keep")
        options = {name: value for name, value in options.items() if name not in OF_ROWS}
        self._intervals = {name: options.pop(name) for name in _OF_INTERVALS if name in options}
        self.metric = loaded(module)(**options)
        for name in names_of_functions(self.metric.options):
            raise ValueError(f"{name} is a function, which a state cannot hold")
        self.options: dict[str, Any] = to_jsonable(
            {name: value for name, value in self.metric.options.items() if name not in REPORTING}
        )
        for name, value in self.metric.options.items():
            if value is not None and self.metric.options_of_all_rows.get(name) == value:
                raise ValueError(
                    f"{name}={value!r} follows from all rows, which a state does not keep; name it"
                )
            if name in options and name in REPORTING:
                raise ValueError(f"{name} is an option of the result, not of the state")
        self._statistics = kind_of(self.metric).statistics(
            self.metric, with_intervals=any(self._intervals.values())
        )
        self._lock = Lock()  # of the statistics: threads may update and merge at once

    def __len__(self) -> int:
        with self._lock:
            return len(self._statistics)

    def update(
        self,
        *,
        groups: Sequence[Any] | None = None,
        clusters: Sequence[Any] | None = None,
        ids: Sequence[int | str] | None = None,
        **columns: Any,
    ) -> None:
        """Take in more rows, or none of them if one is wrong.

        There may be no rows, as parts of a table may be empty; only a result needs some.

        Args:
            groups: one label per row, in every update or in none.
            clusters: the same, for rows that are alike; intervals then count clusters.
            ids: for rankings, one integer or string per row, all different. Without ids rows are
                numbered, which does not do for states that will be merged.
            **columns: the inputs of the module.

        Raises:
            ValueError: a row, a label or an id is not what it may be.
        """
        rows = len(next(iter(columns.values()))) if columns else 0
        if columns and not any(map(len, columns.values())):
            return
        group_labels, cluster_labels = (
            None if labels is None else check_labels(name, labels, rows)
            for name, labels in (("groups", groups), ("clusters", clusters))
        )
        with self._lock:
            self._statistics.update(columns, RowLabels(group_labels, cluster_labels, ids))

    def merge(self, *states: "State") -> None:
        """Take in the rows of other states, one after another, which stay as they are.

        Raises:
            ValueError: one is of another module or has other options, is grouped where this one is
                not, or holds a ranking that is there already. The rows of those before it stay.
        """
        for state in states:
            self._take(state)

    def _take(self, other: "State") -> None:
        """Take in the rows of another state."""
        if other is self:
            raise ValueError("a state cannot be merged into itself; its rows would count twice")
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
        # Always in the same order, so that two threads never wait for each other.
        first, second = sorted((self, other), key=id)
        with first._lock, second._lock:
            self._statistics.merge(other._statistics)

    def result(self, **reporting: Any) -> dict[str, Any]:
        """What `compute` returns for all rows.

        Args:
            **reporting: the options of the module about what comes beside its scores, such as
                `confidence_level`, `interval`, `standard_error`, `n_resamples` and `seed`. Groups
                are reported if there are any, and clusters are what intervals count.

        Raises:
            ValueError: there are no rows, or an option is not one that a state can serve.
        """
        defaults = {
            name: value
            for name, value in (self.metric.options | self._intervals).items()
            if name in REPORTING - {"groups", "clusters"}
        }
        for name in reporting:
            if name not in defaults:
                raise ValueError(f"{name} is not an option of a result of {self.module}")
        with self._lock:
            if not len(self):
                raise ValueError("the state has no rows; a score of no rows is undefined")
            return self._statistics.result(**defaults | reporting)

    def counts(self) -> CountedScores | None:
        """How often each score of rows occurs, where intervals follow from that; else None."""
        with self._lock:
            return self._statistics.counts()

    def content(self) -> dict[str, Any]:
        """What merges and results need."""
        with self._lock:
            return {
                "format": self.FORMAT,
                "version": version(_DISTRIBUTION),
                "module": self.module,
                "options": self.options,
                "rows": len(self),
                "statistics": self._statistics.to_jsonable(),
            }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """The inverse of `content`, and of `to_dict`.

        Raises:
            ValueError: it comes from another version, whose scores may be others.
        """
        check_object("a state", content, _CONTENT)
        if content["version"] != version(_DISTRIBUTION):
            raise ValueError(
                f"the state is of {_DISTRIBUTION} {content['version']}, but this is "
                f"{version(_DISTRIBUTION)}; scores may have changed between them"
            )
        state: Self = copy(_empty_state(cls, content["module"], json.dumps(content["options"])))
        state._statistics = kind_of(state.metric).statistics(state.metric, with_intervals=False)
        state._lock = Lock()
        state._statistics.read_jsonable(content["statistics"])
        if len(state) != content["rows"]:
            raise ValueError(f"the state is damaged: it should have {content['rows']} rows")
        try:
            state._statistics.check()
        except ValueError as error:
            raise ValueError(f"the state of {state.module} is damaged: {error}") from error
        return state


@lru_cache(maxsize=64)
def _empty_state(kind: type[State], module: str, options: str) -> Any:
    """A state without rows, of a file with these options in JSON; parts have the same ones."""
    defaults = loaded(module)().options
    stated = {
        name: value
        for name, value in json.loads(options).items()
        if name not in defaults or to_jsonable(defaults[name]) != value
    }
    return kind(module, **stated)


@cache
def loaded(module: str) -> type[DeclaredModule]:
    """The class of a module, kept, because small states would feel the search for it."""
    return type(load_without_evaluate(module))
