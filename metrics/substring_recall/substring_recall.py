"""Substring recall: whether the prediction contains an accepted answer.

The proportion of predictions that contain an accepted answer, as characters, as consecutive words,
or as a set of words. Use it for long answers of language models, for which exact match is nearly 0.
"""

import evaluate

from metric_commons.module.declaration.module import ANSWERS_AND_REFERENCES, BatchMetric
from metric_commons.text.answers.answers import EmptyReference, Match, answer_texts, contained
from metric_commons.text.extraction.extraction import summarize_extracted
from metric_commons.text.tokens.normalizers import Normalizer
from metric_commons.text.tokens.references import Aggregation, all_found

_CITATION = """\
@inproceedings{mallen-etal-2023-trust,
    title = "When Not to Trust Language Models: Investigating Effectiveness of Parametric and
        Non-Parametric Memories",
    author = "Mallen, Alex and Asai, Akari and Zhong, Victor and Das, Rajarshi and
        Khashabi, Daniel and Hajishirzi, Hannaneh",
    booktitle = "Proceedings of ACL 2023",
    year = "2023",
    url = "https://aclanthology.org/2023.acl-long.546",
}
"""


class SubstringRecall(BatchMetric):
    """Proportion of predictions that contain an accepted answer.

    Args:
        predictions (list of str): one answer per question.
        references (list of str, or of list of str): the accepted answer or answers of each
            question; both kinds may be mixed in one list. For questions with several required
            answers: a list of lists, the alternative names of each answer; scores are means over
            the answers. Or SQuAD's dictionaries on both sides.
        normalizer: the normalizer of both sides: a name, or a function from str to str. The card
            describes each name.
        match: "substring" compares characters, so "boat" contains "oat"; "tokens" needs the words
            of the answer in sequence; "token_set" needs all words in any order.
        empty_reference: whether an answer that is empty after normalization is contained
            "never" or "always"; in a prediction that is empty too, only
            with match="token_set", or as a substring with normalizer="strip_lower".
        reference_aggregation: "max": any accepted answer is contained; "mean": the
            proportion of the accepted answers that are contained.

    Returns:
        substring_recall (float): mean containment, from 0.0 to 1.0; higher is better.
        all_found (float): with sets of answers, the proportion of rows in which all are found.
        unparsed (float): with `thoughts` or `extract`, the rate of predictions without an answer.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> substring_recall = evaluate.load("./metrics/substring_recall")
        >>> predictions = ["The answer is Barack Obama, the former president.", "It is Obama."]
        >>> references = ["Barack Obama", "Barack Obama"]
        >>> substring_recall.compute(predictions=predictions, references=references)
        {'substring_recall': 0.5}
    """

    logged_names = (("substring_recall", "includes", "contains", "coverem"),)
    always_scored = frozenset({"substring_recall"})

    def _info(self):
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=ANSWERS_AND_REFERENCES,
            license="Apache-2.0",
            reference_urls=["https://aclanthology.org/2023.acl-long.546"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        normalizer: Normalizer = "lower",
        match: Match = "substring",
        empty_reference: EmptyReference = "never",
        reference_aggregation: Aggregation = "max",
        **answers: summarize_extracted,
    ):
        predictions, references = answer_texts(predictions, references)

        def scores(predictions, references):
            hits = contained(
                predictions,
                references,
                normalizer=normalizer,
                match=match,
                empty_reference=empty_reference,
                reference_aggregation=reference_aggregation,
            )
            return {"substring_recall": hits, **all_found(hits, references)}

        return summarize_extracted(scores, predictions, references, **answers)
