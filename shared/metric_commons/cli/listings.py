"""`metric-commons list` and `metric-commons presets`: the modules, and sets of their options."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..catalog import catalog
from ..catalog.presets import PRESETS


def list_modules() -> None:
    """List the modules and their inputs."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name in catalog.names():
        table.add_row(name, catalog.summary(name))
        table.add_row("", Text(catalog.takes(name), style="dim"))
    Console().print(table)


def list_presets() -> None:
    """List the presets: sets of options that reproduce the numbers of another tool."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, preset in PRESETS.items():
        table.add_row(name, preset.about)
        for module, options in preset.modules.items():
            option_texts = (f"{option}={value}" for option, value in options.items())
            table.add_row("", f"  {module}: {', '.join(option_texts)}")
    Console(highlight=False).print(table)
