"""Tool calls: one typical call, and a table of rows with scores worked out by hand."""

import json
import math

import pytest

from metric_commons import load
from tests.spec import Spec

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


@pytest.mark.parametrize(
    ("prediction", "reference", "options", "expected"),
    [
        # order, repetition, more and fewer calls
        ("[g(), f(a=1)]", [*F1, call("g")], {}, 1.0),
        ("[g(), f(a=1)]", [*F1, call("g")], {"match": "same_order"}, 0.0),
        ("[g(), f(a=1), h()]", [call("g"), call("h")], {"match": "in_order"}, 1.0),
        ("[h(), f(a=1), g()]", [call("g"), call("h")], {"match": "in_order"}, 0.0),
        ("[h(), f(a=1), g()]", [call("g"), call("h")], {"match": "superset"}, 1.0),
        ("[g()]", [call("g"), call("h")], {"match": "subset"}, 1.0),
        ("[g(), g()]", [call("g")], {}, 0.0),
        ("[g()]", [call("g"), call("g")], {}, 0.0),
        # arguments
        ("[f(a=1, b=2)]", F1, {"arguments": "superset"}, 1.0),
        ("[f()]", F1, {"arguments": "subset"}, 1.0),
        ("[f(z=0)]", F1, {"arguments": "ignore"}, 1.0),
        ("[f(a=1, b=2)]", F1, {"ignore_arguments": ["b"]}, 1.0),
        # types and tolerances
        ("[f(a=True)]", F1, {}, 0.0),
        ("[f(a=1.0)]", F1, {}, 1.0),
        ("[f(a=1.0)]", F1, {"types": "strict"}, 0.0),
        ("[f(a='1')]", F1, {}, 0.0),
        ("[f(a='1')]", F1, {"types": "loose"}, 1.0),
        ("[f(a='01')]", F1, {"types": "loose"}, 0.0),
        ("[f(a=96)]", [call("f", a=100)], {"rel_tol": 0.04}, 1.0),
        ("[f(a=100)]", [call("f", a=96)], {"rel_tol": 0.04}, 0.0),
        ("[f(a='New York')]", [call("f", a="new-york")], {"normalizer": "bfcl"}, 1.0),
        ("[f(a=[1, 2])]", [call("f", a=[2, 1])], {"list_order": "any"}, 1.0),
        ("[f(a=[1, 2])]", [call("f", a=[2, 1])], {}, 0.0),
        # names
        ("[a.b()]", [call("a_b")], {}, 0.0),
        ("[a.b()]", [call("a_b")], {"dots": "underscore"}, 1.0),
        # accepted values, and the best pairing where the first one would use up the only fit
        ("[f(a=2)]", [call("f", a=[1, 2])], {"alternatives": True}, 1.0),
        ("[f()]", [call("f", a=[1, ""])], {"alternatives": True}, 1.0),
        ("[f(a=1), f(a=2)]", [call("f", a=[1, 2]), call("f", a=[1])], {"alternatives": True}, 1.0),
    ],
)
def test_a_row_is_right_or_wrong(prediction, reference, options, expected):
    assert result(prediction, reference, **options)["exact_match"] == expected


@pytest.mark.parametrize(
    "prediction",
    [
        "[f(a=1)]",
        "f(a=1)",
        "```python\n[f(a=1)]\n```",
        '{"name": "f", "arguments": {"a": 1}}',
        '{"name": "f", "parameters": {"a": 1}}',
        '[{"function": {"name": "f", "arguments": "{\\"a\\": 1}"}}]',
        '```json\n[{"name": "f", "args": {"a": 1}}]\n```',
        'So: <tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call> Done.',
        '<tool_call>{"name": "f", "arguments": {"a": 1}}',
        {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": '{"a": 1}'}}]},
        [{"name": "f", "input": {"a": 1}}],
        ({"name": "f", "arguments": {"a": 1}},),
    ],
)
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


@pytest.mark.parametrize(
    "prediction",
    [
        "[f(1)]",
        "[f(**x)]",
        "[f(a=1, a=2)]",
        "[f(a=1)] I hope this helps.",
        "[f(a={[]: 1})]",
        "f(a=2**99999999)",
        '{"name": "f", "arguments": {"a": NaN}}',
        '{"name": "f", "arguments": [1]}',
        '{"name": "f", "arguments": {}, "args": {}}',
        '{"answer": 42}',
        "<tool_call>f</tool_call>",
        [{"arguments": {}}],
        [1],
        3,
    ],
)
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


@pytest.mark.parametrize(
    ("reference", "options", "message"),
    [
        ("[", {}, r"references\[0\] is not JSON"),
        ([{"arguments": {}}], {}, r"references\[0\]: a call has no name"),
        ({"name": "f"}, {}, r"references\[0\]: expected a list of calls, got an object"),
        ([call("f", a=1)], {"alternatives": True}, r"references\[0\]: 'a' of f is not a list"),
        ([call("f", a=[])], {"alternatives": True}, "'a' of f is not a list of accepted values"),
        ([call("f", a=[1])], {"arguments": "bfcl"}, "needs tools"),
        ([call("f", a=[1])], {"arguments": "bfcl", "tools": [{"name": "g"}]}, "f is not among"),
        ([], {"tools": [{"parameters": {}}]}, r"tools\[0\] is not the declaration of a tool"),
        ([], {"tools": [[], []]}, "tools has 2 lists for 1 rows"),
        ([], {"defaults": True}, "defaults=True needs tools"),
    ],
)
def test_a_bad_reference_or_option_is_named(reference, options, message):
    with pytest.raises(ValueError, match=message):
        result("[f()]", reference, **options)
