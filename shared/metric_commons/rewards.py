"""Rewards for reinforcement learning: the scores of completions.

Each function returns a `Reward`, which can be called as a reward function for TRL; `.verl` is the
form of verl, and `.verdicts(completions, references)` what other trainers can be given. For
configurations that name a function there are `math_trl`, `math_verl`, `choice_verl` and so on, with
the default options of the kind.

`import metric_commons.rewards` needs neither `evaluate` nor numpy; neither do the kinds `math`,
`choice` and `found`.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

from .lazy import resolver

if TYPE_CHECKING:
    from .frameworks.rewards.named_rewards import (
        answers,
        choice,
        code,
        found,
        instructions,
        json,
        math,
        rouge,
        tools,
    )
    from .frameworks.rewards.reward import Reward
    from .frameworks.rewards.verl import code_verl

__all__ = [
    "Reward",
    "answers",
    "choice",
    "code",
    "code_verl",
    "found",
    "instructions",
    "json",
    "math",
    "rouge",
    "tools",
]

_FORMS = ("trl", "verl")
_KINDS = ("answers", "choice", "code", "found", "instructions", "json", "math", "rouge", "tools")

_resolve = resolver(
    __name__,
    {
        "Reward": "frameworks.rewards.reward",
        "code_verl": "frameworks.rewards.verl",
        **dict.fromkeys(_KINDS, "frameworks.rewards.named_rewards"),
    },
    __package__,
)


def __getattr__(name: str) -> Any:
    return _named(name)


@cache  # one value for each name
def _named(name: str) -> Any:
    kind, _, form = name.partition("_")
    if form in _FORMS and kind in _KINDS and name != "code_verl":
        reward = _resolve(kind)()
        return reward if form == "trl" else reward.verl
    return _resolve(name)
