"""The declarations of a module: its inputs, options and scores, and how it is called.

The signature of `_compute` declares the name, the default and, by its annotation, the valid values
of an option; the Args section of the class docstring describes it. Checks, help and schemas derive
from these.
"""

import inspect
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol

from ...statistics.arguments.checks import OptionError, nearest
from ...statistics.arguments.domains import SHARES, Ranges, check_option, describe, schema

RESULT_FORMAT = "result_format"

_HELP_OF_FORMAT = (
    "the name of a module of `evaluate`, whose inputs, options and result replace those described "
    "here; None for the result below."
)


@dataclass(frozen=True)
class Option:
    """An option of a module."""

    name: str
    default: Any
    annotation: Any
    help: str

    @property
    def accepts(self) -> str:
        """Return the valid values, in words."""
        return describe(self.annotation)

    @property
    def schema(self) -> dict[str, Any]:
        """Return the valid values, as JSON Schema."""
        return schema(self.annotation)

    def check(self, value: Any) -> None:
        """Check a value.

        Raises:
            OptionError: it is not valid.
        """
        if value is not self.default:
            check_option(self.name, value, self.annotation)


def declared_options(compute: Callable[..., Any], docstring: str) -> Mapping[str, Option]:
    r"""Return the options that a signature and a docstring declare, in signature order.

    >>> def compute(*, predictions, beta: float = 1.0):
    ...     pass
    >>> declared_options(compute, "F.\n\nArgs:\n    predictions: labels.\n    beta: of F.")
    {'beta': Option(name='beta', default=1.0, annotation=<class 'float'>, help='of F.')}
    """
    helps = arguments(docstring)
    options: dict[str, Option] = {}
    for parameter in inspect.signature(compute).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            source = _source(parameter)
            declared = declared_options(source, inspect.getdoc(source) or "")
            without = _WITHOUT.get(parameter.name, ())
            options |= {name: o for name, o in declared.items() if name not in without}
        elif parameter.kind is parameter.KEYWORD_ONLY and parameter.default is not parameter.empty:
            annotation = parameter.annotation
            options[parameter.name] = Option(
                parameter.name,
                parameter.default,
                Any if annotation is parameter.empty else annotation,
                helps.get(parameter.name, ""),
            )
    return options


def format_option(names: Iterable[str]) -> dict[str, Option]:
    """Return the option `result_format` with these values, or no option if there are none."""
    values = tuple(names)
    if not values:
        return {}
    annotation = Literal[values] | None  # type: ignore[valid-type] # known only at run time
    return {RESULT_FORMAT: Option(RESULT_FORMAT, None, annotation, _HELP_OF_FORMAT)}


def _source(parameter: inspect.Parameter) -> Callable[..., Any]:
    """Return the function whose keyword-only parameters are the options that `**name` stands for.

    If the name is none of those below, the annotation is the function: `**options: f`.
    """
    from ...statistics.intervals.summary import summarize  # imports numpy

    is_shared = parameter.name in ("summary", "uncertainty")
    return summarize if is_shared else parameter.annotation


# Options of scores of rows alone
_WITHOUT = {"uncertainty": ("per_example", "standard_error")}


def spelled_out(
    compute: Callable[..., Any], further: Mapping[str, Option] = MappingProxyType({})
) -> inspect.Signature:
    """Return the signature of a function, with all options instead of `**summary`."""
    signature = inspect.signature(compute)
    *parameters, final = signature.parameters.values()
    spelled = [final]
    if final.kind is final.VAR_KEYWORD:
        shared = spelled_out(_source(final)).parameters.values()
        without = _WITHOUT.get(final.name, ())
        spelled = [p for p in shared if p.kind is p.KEYWORD_ONLY and p.name not in without]
    extras = [
        inspect.Parameter(
            option.name, final.KEYWORD_ONLY, default=option.default, annotation=option.annotation
        )
        for option in further.values()
    ]
    return signature.replace(parameters=[*parameters, *spelled, *extras])


def completed(docstring: str, options: Mapping[str, Option]) -> str:
    r"""Return the docstring of a class, with the values and the default of each option.

    >>> beta = Option("beta", 1.0, float, "of F.")
    >>> print(completed("F.\n\nArgs:\n    predictions: labels.\n    beta: F.\n", {"beta": beta}))
    F.
    <BLANKLINE>
    Args:
        predictions: labels.
        beta (a number; default 1.0): of F.
    """
    text = inspect.cleandoc(docstring)
    head, _, sections = text.partition("\nArgs:\n")
    tail = sections[len(_indented(sections)) :].removeprefix("\n")
    entries = re.findall(r"^    (?=(\w+))(\S.*(?:\n {8}.*)*)", _indented(sections), re.MULTILINE)
    inputs = [f"    {entry}" for name, entry in entries if name not in options]
    described = [
        textwrap.fill(
            f"{option.name} ({option.accepts}; default {option.default!r}): {option.help}",
            width=96,
            initial_indent=" " * 4,
            subsequent_indent=" " * 8,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for option in options.values()
    ]
    lines = [head, "Args:", *inputs, *described, tail.rstrip()]
    return "\n".join(lines).rstrip("\n")


def _indented(text: str) -> str:
    """Return the leading lines of a text that are indented."""
    match = re.match(r"(?:[ ].*\n?)*", text)
    return match[0].rstrip("\n") if match else ""


def arguments(docstring: str) -> dict[str, str]:
    r"""Return the description of each argument in the Args section of a docstring, on one line.

    The options that `**summary` stands for are described where they are declared.

    >>> arguments("F1.\n\nArgs:\n    k (int): how\n        many.\n\nReturns:\n    x: y.")
    {'k': 'how many.'}
    """
    lines = section(docstring, "Args").split("\n")
    entries: dict[str, str] = {}
    name = ""
    for line in lines:
        entry = re.match(r"(\*{0,2}\w+)(?: \([^)]*\))?:\s*(.*)", line)
        if entry:
            name = entry[1]
            entries[name] = entry[2]
        elif name and line.strip():
            entries[name] += f" {line.strip()}"
    return {name: text for name, text in entries.items() if not name.startswith("*")}


def section(docstring: str, title: str) -> str:
    r"""Return the text of one section of a docstring, dedented.

    >>> section("F1.\n\nReturns:\n    a number\n\nExamples:\n    >>> 1", "Returns")
    'a number'
    """
    text = inspect.cleandoc(docstring)
    match = re.search(rf"^{title}:\n((?:[ ].*\n?|\n)*)", text, re.MULTILINE)
    return inspect.cleandoc(match[1]) if match else ""


class JsonInput(NamedTuple):
    """The JSON values that an input accepts beside texts; they become JSON texts."""

    accepted: Literal["objects", "values"]  # objects and lists of objects, or any values
    mark: str = ""  # before texts that were values, if texts of a model mean something else


OBJECTS, VALUES = JsonInput("objects"), JsonInput("values")


class Module(Protocol):
    """A module, whether its scores are computed from rows or taken from a log.

    The attributes have defaults, which scripts replace.
    """

    # Whether inputs may be dictionaries {query: {document: number}}, or maps as in Spark.
    queries_allowed: bool = False
    arrays_allowed: bool = False  # whether `_compute` takes numpy arrays as well as lists
    nan_allowed: bool = False  # whether float columns may contain NaN
    holes_allowed: bool = False  # whether lists may contain None
    # What rows of files are whose reference is empty, or null.
    empty_references: Literal["refused", "nan", "left out"] = "refused"
    # Names of configurations of evaluate's own modules, which are accepted and ignored.
    configurations: frozenset[str] = frozenset()
    # The modules of evaluate that this one can replace, and the functions for their results.
    stock_formats: Mapping[str, Callable[..., Any]] = MappingProxyType({})
    # The same for modules with an option `result_format` of their own, with defaults of options.
    own_stock_formats: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    # Values of options whose meaning depends on all rows together.
    options_of_all_rows: Mapping[str, Any] = {}
    single_text_allowed: bool = True  # whether a text may replace a list of one text
    single_items_allowed: bool = False  # whether it may do so as an item of a longer list
    # Inputs whose rows may also be values of JSON.
    json_inputs: Mapping[str, JsonInput] = MappingProxyType({})
    # Keys of the result that are not scores, but describe rows or the computation.
    reports: frozenset[str] = frozenset()
    # Keys of the result that are not scores, but hold a text or an object for each row.
    row_texts: frozenset[str] = frozenset()
    # Sums over all rows that must not be 0, and the error if one is; a part of the rows may have 0.
    undefined_without: Mapping[str, str] = {}
    unsigned_allowed: bool = False  # whether ints may be up to 2**64 - 1, rather than 2**63 - 1
    runs_programs: bool = False  # whether it runs programs written by a model
    # How scores follow from rows, which determines what is kept of rows and how systems are
    # compared: "means" of row scores; "outcomes", only some of which may count; "rankings"; "sums"
    # of statistics over the rows; or "counts", functions of all rows together.
    score_kind: str = "means"
    # From the columns of two systems, one after the other, and all options: the influence of each
    # row on each score, by which systems are compared if `score_kind` is "counts". None for the
    # differences that leaving a row out makes.
    influences: "Callable[..., Mapping[str, Any]] | None" = None
    # Scores that are not smooth in the rows, whose differences are drawn with random weights of
    # them. From the columns of a system, and all options: the function of such scores by name, from
    # weights of its rows and of some that may come, (rows, draws), and the number of the latter.
    drawn_scores: frozenset[str] = frozenset()
    weighted_scores: "Callable[..., tuple[Callable[..., Mapping[str, Any]], int]] | None" = None
    # Names of row scores that are in every result, whatever the options.
    always_scored: frozenset[str] = frozenset()
    # The score by which systems are compared; None for the first one of the result.
    main_score: str | None = None
    also_compared: Sequence[str] = ()  # further scores by which they are, where a result has them
    # Scores that are not means of rows: patterns of names, with "sum", "geometric_mean" or "sums".
    # If `score_kind` is "sums", all scores are "sums" unless a module names those that are; the
    # others are then means of rows, and each has a `RowMean` among its distributions.
    aggregation: Mapping[str, str] = MappingProxyType({})
    # The columns of a harness log that are the inputs, in order: texts, or "option_scores" and
    # "truth", or "predicted" and "label", or "outcomes" of all rows of a sample.
    log_columns: tuple[str, ...] = ("prediction", "references")
    # Scores of rows, each with the names that harnesses use for it, in lower case.
    logged_names: tuple[tuple[str, ...], ...] = ()
    # Scores for which lower is better, by name or pattern; for all others higher is better.
    lower_is_better: frozenset[str] = frozenset()
    # Ranges of scores, by patterns of their names: see `arguments.domains.score_range`.
    score_ranges: Ranges = SHARES
    full_error: float = 1.0  # of errors without a highest value: where everything is wrong
    # Options with which only a-z and 0-9 are tokens: that value, and one for other scripts.
    latin_tokens: Mapping[str, tuple[str, str]] = MappingProxyType({})
    # Every option as the script declares it: its default, its valid values, its help.
    declared_options: "Mapping[str, Option]" = MappingProxyType({})

    @property
    def feature_sets(self) -> Sequence[Mapping[str, Any]]:
        """Return the alternatives for the features of the inputs, at least one."""
        ...

    @property
    def input_names(self) -> Sequence[str]:
        """Return the names of the inputs, in order."""
        ...

    @property
    def required_inputs(self) -> Sequence[str]:
        """Return the inputs that no alternative of the features leaves out."""
        alternatives = self.feature_sets
        return [name for name in self.input_names if all(name in f for f in alternatives)]

    @property
    def options(self) -> Mapping[str, Any]:
        """Return every option with the value that `compute` uses by default."""
        ...

    def with_nan(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """Return columns of a table, with NaN in place of None if this module takes NaN.

        In files and tables a missing number is None.
        """
        return {
            name: [math.nan if value is None else value for value in column]
            if self.nan_allowed
            and isinstance(column, list)
            and any(value is None for value in column)  # not by ==, which arrays do not have
            and not any(isinstance(value, str | list) for value in column)
            else column
            for name, column in columns.items()
        }

    def as_rows(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the inputs as rows."""
        return inputs

    def compute(self, *, predictions: Any, **arguments: Any) -> Any:
        """Return the scores by name."""
        ...


# Options that do not affect scores, but only what is reported beside them.
OF_INTERVALS = tuple("confidence_level interval clusters n_resamples seed".split())
OF_SCRIPTS = ("result_format", "signature")  # for scripts written around another module
OF_READING = frozenset({"unparsed"})  # scores of modules that read texts of models
OF_ROWS = ("explain",)  # texts about single rows
REPORTING = frozenset(
    {
        *("per_example", "groups", "standard_error"),
        *(*OF_ROWS, *OF_SCRIPTS, *OF_INTERVALS),
    }
)


_COMMA = re.compile(r",(?![^()]*\))")  # outside parentheses, as in err(max_grade=4,k=5)

# Names of columns that are taken for an input if none is named.
USUAL_NAMES = {
    "predictions": tuple("prediction predictions response output hypothesis y_pred".split()),
    "references": tuple("reference references answer answers target label gold y_true".split()),
}


def meant_input(name: str, inputs: Iterable[str]) -> str:
    """Return a hint at the input that a name probably means, or an empty string.

    >>> meant_input("y_true", ["predictions", "references"]), meant_input("k", ["predictions"])
    ("; did you mean 'references'?", '')
    """
    matches = [i for i in sorted(inputs) if i.startswith(name) or name in USUAL_NAMES.get(i, ())]
    return f"; did you mean {matches[0]!r}?" if matches else ""


def assign(
    options: Mapping[str, Any], defaults: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return the options of each module, from keys `option` and `module.option`, which prevails.

    `defaults` has the defaults of each module. An integer for an option whose default is a float
    becomes a float, so that the same number has the same signature. As on a command line, True and
    False may be texts, and a list of names may be one text.

    >>> defaults = {
    ...     "qa_em": {"normalizer": "squad"},
    ...     "qa_f1": {"normalizer": "squad", "both_empty": 1.0},
    ... }
    >>> assign({"qa_f1.normalizer": "drop", "normalizer": "lower", "both_empty": 0}, defaults)
    {'qa_em': {'normalizer': 'lower'}, 'qa_f1': {'normalizer': 'drop', 'both_empty': 0.0}}
    >>> defaults = {"m": {"lower": False, "measures": ("mae",)}}
    >>> assign({"lower": "True", "measures": "mae,pinball(alpha=0.9)"}, defaults)
    {'m': {'lower': True, 'measures': ['mae', 'pinball(alpha=0.9)']}}
    """
    assigned: dict[str, dict[str, Any]] = {module: {} for module in defaults}
    keys: dict[str, list[tuple[str, str]]] = {}
    for module, module_options in defaults.items():
        for option in module_options:
            if is_assignable(option):
                keys.setdefault(option, []).append((module, option))
                keys[f"{module}.{option}"] = [(module, option)]
    for key in sorted(options, key=lambda key: "." in key):
        if key not in keys:
            names = [name for name in keys if "." not in name]
            hint = nearest(key, keys) or f"; the options are {', '.join(names)}"
            raise OptionError("options", f": there is no option {key!r}{hint}")
        for module, option in keys[key]:
            value, default = options[key], defaults[module][option]
            if type(value) is int and isinstance(default, float):
                value = float(value)
            if isinstance(default, bool) and value in ("True", "False"):
                value = value == "True"
            if isinstance(default, tuple) and isinstance(value, str):
                value = _COMMA.split(value)
            assigned[module][option] = value
    return assigned


def names_of_functions(options: Mapping[str, Any]) -> list[str]:
    """Return the options that are functions, or lists with one, which cannot be stored in a file.

    >>> names_of_functions({"normalizer": str.lower, "extract": ["boxed", len], "ties": "first"})
    ['normalizer', 'extract']
    """
    return [
        name
        for name, value in options.items()
        if any(map(callable, value if isinstance(value, list | tuple) else [value]))
    ]


def check_supported(options: Iterable[str], metrics: Mapping[str, Module]) -> None:
    """Check that each option belongs to at least one module.

    >>> from types import SimpleNamespace
    >>> check_supported(["k"], {"pass_at_k": SimpleNamespace(options={"k": 1})})
    """
    for option in options:
        if not any(option in metric.options for metric in metrics.values()):
            raise OptionError(
                option, f"is not an option of any of the modules: {', '.join(metrics)}"
            )


def is_assignable(option: str) -> bool:
    """Return whether an option can be set for one of several modules that are scored together.

    >>> is_assignable("normalizer"), is_assignable("explain"), is_assignable("seed")
    (True, True, False)
    """
    return option not in REPORTING or option in OF_ROWS


def texts_of_rows(options: Mapping[str, Any]) -> list[str]:
    """Return the options that request texts about single rows.

    >>> texts_of_rows({"explain": True, "rounding": "none"}), texts_of_rows({"explain": False})
    (['explain'], [])
    """
    return [option for option in OF_ROWS if options.get(option)]
