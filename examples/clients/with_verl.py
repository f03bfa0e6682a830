"""Score a batch with verl's own reward managers, from the configuration of a training.

pip install metric-commons verl
python examples/clients/with_verl.py
"""

import asyncio

import numpy as np
import torch
from omegaconf import OmegaConf
from verl import DataProto
from verl.experimental.reward_loop.reward_manager import get_reward_manager_cls
from verl.trainer.ppo.reward import get_custom_reward_fn

ROWS = [  # responses of a model, and the ground truth of each
    (r"It is $\boxed{\frac{1}{2}}$.", "0.5"),
    (r"\boxed{3}", "2"),
    ("I do not know.", "7"),
    (r"\boxed{7}", r"\left( see figure"),
]
CONFIG = OmegaConf.create(
    {
        "reward": {
            "custom_reward_function": {
                "path": "pkg://metric_commons.rewards",
                "name": "math_verl",
                "reward_kwargs": {"extract": ["strip_think", "boxed"]},
            }
        },
        "data": {"reward_fn_key": "data_source"},
    }
)


class Characters:
    """A tokenizer whose tokens are characters."""

    def encode(self, text: str) -> list[int]:
        return list(map(ord, text))

    def decode(self, tokens: torch.Tensor, skip_special_tokens: bool = True) -> str:
        return "".join(chr(token) for token in tokens.tolist() if token)


def batch() -> DataProto:
    """Prompts and responses as verl passes them, padded with zeros."""
    tokenizer = Characters()
    length = max(len(response) for response, _ in ROWS)
    responses = torch.zeros(len(ROWS), length, dtype=torch.long)
    for row, (response, _) in enumerate(ROWS):
        responses[row, : len(response)] = torch.tensor(tokenizer.encode(response))
    prompts = torch.full((len(ROWS), 1), ord("?"))
    truths = [{"ground_truth": truth, "style": "rule"} for _, truth in ROWS]
    return DataProto.from_dict(
        tensors={
            "prompts": prompts,
            "responses": responses,
            "attention_mask": (torch.cat([prompts, responses], dim=1) > 0).long(),
        },
        non_tensors={
            "data_source": np.array(["example"] * len(ROWS), dtype=object),
            "reward_model": np.array(truths, dtype=object),
            "extra_info": np.array([{} for _ in ROWS], dtype=object),
        },
    )


async def scores(name: str) -> None:
    """The score of each row, by the reward manager of a name."""
    score = get_custom_reward_fn(CONFIG)
    manager = get_reward_manager_cls(name)(CONFIG, Characters(), score)
    data = batch()
    results = await asyncio.gather(*(manager.run_single(data[row : row + 1]) for row in range(4)))
    for result in results:
        information = result["reward_extra_info"]
        print(name, result["reward_score"], {k: v for k, v in information.items() if v})


if __name__ == "__main__":
    asyncio.run(scores("naive"))
