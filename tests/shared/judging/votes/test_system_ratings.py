"""Ratings against slow references on votes with structure; order and parts do not matter."""

import itertools
import math
import random
import statistics

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.special import expit

from metric_commons import State, load
from metric_commons.judging import pairwise_ratings
from metric_commons.judging.votes.bradley_terry import NoFiniteRatingsError
from tests.spec import rounds
from tests.tables import by_table, tabled

NAMES = ["m0", "m1", "m2", "m3", "m4", "m5"]
LOG = {"base": math.e, "scale": 1.0}  # ratings that are log strengths, and 1000
POINTS = {"model_a": 1.0, "model_b": 0.0, "tie": 0.5}


def draw_votes(seed, *, systems=None, ties=None, most=40):
    """Votes with structure: few pairs met, few or many ties, a favourite, equal rows."""
    chance = random.Random(seed)
    size = systems or chance.randrange(2, 6)
    ties = chance.choice((0, 0.2, 0.6, 0.95)) if ties is None else ties
    pairs = list(itertools.combinations(range(size), 2))
    pairs = chance.sample(pairs, max(1, int(len(pairs) * chance.choice((0.5, 1)))))
    spread = chance.choice((0, 0.5, 2))
    rows = []
    for _ in range(chance.randrange(1, most)):
        a, b = chance.choice(pairs)
        wins = chance.random() < expit(spread * (b - a))
        verdict = "tie" if chance.random() < ties else ("model_a" if wins else "model_b")
        if chance.random() < 0.5:
            a, b = b, a
            verdict = {"model_a": "model_b", "model_b": "model_a"}.get(verdict, verdict)
        rows.append((NAMES[a], NAMES[b], verdict))
    return columns_of(rows)


def rows_of(votes):
    return list(zip(*votes.values(), strict=True))


def columns_of(rows):
    names = ("model_a", "model_b", "winner")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def systems_of(votes):
    return sorted({*votes["model_a"], *votes["model_b"]})


def probabilities(difference, parameter):
    """The probabilities of a win, a loss and a tie, by Davidson's model."""
    weights = np.exp([difference / 2, -difference / 2, math.log(parameter)])
    return weights / weights.sum()


def log_likelihood(votes, strengths, model="half", parameter=1.0):
    """The logarithm of the likelihood, vote by vote."""
    total = 0.0
    for a, b, verdict in rows_of(votes):
        difference = strengths[a] - strengths[b]
        if model == "half":
            share = POINTS[verdict]
            total += share * -math.log1p(math.exp(-difference))
            total += (1 - share) * -math.log1p(math.exp(difference))
        else:
            which = ("model_a", "model_b", "tie").index(verdict)
            total += math.log(probabilities(difference, parameter)[which])
    return total


def has_maximum(votes, model):
    """Whether no direction leads uphill forever, by linear programs.

    Along a direction in which the log strengths grow by d and the tie parameter's logarithm by t,
    the likelihood keeps rising if every verdict is one of those whose weight grows most.
    """
    systems = systems_of(votes)
    size = len(systems)
    bounds, rows = [(-1, 1)] * (size + 1), []
    if model == "half":
        bounds[size] = (0, 0)

    def add(*terms):
        row = np.zeros(size + 1)
        for index, value in terms:
            row[index] += value
        rows.append(row)  # row @ direction <= 0

    for a, b, verdict in rows_of(votes):
        i, j = systems.index(a), systems.index(b)
        if verdict == "model_b":
            i, j = j, i
        if verdict == "tie" and model == "half":
            add((i, 1), (j, -1))
            add((i, -1), (j, 1))
        elif verdict == "tie":
            add((i, 1), (j, -1), (size, -1))
            add((i, -1), (j, 1), (size, -1))
        else:
            add((i, -1), (j, 1))
            if model != "half":
                add((i, -1), (j, 1), (size, 1))
    for sign in (1, -1):
        for index in range(size + 1):
            objective = np.zeros(size + 1)
            objective[index] = -sign
            if index < size:
                objective[(index + 1) % size] += sign
            found = linprog(objective, np.array(rows), np.zeros(len(rows)), bounds=bounds)
            if found.fun < -1e-9:
                return False
    return True


@rounds(30, 60)
@pytest.mark.long
@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_there_are_ratings_where_the_likelihood_has_a_maximum(ties, rounds):
    outcomes = {True: 0, False: 0}
    for seed in range(rounds):
        votes = draw_votes(seed)
        if ties != "half" and "tie" not in votes["winner"]:
            continue  # the tie parameter is then known, and the ratings are those of "half"
        expected = has_maximum(votes, ties)
        outcomes[expected] += 1
        try:
            pairwise_ratings(**votes, ties=ties)
            exists = True
        except NoFiniteRatingsError:
            exists = False
        assert exists is expected, (seed, votes)
    assert min(outcomes.values()) > rounds // 12


@rounds(30, 60)
@pytest.mark.long
@pytest.mark.parametrize("ties", ["half", "davidson"])
def test_ratings_have_the_largest_likelihood(ties, rounds):
    tried = 0
    for seed in range(rounds):
        votes = draw_votes(seed, ties=0.3)
        try:
            result = pairwise_ratings(**votes, ties=ties, **LOG)
        except ValueError:
            continue
        tried += 1
        systems = systems_of(votes)
        parameter = result.get("tie_parameter", 1.0)
        best = log_likelihood(votes, result["ratings"], ties, parameter)
        assert statistics.fmean(result["ratings"].values()) == pytest.approx(1000, abs=1e-9)

        def negative(point, votes=votes, systems=systems):
            strengths = dict(zip(systems, point, strict=False))
            return -log_likelihood(votes, strengths, ties, math.exp(point[-1]))

        if "tie" in votes["winner"]:
            found = minimize(negative, np.zeros(len(systems) + 1), method="BFGS")
            assert best >= -found.fun - 1e-9
    assert tried > rounds // 4


def slow_sandwich(votes, strengths, clusters=None):
    """Standard errors of log strengths: sums over votes, and a generalized inverse."""
    systems = systems_of(votes)
    size = len(systems)
    information, scores = np.zeros((size, size)), {}
    for row, (a, b, verdict) in enumerate(rows_of(votes)):
        direction = np.zeros(size)
        direction[systems.index(a)], direction[systems.index(b)] = 1, -1
        expected = expit(strengths[a] - strengths[b])
        information += expected * (1 - expected) * np.outer(direction, direction)
        label = row if clusters is None else clusters[row]
        score = scores.setdefault(label, np.zeros(size))
        score += (POINTS[verdict] - expected) * direction
    middle = sum(np.outer(score, score) for score in scores.values())
    inverse = np.linalg.pinv(information, rcond=1e-9)
    return dict(zip(systems, np.sqrt(np.diag(inverse @ middle @ inverse)), strict=True))


@rounds(20, 60)
@pytest.mark.long
@pytest.mark.parametrize("clustered", [False, True])
def test_standard_errors_are_those_of_the_sandwich(clustered, rounds):
    tried = 0
    for seed in range(rounds):
        votes = draw_votes(seed)
        clusters = [row % 8 for row in range(len(votes["winner"]))]
        options = {"clusters": clusters} if clustered else {}
        try:
            result = pairwise_ratings(**votes, confidence_level=0.9, **LOG, **options)
        except ValueError:
            continue
        tried += 1
        expected = slow_sandwich(votes, result["ratings"], clusters if clustered else None)
        assert result["standard_error"] == pytest.approx(expected, rel=1e-7, abs=1e-9)
        for system, (low, high) in result["confidence_interval"]["ratings"].items():
            assert low < result["ratings"][system] < high
    assert tried > rounds // 4


CALLS = tabled(__file__, "CALLS")


@rounds(10, 25)
@pytest.mark.long
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_rows_may_come_in_any_order(call, rounds):
    tried = 0
    for seed in range(rounds):
        votes = draw_votes(seed, ties=0.3)
        call = {"confidence_level": 0.9, **call}
        try:
            expected = pairwise_ratings(**votes, **call)
        except ValueError:
            continue
        tried += 1
        rows = rows_of(votes)
        chance = random.Random(seed)
        chance.shuffle(rows)
        assert pairwise_ratings(**columns_of(rows), **call) == expected
    assert tried > rounds // 5


def test_equal_records_have_equal_ratings():
    cycle = columns_of([("a", "b", "model_a"), ("b", "c", "model_a"), ("c", "a", "model_a")])
    result = pairwise_ratings(**cycle, confidence_level=0.95)

    assert set(result["ratings"].values()) == {1000.0}
    errors = [*result["standard_error"].values()]
    assert errors == pytest.approx(errors[:1] * 3, rel=1e-12)


@rounds(10, 20)
def test_sides_may_be_swapped(rounds):
    for seed in range(rounds):
        votes = draw_votes(seed, ties=0.3)
        sides = {"model_a": "model_b", "model_b": "model_a"}
        swapped = columns_of([(b, a, sides.get(w, w)) for a, b, w in rows_of(votes)])
        try:
            expected = pairwise_ratings(**votes, confidence_level=0.9)
        except ValueError:
            continue
        result = pairwise_ratings(**swapped, confidence_level=0.9)
        for key in ("ratings", "standard_error"):
            assert result[key] == pytest.approx(expected[key], abs=1e-9)


def test_states_of_parts_give_the_result_of_all_votes(tmp_path):
    votes = draw_votes(11, systems=4, ties=0.2, most=400)
    rows = rows_of(votes)
    clusters = [f"p{row % 6}" for row in range(len(rows))]
    expected = load("pairwise_ranking").compute(**votes, clusters=clusters, confidence_level=0.9)
    states = []
    for start in range(3):
        state = State("pairwise_ranking")
        state.update(**columns_of(rows[start::3]), clusters=clusters[start::3])
        state.save(tmp_path / f"{start}.parquet")
        states.append(State.read(tmp_path / f"{start}.parquet"))
    merged, *others = states[::-1]
    merged.merge(*others)

    assert merged.result(confidence_level=0.9) == expected


@rounds(10, 30)
def test_rows_with_whole_covariates_may_come_in_any_order(rounds):
    """A win with the covariates (0, 1) is not the same vote as a loss with (1, 1)."""
    tried = 0
    for seed in range(rounds):
        chance = random.Random(seed)
        rows = rows_of(draw_votes(seed, systems=3, ties=0.2, most=300))
        covariates = [[float(chance.randrange(2)), float(chance.randrange(2))] for _ in rows]
        call = {"confidence_level": 0.9}
        try:
            expected = pairwise_ratings(**columns_of(rows), covariates=covariates, **call)
        except ValueError:
            continue
        tried += 1
        order = chance.sample(range(len(rows)), len(rows))
        moved = columns_of([rows[row] for row in order])
        covariates = [covariates[row] for row in order]
        assert pairwise_ratings(**moved, covariates=covariates, **call) == expected
    assert tried > rounds // 3


def test_covariates_are_columns_of_a_state():
    votes = draw_votes(4, systems=3, ties=0.2, most=60)
    rows, chance = rows_of(votes), random.Random(0)
    covariates = [[chance.gauss(0, 1), 1.0] for _ in rows]
    call = {"confidence_level": 0.9}
    expected = load("pairwise_ranking").compute(**votes, covariates=covariates, **call)
    first, second = (State("pairwise_ranking") for _ in "ab")
    first.update(**columns_of(rows[:7]), covariates=covariates[:7])
    second.update(**columns_of(rows[7:]), covariates=covariates[7:])
    second.merge(first)

    assert second.result(confidence_level=0.9) == expected


def test_elo_needs_the_order_of_votes():
    with pytest.raises(ValueError, match=r"^method='elo'"):
        State("pairwise_ranking", method="elo")


def test_weights_count_votes_several_times():
    votes = draw_votes(11, systems=4, ties=0.2, most=400)
    rows = rows_of(votes)
    weights = [1 + row % 3 for row in range(len(rows))]
    repeated = [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]
    weighted = pairwise_ratings(**votes, sample_weight=weights, confidence_level=0.9)
    expected = pairwise_ratings(**columns_of(repeated), confidence_level=0.9)

    for key in ("ratings", "standard_error", "win_rate", "wins", "ties"):
        assert weighted[key] == pytest.approx(expected[key], abs=1e-9)
    assert "win_rate" not in weighted["confidence_interval"]


def test_a_group_without_finite_ratings_says_why():
    votes = columns_of(
        [("a", "b", "model_a"), ("a", "b", "model_b"), ("a", "b", "model_a"), ("a", "c", "tie")]
    )
    result = pairwise_ratings(**votes, groups=["x", "x", "y", "z"])["groups"]

    assert list(result["x"]["ratings"].values()) == [1000.0, 1000.0]
    assert math.isnan(result["y"]["ratings"]["a"])
    assert result["y"]["reason"].startswith("separated: 'a' never lost a point to 'b'")
    assert result["y"]["win_rate"] == {"a": 1.0, "b": 0.0}
    assert [part["n"] for part in result.values()] == [2, 1, 1]


def test_an_anchor_shifts_all_ratings():
    votes = draw_votes(11, systems=4, ties=0.2, most=400)
    plain = pairwise_ratings(**votes)["ratings"]
    anchored = pairwise_ratings(**votes, anchor={"m1": 1114}, confidence_level=0.9)

    shift = 1114 - plain["m1"]
    assert anchored["ratings"]["m1"] == 1114
    assert anchored["ratings"] == pytest.approx({k: v + shift for k, v in plain.items()})
    low, high = anchored["confidence_interval"]["ratings"]["m1"]
    assert low < 1114 < high


@pytest.mark.long
def test_the_bootstrap_resembles_the_sandwich():
    votes = draw_votes(11, systems=4, ties=0.2, most=400)
    votes = {name: column * 3 for name, column in votes.items()}
    errors = [
        pairwise_ratings(
            **votes, confidence_level=0.9, interval=method, n_resamples=400, **options
        )["standard_error"]
        for options in ({}, {"clusters": [row // 2 for row in range(len(votes["winner"]))]})
        for method in ("bootstrap", "auto")
    ]
    assert errors[0] == pytest.approx(errors[1], rel=0.2)
    assert errors[2] == pytest.approx(errors[3], rel=0.2)


TWO = {"model_a": ["x", "x"], "model_b": ["y", "y"], "winner": ["model_a", "tie"]}


@by_table("votes, options, message")
def test_bad_votes_and_options_are_named(votes, options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        pairwise_ratings(**TWO | votes, **options)


def test_parts_that_never_met_are_named():
    votes = columns_of([("a", "b", "tie"), ("c", "d", "tie"), ("e", "c", "tie")])

    message = "^disconnected: no votes connect 'a', 'b' and 'c', 'd', 'e';"
    with pytest.raises(ValueError, match=message):
        pairwise_ratings(**votes)
    assert pairwise_ratings(**votes, method="win_rate")["win_rate"]["a"] == 0.5
