"""Bundle a Space as a folder: the script, the files that it imports, the card, and a page."""

import json
import re
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory

from ...module.catalog import catalog
from .imports import PACKAGE, check_readable, closure, flatten, flatten_script, imported
from .page import page

_PACKAGE = Path(__file__).parents[2]

# In the examples of cards: how to load a module from a clone, and from the installed package.
_TITLE = re.compile("^(# .+\n)", re.MULTILINE)
_NEEDS = (  # which evaluate does not install
    "This needs what `requirements.txt` lists; intervals need `pip install scipy`."
)
_OF_CLONES = re.compile("^>>> # in a clone also: .*\n", re.MULTILINE)
_LOADED = re.compile(r'metric_commons\.load\((\s*(?:\.\.\.\s*)?)"')
_PAGES = "https://github.com/metric-commons/metric-commons/blob/main/"

# Extras whose libraries a Space needs if a file imports them.
_EXTRAS = ("languages", "schema")

MARKER_FILE = ".metric-commons.json"  # which no folder of someone else has


def bundle(name: str, out_dir: str | Path, *, namespace: str = "NAMESPACE") -> Path:
    """Write module `name` to the folder `out_dir/name`, as a Space that does not need this package.

    Only the import lines of files change, since a Space is a flat folder. Its page has its address
    in `namespace`. A bundle of the same name is replaced only once the new bundle is complete.

    Raises:
        ValueError: evaluate could not load the bundle, or its name is taken by something else.
    """
    script = catalog.script_of(name)
    name = script.stem
    target = Path(out_dir) / name
    if target.exists() and (not (target / MARKER_FILE).is_file() or (target / ".git").exists()):
        raise ValueError(f"{target} is in the way: it is not a folder that this command made")
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{name}-", dir=target.parent) as scratch:
        folder = Path(scratch, "new")
        summary = catalog.summary(name)
        _write(folder, script=script, package=_PACKAGE, summary=summary, namespace=namespace)
        if target.exists():
            rmtree(target)
        folder.rename(target)
    return target


def _write(
    folder: Path,
    *,
    script: Path,
    package: Path,
    summary: str,
    namespace: str = "NAMESPACE",
) -> None:
    """Write the Space of `script` to `folder`, with files from the rooms of `package`."""
    name = script.stem
    shared = closure(script, package)
    folder.mkdir()
    written = script.with_name("README.md")
    text = written.read_text("utf-8") if written.is_file() else f"# {name}\n\n{summary}\n"
    card = published_card(text, namespace)
    requirements = _requirements(path.read_text("utf-8") for path in shared.values())
    files = {
        **{f"{stem}.py": flatten(path.read_text("utf-8")) for stem, path in shared.items()},
        script.name: flatten_script(script, package, set(shared)),
        "README.md": card,
        "requirements.txt": "".join(f"{line}\n" for line in requirements),
    }
    files["index.html"] = page(
        card,
        name=name,
        summary=summary,
        namespace=namespace,
        version=metadata.version(PACKAGE),
        requirements=requirements,
        files={file: text for file, text in files.items() if file.endswith(".py")},
    )
    made = {"space": f"{namespace}/{name}", "version": metadata.version(PACKAGE)}
    files[MARKER_FILE] = json.dumps(made, indent=1) + "\n"
    for file, text in files.items():
        (folder / file).write_text(text, "utf-8", newline="\n")
    check_readable(folder / script.name)


def published_card(card: str, namespace: str) -> str:
    r"""Return the card with examples that load the module from the Hub.

    Links to pages of the repository are absolute in it.

    >>> card = '>>> import metric_commons\n>>> metric_commons.load("qa_f1")'
    >>> published_card(card, "acme").splitlines()
    ['>>> import evaluate', '>>> evaluate.load("acme/qa_f1")']
    """
    card = _OF_CLONES.sub("", card)
    card = card.replace(">>> import metric_commons\n", ">>> import evaluate\n")
    card = _LOADED.sub(rf'evaluate.load(\1"{namespace}/', card)
    card = card.replace('evaluate.load("./metrics/', f'evaluate.load("{namespace}/')
    card = _TITLE.sub(rf"\1\n{_NEEDS}\n", card, count=1)
    return card.replace("](../../", f"]({_PAGES}")


def _requirements(files: Iterable[str]) -> list[str]:
    """Return the required dependencies of the package, except those for files and tables.

    Libraries of the extras in `_EXTRAS` are required if one of these files imports them.
    """
    libraries = set[str]().union(*map(imported, files))
    lines = []
    for line in metadata.requires(PACKAGE) or []:
        requirement, _, condition = line.partition("; ")
        name = re.split(r"[^\w-]", requirement, maxsplit=1)[0]
        is_needed = name not in ("pyarrow", "tabulate") if not condition else name in libraries
        if is_needed and condition in ("", *(f"extra == '{extra}'" for extra in _EXTRAS)):
            lines.append(requirement)
    return sorted(lines)
