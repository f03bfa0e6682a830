"""Multiple choice with true and false options: MC1, MC2 and MC3.

MC1 is the proportion of questions whose option with the highest score is true, MC2 the probability
of the true options, and MC3 the proportion of true options that score higher than every false one,
as in TruthfulQA. With one true option per question MC1 is the accuracy of multiple choice, from raw
or length-normalized log-likelihoods.
"""

import datasets
import evaluate

from metric_commons.judging.sampling.multiple_choice import (
    LengthNormalization,
    Ties,
    bits_per_byte,
    choice_scores,
)
from metric_commons.module.declaration.module import BatchMetric
from metric_commons.statistics.intervals.summary import UNBOUNDED, summarize

_CITATION = """\
@inproceedings{lin-etal-2022-truthfulqa,
    title = "{T}ruthful{QA}: Measuring How Models Mimic Human Falsehoods",
    author = "Lin, Stephanie and Hilton, Jacob and Evans, Owain",
    booktitle = "Proceedings of ACL 2022",
    year = "2022",
    url = "https://aclanthology.org/2022.acl-long.229",
}
"""


class TruthfulMc(BatchMetric):
    """Scores of choices among true and false options.

    Args:
        predictions (list of list of float): for each question the scores of its options, such as
            log-likelihoods; -inf excludes an option. For normalization, a list of dicts
            {"score": list of float, "length": list of int} or
            {"score": list of float, "unconditional": list of float}.
        references (list of list of int): for each question 1 for a true and 0 for a false option.
        ties: how MC1 breaks a tie between true and false options with the highest score: "first"
            chooses the first, "optimistic" a true one, "pessimistic" a false one; "expected"
            gives the proportion of true ones among them.
        length_normalization: "none" does not change scores; "character", "token" and "byte"
            divide them by `length`; "unconditional" subtracts `unconditional`, the scores without
            the question. It applies to mc1, mc2 and mc3.

    Returns:
        mc1 (float): rate of questions whose best option is true; 0.0 to 1.0, higher is better.
        mc2 (float): mean probability of the true options, where exp(score) is a probability.
        mc3 (float): mean proportion of the true options that are above every false one.
        bits_per_byte (float): with lengths in bytes, the mean number of bits per byte of the
            true options; lower is better.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> truthful_mc = evaluate.load("./metrics/truthful_mc")
        >>> scores = [[-2.0, -0.4, -1.1, -0.7], [-3.0, -3.0]]
        >>> result = truthful_mc.compute(predictions=scores, references=[[0, 1, 0, 1], [0, 1]])
        >>> {name: round(score, 4) for name, score in result.items()}
        {'mc1': 0.5, 'mc2': 0.6068, 'mc3': 0.5}
        >>> per_token = evaluate.load("./metrics/truthful_mc", length_normalization="token")
        >>> options = {"score": [-8.0, -4.1], "length": [2, 1]}  # -4.0 and -4.1 a token
        >>> per_token.compute(predictions=[options], references=[[1, 0]])["mc1"]
        1.0
    """

    arrays_allowed = True
    log_columns = ("option_scores", "truth")
    logged_names = (("mc1", "acc", "mc1", "acc_raw"), ("mc2", "mc2"))
    lower_is_better = frozenset({"bits_per_byte"})
    score_ranges = {"bits_per_byte": (0, None), "*": (0, 1)}

    def _info(self):
        scores = datasets.List(datasets.Value("float64"))
        lengths = labels = datasets.List(datasets.Value("int64"))
        accepted = [
            {"score": scores, "length": lengths},
            {"score": scores, "unconditional": scores},
            scores,
        ]
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[
                datasets.Features({"predictions": predictions, "references": labels})
                for predictions in accepted
            ],
            license="Apache-2.0",
            reference_urls=["https://aclanthology.org/2022.acl-long.229"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        ties: Ties = "first",
        length_normalization: LengthNormalization = "none",
        **summary,
    ):
        scores = choice_scores(
            predictions, references, ties=ties, length_normalization=length_normalization
        )
        named = scores._asdict()
        if length_normalization == "byte":
            named["bits_per_byte"] = bits_per_byte(predictions, references)
        return summarize(named, {"bits_per_byte": UNBOUNDED}, **summary)
