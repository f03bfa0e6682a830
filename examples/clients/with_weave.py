"""A module as a scorer of Weave.

    pip install metric-commons weave
    python examples/clients/with_weave.py

Without `weave.init` nothing is sent to a server.
"""

import asyncio
import json
import math
from pathlib import Path

import weave

import metric_commons
from metric_commons.scorers import scorer

LINES = (Path(__file__).parents[1] / "capitals.jsonl").read_text("utf-8").splitlines()
QUESTIONS = [json.loads(line) for line in LINES]


@weave.op
def model(question: str) -> str:
    [answer] = [row["borealis"] for row in QUESTIONS if row["question"] == question]
    return answer


def main() -> None:
    evaluation = weave.Evaluation(
        dataset=[{key: row[key] for key in ("question", "answers")} for row in QUESTIONS],
        scorers=[scorer("weave", "qa_f1", reference="answers")],
    )
    summary = asyncio.run(evaluation.evaluate(model))
    expected = metric_commons.load("qa_f1").compute(
        predictions=[question["borealis"] for question in QUESTIONS],
        references=[question["answers"] for question in QUESTIONS],
    )
    for name, score in expected.items():
        assert math.isclose(summary["qa_f1"][name]["mean"], score, rel_tol=1e-14)
    print(summary["qa_f1"])


if __name__ == "__main__":
    main()
