"""A module as a scorer of `mlflow.genai.evaluate`.

pip install metric-commons mlflow-skinny pandas sqlalchemy alembic
python examples/clients/with_mlflow.py
"""

import contextlib
import json
import math
import os
import tempfile
from pathlib import Path

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"  # nothing is sent to a server

import mlflow

import metric_commons
from metric_commons.scorers import scorer

LINES = (Path(__file__).parents[1] / "capitals.jsonl").read_text("utf-8").splitlines()
QUESTIONS = [json.loads(line) for line in LINES]


def main() -> None:
    data = [
        {
            "inputs": {"question": question["question"]},
            "outputs": question["borealis"],
            "expectations": {"expected_response": question["answers"]},
        }
        for question in QUESTIONS
    ]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
        result = mlflow.genai.evaluate(data=data, scorers=[scorer("mlflow", "qa_f1")])
    expected = metric_commons.load("qa_f1").compute(
        predictions=[question["borealis"] for question in QUESTIONS],
        references=[question["answers"] for question in QUESTIONS],
        per_example=True,
    )
    assert math.isclose(result.metrics["qa_f1/mean"], expected["qa_f1"], rel_tol=1e-14)
    found = result.result_df["qa_f1/value"]
    assert sorted(found) == sorted(expected["per_example"]["qa_f1"])
    print(result.metrics)


if __name__ == "__main__":
    main()
