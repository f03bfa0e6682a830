"""Commands made from functions: signatures are the options, docstrings the help."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from inspect import Parameter, getdoc, signature
from pathlib import Path
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import click

from ...module.catalog.usage import UsageError, noted
from ...module.declaration.declarations import arguments
from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Parsed, check_option, choices
from ...statistics.resampling.progress import is_quiet, set_quiet

# The flags of parameters that have others than their names, in all commands.
FLAGS = {
    "predictions": "--predictions -p",
    "references": "--references -r",
    "save": "--save -o",
    "options": "--set",
    "columns": "--column",
    "confidence_level": "--confidence",
    "clusters": "--cluster-by",
    "groups": "--group-by",
    "ids": "--id",
    "source": "--from",
    "format_name": "--format",
    "quiet": "--quiet -q",
    "measures": "--measure -m",
}
# What parameters of functions that also take columns are where their data is in files.
OF_FILES: Mapping[str, Any] = {
    "modules": str | Sequence[str],
    "data": Path | Sequence[Path],
    "predictions": str | Sequence[str] | Mapping[str, str] | None,
    "references": str | Sequence[str] | None,
    "columns": Mapping[str, str] | None,
    "clusters": str | Sequence[str] | None,
    "groups": str | None,
    "ids": str | None,
    "answers": Path | Sequence[Path] | None,
}
_PYTHON_ONLY = ("inputs", "progress")  # of a function
METAVARS = {
    "words": "MODULE|FILE",
    "predictions": "[NAME=]FIELD",
    "references": "FIELD|FILE",
    "bounds": "LOW,HIGH",
    "margin": "[NAME=]LOSS",
}
# Options that the help of a command with many shows first; --help-all shows all.
_COMMON = {
    *("predictions", "references", "options", "preset", "columns", "confidence_level", "clusters"),
    *("groups", "ids", "compare", "scores", "save", "rows", "format_name", "where", "answers"),
    *("missing", "digits", "percent", "table", "sort", "jobs", "help"),
}
_MANY = 24  # options
_ALIASES = {"bh": "benjamini_hochberg"}
_COMMA = re.compile(r",\s*(?![^(]*\))")


class CommandOption(NamedTuple):
    """A parameter of a function as an option or an argument of a command."""

    name: str
    annotation: Any
    default: Any
    help: str

    @property
    def kinds(self) -> list[Any]:
        """Return what a value may be, apart from None."""
        return [kind for kind in _members(self.annotation) if kind is not type(None)]

    @property
    def _collection(self) -> Any:
        """Return the kind of list or mapping that the values of a repeated option are."""
        found = [kind for kind in self.kinds if get_origin(kind) in _COLLECTIONS]
        return found[0] if found else None

    def value(self, typed: Any) -> Any:
        """Return the value of the parameter for what was typed.

        Raises:
            ValueError: it is not valid.
        """
        if typed is None or typed == ():
            return None if self.default is Parameter.empty else self.default
        kind, value = self._collection, typed
        if kind is not None and get_origin(kind) in (dict, Mapping):
            value = self._settings(typed, get_args(kind)[1])
        elif kind is not None:
            texts = [part for t in typed for part in _COMMA.split(t)] if self.is_names else typed
            value = [_value(get_args(kind)[0], text) for text in texts]
        elif bool not in self.kinds:
            value = _value(self.annotation, typed)
        self.check(value)
        return value

    def of_key(self, value: Any) -> Any:
        """Return the value of the parameter for that of a key in a file, a text for a list, too.

        Raises:
            ValueError: it is not valid.
        """
        is_text, kinds = isinstance(value, str), {*self.kinds}
        if is_text and str not in kinds and get_origin(self._collection) in (list, Sequence):
            value, is_text = [value], False
        self.check(value)
        if Path not in {each for kind in kinds for each in (kind, *get_args(kind))}:
            return value
        return Path(value) if is_text else [*map(Path, value)] if isinstance(value, list) else value

    @property
    def is_names(self) -> bool:
        """Return whether one text may have several names."""
        return self.name in ("score", "scores")

    def _settings(self, texts: Sequence[str], kind: Any) -> dict[str, Any]:
        """Return the values of an option such as `--set k=1,2`, by name.

        Raises:
            UsageError: there is no equals sign, or a name has two texts.
        """
        settings: dict[str, Any] = {}
        for text in texts:
            name, equals, value = text.partition("=")
            if float in self.kinds and not equals:
                name, equals, value = "", "=", text
            elif not (name and equals):
                raise OptionError(self.name, f"takes NAME=VALUE, got {text!r}")
            made = parsed(value) if kind is Any else _value(kind, value)
            if kind is str and settings.get(name, made) != made:
                raise OptionError(self.name, f"{name}: is both {settings[name]!r} and {made!r}")
            settings[name] = made
        return settings

    def check(self, value: Any) -> None:
        """Check that the parameter may have this value.

        Raises:
            ValueError: it may not.
        """
        parts = [part for part in get_args(self.annotation) if part is not type(None)]
        is_union = type(None) in get_args(self.annotation)
        kind = Union[tuple(parts)] if is_union else self.annotation  # noqa: UP007
        check_option(self.name, value, kind)

    @property
    def metavar(self) -> str:
        """Return what the help shows for a value."""
        kinds = {item for kind in self.kinds for item in (kind, *get_args(kind)[:1])}
        names = "|".join(choices(self.annotation))
        if self.name in METAVARS or 0 < len(names) < 30:
            return METAVARS.get(self.name, names)
        if get_origin(self._collection) in (dict, Mapping):
            return "NAME=VALUE"
        return "FILE" if Path in kinds else "NUMBER" if {int, float} & kinds else "NAME"

    def argument(self) -> click.Argument:
        """Return the argument of a command."""
        name, is_list = METAVARS.get(self.name, self.name.upper()), self._collection is not None
        return click.Argument(
            [self.name],
            nargs=-1 if is_list else 1,
            required=self.default is Parameter.empty,
            metavar=f"{name}..." if is_list else name,
            help=self.help,
        )

    def option(self, flags: str, *, required: bool) -> click.Option:
        """Return the option of a command."""
        is_shown = self.default not in (None, False, "", (), Parameter.empty)
        text = self.help[:1].upper() + self.help[1:]
        names = [*flags.split(), self.name]
        if bool in self.kinds:
            return click.Option(names, is_flag=True, help=text)
        return click.Option(
            names,
            multiple=self._collection is not None,
            required=required,
            metavar=self.metavar,
            help=text + f" [default: {self.default}]" * is_shown,
            hidden=text == "Hidden.",
        )


_COLLECTIONS = (list, dict, Sequence, Mapping)


def _members(annotation: Any) -> list[Any]:
    """Return the parts of a union, without their bounds."""
    if hasattr(annotation, "__metadata__"):
        base, marker = get_args(annotation)[:2]
        return [Any] if isinstance(marker, Parsed) else _members(base)
    if get_origin(annotation) in (Union, type(int | None)):
        return [member for part in get_args(annotation) for member in _members(part)]
    return [annotation]


def _value(annotation: Any, text: str) -> Any:
    kinds = _members(annotation)
    for kind in (int, float) if {int, float} & {*kinds} else ():
        with suppress(ValueError):
            return kind(text)
    if Path in kinds:
        return Path(text)
    if str in kinds or choices(annotation) or float in kinds:
        return _ALIASES.get(text, text)
    return parsed(text)


def parsed(text: str) -> Any:
    """Return the value of a text: JSON, or numbers with commas, or else the text.

    >>> parsed("0.5"), parsed("1,2"), parsed("ultrarag")
    (0.5, [1, 2], 'ultrarag')
    """
    for json_text in (text, f"[{text}]" if "," in text else text):
        with suppress(ValueError):
            return json.loads(json_text)
    return text


def options_of(
    function: Callable[..., Any], kinds: Mapping[str, Any] | None = None
) -> dict[str, CommandOption]:
    """Return the parameters of a function, or the fields of a class, by name.

    Args:
        function: the function.
        kinds: what parameters are, other than their annotations say.
    """
    hints = {**get_type_hints(function, include_extras=True), **(kinds or {})}
    texts: dict[str, str] = {}
    for documented in reversed(getattr(function, "__mro__", (function,))):
        texts |= arguments(re.sub(r"^( +)\*(\w+:)", r"\1\2", getdoc(documented) or "", flags=re.M))
    found: dict[str, CommandOption] = {}
    for name, parameter in signature(function).parameters.items():
        if parameter.kind is Parameter.VAR_POSITIONAL:
            found[name] = CommandOption(
                name, Sequence[hints[name]], Parameter.empty, texts.get(name, "")
            )
        elif parameter.kind is not Parameter.VAR_KEYWORD and name not in _PYTHON_ONLY:
            found[name] = CommandOption(name, hints[name], parameter.default, texts.get(name, ""))
    return found


class Command(click.Command):
    """A command whose help has common options first."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        options = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        records = {p.name: record for p in options if (record := p.get_help_record(ctx))}
        is_long = len(records) > _MANY
        common = {n: r for n, r in records.items() if not is_long or n in _COMMON}
        with formatter.section("Options"):
            formatter.write_dl(list(common.values()))
        if is_long and ctx.meta.get("all"):
            with formatter.section("Further options"):
                formatter.write_dl([r for name, r in records.items() if name not in common])
        elif is_long:
            formatter.write("\nFurther options: --help-all\n")


class Spec(NamedTuple):
    """How a function is a command."""

    function: Callable[..., Any]
    deliver: Callable[..., int]  # prints what the function returns; returns the exit status
    presentation: type | None = None  # the options of how it is printed
    arguments: Sequence[str] | None = None  # by default all parameters without a default
    kinds: Mapping[str, Any] | None = None  # as in `options_of`
    flags: Mapping[str, str] = {}
    required: Sequence[str] = ()
    hidden: Sequence[str] = ()  # parameters that are no options
    defaults: Mapping[str, Any] = {}
    adapt: Callable[[dict[str, Any]], Any] | None = None  # words to the arguments of the function
    settings: Mapping[str, Any] = {}  # of click


def command(spec: Spec, name: str) -> Command:
    """Return the command of a function."""
    function = spec.function
    listed = options_of(function, spec.kinds)
    for hidden in spec.hidden:
        listed.pop(hidden)
    for changed, default in spec.defaults.items():
        listed[changed] = listed[changed]._replace(default=default)
    words = spec.arguments
    if words is None:
        lacking = [n for n, p in listed.items() if p.default is Parameter.empty]
        words = [n for n in lacking if n not in spec.required]
    for word in words:
        text = "Modules listed by `metric-commons list`, and the files to score."
        listed.setdefault(word, CommandOption(word, Sequence[str], Parameter.empty, text))
    of_presentation = options_of(spec.presentation) if spec.presentation else {}
    flags = {
        each: {**FLAGS, **spec.flags}.get(each, f"--{each.replace('_', '-')}")
        for each in (*listed, *of_presentation, "quiet")
    }
    made: list[click.Parameter] = [listed[word].argument() for word in words]
    made += [
        p.option(flags[p.name], required=p.name in spec.required)
        for p in (*listed.values(), *of_presentation.values())
        if p.name not in words
    ]
    if "quiet" not in listed:
        text = "Show no progress, no notes, and not which files were written."
        made.append(click.Option([*flags["quiet"].split(), "quiet"], is_flag=True, help=text))
    made += _help_all() if len(made) > _MANY else []

    def run(**typed: Any) -> int:
        set_quiet(quiet=typed["quiet"])
        try:
            values = {n: p.value(typed[n]) for n, p in listed.items()}
            shown = {n: p.value(typed[n]) for n, p in of_presentation.items()}
            how = spec.presentation(**shown) if spec.presentation else None
            with noted() as notes:
                status = spec.deliver(spec, values, how)
        except OptionError as error:
            if error.option not in flags:
                raise
            flag = error.option.upper() if error.option in words else flags[error.option].split()[0]
            raise OptionError(flag, error.problem) from error
        for note in () if is_quiet() else dict.fromkeys(notes):
            click.echo(f"note: {note}", err=True)
        return status

    text = (getdoc(function) or "").partition("\n\nArgs:")[0]
    return Command(
        name,
        params=made,
        callback=run,
        help="\n\n".join(_paragraph(part) for part in text.split("\n\n")),
        short_help=text.partition("\n")[0],
        **spec.settings,
    )


def _paragraph(text: str) -> str:
    """Return a paragraph of help; an example is not wrapped."""
    return f"\b\n{text}" if text.startswith("metric-commons") else text


def _help_all() -> list[click.Parameter]:
    def show(context: click.Context, _: Any, is_chosen: bool) -> None:
        if is_chosen:
            context.meta["all"] = True
            click.echo(context.get_help())
            context.exit()

    text = "Show all options."
    flag = {"is_flag": True, "is_eager": True, "hidden": True, "expose_value": False}
    return [click.Option(["--help-all"], callback=show, help=text, **flag)]


def is_chosen(name: str) -> bool:
    """Return whether an option is on the command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def refuse(names: Iterable[str], reason: str) -> None:
    """Check that none of these options is on the command line.

    Args:
        names: the names of parameters.
        reason: the rest of a sentence that begins with the option.

    Raises:
        UsageError: one is.
    """
    flags = {p.name: p.opts[0] for p in click.get_current_context().command.params}
    for name in names:
        if is_chosen(name):
            raise UsageError(f"{flags[name]} {reason}")
