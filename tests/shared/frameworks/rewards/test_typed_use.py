"""User code with rewards, tasks, scorers, assertions and adapters passes mypy's strict checks."""

import subprocess
import sys

import pytest

OURS = r'''
"""User code."""

from typing import Any
from metric_commons import rewards
from metric_commons.rewards import Reward, math_verl
from metric_commons.scorers import task
from metric_commons.frameworks.rewards.verdicts import Task, Verdict
from metric_commons.frameworks.harnesses.row_scorers import scorer
from metric_commons.frameworks.harnesses.assertions import assert_scores
from metric_commons.frameworks.harnesses.lm_eval import corpus, rows
from metric_commons.frameworks.harnesses.lighteval import corpus_metric, metric

reward: Reward = rewards.math(column="answer", extract=["strip_think", "boxed"], explain=True)
scores: list[float | None] = reward([r"\boxed{2}"], answer=["2"])
verdicts: list[Verdict] = reward.verdicts(["2"], ["2"])
judged: Task = task("qa_f1", normalizer="lower")
forms: list[Any] = [reward.verl, math_verl]
readable: int = reward.check([{"answer": 1}]).readable
others: list[Reward] = [
    rewards.choice(),
    rewards.answers("qa_em", normalizer="squad"),
    rewards.rouge("rougeL"),
    rewards.tools(),
    rewards.json(parse="fenced"),
    rewards.instructions(),
    rewards.code(allow_execution=True),
]
score: Any = scorer("promptfoo", "qa_f1", reference="accepted", normalizer="lower")
math: Any = scorer("dspy", "math", extract=["strip_think", "boxed"], percent="value")
result: dict[str, Any] = assert_scores("qa_f1", ["a"], [["a", "b"]], at_least=0.5, certain=False)
assert_scores("error_rate", ["a b"], ["a b"], at_most=0.1)
assert_scores("pass_at_k", [[1, 0]], at_least=0.1)
process_results = rows("qa_f1", reference="answers")
values: dict[str, Any] = process_results({"answers": ["a"], "source": 1}, ["a"])
chrf = corpus("chrf", word_order=2)
error: float = corpus("ter")([("a b", "a c")])
metrics: list[Any] = [metric("qa_f1", normalizer="lower"), corpus_metric("chrf", word_order=2)]
'''
INSPECT = '''
"""User code."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.solver import generate

from metric_commons.frameworks.harnesses.inspect_ai import (
    choice,
    interval,
    math,
    module,
    standard_error,
)


@task
def problems() -> Task:
    """A task with several scorers and metrics."""
    return Task(
        dataset=[Sample(input="1 + 1 =", target="2", metadata={"source": "x"})],
        solver=generate(),
        scorer=[math(extract="boxed"), choice(), module("qa_f1", normalizer="lower")],
        metrics=[interval(0.9, cluster="source"), standard_error("source")],
        epochs=2,
    )
'''


@pytest.mark.slow
@pytest.mark.parametrize(
    ("library", "use"),
    [(None, OURS), ("inspect_ai", INSPECT)],
    ids=["ours", "inspect_ai"],
)
def test_user_code_is_typed(tmp_path, library, use):
    if library is not None:
        pytest.importorskip(library)
    (tmp_path / "use.py").write_text(use)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "use.py"]
    done = subprocess.run(command, cwd=tmp_path, env={"PATH": ""}, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout
