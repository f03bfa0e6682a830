"""Two models in inspect_ai, scored and compared by our scorers and metrics.

    pip install metric-commons inspect_ai
    python examples/clients/with_inspect_ai.py

The models are recorded answers, so that nothing is asked of a server.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import inspect_ai
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ChatMessage, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import Tool, tool

import metric_commons
from metric_commons.frameworks.harnesses.inspect_ai import (
    interval,
    math,
    module,
    standard_error,
)
from metric_commons.statistics import interval as mean_interval

LINES = (Path(__file__).parents[1] / "capitals.jsonl").read_text("utf-8").splitlines()
QUESTIONS = [json.loads(line) for line in LINES]
PROBLEMS = [("1/2", r"\boxed{0.5}"), (r"2\sqrt{3}", r"\boxed{\sqrt{12}}"), ("7", r"\boxed{8}")]


def run(task: Task, answers: dict[str, str], folder: str, model: str = "model") -> EvalLog:
    def answer(messages: list[ChatMessage], *_: object) -> ModelOutput:
        output = ModelOutput.from_content(model, answers[messages[-1].text])
        output.usage = (
            ModelUsage()
        )  # which inspect would compute with a tokenizer that it downloads
        return output

    recorded = get_model(f"mockllm/{model}", custom_outputs=answer)
    [log] = inspect_ai.eval(task, model=recorded, log_dir=folder, display="none")
    assert log.status == "success", log.error.message
    return log


def values(log: EvalLog, number: int = 0) -> dict[str, float]:
    return {name: metric.value for name, metric in log.results.scores[number].metrics.items()}


def check_calls(folder: str) -> None:
    """Calls of tools, which a final answer does not hide."""

    @tool
    def add() -> Tool:
        async def execute(x: int, y: int) -> int:
            """Add two numbers.

            Args:
                x: the first.
                y: the second.
            """
            return x + y

        return execute

    def answer(messages: list[ChatMessage], *_: object) -> ModelOutput:
        if messages[-1].role == "tool":
            output = ModelOutput.from_content("model", "It is 3.")
        else:
            output = ModelOutput.for_tool_call("model", "add", {"x": 1, "y": 2})
        output.usage = ModelUsage()
        return output

    target = json.dumps([{"name": "add", "arguments": {"x": 1, "y": 2}}])
    task = Task(
        dataset=[Sample(input="What is 1 + 2?", target=target)],
        solver=[use_tools(add()), generate()],
        scorer=[module("tool_calls"), module("tool_calls", score="f1")],
    )
    recorded = get_model("mockllm/model", custom_outputs=answer)
    [log] = inspect_ai.eval(task, model=recorded, log_dir=folder, display="none")
    assert log.status == "success", log.error.message
    names = {score.name: score.metrics["mean"].value for score in log.results.scores}
    assert names == {"tool_calls": 1.0, "tool_calls_f1": 1.0}, names
    print(f"calls {names}")


def answers_task() -> Task:
    """A scorer, and metrics for questions that are not independent within a topic."""
    samples = [
        Sample(
            id=str(number),
            input=question["question"],
            target=question["answers"],
            metadata={"topic": question["topic"]},
        )
        for number, question in enumerate(QUESTIONS)
    ]
    return Task(
        dataset=samples,
        solver=generate(),
        scorer=module("qa_f1"),
        metrics=[interval(cluster="topic"), standard_error(cluster="topic")],
    )


def check_problems(folder: str) -> None:
    """A scorer of mathematics, with its own metrics."""
    samples = [Sample(input=f"Is it {target}?", target=target) for target, _ in PROBLEMS]
    task = Task(dataset=samples, solver=generate(), scorer=math())
    found = values(run(task, {f"Is it {target}?": text for target, text in PROBLEMS}, folder))
    references, predictions = map(list, zip(*PROBLEMS, strict=True))
    expected = metric_commons.load("math_equivalence").compute(
        predictions=predictions, references=references, extract="boxed", confidence_level=0.95
    )
    low, high = expected["confidence_interval"]["math_equivalence"]
    assert found["accuracy"] == expected["math_equivalence"]
    assert (found["low"], found["high"]) == (low, high)
    assert found["standard_error"] == mean_interval([1.0, 1.0, 0.0]).standard_error
    print(f"math {found['accuracy']:.4f} [{low:.4f}, {high:.4f}]")


def check_answers(folder: str, system: str) -> str:
    """The scores and intervals of a system; returns the path of its log."""
    answers = [question[system] for question in QUESTIONS]
    by_question = {question["question"]: question[system] for question in QUESTIONS}
    log = run(answers_task(), by_question, folder, system)
    found = values(log)
    expected = metric_commons.load("qa_f1").compute(
        predictions=answers,
        references=[question["answers"] for question in QUESTIONS],
        per_example=True,
        confidence_level=0.95,
        clusters=[question["topic"] for question in QUESTIONS],
    )
    logged = {int(sample.id): sample.scores["qa_f1"].value for sample in log.samples}
    assert [logged[row] for row in range(len(QUESTIONS))] == expected["per_example"]["qa_f1"]
    assert [found["low"], found["high"]] == expected["confidence_interval"]["qa_f1"]
    assert found["standard_error"] == expected["standard_error"]["qa_f1"]
    print(f"{system} {expected['qa_f1']:.4f} [{found['low']:.4f}, {found['high']:.4f}]")
    return log.location


def command(*arguments: str) -> str:
    ran = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        check_problems(folder)
        check_calls(folder)
        logs = [check_answers(folder, system) for system in ("atlas", "borealis")]

        # A log is scored again by a name that inspect finds by our entry point.
        inspect = str(Path(sys.executable).with_name("inspect"))
        scorer = ("--scorer", "metric_commons/qa_em")
        rescored = str(Path(folder, "rescored.eval"))
        command(inspect, "score", logs[0], *scorer, "--action", "append", "--output-file", rescored)
        expected = metric_commons.load("qa_em").compute(
            predictions=[question["atlas"] for question in QUESTIONS],
            references=[question["answers"] for question in QUESTIONS],
        )
        assert values(read_eval_log(rescored), 1)["mean"] == expected["qa_em"]

        # Two logs are compared, row by row, by their values and by our modules.
        ours = (sys.executable, "-m", "metric_commons", "score")
        print(command(*ours, "logged", *logs, "--compare"))
        print(command(*ours, "qa_f1", *logs, "--compare"))


if __name__ == "__main__":
    main()
