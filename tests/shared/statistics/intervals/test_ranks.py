"""Ranks, tiers and letters beside brute force."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.statistics import letters, rank_intervals, tiers
from tests.spec import drawn_examples


@st.composite
def tables(draw):
    systems = draw(st.integers(1, 7))
    means = draw(st.lists(st.integers(0, 5), min_size=systems, max_size=systems))
    adjusted = np.ones((systems, systems))
    for first, second in combinations(range(systems), 2):
        adjusted[first, second] = adjusted[second, first] = draw(
            st.sampled_from([0.01, 0.2, math.nan])
        )
    return means, adjusted


def groups_by_hand(means, adjusted):
    """All greatest sets of systems that do not differ, by the ranks of their members."""
    systems = range(len(means))
    equal = [
        set(members)
        for size in range(1, len(means) + 1)
        for members in combinations(systems, size)
        if not any(adjusted[a][b] < 0.05 for a, b in combinations(members, 2))
    ]
    greatest = [group for group in equal if not any(group < larger for larger in equal)]
    order = sorted(systems, key=lambda system: -means[system])
    return sorted(greatest, key=lambda group: sorted(map(order.index, group)))


@pytest.mark.long
@drawn_examples(200)
@given(tables())
def test_letters_are_the_greatest_groups_of_equals(table):
    means, adjusted = table
    expected = [""] * len(means)
    for letter, group in zip("abcdefghijklmnopqrstuvwxyz", groups_by_hand(*table), strict=False):
        for system in group:
            expected[system] += letter
    assert letters(means, adjusted) == expected


@given(tables())
def test_ranks_and_tiers(table):
    means, adjusted = table
    systems = range(len(means))
    for system, (best, worst) in enumerate(rank_intervals(means, adjusted)):
        differ = [rival for rival in systems if rival != system and adjusted[system][rival] < 0.05]
        assert best == 1 + sum(means[rival] > means[system] for rival in differ)
        assert worst == len(means) - sum(means[rival] < means[system] for rival in differ)
    remaining, expected = sorted(systems, key=lambda system: -means[system]), {}
    while remaining:
        tier = [s for s in remaining if s == remaining[0] or not adjusted[remaining[0]][s] < 0.05]
        expected |= dict.fromkeys(tier, 1 + max(expected.values(), default=0))
        remaining = [system for system in remaining if system not in tier]
    assert tiers(means, adjusted) == [expected[system] for system in systems]


def test_more_letters_than_the_alphabet_has():
    systems = 60
    symbols = letters(-np.arange(systems), np.zeros((systems, systems)))
    assert symbols[:2] + symbols[25:27] + symbols[51:54] == ["a", "b", "z", "A", "Z", ".a", ".b"]
    assert len(set(symbols)) == systems


def test_one_system_and_none():
    assert rank_intervals([0.5], [[1.0]]) == [[1, 1]]
    assert (tiers([0.5], [[1.0]]), letters([0.5], [[1.0]])) == ([1], ["a"])
    empty = np.empty((0, 0))
    assert (rank_intervals([], empty), tiers([], empty), letters([], empty)) == ([], [], [])


def test_tables_that_do_not_fit():
    with pytest.raises(ValueError, match="a row and a column for each of the means"):
        tiers([1, 2], [[1.0]])
