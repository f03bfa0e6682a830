"""The one result: what was scored, how, and what came out.

`score` makes it; the command line, notebooks and every other application print and save it. The
file, format `metric-commons/1`, holds the systems, in each its modules, in each the options, the
number of rows, the scores with their intervals and groups, and a signature to cite.
"""

import csv
import io
import json
import math
import os
import platform
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Self

from .catalog import load
from .checks import nearest

FORMAT = "metric-commons/1"
_DISTRIBUTIONS = ("metric-commons", "numpy", "evaluate", "datasets")

# Options about what is reported beside a score; the score itself does not depend on them.
_OF_INTERVALS = ("confidence_level", "n_resamples", "seed")
_REPORTING = frozenset({"per_example", "groups", *_OF_INTERVALS})


class InputError(ValueError):
    """A module refuses the input of one system."""

    def __init__(self, system: str, reason: str) -> None:
        super().__init__(f"system {system!r}: {reason}")
        self.system, self.reason = system, reason


@dataclass(frozen=True, kw_only=True)
class ModuleResult:
    """What one module says about one system."""

    options: dict[str, Any]
    rows: int
    scores: dict[str, Any]
    confidence_interval: dict[str, list[float]]
    groups: dict[str, dict[str, Any]]
    signature: str
    per_example: dict[str, list[float]] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """All but the scores of single rows, which have a file of their own."""
        return {key: plain(value) for key, value in vars(self).items() if key != "per_example"}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`: a score that was undefined is NaN again."""
        numbers = {"scores", "confidence_interval", "groups"}
        return cls(**{key: _again(v) if key in numbers else v for key, v in values.items()})


class Table(NamedTuple):
    """Header and rows as text. The first `labels` columns name a row, the others hold scores."""

    header: list[str]
    rows: list[list[str]]
    labels: int
    best: set[tuple[int, int]]  # row and column of each best score


class _Figure(NamedTuple):
    """One number of a result; without a group it is about all rows."""

    system: str
    group: str | None
    module: str
    score: str
    value: float
    interval: Sequence[float] | None
    rows: int


@dataclass(frozen=True, kw_only=True)
class Results:
    """Systems, the modules that scored each, and where the input came from.

    >>> results = score("qa_em", predictions=["Paris", "Rome"], references=["paris", "Oslo"])
    >>> results.systems["predictions"]["qa_em"].scores
    {'qa_em': 0.5}
    >>> print(results.to_table())  # doctest: +ELLIPSIS
    system       qa_em
    -----------  -------
    predictions  0.5000
    <BLANKLINE>
    qa_em|normalizer=squad|reference_aggregation=max|rows=2|metric-commons ...
    """

    systems: dict[str, dict[str, ModuleResult]]
    comparisons: list[dict[str, Any]] = field(default_factory=list)
    provenance: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """What the file holds: plain values, NaN and infinities as None."""
        return {
            "format": FORMAT,
            "systems": {
                system: {module: result.to_dict() for module, result in results.items()}
                for system, results in self.systems.items()
            },
            "comparisons": plain(self.comparisons),
            "provenance": plain(self.provenance),
        }

    def to_json(self) -> str:
        """The file's text, in ASCII: any label survives any locale."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    def save(self, path: str | Path) -> None:
        """Write the JSON file, whole or not at all."""
        write_whole(path, [self.to_json(), "\n"])

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """The results that `save` wrote."""
        try:
            content = json.loads(Path(path).read_text("utf-8"))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError(f"{path}: not a result file of the format {FORMAT}")
        return cls(
            systems={
                system: {name: ModuleResult.from_dict(result) for name, result in results.items()}
                for system, results in content["systems"].items()
            },
            comparisons=content["comparisons"],
            provenance=content["provenance"],
        )

    def save_per_example(self, path: str | Path) -> None:
        """Write the scores of every row as JSON Lines, whole or not at all."""
        write_whole(path, (json.dumps(record) + "\n" for record in self._per_example()))

    def to_table(self) -> str:
        """Plain text: a row a system, a column a score, four digits; then the signatures."""
        return self._text("simple", cell=lambda text, best: text, code=str)

    def to_markdown(self) -> str:
        """The same in Markdown, the best of each score in bold."""
        return self._text("github", cell=_markdown, code="    {}".format)

    def to_latex(self) -> str:
        """The same in LaTeX with booktabs, the best of each score in bold."""
        # tabulate escapes what it is given, so commands come in afterwards. No cell has these
        # characters of its own: names with characters that cannot be printed are spelled out.
        text = self._text(
            "latex_booktabs",
            cell=lambda text, best: f"\ue000{text}\ue001" if best else text,
            code="% {}".format,
        )
        return text.replace("\ue000", r"\textbf{").replace("\ue001", "}")

    def to_csv(self) -> str:
        """Every number in full, one a line, in columns that do not depend on what was asked for.

        A line without a group is about all rows; a cell is empty where there is no number.
        """
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(["system", "group", "module", "score", "value", "low", "high", "rows"])
        for figure in self._figures():
            *names, value, interval, rows = figure
            lines.writerow([*names, *plain([value, *(interval or (None, None))]), rows])
        return text.getvalue()

    def tables(self) -> list[Table]:
        """The table of scores and, if the rows were grouped, the table of groups."""
        figures = list(self._figures())
        overall = [figure for figure in figures if figure.group is None]
        grouped = [figure for figure in figures if figure.group is not None]
        scores = _table(["system"], [((label(f.system),), f) for f in overall])
        if not grouped:
            return [scores]
        labels = [((label(f.system), label(str(f.group)), str(f.rows)), f) for f in grouped]
        groups = _table(["system", "group", "rows"], labels)
        return [scores, groups._replace(labels=2, best=set())]

    def signatures(self) -> list[str]:
        """Each signature once: systems that were scored alike share them."""
        results = (result for modules in self.systems.values() for result in modules.values())
        return list(dict.fromkeys(result.signature for result in results))

    def _figures(self) -> Iterator[_Figure]:
        """Every score that is a single number, of all rows and of each group."""
        for system, modules in self.systems.items():
            for module, result in modules.items():
                whole = {**result.scores, "n": result.rows}
                for group, scores in [(None, whole), *result.groups.items()]:
                    intervals = result.confidence_interval if group is None else {}
                    for name, value in scores.items():
                        if name != "n" and isinstance(value, int | float):
                            interval = intervals.get(name)
                            yield _Figure(system, group, module, name, value, interval, scores["n"])

    def _per_example(self) -> Iterator[dict[str, Any]]:
        for system, modules in self.systems.items():
            columns: dict[str, list[float]] = {}
            for result in modules.values():
                columns |= result.per_example
            for row, values in enumerate(zip(*columns.values(), strict=True)):
                scores = dict(zip(columns, plain(values), strict=True))
                yield {"row": row, "system": system, "scores": scores}

    def _text(
        self, style: str, *, cell: Callable[[str, bool], str], code: Callable[[str], str]
    ) -> str:
        from tabulate import tabulate

        parts = []
        for table in self.tables():
            rows = [
                [cell(text, (i, j) in table.best) for j, text in enumerate(row)]
                for i, row in enumerate(table.rows)
            ]
            parts.append(tabulate(rows, table.header, tablefmt=style, disable_numparse=True))
        return "\n\n".join([*parts, "\n".join(map(code, self.signatures()))])


def score(
    modules: str | Iterable[str],
    *,
    predictions: Sequence[Any] | Mapping[str, Sequence[Any]],
    references: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    options: Mapping[str, Any] | None = None,
    confidence_level: float | None = None,
    n_resamples: int = 10_000,
    seed: int = 0,
    groups: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    per_example: bool = False,
    inputs: Iterable[Mapping[str, Any]] = (),
    progress: bool = False,
) -> Results:
    """The results of every module on every system.

    Args:
        modules: a name, or several.
        predictions: of one system, or of each system by its name.
        references: the same for all systems, or of each system; None if no module needs them.
        options: of the modules; the key `option` is for every module that has it, the key
            `module.option` for one.
        confidence_level: of the intervals, such as 0.95; None for no intervals.
        n_resamples: how often the intervals resample.
        seed: of the resampling.
        groups: a label a row, the same for all systems or of each system.
        per_example: also keep the scores of every row.
        inputs: where the rows came from, for the provenance.
        progress: show a bar on stderr if it takes longer than a second.

    Raises:
        ValueError: an unknown module or option, or input that a module refuses.

    >>> systems = {"a": ["Paris", "Rome"], "b": ["Paris", "Oslo"]}
    >>> results = score(["qa_em", "qa_f1"], predictions=systems, references=["paris", "oslo"])
    >>> [results.systems[name]["qa_em"].scores["qa_em"] for name in systems]
    [0.5, 1.0]
    >>> score("qa_em", predictions=["a"], references=["a"], options={"normaliser": "lower"})
    Traceback (most recent call last):
    ValueError: there is no option 'normaliser'; did you mean 'normalizer'?
    """
    metrics = {name: load(name) for name in ([modules] if isinstance(modules, str) else modules)}
    systems = predictions if isinstance(predictions, Mapping) else {"predictions": predictions}
    if not metrics or not systems:
        raise ValueError("scoring needs at least one module and one system")
    own = assign(options or {}, {name: metric.options for name, metric in metrics.items()})
    asked = {
        "per_example": per_example,
        "confidence_level": confidence_level is not None,
        "groups": groups is not None,
    }
    for option, is_asked in asked.items():
        if is_asked and not any(option in metric.options for metric in metrics.values()):
            raise ValueError(f"{option} is an option of none of the modules: {', '.join(metrics)}")

    scored: dict[str, dict[str, ModuleResult]] = {system: {} for system in systems}
    steps = [(system, name) for system in systems for name in metrics]
    for system, name in _watched(steps) if progress else steps:
        columns = {
            "predictions": systems[system],
            "references": _of_system("references", references, system),
        }
        reporting = {
            "per_example": per_example,
            "confidence_level": confidence_level,
            "n_resamples": n_resamples,
            "seed": seed,
            "groups": _of_system("groups", groups, system),
        }
        try:
            result = _module_result(name, metrics[name], columns, own[name], reporting)
        except ValueError as error:
            raise InputError(system, str(error)) from error
        scored[system][name] = result
    return Results(systems=scored, provenance=provenance(inputs))


def assign(
    options: Mapping[str, Any], defaults: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """The options of each module, from keys `option` and `module.option`; the longer key wins.

    `defaults` holds what each module has. An integer for an option whose
    default is a float becomes one: the same number, so the same signature.

    >>> known = {
    ...     "qa_em": {"normalizer": "squad"},
    ...     "qa_f1": {"normalizer": "squad", "both_empty": 1.0},
    ... }
    >>> assign({"qa_f1.normalizer": "drop", "normalizer": "lower", "both_empty": 0}, known)
    {'qa_em': {'normalizer': 'lower'}, 'qa_f1': {'normalizer': 'drop', 'both_empty': 0.0}}
    """
    assigned: dict[str, dict[str, Any]] = {module: {} for module in defaults}
    keys: dict[str, list[tuple[str, str]]] = {}
    for module, own in defaults.items():
        for option in own:
            if option not in _REPORTING:
                keys.setdefault(option, []).append((module, option))
                keys[f"{module}.{option}"] = [(module, option)]
    for key in sorted(options, key=lambda key: "." in key):
        if key not in keys:
            hint = nearest(key, keys) or f"; the options are {', '.join(keys)}"
            raise ValueError(f"there is no option {key!r}{hint}")
        for module, option in keys[key]:
            value = options[key]
            is_whole = type(value) is int and type(defaults[module][option]) is float
            assigned[module][option] = float(value) if is_whole else value
    return assigned


def inputs_of(metric: Any) -> list[str]:
    """The names of the columns that a module takes.

    >>> inputs_of(load("qa_f1"))
    ['predictions', 'references']
    """
    shapes = metric.features if isinstance(metric.features, list) else [metric.features]
    return list(shapes[0])


def signature(module: str, options: Mapping[str, Any], rows: int) -> str:
    """One line that says how a score came about, for the text beside it.

    >>> signature("qa_em", {"normalizer": str.lower, "k": (1, 10)}, 3610)  # doctest: +ELLIPSIS
    'qa_em|normalizer=str.lower|k=1,10|rows=3610|metric-commons ...'
    """
    chosen = [f"{option}={_text(value)}" for option, value in options.items()]
    program = f"{_DISTRIBUTIONS[0]} {version(_DISTRIBUTIONS[0])}"
    return "|".join([module, *chosen, f"rows={rows}", program])


def plain(value: Any) -> Any:
    """`value` as JSON can hold it: NaN and infinities as None, a function by its name.

    >>> plain({"roc_auc": float("nan"), "k": (1, 10), "normalizer": str.lower})
    {'roc_auc': None, 'k': [1, 10], 'normalizer': 'str.lower'}
    """
    match value:
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return _text(value) if callable(value) else value


def write_whole(path: str | Path, pieces: Iterable[str | bytes]) -> None:
    """Write a file whole or not at all: a temporary file beside it, renamed at the end.

    Folders above it are made. Whatever stops the writing, a file that was there stays as it was.
    """
    target = Path(path).resolve()  # a link keeps pointing to the file
    if target.exists() and not target.is_file():
        raise ValueError(f"{path} is not a file")  # renaming would replace a folder or a device
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            file.writelines(p if isinstance(p, bytes) else p.encode() for p in pieces)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)


def _module_result(
    name: str,
    metric: Any,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
    reporting: Mapping[str, Any],
) -> ModuleResult:
    """What `metric`, the module `name`, says about those of the columns that it takes."""
    given = {column: columns[column] for column in inputs_of(metric)}
    reported = {option: value for option, value in reporting.items() if option in metric.options}
    result = metric.compute(**given, **options, **reported)
    beside = {key: result.pop(key, {}) for key in ("confidence_interval", "groups", "per_example")}

    rows = len(columns["predictions"])
    scoring = {
        option: options.get(option, default)
        for option, default in metric.options.items()
        if option not in _REPORTING
    }
    resampling = {option: reported[option] for option in _OF_INTERVALS if option in reported}
    return ModuleResult(
        options=scoring | (resampling if beside["confidence_interval"] else {}),
        rows=rows,
        scores=result,
        signature=signature(name, scoring, rows),
        **beside,
    )


def _of_system(name: str, columns: Any, system: str) -> Any:
    """The column of one system, where each has its own; else the column all share."""
    if not isinstance(columns, Mapping):
        return columns
    if system not in columns:
        raise ValueError(f"there are no {name} for system {system!r}")
    return columns[system]


def _watched(steps: Sequence[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    from tqdm import tqdm

    bar: Iterable[tuple[str, str]] = tqdm(steps, "scoring", delay=1, leave=False)
    return bar


def provenance(inputs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Where the rows came from, which versions scored them, and when."""
    versions = {name: version(name) for name in _DISTRIBUTIONS}
    return {
        "inputs": [dict(source) for source in inputs],
        "versions": versions | {"python": platform.python_version()},
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _table(labels: list[str], figures: Iterable[tuple[tuple[str, ...], _Figure]]) -> Table:
    """Figures by their labels: a row for those that share them, a column for each score."""
    cells: dict[tuple[str, ...], dict[tuple[str, str], _Figure]] = {}
    for names, figure in figures:
        cells.setdefault(names, {})[figure.module, figure.score] = figure
    columns = list(dict.fromkeys(column for row in cells.values() for column in row))
    best = set()
    for j, column in enumerate(columns, start=len(labels)):
        values = [row[column].value if column in row else math.nan for row in cells.values()]
        top = max((value for value in values if not math.isnan(value)), default=None)
        if len(values) > 1:  # a single row has nothing to be better than
            best |= {(i, j) for i, value in enumerate(values) if value == top}
    rows = [
        [*names, *(_cell(row[column]) if column in row else "" for column in columns)]
        for names, row in cells.items()
    ]
    return Table([*labels, *(score for _, score in columns)], rows, len(labels), best)


def _cell(figure: _Figure) -> str:
    """Four digits, and the interval if there is one; counts as they are."""
    text = str(figure.value) if isinstance(figure.value, int) else f"{figure.value:.4f}"
    if figure.interval is None:
        return text
    low, high = figure.interval
    return f"{text} [{low:.4f}, {high:.4f}]"


def label(name: str) -> str:
    r"""`name` on one printable line.

    >>> print(label("Zürich"), label("a\n\ud800"))
    Zürich a\n\ud800
    """
    return name if name.isprintable() else ascii(name)[1:-1]


def _markdown(text: str, best: bool) -> str:
    text = text.replace("|", r"\|")
    return f"**{text}**" if best else text


def _text(value: Any) -> str:
    """An option's value in a signature."""
    if isinstance(value, list | tuple):
        return ",".join(map(_text, value))
    if callable(value):
        return str(getattr(value, "__qualname__", type(value).__name__))
    return str(value)


def _again(value: Any) -> Any:
    """`value` from a file, with NaN where `plain` wrote None."""
    match value:
        case None:
            return math.nan
        case dict():
            return {key: _again(item) for key, item in value.items()}
        case list():
            return [_again(item) for item in value]
    return value
