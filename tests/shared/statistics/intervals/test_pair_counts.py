import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.statistics.arithmetic.rank_correlations import PairedScores, smaller_before

values = st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 0.5, 1.0, 1e9, 1e9 + 1])
rows = st.lists(st.tuples(values, values), min_size=1, max_size=40)


@given(rows)
def test_counts_are_those_of_all_pairs(rows):
    scores = PairedScores(*np.array(rows).T)
    systems = list(zip(scores.estimated.tolist(), scores.true.tolist(), strict=True))

    assert sorted(systems) == sorted(rows)
    for index, (estimated, true) in enumerate(systems):
        signs = [(np.sign(e - estimated) if e != estimated else 0, (t > true) - (t < true))
                 for e, t in systems]  # fmt: skip
        assert scores.agreement[index] == sum(first * second for first, second in signs)
        assert scores.estimated_pairs[index] == sum(first != 0 for first, _ in signs)
        assert scores.true_pairs[index] == sum(second != 0 for _, second in signs)


@given(rows, st.booleans())
def test_neighbours_are_those_of_all_pairs(rows, by_true):
    scores = PairedScores(*np.array(rows).T)
    sides = [scores.estimated.tolist(), scores.true.tolist()]
    systems = list(zip(*(sides[::-1] if by_true else sides), strict=True))
    found = np.stack(
        scores.neighbours(scores.by_true if by_true else scores.by_estimated), axis=1
    ).tolist()

    assert found == [
        [
            sum(other > score for other, _ in systems),
            sum(other == score for other, _ in systems) - 1,
            sum(other > score and second > judged for other, second in systems),
            sum(other == score and second > judged for other, second in systems),
        ]
        for score, judged in systems
    ]


@given(st.lists(values, max_size=70))
def test_smaller_values_before_each(numbers):
    expected = [sum(x < y for x in numbers[:i]) for i, y in enumerate(numbers)]

    ranks = np.unique(numbers, return_inverse=True)[1]
    assert smaller_before(ranks).tolist() == expected
