"""The paths of all pairs at once against those of one pair after another."""

import numpy as np
import pytest

from metric_commons.text.rouge_overlaps.lcs import GAP, ROWS, Matches, lcs_paths, lcs_rows
from tests.texts import sequence_pairs


def matches(pairs):
    """What `Matches` says about pairs of sequences, in the obvious way."""
    rows, columns, entries = [], [], []
    for number, (first, second) in enumerate(pairs):
        row_items = [item for item in first if item in second]
        positions = [j for j, item in enumerate(second) if item in row_items]
        rows.append(len(row_items))
        columns.append(len(positions))
        for column, j in enumerate(positions):
            following = positions[column + 1] if column + 1 < len(positions) else len(second)
            bits = {}
            for i, item in enumerate(row_items):
                if item == second[j]:
                    bits[i // ROWS] = bits.get(i // ROWS, 0) | 1 << i % ROWS
            entries += [(number, column, word, b, following - j > 1) for word, b in bits.items()]
    number, column, word, bits, gap = zip(*entries, strict=True)
    return Matches(
        *(np.array(values) for values in (rows, columns, number, column, word)),
        bits=np.array(bits, dtype=np.uint64) | np.array(gap) * GAP,
    )


@pytest.mark.long
def test_all_paths_at_once():
    pairs = list(sequence_pairs(600, seed=0))
    words = iter(lcs_paths(matches(pairs)).tolist())
    for first, second in pairs:
        positions = [i for i, item in enumerate(first) if item in second]
        rows = sum(next(words) << ROWS * n for n in range(len(positions) // ROWS + 1))

        path = sum((rows >> n & 1) << i for n, i in enumerate(positions))
        assert path == lcs_rows(first, second)


def test_a_pair_without_matches_has_no_path():
    assert lcs_paths(matches([([1], [1]), ([1], [2])])).tolist() == [1, 0]
