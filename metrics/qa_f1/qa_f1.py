"""Token F1 for question answering, with its precision and recall.

The F1 of the words that a prediction shares with an accepted answer after normalization. It gives
credit to answers that exact match rejects: the correct name in a longer phrase, or a date in a
different order.
"""

import evaluate

from metric_commons.module.declaration.module import ANSWERS_AND_REFERENCES, BatchMetric
from metric_commons.statistics.arguments.domains import Proportion
from metric_commons.text.answers.answers import Overlap, answer_texts, token_f1
from metric_commons.text.answers.stock_answers import record, squad
from metric_commons.text.extraction.extraction import summarize_extracted
from metric_commons.text.tokens.normalizers import Normalizer
from metric_commons.text.tokens.references import Aggregation

_CITATION = """\
@inproceedings{rajpurkar-etal-2016-squad,
    title = "{SQ}u{AD}: 100,000+ Questions for Machine Comprehension of Text",
    author = "Rajpurkar, Pranav and Zhang, Jian and Lopyrev, Konstantin and Liang, Percy",
    booktitle = "Proceedings of EMNLP 2016",
    year = "2016",
    url = "https://aclanthology.org/D16-1264",
}
"""


class QaF1(BatchMetric):
    """Mean F1 of the words that predicted and accepted answers share.

    Args:
        predictions (list of str): one answer per question.
        references (list of str, or of list of str): the accepted answer or answers of each
            question; both kinds may be mixed in one list. For questions with several required
            answers: a list of lists, the alternative names of each answer; scores are means over
            the answers. Or SQuAD's dictionaries on both sides.
        normalizer: the normalizer of both sides: a name, or a function from str to str. The card
            describes each name.
        overlap: "multiset" counts repeated words; "set" does not; "longest_run" counts the words
            of the longest run that both texts contain, as CMRC 2018 does.
        both_empty: the score if both texts are empty after normalization: 1.0 as in SQuAD v2,
            0.0 as in SQuAD v1.
        reference_aggregation: "max" uses the accepted answer with the best F1 for all three
            scores; "mean" averages each score over the answers.

    Returns:
        qa_f1 (float): mean F1, from 0.0 to 1.0; higher is better.
        qa_precision, qa_recall (float): the proportion of the predicted, and of the accepted words,
            that are shared.
        unparsed (float): with `thoughts` or `extract`, the rate of predictions without an answer.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> qa_f1 = evaluate.load("./metrics/qa_f1")
        >>> qa_f1.compute(predictions=["cat sat on"], references=["the cat sat"])
        {'qa_f1': 0.8, 'qa_precision': 0.6666666666666666, 'qa_recall': 1.0}
        >>> lower = evaluate.load("./metrics/qa_f1", normalizer="lower")  # the article counts
        >>> lower.compute(predictions=["cat sat on"], references=["the cat sat"])["qa_f1"]
        0.6666666666666666
    """

    stock_formats = {"squad": squad, "super_glue/record": record}
    logged_names = (("qa_f1", "f1", "f1_score"),)
    always_scored = frozenset({"qa_f1", "qa_precision", "qa_recall"})

    def _info(self):
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=ANSWERS_AND_REFERENCES,
            license="Apache-2.0",
            reference_urls=["https://rajpurkar.github.io/SQuAD-explorer/"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        normalizer: Normalizer = "squad",
        overlap: Overlap = "multiset",
        both_empty: Proportion = 1.0,
        reference_aggregation: Aggregation = "max",
        **answers: summarize_extracted,
    ):
        predictions, references = answer_texts(predictions, references)

        def scores(predictions, references):
            precision, recall, f1 = token_f1(
                predictions,
                references,
                normalizer=normalizer,
                overlap=overlap,
                both_empty=both_empty,
                reference_aggregation=reference_aggregation,
            )
            return {"qa_f1": f1, "qa_precision": precision, "qa_recall": recall}

        return summarize_extracted(scores, predictions, references, **answers)
