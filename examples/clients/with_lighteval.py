"""A task of lighteval with our metrics of rows and of the corpus.

    pip install metric-commons lighteval
    python examples/clients/with_lighteval.py

The model is recorded answers.
"""

import json
import math
import os
import shutil
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"  # nothing is downloaded

from lighteval.logging.info_loggers import MetricsLogger
from lighteval.metrics import apply_metric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.lighteval_task import LightevalTask, LightevalTaskConfig
from lighteval.tasks.requests import Doc

import metric_commons
from metric_commons.frameworks.harnesses.lighteval import corpus_metric, metric

DATA = Path(__file__).resolve().parents[1] / "capitals.jsonl"
QUESTIONS = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
ANSWERS = {question["question"]: question["borealis"] for question in QUESTIONS}


def prompt(line: dict, task_name: str) -> Doc:
    answers = line["answers"]
    return Doc(
        task_name=task_name,
        query=line["question"],
        choices=answers,
        gold_index=list(range(len(answers))),
    )


def configuration(folder: str, metrics: list) -> LightevalTaskConfig:
    return LightevalTaskConfig(
        name="capitals",
        prompt_function=prompt,
        hf_repo=folder,
        hf_subset="default",
        hf_avail_splits=["train"],
        evaluation_splits=["train"],
        metrics=metrics,
    )


def results(metrics: list, *models: str) -> dict[str, float]:
    """The results of the task, in the steps of lighteval's pipeline.

    The pipeline itself imports all tasks of lighteval, one of which downloads a file.
    """
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(DATA, Path(folder, "train.jsonl"))
        task = LightevalTask(configuration(folder, metrics))
        docs = task.eval_docs()
    assert max(task.num_samples) == len(models)  # which lighteval draws
    rows = {question["question"]: question for question in QUESTIONS}
    responses = [ModelResponse(text=[rows[doc.query][model] for model in models]) for doc in docs]
    logger = MetricsLogger()
    for output in apply_metric(responses=responses, docs=docs, metrics=task.metrics):
        logger.log(task.full_name, output)
    logger.aggregate(task_dict={task.full_name: task}, bootstrap_iters=10)
    return logger.metric_aggregated[task.full_name]


def main() -> None:
    found = results([metric("qa_f1"), corpus_metric("chrf", word_order=2)], "borealis")
    columns = {
        "predictions": list(ANSWERS.values()),
        "references": [question["answers"] for question in QUESTIONS],
    }
    expected = metric_commons.load("qa_f1").compute(**columns, standard_error=True)
    for name in ("qa_f1", "qa_precision", "qa_recall"):
        assert found[name] == expected[name]
        assert math.isclose(found[f"{name}_stderr"], expected["standard_error"][name])
    chrf = metric_commons.load("chrf").compute(**columns, word_order=2)
    assert found["chrf"] == chrf["chrf"]
    print(found)


if __name__ == "__main__":
    main()
