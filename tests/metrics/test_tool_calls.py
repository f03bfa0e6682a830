"""Tool calls: one typical call, and a table of rows with scores worked out by hand."""

import json
import math

import pytest

from metric_commons import load
from tests.spec import Spec
from tests.tables import by_table

_RANGES = dict.fromkeys(
    (
        *("exact_match", "name_match", "f1", "precision", "recall", "partial_match"),
        *("micro_f1", "micro_precision", "micro_recall"),
        *("irrelevance_accuracy", "relevance_accuracy", "unparsed"),
    ),
    (0.0, 1.0),
)


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


SPEC = Spec(
    name="tool_calls",
    sample={
        "predictions": [
            "[f(a=1), g()]",
            '<tool_call>{"name": "f", "arguments": {"a": 2, "b": 3}}</tool_call>',
            "I cannot do that.",
            "[f(a=",
            '[{"name": "g", "arguments": {}}, {"name": "f", "arguments": {"a": 1}}]',
        ],
        "references": [
            '[{"name": "f", "arguments": {"a": 1}}, {"name": "g"}]',
            '[{"name": "f", "arguments": {"a": 1, "b": 3}}]',
            "[]",
            '[{"name": "g"}]',
            '[{"name": "f", "arguments": {"a": 1}}]',
        ],
    },
    # By hand: two calls of two are right, none of one, there is none to be, one cannot be read, and
    # one of two is right. Half of the arguments of the second call are.
    result={
        "exact_match": 2 / 5,
        "name_match": 3 / 5,
        "f1": math.fsum([1, 0, 1, 0, 2 / 3]) / 5,
        "precision": 2.5 / 5,
        "recall": 3 / 5,
        "partial_match": 3 / 5,
        "micro_f1": 6 / 10,
        "micro_precision": 3 / 5,
        "micro_recall": 3 / 5,
        "irrelevance_accuracy": 1.0,
        "relevance_accuracy": 3 / 4,
        "unparsed": 1 / 5,
        "matched": 3,
        "predicted": 5,
        "expected": 5,
    },
    perfect={
        "predictions": ["[f(a=1)]", "No."],
        "references": ['[{"name": "f", "arguments": {"a": 1}}]', "[]"],
    },
    best=dict.fromkeys(_RANGES, 1.0)
    | {"unparsed": 0.0, "matched": 1, "predicted": 1, "expected": 1},
    wrong={"predictions": {1, 2}, "references": "{"},
)


def result(prediction, reference, **options):
    return load("tool_calls").compute(predictions=[prediction], references=[reference], **options)


F1 = [call("f", a=1)]


@by_table("prediction, reference, options, expected")
def test_a_row_is_right_or_wrong(prediction, reference, options, expected):
    assert result(prediction, reference, **options)["exact_match"] == expected


@by_table("prediction")
def test_calls_come_in_many_forms(prediction):
    assert result(prediction, F1)["exact_match"] == 1.0


@pytest.mark.parametrize("call_format", ["hermes", "python"])
def test_objects_are_not_texts_of_the_format(call_format):
    assert result(F1, F1, format=call_format)["exact_match"] == 1.0
    assert result('[{"name": "f", "arguments": {"a": 1}}]', [], format=call_format)["f1"] == 1.0


@pytest.mark.parametrize(
    "prediction",
    ["I cannot.", "", "Use f to do it.", [], {"role": "assistant", "content": "I cannot."}],
)
def test_without_a_sign_of_a_call_there_is_none(prediction):
    found = result(prediction, [])

    assert (found["irrelevance_accuracy"], found["exact_match"], found["unparsed"]) == (1, 1, 0)


@by_table("prediction")
def test_a_call_that_cannot_be_read_is_not_no_call(prediction):
    found = result(prediction, [])

    assert (found["unparsed"], found["irrelevance_accuracy"], found["f1"]) == (1, 0, 0)


def test_tools_may_stand_beside_the_expected_calls():
    tools = [{"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}}}]
    expected = [call("f", a=[1])]
    answers = [{"tool_calls": expected, "tools": tools}]
    metric = load("tool_calls", arguments="bfcl")
    beside = metric.compute(predictions=["[f(a=1)]"], references=answers)

    assert beside["exact_match"] == 1.0
    for given in (tools, [tools]):
        options = {"predictions": ["[f(a=1)]"], "references": [expected], "tools": given}
        assert metric.compute(**options) == pytest.approx(beside, nan_ok=True)


def test_declared_defaults_are_filled_in():
    schema = {"unit": {"type": "string", "default": "cm"}}
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"properties": schema}}}]
    options = {"tools": tools, "defaults": True}

    assert result("[f()]", [call("f", unit="cm")], **options)["exact_match"] == 1.0
    assert result("[f(unit='m')]", [call("f")], **options)["exact_match"] == 0.0


@pytest.mark.parametrize("options", [{"defaults": True}, {"arguments": "bfcl"}])
def test_every_row_needs_tools_where_one_does(options):
    """So that parts of the rows are refused like all of them."""
    declared = {"tool_calls": [], "tools": [{"name": "f"}]}
    metric = load("tool_calls", **options)
    assert metric.compute(predictions=["[]"], references=[json.dumps(declared)])
    with pytest.raises(ValueError, match=r"needs tools, .*; references\[1\] has none"):
        metric.compute(predictions=["[]"] * 2, references=[json.dumps(declared), "[]"])


@by_table("reference, options, message")
def test_a_bad_reference_or_option_is_named(reference, options, message):
    with pytest.raises(ValueError, match=message):
        result("[f()]", reference, **options)
