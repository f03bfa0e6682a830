"""Score samples with AReaL's own wrapper, which pickles a reward into a pool of processes.

pip install metric-commons areal
python examples/clients/with_areal.py
"""

import asyncio

from areal.api.reward_api import AsyncRewardWrapper

from metric_commons import rewards

ROWS = [
    (r"It is $\boxed{\frac{1}{2}}$.", "0.5"),
    (r"\boxed{3}", "2"),
    ("I do not know.", "7"),
    (r"\boxed{7}", r"\left( see figure"),
]


async def main() -> None:
    score = AsyncRewardWrapper(rewards.math(column="answer").areal)
    tasks = [score("?", text, [], [], answer=answer, messages=[]) for text, answer in ROWS]
    print(await asyncio.gather(*tasks))


if __name__ == "__main__":
    asyncio.run(main())
