"""`metric-commons hub`: modules as folders, and as Spaces of the Hub."""

from pathlib import Path
from typing import Annotated

import typer

from ...module.catalog import catalog
from ..console.options import with_groups

hub = typer.Typer(help="Publish modules as Spaces.", no_args_is_help=True)

Names = Annotated[
    list[str] | None, typer.Argument(metavar="NAME", show_default=False, help="Modules.")
]


@hub.command()
@with_groups
def bundle(
    out_dir: Annotated[Path, typer.Argument(metavar="OUT_DIR")],
    names: Names = None,
) -> None:
    """Write modules (by default all) as folders that work without metric-commons.

    Args:
        out_dir: The folder in which they are written.
    """
    _write(out_dir, _modules(names))


@hub.command()
@with_groups
def publish(
    namespace: Annotated[str, typer.Argument(metavar="NAMESPACE")],
    names: Names = None,
    private: Annotated[bool, typer.Option("--private")] = False,
    replace: Annotated[bool, typer.Option("--replace")] = False,
    yes: Annotated[bool, typer.Option("--yes")] = False,
    dry_run: Annotated[Path | None, typer.Option(metavar="OUT")] = None,
) -> None:
    """Publish modules (by default all) as Spaces of NAMESPACE, tagged with the version.

    Spaces that are up to date, that hold a newer version, or that metric-commons
    did not create, are not changed. Files that others added to a Space are kept.
    The token is that of 'hf auth login', or HF_TOKEN.

    Args:
        namespace: A user or an organization of the Hub.
        private: Make new Spaces private.
        replace: Delete all files of a Space that are not part of the module.
        yes: Confirm the deletion that --replace listed.
        dry_run: Write the Spaces into this folder and publish nothing.
    """
    from .publishing import publish

    modules = _modules(names)
    if dry_run is not None:
        _write(dry_run, modules, namespace=namespace)
        return
    from tqdm import tqdm

    for name in tqdm(modules, unit=" Spaces", disable=None, leave=False):
        space = publish(namespace, name, private=private, replace=replace, yes=yes)
        tqdm.write(f"{space.change:10}{space.address}")
        for verb, files in (("kept", space.additions), ("replaced", space.overwritten)):
            if files:
                tqdm.write(f"{verb:10}{', '.join(files)}, which someone else added")


def _modules(names: list[str] | None) -> list[str]:
    """Return the names of modules, checked before anything is written.

    All modules if there are none.

    Raises:
        ValueError: a module is unknown.
    """
    return [catalog.script_of(name).stem for name in names or catalog.names()]


def _write(out_dir: Path, names: list[str], *, namespace: str = "NAMESPACE") -> None:
    from .bundling import bundle

    for name in names:
        typer.echo(bundle(name, out_dir, namespace=namespace))
