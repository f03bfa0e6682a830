"""Rewards of responses that follow instructions."""

import json

import pytest

from metric_commons.rewards import instructions

NO_COMMA = {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}
BOTH = {
    "instruction_id_list": ["punctuation:no_comma", "startend:quotation"],
    "kwargs": [{}, {}],
}
COMPLETIONS = ["One, two", "One two", [{"role": "assistant", "content": 'Yes:\n"One"'}]]


@pytest.mark.parametrize(
    ("score", "rewards"),
    [
        ("prompt_level_strict_acc", [0.0, 0.0, 0.0]),
        ("prompt_level_loose_acc", [0.0, 0.0, 1.0]),
        ("inst_level_strict_acc", [0.0, 0.5, 0.5]),
        ("inst_level_loose_acc", [0.0, 0.5, 1.0]),
    ],
)
def test_rewards_are_scores_of_rows(score, rewards):
    columns = {"prompts": ["?"] * 3, "instructions": [NO_COMMA, BOTH, json.dumps(BOTH)]}

    assert instructions(score)(COMPLETIONS, **columns) == rewards


def test_the_default_is_the_main_score():
    reward = instructions(column="rules", checks="corrected")

    assert reward(["One", "One,"], rules=[NO_COMMA] * 2) == [1.0, 0.0]


def test_options_and_columns_are_checked():
    with pytest.raises(ValueError, match="has no score 'strict' of rows"):
        instructions("strict")
    with pytest.raises(ValueError, match="checks must be one of"):
        instructions(checks="mended")
    with pytest.raises(ValueError, match="no column 'instructions'; it has rules"):
        instructions()(["One"], rules=[NO_COMMA])


def test_rows_without_readable_instructions_have_no_reward():
    empty = {"instruction_id_list": [], "kwargs": []}

    assert instructions()(["One"] * 3, instructions=[None, NO_COMMA, empty]) == [None, 1.0, None]
