"""Exact match for question answering.

The proportion of predictions that equal an accepted answer after normalization, with the
normalizers of SQuAD, TriviaQA, UltraRAG, DROP and others, or your own.
"""

import evaluate

from metric_commons.module.declaration.module import ANSWERS_AND_REFERENCES, BatchMetric
from metric_commons.text.answers.answers import answer_texts, exact_match
from metric_commons.text.answers.stock_answers import exact_match as stock_exact_match
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


class QaEm(BatchMetric):
    """Proportion of predictions that equal an accepted answer.

    Args:
        predictions (list of str): one answer per question.
        references (list of str, or of list of str): the accepted answer or answers of each
            question; both kinds may be mixed in one list. For questions with several required
            answers: a list of lists, the alternative names of each answer; scores are means over
            the answers. Or SQuAD's dictionaries on both sides.
        normalizer: the normalizer of both sides: a name, or a function from str to str. The card
            describes each name.
        reference_aggregation: "max": the prediction equals any accepted answer; "mean": the
            proportion of the accepted answers that equal the prediction.

    Returns:
        qa_em (float): mean exact match, from 0.0 to 1.0; higher is better.
        unparsed (float): with `thoughts` or `extract`, the rate of predictions without an answer.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> qa_em = evaluate.load("./metrics/qa_em")
        >>> predictions = ["The Eiffel Tower!", "1889"]
        >>> references = [["Eiffel Tower", "La tour Eiffel"], "1887"]
        >>> qa_em.compute(predictions=predictions, references=references)
        {'qa_em': 0.5}
        >>> qa_em.compute(predictions=predictions, references=references, normalizer="none")
        {'qa_em': 0.0}
    """

    stock_formats = {"exact_match": stock_exact_match}
    logged_names = (("qa_em", "exact_match", "exact", "em", "quasi_exact_match"),)
    always_scored = frozenset({"qa_em"})

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
        reference_aggregation: Aggregation = "max",
        **answers: summarize_extracted,
    ):
        predictions, references = answer_texts(predictions, references)

        def scores(predictions, references):
            matches = exact_match(
                predictions,
                references,
                normalizer=normalizer,
                reference_aggregation=reference_aggregation,
            )
            return {"qa_em": matches}

        return summarize_extracted(scores, predictions, references, **answers)
