"""Commands made from functions: signatures are the options, docstrings the help."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from inspect import Parameter, getdoc, signature
from pathlib import Path
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import click

from ...module.catalog.usage import noted
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
_METAVARS = {"predictions": "[NAME=]FIELD", "references": "FIELD|FILE", "words": "MODULE|FILE"}
# Options that the help of a command with many shows first; --help-all shows all.
_COMMON = {
    *("predictions", "references", "options", "preset", "columns", "confidence_level", "clusters"),
    *("groups", "ids", "compare", "scores", "save", "rows", "format_name", "where", "answers"),
    *("missing", "digits", "percent", "table", "sort", "jobs", "help"),
}
_MANY = 24  # options
_COMMA = re.compile(r",\s*(?![^(]*\))")
_QUIET = "Show no progress, no notes, and not which files were written."


class CommandOption(NamedTuple):
    """A parameter of a function as an option or an argument of a command, or a key of a file."""

    name: str
    annotation: Any
    default: Any
    help: str

    @property
    def kinds(self) -> list[Any]:
        """Return what a value may be."""
        return _members(self.annotation)

    def has(self, *collections: Any) -> bool:
        """Return whether a value may be one of these collections."""
        return any(get_origin(kind) in collections for kind in self.kinds)

    @property
    def is_list(self) -> bool:
        """Return whether an option may be repeated."""
        return self.has(list, Sequence, Mapping)

    def typed(self, words: Any) -> Any:
        """Return the value of the parameter for what was typed.

        Raises:
            ValueError: it is not valid.
        """
        if words is None or words == ():
            return None if self.default is Parameter.empty else self.default
        by_origin = {get_origin(kind): get_args(kind) for kind in self.kinds}
        if items := by_origin.get(list) or by_origin.get(Sequence):
            parts = [part for text in words for part in _COMMA.split(text)]
            value: Any = [_value(items[0], t) for t in (parts if "score" in self.name else words)]
        elif items := by_origin.get(Mapping):
            value = self._settings(words, items[1])
        else:
            value = words if bool in self.kinds else _value(self.annotation, words)
        check_option(self.name, value, _without_none(self.annotation))
        return value

    def _settings(self, texts: Sequence[str], kind: Any) -> dict[str, Any]:
        """Return the values of an option such as `--set k=1,2`, by name."""
        settings: dict[str, Any] = {}
        for text in texts:
            name, equals, value = text.partition("=")
            if not (name and equals):
                raise OptionError(self.name, f"takes NAME=VALUE, got {text!r}")
            made = parsed(value) if kind is Any else _value(kind, value)
            if kind is str and settings.get(name, made) != made:
                raise OptionError(self.name, f"{name}: is both {settings[name]!r} and {made!r}")
            settings[name] = made
        return settings

    def of_key(self, value: Any) -> Any:
        """Return the value of the parameter for that of a key in a file, a text for a list, too.

        Raises:
            ValueError: it is not valid.
        """
        if isinstance(value, str) and str not in self.kinds and Path not in self.kinds:
            value = [value] if self.has(Sequence) else value
        check_option(self.name, value, _without_none(self.annotation))
        if Path in self.kinds:
            return [*map(Path, value)] if isinstance(value, list) else value and Path(value)
        return value

    @property
    def metavar(self) -> str:
        """Return what the help shows for a value."""
        names = "|".join(choices(self.annotation))
        plain = "NAME=VALUE" if self.has(Mapping) else "FILE" if Path in self.kinds else "VALUE"
        return _METAVARS.get(self.name) or (names if 0 < len(names) < 30 else plain)

    def argument(self) -> click.Argument:
        """Return the argument of a command."""
        name = _METAVARS.get(self.name, self.name.upper())
        return click.Argument(
            [self.name],
            nargs=-1 if self.is_list else 1,
            required=self.default is Parameter.empty,
            metavar=f"{name}..." if self.is_list else name,
            help=self.help,
        )

    def option(self, flags: str, *, required: bool) -> click.Option:
        """Return the option of a command."""
        is_shown = self.default not in (None, False, "", (), Parameter.empty)
        text = self.help[:1].upper() + self.help[1:]
        is_flag = bool in self.kinds
        return click.Option(
            [*flags.split(), self.name],
            is_flag=is_flag or None,  # False would let an option go without its value
            multiple=self.is_list,
            required=required,
            metavar=None if is_flag else self.metavar,
            help=text + f" [default: {self.default}]" * is_shown,
            hidden=text == "Hidden.",
        )


def _members(annotation: Any) -> list[Any]:
    """Return the parts of a union, without their bounds."""
    if hasattr(annotation, "__metadata__"):
        base, marker = get_args(annotation)[:2]
        return [Any] if isinstance(marker, Parsed) else _members(base)
    if get_origin(annotation) in (Union, type(int | None)):
        return [member for part in get_args(annotation) for member in _members(part)]
    return [annotation]


def _without_none(annotation: Any) -> Any:
    """Return an annotation without None, which cannot be typed."""
    parts = [part for part in get_args(annotation) if part is not type(None)]
    return Union[tuple(parts)] if type(None) in get_args(annotation) else annotation  # noqa: UP007


def _value(annotation: Any, text: str) -> Any:
    kinds = _members(annotation)
    for kind in (int, float) if {int, float} & {*kinds} else ():
        with suppress(ValueError):
            return kind(text)
    if Path in kinds:
        return Path(text)
    return text if choices(annotation) or Any not in kinds else parsed(text)


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
        text = re.sub(r"^( +)\*(\w+:)", r"\1\2", getdoc(documented) or "", flags=re.MULTILINE)
        texts |= arguments(text)
    options: dict[str, CommandOption] = {}
    for name, parameter in signature(function).parameters.items():
        kind, default = hints[name], parameter.default
        if parameter.kind is Parameter.VAR_POSITIONAL:
            kind, default = Sequence[kind], Parameter.empty  # type: ignore[valid-type]
        if parameter.kind is not Parameter.VAR_KEYWORD and name not in _PYTHON_ONLY:
            options[name] = CommandOption(name, kind, default, texts.get(name, ""))
    return options


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
    adapt: Callable[[dict[str, Any], Any], Any] | None = None  # calls the function with its words
    settings: Mapping[str, Any] = {}  # of click


def command(spec: Spec, name: str) -> click.Command:
    """Return the command of a function."""
    taken = options_of(spec.function, spec.kinds)
    listed = {n: p for n, p in taken.items() if n not in spec.hidden}
    for changed, default in spec.defaults.items():
        listed[changed] = listed[changed]._replace(default=default)
    lacking = [n for n, p in listed.items() if p.default is Parameter.empty]
    words = spec.arguments or [n for n in lacking if n not in spec.required]
    text = "Modules listed by `metric-commons list`, and the files to score."
    for word in words:
        listed.setdefault(word, CommandOption(word, Sequence[str], Parameter.empty, text))
    printing = options_of(spec.presentation) if spec.presentation else {}
    quiet = {} if "quiet" in listed else {"quiet": CommandOption("quiet", bool, False, _QUIET)}
    options = {n: p for n, p in {**listed, **printing, **quiet}.items() if n not in words}
    flags = {
        n: {**FLAGS, **spec.flags}.get(n, f"--{n.replace('_', '-')}") for n in [*words, *options]
    }
    made: list[click.Parameter] = [listed[word].argument() for word in words]
    made += [p.option(flags[n], required=n in spec.required) for n, p in options.items()]
    is_long = len(made) > _MANY
    if is_long:
        made.append(_help_all(made))

    def run(**typed: Any) -> int:
        set_quiet(quiet=typed["quiet"])
        try:
            values = {n: p.typed(typed[n]) for n, p in listed.items()}
            shown = {n: p.typed(typed[n]) for n, p in printing.items()}
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

    text = (getdoc(spec.function) or "").partition("\n\nArgs:")[0]
    return click.Command(
        name,
        params=made,
        callback=run,
        # Examples are not wrapped.
        help=re.sub(r"(?:^|(?<=\n\n))(?=metric-commons)", "\b\n", text),
        short_help=text.partition("\n")[0],
        epilog="Further options: --help-all" if is_long else None,
        **spec.settings,
    )


def _help_all(options: Sequence[click.Parameter]) -> click.Option:
    """Return the option that shows all options, of which others are hidden."""
    further = [p for p in options if isinstance(p, click.Option) and p.name not in _COMMON]
    further = [option for option in further if not option.hidden]
    for option in further:
        option.hidden = True

    def show(context: click.Context, _: Any, is_chosen: bool) -> None:
        if is_chosen:
            for option in further:
                option.hidden = False
            click.echo(context.get_help())
            context.exit()

    flag = {"is_flag": True, "is_eager": True, "hidden": True, "expose_value": False}
    return click.Option(["--help-all"], callback=show, help="Show all options.", **flag)
