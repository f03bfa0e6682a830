"""Word overlap: the proportion of the words of two texts that both have."""

import datasets
import evaluate

from metric_commons.base import BatchMetric, summarize

_CITATION = """\
@article{jaccard1912,
    author = "Jaccard, Paul",
    title = "The distribution of the flora in the alpine zone",
    year = "1912",
}
"""


class WordOverlap(BatchMetric):
    """Mean proportion of words that prediction and reference share, of all their words.

    Args:
        predictions (list of str): one text per row.
        references (list of str): the text to compare it with.
        lower: whether case is ignored.

    Returns:
        word_overlap (float): from 0.0 to 1.0; higher is better.

    Examples:
        >>> word_overlap = evaluate.load("./my_metrics/word_overlap")
        >>> word_overlap.compute(predictions=["a b"], references=["b c"])
        {'word_overlap': 0.3333333333333333}
    """

    def _info(self):
        texts = datasets.Value("string")
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=datasets.Features({"predictions": texts, "references": texts}),
        )

    def _compute(self, *, predictions, references, lower: bool = True, **summary):
        def score(prediction, reference):
            texts = (prediction.lower(), reference.lower()) if lower else (prediction, reference)
            first, second = (set(text.split()) for text in texts)
            return len(first & second) / max(len(first | second), 1)

        rows = [score(*pair) for pair in zip(predictions, references, strict=True)]
        return summarize({"word_overlap": rows}, **summary)
