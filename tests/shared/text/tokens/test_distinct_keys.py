"""The table of keys against a dictionary, also of keys whose hashes meet."""

import numpy as np
import pytest

from metric_commons.text.tokens import distinct_keys as module
from metric_commons.text.tokens.distinct_keys import KEY_MULTIPLIER, distinct_keys

INVERSE = pow(int(KEY_MULTIPLIER), -1, 2**64)


def check(*columns):
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    numbers, examples = distinct_keys(*columns)

    assert numbers.tolist() == [numbers[rows.index(row)] for row in rows]
    assert numbers[examples].tolist() == list(range(len(set(rows))))
    assert (np.diff(examples) > 0).all()


@pytest.mark.parametrize("tables", [0, 1, module._TABLES])
@pytest.mark.parametrize("kinds", [1, 5, 300, 2**63])
def test_keys_have_one_number_if_and_only_if_they_are_equal(tables, kinds, monkeypatch):
    monkeypatch.setattr(module, "_TABLES", tables)
    random = np.random.default_rng(kinds % 1_000)
    for size in (0, 1, 2, 7, 600):
        first, second = random.integers(0, kinds, (2, size), dtype=np.uint64)

        check(first)
        check(first, second % np.uint64(3))


def test_keys_whose_hashes_meet_are_told_apart():
    """All belong to the same slot of the first table."""
    keys = [(7 << 32 | low) * INVERSE % 2**64 for low in range(400)]

    check(np.array(keys * 2, dtype=np.uint64))


def test_numbers_of_keys_that_lie_together_lie_together():
    parts = np.repeat(np.arange(20, dtype=np.uint64), 30)
    words = np.random.default_rng(0).integers(0, 9, parts.size, dtype=np.uint64)
    numbers = distinct_keys(words, parts).numbers

    highest = np.maximum.reduceat(numbers, np.arange(0, parts.size, 30))
    lowest = np.minimum.reduceat(numbers, np.arange(0, parts.size, 30))
    assert (highest[:-1] < lowest[1:]).all()
