"""SARI of text simplification: which words were rightly kept, deleted and added.

A simplification is compared with its source and with those of people: the mean of the F1 of kept
n-grams, the precision of deleted ones and the F1 of added ones, for n from 1 to 4, as in evaluate's
own `sari`.
"""

import datasets
import evaluate

from metric_commons.module.declaration.module import BatchMetric
from metric_commons.statistics.intervals.summary import Average
from metric_commons.text.extraction.extraction import summarize_extracted
from metric_commons.text.translation.simplifications import sari_scores
from metric_commons.text.translation.stock_translations import sari
from metric_commons.text.translation.translation_tokenizers import TranslationTokenizer

_CITATION = """\
@article{xu-etal-2016-optimizing,
    title = "Optimizing Statistical Machine Translation for Text Simplification",
    author = "Xu, Wei and Napoles, Courtney and Pavlick, Ellie and Chen, Quanze and
        Callison-Burch, Chris",
    journal = "Transactions of the Association for Computational Linguistics",
    year = "2016",
    url = "https://aclanthology.org/Q16-1029",
}
"""


class Sari(BatchMetric):
    """Mean SARI of simplified sentences, from 0 to 100.

    Args:
        sources (list of str): the sentence to simplify, one per row.
        predictions (list of str): its simplification.
        references (list of str, or of list of str): one or more simplifications by people.
        lowercase: ignore case.
        tokenize: how texts are split into words, as for `bleu`: "13a", "intl", "zh", "char",
            "none" (at white space), or a function from a text to its words.

    Returns:
        sari (float): from 0.0 to 100.0; higher is better.
        unparsed (float): with `thoughts` or `extract`, the rate of predictions without an answer.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> sari = evaluate.load("./metrics/sari")
        >>> sari.compute(
        ...     sources=["About 95 species are currently accepted ."],
        ...     predictions=["About 95 you now get in ."],
        ...     references=[
        ...         [
        ...             "About 95 species are currently known .",
        ...             "About 95 species are now accepted .",
        ...             "95 species are now accepted .",
        ...         ]
        ...     ],
        ... )
        {'sari': 26.953601953601954}
    """

    stock_formats = {"sari": sari}
    score_ranges = {"sari": (0, 100)}

    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[
                datasets.Features({"sources": text, "predictions": text, "references": references})
                for references in (text, datasets.List(text))
            ],
            license="Apache-2.0",
            reference_urls=["https://aclanthology.org/Q16-1029"],
        )

    def _compute(
        self,
        *,
        sources,
        predictions,
        references,
        lowercase: bool = True,
        tokenize: TranslationTokenizer = "13a",
        **answers: summarize_extracted,
    ):
        def scores(predictions, references):
            rows = sari_scores(
                sources, predictions, references, lowercase=lowercase, tokenize=tokenize
            )
            return {"sari": [100 * score for score in rows]}

        averages = {"sari": Average(bounds=(0, 100))}
        return summarize_extracted(scores, predictions, references, averages=averages, **answers)
