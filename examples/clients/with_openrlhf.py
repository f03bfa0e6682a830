"""Score a sample with OpenRLHF's own executor, which loads a file with `reward_func`.

A training gets the file by `--remote_rm_url rewards_file.py`. A stand-in takes the place of the
engine that generates, since this needs GPUs.

To run it:

    pip install metric-commons openrlhf
    python examples/clients/with_openrlhf.py
"""

import asyncio
import tempfile
from pathlib import Path
from types import SimpleNamespace

import torch
from openrlhf.utils.agent import SingleTurnAgentExecutor

FILE = "from metric_commons import rewards\n\nreward_func = rewards.math().openrlhf\n"
ROWS = [
    (r"It is $\boxed{\frac{1}{2}}$.", "0.5"),
    (r"\boxed{3}", "2"),
    ("I do not know.", "7"),
    (r"\boxed{7}", r"\left( see figure"),
]


class Characters:
    """A tokenizer whose tokens are characters."""

    def __call__(self, text: str, **options: object) -> dict[str, torch.Tensor]:
        return {"input_ids": torch.tensor([list(map(ord, text))])}

    def decode(self, tokens: list[int], skip_special_tokens: bool = True) -> str:
        return "".join(map(chr, tokens))


class Engine:
    """Generates a given response."""

    def __init__(self, response: str) -> None:
        self.response = response

    async def generate(self, tokens: object, parameters: object, **options: object) -> object:
        output = SimpleNamespace(
            token_ids=list(map(ord, self.response)), finish_reason="stop", logprobs=None
        )
        return SimpleNamespace(outputs=[output])


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rewards_file.py"
        path.write_text(FILE)
        executor = SingleTurnAgentExecutor(str(path))
        parameters = SimpleNamespace(max_tokens=100, logprobs=None)
        for response, label in ROWS:
            output = await executor.execute(
                r"Put the answer into \boxed{}.",
                label,
                parameters,
                1000,
                Characters(),
                Engine(response),
            )
            logs = {name: float(value) for name, value in output["extra_logs"].items()}
            print(float(output["reward"]), logs)


if __name__ == "__main__":
    asyncio.run(main())
