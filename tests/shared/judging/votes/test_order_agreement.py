"""Correlations and overlaps against their definitions, item by item and order by order."""

import itertools
import math
import random

import numpy as np
import pytest

from metric_commons import State, load
from metric_commons.judging import ranking_agreement
from tests.spec import rounds
from tests.tables import by_table


def draw_scores(seed, most=9):
    """Scores of systems with structure: ties, offsets, constants."""
    chance = random.Random(seed)
    size = chance.randrange(2, most)
    values = chance.choice(([0.0, 1.0], [0.1, 0.2, 0.3, 7.0], [1e9, 1e9 + 1, 1e9 + 2], None))

    def column():
        return [chance.choice(values) if values else chance.random() for _ in range(size)]

    return column(), column()


def sign(number):
    return (number > 0) - (number < 0)


def slow_tau_a(x, y):
    pairs = list(itertools.combinations(range(len(x)), 2))
    return sum(sign(x[i] - x[j]) * sign(y[i] - y[j]) for i, j in pairs) / len(pairs)


def slow_accuracy(x, y):
    """The mean over pairs that y orders: 1 if x orders them alike, 0.5 if it ties them."""
    pairs = [(i, j) for i, j in itertools.permutations(range(len(x)), 2) if y[i] > y[j]]
    points = [1.0 if x[i] > x[j] else 0.5 if x[i] == x[j] else 0.0 for i, j in pairs]
    return sum(points) / len(points) if points else math.nan


def tau_ap(order, y):
    """AP correlation of an order of systems without ties."""
    shares = [
        sum(y[other] > y[system] for other in order[:place]) / place
        for place, system in enumerate(order)
        if place
    ]
    return 2 * sum(shares) / len(shares) - 1


def slow_tau_ap_a(x, y):
    """The mean over all orders of tied systems."""
    if len(set(y)) < len(y):
        return math.nan
    orders = [
        order
        for order in itertools.permutations(range(len(x)))
        if all(x[a] >= x[b] for a, b in itertools.pairwise(order))
    ]
    return sum(tau_ap(order, y) for order in orders) / len(orders)


def slow_tau_ap_b(x, y):
    def direction(walked, other):
        shares = []
        for i in range(len(walked)):
            above = [j for j in range(len(walked)) if walked[j] > walked[i]]
            if above:
                shares.append(sum(other[j] > other[i] for j in above) / len(above))
        return 2 * sum(shares) / len(shares) - 1

    if len(set(x)) == 1 or len(set(y)) == 1:
        return math.nan
    return (direction(x, y) + direction(y, x)) / 2


SLOW = {
    "kendall_tau_a": slow_tau_a,
    "pairwise_accuracy": slow_accuracy,
    "tau_ap_a": slow_tau_ap_a,
    "tau_ap_b": slow_tau_ap_b,
}


@pytest.mark.parametrize("measure", SLOW)
def test_measures_are_those_of_the_definition(measure):
    for seed in range(60):
        x, y = draw_scores(seed, most=7)
        found = ranking_agreement(x, y, measures=measure)[measure]
        assert found == pytest.approx(SLOW[measure](x, y), abs=1e-12, nan_ok=True), (x, y)


def test_equal_and_reversed_orders_correlate_with_exactly_1():
    measures = (*MEASURES[:2], *MEASURES[3:], "tau_ap_a", "tau_ap_b")
    for size in range(2, 120):
        scores = [float(score) for score in random.Random(size).sample(range(200), size)]
        for step in (1.0, -3.0):
            others = [step * score + 7 for score in scores]
            result = ranking_agreement(scores, others, measures=measures)
            assert set(result.values()) == {math.copysign(1.0, step)}, (size, result)


MEASURES = ("kendall_tau_a", "kendall_tau_b", "pairwise_accuracy", "spearman", "pearson")


@rounds(15, 40)
@pytest.mark.long
def test_the_order_of_systems_does_not_matter(rounds):
    names = (*MEASURES, "tau_ap_a", "tau_ap_b", "weightedtau")
    for seed in range(rounds):
        x, y = draw_scores(seed, most=30)
        order = random.Random(seed).sample(range(len(x)), len(x))
        call = {"measures": names, "confidence_level": 0.9}
        expected = ranking_agreement(x, y, **call)
        found = ranking_agreement([x[i] for i in order], [y[i] for i in order], **call)

        assert str(found) == str(expected)


def test_intervals_hold_the_value():
    intervals = 0
    for seed in range(60):
        x, y = draw_scores(seed, most=20)
        result = ranking_agreement(x, y, measures=MEASURES, confidence_level=0.9)
        for name, (low, high) in result["confidence_interval"].items():
            if math.isnan(low):
                assert math.isnan(result[name])
                continue
            intervals += 1
            assert low <= result[name] <= high
            assert -1 <= low <= high <= 1
    assert intervals > 50


def jackknife(x, y, measure):
    """Spearman's influences, each system left out."""
    size = len(x)
    values = [
        ranking_agreement(x[:i] + x[i + 1 :], y[:i] + y[i + 1 :], measures=measure)[measure]
        for i in range(size)
    ]
    mean = sum(values) / size
    return math.sqrt(
        sum(((size - 1) * (mean - value)) ** 2 for value in values) / size / (size - 1)
    )


def test_the_error_of_spearmans_correlation_is_near_that_of_the_jackknife():
    for seed in range(3):
        chance = random.Random(seed)
        x = [chance.choice((1.0, 2.0, 3.0, 4.0)) for _ in range(100)]
        y = [chance.random() + number / 4 for number in x]
        found = ranking_agreement(x, y, measures="spearman", confidence_level=0.9)
        expected = jackknife(x, y, "spearman")
        assert found["standard_error"]["spearman"] == pytest.approx(expected, rel=0.02)


# Rank-biased overlap


def draw_ranking(chance, items="abcdefg"):
    order = chance.sample(items, chance.randrange(1, len(items)))
    groups = []
    while order:
        size = chance.choice((1, 1, 2, 3))
        groups.append(order[:size])
        order = order[size:]
    return groups


def orders_of(ranking):
    """All orders of the items of a ranking with ties."""
    for groups in itertools.product(*(itertools.permutations(group) for group in ranking)):
        yield [item for group in groups for item in group]


def agreement_sum(first, second, p, depths):
    """The definition: the mean agreement over depths, of rankings that are long enough."""
    total = 0.0
    for depth in range(1, depths + 1):
        overlap = len(set(first[:depth]) & set(second[:depth]))
        total += p ** (depth - 1) * overlap / depth
    return (1 - p) * total


def test_bounds_are_reached_by_further_items():
    p, depths = 0.7, 120  # whose weight is below 1e-18
    for seed in range(40):
        chance = random.Random(seed)
        first, second = (next(orders_of(draw_ranking(chance))) for _ in "ab")
        result = ranking_agreement([first_groups(first)], [first_groups(second)], p=p)
        strangers = [[f"{side}{i}" for i in range(depths)] for side in "xy"]
        apart = [ranking + fill for ranking, fill in zip((first, second), strangers, strict=True)]
        assert result["rbo_min"] == pytest.approx(agreement_sum(*apart, p, depths), abs=1e-12)

        short, long = sorted((first, second), key=len)
        missing = [item for item in long if item not in short]
        fill = [f"z{i}" for i in range(depths)]
        short_filled = short + missing[: len(long) - len(short)]
        rest = [item for item in long if item not in short_filled]
        of_short = [item for item in short_filled if item not in long]
        longest = (short_filled + rest + fill, long + of_short + fill)
        assert result["rbo_max"] == pytest.approx(agreement_sum(*longest, p, depths), abs=1e-12)
        assert result["rbo_min"] <= result["rbo"] + 1e-12 <= result["rbo_max"] + 2e-12


def first_groups(items):
    return [[item] for item in items]


@pytest.mark.parametrize("key", ["rbo_min", "rbo"])
def test_convention_a_is_the_mean_over_all_orders(key):
    for seed in range(25):
        chance = random.Random(seed)
        first = draw_ranking(chance, "abcde")
        second = [[item] for item in chance.sample("abcdef", sum(map(len, first)))]
        found = ranking_agreement([first], [second], p=0.8)[key]
        values = [
            ranking_agreement([first_groups(order)], [second], p=0.8)[key]
            for order in orders_of(first)
        ]
        assert found == pytest.approx(sum(values) / len(values), abs=1e-12)


def test_conventions_differ_where_there_are_ties_alone():
    tied, plain = [["a", "b"], ["c"]], [["a"], ["b"], ["c"]]
    with_ties = [ranking_agreement([tied], [plain], ties=ties)["rbo"] for ties in "abw"]
    without = [ranking_agreement([plain], [plain], ties=ties)["rbo"] for ties in "abw"]

    assert len(set(with_ties)) == 3
    assert without == pytest.approx([1.0] * 3)


def test_rankings_may_be_items_with_ranks():
    metric = load("ranking_agreement")
    lists = {"predictions": [["a", ["b", "c"]]], "references": [["c", "a"]]}
    ranks = {
        "predictions": [{"item": ["c", "a", "b"], "rank": [2, 1, 2]}],
        "references": [{"item": ["a", "c"], "rank": [9, 3]}],
    }
    assert metric.compute(**lists) == metric.compute(**ranks)


def test_states_of_rankings_merge(tmp_path):
    chance = random.Random(0)
    rows = [[draw_ranking(chance) for _ in range(9)] for _ in "ab"]
    expected = load("ranking_agreement").compute(predictions=rows[0], references=rows[1])
    states = []
    for start in range(3):
        state = State("ranking_agreement")
        state.update(predictions=rows[0][start::3], references=rows[1][start::3])
        state.save(tmp_path / f"{start}.parquet")
        states.append(State.read(tmp_path / f"{start}.parquet"))
    merged, *rest = states[::-1]
    merged.merge(*rest)

    assert merged.result() == expected


@by_table("predictions, references, options, message")
def test_bad_input_is_named(predictions, references, options, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        load("ranking_agreement").compute(predictions=predictions, references=references, **options)


def test_many_systems_are_paired_in_blocks():
    chance = np.random.default_rng(0)
    x = chance.integers(0, 500, 1500) * 1.0
    y = x + chance.integers(0, 300, 1500)
    from scipy import stats

    found = ranking_agreement(x, y, measures=["kendall_tau_b", "spearman"], confidence_level=0.95)
    assert found["kendall_tau_b"] == pytest.approx(stats.kendalltau(x, y).statistic)
    assert found["spearman"] == pytest.approx(stats.spearmanr(x, y).statistic)
