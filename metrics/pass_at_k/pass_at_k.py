"""Pass@k: the probability that at least one of k sampled programs passes the tests.

The estimate is unbiased, from at least k samples, as for Codex and HumanEval. Also the probability
that all of k samples pass (pass^k), or at least a given proportion (G-Pass@k). The module takes
outcomes and does not run code.
"""

import datasets
import evaluate

from metric_commons.judging.sampling.passes import (
    Measures,
    Sizes,
    Thresholds,
    pass_scores,
    sample_counts,
)
from metric_commons.module.declaration.module import BatchMetric
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


class PassAtK(BatchMetric):
    """Mean probability, over problems, that at least one of k samples passes.

    Args:
        predictions (list of dict, of list of int, or of list of bool): for each problem the counts
            {"n": samples, "c": samples that pass}, or the outcome of each sample, 1 or True if it
            passes and 0 or False if not. The number of samples may differ.
        k: the number of samples, or several numbers. Every problem needs at least as many
            samples.
        measures: "pass@k", at least one of k samples passes; "pass^k", all pass; "g-pass@k",
            at least a given proportion passes; "mg-pass@k", its mean over proportions from one
            half to all; "avg@n", the proportion of all samples that pass.
        thresholds: the proportions of "g-pass@k", treated as exact decimal numbers.

    Returns:
        pass@1, pass@10, ... (float): one for each k, from 0.0 to 1.0; higher is better.
        pass^4, g-pass@16_0.5, mg-pass@16, avg@n (float): the same, if requested.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> pass_at_k = evaluate.load("./metrics/pass_at_k")
        >>> pass_at_k.compute(predictions=[[1, 0, 0, 1], [0, 0, 0, 1]], k=[1, 2])
        {'pass@1': 0.375, 'pass@2': 0.6666666666666666}
        >>> pass_at_k.compute(predictions=[{"n": 200, "c": 1}], k=100)
        {'pass@100': 0.5}
        >>> pass_at_k.compute(predictions=[[1, 1, 1, 0]], k=2, measures=["pass^k", "avg@n"])
        {'pass^2': 0.5, 'avg@n': 0.75}
        >>> pass_at_k.compute(predictions=[[True, False]], k=5)
        Traceback (most recent call last):
        ValueError: predictions[0] has 2 samples, pass@5 needs at least 5
    """

    arrays_allowed = True
    log_columns = ("outcomes",)

    def _info(self):
        count = datasets.Value("int64")
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[
                datasets.Features({"predictions": {"n": count, "c": count}}),
                datasets.Features({"predictions": datasets.List(count)}),
                datasets.Features({"predictions": datasets.List(datasets.Value("bool"))}),
            ],
            license="Apache-2.0",
            reference_urls=[
                "https://github.com/openai/human-eval",
                "https://github.com/sierra-research/tau-bench",
                "https://github.com/open-compass/GPassK",
            ],
        )

    def _compute(
        self,
        *,
        predictions,
        k: Sizes = (1,),
        measures: Measures = ("pass@k",),
        thresholds: Thresholds = (0.25, 0.5, 0.75, 1.0),
        **summary,
    ):
        samples = sample_counts(predictions)
        scores = pass_scores(samples, k=k, measures=measures, thresholds=thresholds)
        return summarize(scores, **summary)
