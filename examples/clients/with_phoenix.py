"""A module as an evaluator of Arize Phoenix.

pip install metric-commons arize-phoenix-evals
python examples/clients/with_phoenix.py
"""

import json
from pathlib import Path

import pandas as pd
from phoenix.evals import create_evaluator, evaluate_dataframe

import metric_commons
from metric_commons.scorers import scorer

LINES = (Path(__file__).parents[1] / "capitals.jsonl").read_text("utf-8").splitlines()
QUESTIONS = [json.loads(line) for line in LINES]


def main() -> None:
    evaluator = create_evaluator(name="qa_f1", kind="code", direction="maximize")(
        scorer("phoenix", "qa_f1")
    )
    frame = pd.DataFrame(
        {
            "output": [row["borealis"] for row in QUESTIONS],
            "expected": [row["answers"] for row in QUESTIONS],
        }
    )
    judged = evaluate_dataframe(dataframe=frame, evaluators=[evaluator])
    expected = metric_commons.load("qa_f1").compute(
        predictions=[question["borealis"] for question in QUESTIONS],
        references=[question["answers"] for question in QUESTIONS],
        per_example=True,
    )
    found = [
        score if isinstance(score, dict) else json.loads(score) for score in judged["qa_f1_score"]
    ]
    assert [score["score"] for score in found] == expected["per_example"]["qa_f1"]
    print(found[0])


if __name__ == "__main__":
    main()
