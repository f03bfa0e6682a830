"""Scores of single answers as rewards, for trainers such as TRL and verl."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .code_rewards import code_reward, code_score
    from .instruction_rewards import instructions

__all__ = ["code_reward", "code_score", "instructions"]

__getattr__ = resolver(
    __name__,
    {
        "code_reward": "code_rewards",
        "code_score": "code_rewards",
        "instructions": "instruction_rewards",
    },
)
