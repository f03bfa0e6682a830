"""Majorities and best samples beside all subsets, drawn one by one and in every order."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.judging.sampling.answer_clusters import SampledAnswers, sampled_answers
from metric_commons.judging.sampling.votes import best_chance, majority_chance, sampling_scores

TIES = ("expected", "optimistic", "pessimistic")


def share(rights, wrongs, ties):
    if not rights:
        return Fraction(0)
    if ties == "expected":
        return Fraction(rights, rights + wrongs)
    return Fraction(ties == "optimistic" or not wrongs)


def drawn_majority(right, wrong, silent, k, ties):
    """The mean over all subsets of k samples."""
    votes = [(i, True) for i, count in enumerate(right) for _ in range(count)]
    votes += [(i, False) for i, count in enumerate(wrong) for _ in range(count)]
    votes += [None] * silent
    subsets = [*combinations(votes, k)]
    total = Fraction(0)
    for subset in subsets:
        counts = Counter(filter(None, subset))
        most = max(counts.values(), default=0)
        winners = [is_right for (_, is_right), count in counts.items() if count == most]
        total += share(winners.count(True), winners.count(False), ties)
    return float(total / len(subsets))


def drawn_best(scores, right, k, ties):
    subsets = [*combinations(zip(scores, right, strict=True), k)]
    total = Fraction(0)
    for subset in subsets:
        best = max(score for score, _ in subset)
        winners = [is_right for score, is_right in subset if score == best]
        total += share(winners.count(True), winners.count(False), ties)
    return float(total / len(subsets))


@pytest.mark.long
@given(
    st.lists(st.integers(1, 4), max_size=2),
    st.lists(st.integers(1, 4), max_size=3),
    st.integers(0, 2),
    st.data(),
)
def test_a_majority_is_that_of_all_subsets(right, wrong, silent, data):
    n = sum(right) + sum(wrong) + silent
    if not n:
        return
    k = data.draw(st.integers(1, min(n, 6)))
    for ties in TIES:
        chance = majority_chance(tuple(right), tuple(wrong), n, k, ties)
        assert chance == drawn_majority(right, wrong, silent, k, ties)


@pytest.mark.long
@given(st.lists(st.tuples(st.sampled_from([0.1, 0.5, 2.0]), st.booleans()), min_size=1, max_size=8))
def test_the_best_is_that_of_all_subsets(samples):
    scores, right = zip(*samples, strict=True)
    for k in range(1, len(samples) + 1):
        for ties in TIES:
            assert best_chance(scores, right, k, ties) == drawn_best(scores, right, k, ties)


@pytest.mark.parametrize("clusters", [[0, 1, 1, 0, 2], [0, 0, 1, 2, None], [0, 1, 2, 3, 0]])
def test_expected_ties_are_the_mean_over_all_orders_of_the_first(clusters):
    samples = [*zip(clusters, [cluster == 0 for cluster in clusters], strict=True)]
    scores = [0.5, 0.5, 0.1, 0.5, 0.2]
    problem = SampledAnswers(*map(list, zip(*samples, strict=True)))
    options = {"measures": ["maj@k", "best_of@k"]}
    expected = sampling_scores([problem], scores=[scores], **options)

    totals = Counter()
    for order in permutations(range(len(samples))):
        reordered = SampledAnswers(*map(list, zip(*(samples[i] for i in order), strict=True)))
        numbers = [[scores[i] for i in order]]
        result = sampling_scores([reordered], scores=numbers, ties="first", **options)
        totals.update({name: values[0] for name, values in result.items()})

    for name, values in expected.items():
        assert values[0] == pytest.approx(totals[name] / math.factorial(len(samples)), rel=1e-12)


@given(st.lists(st.sampled_from("ABCD"), min_size=2, max_size=12))
def test_two_votes_are_worth_one(samples):
    problems = sampled_answers([samples], ["A"])
    result = sampling_scores(problems, k=[1, 2])

    assert result["maj@2"][0] == pytest.approx(result["maj@1"][0], rel=1e-15)


def test_many_samples_take_little_time():
    chance = majority_chance((20, 2), (18, 8, 4, *[1] * 12), 64, 32)

    assert 0.5 < chance < 0.7


def test_equal_answers_are_a_cluster_whatever_their_order():
    near = lambda left, right: abs(float(left) - float(right)) < 0.15  # noqa: E731
    samples = ["1.2", "5", "1.0", "1.1", "5.0"]

    (problem,) = sampled_answers([samples], ["0.9"], equal=near)
    assert problem.clusters == [0, 1, 0, 0, 1]
    assert problem.right == [True, False, True, True, False]
    for order in permutations(range(5)):
        (reordered,) = sampled_answers([[samples[i] for i in order]], ["0.9"], equal=near)
        assert reordered.vote_counts() == problem.vote_counts() == ((3,), (2,))


def test_no_two_texts_are_compared_twice():
    pairs = []

    def equal(left, right):
        pairs.append((left, right))
        return False

    sampled_answers([["b", "a", "b", "", "c", "a"]], [["r", "s"]], equal=equal)
    assert sorted(pairs) == sorted(
        [*combinations("abc", 2), *((r, a) for a in "abc" for r in "rs")]
    )


def test_a_blank_sample_is_never_right():
    for blank in ("", " \n"):
        (problem,) = sampled_answers([[blank, "x"]], [["", blank]])
        assert problem.right == [False, False]
