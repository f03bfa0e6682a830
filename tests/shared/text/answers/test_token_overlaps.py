"""The longest common run against the table of all runs."""

import random

from metric_commons.text.answers.token_overlaps import longest_common_run


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


def test_runs_are_those_of_the_table():
    chance = random.Random(1)
    texts = drawn_texts(chance, 60)
    for _ in range(400):
        pair = chance.choices(texts, k=2)

        assert longest_common_run(*pair) == run_by_table(*pair)
