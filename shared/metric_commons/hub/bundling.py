"""A Space as a folder: the script, the flat modules it reaches, the card, and a page."""

import shutil
from html import escape
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory

from metric_commons import catalog

from .imports import PACKAGE, check_readable, closure, named_by, relative

_FLAT = Path(__file__).parents[1]

# What a static Space shows; the card has the details.
_PAGE = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{name}</title>
<h1>{name}</h1>
<p>{summary}</p>
<pre>
import evaluate

{name} = evaluate.load("NAMESPACE/{name}")
</pre>
<p>NAMESPACE is the first half of this Space's name.
Inputs, options and results are described in its card, README.md.</p>
</html>
"""


def bundle(name: str, out_dir: str | Path) -> Path:
    """The folder `out_dir/name`: module `name` as a Space that needs nothing of ours installed.

    Flat modules are copied byte for byte; the script is rewritten, and only in its imports. A
    bundle of the same name is replaced as a whole, once the new one is complete.

    Raises:
        ValueError: evaluate could not load the bundle, or something else lies in its place.
    """
    script = catalog.path(name) / f"{name}.py"
    target = Path(out_dir) / name
    _check_replaceable(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{name}-", dir=target.parent) as scratch:
        fresh = Path(scratch, "fresh")
        _write(fresh, script=script, flat=_FLAT, summary=catalog.summary(name))
        if target.exists():
            target.rename(Path(scratch, "stale"))
        fresh.rename(target)
    return target


def _write(folder: Path, *, script: Path, flat: Path, summary: str) -> None:
    """Make `folder` the Space of `script`, with modules from the folder `flat`."""
    name = script.stem
    modules = closure(named_by(script), flat)
    if name in modules:
        raise ValueError(f"{script.name} imports a flat module of its own name")

    folder.mkdir()
    for module in modules:
        shutil.copyfile(flat / f"{module}.py", folder / f"{module}.py")
    shutil.copyfile(script.with_name("README.md"), folder / "README.md")
    for file, text in {
        script.name: relative(script, modules),
        "index.html": _PAGE.format(name=name, summary=escape(summary)),
        "requirements.txt": "".join(f"{line}\n" for line in _requirements()),
    }.items():
        (folder / file).write_text(text, "utf-8", newline="\n")
    check_readable(folder / script.name)


def _requirements() -> list[str]:
    """What the package requires without its extras, as its own metadata says."""
    return sorted(line for line in metadata.requires(PACKAGE) or [] if "extra ==" not in line)


def _check_replaceable(target: Path) -> None:
    """Refuse to replace anything but a bundle: a file, a clone of the Space, the source itself."""
    if not target.exists():
        return
    always = {f"{target.name}.py", "README.md", "index.html", "requirements.txt"}
    present = {path.name for path in target.iterdir()} if target.is_dir() else set()
    strange = sorted(name for name in present - always if not name.endswith(".py"))
    if strange or not always <= present:
        raise ValueError(
            f"{target} is in the way: it is not a bundle"
            + (f", for it holds {', '.join(strange)}" if strange else "")
        )
