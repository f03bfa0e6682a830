"""User code with rewards and tasks passes mypy's strict checks."""

import subprocess
import sys

import pytest

from tests.spec import ROOT

USE = r'''
"""User code."""

import asyncio
from typing import Any

from metric_commons import rewards
from metric_commons.rewards import Reward, math_verl
from metric_commons.tasks import Task, Verdict, task

reward: Reward = rewards.math(column="answer", extract=["strip_think", "boxed"], explain=True)
scores: list[float | None] = reward([r"\boxed{2}"], answer=["2"])
both: Reward = rewards.total(reward, rewards.found(), weights=[1, 0.1])
verdicts: list[Verdict] = both.verdicts(["2"], ["2"])
judged: Task = task("qa_f1", normalizer="lower")
forms: list[Any] = [reward.verl, reward.openrlhf, reward.slime, reward.verifiers, math_verl]
value: float = reward.areal("?", "2", [], [], answer="2")
rows: int = reward.check([{"answer": 1}]).readable
asyncio.run(reward.awaited(["2"], ["2"]))
others: list[Reward] = [
    rewards.choice(),
    rewards.answers("qa_em", normalizer="squad"),
    rewards.rouge("rougeL"),
    rewards.tools(),
    rewards.json(parse="fenced"),
    rewards.instructions(),
    rewards.code(allow_execution=True),
]
'''


@pytest.mark.slow
def test_user_code_is_typed(tmp_path):
    (tmp_path / "use.py").write_text(USE)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "use.py"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={"MYPYPATH": str(ROOT / "shared"), "PATH": ""},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout
