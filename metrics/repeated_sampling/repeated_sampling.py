"""Repeated sampling: what several answers to a problem are worth together.

Maj@k is the chance that the most frequent of k sampled answers is right, best-of-k the chance that
the one with the greatest score is, and self-consistency the share of the samples that agree. All
are exact means over the subsets of k samples.
"""

import datasets
import evaluate

from metric_commons.base.module import BatchMetric
from metric_commons.mathematics.equivalence import equivalent
from metric_commons.outcomes.answer_clusters import Equivalence, sampled_answers, sampled_outcomes
from metric_commons.outcomes.votes import Measures, SampleScores, Sizes, Ties, sampling_scores
from metric_commons.statistics.summary import summarize
from metric_commons.text.extraction import Extraction, extract_samples, reference_answers
from metric_commons.text.normalizers import Normalizer, normalizer_function

_CITATION = """\
@inproceedings{wang-etal-2023-self-consistency,
    title = "Self-Consistency Improves Chain of Thought Reasoning in Language Models",
    author = "Wang, Xuezhi and Wei, Jason and Schuurmans, Dale and Le, Quoc and Chi, Ed and others",
    booktitle = "International Conference on Learning Representations",
    year = "2023",
    url = "https://arxiv.org/abs/2203.11171",
}
"""


class RepeatedSampling(BatchMetric):
    """Mean chance, over problems, that the majority of k answers is right, or the best of them.

    Args:
        predictions (list of list of str, or of list of int): for each problem the answers of its
            samples; or, with `scores`, 1 for a sample that is right and 0 for one that is not.
        references (list of str, or of list of str): the accepted answer, or answers, of each
            problem; left out where predictions are 0 and 1.
        k: how many samples are drawn, once or several times; None for all that a problem has, with
            "n" in the names of scores.
        measures: "maj@k", the most frequent answer is right; "best_of@k", the sample with the
            greatest score is; "self_consistency", the share of all samples that give the most
            frequent answer.
        ties: who wins among answers that are equally frequent, or samples with equal scores:
            "expected", each equally often; "first", which comes first, of all samples alone;
            "optimistic", a right one; "pessimistic", a wrong one.
        equivalence: when two answers are one: "normalized", if their texts are equal after the
            normalizer; "math", if they provably mean the same, such as 1/2 and 0.5; or a function
            of two texts, of a reference and an answer or of two answers.
        normalizer: what answers and references go through before they are compared.
        extract: what cuts the answer out of a sample first: the name of a step, a pattern, a
            function from str to str or None, or a list of these.
        extract_references: the same for references, each of which must have an answer.
        unparsed_votes: whether samples without an answer vote together, for nothing that is right.
        scores: a number for each sample of each problem, the greatest is the best.

    Returns:
        maj@4, maj@n, best_of@4, ... (float): one for each k, from 0.0 to 1.0; higher is better.
        self_consistency (float): from 0.0 to 1.0; higher is more alike, not better.
        unparsed (float): with `extract`, the share of samples in which there is no answer.
        per_example, confidence_interval, groups (dict): if asked for.

    Examples:
        >>> repeated_sampling = evaluate.load("./metrics/repeated_sampling")
        >>> answers = [["12", "12", "7", "12"], ["3", "5", "3", "5"]]
        >>> repeated_sampling.compute(predictions=answers, references=["12", "5"])
        {'maj@n': 0.75}
        >>> repeated_sampling.compute(predictions=answers, references=["12", "5"], ties="first")
        {'maj@n': 0.5}
        >>> repeated_sampling.compute(
        ...     predictions=[[1, 0, 1]], scores=[[0.2, 0.9, 0.4]], measures="best_of@k", k=[1, 2]
        ... )
        {'best_of@1': 0.6666666666666666, 'best_of@2': 0.3333333333333333}
    """

    lower_is_better = frozenset({"unparsed"})

    def _info(self):
        answer = datasets.Value("string")
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[
                datasets.Features({"predictions": datasets.List(answer), "references": references})
                for references in (answer, datasets.List(answer))
            ]
            + [
                datasets.Features({"predictions": datasets.List(datasets.Value(outcome))})
                for outcome in ("int64", "bool")
            ],
            license="Apache-2.0",
            reference_urls=["https://arxiv.org/abs/2203.11171"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        k: Sizes | None = None,
        measures: Measures = ("maj@k",),
        ties: Ties = "expected",
        equivalence: Equivalence = "normalized",
        normalizer: Normalizer = "lower",
        extract: Extraction = None,
        extract_references: Extraction = None,
        unparsed_votes: bool = True,
        scores: SampleScores | None = None,
        **summary,
    ):
        unparsed = {}
        if references is None:
            problems = sampled_outcomes(predictions)
        else:
            if extract is not None:
                predictions, shares = extract_samples(predictions, extract)
                unparsed = {"unparsed": shares}
            if extract_references is not None:
                references = reference_answers(references, extract_references)
            equal = {"normalized": None, "math": equivalent}.get(equivalence, equivalence)
            problems = sampled_answers(
                predictions,
                references,
                normalizer=normalizer_function(normalizer),
                equal=equal,
                blank_votes=unparsed_votes,
            )
        values = sampling_scores(problems, k=k, measures=measures, ties=ties, scores=scores)
        return summarize(values | unparsed, **summary)
