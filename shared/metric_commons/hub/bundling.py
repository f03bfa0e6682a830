"""A Space as a folder: the script, the files it reaches, the card, and a page."""

from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from ..evaluation import catalog
from . import demo
from .imports import PACKAGE, check_readable, closure, flattened, naming
from .page import page

_PACKAGE = Path(__file__).parents[1]

_DEMO = Path(demo.__file__)

# What the front matter of a card says of a static Space, and what of one with gradio. The versions
# are those that the demo was tested with.
_STATIC = "\nsdk: static\n"
_GRADIO = '\nsdk: gradio\nsdk_version: 6.31.0\npython_version: "3.12"\napp_file: app.py\n'

Sdk = Literal["static", "gradio"]


def bundle(
    name: str, out_dir: str | Path, *, sdk: Sdk = "static", namespace: str = "NAMESPACE"
) -> Path:
    """The folder `out_dir/name`: module `name` as a Space that needs nothing of ours installed.

    All files are copied as they are but for their import lines, for they lie side by side there. A
    static Space has a page, with its address in `namespace`; one with gradio a demo, `app.py`. A
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
        about = catalog.summary(name)
        _write(fresh, script=script, package=_PACKAGE, summary=about, sdk=sdk, namespace=namespace)
        if target.exists():
            target.rename(Path(scratch, "stale"))
        fresh.rename(target)
    return target


def _write(
    folder: Path,
    *,
    script: Path,
    package: Path,
    summary: str,
    sdk: Sdk = "static",
    namespace: str = "NAMESPACE",
) -> None:
    """Make `folder` the Space of `script`, with files from the rooms of `package`."""
    name = script.stem
    reached = closure(script, package)
    folder.mkdir()
    card = script.with_name("README.md").read_text("utf-8")
    requirements = _requirements()
    files = {
        **{f"{stem}.py": flattened(path.read_text("utf-8")) for stem, path in reached.items()},
        script.name: naming(script, set(reached)),
        "README.md": card,
        "requirements.txt": "".join(f"{line}\n" for line in requirements),
    }
    if sdk == "static":
        files["index.html"] = page(
            card,
            name=name,
            summary=summary,
            namespace=namespace,
            version=metadata.version(PACKAGE),
            requirements=requirements,
        )
    else:
        files["README.md"] = card.replace(_STATIC, _GRADIO, 1)
        files["app.py"] = _DEMO.read_text("utf-8")
    for file, text in files.items():
        (folder / file).write_text(text, "utf-8", newline="\n")
    check_readable(folder / script.name)


def _requirements() -> list[str]:
    """What the package requires without its extras, as its own metadata says."""
    return sorted(line for line in metadata.requires(PACKAGE) or [] if "extra ==" not in line)


def _check_replaceable(target: Path) -> None:
    """Refuse to replace anything but a bundle: a file, a clone of the Space, the source itself."""
    if not target.exists():
        return
    always = {f"{target.name}.py", "README.md", "requirements.txt"}
    present = {path.name for path in target.iterdir()} if target.is_dir() else set()
    known = {*always, "index.html"}
    strange = sorted(name for name in present - known if not name.endswith(".py"))
    if strange or not always <= present:
        raise ValueError(
            f"{target} is in the way: it is not a bundle"
            + (f", for it holds {', '.join(strange)}" if strange else "")
        )
