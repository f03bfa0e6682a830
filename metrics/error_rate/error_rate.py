"""Word and character error rate of transcripts, with hits and errors of each kind.

The rate of words, or characters, that a speech recognizer got wrong: substitutions, deletions and
insertions. The rates are those of jiwer: WER or CER, match error rate (MER), and word information
lost and preserved (WIL, WIP).
"""

import datasets
import evaluate

from metric_commons.module.declaration.module import BatchMetric
from metric_commons.text.extraction.extraction import summarize_extracted
from metric_commons.text.transcripts.edit_rate import (
    RateAverage,
    Unit,
    error_alignments,
    error_statistics,
)
from metric_commons.text.transcripts.stock_error_rates import cer, wer
from metric_commons.text.transcripts.transcript_normalizers import TranscriptNormalizer

_CITATION = """\
@inproceedings{morris-etal-2004-wer,
    title = "From {WER} and {RIL} to {MER} and {WIL}: improved evaluation measures for connected
        speech recognition",
    author = "Morris, Andrew Cameron and Maier, Viktoria and Green, Phil",
    booktitle = "Proceedings of Interspeech 2004",
    year = "2004",
    doi = "10.21437/Interspeech.2004-668",
}
"""


class ErrorRate(BatchMetric):
    """Error rates of transcripts.

    Args:
        predictions (list of str): one transcript per row.
        references (list of str): the spoken words, one text per row.
        unit: "word", for words between spaces, or "character", for code points, including spaces.
        normalizer: the normalizer of both sides: "none", "jiwer_standardize" (lower case, English
            contractions expanded, no <unk> and [noise]), "whisper_english" or "whisper_basic"
            (those of openai-whisper), "open_asr" (that of the Open ASR Leaderboard), a normalizer
            of qa_em, or a function from str to str.
        merge_compounds: whether words that differ only in how they are divided, such as "web site"
            and "website", are joined, as the Open ASR Leaderboard does.
        average: "pooled" divides the errors of all rows by the number of all words; "mean" is the
            mean of the rates of rows.
        alignments: also return the alignment of each row, under `alignments`: segments of
            [kind, first word and end in the reference, first word and end in the prediction].

    Returns:
        wer, or cer (float): errors per word, or character, of the references; lower is better;
            it may exceed 1.0.
        mer (float): the proportion of errors among hits and errors; lower is better.
        wip, wil (float): information preserved, the proportion of hits among the reference words
            times that among the predicted words, higher is better; and lost, 1 - wip.
        hits, substitutions, deletions, insertions (int): of all rows.
        unparsed (float): with `thoughts` or `extract`, the rate of predictions without an answer.
        alignments, per_example, confidence_interval, groups (dict): if requested.

    Examples:
        >>> error_rate = evaluate.load("./metrics/error_rate")
        >>> result = error_rate.compute(
        ...     predictions=["the cat sat mat"], references=["the cat sat on the mat"]
        ... )
        >>> round(result["wer"], 4), result["hits"], result["deletions"]
        (0.3333, 4, 2)
        >>> error_rate.compute(predictions=["colour"], references=["color"], unit="character")[
        ...     "cer"
        ... ]
        0.2
    """

    score_kind = "sums"
    stock_formats = {"wer": wer, "cer": cer}
    score_ranges = {"mer": (0, 1), "wil": (0, 1), "wip": (0, 1), "*": (0, None)}
    lower_is_better = frozenset(
        {"wer", "cer", "mer", "wil", "substitutions", "deletions", "insertions"}
    )

    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=__doc__,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=datasets.Features({"predictions": text, "references": text}),
            license="Apache-2.0",
            reference_urls=["https://github.com/jitsi/jiwer"],
        )

    def _compute(
        self,
        *,
        predictions,
        references,
        unit: Unit = "word",
        normalizer: TranscriptNormalizer = "none",
        merge_compounds: bool = False,
        average: RateAverage = "pooled",
        alignments: bool = False,
        **answers: summarize_extracted,
    ):
        texts = {"unit": unit, "normalizer": normalizer, "merge_compounds": merge_compounds}
        aligned = {}

        def statistics(predictions, references):
            if alignments:
                aligned["alignments"] = error_alignments(predictions, references, **texts)
            return error_statistics(predictions, references, average=average, **texts)

        result = summarize_extracted(statistics, predictions, references, **answers)
        result.update(aligned)
        return result
