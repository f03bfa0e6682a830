r"""Families of notations: texts that are equal, and near misses of them.

A line with # names a family, = precedes equal texts, and ! near misses of all of them; two spaces
separate texts. <K>, <M> and <N> are different numbers from 2 to 9, which are drawn.
"""

import random
from itertools import permutations, product

import pytest

from metric_commons.mathematics import equivalent
from tests.spec import CASES

FAMILIES = (CASES / "families.txt").read_text("utf-8")


def families():
    """The texts that are equal, and the near misses, of each family."""
    found = {}
    for line in FAMILIES.strip().splitlines():
        mark, texts = line.split(" ", 1)
        if mark == "#":
            found[texts] = equal, near = [], []
        else:
            (equal if mark == "=" else near).extend(texts.split("  "))
    return found


# Units are not converted, and dates not compared: their equal spellings are undecided.
NOT_COMPARED = ("times of day", "durations", "feet and inches", "minutes of arc", "days", "cents")


@pytest.mark.parametrize(("family", "texts"), families().items(), ids=families())
def test_equal_spellings_are_equal_and_near_misses_are_not(family, texts):
    equal, near = texts
    draw = random.Random(equal[0])
    undecided = pairs = 0
    for _ in range(5):
        numbers = dict(zip(("<K>", "<M>", "<N>"), draw.sample(range(2, 10), 3), strict=True))
        same, other = ([filled(text, numbers) for text in texts] for texts in (equal, near))
        for left, right in permutations(same, 2):
            verdict = equivalent(left, right)
            pairs += 1
            undecided += verdict is None
            assert verdict is not False, (left, right)
        for left, right in product(same, other):
            assert not equivalent(left, right), (left, right)
            assert not equivalent(right, left), (left, right)
    assert undecided <= 0.12 * pairs or family in NOT_COMPARED, undecided


def filled(text, numbers):
    for letter, number in numbers.items():
        text = text.replace(letter, str(number))
    return text


def test_indices_with_other_names_are_not_different():
    assert equivalent(r"x=\frac{\pi}{3}+2\pi n", r"x=\frac{\pi}{3}+2\pi k") is None
    assert equivalent(r"\frac{\pi}{3}+2\pi n", r"x=\frac{\pi}{3}+2\pi k") is None
    assert equivalent(r"8 \mod 10", "x=10k+8") is None


@pytest.mark.parametrize(
    "family",
    ["series", "sums that go on", "sequences", "several equations", "labels", "any integer"],
)
def test_what_is_only_proved_equal_is_never_different(family):
    numbers = dict(zip(("<K>", "<M>", "<N>"), (2, 3, 4), strict=True))
    equal, near = ([filled(text, numbers) for text in texts] for texts in families()[family])

    assert {equivalent(left, right) for left, right in product(equal, near)} == {None}
