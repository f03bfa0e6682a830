"""Numbers near the greatest float: scores and intervals are infinite or NaN, without a warning."""

import math

import pytest

from metric_commons import load
from tests.tables import by_table

LEVEL = {"confidence_level": 0.9, "n_resamples": 20}


@by_table("module, predictions, references, options")
def test_huge_numbers_are_scored_without_a_warning(module, predictions, references, options):
    level = LEVEL if module == "regression" else {"confidence_level": 0.9}
    result = load(module).compute(
        predictions=predictions, references=references, **options, **level
    )

    for name, ends in result["confidence_interval"].items():
        assert not ends[0] > ends[1]
        assert all(isinstance(end, float) for end in ends)
        assert not math.isinf(result[name]) or not all(map(math.isfinite, ends))


def test_huge_numbers_are_no_probabilities():
    with pytest.raises(ValueError, match=r"^predictions\[1\] is .* add up to 1$"):
        load("classification").compute(
            predictions=[[0.25, 0.75], [1e308, 1e308]], references=[0, 1]
        )
