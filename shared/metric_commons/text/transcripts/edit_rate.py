"""Error rates of transcripts: the rates of words or characters that were transcribed wrongly.

The scores equal those of jiwer 4. Errors are substitutions S, deletions D and insertions I; with
hits H, the reference has N = H + S + D words and the prediction M = H + S + I. Then

    WER = (S + D + I) / N,   MER = (S + D + I) / (H + S + D + I),   WIP = H / N * H / M,
    WIL = 1 - WIP

(Morris, Maier and Green, From WER and RIL to MER and WIL: improved evaluation measures for
connected speech recognition, 2004). CER is the same as WER, but with characters.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.domains import checked_options
from ...statistics.intervals.sum_distributions import SumFunction, SumRatio, SumScore
from ...statistics.intervals.sums import RowStatistics
from ..tokens.normalizers import normalizer_function, squeeze
from ..tokens.references import check_columns
from ..tokens.segments import bounded_ranges
from ..tokens.tokens import byte_rule, tokenize
from ..tokens.word_codes import Sequences, token_codes, word_sequences
from .edit_distance import Items, alignment, edit_counts
from .transcript_normalizers import TRANSCRIPT_NORMALIZERS, TranscriptNormalizer, merged_compounds

Unit = Literal["word", "character"]
RateAverage = Literal["pooled", "mean"]

_CHARACTERS = 1_000_000  # per block
_KINDS = ("hits", "substitutions", "deletions", "insertions")

_SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)  # all white space but " "
_WHITE_SPACE = re.compile(r"\s\s+")
_KEEP = byte_rule(squeeze)


def transcript_words(text: str) -> list[str]:
    r"""Return the words of a text, as in jiwer.

    Two or more white-space characters become one space, those at the ends are removed, and only
    spaces separate words: a single tab, line break or no-break space does not.

    >>> transcript_words("a\tb  c\n")
    ['a\tb', 'c']
    """
    return [word for word in _WHITE_SPACE.sub(" ", text).strip().split(" ") if word]


@checked_options
def error_statistics(
    predictions: Sequence[str],
    references: Sequence[str],
    *,
    unit: Unit = "word",
    normalizer: TranscriptNormalizer = "none",
    merge_compounds: bool = False,
    average: RateAverage = "pooled",
) -> RowStatistics:
    """Return the hits, substitutions, deletions and insertions of each row.

    The rates of a row are as in `error_rates`. With "pooled", the rates over all rows are
    computed from the sums; with "mean", they are the means of the rates of the rows.

    Args:
        predictions: one transcript per row.
        references: the spoken texts.
        unit: "word" or "character". Characters are code points, including spaces between words.
        normalizer: applied to both sides first: a name in `TRANSCRIPT_NORMALIZERS`, or a function.
        merge_compounds: whether words that differ only in how they are divided are joined.
        average: "pooled" or "mean".

    Raises:
        ValueError: an option is not valid.

    >>> rows = error_statistics(["the cat sat"], ["the cat sat down"])
    >>> rows.result()["wer"], error_statistics(["cat"], ["cut"], unit="character").result()["cer"]
    (0.25, 0.3333333333333333)
    """
    check_columns(predictions, references)
    counts = [np.zeros((0, len(_KINDS)), np.int64)]
    sizes = np.fromiter(map(len, predictions), np.int64, len(predictions))
    sizes += np.fromiter(map(len, references), np.int64, len(references))
    for start, stop in bounded_ranges(sizes, _CHARACTERS):
        block = predictions[start:stop], references[start:stop]
        guesses, targets = _normalized(*block, normalizer, merge_compounds)
        texts = [*targets, *guesses]
        items = _words(texts) if unit == "word" else list(map(str.strip, texts))
        counts.append(edit_counts(items[: stop - start], items[stop - start :]))
    values = np.concatenate(counts)
    rates = partial(error_rates, unit=unit)
    name = _rate_name(unit)

    def row_scores(sums: Mapping[str, float]) -> dict[str, float]:
        return {name: float(rates(sums)[name])}

    if average == "pooled":
        return RowStatistics(
            _KINDS,
            values,
            rates,
            row_scores,
            distributions=partial(_pooled_distributions, name),
        )
    names = [key for key, rate in rates(dict.fromkeys(_KINDS, 0)).items() if key not in _KINDS]
    rates_of_rows = [rates(dict(zip(_KINDS, row, strict=True))) for row in values.tolist()]
    means = np.array([[row[key] for key in names] for row in rates_of_rows], np.float64)
    columns: Floats = np.column_stack(
        [values, means.reshape(len(values), len(names)), np.ones(len(values))]
    )

    def mean_rates(sums: Mapping[str, float]) -> dict[str, Any]:
        rows = sums["rows"]
        means = {key: sums[key] / rows if rows else 0.0 for key in names}
        return means | {kind: int(sums[kind]) for kind in _KINDS}

    distributions = {
        key: SumRatio({key: 1}, {"rows": 1}, None if key == name else 1.0) for key in names
    }
    return RowStatistics(
        (*_KINDS, *names, "rows"),
        columns,
        mean_rates,
        row_scores,
        distributions=lambda statistics: {**distributions},
    )


def _pooled_distributions(name: str, statistics: Sequence[str]) -> dict[str, SumScore]:
    """Return how rates follow from sums: WER and MER are ratios, WIP and WIL products of two."""
    errors = dict.fromkeys(_KINDS[1:], 1.0)
    relevant = dict.fromkeys(_KINDS[:3], 1.0)

    def preserved(sums: Mapping[str, Floats]) -> Floats:
        hits, substitutions, deletions, insertions = (sums[kind] for kind in _KINDS)
        spoken, heard = hits + substitutions + deletions, hits + substitutions + insertions
        return np.where(hits > 0, hits / spoken * (hits / heard), 0.0)

    def all_wrong(sums: Mapping[str, float]) -> dict[str, float]:
        return {"hits": 0.0, "substitutions": sums["hits"] + sums["substitutions"]}

    def all_right(sums: Mapping[str, float]) -> dict[str, float]:
        return dict.fromkeys(_KINDS, 0.0) | {"hits": sum(sums[kind] for kind in relevant)}

    return {
        name: SumRatio(errors, relevant, None),
        "mer": SumRatio(errors, dict.fromkeys(_KINDS, 1.0)),
        "wil": SumFunction(lambda sums: 1 - preserved(sums), relevant, all_right, all_wrong),
        "wip": SumFunction(preserved, relevant, all_wrong, all_right),
    }


def _rate_name(unit: Unit) -> str:
    return "wer" if unit == "word" else "cer"


def error_rates(sums: Mapping[str, float], *, unit: Unit = "word") -> dict[str, Any]:
    """Return the error rates, together with hits, substitutions, deletions and insertions.

    If the reference has no words, WER is the number of insertions, as in jiwer; MER is then 1, or 0
    if the prediction has no words either.

    >>> silence = {"hits": 0, "substitutions": 0, "deletions": 0, "insertions": 2}
    >>> rates = error_rates(silence)
    >>> rates["wer"], rates["mer"], rates["wip"]
    (2.0, 1.0, 0.0)
    """
    hits, substitutions, deletions, insertions = (int(sums[kind]) for kind in _KINDS)
    errors = substitutions + deletions + insertions
    relevant, predicted = hits + substitutions + deletions, hits + substitutions + insertions
    if relevant:
        rate, match_error = errors / relevant, errors / (errors + hits)
        preserved = (hits / relevant) * (hits / predicted) if predicted else 0.0
    else:
        rate, match_error = float(insertions), float(predicted > 0)
        preserved = 1.0 - match_error
    return {
        _rate_name(unit): rate,
        "mer": match_error,
        "wil": 1 - preserved,
        "wip": preserved,
        "hits": hits,
        "substitutions": substitutions,
        "deletions": deletions,
        "insertions": insertions,
    }


@checked_options
def error_alignments(
    predictions: Sequence[str],
    references: Sequence[str],
    *,
    unit: Unit = "word",
    normalizer: TranscriptNormalizer = "none",
    merge_compounds: bool = False,
) -> list[list[list[Any]]]:
    """Return the runs of hits and of each kind of error for each row, as in `alignment`.

    >>> error_alignments(["the cat"], ["cat"])
    [[['insert', 0, 0, 0, 1], ['equal', 0, 1, 1, 2]]]
    """
    check_columns(predictions, references)
    split = transcript_words if unit == "word" else str.strip
    return [
        list(map(list, alignment(split(reference), split(prediction))))
        for prediction, reference in zip(
            *_normalized(predictions, references, normalizer, merge_compounds), strict=True
        )
    ]


def _normalized(
    predictions: Sequence[str],
    references: Sequence[str],
    normalizer: TranscriptNormalizer,
    merge_compounds: bool,
) -> tuple[Sequence[str], Sequence[str]]:
    """Return both sides, normalized."""
    normalize = normalizer_function(normalizer, TRANSCRIPT_NORMALIZERS)
    if normalizer != "none":
        predictions, references = (
            list(map(normalize, predictions)),
            list(map(normalize, references)),
        )
    if merge_compounds:
        pairs = [merged_compounds(*pair) for pair in zip(predictions, references, strict=True)]
        predictions, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return predictions, references


class AlignedTexts(NamedTuple):
    """Aligned parts of reference and prediction: "equal", "substitute", "delete" or "insert"."""

    kind: str
    reference: str
    prediction: str


def aligned_texts(
    prediction: str,
    reference: str,
    *,
    unit: Unit = "word",
    normalizer: TranscriptNormalizer = "none",
    merge_compounds: bool = False,
) -> list[AlignedTexts]:
    """Return the runs of hits and errors of a row, as texts.

    >>> [tuple(part) for part in aligned_texts("a cat sat", "the cat sat down")]
    [('substitute', 'the', 'a'), ('equal', 'cat sat', 'cat sat'), ('delete', 'down', '')]
    """
    split = transcript_words if unit == "word" else str.strip
    guesses, targets = _normalized([prediction], [reference], normalizer, merge_compounds)
    target, guess = split(targets[0]), split(guesses[0])
    space = " " if unit == "word" else ""
    return [
        AlignedTexts(kind, space.join(target[first:end]), space.join(guess[start:stop]))
        for kind, first, end, start, stop in alignment(target, guess)
    ]


def _words(texts: list[str]) -> Items:
    """Return the `transcript_words` of each text, as characters or integers."""
    joined = "".join(texts)
    if any(space in joined for space in _SPACES):  # not only spaces separate words
        return word_sequences(list(map(transcript_words, texts))).split()
    tokens = tokenize(texts, _KEEP)
    return Sequences(token_codes(tokens), tokens.counts).split()
