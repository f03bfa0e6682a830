"""A module as the metric of DSPy's Evaluate.

    pip install metric-commons dspy
    python examples/clients/with_dspy.py

The models are recorded answers, so that nothing is asked of a server.
"""

import json
import math
from pathlib import Path

import dspy

import metric_commons
from metric_commons.scorers import scorer

LINES = (Path(__file__).parents[1] / "capitals.jsonl").read_text("utf-8").splitlines()
QUESTIONS = [json.loads(line) for line in LINES]
EXAMPLES = [
    dspy.Example(question=question["question"], answer=question["answers"]).with_inputs("question")
    for question in QUESTIONS
]


class Recorded(dspy.Module):
    def forward(self, question: str) -> dspy.Prediction:
        [answer] = [row["borealis"] for row in QUESTIONS if row["question"] == question]
        return dspy.Prediction(answer=answer)


def check_evaluate(expected: dict) -> None:
    evaluate = dspy.Evaluate(
        devset=EXAMPLES, metric=scorer("dspy", "qa_f1"), num_threads=4, display_progress=False
    )
    result = evaluate(Recorded())
    assert [score for *_, score in result.results] == expected["per_example"]["qa_f1"]
    assert result.score == round(100 * expected["qa_f1"], 2)
    print(f"DSPy: {result.score}")


def main() -> None:
    expected = metric_commons.load("qa_f1").compute(
        predictions=[question["borealis"] for question in QUESTIONS],
        references=[question["answers"] for question in QUESTIONS],
        per_example=True,
    )
    assert math.isfinite(expected["qa_f1"])
    check_evaluate(expected)


if __name__ == "__main__":
    main()
