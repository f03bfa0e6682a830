import itertools
import random
import tracemalloc

import pytest

from metric_commons.text.translation import translation_edit_rate
from metric_commons.text.translation.translation_edit_rate import translation_edits
from tests.shared.text.transcripts.test_edit_distance import distance


def random_words(chance, kinds, most):
    return [chance.choice("abcdefghij"[:kinds]) for _ in range(chance.randrange(most))]


def test_edits_lie_between_those_of_no_move_and_of_any():
    chance = random.Random(1)
    for _ in range(400):
        words, target = (random_words(chance, 4, 12) for _ in range(2))
        found = translation_edits(words, target)

        assert found <= distance(words, target)
        assert found >= abs(len(words) - len(target))
        assert (found == 0) == (words == target or not (words or target))


def test_one_move_is_one_edit():
    words = list("abcdefgh")
    for start, stop in itertools.combinations(range(9), 2):
        stretch, others = words[start:stop], words[:start] + words[stop:]
        for place in range(len(others) + 1):
            moved = others[:place] + stretch + others[place:]
            assert translation_edits(moved, words) <= 1


@pytest.mark.long
@pytest.mark.parametrize("few", [0, 1_000])
def test_distances_of_many_moves_are_those_of_each(few, monkeypatch):
    chance = random.Random(2)
    pairs = [tuple(random_words(chance, 5, 60) for _ in range(2)) for _ in range(25)]
    expected = [translation_edits(*pair) for pair in pairs]
    monkeypatch.setattr(translation_edit_rate, "_FEW", few)

    assert [translation_edits(*pair) for pair in pairs] == expected


@pytest.mark.long
def test_memory_grows_with_the_words_and_not_with_their_square():
    dice = random.Random(1)
    prediction, reference = ([str(dice.randrange(2000)) for _ in range(400)] for _ in range(2))
    tracemalloc.start()
    try:
        translation_edits(prediction, reference)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 10_000_000  # the whole table of all moves would take 40 MB
