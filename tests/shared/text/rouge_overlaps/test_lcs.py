"""All pairs at once against the table that the definition fills cell by cell."""

import numpy as np
import pytest

from metric_commons.text.rouge_overlaps import lcs
from metric_commons.text.rouge_overlaps.lcs import lcs_length, lcs_lengths, lcs_rows
from metric_commons.text.tokens.word_codes import Sequences
from tests.text_oracles import lcs_table, lcs_walk
from tests.texts import sequence_pairs


@pytest.fixture(scope="module")
def pairs():
    return list(sequence_pairs(600, seed=0))


@pytest.mark.long
def test_one_pair_is_as_the_table_says(pairs):
    for first, second in pairs[:200]:
        assert lcs_length(first, second) == lcs_table(first, second)[-1][-1]
        assert lcs_rows(first, second) == lcs_walk(first, second)


def together(pairs):
    """The sequences of all pairs, of which only common items count."""
    sides = []
    for first, second in pairs:
        common = set(first) & set(second)
        sides += [[x for x in side if x in common] for side in (first, second)]
    items = np.array([item for side in sides for item in side], dtype=np.int64)
    return Sequences(items, np.array(list(map(len, sides)), np.int64))


@pytest.mark.long
@pytest.mark.parametrize("engine", ["compiled", "plain"])
def test_all_lengths_at_once(pairs, engine, monkeypatch):
    if engine == "plain":
        monkeypatch.setattr(lcs, "similarity", None)
    long = [(list(range(300)) * 3, list(range(299, -1, -1)) * 4), (list(range(70_000)), [69_999])]
    pairs = [([], []), *pairs, ([1], [2]), *long, ([], [])]

    assert lcs_lengths(together(pairs)).tolist() == [lcs_length(*pair) for pair in pairs]
    assert lcs_lengths(together([])).tolist() == []
