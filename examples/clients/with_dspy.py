"""A module as the metric of DSPy's Evaluate, and with feedback as the metric of GEPA.

    pip install metric-commons dspy
    python examples/clients/with_dspy.py

The models are recorded answers, so that nothing is asked of a server.
"""

import json
import math
from pathlib import Path

import dspy
from dspy.utils import DummyLM

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


class Answering(dspy.Module):
    def __init__(self) -> None:
        super().__init__()
        self.answer = dspy.Predict("question -> answer")

    def forward(self, question: str) -> dspy.Prediction:
        return self.answer(question=question)


def check_evaluate(expected: dict) -> None:
    evaluate = dspy.Evaluate(
        devset=EXAMPLES, metric=scorer("dspy", "qa_f1"), num_threads=4, display_progress=False
    )
    result = evaluate(Recorded())
    assert [score for *_, score in result.results] == expected["per_example"]["qa_f1"]
    assert result.score == round(100 * expected["qa_f1"], 2)
    print(f"DSPy: {result.score}")


def check_gepa(expected: dict) -> None:
    """The feedback that reaches the model that rewrites the instructions."""
    metric = scorer("gepa", "qa_f1")
    row = next(row for row, score in enumerate(expected["per_example"]["qa_f1"]) if 0 < score < 1)
    prediction = dspy.Prediction(answer=QUESTIONS[row]["borealis"])
    judged = metric(EXAMPLES[row], prediction, None, "answer", None)
    assert judged.score == expected["per_example"]["qa_f1"][row]
    assert "Too much: " in judged.feedback or "Missing: " in judged.feedback
    print(judged.feedback)

    answers = [{"answer": question["borealis"]} for question in QUESTIONS]
    new_instruction = {"new_instruction": "Answer with a name alone."}
    proposals = DummyLM([new_instruction] * 100, adapter=dspy.JSONAdapter())
    dspy.configure(lm=DummyLM(answers * 20))
    gepa = dspy.GEPA(
        metric=metric, max_metric_calls=20, reflection_lm=proposals, num_threads=1, seed=0
    )
    optimized = gepa.compile(Answering(), trainset=EXAMPLES[:4], valset=EXAMPLES[:4])
    assert isinstance(optimized, Answering)
    asked = str([call["messages"] for call in proposals.history])
    assert "accepted is" in asked, "the feedback did not reach the prompt"


def main() -> None:
    expected = metric_commons.load("qa_f1").compute(
        predictions=[question["borealis"] for question in QUESTIONS],
        references=[question["answers"] for question in QUESTIONS],
        per_example=True,
    )
    assert math.isfinite(expected["qa_f1"])
    check_evaluate(expected)
    check_gepa(expected)


if __name__ == "__main__":
    main()
