"""A module as an evaluator of an experiment of Langfuse.

    pip install metric-commons langfuse
    python examples/clients/with_langfuse.py

Tracing is off, so that nothing is sent to a server.
"""

import json
import os
from pathlib import Path

from langfuse import Langfuse

import metric_commons
from metric_commons.scorers import scorer

LINES = (Path(__file__).parents[1] / "capitals.jsonl").read_text("utf-8").splitlines()
QUESTIONS = [json.loads(line) for line in LINES]


def model(*, item: dict, **_: object) -> str:
    [answer] = [row["borealis"] for row in QUESTIONS if row["question"] == item["input"]]
    return answer


def main() -> None:
    os.environ["LANGFUSE_TRACING_ENABLED"] = "false"
    client = Langfuse(public_key="none", secret_key="none", host="http://127.0.0.1:9")
    result = client.run_experiment(
        name="capitals",
        data=[{"input": row["question"], "expected_output": row["answers"]} for row in QUESTIONS],
        task=model,
        evaluators=[scorer("langfuse", "qa_f1")],
    )
    expected = metric_commons.load("qa_f1").compute(
        predictions=[question["borealis"] for question in QUESTIONS],
        references=[question["answers"] for question in QUESTIONS],
        per_example=True,
    )
    found = [item.evaluations[0] for item in result.item_results]
    assert [evaluation.value for evaluation in found] == expected["per_example"]["qa_f1"]
    print(found[0].name, found[0].value, found[0].comment)


if __name__ == "__main__":
    main()
