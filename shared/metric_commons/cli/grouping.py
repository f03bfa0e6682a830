"""The commands of the program: what they look like in help, and options that were renamed."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from typer import Context

# The groups of commands in the help, in this order.
PANELS = {
    "Score": ("score", "trec", "execute", "init", "run", "merge"),
    "Compare and decide": ("compare", "leaderboard", "history", "gate", "power"),
    "Show and convert": ("report", "plot", "export"),
    "Modules": ("list", "describe", "presets"),
    "Other programs": ("hub", "mcp", "ultrarag-init", "patch-evaluate"),
}
# Old options by command, which work until the next minor version.
RENAMED = {
    "score": {"--answers": "--references-file"},
    "report": {"--html": "--save"},
    "export": {"--out": "--save"},
    "describe": {"--json": "--format=json"},
}


class Command(TyperCommand):
    """A command whose help shows no type for switches."""

    def get_params(self, ctx: "Context") -> list:  # type: ignore[type-arg,override]
        """The parameters, of which switches take no value."""
        return _without_types(super().get_params(ctx))


class Group(TyperGroup):
    """A group of commands whose help shows no type for switches."""

    def get_params(self, ctx: "Context") -> list:  # type: ignore[type-arg,override]
        """The parameters, of which switches take no value."""
        return _without_types(super().get_params(ctx))


def _without_types(parameters: list) -> list:  # type: ignore[type-arg]
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters


def panel_of(command: str) -> str:
    """The group of a command in the help.

    >>> panel_of("gate")
    'Compare and decide'
    """
    return next(panel for panel, names in PANELS.items() if command in names)


def with_new_names(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The words of a command line with renamed options, and for each what to say, or "".

    >>> list(with_new_names(["report", "r.json", "--html=r.html"]))[2]
    ('--save=r.html', '--html is now --save; the next minor version removes the old name')
    """
    renamed = RENAMED.get(words[0], {}) if words else {}
    are_options = True
    for word in words:
        are_options = are_options and word != "--"
        old, equals, value = word.partition("=")
        if not (are_options and old in renamed):
            yield word, ""
            continue
        new = renamed[old]
        message = f"{old} is now {new}; the next minor version removes the old name"
        yield f"{new}{equals}{value}", message
