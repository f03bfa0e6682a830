"""Tasks of lm-eval whose scores are ours.

    pip install metric-commons lm-eval
    python examples/clients/with_lm_eval.py

The configurations are in `lm_eval_tasks/`. The model is recorded answers.
"""

import json
import math
import os
from collections import Counter
from pathlib import Path

import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

import metric_commons

FOLDER = Path(__file__).resolve().parent / "lm_eval_tasks"
ROOT = FOLDER.parents[2]
LINES = (ROOT / "examples" / "capitals.jsonl").read_text("utf-8").splitlines()
QUESTIONS = [json.loads(line) for line in LINES]
ANSWERS = {question["question"]: question["borealis"] for question in QUESTIONS}
OTHERS = {question["question"]: question["atlas"] for question in QUESTIONS}


class Recorded(LM):
    """A model that repeats answers; of several samples of a question only the second differs."""

    def generate_until(self, requests):
        asked = Counter()
        texts = []
        for request in requests:
            question = request.args[0]
            texts.append((OTHERS if asked[question] == 1 else ANSWERS)[question])
            asked[question] += 1
        return texts

    def loglikelihood(self, requests):
        raise NotImplementedError

    def loglikelihood_rolling(self, requests):
        raise NotImplementedError


def scores(task: str) -> dict[str, float]:
    manager = TaskManager(include_path=str(FOLDER), include_defaults=False)
    results = lm_eval.simple_evaluate(model=Recorded(), tasks=[task], task_manager=manager)
    return results["results"][task]


def row_scores(predictions: list[str], columns: dict) -> list[float]:
    result = metric_commons.load("qa_f1").compute(
        predictions=predictions, references=columns["references"], per_example=True
    )
    return result["per_example"]["qa_f1"]


def main() -> None:
    os.chdir(ROOT)  # the configurations name the data from there
    columns = {
        "predictions": list(ANSWERS.values()),
        "references": [question["answers"] for question in QUESTIONS],
    }
    found = scores("capitals")
    expected = metric_commons.load("qa_f1").compute(**columns, standard_error=True)
    for name in ("qa_f1", "qa_precision", "qa_recall"):
        # lm-eval adds floats in their order, and ours are rounded once
        assert math.isclose(found[f"{name},none"], expected[name], rel_tol=1e-14)
    assert math.isclose(found["qa_f1_stderr,none"], expected["standard_error"]["qa_f1"])
    print({name: value for name, value in found.items() if name.startswith("qa_f1")})

    own, others = (row_scores(list(texts.values()), columns) for texts in (ANSWERS, OTHERS))
    found = scores("capitals_samples")
    mean = sum(2 * a + b for a, b in zip(own, others, strict=True)) / 3 / len(own)
    assert math.isclose(found["qa_f1,all"], mean)

    found = scores("capitals_chrf")
    expected = metric_commons.load("chrf").compute(**columns, word_order=2)
    assert found["chrf,none"] == expected["chrf"]
    print({name: value for name, value in found.items() if name.startswith("chrf")})


if __name__ == "__main__":
    main()
