"""Code evaluation: run programs that a model wrote, and compute pass@k of those that pass.

A program is run with the tests of its task: a test program, inputs and expected outputs, or calls
of a function and expected values. Each runs in a process that is isolated from the machine as far
as its kernel allows, and time is the program's own, so that a busy machine fails no program.
"""

import datasets
import evaluate

from metric_commons.judging.sampling.passes import Sizes, pass_scores, sample_counts
from metric_commons.module.declaration.declarations import OBJECTS
from metric_commons.module.declaration.module import BatchMetric
from metric_commons.programs.executions import (
    REPORTS,
    ResultFormat,
    Score,
    Size,
    check_permission,
    execute,
    harness_result,
    mean_pass_rates,
    possible_sizes,
    row_reports,
)
from metric_commons.programs.output_comparison import Comparison
from metric_commons.statistics.arguments.domains import Count, Names, NonNegative, Positive
from metric_commons.statistics.intervals.summary import summarize

_CITATION = """\
@misc{chen-etal-2021-evaluating,
    title = "Evaluating Large Language Models Trained on Code",
    author = "Chen, Mark and Tworek, Jerry and Jun, Heewoo and Yuan, Qiming and others",
    year = "2021",
    eprint = "2107.03374",
    archivePrefix = "arXiv",
    url = "https://arxiv.org/abs/2107.03374",
}
"""


class CodeEval(BatchMetric):
    """Mean probability, over tasks, that at least one of k candidates passes its tests.

    It runs programs that a model wrote, which may do harm. Nothing is run unless the environment
    variable HF_ALLOW_CODE_EVAL is 1 or `allow_execution` is True.

    Args:
        predictions (list of list of str): the candidates of each task, each a Python program.
        references (list of str, or of dict): the tests of each task. A test program, which runs
            after the candidate, as do its test classes and functions; or tests as data, {"inputs":
            [...], "outputs": [...], "fn_name": str or None}, open-r1's {"language", "test_cases"},
            or the JSON text of one.
        k: the number of candidates, or several numbers.
        num_workers: the number of programs that run at once; None for one for each core.
        timeout: seconds of each test, both of CPU time and of time without waiting for a core.
        require: layers of isolation without which nothing is run, such as "pid namespace".
        memory: address space of a program, such as "4GiB".
        compare: how outputs are compared: "lines" as LiveCodeBench does, "tokens" word by word,
            "floats" with a tolerance for numbers.
        tolerance: the absolute or relative tolerance of "floats".
        stop_at_failure: whether the tests after the first failure are not run.
        score: the score of each candidate under `scores`: 1.0 if all tests pass ("pass_fail"), the
            proportion of tests that pass ("partial"), or the first plus a tenth of the
            second ("weighted_sum").
        result_format: "code_eval" for the pair of evaluate's module; "livecodebench" for its codes
            of tests.
        allow_execution: whether programs may be run.

    Returns:
        pass@1, pass@10, ... (float): one for each k, from 0.0 to 1.0; higher is better.
        pass_rate (float): with tests as data, the mean proportion of tests that pass.
        outcomes, status, messages (list): for each candidate of each task.
        layers (list of str): the layers of isolation in which the programs ran.
        test_status, passed_tests, pass_rates, scores, first_failure (list): with tests as data.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> code_eval = evaluate.load("./metrics/code_eval", allow_execution=True)
        >>> candidates = [["def add(a, b): return a * b", "def add(a, b): return a + b"]]
        >>> result = code_eval.compute(
        ...     predictions=candidates, references=["assert add(2, 3) == 5"], k=[1, 2]
        ... )
        >>> result["pass@1"], result["pass@2"], result["status"]
        (0.5, 1.0, [['failed', 'passed']])
        >>> tests = {"inputs": ["1 2", "3 4"], "outputs": ["3", "7"]}
        >>> result = code_eval.compute(
        ...     predictions=[["print(sum(map(int, input().split())))"]], references=[tests]
        ... )
        >>> result["pass@1"], result["test_status"]
        (1.0, [[['passed', 'passed']]])
    """

    own_stock_formats = {"code_eval": {"k": (1, 10, 100)}}
    single_text_allowed = False
    json_inputs = {"references": OBJECTS}
    reports = REPORTS
    runs_programs = True

    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=datasets.Features({"predictions": datasets.List(text), "references": text}),
            license="Apache-2.0",
            reference_urls=[
                "https://github.com/openai/human-eval",
                "https://github.com/LiveCodeBench/LiveCodeBench",
            ],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        k: Sizes = (1,),
        num_workers: Count | None = 4,
        timeout: Positive = 3.0,
        require: Names = (),
        memory: Size = "4GiB",
        compare: Comparison = "lines",
        tolerance: NonNegative = 1e-6,
        stop_at_failure: bool = False,
        score: Score = "pass_fail",
        result_format: ResultFormat | None = None,
        allow_execution: bool = False,
        **summary,
    ):
        check_permission(allow_execution)
        k = possible_sizes(predictions, k, result_format)
        executions = execute(
            predictions,
            references,
            num_workers=num_workers,
            timeout=timeout,
            require=require,
            memory=memory,
            compare=compare,
            tolerance=tolerance,
            stop_at_failure=stop_at_failure,
        )
        scores = pass_scores(sample_counts(executions.outcomes), k=k)
        result = summarize(scores | mean_pass_rates(executions), **summary)
        if result_format is not None:
            return harness_result(
                executions, {name: result[name] for name in scores}, result_format
            )
        result |= row_reports(executions, score)
        return result
