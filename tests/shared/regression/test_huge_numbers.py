"""Numbers near the greatest float: scores and intervals are infinite or NaN, without a warning."""

import math

import pytest

from metric_commons import load

LEVEL = {"confidence_level": 0.9, "n_resamples": 20}


@pytest.mark.parametrize(
    ("module", "predictions", "references", "options"),
    [
        ("regression", [1.0, 2.0, 3.0], [1e308, -1e308, 3.0], {}),
        ("regression", [1.0, 2.0, 3.0], [1e308, -1e308, 3.0], {"measures": ["mape", "smape"]}),
        ("regression", [3.5, 3.0, 5.0], [3.5, 1.5, 1e308],
         {"measures": "pinball(alpha=0.9)", "sample_weight": [3.0, 0.5, 1.0]}),
        ("regression", [2.5, 5.0, 3.0], [1.0, 1e308, 3.0], {"measures": "d2_absolute_error"}),
        ("regression", [2.5, 1e-200, 0.7], [1e12, 1e12 + 1, 1e12 + 2],
         {"measures": "tweedie(power=1.5)"}),
        ("regression", [[1.0, 2.0], [1.0, 3.0], [2.0, 5.0]], [1e150, -1e160, 3.0],
         {"measures": "winkler(alpha=0.1)"}),
        ("ranking_agreement", [0.7, 2.0, 0.5], [1e308, 1e308, -1.0], {"measures": "weightedtau"}),
    ],
)  # fmt: skip
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
