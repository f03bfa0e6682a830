"""Scores of single answers as rewards, for trainers such as TRL and verl."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .code_rewards import code_reward, code_score
    from .instruction_rewards import instructions
    from .structured_rewards import json, tools

__all__ = ["code_reward", "code_score", "instructions", "json", "tools"]

__getattr__ = resolver(
    __name__,
    {
        "code_reward": "code_rewards",
        "code_score": "code_rewards",
        "instructions": "instruction_rewards",
        "json": "structured_rewards",
        "tools": "structured_rewards",
    },
)
