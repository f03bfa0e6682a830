"""ROUGE-N, ROUGE-L and ROUGE-Lsum, with precision and recall.

The n-grams, or the longest common subsequence of words, that a text shares with a reference: a
summary with a human summary, or an answer with an accepted answer. The scores are those of
rouge_score, averaged by a plain mean over the rows, not by the median of a bootstrap.
"""

import evaluate

from metric_commons.module.declaration.module import TEXTS_AND_REFERENCES, BatchMetric
from metric_commons.text.extraction.extraction import summarize_extracted
from metric_commons.text.rouge_overlaps.rouge_scores import RougeTypes, rouge
from metric_commons.text.rouge_overlaps.rouge_words import SentenceSplitter, Tokenizer
from metric_commons.text.rouge_overlaps.stock_rouge import rouge as stock_rouge
from metric_commons.text.tokens.normalizers import Normalizer
from metric_commons.text.tokens.references import Aggregation

_CITATION = """\
@inproceedings{lin-2004-rouge,
    title = "{ROUGE}: A Package for Automatic Evaluation of Summaries",
    author = "Lin, Chin-Yew",
    booktitle = "Text Summarization Branches Out",
    year = "2004",
    url = "https://aclanthology.org/W04-1013",
}
"""


class RougeN_L(BatchMetric):  # noqa: N801 - evaluate makes rouge_n_l of it
    """Mean F1, precision and recall of the n-grams, or the subsequence, that texts share.

    Args:
        predictions (list of str): one text per row.
        references (list of str, or of list of str): the reference or references of each row;
            both kinds may be mixed in one list.
        rouge_types: "rouge1", "rouge2" and so on; "rougeL", the longest common
            subsequence of words; "rougeLsum", the same line by line, for texts with one
            sentence per line.
        use_stemmer: compare the Porter stems of words of more than three characters, all
            of them a-z and 0-9.
        tokenizer: "rouge_score", whose words are sequences of a-z and 0-9;
            "unicode", words of any script; or a function from str to list of str.
        normalizer: the normalizer of both sides: a name, or a function from str to str. The card
            describes each name.
        reference_aggregation: "max" uses, for each type, the reference with the best F1 for all
            three scores; "mean" averages each score.
        split_summaries: for rougeLsum, a function from a text to its sentences, such as
            `nltk.sent_tokenize`; None takes the lines.

    Returns:
        rouge1, ... (float): for each type the mean F1, from 0.0 to 1.0; higher is better.
        rouge1_precision, rouge1_recall, ... (float): for each type the mean proportion of the
            prediction's, and of the reference's n-grams or words that are shared.
        unparsed (float): with `thoughts` or `extract`, the rate of predictions without an answer.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> rouge = evaluate.load("./metrics/rouge_n_l")
        >>> result = rouge.compute(
        ...     predictions=["the cat sat"], references=["the cat sat on the mat"]
        ... )
        >>> result["rouge1_recall"], result["rouge2_recall"], round(result["rougeL"], 3)
        (0.5, 0.4, 0.667)
        >>> rouge = evaluate.load("./metrics/rouge_n_l", tokenizer="unicode")
        >>> rouge.compute(predictions=["今天好"], references=["今天"], rouge_types=["rougeL"])
        {'rougeL': 0.8, 'rougeL_precision': 0.6666666666666666, 'rougeL_recall': 1.0}
    """

    stock_formats = {"rouge": stock_rouge}
    logged_names = (
        ("rouge1", "rouge1", "rouge_1", "rouge-1"),
        ("rouge2", "rouge2", "rouge_2", "rouge-2"),
        ("rougeL", "rougel", "rouge_l", "rouge-l"),
    )

    latin_tokens = {"tokenizer": ("rouge_score", "unicode")}

    def _info(self):
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=TEXTS_AND_REFERENCES,
            license="Apache-2.0",
            reference_urls=["https://github.com/google-research/google-research/tree/master/rouge"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        rouge_types: RougeTypes = ("rouge1", "rouge2", "rougeL"),
        use_stemmer: bool = False,
        tokenizer: Tokenizer = "rouge_score",
        normalizer: Normalizer = "none",
        reference_aggregation: Aggregation = "max",
        split_summaries: SentenceSplitter | None = None,
        **answers: summarize_extracted,
    ):
        def scores(predictions, references):
            by_type = rouge(
                predictions,
                references,
                rouge_types=rouge_types,
                use_stemmer=use_stemmer,
                tokenizer=tokenizer,
                normalizer=normalizer,
                reference_aggregation=reference_aggregation,
                split_summaries=split_summaries,
            )
            named = {}
            for name, (precision, recall, f1) in by_type.items():
                named |= {name: f1, f"{name}_precision": precision, f"{name}_recall": recall}
            return named

        return summarize_extracted(scores, predictions, references, **answers)
