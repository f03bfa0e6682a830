"""jiwer's rates of transcripts, by `error_rate`."""

import dataclasses

import jiwer
from jiwer import measures, transformations

from metric_commons.text.transcripts.edit_rate import error_alignments, error_statistics
from tests.peers.plugin import substitute, unsupported

_DEFAULTS = {"wer": transformations.wer_default, "cer": transformations.cer_default}


def _texts(value):
    return [value] if isinstance(value, str) else list(value)


def _rates(reference, hypothesis, unit, transforms):
    for transform in transforms:
        if transform is not _DEFAULTS["wer" if unit == "word" else "cer"]:
            unsupported("transforms of jiwer; ours takes a function from text to text")
    references, predictions = _texts(reference), _texts(hypothesis)
    return error_statistics(predictions, references, unit=unit).result()


def _words(key):
    def rate(
        reference,
        hypothesis,
        reference_transform=transformations.wer_default,
        hypothesis_transform=transformations.wer_default,
    ):
        transforms = (reference_transform, hypothesis_transform)
        return _rates(reference, hypothesis, "word", transforms)[key]

    rate.__name__ = key
    return rate


def cer(
    reference,
    hypothesis,
    reference_transform=transformations.cer_default,
    hypothesis_transform=transformations.cer_default,
    return_dict=False,
):
    if return_dict:
        unsupported("return_dict")
    return _rates(reference, hypothesis, "character", (reference_transform, hypothesis_transform))[
        "cer"
    ]


RATES = {key: _words(key) for key in ("wer", "mer", "wil", "wip")} | {"cer": cer}
for _module in (jiwer, measures):
    substitute(_module, **RATES)

_process = jiwer.process_words


def process_words(
    reference,
    hypothesis,
    reference_transform=transformations.wer_default,
    hypothesis_transform=transformations.wer_default,
):
    """jiwer's own output, with the numbers and the alignments of ours."""
    transforms = (reference_transform, hypothesis_transform)
    result = _rates(reference, hypothesis, "word", transforms)
    output = _process(reference, hypothesis)
    references, predictions = _texts(reference), _texts(hypothesis)
    chunks = [
        [jiwer.AlignmentChunk(*chunk) for chunk in row]
        for row in error_alignments(predictions, references)
    ]
    numbers = {key: result[key] for key in output.__dataclass_fields__ if key in result}
    return dataclasses.replace(output, alignments=chunks, **numbers)


substitute(jiwer, process_words=process_words)
