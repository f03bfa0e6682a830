"""A module as a metric of deepeval.

pip install metric-commons deepeval
python examples/clients/with_deepeval.py
"""

import json
import os
from pathlib import Path

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"

from deepeval import assert_test, evaluate
from deepeval.evaluate import AsyncConfig, DisplayConfig
from deepeval.test_case import LLMTestCase, ToolCall

import metric_commons
from metric_commons.scorers import scorer

LINES = (Path(__file__).parents[1] / "capitals.jsonl").read_text("utf-8").splitlines()
QUESTIONS = [json.loads(line) for line in LINES]


def main() -> None:
    # The expected output of deepeval is one text.
    cases = [
        LLMTestCase(
            input=row["question"],
            actual_output=row["borealis"],
            expected_output=row["answers"][0],
        )
        for row in QUESTIONS
    ]
    result = evaluate(
        test_cases=cases,
        metrics=[scorer("deepeval", "qa_f1", threshold=0.5)],
        async_config=AsyncConfig(run_async=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
    )
    expected = metric_commons.load("qa_f1").compute(
        predictions=[question["borealis"] for question in QUESTIONS],
        references=[question["answers"][0] for question in QUESTIONS],
        per_example=True,
    )["per_example"]["qa_f1"]
    found = {test.input: test.metrics_data[0] for test in result.test_results}
    judged = [found[question["question"]] for question in QUESTIONS]
    assert [data.score for data in judged] == expected
    assert [data.success for data in judged] == [score >= 0.5 for score in expected]
    assert_test(cases[1], [scorer("deepeval", "qa_em")], run_async=False)
    print(judged[0].name, judged[0].score, judged[0].reason)
    tools_called()


def tools_called() -> None:
    """The calls that deepeval traced are compared with the expected ones."""
    calls = [ToolCall(name="add", input_parameters={"x": 1, "y": 2}), ToolCall(name="done")]
    case = LLMTestCase(
        input="1 + 2?",
        actual_output="It is 3.",
        tools_called=calls,
        expected_tools=calls,
    )
    metric = scorer("deepeval", "tool_calls")
    assert_test(case, [metric], run_async=False)
    assert (metric.score, metric.is_successful()) == (1.0, True)


if __name__ == "__main__":
    main()
