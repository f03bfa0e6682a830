"""The rows of a log that count: of one filter, with the values of conditions, and complete."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from ..files.json_rows import Row
from ..harness_logs.logs import Column, Log


class Selection(NamedTuple):
    """The rows to select.

    `conditions` maps paths to the texts that their values must have; `incomplete` accepts logs that
    are cut off or whose run did not finish; rows without a value at a path of `labelled` are left
    out.
    """

    filter: str | None = None
    conditions: Mapping[str, str] = {}
    incomplete: bool = False
    labelled: Collection[str] = ()


class Selected:
    """The selected rows of a log, with counts of the excluded ones.

    Rows of several variants, such as two filters that log every document twice, are an error after
    the last row, since a mean over all of them would be meaningless.
    """

    def __init__(self, log: Log, selection: Selection) -> None:
        self._log, self._selection = log, selection
        self.excluded: Counter[str] = Counter()
        self._variants: dict[str, Counter[str]] = {name: Counter() for name in log.variants}
        self._filters: Counter[str] = Counter()
        self._values: dict[str, Counter[str]] = {name: Counter() for name in selection.conditions}

    def __iter__(self) -> Iterator[Row]:
        log, chosen = self._log, self._selection
        if log.problem and not chosen.incomplete:
            raise ValueError(f"{log.problem}; accept it with --incomplete")
        if chosen.filter is not None and "filter" not in log.variants:
            raise ValueError(f"rows of the format {log.format_name} have no filters")
        if not (chosen.conditions or chosen.labelled or log.variants or log.samples):
            return log.rows
        return self._rows()

    def _rows(self) -> Iterator[Row]:
        """Yield the rows of one filter that satisfy the conditions."""
        log, chosen = self._log, self._selection
        find_id = log.columns["id"] if log.samples is not None else None
        getters: dict[str, Column] | None = None
        ids = set()
        count = 0
        for row in log.rows:
            record = row[1]
            if chosen.filter is not None:
                name = log.variants["filter"](record)
                self._filters[name] += 1
                if name != chosen.filter:
                    continue
            count += 1
            if find_id is not None:
                ids.add(find_id(record))
            if getters is None:
                paths = *chosen.conditions, *chosen.labelled
                getters = {path: log.getter(path, record) for path in paths}
            answers = [self._holds(path, getters[path](record)) for path in chosen.conditions]
            if not all(answers):
                self.excluded["where"] += 1
                continue
            if any(getters[path](record) in ("", None) for path in chosen.labelled):
                self.excluded["unlabelled"] += 1
                continue
            for variant, find in log.variants.items():
                self._variants[variant][find(record)] += 1
            yield row
        self._check(count, len(ids))

    def _holds(self, name: str, value: Any) -> bool:
        """Return whether a value equals that of the command line, as text or as JSON."""
        text = value if isinstance(value, str) else json.dumps(value, default=str)
        self._values[name][text] += 1
        return text == self._selection.conditions[name]

    def _check(self, count: int, ids: int) -> None:
        """Check that the selection matched rows, and that they are complete and of one variant."""
        name_of_filter = self._selection.filter
        if name_of_filter is not None and name_of_filter not in self._filters:
            raise ValueError(
                f"there is no filter {name_of_filter!r}; there are {_counted(self._filters)}"
            )
        for name, counts in self._values.items():
            text = self._selection.conditions[name]
            if text not in counts:
                raise ValueError(f"no row has {name}={text}; there are {_counted(counts)}")
        for name, counts in self._variants.items():
            if len(counts) > 1:
                option = "--filter" if name == "filter" else f"--where {name}={next(iter(counts))}"
                raise ValueError(
                    f"rows of several kinds of {name}, {_counted(counts)}; choose with {option}"
                )
        samples = self._log.samples
        if samples is None or samples in (count, ids):  # a log with repeats may count either
            return
        if not self._selection.incomplete:
            raise ValueError(
                f"the file has {count} samples, but its run had {samples}; accept it with "
                "--incomplete"
            )
        self.excluded["cut"] = max(samples - count, 0)


def _counted(counts: Mapping[str, int]) -> str:
    listed = [f"{name} ({count} rows)" for name, count in counts.items()]
    return ", ".join(
        listed if len(listed) <= 20 else [*listed[:20], f"and {len(listed) - 20} more"]
    )
