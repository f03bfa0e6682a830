"""Which rows of a file count, and the reasons why others do not."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from .json_rows import Row
from .logs import Log, Record

Getter = Callable[[Record], Any]


class Selection(NamedTuple):
    """Which rows are asked for.

    `conditions` holds the texts that values at paths must have; `incomplete` lets a log pass that
    is cut off or whose run did not end.
    """

    filter: str | None = None
    conditions: Mapping[str, str] = {}
    incomplete: bool = False


class Selected:
    """The rows of a log that a selection leaves, and how many it leaves out.

    Rows of several strata, such as two filters that log every document twice, are an error after
    the last row: a mean over them would be a figure that nobody reports.
    """

    def __init__(
        self, log: Log, selection: Selection, getter: Callable[[str, Record], Getter]
    ) -> None:
        self._log, self._selection, self._getter = log, selection, getter
        self.left_out: Counter[str] = Counter()
        self._strata: dict[str, Counter[str]] = {name: Counter() for name in log.strata}
        self._filters: Counter[str] = Counter()
        self._values: dict[str, Counter[str]] = {name: Counter() for name in selection.conditions}

    def __iter__(self) -> Iterator[Row]:
        log = self._log
        if log.problem and not self._selection.incomplete:
            raise ValueError(f"{log.problem}; take what is there with --incomplete")
        if self._selection.filter is not None and "filter" not in log.strata:
            raise ValueError(f"rows of the format {log.form} have no filters")
        if not (self._selection.conditions or log.strata or log.samples):
            return log.rows
        if not self._selection.conditions and log.strata.keys() <= {"filter"}:
            return self._of_filter()
        return self._of_conditions()

    def _of_conditions(self) -> Iterator[Row]:
        """The rows of one filter that meet the conditions."""
        log, texts = self._log, self._selection.conditions
        getters: dict[str, Getter] = {}
        ids = set()
        count = 0
        for line, record in log.rows:
            strata = {name: stratum(record) for name, stratum in log.strata.items()}
            if "filter" in strata and not self._passes(strata["filter"]):
                continue
            count += 1
            if log.samples is not None:
                ids.add(log.columns["id"](record))
            if texts and not getters:
                getters = {name: self._getter(name, record) for name in texts}
            if getters:
                answers = [self._holds(name, get(record)) for name, get in getters.items()]
                if not all(answers):
                    self.left_out["where"] += 1
                    continue
            for name, stratum in strata.items():
                self._strata[name][stratum] += 1
            yield line, record
        self._check(count, len(ids))

    def _of_filter(self) -> Iterator[Row]:
        """The rows of one filter, which is all that is asked for: the usual case, and faster."""
        log, filter_name = self._log, self._selection.filter
        find_filter, find_id = log.strata.get("filter"), None
        if log.samples is not None:
            find_id = log.columns["id"]
        filters: dict[str, int] = {}
        ids = set()
        count = 0
        for row in log.rows:
            record = row[1]
            if find_filter is not None:
                name = find_filter(record)
                filters[name] = filters.get(name, 0) + 1
                if filter_name is not None and name != filter_name:
                    continue
            count += 1
            if find_id is not None:
                ids.add(find_id(record))
            yield row
        self._filters.update(filters)
        if find_filter is not None:
            strata = filters
            if filter_name is not None:
                strata = {filter_name: filters.get(filter_name, 0)}
            self._strata["filter"].update(
                {name: number for name, number in strata.items() if number}
            )
        self._check(count, len(ids))

    def _passes(self, name: str) -> bool:
        self._filters[name] += 1
        return self._selection.filter in (None, name)

    def _holds(self, name: str, value: Any) -> bool:
        """Whether a value is what the command line says, as text or as JSON."""
        text = value if isinstance(value, str) else json.dumps(value, default=str)
        self._values[name][text] += 1
        return text == self._selection.conditions[name]

    def _check(self, count: int, ids: int) -> None:
        """Nothing, if the selection made sense for these rows."""
        name_of_filter = self._selection.filter
        if name_of_filter is not None and name_of_filter not in self._filters:
            raise ValueError(
                f"there is no filter {name_of_filter!r}; there are {_counted(self._filters)}"
            )
        for name, counts in self._values.items():
            text = self._selection.conditions[name]
            if text not in counts:
                raise ValueError(f"no row has {name}={text}; there are {_counted(counts)}")
        for name, counts in self._strata.items():
            if len(counts) > 1 and name == "filter":
                raise ValueError(
                    f"the log has every document once for each filter, {_counted(counts)}; choose "
                    "one with --filter"
                )
            if len(counts) > 1:
                raise ValueError(
                    f"rows of several kinds of {name}, {_counted(counts)}; choose with --where "
                    f"{name}={next(iter(counts))}"
                )
        samples = self._log.samples
        if samples is None or samples in (count, ids):  # with repeats a log may count either
            return
        if not self._selection.incomplete:
            raise ValueError(
                f"the file has {count} samples, but its run had {samples}; take what is there "
                "with --incomplete"
            )
        self.left_out["cut"] = max(samples - count, 0)


def _counted(counts: Mapping[str, int]) -> str:
    listed = [f"{name} ({count} rows)" for name, count in counts.items()]
    return ", ".join(
        listed if len(listed) <= 20 else [*listed[:20], f"and {len(listed) - 20} more"]
    )
