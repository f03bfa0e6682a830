"""One prediction, one or several references."""

from collections.abc import Iterator, Sequence
from math import fsum
from typing import Literal, NamedTuple, get_args

import numpy as np

from ..numbers.arrays import Floats, Integers
from ..numbers.checks import RowError, check_choice

Aggregation = Literal["max", "mean"]  # of the references of a row

_CHARACTERS = 100_000  # of a block: what it is made into then stays in the processor's cache
_ROWS = 4096


class Block(NamedTuple):
    """Some rows as one flat list of texts: of each row the prediction, then its references."""

    texts: list[str]
    sizes: Integers  # texts of each row, so 1 + the number of references; shape (rows,)
    heads: Integers  # index of each row's prediction in `texts`; shape (rows,)
    tails: Integers  # index of each reference in `texts`; shape (references,)
    owners: Integers  # for each reference the index of its row's prediction


def blocks(predictions: Sequence[str], references: Sequence[str | list[str]]) -> Iterator[Block]:
    """The rows in order, in blocks bounded by rows and by characters.

    A reference may be a string or a list of strings, row by row.

    Raises:
        ValueError: a row has an empty list of references.

    >>> [block.texts for block in blocks(["a", "b"], ["x", ["y", "z"]])]
    [['a', 'x', 'b', 'y', 'z']]
    >>> list(blocks(["a", "b"], [["x"], []]))
    Traceback (most recent call last):
    ValueError: references[1] is empty; every row needs at least one reference
    """
    start, rows = 0, 256
    while start < len(predictions):
        block = _block(predictions, references, start, start + rows)
        rows = len(block.sizes)
        characters = sum(map(len, block.texts)) + 1
        fitting = rows * _CHARACTERS // characters
        if fitting >= rows // 4 or rows == 1:  # else too long to be worked on as a whole
            yield block
            start += rows
        rows = min(max(fitting, 1), _ROWS)


def _block(
    predictions: Sequence[str], references: Sequence[str | list[str]], start: int, stop: int
) -> Block:
    accepted = references[start:stop]
    if not set(map(type, accepted)) <= {list}:
        accepted = [[r] if isinstance(r, str) else r for r in accepted]
    counts = np.fromiter(map(len, accepted), np.int64, len(accepted))
    if not counts.all():
        row = start + int(np.argmin(counts))
        raise no_reference(row)
    texts: list[str] = []
    for prediction, of_row in zip(predictions[start:stop], accepted, strict=True):
        texts.append(prediction)
        texts += of_row
    heads = np.cumsum(counts + 1) - (counts + 1)
    owners = np.repeat(heads, counts)
    tails = np.arange(owners.size) + np.repeat(np.arange(1, counts.size + 1), counts)
    return Block(texts, counts + 1, heads, tails, owners)


def no_reference(row: int) -> ValueError:
    """What to raise for a row with an empty list of references."""
    return RowError("references", row, "is empty; every row needs at least one reference")


def check_aggregation(value: str) -> None:
    """`value` names a way to bring the references of a row together.

    >>> check_aggregation("min")
    Traceback (most recent call last):
    ValueError: reference_aggregation must be one of 'max', 'mean', got 'min'
    """
    check_choice("reference_aggregation", value, get_args(Aggregation))


def best(scores: Floats, references: Integers) -> Integers:
    """For each row the index of its highest score, the first of equals.

    Args:
        scores: one a reference, row after row.
        references: how many of them each row has, at least one.

    >>> best(np.array([0.5, 1.0, 1.0, 0.0]), np.array([3, 1])).tolist()
    [1, 3]
    """
    starts = np.cumsum(references) - references
    highest = np.flatnonzero(scores == np.repeat(np.maximum.reduceat(scores, starts), references))
    return highest[np.searchsorted(highest, starts)]


def mean(scores: Floats, references: Integers) -> Floats:
    """For each row the mean of its scores; exactly rounded sums, so their order cannot show.

    >>> mean(np.array([0.5, 1.0, 1.0]), np.array([2, 1])).tolist()
    [0.75, 1.0]
    """
    values = scores.tolist()
    ends = np.cumsum(references).tolist()
    starts = [0, *ends[:-1]]
    return np.array(
        [fsum(values[i:j]) / (j - i) for i, j in zip(starts, ends, strict=True)], dtype=np.float64
    )
