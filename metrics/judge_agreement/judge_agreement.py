"""Agreement of judges: of a judge with people, of several raters, or of a judge with itself.

Every agreement with labels comes with that of a judge who always gives the commonest label.
Verdicts in both orders of two answers show whether a judge prefers a position, and the errors of a
panel show how many independent judges it is worth.
"""

import datasets
import evaluate

from metric_commons.judging.agreement.rater_agreement import judge_agreement
from metric_commons.module.declaration.module import BatchMetric

_CITATION = """\
@article{cohen-1960-coefficient,
    title = "A Coefficient of Agreement for Nominal Scales",
    author = "Cohen, Jacob",
    journal = "Educational and Psychological Measurement",
    volume = "20",
    number = "1",
    pages = "37--46",
    year = "1960",
}
"""


class JudgeAgreement(BatchMetric):
    """Agreement of two raters, of any number of raters, or of a panel of judges with labels.

    Args:
        predictions (list of str, int or float, or of list): the label that a judge gives each row;
            or for each row a list of ratings, None (or NaN in an array) where there is none.
        references (list of str, int or float): the label of each row by a person; left out if
            predictions are lists of ratings, unless these are verdicts of a panel.

    Returns:
        agreement (float): the proportion of equal labels, from 0.0 to 1.0; higher is better.
        cohen_kappa (float): up to 1.0; 0.0 by chance. NaN if both have used one label only.
        constant_agreement (float): the agreement of a judge who always gives the commonest label.
        percent_agreement, krippendorff_alpha (float): of lists of ratings; alpha is up to 1.0.
        fleiss_kappa, gwet_ac, brennan_prediger (float): up to 1.0, if requested.
        kendall_tau_b, spearman, pearson (float): from -1.0 to 1.0, if requested.
        swap_consistency, first_position_share, second_position_share, first_position_rate,
            win_rate_a, position_p_value (float): with swapped=True.
        best_agreement, majority_agreement, all_wrong, error_correlation, effective_judges (float),
            tied_majorities, judges (int): of a panel, beside agreement.
        confidence_interval (dict): if requested.

    Examples:
        >>> judge_agreement = evaluate.load("./metrics/judge_agreement")
        >>> verdicts, labels = ["yes", "yes", "no", "yes"], ["yes", "no", "no", "yes"]
        >>> judge_agreement.compute(predictions=verdicts, references=labels)
        {'agreement': 0.75, 'cohen_kappa': 0.5, 'constant_agreement': 0.5}
        >>> ratings = [[1, 1, None], [2, 2, 3], [3, 3, 3]]
        >>> scores = judge_agreement.compute(predictions=ratings)
        >>> round(scores["krippendorff_alpha"], 2)
        0.65
        >>> judge_agreement.compute(predictions=[1, 1], references=[1, 1])["cohen_kappa"]
        nan
    """

    score_kind = "counts"
    score_ranges = {
        "cohen_kappa": (None, 1),
        "fleiss_kappa": (None, 1),
        "gwet_ac": (None, 1),
        "brennan_prediger": (None, 1),
        "krippendorff_alpha": (None, 1),
        "kendall_tau_b": (-1, 1),
        "spearman": (-1, 1),
        "pearson": (-1, 1),
        "error_correlation": (-1, 1),
        "effective_judges": (0, None),
        "tied_majorities": (0, None),
        "judges": (0, None),
        "*": (0, 1),
    }
    lower_is_better = frozenset({"all_wrong", "error_correlation"})
    arrays_allowed = True
    nan_allowed = True
    empty_references = "left out"
    holes_allowed = True
    single_text_allowed = False

    def _info(self):
        labels = [datasets.Value("int64"), datasets.Value("string"), datasets.Value("float64")]
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[
                *(datasets.Features({"predictions": v, "references": v}) for v in labels),
                *(
                    datasets.Features({"predictions": datasets.List(v), "references": v})
                    for v in labels
                ),
                *(datasets.Features({"predictions": datasets.List(v)}) for v in labels),
            ],
            license="Apache-2.0",
            reference_urls=["https://doi.org/10.1177/001316446002000104"],
        )

    def _compute(self, *, predictions, references, **options: judge_agreement):
        return judge_agreement(predictions, references, **options)
