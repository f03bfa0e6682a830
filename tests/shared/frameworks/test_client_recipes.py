"""The functions that pages of clients give to paste, called as each client calls them."""

import asyncio
import importlib
import inspect
import pickle
import re
import sys
from functools import partial
from types import ModuleType, SimpleNamespace

import pytest
from pydantic import BaseModel

from metric_commons.statistics import ConfidenceSequence
from tests.client_stand_ins import Record
from tests.spec import ROOT
from tests.tables import by_table

TEXT, WRONG, UNREADABLE = r"It is $\boxed{\frac12}$.", r"\boxed{3}", r"\left( see figure"


class Part(BaseModel):
    type: str = "output_text"
    text: str


class Item(BaseModel):
    type: str = "message"
    role: str = "assistant"
    content: list[Part]


class Response(BaseModel):
    output: list[Item]


class VerifyRequest(BaseModel):
    response: Response


class VerifyResponse(VerifyRequest):
    reward: float


class Generic:
    def __class_getitem__(cls, items):
        return cls


STAND_INS = {
    "torch": {"tensor": list},
    "dspy": {"Prediction": Record},
    "langfuse": {"Evaluation": Record},
    "deepeval.metrics": {"BaseMetric": object},
    "weave": {"op": lambda function: function},
    "inspect_ai.util": {"EarlyStop": Record},
    "nemo_gym.base_resources_server": {
        "BaseVerifyRequest": VerifyRequest,
        "BaseVerifyResponse": VerifyResponse,
        "SimpleResourcesServer": object,
    },
    "verifiers.v1": {
        **dict.fromkeys(("Task", "TaskData", "State", "TaskConfig"), Generic),
        "reward": lambda function: function,
    },
}


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    """Import the block of code of a page that defines a name, as a file of the user's."""
    for path, members in STAND_INS.items():
        stand_in = ModuleType(path)
        vars(stand_in).update(members)
        package, _, name = path.partition(".")
        if name:
            monkeypatch.setitem(sys.modules, package, ModuleType(package))
            monkeypatch.setattr(sys.modules[package], name, stand_in, raising=False)
        monkeypatch.setitem(sys.modules, path, stand_in)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_recipe", raising=False)

    def load(page, name):
        text = (ROOT / "docs" / "clients" / f"{page}.md").read_text("utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        [block] = [block for block in blocks if re.search(rf"(def|class) {name}\b", block)]
        (tmp_path / "my_recipe.py").write_text(block, "utf-8")
        importlib.invalidate_caches()
        return getattr(importlib.import_module("my_recipe"), name)

    yield load
    sys.modules.pop("my_recipe", None)


def test_openrlhf(recipe):
    """As `SingleTurnAgentExecutor._fetch_rewards_via_func`: single rows in threads."""
    reward_func = recipe("others", "reward_func")
    prompt = r"Put it into \boxed{}, like \boxed{3}."

    def fetched(query, label):
        return asyncio.run(asyncio.to_thread(reward_func, [query], [prompt], [label]))

    for query, label, expected in (
        (f"<s>{prompt}{TEXT}</s>", "0.5", (1.0, 0.0)),
        (f"<s>{prompt}No idea.", "3", (0.0, 1.0)),
        (f"{prompt}{TEXT}", None, (0.0, 0.0)),
        (TEXT, "0.5", (1.0, 0.0)),
    ):
        result = fetched(query, label)
        assert result["rewards"] == result["scores"] == [expected[0]]
        assert result["extra_logs"] == {"unparsed": [expected[1]]}


def test_slime(recipe):
    """As `async_rm` and `batched_async_rm`, which load a path."""
    reward = recipe("others", "reward")
    rows = [(TEXT, "0.5"), (WRONG, "0.5"), (TEXT, UNREADABLE)]
    samples = [SimpleNamespace(prompt="?", response=r, label=label) for r, label in rows]

    async def scores():
        single = await asyncio.gather(*(reward(None, sample) for sample in samples))
        return single, await reward(None, samples, evaluation=True)

    assert inspect.iscoroutinefunction(reward)
    assert asyncio.run(scores()) == ([1.0, 0.0, 0.0], [1.0, 0.0, 0.0])


def test_areal(recipe):
    """As `RLVRWorkflow._compute_rewards`, in a pool to which the function is pickled."""
    reward_fn = pickle.loads(pickle.dumps(partial(recipe("others", "reward_fn"))))

    assert reward_fn("?", TEXT, [1], [2], answer="0.5", messages=[], prompt="?") == 1.0
    assert reward_fn("?", TEXT, [1], [2], answer=UNREADABLE) == 0.0


def test_verifiers(recipe):
    """As `invoke_all`, with the arguments that the signature names."""
    hook = recipe("others", "Problem")().correct
    trace = SimpleNamespace(last_reply=TEXT)

    def scored(**data):
        available = {"task": SimpleNamespace(**data), "trace": trace, "runtime": None}
        return asyncio.run(
            hook(**{name: available[name] for name in inspect.signature(hook).parameters})
        )

    assert scored(answer="0.5") == 1.0
    assert scored(answer="3") == 0.0
    with pytest.raises(ValueError, match="the reference cannot be read: None"):
        scored(answer=None)


def test_nemo_gym(recipe):
    """As the route /verify of a resources server calls `verify`."""
    server = recipe("others", "MathServer")()
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


REASON = "qa_f1 is 0.5: the answer is 'York city', accepted is 'New York' or 'NYC'."


@by_table("name, given, found")
def test_trackers(recipe, name, given, found):
    judge = recipe("others", name)
    pair = "York city", ["New York", "NYC"]
    values = {key: pair[side] if side in (0, 1) else side for key, side in given.items()}
    if name == "langsmith_f1":
        values = {key: {"answer": value} for key, value in values.items()}
    judged = judge(**values)

    fields = judged if isinstance(judged, dict) else vars(judged)
    assert tuple(fields[field] for field in found) == (0.5, REASON)
    assert inspect.signature(judge).bind(**values)


def test_deepeval(recipe):
    metric = recipe("others", "AnswerF1")()
    case = Record(actual_output="York city", expected_output="New York")

    assert metric.measure(case) == asyncio.run(metric.a_measure(case)) == 0.5
    assert metric.is_successful()
    assert metric.reason.startswith("qa_f1 is 0.5")


def test_weave(recipe):
    """By the names of the columns, which are those of the parameters."""
    qa_f1 = recipe("others", "qa_f1")
    found = qa_f1(output="York city", answers=["New York", "NYC"])

    assert found.pop("signature").startswith("qa_f1|")
    assert found == {"qa_f1": 0.5, "qa_precision": 0.5, "qa_recall": 0.5, "reason": REASON}
    assert "qa_f1" not in qa_f1(output="York city", answers=None)


def test_gepa(recipe):
    feedback = recipe("others", "feedback")
    judged = feedback(Record(answer=["New York", "NYC"]), Record(answer="York city"), None, "p", [])

    assert (judged.score, judged.feedback) == (0.5, REASON)
    assert feedback(Record(answer=None), Record(answer="York city")).score == 0.0
    assert list(inspect.signature(feedback).parameters) == [
        *("gold", "pred", "trace", "pred_name", "pred_trace")
    ]


def test_a_run_of_inspect_ends_once_its_mean_is_known(recipe):
    """As an `EarlyStopping` of inspect_ai 0.3.285; right answers are quick."""
    values = [1.0, 0.0, 1.0, 1.0] * 500
    sequence = ConfidenceSequence(total=2_000)
    ends = [sequence.update(value) for value in values]
    expected = next(row for row, (low, high) in enumerate(ends, 1) if high - low < 0.06)

    async def run(order):
        manager = recipe("inspect_ai", "UntilKnown")()
        samples = [SimpleNamespace(id=f"id{row}") for row in range(2_000)]
        assert await manager.start_task(None, samples, 1) == "until_known"
        for started, row in enumerate(order):
            stop = await manager.schedule_sample(f"id{row}", 1)
            if stop is not None:
                assert (stop.id, stop.reason) == (f"id{row}", "known")
                return started, await manager.complete_task()
            score = SimpleNamespace(score=SimpleNamespace(value=values[row]))
            await manager.complete_sample(f"id{row}", 1, {"qa_em": score})
        return len(order), await manager.complete_task()

    found = asyncio.run(run(range(2_000)))
    assert found == (expected, {"confidence_interval": list(ends[expected - 1])})
    # A sample that is finished early waits for those before it.
    blocks = range(0, 2_000, 8)
    early = [first + row for first in blocks for row in (0, 2, 3, 4, 6, 7, 1, 5)]
    started, decision = asyncio.run(run(early))
    assert expected <= started < expected + 16
    low, high = decision["confidence_interval"]
    assert high - low < 0.06
