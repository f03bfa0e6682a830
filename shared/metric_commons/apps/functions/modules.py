"""`names`, `presets`, `describe`, `new` and `check`: the modules, and metrics of one's own."""

from collections.abc import Iterable
from pathlib import Path
from string import Template
from textwrap import fill, indent
from typing import Any

from ...data.files.access import read_file
from ...data.files.stored import to_jsonable, write_whole
from ...evaluation.results.rendering import counted
from ...module.catalog import catalog
from ...module.catalog.field_names import suggestion
from ...module.catalog.presets import PRESETS
from ...module.catalog.usage import UsageError
from .findings import Finding

_TEMPLATES = {"new_script.txt": "{}.py", "new_card.txt": "README.md", "new_test.txt": "test_{}.py"}
_NAME = 24  # characters
_WIDTH = 80


def list_modules() -> Finding:
    """List the modules and their inputs."""
    listed = [
        {"name": name, "summary": catalog.summary(name), "takes": catalog.takes(name)}
        for name in catalog.names()
    ]
    return Finding(listed, _beside((e["name"], f"{e['summary']}\n\n{e['takes']}") for e in listed))


def presets() -> list[dict[str, Any]]:
    """Return the presets: sets of options that reproduce the numbers of another tool.

    >>> presets()[0].keys() >= {"name", "about", "modules"}
    True
    """
    return [{"name": name, **preset._asdict()} for name, preset in PRESETS.items()]


def list_presets() -> Finding:
    """List the presets: sets of options that reproduce the numbers of another tool."""
    rows = []
    for preset in presets():
        lines = [preset["about"]]
        for module, options in preset["modules"].items():
            settings = (f"{option}={value}" for option, value in options.items())
            lines.append(f"{module}: {', '.join(settings)}")
        rows.append((preset["name"], "\n\n".join(lines)))
    return Finding(presets(), _beside(rows))


def describe(module: str) -> str:
    """Return what a module measures: its inputs, its options with their values, and its results.

    >>> describe("qa_em").startswith("qa_em")
    True
    """
    return str(described(module))


def described(module: str) -> Finding:
    """Show what a module measures: its inputs, its options with their values, and its results.

    Args:
        module: A name listed by `metric-commons list`, or the folder of a module of your own. The
            format json has a JSON Schema of each option.
    """
    name = catalog.name_of(module)
    if not catalog.is_known(name):
        modules = catalog.names()
        hint = suggestion(name, modules) or f"; the modules are {', '.join(modules)}"
        raise UsageError(f"there is no module {name!r}{hint}")
    found = catalog.describe(name)
    inputs = _beside((c.name, f"{' or '.join(c.accepts)}. {c.help}") for c in found.inputs)
    options = _beside(
        (o.name, f"{o.help} {o.accepts} [default: {to_jsonable(o.default)!r}]")
        for o in found.options
    )
    parts = [found.name, "", found.about, "", "inputs:", *inputs]
    parts += ["", "options:", *options] if options else []
    parts += ["", "results:", found.results, "", "example:", found.example]
    return Finding(found.to_dict(), parts)


def new(name: str, *, folder: Path = Path()) -> Finding:
    """Write a metric of your own to begin with: its script, its card and a test.

    metric-commons new token_jaccard --in metrics

    The metric works already; change what it computes. `metric-commons check` then tells whether it
    can be scored, compared, merged and published like those of this package.

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
    paths = []
    for template, file in _TEMPLATES.items():
        text = read_file(Path(__file__).with_name(template)).decode()
        paths.append(str(target / file.format(name)))
        write_whole(paths[-1], [Template(text).substitute(words).encode()])
    return Finding({"files": paths}, [f"wrote {path}" for path in paths])


def check(module: str) -> Finding:
    """Check that a metric keeps the promises of every module, on the example of its docstring.

    metric-commons check metrics/token_jaccard

    Exit status: 0 all promises are kept, 1 some are not.

    Args:
        module: The folder or the script of a metric, or the name of a module.
    """
    from ...evaluation.peers.promises import check_module

    if not catalog.is_known(module) and Path(module).exists():
        module = str(Path(module).absolute())
    lines, broken = [], {}
    for promise, problem in check_module(module):
        lines.append(f"{'ok    ' if problem is None else 'broken'}  {promise}")
        if problem is not None:
            broken[promise] = problem
            lines += [f"        {line}" for line in problem.splitlines()]
    if broken:
        lines.append(f"{counted(len(broken), 'promise')} broken")
    return Finding({"broken": broken}, lines, status=int(bool(broken)))


def _beside(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return lines with names, and with texts beside them."""
    lines = []
    for name, text in rows:
        paragraphs = (fill(part, _WIDTH - _NAME) for part in text.split("\n\n"))
        block = indent("\n\n".join(paragraphs), " " * _NAME)
        is_short = len(name) < _NAME
        lines.append(f"{name:{_NAME}}{block.lstrip()}" if is_short else f"{name}\n{block}")
    return lines
