"""Answers to questions about pictures: ANLS, VQA accuracy and relaxed accuracy.

ANLS forgives small errors of reading, VQA accuracy asks how many people gave the same answer, and
relaxed accuracy lets a number that was read from a chart be off by five percent.
"""

import datasets
import evaluate

from metric_commons.module.declaration.module import BatchMetric
from metric_commons.statistics.arguments.domains import NonNegative, Proportion
from metric_commons.text.answers.visual_answers import VisualMeasures, visual_scores
from metric_commons.text.extraction.extraction import summarize_extracted

_CITATION = """\
@inproceedings{mathew-etal-2021-docvqa,
    title = "{D}oc{VQA}: A Dataset for {VQA} on Document Images",
    author = "Mathew, Minesh and Karatzas, Dimosthenis and Jawahar, C. V.",
    booktitle = "Proceedings of WACV 2021",
    year = "2021",
    url = "https://arxiv.org/abs/2007.00398",
}
"""


class VisualQa(BatchMetric):
    """Mean scores of answers to questions about documents, photographs and charts.

    Args:
        predictions (list of str): one answer per question.
        references (list of str, or of list of str): the accepted answer or answers of each
            question; for "vqa_accuracy" the answers of all people, usually ten.
        measures: of "anls", as for DocVQA; "vqa_accuracy", as for VQA; and "relaxed_accuracy", as
            for ChartQA.
        threshold: for "anls": smaller similarities count as 0.
        tolerance: for "relaxed_accuracy": how far a number may be off, as a part of the reference.

    Returns:
        anls (float): one minus the edit distance to the nearest answer, as a part of the longer
            text, from 0.0 to 1.0; higher is better.
        vqa_accuracy (float): 1.0 where three people gave the answer, averaged over leaving out each
            person; if requested.
        relaxed_accuracy (float): the proportion of equal texts and near numbers; if requested.
        unparsed (float): with `thoughts` or `extract`, the rate of predictions without an answer.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> visual_qa = evaluate.load("./metrics/visual_qa")
        >>> visual_qa.compute(predictions=["12 May 2O15"], references=[["12 May 2015"]])
        {'anls': 0.9090909090909091}
        >>> visual_qa.compute(
        ...     predictions=["10.4"], references=["10"], measures=["relaxed_accuracy"]
        ... )
        {'relaxed_accuracy': 1.0}
    """

    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[
                datasets.Features({"predictions": text, "references": references})
                for references in (text, datasets.List(text))
            ],
            license="Apache-2.0",
            reference_urls=["https://rrc.cvc.uab.es/?ch=17&com=tasks"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        measures: VisualMeasures = ("anls",),
        threshold: Proportion = 0.5,
        tolerance: NonNegative = 0.05,
        **answers: summarize_extracted,
    ):
        def scores(predictions, references):
            return visual_scores(
                predictions,
                references,
                measures=measures,
                threshold=threshold,
                tolerance=tolerance,
            )

        return summarize_extracted(scores, predictions, references, **answers)
