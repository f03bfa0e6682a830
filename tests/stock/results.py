"""What evaluate's own modules return, recorded or from a checkout, and what ours return.

    python -m tests.stock.results CHECKOUT

runs the stock modules of a checkout of evaluate on the recorded calls, and records their results in
`tests/cases`, so that ours can be compared with them where there is no checkout. The calls were
drawn with the structure in which results may differ: labels that one side lacks, one class, ties,
empty texts, several references.
"""

import gzip
import json
import math
import os
import sys
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import evaluate
import numpy as np

import metric_commons
from metric_commons.module.catalog.stock_modules import replacement
from tests.spec import ROOT

RECORDED = ROOT / "tests" / "cases" / "stock.jsonl.gz"
CHECKOUT = os.environ.get("EVALUATE_CHECKOUT", "")  # of github.com/huggingface/evaluate
FUNCTIONS = {"str.split": str.split}  # options that are functions, by the name that is recorded


@dataclass
class Call:
    """A call of a stock module."""

    stock: str
    inputs: dict[str, Any]
    configuration: str | None = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `compute`."""
        options = {
            name: FUNCTIONS.get(value, value) if isinstance(value, str) else value
            for name, value in self.options.items()
        }
        return self.inputs | options


@cache
def stock_module(checkout: str, name: str, configuration: str | None) -> Any:
    (folder,) = Path(checkout).glob(f"[mc]*s/{name}")  # metrics, or comparisons
    kind = folder.parent.name.removesuffix("s")
    return evaluate.load(str(folder), configuration, module_type=kind)


def stock_result(checkout: str, call: Call) -> Any:
    """The result of the stock module; what it warns of is no matter here."""
    module = stock_module(checkout, call.stock, call.configuration)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return plain(module.compute(**call.arguments))


def our_result(call: Call) -> Any:
    found = replacement(call.stock, call.configuration)
    return _ours(found.module, found.result_format).compute(**call.arguments)


@cache
def _ours(module: str, result_format: str) -> Any:
    return metric_commons.load(module, result_format=result_format)


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def differences(stock: Any, ours: Any, tolerance: float = 1e-12, path: str = "") -> Iterator[str]:
    """Where two results differ: keys, their order, types or values."""
    if isinstance(stock, dict):
        if not isinstance(ours, dict) or list(stock) != list(ours):
            yield f"{path}: {stock} and {ours}"
            return
        for key in stock:
            yield from differences(stock[key], ours[key], tolerance, f"{path}[{key!r}]")
    elif isinstance(stock, list):
        if not isinstance(ours, list) or len(stock) != len(ours):
            yield f"{path}: {stock} and {ours}"
            return
        for place, pair in enumerate(zip(stock, ours, strict=True)):
            yield from differences(*pair, tolerance, f"{path}[{place}]")
    elif not _equal(stock, ours, tolerance):
        yield f"{path}: {stock!r} and {ours!r}"


def _equal(stock: Any, ours: Any, tolerance: float) -> bool:
    if stock == ours or (stock != stock and ours != ours):
        return True
    return math.isclose(stock, ours, rel_tol=tolerance, abs_tol=tolerance)


def recorded() -> list[tuple[Call, Any]]:
    with gzip.open(RECORDED, "rt", encoding="utf-8") as file:
        rows = map(json.loads, file)
        return [(Call(**row["call"]), row["result"]) for row in rows]


def record(checkout: str) -> None:
    lines = [
        json.dumps({"call": asdict(call), "result": stock_result(checkout, call)})
        for call, _ in recorded()
    ]
    packed = gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0)
    RECORDED.write_bytes(packed)


if __name__ == "__main__":
    record(sys.argv[1])
