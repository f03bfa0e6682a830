"""Precision, recall and F1 of named entities, chunks and other spans with types.

Spans are read from tags, such as B-PER I-PER O, by the rules of conlleval.pl or of a
strict scheme, or are given with type, start and end. A span is correct if the other side has a span
with the same type, start and end. The scores are those of seqeval, and of nervaluate for less
strict matching.
"""

import datasets
import evaluate

from metric_commons.labels.spans.spans import Match, seqeval, span_statistics
from metric_commons.labels.spans.tag_schemes import Scheme
from metric_commons.module.declaration.module import BatchMetric
from metric_commons.statistics.arguments.domains import Proportion
from metric_commons.statistics.intervals.summary import summarize

_CITATION = """\
@inproceedings{tjong-kim-sang-buchholz-2000-introduction,
    title = "Introduction to the {C}o{NLL}-2000 Shared Task Chunking",
    author = "Tjong Kim Sang, Erik F. and Buchholz, Sabine",
    booktitle = "Fourth Conference on Computational Natural Language Learning",
    year = "2000",
    url = "https://aclanthology.org/W00-0726",
}
"""


class SpanF1(BatchMetric):
    """Precision, recall and F1 of the spans of all rows, together and by type.

    Args:
        predictions (list of list of str, or of dict): the tags of each row; or its spans, as
            {"type": list of str, "start": list of int, "end": list of int}, ends exclusive.
        references (list of list of str, or of dict): the true tags or spans, in the same form.
        scheme: "IOB1", "IOB2", "IOE1", "IOE2", "IOBES" or "BILOU" accept only well-formed spans;
            "auto" is that of the references; None accepts any tags, as conlleval does.
        suffix: whether the letter of a tag is after its type, as in PER-B.
        match: "strict": same type, start and end; "exact": same start and end; "partial": an
            overlap counts half; "type": an overlap with a span of the same type.
        zero_division: precision without predicted spans, and recall without true ones.

    Returns:
        precision, recall, f1 (float): of all spans together, from 0.0 to 1.0; higher is better.
        macro_precision, macro_recall, macro_f1 (float): means over the types of either side.
        weighted_precision, weighted_recall, weighted_f1 (float): the same, weighted by true spans.
        accuracy (float): the proportion of equal tags, if the input is tags.
        support (int): true spans.
        per_type (dict): for each type its precision, recall, f1, and its true spans as number.
        per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> span_f1 = evaluate.load("./metrics/span_f1")
        >>> result = span_f1.compute(
        ...     predictions=[["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-LOC", "I-LOC"]],
        ...     references=[["B-PER", "I-PER", "O", "B-ORG"], ["O", "B-LOC", "I-LOC"]],
        ... )
        >>> round(result["f1"], 4), round(result["macro_f1"], 4), round(result["accuracy"], 4)
        (0.6667, 0.5556, 0.8571)
        >>> result["per_type"]["LOC"]
        {'precision': 0.5, 'recall': 1.0, 'f1': 0.6666666666666666, 'number': 1}
    """

    score_kind = "sums"
    undefined_without = {"tags": "there are no tags in any row; a score of no tags is undefined"}
    score_ranges = {"support": (0, None), "*": (0, 1)}
    main_score = "f1"
    stock_formats = {"seqeval": seqeval}
    options_of_all_rows = {"scheme": "auto"}

    def _info(self):
        texts = datasets.List(datasets.Value("string"))
        positions = datasets.List(datasets.Value("int64"))
        spans = {"type": texts, "start": positions, "end": positions}
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=[
                datasets.Features({"predictions": spans, "references": spans}),
                datasets.Features({"predictions": texts, "references": texts}),
            ],
            license="Apache-2.0",
            reference_urls=["https://github.com/chakki-works/seqeval"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        scheme: Scheme | None = None,
        suffix: bool = False,
        match: Match = "strict",
        zero_division: Proportion = 0.0,
        **summary,
    ):
        rows = span_statistics(
            predictions,
            references,
            scheme=scheme,
            suffix=suffix,
            match=match,
            zero_division=zero_division,
        )
        return summarize(rows, **summary)
