"""Rewards for tool calls and JSON."""

import pytest

from metric_commons import rewards

CALL = {"name": "f", "arguments": {"a": 1}}
MESSAGE = {"role": "assistant", "content": "[f(a=1)]"}
CALLING = {"role": "assistant", "content": "", "tool_calls": [{"function": CALL}]}


def test_completions_are_texts_or_messages():
    completions = ["[f(a=1)]", [{"role": "user", "content": "?"}, MESSAGE], [CALLING], "No."]

    assert rewards.tools()(completions, expected_calls=[[CALL]] * 4, prompts=["?"] * 4) == [
        *(1.0, 1.0, 1.0, 0.0)
    ]


def test_options_are_those_of_the_module():
    reward = rewards.tools("recall", column="calls", match="superset", arguments="ignore")

    assert reward(["[f(), g()]", "[g()]"], calls=[[CALL], [CALL]]) == [1.0, 0.0]
    assert rewards.json("exact_match", list_order="any")(["[2, 1]"], answer=[[1, 2]]) == [1.0]
    tools = [{"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}}}]
    accepted = {"tool_calls": [{"name": "f", "arguments": {"a": [1]}}], "tools": tools}
    assert rewards.tools(arguments="bfcl")(["[f(a=1)]"], expected_calls=[accepted]) == [1.0]


def test_rows_without_a_readable_reference_have_no_reward():
    assert rewards.tools()(["[f(a=1)]"] * 2, expected_calls=["[", [CALL]]) == [None, 1.0]
    assert rewards.json()(["1", "1", "["], answer=["NaN", "1", "1"]) == [None, 1.0, 0.0]
    assert rewards.json()([], answer=[]) == []


def test_what_is_wrong_is_named_before_training():
    with pytest.raises(ValueError, match="has no score 'exactmatch' of rows; did you mean"):
        rewards.tools("exactmatch")
    with pytest.raises(ValueError, match="has no score 'schema_valid'"):
        rewards.json("schema_valid")
    with pytest.raises(TypeError, match="no_such"):
        rewards.json(no_such=1)
    with pytest.raises(ValueError, match="match must be one of"):
        rewards.tools(match="unordered")
    with pytest.raises(ValueError, match="no column 'expected_calls'"):
        rewards.tools()(["f()"], calls=[[CALL]])
