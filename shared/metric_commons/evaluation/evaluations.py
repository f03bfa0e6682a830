"""One evaluation, whether a command line or a file asks for it: what to read, and how to score."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..files.tables import Source
from ..numbers.checks import RowError, check_labels
from . import catalog
from .arguments import assign, check_asked, inputs_of
from .presets import options_of, preset
from .results import ModuleResult, Results
from .scoring import InputError, score

if TYPE_CHECKING:
    from .parts import Part
    from .state import State

_ROWS = 2048  # of a block: enough to score at full speed, few enough to hold long texts


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What is scored, with what, and what is wanted besides."""

    modules: Sequence[str]
    systems: Mapping[str, tuple[Path, str]]  # the file and the field of the predictions
    fields: Mapping[str, str | None]  # of references, groups and id
    common: Path | None = None  # the file of these fields; None if each system's file has its own
    form: str | None = None
    limit: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  # as `results.score` takes them
    preset: str | None = None
    bootstrap: Mapping[str, Any] = field(default_factory=dict)
    compare: bool = False
    per_example: bool = False

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """The modules by their names, each loaded once: it takes evaluate 50 ms."""
        return {name: catalog.load(name) for name in self.modules}

    def inputs(self) -> list[Path]:
        """The files that are read."""
        return list(dict.fromkeys([*filter(None, [self.common]), *self._paths()]))

    def results(self) -> Results:
        """The scores of every system and, if it is asked for, every two of them compared.

        Raises:
            ValueError: a file is not what it should be, or a module refuses what is in it.
            OSError: a file cannot be read.
        """
        at_once = self._needs_all_rows()
        results = self._at_once() if at_once else self.part().results(**self.bootstrap)
        told = results.provenance | {"columns": self._columns()}
        return signed(replace(results, provenance=told), self.preset)

    def _needs_all_rows(self) -> bool:
        """Whether rows cannot be forgotten: wanted again, matched, or not scored one by one."""
        matched = self.common is not None and set(self._paths()) != {self.common}
        one_by_one = all("groups" in metric.options for metric in self.metrics.values())
        return self.per_example or self.compare or matched or not one_by_one

    def part(self) -> "Part":
        """The states of every system and module, to be merged with those of other rows.

        Raises:
            ValueError: a file is not what it should be, or a module refuses what is in it.
            OSError: a file cannot be read.
        """
        from .parts import Part
        from .state import State

        asked = {
            "confidence_level": self.bootstrap.get("confidence_level"),
            "groups": self.fields.get("groups"),
        }
        check_asked([option for option, value in asked.items() if value is not None], self.metrics)
        own = assign(self._all_options(), self._known_options())
        states = {
            system: {module: State(module, **own[module]) for module in self.modules}
            for system in self.systems
        }
        sources = {path: self.source(path) for path in self.inputs()}
        for path, source in sources.items():
            before = 0
            labels: dict[str, Any] = {}
            for block in source.blocks(_ROWS):
                for system in (name for name, (of, _) in self.systems.items() if of == path):
                    try:
                        self._update(system, states[system], block)
                        groups = block.get(self.fields.get("groups") or "", [])
                        check_labels("groups", groups, len(groups), labels)
                    except ValueError as error:
                        refused = InputError(system, error)
                        raise self.located(refused, sources, before) from error
                before = source.rows
        return Part(states, [source.provenance() for source in sources.values()], self.preset)

    def _update(
        self, system: str, states: Mapping[str, "State"], block: Mapping[str, list[Any]]
    ) -> None:
        """Take a block of rows into the states of one system."""
        fields = {**self.fields, "predictions": self.systems[system][1]}
        columns = {name: block[field] for name, field in fields.items() if field is not None}
        for module, state in states.items():
            given = {name: columns[name] for name in inputs_of(self.metrics[module])}
            has_groups = "groups" in self.metrics[module].options
            state.update(
                **given,
                groups=columns.get("groups") if has_groups else None,
                ids=columns.get("id") if module == "ir_ranking" else None,
            )

    def _at_once(self) -> Results:
        """From rows that are kept: for scores of single rows, and rows that several files share."""
        sources = {path: self.source(path) for path in self.inputs()}
        columns = {path: source.columns() for path, source in sources.items()}
        self._check_rows(sources, columns)

        def of_each_system(name: str) -> dict[str, list[Any]] | None:
            chosen = self.fields.get(name)
            if chosen is None:
                return None
            return {
                system: columns[self.common or path][chosen]
                for system, (path, _) in self.systems.items()
            }

        try:
            results = score(
                self.modules,
                predictions={name: columns[path][f] for name, (path, f) in self.systems.items()},
                references=of_each_system("references"),
                groups=of_each_system("groups"),
                options=self._all_options(),
                per_example=self.per_example,
                compare=self.compare,
                inputs=[source.provenance() for source in sources.values()],
                progress=True,
                **self.bootstrap,
            )
        except InputError as error:
            raise self.located(error, sources) from error
        return results

    def _columns(self) -> dict[str, dict[str, dict[str, str | None]]]:
        """Of each system the file, its format and the field of every column, to find rows again."""
        return {
            system: {
                name: {"path": str(source), "format": self.form, "field": chosen}
                for name, source, chosen in [
                    ("predictions", path, predictions),
                    *((name, self.common or path, of) for name, of in self.fields.items() if of),
                ]
            }
            for system, (path, predictions) in self.systems.items()
        }

    def _paths(self) -> Iterator[Path]:
        return (path for path, _ in self.systems.values())

    def source(self, path: Path) -> Source:
        """A file, to be read as far as it is needed."""
        own = [chosen for of, chosen in self.systems.values() if of == path]
        rest = {name: chosen for name, chosen in self.fields.items() if chosen is not None}
        if self.common not in (None, path):
            rest = {name: chosen for name, chosen in rest.items() if name == "id"}
        fields = list(dict.fromkeys([*own, *rest.values()]))
        inputs: dict[str, list[str | None]] = {
            "predictions": [*own],
            "references": [rest.get("references")],
        }
        numbers = {
            name
            for key, names in inputs.items()
            if self._takes_numbers(key)
            for name in filter(None, names)
        }
        return Source(
            path, fields, form=self.form, limit=self.limit, numbers=numbers, progress=True
        )

    def _takes_numbers(self, key: str) -> bool:
        """Whether numbers will do for an input of all modules that have it."""
        having = [metric for metric in self.metrics.values() if key in inputs_of(metric)]
        return all(
            any("int64" in str(of[key]) or "float64" in str(of[key]) for of in metric.feature_sets)
            for metric in having
        )

    def _check_rows(
        self, sources: Mapping[Path, Source], columns: Mapping[Path, Mapping[str, list[Any]]]
    ) -> None:
        """What files have in common is the same in every row, where rows are taken as the same."""
        if self.common is None and not self.compare:
            return
        (first, given), *others = columns.items()
        for path, own in others:
            if sources[path].rows != sources[first].rows:
                raise ValueError(
                    f"{path} has {sources[path].rows} rows, but {first} has {sources[first].rows}; "
                    "systems are compared on the same rows"
                )
            for chosen in filter(None, map(self.fields.get, ("id", "references", "groups"))):
                if chosen in own and chosen in given and own[chosen] != given[chosen]:
                    pairs = zip(own[chosen], given[chosen], strict=True)
                    row = next(i for i, (ours, theirs) in enumerate(pairs) if ours != theirs)
                    raise ValueError(
                        f"{path}: {sources[path].location(row)}: field {chosen!r} is not that of "
                        f"{first}; systems are compared on the same rows"
                    )

    def _all_options(self) -> dict[str, Any]:
        """The options of each module: what the preset says, then what was asked for."""
        asked = assign(self.options, self._known_options())
        return options_of(self.preset, self.modules) | {
            f"{module}.{option}": value
            for module in asked
            for option, value in asked[module].items()
        }

    def _known_options(self) -> dict[str, dict[str, Any]]:
        return {name: metric.options for name, metric in self.metrics.items()}

    def located(
        self, error: InputError, sources: Mapping[Path, Source], before: int = 0
    ) -> ValueError:
        """A module's complaint about `predictions[12]`, with the file's names for it.

        `before` are the rows of earlier blocks, which the module does not know of.
        """
        path, predictions = self.systems[error.system]
        names = {"predictions": predictions, **self.fields}
        wrong = error.error
        if not isinstance(wrong, RowError) or wrong.column not in names:
            return wrong
        file = path if wrong.column == "predictions" else self.common or path
        place = sources[file].location(before + wrong.row)
        return ValueError(f"{file}: {place}: {wrong.about(f'field {names[wrong.column]!r}')}")


def signed(results: Results, name: str | None) -> Results:
    """Results with the name of a preset where it holds: in signatures and the provenance."""
    if name is None:
        return results
    own = preset(name).modules

    def named(module: str, result: ModuleResult) -> ModuleResult:
        if any(result.options[option] != value for option, value in own[module].items()):
            return result
        first, rest = result.signature.split("|", 1)
        return replace(result, signature=f"{first}|preset={name}|{rest}")

    systems = {
        system: {module: named(module, result) for module, result in modules.items()}
        for system, modules in results.systems.items()
    }
    return replace(results, systems=systems, provenance=results.provenance | {"preset": name})
