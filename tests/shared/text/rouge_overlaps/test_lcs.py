"""All pairs at once against the table that the definition fills cell by cell."""

import numpy as np
import pytest

from metric_commons.text.rouge_overlaps import compiled_lcs, lcs
from metric_commons.text.rouge_overlaps.compiled_lcs import compiled_lcs_lengths
from metric_commons.text.rouge_overlaps.lcs import lcs_length, lcs_lengths, lcs_rows
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
    """The arguments of `lcs_lengths`: common items alone, those of different pairs different."""
    sides = []
    for number, (first, second) in enumerate(pairs):
        common = set(first) & set(second)
        sides += [[1_000 * number + x for x in side if x in common] for side in (first, second)]
    items = np.array([item for side in sides for item in side], dtype=np.int64)
    return items, np.array(list(map(len, sides)))


@pytest.mark.parametrize("limit", ["_MASKS", "_STEP_MASKS", "_CALLS"])
@pytest.mark.parametrize("size", [0, 300, 30_000, 10_000_000])
def test_all_lengths_at_once(pairs, limit, size, monkeypatch):
    """Pairs of one machine word and of several, in batches of any size, in steps of any number."""
    monkeypatch.setattr(lcs, limit, size)

    assert lcs_lengths(*together(pairs)).tolist() == [lcs_length(*pair) for pair in pairs]


@pytest.mark.long
@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_a_few_pairs_are_batched_all_the_same(pairs, size, monkeypatch):
    monkeypatch.setattr(lcs, "_FEW_PAIRS", 0)
    for start in range(0, len(pairs), size):
        some = pairs[start : start + size]

        assert lcs_lengths(*together(some)).tolist() == [lcs_length(*pair) for pair in some]


def test_a_pair_with_many_more_columns_than_it_shares(monkeypatch):
    monkeypatch.setattr(lcs, "_FEW_PAIRS", 0)
    first, second = list(range(400)), [*range(400), *[0] * 2_000]
    pairs = [(first, second), (first, second[::-1]), (second, first), (second[::-1], first)]

    assert lcs_lengths(*together(pairs)).tolist() == [lcs_length(*pair) for pair in pairs]


def test_pairs_without_a_common_item():
    assert lcs_lengths(*together([([1], [1]), ([1], [2]), ([], [])])).tolist() == [1, 0, 0]
    assert lcs_lengths(*together([([1], [2])])).tolist() == [0]
    assert lcs_lengths(*together([])).tolist() == []


@pytest.mark.long
def test_compiled_lengths_are_the_same(pairs, monkeypatch):
    long = [(list(range(300)) * 3, list(range(299, -1, -1)) * 4), (list(range(70_000)), [69_999])]
    pairs = [([], []), *pairs, *long, ([], [])]
    columns = together(pairs)
    monkeypatch.setattr(compiled_lcs, "_CHARACTERS", 1)
    assert compiled_lcs_lengths(*columns) is None
    monkeypatch.undo()
    lengths = compiled_lcs_lengths(*columns)
    if lengths is None:
        pytest.skip("rapidfuzz is not installed")
    assert lengths.tolist() == [lcs_length(*pair) for pair in pairs]
    monkeypatch.setattr(compiled_lcs, "similarity", None)
    assert compiled_lcs_lengths(*columns) is None


def test_nothing_in_common_needs_no_compiled_path():
    assert compiled_lcs_lengths(np.empty(0, np.int64), np.zeros(4, np.int64)) is None
