"""A module that says nothing of arrays gets lists, whatever its callers have."""

import datasets
import evaluate
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from metric_commons.module.declaration.module import BatchMetric


class Accuracy(BatchMetric):
    """As somebody writes it who has lists in mind."""

    arrays_allowed = False

    def _info(self):
        kinds = [datasets.Value("int64"), datasets.List(datasets.Value("float64"))]
        return evaluate.MetricInfo(
            description="",
            citation="",
            features=[
                datasets.Features({"predictions": kind, "references": kind}) for kind in kinds
            ],
        )

    def _compute(self, *, predictions, references):
        self.seen = predictions, references
        if predictions == references:  # of arrays this would be no truth value
            return {"accuracy": 1.0}
        hits = [p == r for p, r in zip(predictions, references, strict=True)]
        return {"accuracy": sum(hits) / len(hits)}


class Arrays(Accuracy):
    arrays_allowed = True

    def _compute(self, *, predictions, references):
        self.seen = predictions, references
        return {"rows": len(predictions)}


class Tensor:
    """What is like a tensor of torch."""

    dtype = "torch.int64"

    def __init__(self, values):
        self._values = np.array(values)

    def detach(self):
        return self

    cpu = detach

    def __array__(self, dtype=None, copy=None):
        return self._values


@pytest.mark.parametrize(
    "column", [list, tuple, np.array, pd.Series, pa.array, Tensor], ids=lambda kind: kind.__name__
)
def test_columns_are_lists(column):
    module = Accuracy()

    result = module.compute(predictions=column([1, 2, 3]), references=column([1, 2, 4]))

    assert result == {"accuracy": 2 / 3}
    assert module.seen == ([1, 2, 3], [1, 2, 4])
    assert {type(value) for column in module.seen for value in column} == {int}


def test_rows_are_lists():
    module = Accuracy()

    module.add_batch(predictions=np.array([[0.5, 1.0]]), references=np.array([[0.5, 1.0]]))

    assert module.compute() == {"accuracy": 1.0}
    assert module.seen == ([[0.5, 1.0]], [[0.5, 1.0]])


def test_arrays_stay_where_they_are_allowed():
    module = Arrays()
    module.compute(predictions=np.array([1]), references=[1])

    assert [type(column) for column in module.seen] == [np.ndarray, list]


def test_features_may_be_set_later():
    module = Accuracy()
    text = datasets.Value("string")
    module.info.features = datasets.Features({"predictions": text, "references": text})

    assert module.compute(predictions=["a"], references=["a"]) == {"accuracy": 1.0}
    with pytest.raises(ValueError, match=r"predictions\[0\] is 1 \(int\); expected str"):
        module.compute(predictions=[1], references=[1])
