"""Numbers, texts and labels with the structure that breaks kernels."""

from tests.tables import tabled
from tests.texts import adversarial_text

# A kernel has seams at its first and last row, and where its fast path begins.
ROW_COUNTS = (1, 2, 3, 5, 10, 11, 11, 12, 25)

ARTICLES = ("the", "a", "An the", "THE")
PUNCTUATION = ("?", "...", "-- !", "'s", ".,")
SENTENCES = tabled(__file__, "SENTENCES")


def text(chance):
    """A text as a file may hold it: empty, only articles, only punctuation, plain or strange."""
    kind = chance.random()
    if kind < 0.15:
        return chance.choice(("", "", " ", "\n"))
    if kind < 0.25:
        return chance.choice(ARTICLES)
    if kind < 0.35:
        return chance.choice(PUNCTUATION)
    if kind < 0.65:
        words = chance.choice(SENTENCES).split(" ")
        return " ".join(chance.choices(words, k=chance.randrange(1, 9)))
    return "".join(c for c in adversarial_text(chance) if not "\ud800" <= c <= "\udfff")


def near_text(chance, original):
    """A text that is often nearly the original."""
    kind = chance.random()
    if kind < 0.25:
        return text(chance)
    if kind < 0.45:
        return original
    if kind < 0.55:
        return original.swapcase()
    words = original.split(" ")
    chance.shuffle(words)
    return " ".join(words[: chance.randrange(len(words) + 1)])


def numbers(chance, rows, *, positive=False, whole=False):
    """A column of numbers: constant, with ties, far from zero, of several sizes, or plain."""
    offset = chance.choice((0, 0, 1, 3, 10**9, 10**12 if not whole else 2**53))
    kind = chance.randrange(5)
    if whole or kind == 0:
        steps = [chance.randrange(4) for _ in range(rows)]
    elif kind == 1:
        steps = [chance.choice((1.0, 1.5, 2.0, 3.5)) for _ in range(rows)]
    elif kind == 2:
        steps = [chance.random()] * rows
    elif kind == 3:
        steps = [chance.random() * 10.0 ** chance.randrange(-8, 8) for _ in range(rows)]
    else:
        steps = [chance.gauss(0, 1) for _ in range(rows)]
    column = [offset + step for step in steps]
    if positive:
        return [abs(number) + 0.25 for number in column]
    return column if whole else list(map(float, column))


def scores(chance, rows):
    """Scores from 0 to 1, some of them equal, 0 or 1."""
    kind = chance.randrange(4)
    if kind == 0:
        return [chance.choice((0.0, 0.25, 0.5, 1.0)) for _ in range(rows)]
    if kind == 1:
        return [chance.random()] * rows
    return [chance.random() for _ in range(rows)]


def classes(chance, rows, names):
    """Labels: one class alone, two, or all of them."""
    return chance.choices(names[: chance.randrange(1, len(names) + 1)], k=rows)


def clusters(chance, rows):
    """Labels of unequal clusters: one of many rows, several of one."""
    kind = chance.randrange(4)
    if kind == 0:
        return ["one"] * rows
    if kind == 1:
        return list(range(rows))
    return [
        chance.choice(("large", "large", "large", "small", row)) for row in map(str, range(rows))
    ]


def with_empty_ends(chance, column, empty):
    """A column of which the rows at the start, in the middle or at the end are empty."""
    column, rows = list(column), len(column)
    start = chance.choice((0, 0, rows // 2, max(rows - 3, 0), max(rows - 1, 0)))
    for row in range(start, min(start + chance.randrange(1, 4), rows)):
        column[row] = empty
    return column
