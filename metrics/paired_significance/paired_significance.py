"""Paired tests: whether one system scores significantly higher than another on the same rows.

The input is the scores of two systems on each row, of any metric. The result is the mean difference
with its interval, and the p-value: the probability of a difference at least this large if the
systems were equally good.
"""

import datasets
import evaluate

from metric_commons.module.declaration.module import BatchComparison
from metric_commons.statistics.arguments.domains import (
    CrossedLabels,
    Level,
    Positive,
    Resamples,
    Seed,
)
from metric_commons.statistics.intervals.methods import Assumption, ScoreBounds
from metric_commons.statistics.tests.laws import Alternative
from metric_commons.statistics.tests.significance import Test, compare
from metric_commons.statistics.tests.stock_comparisons import mcnemar, wilcoxon

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
        test: "permutation" flips signs of differences, "t" is Student's paired test, "wilcoxon"
            the signed-rank test, and "mcnemar" the exact test for scores 0 and 1.
        alternative: "greater" if A is expected to score higher, "less" if lower.
        assume: the law of p-value and interval of "permutation": "exchangeable", that the systems
            could be exchanged row by row, or "nothing" but the bounds of scores.
        bounds: the lowest and the highest possible score, which "nothing" needs for scores other
            than 0 and 1.
        clusters: one label per row; clusters are the units of the test and the interval. Two or
            three fields, such as item and template, are crossed: each is a sample.
        margin: the smallest difference that matters; also test whether A is not worse by this
            margin, and whether both are equivalent.
        power: also return the difference that a t-test finds with this probability, such as 0.8.
        n_resamples: without effect, since nothing is drawn.
        seed: likewise.
        alpha: a p-value less than this is significant.
        confidence_level: of the interval of the difference; None for no interval.

    Returns:
        A_mean, B_mean (float): the mean score of each system.
        diff (float): the mean of A - B.
        p_value (float): from 0.0 to 1.0.
        significant (bool): whether p_value is less than alpha.
        confidence_interval (list of float): the ends of the interval of diff; it excludes 0
            exactly if p_value is less than one minus its level.
        test (str): the method: sign_flip_exact, sign_flip_saddlepoint, unseen_row, t, wilcoxon or
            mcnemar.
        statistic (float): the statistic of the test.
        standard_error (float): of diff.
        n_clusters (int): with clusters, their number.
        mde (float): with a power, the minimum detectable effect.
        p_equivalent, p_non_inferior (float): with a margin, the p-values of both tests.

    Examples:
        >>> paired_significance = evaluate.load("./metrics/paired_significance")
        >>> a, b = [0.5, 1.0, 0.75, 1.0, 0.25, 1.0, 1.0], [0.25, 0.75, 0.5, 0.5, 0.0, 0.0, 1.0]
        >>> result = paired_significance.compute(predictions1=a, predictions2=b)
        >>> result["p_value"], result["significant"]
        (0.03125, True)
        >>> result = paired_significance.compute(predictions1=a, predictions2=b, test="t")
        >>> result["p_value"], result["significant"]
        (0.024943223294391574, True)
        >>> topics = ["x", "x", "y", "y", "y", "z", "z"]
        >>> paired_significance.compute(predictions1=a, predictions2=b, clusters=topics)["p_value"]
        0.25
    """

    stock_formats = {"mcnemar": mcnemar, "wilcoxon": wilcoxon}
    score_kind = "counts"
    main_score = "diff"
    score_ranges = {
        "p_*": (0, 1),
        "standard_error": (0, None),
        "test": None,
        "significant": None,
        "*": (None, None),
    }
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
        assume: Assumption = "exchangeable",
        bounds: ScoreBounds | None = None,
        clusters: CrossedLabels | None = None,
        margin: Positive | None = None,
        power: Level | None = None,
        n_resamples: Resamples = 10_000,
        seed: Seed = 0,
        alpha: Level = 0.05,
        confidence_level: Level | None = 0.95,
    ):
        return compare(
            predictions1,
            predictions2,
            test=test,
            alternative=alternative,
            assume=assume,
            bounds=bounds,
            clusters=clusters,
            margin=margin,
            power=power,
            alpha=alpha,
            confidence_level=confidence_level,
        )
