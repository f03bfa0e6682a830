"""chrF and chrF++ of translations, equal to sacrebleu, from 0 to 100.

The F score of the character n-grams that translations share with references, over all rows
together; chrF++ adds words and pairs of words. It needs no tokenizer, and gives credit for
different forms of the same word.
"""

import evaluate

from metric_commons.module.declaration.module import TEXTS_AND_REFERENCES, BatchMetric
from metric_commons.statistics.arguments.domains import Length
from metric_commons.text.extraction.extraction import summarize_extracted
from metric_commons.text.translation.character_ngrams import Beta, Order, chrf_statistics
from metric_commons.text.translation.sacrebleu_signatures import chrf_signature
from metric_commons.text.translation.stock_translations import chrf

_CITATION = """\
@inproceedings{popovic-2015-chrf,
    title = "chr{F}: character n-gram {F}-score for automatic {MT} evaluation",
    author = "Popovi{\\'c}, Maja",
    booktitle = "Proceedings of the Tenth Workshop on Statistical Machine Translation",
    year = "2015",
    url = "https://aclanthology.org/W15-3049",
}
"""


class Chrf(BatchMetric):
    """The chrF of all rows together, from 0 to 100.

    Args:
        predictions (list of str): one translation per row.
        references (list of str, or of list of str): the reference or references of each row;
            both kinds may be mixed in one list. Each row uses the
            reference with which its own score is best, and the first of equal ones, so the order
            of references may change the score.
        char_order: the maximum length of character n-grams.
        word_order: the maximum length of word n-grams: 2 for chrF++, 0 for none.
        beta: the weight of recall relative to precision.
        lowercase: ignore case.
        whitespace: treat white space between words as characters.
        eps_smoothing: average the F scores of all orders, as chrF++.py and NLTK do, instead of the
            precision and recall of those that both sides have.
        signature: also return sacrebleu's own signature, under `signature`.

    Returns:
        chrf (float): from 0.0 to 100.0; higher is better.
        unparsed (float): with `thoughts` or `extract`, the rate of predictions without an answer.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> chrf = evaluate.load("./metrics/chrf")
        >>> data = {"predictions": ["The cats sat."], "references": ["The cat sat."]}
        >>> round(chrf.compute(**data)["chrf"], 2)
        72.93
        >>> round(chrf.compute(**data, word_order=2)["chrf"], 2)  # chrF++
        68.27
    """

    score_kind = "sums"
    stock_formats = {"chrf": chrf}
    score_ranges = {"chrf": (0, 100), "signature": None}

    def _info(self):
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=TEXTS_AND_REFERENCES,
            license="Apache-2.0",
            reference_urls=["https://github.com/mjpost/sacrebleu"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        char_order: Length = 6,
        word_order: Order = 0,
        beta: Beta = 2,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        signature: bool = False,
        **answers: summarize_extracted,
    ):
        orders = {"char_order": char_order, "word_order": word_order}
        texts = {
            "lowercase": lowercase,
            "whitespace": whitespace,
            "eps_smoothing": eps_smoothing,
        }

        def statistics(predictions, references):
            return chrf_statistics(predictions, references, beta=beta, **orders, **texts)

        result = summarize_extracted(statistics, predictions, references, **answers)
        if signature:
            result["signature"] = chrf_signature(references, **orders, **texts)
        return result
