"""Fast paths beside slow, obvious definitions: 5,000 values and calls drawn, 20,000 at night."""

import itertools
import json
import random
from fractions import Fraction

import numpy as np
import pytest

from metric_commons.structured.assignments import (
    best_ordered_total,
    best_total,
    common_subsequence,
    most_pairs,
)
from metric_commons.structured.call_comparison import CallComparison
from metric_commons.structured.json_equality import Equality
from metric_commons.structured.json_leaves import LeafComparison
from metric_commons.structured.python_calls import Call
from tests.json_values import mutant, random_value
from tests.spec import nightly

SEEDS = [0, *nightly(1, 2, 3)]
PAIRS = 5_000  # of each seed


# Definitions


def same(a, b, options):
    """Whether values are equal, by the words of the specification."""
    if isinstance(a, dict) and isinstance(b, dict):
        return {*a} == {*b} and all(same(a[key], b[key], options) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return False
        orders = itertools.permutations(b) if options.get("list_order") == "any" else [b]
        return any(
            all(same(x, y, options) for x, y in zip(a, order, strict=True)) for order in orders
        )
    if options.get("types") == "loose":
        a, b = loose(a), loose(b)
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        if options.get("types") == "strict" and type(a) is not type(b):
            return False
        limit = max(options.get("abs_tol", 0), options.get("rel_tol", 0) * abs(b))
        return a == b or abs(a - b) <= limit
    if isinstance(a, str) and isinstance(b, str):
        return normalized(a, options) == normalized(b, options)
    return a is None and b is None


def loose(value):
    if isinstance(value, str):
        try:
            read = json.loads(value.strip().lower() if value.strip().isalpha() else value)
        except ValueError:
            return value
        return value if isinstance(read, dict | list | str) else read
    return value


def normalized(text, options):
    return text.lower() if options.get("normalizer") else text


def leaves(value):
    inner = value.values() if isinstance(value, dict) else value
    return sum(map(leaves, inner)) if isinstance(value, dict | list) and value else 1


def matched(a, b, options):
    """The largest number of leaves that match, over all pairings of items."""
    if isinstance(a, dict) and isinstance(b, dict):
        if not a and not b:
            return 1
        return sum(matched(a[key], b[key], options) for key in a.keys() & b.keys())
    if isinstance(a, list) and isinstance(b, list):
        if not a and not b:
            return 1
        if options.get("list_order") != "any":
            return sum(matched(x, y, options) for x, y in zip(a, b, strict=False))
        shorter, longer = (a, b) if len(a) <= len(b) else (b, a)
        turned = shorter is not a
        return max(
            sum(
                matched(*((y, x) if turned else (x, y)), options)
                for x, y in zip(shorter, order, strict=True)
            )
            for order in itertools.permutations(longer, len(shorter))
        )
    if isinstance(a, dict | list) or isinstance(b, dict | list):
        return 0
    return int(same(a, b, options))


OPTIONS = (
    {},
    {"list_order": "any"},
    {"types": "strict"},
    {"types": "loose", "list_order": "any"},
    {"abs_tol": 1.0, "list_order": "any"},
    {"rel_tol": 0.5},
    {"normalizer": True, "list_order": "any"},
)


def equality_of(options):
    options = dict(options)
    normalize = str.lower if options.pop("normalizer", False) else str
    return Equality(normalize, **options)


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_leaves_that_match(seed):
    chance = random.Random(seed)
    for _ in range(PAIRS):
        options = chance.choice(OPTIONS)
        value = random_value(chance)
        other = mutant(chance, value) if chance.random() < 0.9 else random_value(chance)
        comparison = LeafComparison(equality_of(options))
        expected = matched(other, value, options)

        assert comparison.matched(other, value) == expected, (other, value, options)
        assert comparison.equality(other, value) == same(other, value, options)
        by_path = comparison.by_path(other, value)
        totals = [sum(counts) for counts in zip(*by_path.values(), strict=True)]
        assert totals[0] == expected
        assert totals[0] + totals[1] + totals[3] == comparison.leaves(other) == leaves(other)
        assert totals[0] + totals[1] + totals[2] == comparison.leaves(value) == leaves(value)


@pytest.mark.parametrize("options", [{}, {"list_order": "any"}])
def test_large_lists_are_aligned_as_small_ones(options, monkeypatch):
    """Beyond a number of pairs of items equal ones are paired first."""
    chance = random.Random(7)
    comparison = LeafComparison(equality_of(options))
    for _ in range(300):
        value = [random_value(chance, 2) for _ in range(4)]
        other = mutant(chance, value)
        totals = []
        for cells in (1 << 20, 0):
            monkeypatch.setattr("metric_commons.structured.json_leaves._CELLS", cells)
            counts = comparison.by_path(other, value)
            totals.append([sum(kind) for kind in zip(*counts.values(), strict=True)])
        assert totals[0] == totals[1]


# Pairs of calls


def fits(p, e, arguments):
    """Whether a predicted call fits an expected one, and its proportion of right arguments."""
    if p.name != e.name:
        return False, Fraction(0)
    if arguments == "ignore":
        return True, Fraction(1)
    names = {
        "equal": p.arguments.keys() | e.arguments.keys(),
        "superset": e.arguments.keys(),
        "subset": p.arguments.keys(),
    }[arguments]
    right = sum(
        name in p.arguments
        and name in e.arguments
        and same(p.arguments[name], e.arguments[name], {})
        for name in names
    )
    return right == len(names), Fraction(right, len(names)) if names else Fraction(1)


def pairings(n, m):
    """All pairings one to one of as many of n and m items as there are."""
    if n <= m:
        for order in itertools.permutations(range(m), n):
            yield list(zip(range(n), order, strict=True))
    else:
        for order in itertools.permutations(range(n), m):
            yield list(zip(order, range(m), strict=True))


def ordered_pairings(n, m):
    """All pairings that do not cross."""
    for size in range(min(n, m) + 1):
        for rows in itertools.combinations(range(n), size):
            for columns in itertools.combinations(range(m), size):
                yield list(zip(rows, columns, strict=True))


def row_of(predicted, expected, match, arguments):
    n, m = len(predicted), len(expected)
    table = [[fits(p, e, arguments) for e in expected] for p in predicted]
    names = [[p.name == e.name for e in expected] for p in predicted]
    choices = list((ordered_pairings if match in ("same_order", "in_order") else pairings)(n, m))

    def right(pairs):
        return {
            "any_order": pairs == n == m,
            "same_order": pairs == n == m,
            "in_order": pairs == m,
            "superset": pairs == m,
            "subset": pairs == n,
        }[match]

    pairs = max(sum(table[i][j][0] for i, j in choice) for choice in choices)
    named = max(sum(names[i][j] for i, j in choice) for choice in choices)
    total = max(sum((table[i][j][1] for i, j in choice), Fraction(0)) for choice in choices)
    partial = total / max(n, m) if n and m else Fraction(n == m)
    return float(right(pairs)), float(right(named)), partial, pairs


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_calls_that_match(seed):
    chance = random.Random(seed)
    for _ in range(PAIRS):
        match = chance.choice(["any_order", "same_order", "in_order", "superset", "subset"])
        arguments = chance.choice(["equal", "superset", "subset", "ignore"])
        expected = [random_call(chance) for _ in range(chance.randrange(4))]
        predicted = [call for call in expected if chance.random() < 0.8]
        predicted += [random_call(chance) for _ in range(chance.randrange(3))]
        chance.shuffle(predicted)
        comparison = CallComparison(Equality(str), match=match, arguments=arguments)
        found = comparison.counts(predicted, expected, {})
        exact, named, partial, pairs = row_of(predicted, expected, match, arguments)

        about = predicted, expected, match, arguments
        assert found[:2] == (exact, named), about
        assert found.pairs == pairs, about
        assert found.partial_match == pytest.approx(float(partial), rel=1e-12), about


def random_call(chance):
    names = chance.sample("abc", chance.randrange(3))
    values = (0, 1, True, 1.0, "1", None, [1])
    return Call(chance.choice("fg"), {name: chance.choice(values) for name in names})


# Assignments


@pytest.mark.parametrize("seed", range(300))
def test_assignments(seed):
    chance = random.Random(seed)
    n, m = chance.randrange(1, 6), chance.randrange(1, 6)
    table = [[int(chance.random() < 0.4) for _ in range(m)] for _ in range(n)]
    positions = [[j for j in range(m) if row[j]] for row in table]
    weights = np.array([[chance.choice((0, 0.25, 0.5, 1)) for _ in range(m)] for _ in range(n)])

    def best(choices, values):
        return max(sum(values[i][j] for i, j in choice) for choice in choices)

    assert most_pairs(positions) == best(pairings(n, m), table)
    assert common_subsequence(positions, m) == best(ordered_pairings(n, m), table)
    assert best_total(weights) == best(pairings(n, m), weights)
    assert best_ordered_total(weights, m) == best(ordered_pairings(n, m), weights)


def test_the_proportion_of_right_arguments_is_a_distance():
    """So pairing equal calls first loses nothing: all calls with up to three arguments."""
    objects = [
        {key: value for key, value in zip("abc", values, strict=True) if value is not None}
        for values in itertools.product((None, 0, 1, 2), repeat=3)
    ]
    distances = np.array(
        [
            [1 - float(fits(Call("f", a), Call("f", b), "equal")[1]) for b in objects]
            for a in objects
        ]
    )

    assert (distances[:, None, :] <= distances[:, :, None] + distances[None] + 1e-12).all()
