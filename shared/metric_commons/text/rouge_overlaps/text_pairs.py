"""Pairs of a prediction and one of its references, as the texts that ROUGE compares."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..tokens.references import blocks, missing_reference, reference_counts, reference_list

_CHARACTERS = 700_000  # per block

# With fewer characters, the fixed cost of numpy's calls outweighs their benefit. Even a pair of
# empty texts costs as much as some characters.
_FEW_CHARACTERS = 4_000
_CHARACTERS_A_PAIR = 50


class TextPairs(NamedTuple):
    """Some pairs as a flat list of texts: a prediction, its reference, a prediction, ..."""

    texts: list[str]
    first_pair: int  # the number of pairs before these
    references: Sequence[str | list[str]]  # of all rows

    def location(self, index: int) -> str:
        """Return the caller's name for a text of `texts`.

        >>> TextPairs(["a", "x", "b", "y", "b", "z"], 0, ["x", ["y", "z"]]).location(5)
        'references[1][1]'
        """
        pair = self.first_pair + index // 2
        ends = np.cumsum(reference_counts(self.references))
        row = int(np.searchsorted(ends, pair, side="right"))
        if index % 2 == 0:
            return f"predictions[{row}]"
        if isinstance(self.references[row], str):
            return f"references[{row}]"
        return f"references[{row}][{pair - (int(ends[row - 1]) if row else 0)}]"


def pair_blocks(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    normalizer: Callable[[str], str],
) -> Iterator[TextPairs]:
    """Yield all pairs, normalized, in blocks bounded by characters."""
    texts: list[str] = []
    first_pair = characters = 0
    for block in blocks(predictions, references):
        normalized = list(map(normalizer, block.texts))
        indices = zip(block.pair_predictions.tolist(), block.pair_references.tolist(), strict=True)
        for prediction_index, reference_index in indices:
            prediction, reference = normalized[prediction_index], normalized[reference_index]
            texts += prediction, reference
            characters += len(prediction) + len(reference)
            if characters >= _CHARACTERS:
                yield TextPairs(texts, first_pair, references)
                first_pair += len(texts) // 2
                texts, characters = [], 0
    if texts:
        yield TextPairs(texts, first_pair, references)


def few_pairs(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    normalizer: Callable[[str], str],
) -> TextPairs | None:
    """Return all pairs, normalized; None if they are too many or too long, or if there are none."""
    texts: list[str] = []
    characters = 0
    for row, (prediction, row_references) in enumerate(zip(predictions, references, strict=True)):
        normalized = normalizer(prediction)
        row_texts = reference_list(row_references)
        if not row_texts:
            raise missing_reference(row)
        for reference in map(normalizer, row_texts):
            texts += normalized, reference
            characters += len(normalized) + len(reference) + _CHARACTERS_A_PAIR
        if characters >= _FEW_CHARACTERS:
            return None
    return TextPairs(texts, 0, references) if texts else None
