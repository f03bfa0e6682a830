"""Kernels work block by block: here the blocks are small, so that each call meets their ends."""

import importlib
from contextlib import contextmanager
from functools import cache

from tests.spec import ROOT
from tests.tables import tabled

# Of each file, named by its stem, the constants that bound a block, and those from which on blocks
# are worth their price. The first become the size, the second 0.
BOUNDS = tabled(__file__, "BOUNDS")
SIZES = (1, 2, 3, 7)


@cache
def kernel(stem):
    """The file of the package with this stem."""
    (path,) = (ROOT / "shared" / "metric_commons").rglob(f"{stem}.py")
    return importlib.import_module(
        ".".join(path.relative_to(ROOT / "shared").with_suffix("").parts)
    )


@contextmanager
def blocks_of(size):
    """Blocks of so many rows, tokens, characters or numbers, wherever there are blocks."""
    before = {}
    for stem, (bounds, thresholds) in BOUNDS.items():
        module = kernel(stem)
        for name in (*bounds, *thresholds):
            before[module, name] = getattr(module, name)
            setattr(module, name, size if name in bounds else 0)
    try:
        yield
    finally:
        for (module, name), value in before.items():
            setattr(module, name, value)
