"""Rewards for tool calls and for JSON, by `tool_calls` and `json_match`."""

from typing import Any

from .row_rewards import Reward, row_reward


def tools(score: str = "exact_match", *, column: str = "expected_calls", **options: Any) -> Reward:
    """A reward for tool calls, for TRL: `reward_funcs=[tools()]`.

    A completion is a text, or a list of messages, of which the last one counts: its `tool_calls`,
    or else the calls in its text. A call that cannot be read has the reward 0.0. The reward is
    None, so that the row is left out, where the expected calls cannot be read.

    Args:
        score: "exact_match", "name_match", "f1", "precision", "recall" or "partial_match".
        column: the column of the data set with the expected calls, as `tool_calls` takes them.
        **options: of `tool_calls`.

    Returns:
        A function of `completions` and of columns, which returns a float or None for each.

    Raises:
        ValueError: there is no such score, or an option is not valid.
        TypeError: there is no such option.

    >>> reward = tools("partial_match")
    >>> calls = [{"name": "f", "arguments": {"a": 1, "b": 2}}]
    >>> reward(["[f(a=1, b=3)]", "I cannot."], expected_calls=[calls, calls])
    [0.5, 0.0]
    """
    return row_reward("tool_calls", score, column, options, _sample(options))


def json(score: str = "f1", *, column: str = "answer", **options: Any) -> Reward:
    """A reward for JSON, for TRL: `reward_funcs=[json(parse="fenced")]`.

    Invalid JSON has the reward 0.0. The reward is None, so that the row is left out, where the
    reference is not JSON.

    Args:
        score: "f1", "precision", "recall", "exact_match", "valid", or with a schema "schema_valid".
        column: the column of the data set with the references, as `json_match` takes them.
        **options: of `json_match`.

    Returns:
        A function of `completions` and of columns, which returns a float or None for each.

    Raises:
        ValueError: there is no such score, or an option is not valid.
        TypeError: there is no such option.

    >>> reward = json()
    >>> reward(['{"a": 1, "b": 2}', "{"], answer=[{"a": 1, "b": 3}, {"a": 1}])
    [0.5, 0.0]
    """
    return row_reward("json_match", score, column, options, ("null", "null"))


def _sample(options: Any) -> tuple[str, str]:
    """A row without calls, whose tools may still stand beside the expected ones."""
    if options.get("tools") is None:
        return "", '{"tool_calls": [], "tools": []}'
    return "", "[]"
