"""The forms of trainers, called as each trainer calls a function."""

import asyncio
import importlib
import inspect
import pickle
import sys
from functools import partial
from types import ModuleType, SimpleNamespace

import pytest
from pydantic import BaseModel

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
    for reward in (rewards.math_verl, rewards.total(rewards.math()).verl, form):
        with pytest.raises(TypeError, match="has no option 'strict_box_verify'"):
            reward("aime", TEXT, "1", strict_box_verify=True)
    assert rewards.tools_verl("bfcl", "[f(a=1)]", "[]", match="superset")["score"] in (0.0, 1.0)


def test_openrlhf():
    """As `SingleTurnAgentExecutor._fetch_rewards_via_func` of OpenRLHF: single rows in threads."""
    reward_func = rewards.math().openrlhf
    prompt = r"Put it into \boxed{}, like \boxed{3}."

    async def fetched(query, label):
        return await asyncio.to_thread(reward_func, [query], [prompt], [label])

    result = asyncio.run(fetched(f"<s>{prompt}{TEXT}</s>", "0.5"))
    assert [float(value) for value in result["rewards"]] == [1.0]
    assert [float(value) for value in result["scores"]] == [1.0]
    assert {name: float(value[0]) for name, value in result["extra_logs"].items()} == {
        "unparsed": 0.0,
        "undecided": 0.0,
        "unreadable": 0.0,
        "prompt_missing": 0.0,
    }
    for query, label, log in (
        (f"<s>{prompt}No idea.", "3", "unparsed"),
        (f"{prompt}{TEXT}", None, "unreadable"),
        (TEXT, "3", "prompt_missing"),
    ):
        result = asyncio.run(fetched(query, label))
        assert (float(result["rewards"][0]), float(result["extra_logs"][log][0])) == (0.0, 1.0)


def sample(response, label):
    return SimpleNamespace(prompt="?", response=response, label=label, metadata={})


def test_slime():
    """As `async_rm` and `batched_async_rm` of slime, which load a path."""
    module, _, name = "metric_commons.rewards.math_slime".rpartition(".")
    function = getattr(importlib.import_module(module), name)
    samples = [sample(TEXT, "0.5"), sample(WRONG, "0.5"), sample(TEXT, UNREADABLE)]

    async def scores():
        single = await asyncio.gather(*(function(None, one) for one in samples))
        return single, await function(None, samples, evaluation=True)

    assert asyncio.run(scores()) == ([1.0, 0.0, 0.0], [1.0, 0.0, 0.0])
    assert function is getattr(importlib.import_module(module), name)


def test_areal():
    """As `RLVRWorkflow._compute_rewards` of AReaL, in a pool to which the function is pickled."""
    form = pickle.loads(pickle.dumps(partial(rewards.math(column="answer").areal)))

    assert form("?", TEXT, [1], [2], answer="0.5", messages=[], prompt="?") == 1.0
    assert form("?", TEXT, [1], [2], answer=UNREADABLE) == 0.0
    with pytest.raises(ValueError, match="no column 'answer'; it has solution"):
        form("?", TEXT, [1], [2], solution="0.5")
    assert rewards.math_areal("?", TEXT, [1], [2], solution="0.5") == 1.0


def test_verifiers():
    """As verifiers 0.4.0 calls a method of a task that is marked as a reward."""

    class Problem:
        correct = rewards.math(column="answer").verifiers

    def scored(hook, **data):
        """As `invoke_all` does: with the arguments that the signature names."""
        available = {"task": SimpleNamespace(**data), "trace": trace, "runtime": None}
        return asyncio.run(
            hook(**{name: available[name] for name in inspect.signature(hook).parameters})
        )

    trace = SimpleNamespace(last_reply=TEXT)
    correct = Problem().correct
    assert scored(correct, answer="0.5") == 1.0
    assert Problem.correct.__name__ == "math"
    with pytest.raises(ValueError, match="the reference cannot be read: None"):
        scored(correct, answer=None)
    with pytest.raises(ValueError, match="the task has no field 'answer'"):
        scored(correct, solution="0.5")
    both = rewards.total(rewards.math(column="answer"), rewards.found(), weights=[1, 0.5])
    Problem.both = both.verifiers
    assert scored(Problem().both, answer="0.5") == 1.5


class Part(BaseModel):
    type: str = "output_text"
    text: str


class Item(BaseModel):
    type: str = "message"
    role: str = "assistant"
    content: list[Part]


class Response(BaseModel):
    output: list[Item]


class Request(BaseModel):
    response: Response


class Verified(Request):
    reward: float


def test_nemo_gym(monkeypatch):
    """As the route /verify of a resources server of nemo-gym 0.4.0 calls `verify`."""
    stub = ModuleType("nemo_gym.base_resources_server")
    stub.BaseVerifyRequest, stub.BaseVerifyResponse = Request, Verified
    stub.SimpleResourcesServer = type("SimpleResourcesServer", (), {})
    monkeypatch.setitem(sys.modules, "nemo_gym", ModuleType("nemo_gym"))
    monkeypatch.setitem(sys.modules, stub.__name__, stub)

    server = rewards.math().nemo_gym()
    request_type = inspect.signature(server.verify).parameters["body"].annotation
    for text, answer, expected in (
        (TEXT, "0.5", (1.0, r"\frac12", "scored")),
        ("3", "3", (0.0, None, "unparsed")),
        (TEXT, None, (0.0, r"\frac12", "unreadable")),
    ):
        output = {"output": [{"content": [{"text": "?"}]}, {"content": [{"text": text}]}]}
        body = request_type.model_validate({"response": output, "expected_answer": answer})
        found = asyncio.run(server.verify(body))
        assert (found.reward, found.extracted_answer, found.status) == expected
        assert found.expected_answer == answer
    with pytest.raises(ValueError, match="expected_answer"):
        request_type.model_validate({"response": output})


@pytest.mark.parametrize("kind", ["math", "choice", "answers", "rouge", "tools", "json", "found"])
@pytest.mark.parametrize("form", ["trl", "verl", "openrlhf", "slime", "areal"])
def test_names_for_configurations(kind, form):
    function = getattr(rewards, f"{kind}_{form}")

    assert callable(function)
    assert function == getattr(rewards, f"{kind}_{form}")
    assert inspect.iscoroutinefunction(function) == (form == "slime")


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
    assert row == verl_row(0.0, "print(2)\n")
    assert asyncio.run(rewards.code_verl("toy", text, {"inputs": ["1"]}))["unreadable"] == 1.0
    assert asyncio.run(rewards.code_slime(None, [sample(text, tests)] * 2)) == [0.5, 0.5]
    assert rewards.code(column="t").areal("?", text, [], [], t=tests) == 0.5
    assert rewards.code("t", explain=True).verdicts(["no"], [tests])[0].reason == (
        "The text contains no fenced program."
    )
