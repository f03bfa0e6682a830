"""Score rollouts of a taskset of verifiers (v1) with a reward.

pip install metric-commons verifiers
python examples/clients/with_verifiers.py
"""

import asyncio

import verifiers.v1 as vf
from verifiers.v1.trace import AgentInfo

from metric_commons import rewards


class ProblemData(vf.TaskData):
    answer: str


class Problem(vf.Task[ProblemData, vf.State, vf.TaskConfig]):
    correct = vf.reward(rewards.math(column="answer").verifiers)
    boxed = vf.reward(weight=0.1)(rewards.found().verifiers)


async def main() -> None:
    for reply, answer in (
        (r"It is $\boxed{\frac{1}{2}}$.", "0.5"),
        (r"\boxed{3}", "2"),
        ("I do not know.", "7"),
        (r"\boxed{7}", r"\left( see figure"),
    ):
        problem = Problem(ProblemData(prompt="?", answer=answer))
        trace = vf.Trace(
            task=vf.TraceTask(type="Problem", data=problem.data),
            agent=AgentInfo(config=vf.AgentConfig()),
            root_reply=reply,
        )
        try:
            await problem.score(trace)
        except vf.TaskError as error:
            print("error:", error)
        else:
            print(trace.reward, {name: reward.value for name, reward in trace.rewards.items()})


if __name__ == "__main__":
    asyncio.run(main())
