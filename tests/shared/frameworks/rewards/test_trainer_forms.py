"""The forms of trainers, called as each trainer calls a function."""

import asyncio
import inspect
from functools import partial
from types import SimpleNamespace

import pytest

from metric_commons import rewards

TEXT, WRONG, UNREADABLE = r"It is $\boxed{\frac12}$.", r"\boxed{3}", r"\left( see figure"
MESSAGE = [{"role": "assistant", "content": TEXT}]


def test_trl():
    """As `GRPOTrainer._calculate_rewards` of trl 1.16.0."""
    logged = {}
    for completions in ([TEXT, WRONG, TEXT], [MESSAGE, [{"content": WRONG}], MESSAGE]):
        found = rewards.math()(
            prompts=["?"] * 3,
            completions=completions,
            completion_ids=[[1], [2], [3]],
            solution=["0.5", "1/2", UNREADABLE],
            level=[1, 2, 3],
            trainer_state=SimpleNamespace(global_step=0),
            log_extra=logged.__setitem__,
            log_metric=logged.__setitem__,
            environments=[None] * 3,
        )
        assert found == [1.0, 0.0, None]
    assert rewards.math().__name__ == "math"
    assert not inspect.iscoroutinefunction(rewards.math().__call__)


def verl_row(score, pred, **statuses):
    names = ("unparsed", "undecided", "unreadable")
    return {"score": score, "acc": score, "pred": pred} | {
        name: statuses.get(name, 0.0) for name in names
    }


def test_verl():
    """As `NaiveRewardManager.run_single` of verl 0.9.1, through `partial`, in an executor."""
    form = partial(rewards.math_verl, extract=["strip_think", "boxed"])
    row = {"data_source": "aime", "extra_info": {"num_turns": None}, "reward_router_address": None}

    assert not inspect.iscoroutinefunction(form)
    assert form(solution_str=TEXT, ground_truth="0.5", **row) == verl_row(1.0, r"\frac12")
    assert form(solution_str="3", ground_truth="3", **row) == verl_row(0.0, "", unparsed=1.0)
    assert form(solution_str=TEXT, ground_truth=UNREADABLE, **row) == verl_row(
        0.0, r"\frac12", unreadable=1.0
    )
    assert form(solution_str=rf"<think>{TEXT}</think>{WRONG}", ground_truth="3", **row) == (
        verl_row(1.0, "3")
    )


def test_verl_in_batches():
    """As `BatchRewardManager.verify` of verl 0.9.1."""
    assert rewards.math_verl(
        data_sources=["aime", "aime"],
        solution_strs=[TEXT, r"\boxed{2f}"],
        ground_truths=["0.5", "f(2)"],
        extra_infos=[{}, {}],
    ) == [verl_row(1.0, r"\frac12"), verl_row(0.0, "2f", undecided=1.0)]


def test_settings_of_a_configuration():
    class Items(list):  # lists of OmegaConf are no lists of Python
        pass

    form = rewards.answers("qa_f1").verl
    assert form("nq", "a cat", "The cat")["score"] == 1.0
    assert form("nq", "a cat", "The cat", normalizer="none")["score"] == 0.5
    assert form("nq", "#### cat", "cat", extract=Items(["strip_think"]))["score"] == 1.0
    with pytest.raises(ValueError, match="extract: unknown step 'bxed'"):
        rewards.math_verl("aime", TEXT, "1", extract=["bxed"])
    for reward in (rewards.math_verl, form):
        with pytest.raises(TypeError, match="has no option 'strict_box_verify'"):
            reward("aime", TEXT, "1", strict_box_verify=True)
    assert rewards.tools_verl("bfcl", "[f(a=1)]", "[]", match="superset")["score"] in (0.0, 1.0)


@pytest.mark.parametrize("kind", ["math", "choice", "answers", "rouge", "tools", "json", "found"])
@pytest.mark.parametrize("form", ["trl", "verl"])
def test_names_for_configurations(kind, form):
    function = getattr(rewards, f"{kind}_{form}")

    assert callable(function)
    assert function == getattr(rewards, f"{kind}_{form}")
    assert not inspect.iscoroutinefunction(function)


def test_forms_of_programs_are_awaited(monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    tests = {"inputs": ["1", "2"], "outputs": ["2", "3"]}
    text = "```python\nprint(2)\n```"

    assert inspect.iscoroutinefunction(rewards.code_verl)
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL")  # verl loads the function before it reads options
    form, allowed = rewards.code_verl, {"allow_execution": True}
    assert asyncio.run(form("toy", text, tests, reward_router_address="", **allowed))["acc"] == 0.5
    with pytest.raises(ValueError, match="allow_execution"):
        asyncio.run(form("toy", text, tests))
    with pytest.raises(TypeError, match="sore"):
        asyncio.run(form("toy", text, tests, sore="partial", **allowed))
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    row = asyncio.run(rewards.code_verl("toy", text, tests, score="pass_fail"))
    assert row == verl_row(0.0, "print(2)\n") | {"passed_tests": 1.0, "tests": 2.0}
    assert asyncio.run(rewards.code_verl("toy", text, {"inputs": ["1"]}))["unreadable"] == 1.0
    assert rewards.code("t", explain=True).verdicts(["no"], [tests])[0].reason == (
        "The text contains no fenced program."
    )
