"""What a module costs before it computes: our columns in memory beside stock `evaluate.Metric`.

    python benchmarks/columns.py [ROWS]

Both declare the same features and compute nothing. Prints ratios of CPU time of one `compute`.
"""

import sys
from functools import partial

import datasets
import evaluate
import numpy as np
from _measure import peak_megabytes, ratio

from metric_commons.base.module import BatchMetric

TEXT, INTEGER, FLOAT = (datasets.Value(dtype) for dtype in ("string", "int64", "float64"))


def pair_of_classes(prediction, reference):
    """A stock metric and one of ours with the same inputs, both of which only count rows."""

    def info(self):
        return evaluate.MetricInfo(
            description="",
            citation="",
            inputs_description="",
            features=datasets.Features({"predictions": prediction, "references": reference}),
        )

    def count(self, *, predictions, references):
        return {"rows": len(predictions)}

    members = {"_info": info, "_compute": count}
    return type("Stock", (evaluate.Metric,), members)(), type("Ours", (BatchMetric,), members)()


def main(rows=1_000_000):
    random = np.random.default_rng(0)
    integers = random.integers(0, 100, rows)
    floats = random.random(rows)
    texts = [f"answer number {i}" for i in integers.tolist()]
    several = [[text, text + "."] for text in texts]
    print(f"{rows:,} rows, CPU time of compute(): ours against stock evaluate.Metric")
    for title, features, column, other in (
        ("strings", (TEXT, TEXT), texts, texts),
        ("string + list of strings", (TEXT, datasets.List(TEXT)), texts, several),
        ("ints from lists", (INTEGER, INTEGER), integers.tolist(), integers.tolist()),
        ("floats from lists", (FLOAT, FLOAT), floats.tolist(), floats.tolist()),
        ("ints from numpy", (INTEGER, INTEGER), integers, integers),
        ("floats from numpy", (FLOAT, FLOAT), floats, floats),
    ):
        stock, ours = pair_of_classes(*features)
        inputs = {"predictions": column, "references": other}
        ratio(title, partial(ours.compute, **inputs), partial(stock.compute, **inputs))
        peak = peak_megabytes(partial(ours.compute, **inputs))
        print(f"    peak memory beyond the input: {peak:.1f} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
