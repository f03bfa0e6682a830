"""`list`, `presets`, `describe`, `new` and `check`: the modules, and metrics of one's own."""

from collections.abc import Iterable
from pathlib import Path
from string import Template
from typing import Literal

import click

from ...data.files.access import read_file
from ...data.files.stored import to_jsonable, write_whole
from ...evaluation.results.rendering import counted
from ...module.catalog import catalog
from ...module.catalog.field_names import suggestion
from ...module.catalog.presets import PRESETS
from ...module.catalog.usage import UsageError
from ..console.commands import command
from ..console.outputs import show_json

_TEMPLATES = {"new_script.txt": "{}.py", "new_card.txt": "README.md", "new_test.txt": "test_{}.py"}

PrintedFormat = Literal["table", "json"]


def list_modules(*, format_name: PrintedFormat = "table") -> None:
    """List the modules and their inputs.

    Args:
        format_name: Format of the printed output.
    """
    listed = [
        {"name": name, "summary": catalog.summary(name), "takes": catalog.takes(name)}
        for name in catalog.names()
    ]
    if format_name == "json":
        show_json(listed)
    else:
        _show((each["name"], f"{each['summary']}\n\n{each['takes']}") for each in listed)


def list_presets(*, format_name: PrintedFormat = "table") -> None:
    """List the presets: sets of options that reproduce the numbers of another tool.

    Args:
        format_name: Format of the printed output.
    """
    if format_name == "json":
        show_json([{"name": name, **preset._asdict()} for name, preset in PRESETS.items()])
        return
    rows = []
    for name, preset in PRESETS.items():
        lines = [preset.about]
        for module, options in preset.modules.items():
            settings = (f"{option}={value}" for option, value in options.items())
            lines.append(f"{module}: {', '.join(settings)}")
        rows.append((name, "\n\n".join(lines)))
    _show(rows)


def describe(module: str, *, format_name: PrintedFormat = "table") -> None:
    """Show what a module measures: its inputs, its options with their values, and its results.

    Args:
        module: A name listed by `metric-commons list`, or the folder of a module of your own.
        format_name: Format of the printed output; json has a JSON Schema of each option.
    """
    name = catalog.name_of(module)
    if not catalog.is_known(name):
        modules = catalog.names()
        hint = suggestion(name, modules) or f"; the modules are {', '.join(modules)}"
        raise UsageError(f"there is no module {name!r}{hint}")
    description = catalog.describe(name)
    if format_name == "json":
        show_json(description.to_dict())
        return
    click.echo(f"{click.style(description.name, bold=True)}\n\n{description.about}\n")
    _show(((c.name, f"{' or '.join(c.accepts)}. {c.help}") for c in description.inputs), "inputs")
    options = (
        (o.name, f"{o.help} {o.accepts} [default: {to_jsonable(o.default)!r}]")
        for o in description.options
    )
    _show(options, "options")
    if description.compiled:
        click.echo(f"compiled path:\n{description.compiled}\n")
    click.echo(f"results:\n{description.results}\n\nexample:\n{description.example}")


def new(name: str, *, folder: Path = Path()) -> None:
    """Write a metric of your own to begin with: its script, its card and a test.

    metric-commons new token_jaccard --in metrics

    The metric works already; change what it computes. `metric-commons check` then
    tells whether it can be scored, compared, merged and published like those of this
    package.

    Args:
        name: Its name in lower case, such as token_jaccard.
        folder: The folder in which its own folder is made.
    """
    if not name.isidentifier() or name != name.lower():
        raise UsageError(f"NAME must be a word in lower case, such as token_jaccard; got {name!r}")
    if catalog.is_known(name):
        raise UsageError(f"there is a module {name!r} already; choose another name")
    target = folder / name
    if target.exists():
        raise UsageError(f"{target} exists; name another folder with --in")
    target.mkdir(parents=True)
    words = {
        "name": name,
        "class_name": name.title().replace("_", ""),
        "title": name.replace("_", " ").capitalize(),
        "place": "." if folder.is_absolute() else f"./{folder.as_posix()}".removesuffix("/."),
    }
    for template, file in _TEMPLATES.items():
        text = read_file(Path(__file__).with_name(template)).decode()
        path = target / file.format(name)
        write_whole(path, [Template(text).substitute(words).encode()])
        click.echo(f"wrote {path}")


def check(module: str) -> int:
    """Check that a metric keeps the promises of every module, on the example of its docstring.

    metric-commons check metrics/token_jaccard

    Exit status: 0 all promises are kept, 1 some are not.

    Args:
        module: The folder or the script of a metric, or the name of a module.
    """
    from ...evaluation.peers.promises import check_module

    if not catalog.is_known(module) and Path(module).exists():
        module = str(Path(module).absolute())
    broken = 0
    for promise, problem in check_module(module):
        broken += problem is not None
        click.echo(f"{'ok    ' if problem is None else 'broken'}  {promise}")
        if problem is not None:
            click.echo("\n".join(f"        {line}" for line in problem.splitlines()))
    if broken:
        click.echo(f"{counted(broken, 'promise')} broken", err=True)
    return int(broken > 0)


def _show(rows: Iterable[tuple[str, str]], title: str = "") -> None:
    """Print names with texts beside them, under a title if there is one."""
    formatter = click.HelpFormatter(max_width=100)
    listed = list(rows)
    if listed:
        if title:
            formatter.write_heading(title)
        formatter.write_dl(listed, col_max=24)
        click.echo(formatter.getvalue())


COMMANDS = {
    "list": command(list_modules, quiet=False),
    "presets": command(list_presets, quiet=False),
    "describe": command(describe, quiet=False),
    "new": command(new, flags={"folder": "--in"}, quiet=False),
    "check": command(check, quiet=False),
}
