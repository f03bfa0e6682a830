"""The longest common run against the table of all runs, for short and long texts."""

import random

import numpy as np
import pytest

from metric_commons.text.answers import common_runs
from metric_commons.text.answers.common_runs import longest_common_run, longest_common_runs


def run_by_table(first, second):
    runs = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, left in enumerate(first):
        for j, right in enumerate(second):
            runs[i + 1][j + 1] = (runs[i][j] + 1) * (left == right)
    return max(map(max, runs))


def drawn_texts(chance, number):
    """Texts of few kinds of tokens, many of them empty, equal, or runs of other ones."""
    texts = []
    for _ in range(number):
        kind = chance.random()
        if kind < 0.15:
            texts.append([])
        elif texts and kind < 0.5:
            other = chance.choice(texts)
            start, stop = sorted(chance.randrange(len(other) + 1) for _ in range(2))
            texts.append([*chance.choices(range(4), k=chance.randrange(3)), *other[start:stop]])
        else:
            texts.append(chance.choices(range(chance.choice([1, 2, 9])), k=chance.randrange(40)))
    return texts


@pytest.mark.parametrize("cells", [1, 64, 1 << 18])
@pytest.mark.parametrize("large", [1, 100, 1 << 22])
def test_runs_are_those_of_the_table(monkeypatch, cells, large):
    monkeypatch.setattr(common_runs, "_CELLS", cells)
    monkeypatch.setattr(common_runs, "_LARGE_TABLE", large)
    chance = random.Random(cells + large)
    texts = drawn_texts(chance, 60)
    left, right = (np.array(chance.choices(range(60), k=400)) for _ in range(2))
    codes = np.array([code for text in texts for code in text], dtype=np.int64)

    lengths = longest_common_runs(codes, np.array(list(map(len, texts))), left, right)

    expected = [run_by_table(texts[i], texts[j]) for i, j in zip(left, right, strict=True)]
    assert lengths.tolist() == expected
    assert [
        longest_common_run(texts[i], texts[j]) for i, j in zip(left, right, strict=True)
    ] == expected


@pytest.mark.slow
def test_long_texts_take_linear_time():
    """A table of these texts would have 10^10 cells."""
    text = [0, 1] * 50_000
    counts = np.array([len(text), len(text) - 1])

    lengths = longest_common_runs(np.array(text + text[1:]), counts, np.array([0]), np.array([1]))

    assert lengths.tolist() == [len(text) - 1]


def test_no_pairs_have_no_runs():
    nothing = np.empty(0, dtype=np.int64)

    assert longest_common_runs(nothing, nothing, nothing, nothing).size == 0
