"""Score samples with slime's own hub of rewards, from the options of a training.

slime is installed from its repository; it needs GPUs only to generate and to train.

To run it:

    git clone https://github.com/THUDM/slime
    PYTHONPATH=slime python examples/clients/with_slime.py
"""

import asyncio
from types import SimpleNamespace

from slime.rollout.rm_hub import async_rm, batched_async_rm
from slime.utils.types import Sample

ROWS = [
    (r"It is $\boxed{\frac{1}{2}}$.", "0.5"),
    (r"\boxed{3}", "2"),
    ("I do not know.", "7"),
    (r"\boxed{7}", r"\left( see figure"),
]


async def main() -> None:
    options = SimpleNamespace(custom_rm_path="metric_commons.rewards.math_slime", rm_type=None)
    samples = [Sample(prompt="?", response=text, label=answer) for text, answer in ROWS]
    print(await batched_async_rm(options, samples))
    print(await asyncio.gather(*(async_rm(options, sample) for sample in samples)))


if __name__ == "__main__":
    asyncio.run(main())
