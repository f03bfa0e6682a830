"""Commands made from functions: signatures are the options, docstrings the help."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from inspect import Parameter, getdoc, signature
from pathlib import Path
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import click

from ...module.catalog.request import HELP, Request
from ...module.catalog.usage import UsageError
from ...module.declaration.declarations import arguments
from ...statistics.arguments.domains import Parsed, check_option, choices
from ...statistics.resampling.progress import set_quiet

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
    *("missing", "digits", "percent", "table", "sort", "jobs"),
}
_MANY = 24  # options
_ALIASES = {"bh": "benjamini_hochberg"}


class OptionParameter(NamedTuple):
    """A parameter of a function as an option or an argument of a command."""

    name: str
    annotation: Any
    default: Any
    help: str
    is_word: bool = False

    @property
    def kinds(self) -> list[Any]:
        """Return what a value may be, apart from None."""
        return [kind for kind in _members(self.annotation) if kind is not type(None)]

    @property
    def is_flag(self) -> bool:
        """Return whether the option takes no value."""
        return bool in self.kinds

    @property
    def is_repeated(self) -> bool:
        """Return whether the option may be given several times."""
        return bool(self._collections)

    @property
    def _collections(self) -> list[Any]:
        return [kind for kind in self.kinds if get_origin(kind) in (list, dict, Sequence, Mapping)]

    def value(self, flag: str, text: Any) -> Any:
        """Return the value of the parameter for what was typed.

        Raises:
            ValueError: it is not valid.
        """
        if text is None or text == ():
            return self.default if self.default is not Parameter.empty else []
        value = text
        if self.is_repeated:
            (kind,) = self._collections
            if get_origin(kind) in (dict, Mapping):
                value = _settings(flag, text, is_text=get_args(kind)[1] is str)
            else:
                value = [_value(get_args(kind)[0], part) for part in text]
        elif not self.is_flag:
            value = _value(self.annotation, text)
        self.check(flag, value)
        return value

    def check(self, name: str, value: Any) -> None:
        """Check that the parameter may have this value, called so in messages.

        Raises:
            ValueError: it may not.
        """
        parts = [part for part in get_args(self.annotation) if part is not type(None)]
        is_union = type(None) in get_args(self.annotation)
        check_option(name, value, Union[tuple(parts)] if is_union else self.annotation)  # noqa: UP007

    @property
    def metavar(self) -> str:
        """Return what the help shows for a value."""
        kinds = {item for kind in self.kinds for item in (kind, *get_args(kind)[:1])}
        names = "|".join(choices(self.annotation))
        if self.name in METAVARS or 0 < len(names) < 30:
            return METAVARS.get(self.name, names)
        if self._collections and get_origin(self._collections[0]) in (dict, Mapping):
            return "NAME=VALUE"
        return "FILE" if Path in kinds else "NUMBER" if {int, float} & kinds else "NAME"


def _members(annotation: Any) -> list[Any]:
    """Return the parts of a union, without their bounds."""
    if hasattr(annotation, "__metadata__"):
        base, marker = get_args(annotation)[:2]
        return [Any] if isinstance(marker, Parsed) else _members(base)
    parts = get_args(annotation)
    if type(None) in parts or get_origin(annotation) is type(int | None):
        return [member for part in parts for member in _members(part)]
    return [annotation]


def _value(annotation: Any, text: str) -> Any:
    kinds = _members(annotation)
    for kind in (int, float) if {int, float} & {*kinds} else ():
        with suppress(ValueError):
            return kind(text)
    if Path in kinds:
        return Path(text)
    if str in kinds or choices(annotation):
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


def _settings(flag: str, texts: Sequence[str], *, is_text: bool) -> dict[str, Any]:
    """Return the values of an option such as `--set k=1,2`, by name.

    Raises:
        UsageError: there is no equals sign, or a name has two texts.
    """
    settings: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise UsageError(f"{flag} takes NAME=VALUE, got {text!r}")
        made = value if is_text else parsed(value)
        if is_text and settings.get(name, made) != made:
            raise UsageError(f"{flag} {name}: is both {settings[name]!r} and {made!r}")
        settings[name] = made
    return settings


def parameters_of(source: Callable[..., Any], like: Iterable[str] = ()) -> list[OptionParameter]:
    """Return the parameters of a command.

    Args:
        source: the command; a parameter annotated with a dataclass stands for its fields.
        like: fields of a request that it takes as further keywords.
    """
    hints = get_type_hints(source, include_extras=True)
    texts: dict[str, str] = {}
    for documented in reversed(getattr(source, "__mro__", (source,))):
        texts |= arguments(getdoc(documented) or "")
    found = []
    for name, parameter in signature(source).parameters.items():
        if parameter.kind is Parameter.VAR_KEYWORD:
            asked = [each for each in parameters_of(Request) if each.name in like]
            found += [each._replace(help=texts.get(each.name, HELP[each.name])) for each in asked]
        elif is_dataclass(hints[name]):
            found += parameters_of(hints[name])
        else:
            is_word = parameter.kind is Parameter.POSITIONAL_OR_KEYWORD and not is_dataclass(source)
            text = texts.get(name, "")
            found.append(OptionParameter(name, hints[name], parameter.default, text, is_word))
    return found


class Command(click.Command):
    """A command whose help has common options first."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        options = [p for p in self.get_params(ctx) if isinstance(p, click.Option)]
        records = {p.name: record for p in options if (record := p.get_help_record(ctx))}
        is_long = len(records) > _MANY
        common = {n: r for n, r in records.items() if not is_long or n in {*_COMMON, "help"}}
        with formatter.section("Options"):
            formatter.write_dl(list(common.values()))
        if is_long and ctx.meta.get("all"):
            with formatter.section("Further options"):
                formatter.write_dl([r for name, r in records.items() if name not in common])
        elif is_long:
            formatter.write("\nFurther options: --help-all\n")


def command(
    function: Callable[..., Any],
    name: str = "",
    *,
    like: Iterable[str] = (),
    flags: Mapping[str, str] | None = None,
    quiet: bool = True,
    **settings: Any,
) -> Command:
    """Return the command of a function.

    Arguments are the words of the command, and keywords its options.

    Args:
        function: the function; it returns the exit status, or None.
        name: the name of the command, by default that of the function.
        like: as in `parameters_of`.
        flags: flags of its own parameters.
        quiet: whether it has the option --quiet.
        **settings: settings of click.
    """
    listed = parameters_of(function, like)
    texts = {**FLAGS, **(flags or {})}
    of_function = {p.name: texts.get(p.name, f"--{p.name.replace('_', '-')}") for p in listed}

    def run(**typed: Any) -> Any:
        set_quiet(quiet=typed.pop("quiet_output", False))
        typed.pop("help_all", None)
        values = {}
        for parameter in listed:
            flag = parameter.name.upper() if parameter.is_word else of_function[parameter.name]
            values[parameter.name] = parameter.value(flag.split()[0], typed[parameter.name])
        return called(function, values)

    made: list[click.Parameter] = [
        _argument(p) if p.is_word else _option(p, of_function[p.name]) for p in listed
    ]
    if quiet:
        text = "Show no progress, no notes, and not which files were written."
        made.append(click.Option(["--quiet", "-q", "quiet_output"], is_flag=True, help=text))
    if len(made) > _MANY:
        shown = click.Option(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            hidden=True,
            callback=_show_all,
            help="Show all options.",
        )
        made.append(shown)
    text = (getdoc(function) or "").partition("\n\nArgs:")[0]
    return Command(
        name or function.__name__.replace("_", "-"),
        params=made,
        callback=run,
        help="\n\n".join(_paragraph(part) for part in text.split("\n\n")),
        short_help=text.partition("\n")[0],
        **settings,
    )


def called(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """Call the function of a command with the values of all its options."""
    given = dict(values)
    for name, hint in get_type_hints(function).items():
        if is_dataclass(hint):
            group: Any = hint
            chosen = {item: given.pop(item) for item in signature(group).parameters}
            given[name] = group(**chosen)
    return function(**given)


def _paragraph(text: str) -> str:
    """Return a paragraph of help; an example is not wrapped."""
    return f"\b\n{text}" if text.startswith("metric-commons") else text


def _show_all(context: click.Context, _: Any, is_chosen: bool) -> None:
    if is_chosen:
        context.meta["all"] = True
        click.echo(context.get_help())
        context.exit()


def _argument(parameter: OptionParameter) -> click.Argument:
    name = METAVARS.get(parameter.name, parameter.name.upper())
    return click.Argument(
        [parameter.name],
        nargs=-1 if parameter.is_repeated else 1,
        required=parameter.default is Parameter.empty,
        metavar=f"{name}..." if parameter.is_repeated else None,
        help=parameter.help,
    )


def _option(parameter: OptionParameter, flags: str) -> click.Option:
    is_shown = parameter.default not in (None, False, "", Parameter.empty)
    default = f" [default: {parameter.default}]" if is_shown else ""
    text = parameter.help[:1].upper() + parameter.help[1:]
    if parameter.is_flag:
        return click.Option([*flags.split(), parameter.name], is_flag=True, help=text)
    return click.Option(
        [*flags.split(), parameter.name],
        multiple=parameter.is_repeated,
        required=parameter.default is Parameter.empty,
        metavar=parameter.metavar,
        help=text + default,
        hidden=text == "Hidden.",
    )


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


def one_field(clusters: Sequence[str] | str | None, purpose: str) -> str | None:
    """Return the field of clusters, if there is one.

    Raises:
        UsageError: there are several.
    """
    if clusters and clusters[1:]:
        raise UsageError(f"{purpose} takes one --cluster-by, not {len(clusters)}")
    return clusters[0] if clusters else None
