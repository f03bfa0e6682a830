"""States: summaries of rows that can be merged with those of other rows.

If there are too many rows for one process, each process keeps a `State` of its rows. States merge
in any order and any grouping into the state of all rows, whose result equals that of one
`compute`. A state keeps only what this needs: how often each score or pair of labels occurs, the
sums of a regression, or its rows if intervals are requested. Rankings are kept by the ids of their
queries, so that none counts twice. All sums are exact, and each mean is rounded once, so the result
has the same bits as the result of all rows together.

A `Part` has the states of all systems and modules, and a file. Rows may be distributed by a job
array, Ray, Dask or Beam: a process scores each part, and one merges the files.
"""

import json
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from os import PathLike
from typing import Annotated, Any, Self

from ...data.files.stored import check_object, to_jsonable
from ...data.files.stored_columns import StoredColumns
from ...module.catalog.catalog import module_class, name_of
from ...module.catalog.usage import with_bar
from ...module.declaration.declarations import (
    OF_ROWS,
    OF_SCRIPTS,
    REPORTING,
    names_of_functions,
    texts_of_rows,
)
from ...module.declaration.row_module import Lock
from ...statistics.arguments.arrays import added, as_column
from ...statistics.arguments.checks import check_labels
from ...statistics.arguments.domains import Count, Level, Positive, Range, check_option
from ...statistics.resampling.progress import step
from ..results.module_results import (
    ModuleResult,
    check_averages,
    digest_text,
    module_result,
    provenance,
    version,
)
from ..results.result_checks import check_inputs
from ..results.results import Results
from ..states.score_kind import RowLabels, SufficientStatistics, kind_of

_DISTRIBUTION = "metric-commons"
_CONTENT = {
    **dict.fromkeys(("format", "version", "module"), str),
    "options": Mapping[str, Any],
    "intervals": Mapping[str, Any],
    "rows": Annotated[int, Range(0)],
    "statistics": Any,
}
# The options of intervals that a state holds; some kinds of score need them in advance.
_OF_INTERVALS = {
    "confidence_level": Level | None,
    "standard_error": bool,
    "longest": Count | None,
    "worst_ratio": Positive | None,
}


class State(StoredColumns):
    """The state of a module with these options, without rows.

    Args:
        module: its name.
        **options: the options of the module that affect scores; those for reporting belong to
            `result`. But `confidence_level` and `standard_error`, if set here, are the defaults of
            `result`, and a regression keeps rows instead of sums for them.

    Raises:
        ValueError: the module is unknown, or an option is a function, which cannot be compared
            with that of another state.
        TypeError: an option is unknown.

    >>> first, second = State("qa_em"), State("qa_em")
    >>> first.update(predictions=["Paris"], references=["paris"])
    >>> second.update(predictions=["Rome", "Oslo"], references=["paris", "Oslo"])
    >>> first.merge(State.from_json(second.to_json()))
    >>> len(first), round(first.result()["qa_em"], 4)
    (3, 0.6667)
    """

    FORMAT = "metric-commons-state/1"

    def __init__(self, module: str | PathLike[str], **options: Any) -> None:
        self.module = module = name_of(module)
        metric = module_class(module)(**options)  # which checks them
        for name in texts_of_rows(options):
            raise ValueError(f"{name} is about single rows, which a state does not keep")
        options = {name: value for name, value in options.items() if name not in OF_ROWS}
        self.intervals = {name: options.pop(name) for name in _OF_INTERVALS if name in options}
        # Options for intervals are those of results.
        self.metric = module_class(module)(**options) if self.intervals else metric
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
        self._statistics = self._no_statistics()
        self.keeps_ids = self._statistics.keeps_ids  # whether updates take ids
        self._lock = Lock()  # guards the statistics: several threads may update and merge

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
        """Add rows, or none of them if one is not valid.

        There may be no rows, since parts of a table may be empty; only a result needs some.

        Args:
            groups: one label per row, in every update or in none.
            clusters: likewise, for rows that depend on each other; intervals then count clusters.
            ids: for rankings, one integer or string per row, all distinct. Without ids rows are
                numbered, which is not suitable for states that will be merged.
            **columns: the inputs of the module.

        Raises:
            ValueError: a row, a label or an id is not valid.
        """
        for name, column in columns.items():
            if not hasattr(column, "__len__") or getattr(column, "shape", None) == ():
                columns[name] = as_column(name, column)  # a generator is read only once
        rows = len(next(iter(columns.values()))) if columns else 0
        if columns and not any(map(len, columns.values())):
            return
        group_labels, cluster_labels = (
            None if labels is None else check_labels(name, labels, rows)
            for name, labels in (("groups", groups), ("clusters", clusters))
        )
        if ids is not None and not self.keeps_ids:
            raise ValueError("only rankings have ids")
        row_ids: Any = None if ids is None else as_column("ids", ids)
        with self._lock:
            self._statistics.update(columns, RowLabels(group_labels, cluster_labels, row_ids))

    def reset(self) -> None:
        """Discard all rows, as before the first update.

        >>> state = State("qa_em")
        >>> state.update(predictions=["a"], references=["b"])
        >>> state.reset()
        >>> len(state)
        0
        """
        with self._lock:
            self._statistics = self._no_statistics()

    def _no_statistics(self) -> SufficientStatistics:
        """Return the statistics of no rows."""
        with_intervals = any(self.intervals.values())
        return kind_of(self.metric).statistics(self.metric, with_intervals=with_intervals)

    def merge(self, *states: "State") -> None:
        """Add the rows of other states, one state after another; they are not changed.

        Raises:
            ValueError: a state has another module, other options or another level of intervals,
                only one of the two has groups, or both have the same ranking. Rows of previous
                states have been added.
        """
        for state in states:
            if state is self:
                raise ValueError("a state cannot be merged into itself; its rows would count twice")
            if self.module != state.module:
                raise ValueError(
                    f"a state of {state.module} cannot be merged into one of {self.module}"
                )
            values = self.intervals | state.options | state.intervals
            for name, value in (self.options | self.intervals).items():
                if values.get(name) != value:
                    raise ValueError(
                        f"states of different options cannot be merged: {name} is {value!r} in one "
                        f"and {values.get(name)!r} in the other"
                    )
            # Always in the same order, so that two threads never wait for each other.
            first, second = sorted((self, state), key=id)
            with first._lock, second._lock:
                self._statistics.merge(state._statistics)
                self.intervals = self.intervals | state.intervals

    def result(self, **reporting: Any) -> dict[str, Any]:
        """Return the result of `compute` for all rows.

        Args:
            **reporting: the options of the module for reporting, such as `confidence_level`,
                `interval`, `standard_error`, `n_resamples` and `seed`. Groups are reported if
                there are any, and intervals count clusters if there are any.

        Raises:
            ValueError: there are no rows, or a state does not support an option.
        """
        defaults = {
            name: value
            for name, value in (self.metric.options | self.intervals).items()
            if name in REPORTING - {"groups", "clusters"}
        }
        for name in reporting:
            if name not in defaults:
                raise ValueError(f"{name} is not an option of a result of {self.module}")
        options = defaults | reporting
        for option in (*OF_ROWS, *OF_SCRIPTS):
            if options.pop(option, None):
                raise ValueError(f"{option} is for results of compute, not of a state")
        if options.get("per_example") and not self.keeps_ids:
            raise ValueError("a state does not keep the scores of single rows")
        with self._lock:
            if not len(self):
                raise ValueError("the state has no rows; a score of no rows is undefined")
            return self._statistics.result(**options)

    def module_result(self, reporting: Mapping[str, Any]) -> ModuleResult:
        """Return the result with all that is needed to reproduce it; None stands for its level."""
        requested = {"conventions": True, **self.intervals, **reporting}
        module_options = {
            name: self.intervals.get(name) if value is None else value
            for name, value in requested.items()
            if name in self.metric.options
        }
        return module_result(
            self.module,
            self.metric,
            self.result(**module_options),
            rows=len(self),
            options={name: self.metric.options[name] for name in self.options},
            reported=module_options,
            counts=self.counts(),
        )

    def counts(self) -> Any:
        """Return how often each score of rows occurs; None if intervals do not follow from that."""
        with self._lock:
            return self._statistics.counts()

    def content(self) -> dict[str, Any]:
        """Return all that merges and results need."""
        with self._lock:
            return {
                "format": self.FORMAT,
                "version": version(_DISTRIBUTION),
                "module": self.module,
                "options": self.options,
                "intervals": self.intervals,
                "rows": len(self),
                "statistics": self._statistics.to_jsonable(),
            }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return the inverse of `content`, and of `to_dict`.

        Raises:
            ValueError: it comes from another version, whose scores may differ.
        """
        check_object("a state", content, _CONTENT)
        if content["version"] != version(_DISTRIBUTION):
            raise ValueError(
                f"the state is of {_DISTRIBUTION} {content['version']}, but this is "
                f"{version(_DISTRIBUTION)}; scores may have changed between them"
            )
        check_object("the intervals of a state", content["intervals"], {}, _OF_INTERVALS)
        options = json.dumps({**content["options"], **content["intervals"]})
        state: Self = copy(_empty_state(cls, content["module"], options))
        state._statistics = state._no_statistics()
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
    """Return a state without rows, with options in JSON from a file.

    Cached, since parts share them.
    """
    defaults = module_class(module)().options
    changed = {
        name: value
        for name, value in json.loads(options).items()
        if name not in defaults or to_jsonable(defaults[name]) != value
    }
    return kind(module, **changed)


def results_of_states(
    states: Mapping[str, Mapping[str, Any]],
    record: dict[str, Any],
    reporting: Mapping[str, Any],
    *,
    progress: bool = False,
) -> Results:
    """Return the results of every system and module.

    Args:
        states: a `State` or `KeptRows` by system and module.
        record: where and when the rows were scored.
        reporting: the options for reporting.
        progress: show a bar on stderr if it takes longer than a second.

    Raises:
        ValueError: there are no rows, or an option is not valid.
    """
    systems: dict[str, dict[str, ModuleResult]] = {system: {} for system in states}
    rows: dict[str, dict[str, dict[str, list[float]]]] = {system: {} for system in states}
    steps = [(system, name) for system, modules in states.items() for name in modules]
    for number, (system, name) in enumerate(with_bar(steps, "scoring") if progress else steps):
        with step(number, len(steps)):
            result = states[system][name].module_result(reporting)
        rows[system][name] = result.per_example
        if not reporting.get("per_example"):
            result = result.without_rows()
        systems[system][name] = result
    check_averages(systems)
    compared_rows = rows if len(rows) > 1 else {}
    return Results(systems=systems, provenance=record, compared_rows=compared_rows)


_CONTENT_OF_PART = {
    "format": str,
    "states": Mapping[str, Any],
    "inputs": Sequence[Mapping[str, Any]],
    "preset": str | None,
    "rows": Mapping[str, Any],
}
_DIGESTS = 1 << 64


@dataclass
class Part(StoredColumns):
    """The states of each system and module, and the files of their rows.

    >>> one, other = (Part({"bot": {"qa_em": State("qa_em")}}) for _ in range(2))
    >>> one.states["bot"]["qa_em"].update(predictions=["Paris"], references=["paris"])
    >>> other.states["bot"]["qa_em"].update(predictions=["Rome"], references=["Oslo"])
    >>> one.merge(Part.from_bytes(other.to_bytes()))
    >>> one.results().systems["bot"]["qa_em"].scores
    {'qa_em': 0.5}
    """

    FORMAT = "metric-commons-part/1"

    states: dict[str, dict[str, State]]
    inputs: list[dict[str, Any]] = field(default_factory=list)
    preset: str | None = None  # the source of the options
    digests: dict[str, dict[str, int]] = field(default_factory=dict)  # of references and ids

    def merge(self, part: "Part", *, allow_equal_shards: bool = False) -> None:
        """Add the rows of another part, which is not changed.

        Args:
            part: the other part.
            allow_equal_shards: accept files with the same content in both parts.

        Raises:
            ValueError: it has other systems, modules or options, or both have a file with the
                same content, whatever its path.
        """
        if part is self:
            raise ValueError("a part cannot be merged into itself; its rows would count twice")
        shards = {source["sha256"]: source["path"] for source in self.inputs}
        for source in part.inputs:
            if source["sha256"] in shards and not allow_equal_shards:
                name = shards[source["sha256"]]
                alias = "" if name == source["path"] else f", there as {name}"
                raise ValueError(
                    f"the rows of {source['path']} are in both parts{alias}; if different shards "
                    "are equal, pass --allow-equal-shards"
                )
        for subject, first, second in (
            ("systems", list(self.states), list(part.states)),
            ("modules", *(list(next(iter(part.states.values()))) for part in (self, part))),
            ("a preset", [self.preset], [part.preset]),
        ):
            if sorted(map(str, first)) != sorted(map(str, second)):
                raise ValueError(
                    f"parts of different {subject} cannot be merged: {first}, {second}"
                )
        for system, states in self.states.items():
            for module, state in states.items():
                state.merge(part.states[system][module])
        self.inputs += part.inputs
        for system, digests in part.digests.items():
            self.add_digests(system, digests)

    def add_digests(self, system: str, digests: Mapping[str, int]) -> None:
        """Add digests of further rows, as `row_digest` returns them."""
        for name, digest in digests.items():
            total = self.digests.setdefault(system, {})
            total[name] = added(total.get(name, 0), digest)

    def results(self, **reporting: Any) -> Results:
        """Return the results of all rows.

        Args:
            **reporting: `confidence_level`, `n_resamples` and `seed`, for modules that have them.
                Without a level, it is the one that the states were made with.

        Raises:
            ValueError: there are no rows, or an option is not valid.
        """
        digests = {
            system: {name: digest_text(digest) for name, digest in columns.items()}
            for system, columns in self.digests.items()
        }
        record = provenance(self.inputs) | ({"rows": digests} if digests else {})
        return results_of_states(self.states, record, reporting)

    def content(self) -> dict[str, Any]:
        """Return the states, and the sources of their rows."""
        states = {
            system: {module: state.content() for module, state in modules.items()}
            for system, modules in self.states.items()
        }
        return {
            "format": self.FORMAT,
            "states": states,
            "inputs": self.inputs,
            "preset": self.preset,
            "rows": self.digests,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return the inverse of `content`, and of `to_dict`.

        Raises:
            ValueError: a state is of another version.
        """
        check_object("a part", content, _CONTENT_OF_PART)
        states: dict[str, dict[str, State]] = {}
        for system, stored in content["states"].items():
            states[system] = {}
            for module, state in stored.items():
                name = state.get("module", module) if isinstance(state, Mapping) else module
                try:
                    if name != module:
                        raise ValueError(f"the state of {module} is one of {name}")
                    states[system][module] = State.from_dict(state)
                except ValueError as error:
                    raise ValueError(f"system {system!r}: {error}") from error
        modules = {tuple(sorted(of_system)) for of_system in states.values()}
        if len(modules) != 1 or modules == {()}:
            raise ValueError("the systems of a part have different modules, or there are none")
        check_inputs(content["inputs"])
        for system, digests in content["rows"].items():
            if system not in states:
                raise ValueError(f"rows are of system {system!r}, which has no states")
            check_option(f"rows of {system!r}", digests, Mapping[str, Any])
            for name, digest in digests.items():
                if type(digest) is not int or not 0 <= digest < _DIGESTS:
                    problem = f"is {digest!r}, not an integer of 64 bits"
                    raise ValueError(f"the digest of {name!r} {problem}")
        return cls(states, content["inputs"], content["preset"], content["rows"])
