from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.text.transcripts import edit_distance
from metric_commons.text.transcripts.edit_distance import alignment, edit_counts

pytestmark = pytest.mark.usefixtures("edit_engine")

sequences = st.lists(st.integers(0, 3), max_size=14)
pairs = st.lists(st.tuples(sequences, sequences), min_size=1, max_size=8)


def distance(reference, prediction):
    """The number of edits, by the table of Wagner and Fischer."""
    above = list(range(len(prediction) + 1))
    for row, item in enumerate(reference, 1):
        line = [row]
        for column, heard in enumerate(prediction, 1):
            pair = above[column - 1] + (item != heard)
            line.append(min(pair, above[column] + 1, line[-1] + 1))
        above = line
    return above[-1]


def counted(reference, prediction):
    """Steps of each kind of the alignment."""
    counts = Counter()
    for kind, start, end, first, last in alignment(reference, prediction):
        counts[kind] += max(end - start, last - first)
    return [counts[kind] for kind in ("equal", "substitute", "delete", "insert")]


@pytest.mark.long
@given(pairs)
def test_many_pairs_are_counted_as_one_alone(rows):
    references, predictions = zip(*rows, strict=True)
    found = edit_counts(references, predictions).tolist()

    assert found == [counted(*row) for row in rows]


@pytest.mark.long
@given(pairs)
def test_the_edits_are_the_fewest(rows):
    references, predictions = zip(*rows, strict=True)
    counts = edit_counts(references, predictions)

    assert counts[:, 1:].sum(axis=1).tolist() == [distance(*row) for row in rows]
    assert counts[:, :3].sum(axis=1).tolist() == list(map(len, references))
    assert counts[:, [0, 1, 3]].sum(axis=1).tolist() == list(map(len, predictions))


@given(sequences, sequences)
def test_an_alignment_covers_both_sides(reference, prediction):
    row = column = 0
    for kind, start, end, first, last in alignment(reference, prediction):
        assert (start, first) == (row, column)
        pairs = zip(reference[start:end], prediction[first:last], strict=False)
        assert kind in ("delete", "insert") or {a == b for a, b in pairs} == {kind == "equal"}
        row, column = end, last
    assert (row, column) == (len(reference), len(prediction))


def test_no_pairs_have_no_counts():
    assert edit_counts([], []).shape == (0, 4)


def test_a_table_is_split_wherever_it_may_be(monkeypatch):
    monkeypatch.setattr(edit_distance, "_SPLIT_BYTES", 0)
    chance = np.random.default_rng(2)
    for rows, columns, kinds in [(65, 10, 2), (70, 10, 3), (200, 300, 2), (80, 400, 5)]:
        reference = chance.integers(0, kinds, rows).tolist()
        prediction = chance.integers(0, kinds, columns).tolist()
        _, substitutions, deletions, insertions = counted(reference, prediction)

        assert substitutions + deletions + insertions == distance(reference, prediction)


@pytest.mark.parametrize("items", [1, 0xD800, 0x110000, 1 << 30])
def test_items_may_be_any_codes_of_32_bits(items):
    rows = [[0, 2, 4, 2], [], [4, 4]], [[2, 4, 4], [0], [4, 4]]
    scaled = [[[item * items // 2 for item in row] for row in side] for side in rows]

    assert edit_counts(*scaled).tolist() == edit_counts(*rows).tolist()


def test_large_tables_are_counted_by_the_same_rule():
    reference = [i * i % 7 % 3 for i in range(1500)]
    prediction = [i * i % 11 % 3 for i in range(1400)]

    assert edit_counts([reference], [prediction]).tolist() == [counted(reference, prediction)]
