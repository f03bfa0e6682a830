"""All pairs at once against the table that the definition fills cell by cell."""

import random

import numpy as np
import pytest

from metric_commons.text.lcs import (
    ROWS,
    Matches,
    lengths,
    long_lengths,
    longest,
    marked,
    paths,
    traced,
)


def table(first, second):
    """Row i, column j: the length for the first i items and the first j."""
    filled = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, left in enumerate(first, start=1):
        for j, right in enumerate(second, start=1):
            if left == right:
                filled[i][j] = filled[i - 1][j - 1] + 1
            else:
                filled[i][j] = max(filled[i - 1][j], filled[i][j - 1])
    return filled


def walked(first, second):
    """The rows that a walk from the last cell meets, as rouge_score walks."""
    filled = table(first, second)
    i, j, rows = len(first), len(second), 0
    while i and j:
        if first[i - 1] == second[j - 1]:
            i, j = i - 1, j - 1
            rows |= 1 << i
        elif filled[i][j - 1] > filled[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return rows


def sequences(number, seed):
    """Pairs of sequences, some of many words of rows, with few or many different items."""
    chance = random.Random(seed)
    for _ in range(number):
        longest_side = chance.choice([4, 12, 60, 130, 300])
        kinds = range(chance.choice([2, 5, 40, 400]))
        first, second = (chance.choices(kinds, k=chance.randrange(longest_side)) for _ in range(2))
        if chance.random() < 0.5:
            second = [x if chance.random() < 0.8 else chance.choice(kinds) for x in first]
        yield first, second


def matches(pairs):
    """What `Matches` says about pairs of sequences, in the obvious way."""
    rows, columns, entries = [], [], []
    for number, (first, second) in enumerate(pairs):
        kept = [item for item in first if item in second]
        met = [j for j, item in enumerate(second) if item in kept]
        rows.append(len(kept))
        columns.append(len(met))
        for column, j in enumerate(met):
            behind = met[column + 1] if column + 1 < len(met) else len(second)
            bits = {}
            for i, item in enumerate(kept):
                if item == second[j]:
                    bits[i // ROWS] = bits.get(i // ROWS, 0) | 1 << i % ROWS
            entries += [(number, column, word, b, behind - j > 1) for word, b in bits.items()]
    number, column, word, bits, gap = zip(*entries, strict=True)
    return Matches(
        *(np.array(each) for each in (rows, columns, number, column, word)),
        bits=marked(np.array(bits, dtype=np.uint64), np.array(gap)),
    )


@pytest.fixture(scope="module")
def pairs():
    return list(sequences(600, seed=0))


def test_one_pair_is_as_the_table_says(pairs):
    for first, second in pairs[:200]:
        assert longest(first, second) == table(first, second)[-1][-1]
        assert traced(first, second) == walked(first, second)


def test_all_lengths_at_once(pairs):
    assert lengths(matches(pairs)).tolist() == [longest(*pair) for pair in pairs]


@pytest.mark.parametrize("together", [1, 7, 100])
def test_all_long_lengths_at_once(pairs, together):
    """Pairs of one word of rows and of several, beside each other and alone."""
    numbered = []
    for number, (first, second) in enumerate(pairs):
        common = set(first) & set(second)
        sides = [
            [1_000 * number + item for item in side if item in common] for side in pairs[number]
        ]
        if common:
            numbered.append(sides)

    assert len(numbered) > 400
    for start in range(0, len(numbered), together):
        some = numbered[start : start + together]
        sides = []
        for side in zip(*some, strict=True):
            sides += [np.concatenate(side), np.array(list(map(len, side)))]

        assert long_lengths(*sides).tolist() == [longest(*pair) for pair in some]


def test_a_subsequence_that_is_all_in_one_half():
    rows, columns = np.arange(400), np.concatenate((np.arange(400), np.zeros(2_000, dtype=int)))

    for second in (columns, columns[::-1].copy()):
        expected = [longest(rows.tolist(), second.tolist())]

        assert long_lengths(rows, np.array([400]), second, np.array([2_400])).tolist() == expected


def test_all_paths_at_once(pairs):
    found = iter(paths(matches(pairs)).tolist())
    for first, second in pairs:
        kept = [place for place, item in enumerate(first) if item in second]
        words = [next(found) for _ in range(len(kept) // ROWS + 1)]
        rows = sum(word << ROWS * n for n, word in enumerate(words))

        assert sum((rows >> n & 1) << place for n, place in enumerate(kept)) == traced(
            first, second
        )


def test_no_matches_at_all():
    nothing = matches([([1], [1]), ([1], [2])])

    assert lengths(nothing).tolist() == [1, 0]
    assert paths(nothing).tolist() == [1, 0]
