"""A module as an evaluator of LangSmith.

    pip install metric-commons langsmith
    python examples/clients/with_langsmith.py

Results are not uploaded, so that nothing is sent to a server.
"""

import json
import os
import uuid
from pathlib import Path

import metric_commons
from metric_commons.scorers import scorer

LINES = (Path(__file__).parents[1] / "capitals.jsonl").read_text("utf-8").splitlines()
QUESTIONS = [json.loads(line) for line in LINES]


def model(inputs: dict) -> dict:
    [answer] = [row["borealis"] for row in QUESTIONS if row["question"] == inputs["question"]]
    return {"answer": answer}


def main() -> None:
    os.environ["LANGSMITH_TRACING"] = "false"
    from langsmith import Client
    from langsmith.schemas import Example

    dataset = uuid.uuid4()
    examples = [
        Example(
            id=uuid.uuid4(),
            dataset_id=dataset,
            inputs={"question": row["question"]},
            outputs={"answer": row["answers"]},
        )
        for row in QUESTIONS
    ]
    client = Client(api_key="none", api_url="http://127.0.0.1:9", auto_batch_tracing=False)
    results = client.evaluate(
        model,
        data=examples,
        evaluators=[scorer("langsmith", "qa_f1")],
        upload_results=False,
        max_concurrency=0,
    )
    found = {
        row["example"].inputs["question"]: row["evaluation_results"]["results"][0]
        for row in results
    }
    expected = metric_commons.load("qa_f1").compute(
        predictions=[question["borealis"] for question in QUESTIONS],
        references=[question["answers"] for question in QUESTIONS],
        per_example=True,
    )
    scores = [found[question["question"]].score for question in QUESTIONS]
    assert scores == expected["per_example"]["qa_f1"]
    first = found[QUESTIONS[0]["question"]]
    print(first.key, first.score, first.comment)


if __name__ == "__main__":
    main()
