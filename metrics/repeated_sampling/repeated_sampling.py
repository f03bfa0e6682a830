"""Repeated sampling: majority vote, best-of-k and self-consistency of several answers.

Maj@k is the probability that the most frequent of k sampled answers is correct, best-of-k that the
one with the highest score is, and self-consistency the proportion of samples that agree. All are
exact means over the subsets of k samples.
"""

import datasets
import evaluate

from metric_commons.judging.sampling.answer_clusters import (
    Equivalence,
    sampled_answers,
    sampled_outcomes,
)
from metric_commons.judging.sampling.votes import (
    Measures,
    SampleScores,
    Sizes,
    Ties,
    sampling_scores,
)
from metric_commons.mathematics.proof.equivalence import equivalent
from metric_commons.module.declaration.module import BatchMetric
from metric_commons.statistics.intervals.summary import summarize
from metric_commons.text.extraction.extraction import Extraction, extract_samples, reference_answers
from metric_commons.text.tokens.normalizers import Normalizer, normalizer_function
from metric_commons.text.tokens.thoughts import Thoughts

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
    """Mean probability that the most frequent of k answers is correct, or the best of them.

    Args:
        predictions (list of list of str, or of list of int): for each problem the answers of its
            samples; or, with `scores`, 1 for a correct sample and 0 for a wrong one.
        references (list of str, or of list of str): the accepted answer or answers of each
            problem; left out if predictions are 0 and 1.
        k: the number of samples, or several numbers; None for all samples of a problem, with "n"
            in the names of scores.
        measures: "maj@k", the most frequent answer is correct; "best_of@k", the sample with the
            highest score is; "self_consistency", the proportion of all samples that give the most
            frequent answer.
        ties: the winner among equally frequent answers, or samples with equal scores:
            "expected" averages over them; "first" chooses the first, if k is all samples;
            "optimistic" a correct one; "pessimistic" a wrong one.
        equivalence: when two answers are equal: "normalized", if their texts are equal after the
            normalizer; "math", if they are provably equal, such as 1/2 and 0.5; or a function
            of two texts, of a reference and an answer or of two answers.
        normalizer: the normalizer of answers and references.
        thoughts: whether the thoughts of a model are part of a sample, as in `qa_em`.
        extract: how to extract the answer from a sample first: the name of a step, a pattern, a
            function from str to str or None, or a list of these.
        extract_references: the same for references; each must contain an answer.
        unparsed_votes: whether samples without an answer vote together for a wrong answer.
        scores: a number for each sample of each problem; the highest is the best.

    Returns:
        maj@4, maj@n, best_of@4, ... (float): one for each k, from 0.0 to 1.0; higher is better.
        self_consistency (float): from 0.0 to 1.0; a high value means agreement, not quality.
        unparsed (float): with `thoughts` or `extract`, the rate of samples without an answer.
        per_example, confidence_interval, groups (dict): if requested.

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
        thoughts: Thoughts = "keep",
        extract: Extraction = None,
        extract_references: Extraction = None,
        unparsed_votes: bool = True,
        scores: SampleScores | None = None,
        **summary,
    ):
        shares = {}
        if references is None:
            problems = sampled_outcomes(predictions)
        else:
            predictions, shares = extract_samples(predictions, thoughts=thoughts, extract=extract)
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
        return summarize(values | shares, **summary)
