"""The results beside their definitions, on scores that are easy to get wrong."""

import math
import tracemalloc
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.judging.sampling import multiple_choice
from metric_commons.judging.sampling.multiple_choice import LengthNormalization, Ties, choice_scores
from metric_commons.statistics.arguments.checks import RowError
from tests.tables import by_table

INF = math.inf
TIES = get_args(Ties)
FIELDS = {  # normalization -> what it needs beside the scores
    "none": None,
    "character": "length",
    "token": "length",
    "byte": "length",
    "unconditional": "unconditional",
}


# The definitions, with 50 digits


def mc1(scores, truth, ties):
    best = max(scores)
    top = [label for score, label in zip(scores, truth, strict=True) if score == best]
    return {
        "first": top[0],
        "optimistic": max(top),
        "pessimistic": min(top),
        "expected": Fraction(sum(top), len(top)),
    }[ties]


def mc2(scores, truth):
    with localcontext(prec=50):
        top = Decimal(max(scores))
        masses = [exp(Decimal(score) - top) if score > -INF else Decimal(0) for score in scores]
        true = [mass for mass, label in zip(masses, truth, strict=True) if label]
        return sum(true) / sum(masses)


@cache
def exp(exponent):
    return exponent.exp()


def mc3(scores, truth):
    false = {score for score, label in zip(scores, truth, strict=True) if not label}
    true = [score for score, label in zip(scores, truth, strict=True) if label]
    return Fraction(sum(all(score > bound for bound in false) for score in true), len(true))


def check(rows, labels, ties="first"):
    """All results are those of the definitions: MC1 and MC3 exactly, MC2 within 1e-12 of itself."""
    results = choice_scores(rows, labels, ties=ties)
    for row, (scores, truth) in enumerate(zip(rows, labels, strict=True)):
        assert results.mc1[row] == float(mc1(scores, truth, ties))
        assert results.mc3[row] == float(mc3(scores, truth))
        exact = mc2(scores, truth)
        # Below 1e-307 floats have fewer digits; there it is a few units of the smallest one.
        error = abs(Decimal(float(results.mc2[row])) - exact)
        assert error <= max(exact * Decimal("1e-12"), Decimal(4) * Decimal("5e-324"))
        assert 0 <= results.mc2[row] <= 1


def exactly(scores):
    return [column.tolist() for column in scores]


log_likelihoods = st.one_of(
    st.floats(-60, 0),
    st.floats(-1100, -990),
    st.sampled_from([-1000.0, -1000.0, -1.0, 0.0, -0.0, -745.0, -746.0, -708.5, -1453.0]),
    st.floats(max_value=1.7976931348623157e308, allow_nan=False),
    st.just(-INF),
)


@st.composite
def questions(draw, most=12):
    """Scores of which one is not -inf, and labels of which one is true."""
    options = draw(st.lists(st.tuples(log_likelihoods, st.booleans()), min_size=1, max_size=most))
    scores, truth = ([*column] for column in zip(*options, strict=True))
    truth[draw(st.integers(0, len(truth) - 1))] = True
    if max(scores) == -INF:
        scores[draw(st.integers(0, len(scores) - 1))] = draw(st.floats(-1e3, 1e3))
    return scores, [int(label) for label in truth]


tables = st.lists(questions(), min_size=1, max_size=8).map(lambda rows: zip(*rows, strict=True))


@pytest.mark.long
@given(tables, st.sampled_from(TIES))
def test_results_are_as_defined(table, ties):
    check(*map(list, table), ties)


@pytest.mark.long
@given(tables, st.integers(1, 20))
def test_a_row_does_not_depend_on_the_others(table, options):
    rows, labels = map(list, table)
    together = exactly(choice_scores(rows, labels))
    alone = [choice_scores([row], [truth]) for row, truth in zip(rows, labels, strict=True)]
    assert exactly(np.concatenate(alone, axis=1)) == together
    backwards = exactly(choice_scores(rows[::-1], labels[::-1]))
    assert [column[::-1] for column in backwards] == together
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiple_choice, "_BLOCK", options)
        assert exactly(choice_scores(rows, labels)) == together


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint8, np.bool_, np.float64])
def test_arrays_are_rows(dtype):
    chance = np.random.default_rng(0)
    scores, truth = -chance.gamma(2, 12, (50, 7)), chance.random((50, 7)) < 0.4
    truth[:, 3] = True
    expected = exactly(choice_scores(scores.tolist(), truth.tolist()))
    assert exactly(choice_scores(scores, truth.astype(dtype))) == expected
    assert exactly(choice_scores(scores.copy("F"), truth.astype(dtype))) == expected
    assert exactly(choice_scores(scores, truth.tolist())) == expected
    assert exactly(choice_scores(scores.tolist(), truth.astype(dtype))) == expected
    single = scores.astype(np.float32)
    assert exactly(choice_scores(single, truth)) == exactly(choice_scores(single * 1.0, truth))


# Scores that break other implementations


@by_table("scores, truth, mass")
def test_any_scores_have_a_mass(scores, truth, mass):
    assert choice_scores([scores], [truth]).mc2[0] == pytest.approx(mass, rel=1e-14, abs=0)
    check([scores], [truth])


@pytest.mark.long
@pytest.mark.parametrize("base", [0.0, -1000.0, -1e6])
def test_many_options_lose_nothing(base):
    chance = np.random.default_rng(1)
    scores = chance.choice(base - chance.gamma(1, 3, 500), 10_000).tolist()
    check([scores], [(chance.random(10_000) < 0.3).astype(int).tolist()])
    check([scores, scores[:9_999]], [[1] + [0] * 9_999, [0] * 9_998 + [1]])


@pytest.mark.parametrize("behind", [700.0, 740.0, 745.5, 750.0, 753.0, 760.0])
def test_options_that_are_far_behind_add_up(behind):
    # Each exp(-745.5) alone is 0 in a float64, ten thousand of them are not.
    check([[-behind] * 10_000 + [0.0]], [[1] * 10_000 + [0]])
    check([[0.0] + [-behind] * 10_000], [[1] + [0] * 10_000])


@pytest.mark.long
def test_rows_may_all_differ_in_size():
    chance = np.random.default_rng(2)
    rows = [(-chance.gamma(2, 12, size)).tolist() for size in range(1, 301)]
    check(rows, [[0] * (len(row) // 2) + [1] * ((len(row) + 1) // 2) for row in rows])


def test_no_rows_have_no_scores():
    assert exactly(choice_scores([], [])) == [[], [], []]


# Options


@pytest.mark.parametrize(
    ("truth", "first", "expected"), [([0, 1, 1, 0], 0, 1 / 2), ([1, 1, 0, 0], 1, 1)]
)
def test_ties(truth, first, expected):
    scores = [[-1.0, -1.0, -3.0, -2.0]]
    results = {ties: choice_scores(scores, [truth], ties=ties).mc1.tolist() for ties in TIES}
    pessimistic = int(expected == 1)
    assert results == {
        "first": [first],
        "optimistic": [1.0],
        "pessimistic": [pessimistic],
        "expected": [expected],
    }


def test_a_tie_among_options_of_one_kind_is_none():
    for ties in TIES:
        scores = choice_scores([[-1.0, -1.0, -2.0], [-1.0, -1.0, -2.0]], [[1, 1, 0], [0, 0, 1]])
        assert scores.mc1.tolist() == [1.0, 0.0], ties


def test_a_true_option_that_ties_is_not_above():
    assert choice_scores([[-1.0, -1.0, -0.5]], [[1, 0, 1]]).mc3.tolist() == [0.5]


def test_without_a_false_option_all_true_ones_are_above():
    assert exactly(choice_scores([[-1.0, -INF]], [[1, 1]])) == [[1.0], [1.0], [1.0]]


@pytest.mark.long
@given(st.lists(st.tuples(st.floats(-500, 0), st.integers(1, 200)), min_size=2, max_size=9))
def test_normalized_scores_are_scores(options):
    scores, lengths = ([*column] for column in zip(*options, strict=True))
    truth = [[1] + [0] * (len(scores) - 1)]
    rows = [{"score": scores, "length": lengths}]
    divided = [[score / length for score, length in options]]
    for unit in ("character", "token"):
        results = choice_scores(rows, truth, length_normalization=unit)
        assert exactly(results) == exactly(choice_scores(divided, truth))
    unconditional = [float(-length) for length in lengths]
    rows = [{"score": scores, "unconditional": unconditional}]
    results = choice_scores(rows, truth, length_normalization="unconditional")
    less = [[a - b for a, b in zip(scores, unconditional, strict=True)]]
    assert exactly(results) == exactly(choice_scores(less, truth))
    assert exactly(choice_scores(rows, truth)) == exactly(choice_scores([scores], truth))


# Errors

OK = [-1.0, -2.0]
RIGHT = [1, 0]
LENGTHS = {"score": OK, "length": [2, 3]}
UNCONDITIONAL = {"score": OK, "unconditional": [-1.0, -3.0]}


@by_table("row, truth, message")
@pytest.mark.parametrize("options", [1, 3, 1000])
def test_bad_rows_are_named(row, truth, message, options, monkeypatch):
    monkeypatch.setattr(multiple_choice, "_BLOCK", options)
    with pytest.raises(RowError) as caught:
        choice_scores([OK, [-1.0], row, OK], [RIGHT, [1], truth, RIGHT])
    assert str(caught.value).startswith(message)
    assert caught.value.row == 2


@by_table("first, row, message")
def test_the_fields_that_normalize_are_checked(first, row, message):
    for normalization, field in FIELDS.items():
        if field in (None, *first):
            with pytest.raises(RowError) as caught:
                choice_scores([first, row], [RIGHT] * 2, length_normalization=normalization)
            assert str(caught.value).startswith(message)
            assert (caught.value.column, caught.value.row) == ("predictions", 1)


def test_a_normalization_needs_its_field():
    assert FIELDS.keys() == set(get_args(LengthNormalization))
    for rows, wrong in [
        ([OK], ["character", "token", "byte", "unconditional"]),
        (np.array([OK]), ["character", "token", "byte", "unconditional"]),
        ([LENGTHS], ["unconditional"]),
        ([UNCONDITIONAL], ["character", "token", "byte"]),
    ]:
        for normalization in wrong:
            field = FIELDS[normalization]
            message = f"length_normalization='{normalization}' needs .* of 'score' and '{field}'"
            with pytest.raises(ValueError, match=message):
                choice_scores(rows, [RIGHT], length_normalization=normalization)


def test_numbers_of_rows_must_agree():
    with pytest.raises(ValueError, match="predictions has 1 rows, references has 2 rows"):
        choice_scores([OK], [RIGHT, RIGHT])


@pytest.mark.parametrize("option", ["ties", "length_normalization"])
@pytest.mark.parametrize("value", ["fist", None, True])
def test_bad_options_are_named(option, value):
    with pytest.raises(ValueError, match=f"{option} must be one of '.*', got {value!r}"):
        choice_scores([OK], [RIGHT], **{option: value})


@pytest.mark.long
def test_memory_is_bounded():
    sizes = np.tile(np.arange(2, 21), 10_000)
    ends = np.cumsum(sizes)
    scores = -np.random.default_rng(4).gamma(2, 12, int(ends[-1]))
    rows = [row.tolist() for row in np.split(scores, ends[:-1])]
    labels = [[1] * size for size in sizes.tolist()]
    tracemalloc.start()
    choice_scores(rows, labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 * 2**20  # the scores alone have 16 MB
