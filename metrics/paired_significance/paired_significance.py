"""Whether one system scores higher than another on the same rows by more than chance.

It takes the per-example scores of two systems, whatever they measure, and says how large the mean
difference is, how sure that is, and how likely a difference as large would be if the systems were
equally good.
"""

import datasets
import evaluate

from metric_commons.base.module import BatchComparison
from metric_commons.numbers.domains import Count, Level, Seed
from metric_commons.statistics.significance import Alternative, Test, compare

_CITATION = """\
@inproceedings{smucker-etal-2007-comparison,
    title = "A Comparison of Statistical Significance Tests for Information Retrieval Evaluation",
    author = "Smucker, Mark D. and Allan, James and Carterette, Ben",
    booktitle = "Proceedings of CIKM 2007",
    year = "2007",
    url = "https://doi.org/10.1145/1321440.1321528",
}
"""


class PairedSignificance(BatchComparison):
    """The mean difference between two systems, its p-value and its confidence interval.

    Args:
        predictions1 (list of float): the score of system A on each row.
        predictions2 (list of float): the score of system B on the same rows, in the same order.
        test: "permutation" flips signs of differences, "t" is Student's paired
            test, "wilcoxon" the signed-rank test.
        alternative: "greater" if A is expected to score higher, "less" if lower.
        n_resamples: how many resamples the permutation test and the bootstrap draw.
        seed: of these draws.
        alpha: a p-value less than this is significant.
        confidence_level: of the bootstrap interval of the difference; None for no interval.

    Returns:
        A_mean, B_mean (float): the mean score of each system.
        diff (float): the mean of A - B.
        p_value (float): from 0.0 to 1.0.
        significant (bool): whether p_value is less than alpha.
        confidence_interval (list of float): the ends of the interval of diff.

    Examples:
        >>> paired_significance = evaluate.load("./metrics/paired_significance")
        >>> a, b = [0.5, 1.0, 0.75, 1.0, 0.25, 1.0, 1.0], [0.25, 0.75, 0.5, 0.5, 0.0, 0.0, 1.0]
        >>> result = paired_significance.compute(predictions1=a, predictions2=b)
        >>> result["p_value"], result["significant"]
        (0.03125, True)
        >>> result = paired_significance.compute(predictions1=a, predictions2=b, test="t")
        >>> result["p_value"], result["significant"]
        (0.024943223294391574, True)
    """

    scores_are = "counts"
    main_score = "diff"
    arrays_allowed = True

    def _info(self):
        score = datasets.Value("float64")
        return evaluate.ComparisonInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=datasets.Features({"predictions1": score, "predictions2": score}),
            license="Apache-2.0",
            reference_urls=["https://doi.org/10.1145/1321440.1321528"],
        )

    def _compute(
        self,
        *,
        predictions1,
        predictions2,
        test: Test = "permutation",
        alternative: Alternative = "two-sided",
        n_resamples: Count = 10_000,
        seed: Seed = 0,
        alpha: Level = 0.05,
        confidence_level: Level | None = 0.95,
    ):
        return compare(
            predictions1,
            predictions2,
            test=test,
            alternative=alternative,
            n_resamples=n_resamples,
            seed=seed,
            alpha=alpha,
            confidence_level=confidence_level,
        )
