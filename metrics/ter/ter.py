"""TER of translations, equal to sacrebleu, from 0 to 100 and above.

The number of edits that turn translations into their references, per 100 reference words. An edit
substitutes, deletes or inserts a word, or moves a sequence of words.
"""

import evaluate

from metric_commons.module.declaration.module import TEXTS_AND_REFERENCES, BatchMetric
from metric_commons.text.extraction.extraction import summarize_extracted
from metric_commons.text.translation.sacrebleu_signatures import ter_signature
from metric_commons.text.translation.stock_translations import ter
from metric_commons.text.translation.translation_edit_rate import ter_statistics

_CITATION = """\
@inproceedings{snover-etal-2006-study,
    title = "A Study of Translation Edit Rate with Targeted Human Annotation",
    author = "Snover, Matthew and Dorr, Bonnie and Schwartz, Rich and Micciulla, Linnea and
        Makhoul, John",
    booktitle = "Proceedings of the 7th Conference of the Association for Machine Translation in
        the Americas: Technical Papers",
    year = "2006",
    url = "https://aclanthology.org/2006.amta-papers.25",
}
"""


class Ter(BatchMetric):
    """The translation edit rate of all rows together, in edits per 100 words.

    Args:
        predictions (list of str): one translation per row.
        references (list of str, or of list of str): the reference or references of each row;
            both kinds may be mixed in one list. The one with the fewest edits counts, and
            the mean of all lengths.
        normalized: split punctuation from words, and resolve XML entities.
        no_punct: delete punctuation.
        asian_support: apply both also to Chinese and Japanese text.
        case_sensitive: compare case.
        signature: also return sacrebleu's own signature, under `signature`.

    Returns:
        ter (float): edits per 100 words of the references; lower is better; it may exceed 100.0.
        num_edits (int): of all rows.
        ref_length (float): words of the references; the mean if a row has several.
        unparsed (float): with `thoughts` or `extract`, the rate of predictions without an answer.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> ter = evaluate.load("./metrics/ter")
        >>> ter.compute(predictions=["on the mat sat a cat"], references=["a cat sat on the mat"])
        {'ter': 33.33333333333333, 'num_edits': 2, 'ref_length': 6.0}
    """

    score_kind = "sums"
    stock_formats = {"ter": ter}
    score_ranges = {"signature": None, "*": (0, None)}
    lower_is_better = frozenset({"ter", "num_edits"})
    full_error = 100.0

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
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        signature: bool = False,
        **answers: summarize_extracted,
    ):
        options = {
            "normalized": normalized,
            "no_punct": no_punct,
            "asian_support": asian_support,
            "case_sensitive": case_sensitive,
        }

        def statistics(predictions, references):
            return ter_statistics(predictions, references, **options)

        result = summarize_extracted(statistics, predictions, references, **answers)
        if signature:
            result["signature"] = ter_signature(references, **options)
        return result
