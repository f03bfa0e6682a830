"""Publish modules as Spaces."""

from pathlib import Path

import click

from ...module.catalog import catalog
from ..console.commands import Spec, command
from ..console.outputs import deliver


def bundle(out_dir: Path, names: list[str] | None = None) -> None:
    """Write modules (by default all) as folders that work without metric-commons.

    Args:
        out_dir: The folder in which they are written.
        names: The modules.
    """
    _write(out_dir, _modules(names))


def publish(
    namespace: str,
    names: list[str] | None = None,
    *,
    private: bool = False,
    dry_run: Path | None = None,
) -> None:
    """Publish modules (by default all) as Spaces of NAMESPACE, tagged with the version.

    Spaces that have this version, or that metric-commons did not create, are not
    changed. The token is that of 'hf auth login', or HF_TOKEN.

    Args:
        namespace: A user or an organization of the Hub.
        names: The modules.
        private: Make new Spaces private.
        dry_run: Write the Spaces into this folder and publish nothing.
    """
    from .publishing import publish

    modules = _modules(names)
    if dry_run is not None:
        _write(dry_run, modules, namespace)
        return
    for name in modules:
        click.echo(publish(namespace, name, private=private))


def _modules(names: list[str] | None) -> list[str]:
    """Return the names of modules, checked before anything is written; by default all."""
    return [catalog.script_of(name).stem for name in names or catalog.names()]


def _write(out_dir: Path, names: list[str], namespace: str = "NAMESPACE") -> None:
    from .bundling import bundle

    for name in names:
        click.echo(bundle(name, out_dir, namespace=namespace))


_COMMANDS = {
    "bundle": Spec(bundle, deliver, arguments=("out_dir", "names")),
    "publish": Spec(publish, deliver, arguments=("namespace", "names")),
}
hub = click.Group(
    "hub",
    {name: command(spec, name) for name, spec in _COMMANDS.items()},
    help="Publish modules as Spaces.",
    no_args_is_help=True,
)
