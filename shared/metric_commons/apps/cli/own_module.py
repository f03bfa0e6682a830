"""`metric-commons new` and `check`: a metric of one's own, from a template to its promises."""

from pathlib import Path
from string import Template
from typing import Annotated

import typer

from ...data.files.access import read_file
from ...data.files.stored import write_whole
from ...evaluation.results.rendering import counted
from ...module.catalog import catalog
from ...module.catalog.usage import UsageError
from ..console.options import modules_like

_TEMPLATES = {"new_script.txt": "{}.py", "new_card.txt": "README.md", "new_test.txt": "test_{}.py"}


def new(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    *,
    folder: Annotated[Path, typer.Option("--in", metavar="DIR")] = Path(),
) -> None:
    """Write a metric of your own to begin with: its script, its card and a test.

    metric-commons new token_jaccard --in metrics

    The metric works as it is; change what it computes. `metric-commons check` then says what a
    metric must do to be scored, compared, merged and published like those of this package.

    Args:
        name: Of the metric, in lower case, such as token_jaccard.
        folder: Where its folder is made.
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
        typer.echo(f"wrote {path}")


def check(
    module: Annotated[str, typer.Argument(metavar="MODULE", autocompletion=modules_like)],
) -> None:
    """Check that a metric keeps what every module promises, on the example of its docstring.

    metric-commons check metrics/token_jaccard

    Exit status: 0 all promises are kept, 1 some are not.

    Args:
        module: The folder or the script of a metric, or the name of a module.
    """
    from ...evaluation.scoring.promises import check_module

    if not catalog.is_known(module) and Path(module).exists():
        module = str(Path(module).absolute())
    broken = 0
    for promise, problem in check_module(module):
        broken += problem is not None
        typer.echo(f"{'ok    ' if problem is None else 'broken'}  {promise}")
        if problem is not None:
            typer.echo("\n".join(f"        {line}" for line in problem.splitlines()))
    if broken:
        typer.echo(f"{counted(broken, 'promise')} broken", err=True)
        raise typer.Exit(1)
