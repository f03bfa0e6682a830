"""The rate that people would give, from the verdicts of a judge on all rows and labels on a few.

The judge saves labels without adding its bias: the labels correct the mean of the verdicts
(prediction-powered inference), and the interval counts what they leave unknown.
"""

import datasets
import evaluate

from metric_commons.judging.agreement.corrected_rates import judge_corrected
from metric_commons.module.declaration.module import BatchMetric

_CITATION = """\
@misc{angelopoulos-etal-2023-ppi,
    title = "{PPI}++: Efficient Prediction-Powered Inference",
    author = "Angelopoulos, Anastasios N. and Duchi, John C. and Zrnic, Tijana",
    year = "2023",
    eprint = "2311.01453",
    archivePrefix = "arXiv",
    url = "https://arxiv.org/abs/2311.01453",
}
"""


class JudgeCorrected(BatchMetric):
    """A rate, or a mean score, corrected by labels of a part of the rows.

    Args:
        predictions (list of float, or of list of float): the verdict of a judge on each row; or for
            each row the verdicts of several judges, whose mean is taken.
        references (list of float, or of list of float): the label of each row by a person, NaN
            where there is none; or a list of it, empty where there is none.

    Returns:
        judge_corrected (float): the corrected rate.
        standard_error (float): of the corrected rate.
        judged_rate, labelled_rate (float): the mean verdict, and the mean label.
        judge_bias (float): the mean of verdict minus label on the labelled rows.
        power_tuning (float): lambda, the weight of the judge, from 0 to 1.
        effective_labels (float): how many labels alone would be as informative.
        labelled, n (int): the number of labelled rows, and of all rows.
        sensitivity, specificity (float): of the judge, with method="rogan_gladen".
        confidence_interval, interval (dict): of judge_corrected, unless confidence_level is None.

    Examples:
        >>> judge_corrected = evaluate.load("./metrics/judge_corrected")
        >>> nan = float("nan")
        >>> result = judge_corrected.compute(
        ...     predictions=[1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0],
        ...     references=[1.0, 1.0, 0.0, 0.0, nan, nan, nan, nan],
        ... )
        >>> round(result["judge_corrected"], 4), result["judged_rate"], result["judge_bias"]
        (0.5, 0.75, 0.25)
        >>> low, high = result["confidence_interval"]["judge_corrected"]
        >>> round(low, 2), round(high, 2)  # four labels say little
        (0.07, 0.93)
    """

    score_kind = "counts"
    score_ranges = {
        "standard_error": (0, None),
        "effective_labels": (0, None),
        "labelled": (0, None),
        "n": (0, None),
        "sensitivity": (0, 1),
        "specificity": (0, 1),
        "*": (None, None),
    }
    lower_is_better = frozenset({"standard_error"})
    arrays_allowed = True
    nan_allowed = True
    empty_references = "nan"

    def _info(self):
        number = datasets.Value("float64")
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[
                datasets.Features({"predictions": verdicts, "references": labels})
                for labels in (number, datasets.List(number))
                for verdicts in (number, datasets.List(number))
            ],
            license="Apache-2.0",
            reference_urls=["https://arxiv.org/abs/2311.01453"],
        )

    def _compute(self, *, predictions, references, **options: judge_corrected):
        return judge_corrected(predictions, references, **options)
