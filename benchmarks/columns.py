"""The overhead of `BatchMetric.compute`, which keeps columns in memory, beside `evaluate.Metric`.

    python benchmarks/columns.py [ROWS]

Both declare the same features and compute nothing. Prints ratios of CPU time of one `compute`.
"""

import sys
from functools import partial

import datasets
import evaluate
import numpy as np
from _measure import peak_megabytes, ratio

from metric_commons.module.declaration.module import BatchMetric

TEXT, INTEGER, FLOAT = (datasets.Value(dtype) for dtype in ("string", "int64", "float64"))


def metrics(prediction, reference):
    """An `evaluate.Metric` and a `BatchMetric` with the same inputs, which only count rows."""

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
    return type("Stock", (evaluate.Metric,), members)(), type("Batch", (BatchMetric,), members)()


def main(rows=1_000_000):
    random = np.random.default_rng(0)
    integers = random.integers(0, 100, rows)
    floats = random.random(rows)
    texts = [f"answer number {i}" for i in integers.tolist()]
    several = [[text, text + "."] for text in texts]
    print(f"{rows:,} rows, CPU time of compute(): BatchMetric against evaluate.Metric")
    for title, features, predictions, references in (
        ("strings", (TEXT, TEXT), texts, texts),
        ("string + list of strings", (TEXT, datasets.List(TEXT)), texts, several),
        ("ints from lists", (INTEGER, INTEGER), integers.tolist(), integers.tolist()),
        ("floats from lists", (FLOAT, FLOAT), floats.tolist(), floats.tolist()),
        ("ints from numpy", (INTEGER, INTEGER), integers, integers),
        ("floats from numpy", (FLOAT, FLOAT), floats, floats),
    ):
        stock, batch = metrics(*features)
        inputs = {"predictions": predictions, "references": references}
        ratio(title, partial(batch.compute, **inputs), partial(stock.compute, **inputs))
        peak = peak_megabytes(partial(batch.compute, **inputs))
        print(f"    peak memory beyond the input: {peak:.1f} MB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
