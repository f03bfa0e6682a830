"""JSON values: one typical call, and a table of rows with scores worked out by hand."""

import json
import math

import pytest

from metric_commons import load
from tests.spec import Spec
from tests.tables import by_table, other_shapes

_RANGES = dict.fromkeys(
    (
        *("valid", "exact_match", "f1", "precision", "recall"),
        *("micro_f1", "micro_precision", "micro_recall"),
    ),
    (0.0, 1.0),
)

SPEC = Spec(
    name="json_match",
    sample={
        "predictions": ['{"a": 1, "b": [2, 3]}', '{"a": 1', '{"a": "x", "c": null}', "[[], 1]"],
        "references": ['{"a": 1, "b": [2, 4, 5]}', '{"a": 1}', '{"a": "x"}', "[[], 1]"],
    },
    # By hand: 2 of 3 and of 4 leaves match; nothing can be read; 1 of 2 and of 1; 2 of 2.
    result={
        "valid": 3 / 4,
        "exact_match": 1 / 4,
        "f1": math.fsum([4 / 7, 0, 2 / 3, 1]) / 4,
        "precision": math.fsum([2 / 3, 0, 1 / 2, 1]) / 4,
        "recall": 2.5 / 4,
        "micro_f1": 10 / 15,
        "micro_precision": 5 / 7,
        "micro_recall": 5 / 8,
        "matched": 5,
        "predicted": 7,
        "expected": 8,
    },
    perfect={
        "predictions": ['{"b": 2, "a": [1]}', "null"],
        "references": ['{"a": [1], "b": 2}', "null"],
    },
    best=dict.fromkeys(_RANGES, 1.0) | {"matched": 3, "predicted": 3, "expected": 3},
    wrong={"predictions": {1, 2}, "references": "{"},
)

OTHER_SHAPES = other_shapes(__file__)


def test_values_may_be_objects():
    texts = {name: SPEC.sample[name] for name in ("predictions", "references")}
    objects = {"predictions": [{"a": 1, "b": [2, 3]}, '{"a": 1', {"a": "x", "c": None}, [[], 1]]}
    objects["references"] = [json.loads(text) for text in texts["references"]]
    metric = load("json_match")

    assert metric.compute(**objects) == metric.compute(**texts)
    assert metric.compute(predictions=[1, True, 2.5], references=[1, True, 2.5])["f1"] == 1.0


def result(prediction, reference, **options):
    return load("json_match").compute(predictions=[prediction], references=[reference], **options)


def counts(prediction, reference, **options):
    found = result(prediction, reference, **options)
    return found["matched"], found["predicted"], found["expected"]


@by_table("prediction, reference, options, expected")
def test_leaves_are_counted(prediction, reference, options, expected):
    assert counts(prediction, reference, **options) == expected


@pytest.mark.parametrize("text", ["", "NaN", "[1,]", "{'a': 1}", "[1] 2", "9" * 5_000, "[" * 999])
def test_a_text_may_not_be_json(text):
    found = result(text, "[1]")

    assert (found["valid"], found["f1"], found["recall"]) == (0.0, 0.0, 0.0)


def test_schemas_are_for_all_rows_or_for_each():
    schemas = [{"type": "array"}, {"type": "object"}, {"type": "array"}]
    rows = {"predictions": ["[]", "[]", "["], "references": ["[]"] * 3}
    metric = load("json_match")

    assert metric.compute(**rows, schema=schemas)["schema_valid"] == 1 / 3
    assert metric.compute(**rows, schema=schemas[0])["schema_valid"] == 2 / 3
    assert metric.compute(**rows, schema='{"type": "array"}')["schema_valid"] == 2 / 3


def test_leaves_by_path_add_up():
    predictions = ['{"a": [1, {"b": 2}], "c": {}}', "[", '{"a": [], "d": 1}']
    references = ['{"a": [1, {"b": 3}, 4], "c": 5}', '{"a": [1]}', '{"a": [1]}']
    found = load("json_match").compute(
        predictions=predictions, references=references, by_path=True, groups=["x", "y", "x"]
    )
    for scores in (found, *found["groups"].values()):
        paths = scores["by_path"].values()
        totals = {kind: sum(path[kind] for path in paths) for kind in ("matched", "wrong")}
        both = totals["matched"] + totals["wrong"]
        assert totals["matched"] == scores["matched"]
        assert both + sum(path["extra"] for path in paths) == scores["predicted"]
        assert both + sum(path["missing"] for path in paths) == scores["expected"]


@by_table("reference, options, message")
def test_a_bad_reference_or_option_is_named(reference, options, message):
    with pytest.raises(ValueError, match=message):
        result("1", reference, **options)
