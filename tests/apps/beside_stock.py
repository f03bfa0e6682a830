"""Runs a script that loads a module of `evaluate`, with ours beside the stock module.

    python -m tests.apps.beside_stock accuracy=classification:accuracy SCRIPT ARGUMENT...

For each `STOCK KEY=OUR MODULE:OUR KEY`, with `:100` behind it where the stock module has percents,
every result of the script is printed with both values; they must be equal. The script goes on with
the result of our module, in which the stock key is set.
"""

import runpy
import sys
from typing import Any

import evaluate

import metric_commons


class Beside:
    """A stock module and ours, with the same inputs."""

    def __init__(
        self, stock: Any, ours: dict[str, Any], pairs: dict[str, tuple[str, str, float]]
    ) -> None:
        self._stock = stock
        self._ours = ours
        self._pairs = pairs

    def add_batch(self, **columns: Any) -> None:
        for module in (self._stock, *self._ours.values()):
            module.add_batch(**columns)

    def compute(self, **call: Any) -> dict[str, Any]:
        stock = self._stock.compute(**call)
        results = {name: module.compute(**call) for name, module in self._ours.items()}
        ours: dict[str, Any] = {}
        for result in results.values():
            ours |= result
        for key, (module, our_key, scale) in self._pairs.items():
            values = float(stock[key]), scale * float(results[module][our_key])
            print(f"{key:24}{values[0]:14.8f}  {module}:{our_key:24}{values[1]:14.8f}")  # noqa: T201
            if abs(values[0] - values[1]) > 1e-6 * max(1.0, abs(values[0])):
                raise SystemExit(f"{key} is {values[0]} in the stock module, {values[1]} in ours")
            ours[key] = values[1]
        return ours


def main(arguments: list[str]) -> None:
    """Run the script that follows the pairs."""
    count = next(number for number, text in enumerate(arguments) if text.endswith(".py"))
    pairs = {}
    for text in arguments[:count]:
        key, _, ours_text = text.partition("=")
        module, our_key, scale = [*ours_text.split(":"), "1"][:3]
        pairs[key] = (module, our_key, float(scale))
    ours = {name: metric_commons.load(name) for name, _, _ in pairs.values()}
    stock_load = evaluate.load
    evaluate.load = lambda *names, **options: Beside(stock_load(*names, **options), ours, pairs)
    try:
        sys.argv = arguments[count:]
        runpy.run_path(arguments[count], run_name="__main__")
    finally:
        evaluate.load = stock_load


if __name__ == "__main__":
    main(sys.argv[1:])
