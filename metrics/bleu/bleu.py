"""BLEU of translations, equal to sacrebleu, from 0 to 100; or as evaluate's bleu and google_bleu.

The precision of n-grams of one to four words over all rows together, with a penalty for
translations that are shorter than the references. The tokenizer is part of the metric: scores with
different tokenizers are not comparable.
"""

import evaluate

from metric_commons.module.declaration.module import TEXTS_AND_REFERENCES, BatchMetric
from metric_commons.statistics.arguments.domains import Length
from metric_commons.text.extraction.extraction import summarize_extracted
from metric_commons.text.translation.ngram_precision import (
    Definition,
    SmoothMethod,
    SmoothValue,
    bleu_statistics,
)
from metric_commons.text.translation.sacrebleu_signatures import bleu_signature
from metric_commons.text.translation.stock_translations import bleu, google_bleu, sacrebleu
from metric_commons.text.translation.translation_tokenizers import TranslationTokenizer

_CITATION = """\
@inproceedings{post-2018-call,
    title = "A Call for Clarity in Reporting {BLEU} Scores",
    author = "Post, Matt",
    booktitle = "Proceedings of the Third Conference on Machine Translation: Research Papers",
    year = "2018",
    url = "https://aclanthology.org/W18-6319",
}
"""


class Bleu(BatchMetric):
    """BLEU of all rows together, from 0 to 100.

    Args:
        predictions (list of str): one translation per row.
        references (list of str, or of list of str): the reference or references of each row;
            both kinds may be mixed in one list.
        tokenize: "13a", of mteval-v13a; "intl", of mteval-v14, for any script; "zh", for Chinese;
            "char"; "none", for text that is already tokenized; or a function from a text to the
            list of its words, or to a text with spaces between words.
        lowercase: ignore case.
        smooth_method: smoothing of orders without shared n-grams: "exp" counts 1/2, 1/4, ... as
            shared, "floor" counts `smooth_value`, "add-k" adds it to the counts of all orders
            except the first; with "none" BLEU is 0.
        smooth_value: for "floor" (by default 0.1) and "add-k" (by default 1).
        max_ngram_order: the maximum length of n-grams.
        effective_order: leave out orders for which the predictions have no n-grams; scores of
            single rows always do.
        definition: "sacrebleu"; "hf", the `bleu` of evaluate, from 0.0 to 1.0, with the shortest
            reference, and smoothed only by "add-k"; or "gleu", its `google_bleu`.
        signature: also return sacrebleu's own signature, under `signature`.

    Returns:
        bleu (float): from 0.0 to 100.0; higher is better.
        precisions (list of float): of each order, from 0.0 to 100.0, after smoothing.
        brevity_penalty (float): 1.0, or less if the predictions are shorter than the references.
        counts, totals (list of int): shared and all n-grams of the predictions, for each order.
        sys_len, ref_len (int): words of the predictions and of their closest references.
        length_ratio, translation_length, reference_length: for "hf", instead of the last four.
        google_bleu (float): for "gleu", the only score, from 0.0 to 1.0.
        unparsed (float): with `thoughts` or `extract`, the rate of predictions without an answer.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> bleu = evaluate.load("./metrics/bleu")
        >>> result = bleu.compute(
        ...     predictions=["The cat sat on the mat."], references=["The cat sat on a mat."]
        ... )
        >>> round(result["bleu"], 2), result["counts"], result["totals"]
        (48.89, [6, 4, 2, 1], [7, 6, 5, 4])
    """

    score_kind = "sums"
    stock_formats = {"bleu": bleu, "sacrebleu": sacrebleu, "google_bleu": google_bleu}
    score_ranges = {
        "bleu": (0, 100),
        "brevity_penalty": (0, 1),
        "signature": None,
        "*": (0, None),
    }

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
        tokenize: TranslationTokenizer = "13a",
        lowercase: bool = False,
        smooth_method: SmoothMethod = "exp",
        smooth_value: SmoothValue | None = None,
        max_ngram_order: Length = 4,
        effective_order: bool = False,
        definition: Definition = "sacrebleu",
        signature: bool = False,
        **answers: summarize_extracted,
    ):
        scoring = {
            "definition": definition,
            "tokenize": tokenize,
            "lowercase": lowercase,
            "smooth_method": smooth_method,
            "smooth_value": smooth_value,
            "effective_order": effective_order,
        }

        def statistics(predictions, references):
            return bleu_statistics(
                predictions, references, max_ngram_order=max_ngram_order, **scoring
            )

        result = summarize_extracted(statistics, predictions, references, **answers)
        if signature:
            result["signature"] = bleu_signature(references, **scoring)
        return result
