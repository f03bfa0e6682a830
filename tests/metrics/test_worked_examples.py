"""Numbers that a tutorial, a textbook and a manual work out by hand."""

import pytest

from metric_commons import load
from tests.spec import METRICS, recorded


def worked_examples():
    """One case for each example of a module that exists."""
    return [
        pytest.param(example, id=f"line {line}, {example['module']}")
        for line, example in enumerate(recorded("worked_examples"), 1)
        if example.get("module") in METRICS
    ]


@pytest.mark.parametrize("example", worked_examples())
def test_an_example_comes_out_as_it_is_printed(example):
    inputs = {name: example[name] for name in ("predictions", "references") if example[name]}
    per_example = example.get("per_example", {})
    result = load(example["module"]).compute(
        **inputs, **example["options"], **({"per_example": True} if per_example else {})
    )
    digits = example.get("digits", 15)

    assert example["result"] or per_example
    assert {name: round(result[name], digits) for name in example["result"]} == example["result"]
    assert {
        name: [round(score, digits) for score in result["per_example"][name]]
        for name in per_example
    } == per_example
