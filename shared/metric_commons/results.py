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
import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import combinations, product
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from .catalog import load
from .checks import nearest
from .comparisons import Comparison, Pair, compare_pairs
from .comparisons import table as table_of
from .rendering import (
    LETTERS,
    Figure,
    Marks,
    Table,
    as_html,
    as_latex,
    as_markdown,
    as_text,
    figures_table,
    label,
    raised,
)

_DISTRIBUTIONS = ("metric-commons", "numpy", "evaluate", "datasets")

# Options about what is reported beside a score; the score itself does not depend on them.
_OF_INTERVALS = ("confidence_level", "n_resamples", "seed")
REPORTING = frozenset({"per_example", "groups", *_OF_INTERVALS})

_NO_MEANS = ("gm_map", "num_")  # scores that are sums or geometric means of those of rows
_LEVEL = 0.95  # of the intervals of differences, unless another level is asked for


class InputError(ValueError):
    """A module refuses the input of one system."""

    def __init__(self, system: str, reason: str) -> None:
        super().__init__(f"system {system!r}: {reason}")
        self.system, self.reason = system, reason


class Fault(NamedTuple):
    """What is wrong with a row of an input."""

    name: str  # of the input
    row: int
    problem: str


def fault(message: str) -> Fault | None:
    """The fault that a message names, if it is about a row.

    >>> fault("predictions[3] is None; every row needs a value")
    Fault(name='predictions', row=3, problem=' is None; every row needs a value')
    """
    found = re.match(r"(\w+)\[(\d+)\](.*)", message, re.DOTALL)
    return Fault(found[1], int(found[2]), found[3]) if found else None


class Stored(ABC):
    """What is kept as JSON of a format of its own, mostly in a file."""

    FORMAT: ClassVar[str]

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain values: the format, and what `from_dict` needs."""

    @classmethod
    @abstractmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`."""

    def to_json(self) -> str:
        """As text in ASCII: any label survives any locale."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The inverse of `to_json`.

        Raises:
            ValueError: the text is something else, or of another version.
        """
        content = json.loads(text)
        if not isinstance(content, dict) or content.get("format") != cls.FORMAT:
            raise ValueError(f"not of the format {cls.FORMAT}")
        try:
            return cls.from_dict(content)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not a whole {cls.FORMAT}: {error}") from error

    def save(self, path: str | Path) -> None:
        """Write a file, whole or not at all."""
        write_whole(path, [self.to_json(), "\n"])

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """What `save` wrote.

        Raises:
            ValueError: the file holds something else.
            OSError: it cannot be read.
        """
        try:
            return cls.from_json(Path(path).read_text("utf-8"))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error


@dataclass(frozen=True, kw_only=True)
class ModuleResult:
    """What one module says about one system."""

    options: dict[str, Any]
    rows: int
    scores: dict[str, Any]
    confidence_interval: dict[str, list[float]]
    groups: dict[str, dict[str, Any]]
    signature: str
    lower_is_better: list[str] = field(default_factory=list)  # names of scores; of others higher is
    per_example: dict[str, list[float]] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """All but the scores of single rows, which have a file of their own."""
        left_out = {"per_example"} if self.lower_is_better else {"per_example", "lower_is_better"}
        return {key: plain(value) for key, value in vars(self).items() if key not in left_out}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`: a score that was undefined is NaN again."""
        numbers = {"scores", "confidence_interval", "groups"}
        return cls(**{key: _again(v) if key in numbers else v for key, v in values.items()})


@dataclass(frozen=True, kw_only=True)
class Results(Stored):
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

    FORMAT = "metric-commons/1"

    systems: dict[str, dict[str, ModuleResult]]
    comparisons: list[dict[str, Any]] = field(default_factory=list)
    provenance: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """What the file holds: plain values, NaN and infinities as None."""
        return {
            "format": self.FORMAT,
            "systems": {
                system: {module: result.to_dict() for module, result in results.items()}
                for system, results in self.systems.items()
            },
            "comparisons": plain(self.comparisons),
            "provenance": plain(self.provenance),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`: a score that was undefined is NaN again."""
        return cls(
            systems={
                system: {name: ModuleResult.from_dict(result) for name, result in results.items()}
                for system, results in content["systems"].items()
            },
            comparisons=[_comparison_again(each) for each in content["comparisons"]],
            provenance=dict(content["provenance"]),
        )

    def to_json(self) -> str:
        """The file's text, indented, in ASCII: any label survives any locale."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    @classmethod
    def read(cls, path: str | Path, per_example: str | Path | None = None) -> Self:
        """The results that `save` wrote, with the scores of rows if their file is given.

        Raises:
            ValueError: a file is not what `save` and `save_per_example` write, or the scores of
                rows belong to other results.
        """
        results = super().read(path)
        if per_example is None:
            return results
        return replace(results, systems=_with_rows(results.systems, per_example))

    def save_per_example(self, path: str | Path) -> None:
        """Write the scores of every row as JSON Lines, whole or not at all."""
        write_whole(path, (json.dumps(record) + "\n" for record in self._per_example()))

    def to_table(self) -> str:
        """Plain text: a row a system, a column a score, four digits; then the signatures."""
        return as_text(self.tables(), self.signatures())

    def to_markdown(self) -> str:
        """The same in Markdown, the best of each score in bold."""
        return as_markdown(self.tables(), self.signatures())

    def to_latex(self) -> str:
        """The same in LaTeX with booktabs, the best of each score in bold."""
        return as_latex(self.tables(), self.signatures())

    def to_html(self) -> str:
        """The same as tables of HTML, the best of each score in bold, to stand in any page."""
        return as_html(self.tables(), self.signatures())

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.to_html()

    def to_csv(self) -> str:
        """Every number in full, one a line, in columns that do not depend on what was asked for.

        A line without a group is about all rows. A line with another system under `versus` is about
        the difference from that system. A cell is empty where there is no number.
        """
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        names = ["system", "group", "module", "score", "value", "low", "high", "rows"]
        lines.writerow([*names, "versus", "p_value", "p_adjusted", "significant"])
        for figure in self.figures():
            *place, value, interval, rows, _ = figure
            numbers = plain([value, *(interval or (None, None))])
            lines.writerow([*place, *numbers, rows, *[None] * 4])
        for each in plain(self.comparisons):
            place = [each["a"], None, self.module_of(each), each["score"], each["diff"]]
            tested = (each.get(n) for n in ("rows", "b", "p_value", "p_adjusted", "significant"))
            lines.writerow([*place, *each["confidence_interval"], *tested])
        return text.getvalue()

    def tables(self) -> list[Table]:
        """The table of scores and, where there are any, those of groups and of comparisons.

        Beside comparisons each system has a letter, and a score those of the systems that it is
        significantly better than. There are letters for 25 systems; of more, which are 300 pairs
        and up, the comparisons alone tell.
        """
        figures = list(self.figures())
        overall = [figure for figure in figures if figure.group is None]
        grouped = [figure for figure in figures if figure.group is not None]
        letters = self.letters()
        if letters:
            scores = figures_table(
                ["", "system"],
                lambda f: [letters[f.system], label(f.system)],
                overall,
                self.marks(),
            )._replace(note="A letter: significantly better than the system of that letter.")
        else:
            scores = figures_table(["system"], lambda f: [label(f.system)], overall)
        tables = [scores]
        if grouped:
            groups = figures_table(
                ["system", "group", "rows"],
                lambda f: [label(f.system), label(str(f.group)), str(f.rows)],
                grouped,
            )
            tables.append(groups._replace(labels=2, best=set()))
        if self.comparisons:
            tables.append(table_of(self.comparisons, self.is_lower_better))
        return tables

    def compare(self, other: "Results", **testing: Any) -> "Results":
        """Systems of these results (A) compared with those of other results (B) on the same rows.

        Both hold the scores of every row. Systems of the same name are compared with each other;
        if no name is in both, each is with each. Where a name is in both it gets the prefix "A: "
        or "B: ".

        Args:
            other: the other results.
            **testing: options of `compare_pairs`: the test, its draws, correction and levels.

        Returns:
            The compared systems with their scores, and the comparisons.

        Raises:
            ValueError: no score that both have of each row; other options, other numbers of rows.

        >>> rows = {"references": ["a", "b", "c"], "per_example": True}
        >>> new = score("qa_em", predictions={"bot": ["a", "b", "c"]}, **rows)
        >>> old = score("qa_em", predictions={"bot": ["a", "x", "y"]}, **rows)
        >>> (found,) = new.compare(old).comparisons
        >>> found["a"], found["b"], round(found["diff"], 4), found["p_value"]
        ('A: bot', 'B: bot', 0.6667, 0.5)
        """
        same = [name for name in self.systems if name in other.systems]
        names = zip(same, same, strict=True) if same else product(self.systems, other.systems)
        pairs: list[Pair] = []
        compared: dict[str, dict[str, ModuleResult]] = {}
        for a, b in names:
            ours, theirs = (f"A: {a}", f"B: {b}") if same else (a, b)
            compared |= {ours: self.systems[a], theirs: other.systems[b]}
            pairs += list(_pairs(ours, self.systems[a], theirs, other.systems[b]))
        if not pairs:
            raise ValueError("there is no score that both results hold of every row")
        inputs = [*self.provenance.get("inputs", []), *other.provenance.get("inputs", [])]
        return Results(
            systems=compared,
            comparisons=comparisons_of(pairs, **testing),
            provenance=provenance(inputs),
        )

    def signatures(self) -> list[str]:
        """Each signature once: systems that were scored or compared alike share them."""
        results = (result for modules in self.systems.values() for result in modules.values())
        compared = (each["signature"] for each in self.comparisons if "signature" in each)
        return list(dict.fromkeys([*(result.signature for result in results), *compared]))

    def module_of(self, comparison: Comparison) -> str:
        """The module of a comparison, which need not say it where one alone has such a score."""
        if "module" in comparison:
            return str(comparison["module"])
        modules = self.systems.get(comparison["a"], {})
        return next(
            (m for m, result in modules.items() if comparison["score"] in result.scores), ""
        )

    def is_lower_better(self, comparison: Comparison) -> bool:
        """Whether the system with the lower mean is the better one."""
        result = self.systems.get(comparison["a"], {}).get(self.module_of(comparison))
        return result is not None and comparison["score"] in result.lower_is_better

    def letters(self) -> dict[str, str]:
        """The letter of each system, if there are comparisons, and letters for all systems."""
        are_marked = self.comparisons and len(self.systems) <= len(LETTERS)
        return dict(zip(self.systems, LETTERS, strict=False)) if are_marked else {}

    def marks(self) -> Marks:
        """Of system, module and score the letters of the systems that are significantly worse."""
        letters = self.letters()
        worse: dict[tuple[str, str, str], str] = {}
        for each in self.comparisons:
            if each["significant"]:
                is_a = (each["diff"] > 0) != self.is_lower_better(each)
                winner, loser = (each["a"], each["b"]) if is_a else (each["b"], each["a"])
                place = winner, self.module_of(each), each["score"]
                worse[place] = worse.get(place, "") + letters.get(loser, "")
        return {place: raised("".join(sorted(found))) for place, found in worse.items()}

    def figures(self) -> Iterator[Figure]:
        """Every score that is a single number, of all rows and of each group."""
        for system, modules in self.systems.items():
            for module, result in modules.items():
                whole = {**result.scores, "n": result.rows}
                for group, scores in [(None, whole), *result.groups.items()]:
                    intervals = result.confidence_interval if group is None else {}
                    for name, value in scores.items():
                        if name != "n" and isinstance(value, int | float):
                            interval, lower = intervals.get(name), name in result.lower_is_better
                            rows = scores["n"]
                            yield Figure(system, group, module, name, value, interval, rows, lower)

    def _per_example(self) -> Iterator[dict[str, Any]]:
        for system, modules in self.systems.items():
            columns: dict[str, list[float]] = {}
            for result in modules.values():
                columns |= result.per_example
            for row, values in enumerate(zip(*columns.values(), strict=True)):
                scores = dict(zip(columns, plain(values), strict=True))
                yield {"row": row, "system": system, "scores": scores}


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
    compare: bool = False,
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
        compare: also compare each two systems, which then need the same rows: a permutation test of
            every score that is a mean of rows, with the same draws for all, and p-values corrected
            by Holm's method over all systems and scores. No p-value is below 1 / (n_resamples + 1)
            where it is drawn, so hundreds of comparisons need more draws.
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
    if compare:
        _check_same_rows(systems, references)
        per_row = [name for name, metric in metrics.items() if "groups" in metric.options]
        if len(systems) < 2 or not per_row:
            raise ValueError(
                "compare needs two systems and a module that scores row by row; there are "
                f"{', '.join(map(repr, systems))} and {', '.join(metrics)}"
            )
    asked = {
        "per_example": per_example,
        "confidence_level": confidence_level is not None,
        "groups": groups is not None,
    }
    check_asked([option for option, is_asked in asked.items() if is_asked], metrics)

    scored: dict[str, dict[str, ModuleResult]] = {system: {} for system in systems}
    steps = [(system, name) for system in systems for name in metrics]
    for system, name in _watched(steps) if progress else steps:
        columns = {
            "predictions": systems[system],
            "references": _of_system("references", references, system),
        }
        reporting = {
            "per_example": per_example or compare,
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
    comparisons = []
    if compare:
        pairs = (p for a, b in combinations(scored, 2) for p in _pairs(a, scored[a], b, scored[b]))
        level = _LEVEL if confidence_level is None else confidence_level
        comparisons = comparisons_of(
            pairs, confidence_level=level, n_resamples=n_resamples, seed=seed
        )
        if not per_example:
            scored = {
                system: {name: replace(result, per_example={}) for name, result in of.items()}
                for system, of in scored.items()
            }
    return Results(systems=scored, comparisons=comparisons, provenance=provenance(inputs))


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
            if option not in REPORTING:
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


def check_asked(options: Iterable[str], metrics: Mapping[str, Any]) -> None:
    """Each option is one of at least one module.

    >>> check_asked(["per_example"], {"qa_em": load("qa_em")})
    """
    for option in options:
        if not any(option in metric.options for metric in metrics.values()):
            raise ValueError(f"{option} is an option of none of the modules: {', '.join(metrics)}")


def inputs_of(metric: Any) -> list[str]:
    """The names of the columns that a module takes.

    >>> inputs_of(load("qa_f1"))
    ['predictions', 'references']
    """
    return list(metric.feature_sets[0])


def signature(module: str, options: Mapping[str, Any], rows: int) -> str:
    """One line that says how a score came about, for the text beside it.

    >>> signature("qa_em", {"normalizer": str.lower, "k": (1, 10)}, 3610)  # doctest: +ELLIPSIS
    'qa_em|normalizer=str.lower|k=1,10|rows=3610|metric-commons ...'
    """
    chosen = [f"{option}={_text(value)}" for option, value in options.items()]
    program = f"{_DISTRIBUTIONS[0]} {version(_DISTRIBUTIONS[0])}"
    return label("|".join([module, *chosen, f"rows={rows}", program]))


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
    rows = len(columns["predictions"])
    return module_result(name, metric, result, rows=rows, options=options, reported=reported)


def module_result(
    name: str,
    metric: Any,
    result: dict[str, Any],
    *,
    rows: int,
    options: Mapping[str, Any],
    reported: Mapping[str, Any],
) -> ModuleResult:
    """What `compute` of `metric`, the module `name`, returned with these options, with its story.

    >>> metric = load("qa_em")
    >>> module_result("qa_em", metric, {"qa_em": 0.5}, rows=2, options={}, reported={}).scores
    {'qa_em': 0.5}
    """
    scores = dict(result)
    beside = {key: scores.pop(key, {}) for key in ("confidence_interval", "groups", "per_example")}
    scoring = {
        option: options.get(option, default)
        for option, default in metric.options.items()
        if option not in REPORTING
    }
    if scoring.get("sample_size") is not None:  # which rows are drawn moves the score
        scoring["seed"] = reported.get("seed", metric.options["seed"])
    resampling = {option: reported[option] for option in _OF_INTERVALS if option in reported}
    return ModuleResult(
        options=scoring | (resampling if beside["confidence_interval"] else {}),
        rows=rows,
        scores=scores,
        signature=signature(name, scoring, rows),
        lower_is_better=[score for score in scores if score in metric.lower_is_better],
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


def means_of_rows(result: ModuleResult) -> dict[str, list[float]]:
    """Of each score that is the mean of rows the scores of all rows, as far as they are there."""
    return {
        name: values
        for name, values in result.per_example.items()
        if not name.lower().startswith(_NO_MEANS)
    }


def _pairs(
    a: str, of_a: Mapping[str, ModuleResult], b: str, of_b: Mapping[str, ModuleResult]
) -> Iterator[Pair]:
    """The scores of rows that two systems share, if they came about in the same way."""
    for module, result in of_a.items():
        columns = means_of_rows(result)
        others = means_of_rows(of_b[module]) if module in of_b else {}
        shared = [name for name in columns if name in others]
        if shared and _scoring(result.options) != _scoring(of_b[module].options):
            raise ValueError(
                f"{module} scored {a!r} and {b!r} with other options: {result.signature} and "
                f"{of_b[module].signature}"
            )
        yield from (Pair(a, b, module, name, columns[name], others[name]) for name in shared)


def _scoring(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that can move a score."""
    return {name: plain(value) for name, value in options.items() if name not in REPORTING}


def comparisons_of(pairs: Iterable[Pair], **testing: Any) -> list[Comparison]:
    """The comparisons of all pairs, each with the signature of how they came about."""
    return [
        each | {"signature": signature("paired_significance", _moving_p(each), each["rows"])}
        for each in compare_pairs(pairs, **testing)
    ]


def _moving_p(comparison: Comparison) -> dict[str, Any]:
    """The options of a comparison that can move its p-value."""
    return {k: v for k, v in comparison["options"].items() if k != "confidence_level"}


def _check_same_rows(systems: Mapping[str, Any], references: Any) -> None:
    """Every system answers the same questions, as far as that can be seen."""
    first, *others = systems
    for other in others:
        rows = [len(systems[first]), len(systems[other])]
        if rows[0] != rows[1]:
            raise ValueError(
                f"systems {first!r} and {other!r} have {rows[0]} and {rows[1]} rows; "
                "only systems with the same rows can be compared"
            )
        ours, theirs = (_of_system("references", references, each) for each in (first, other))
        if ours is theirs:
            continue
        for row, (one, two) in enumerate(zip(ours, theirs, strict=False)):
            if _listed(one) != _listed(two):
                raise ValueError(
                    f"systems {first!r} and {other!r} have different references in row {row}; "
                    "only systems with the same rows can be compared"
                )


def _listed(row: Any) -> Any:
    return row.tolist() if hasattr(row, "tolist") else row


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


def _comparison_again(values: Mapping[str, Any]) -> Comparison:
    """A comparison from a file: a p-value that was undefined is NaN again."""
    told = {"options", "rows"}
    return {name: value if name in told else _again(value) for name, value in values.items()}


def _with_rows(
    systems: Mapping[str, Mapping[str, ModuleResult]], path: str | Path
) -> dict[str, dict[str, ModuleResult]]:
    """Systems with the scores of rows that `save_per_example` wrote."""
    columns: dict[str, dict[str, list[float]]] = {
        system: {name: [] for result in results.values() for name in result.scores}
        for system, results in systems.items()
    }
    rows = dict.fromkeys(systems, 0)
    with Path(path).open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = json.loads(line)
                system, row, scores = record["system"], record["row"], record["scores"]
                if row != rows[system]:
                    raise ValueError(f"row {row} of {system!r}, where {rows[system]} is next")
                for name, value in scores.items():
                    columns[system][name].append(_again(value))
                rows[system] += 1
            except KeyError as error:
                raise ValueError(f"{path}: line {number}: {error} is unknown or missing") from None
            except (ValueError, TypeError, AttributeError) as error:
                raise ValueError(f"{path}: line {number}: {error}") from None
    return {
        system: {
            module: _with_columns(path, system, result, columns[system])
            for module, result in results.items()
        }
        for system, results in systems.items()
    }


def _with_columns(
    path: str | Path, system: str, result: ModuleResult, columns: Mapping[str, list[float]]
) -> ModuleResult:
    """The result with those of the columns that hold its scores, which have to be their means."""
    own = {name: columns[name] for name in result.scores if columns[name]}
    full = replace(result, per_example=own)
    for name, values in own.items():
        if len(values) != result.rows:
            raise ValueError(
                f"{path}: system {system!r} has {len(values)} rows of {name}, but {result.rows} "
                "were scored"
            )
    for name, values in means_of_rows(full).items():
        counting = [value for value in values if not math.isnan(value)]
        average = math.fsum(counting) / len(counting) if counting else math.nan
        stored = result.scores[name]
        if not math.isnan(stored) and not math.isclose(
            average, stored, rel_tol=1e-9, abs_tol=1e-12
        ):
            raise ValueError(
                f"{path}: the mean of {name} of system {system!r} is {average}, but the result "
                f"says {stored}; these are the rows of another result"
            )
    return full
