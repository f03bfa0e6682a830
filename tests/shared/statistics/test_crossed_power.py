"""Plans of crossed rows: a test of the planned size finds the effect as often as said."""

import math

import numpy as np
import pytest

from metric_commons.statistics.intervals.crossed import CrossedClusters
from metric_commons.statistics.tests.power import CrossedPilot

PARTS = {"item": 0.3, "template": 0.05, "rest": 0.4}  # standard deviations


def labels_of(items, templates):
    grid = np.indices((items, templates)).reshape(2, -1)
    return {"item": grid[0].tolist(), "template": grid[1].tolist()}


def drawn(rng, items, templates, effect=0.0):
    """Differences of crossed rows, with effects of items, of templates, and of both."""
    by_item = rng.normal(0, PARTS["item"], (items, 1))
    by_template = rng.normal(0, PARTS["template"], (1, templates))
    return effect + by_item + by_template + rng.normal(0, PARTS["rest"], (items, templates))


def planned(items=400, templates=12):
    differences = drawn(np.random.default_rng(4), items, templates)
    return CrossedPilot(differences.ravel(), labels_of(items, templates))


def test_the_error_of_the_pilot_is_that_of_its_interval():
    pilot = planned()
    differences = drawn(np.random.default_rng(4), 400, 12)
    crossed = CrossedClusters.of_labels(labels_of(400, 12), 4800).sums(differences.ravel())
    error, degrees = pilot.standard_error(pilot.levels)
    assert error == pytest.approx(crossed.standard_error, rel=1e-12)
    assert degrees == pytest.approx(crossed.degrees, rel=1e-12)
    low, high = crossed.ends(0.95)
    assert pilot.half_width(pilot.levels) == pytest.approx((high - low) / 2, rel=1e-12)


def test_numbers_are_the_fewest():
    pilot = planned()
    for field, other in (("item", "template"), ("template", "item")):
        number = pilot.required(field, 0.1)
        fixed = {name: pilot.levels[name] for name in pilot.levels}
        assert pilot.power_of(0.1, fixed | {field: number}) >= 0.8
        assert pilot.power_of(0.1, fixed | {field: number - 1}) < 0.8
        more = pilot.worth(field, 2, other)
        width = pilot.half_width(fixed | {field: fixed[field] + 2})
        assert pilot.half_width(fixed | {other: fixed[other] + more}) <= width
        assert pilot.half_width(fixed | {other: fixed[other] + more - 1}) > width


def test_no_number_of_items_makes_up_for_templates_that_differ():
    rng = np.random.default_rng(0)
    by_template = np.array([0.3, -0.3, 0.2])
    differences = by_template + 0.1 * rng.normal(size=(50, 3))
    pilot = CrossedPilot(differences.ravel(), labels_of(50, 3))
    assert pilot.required("item", 0.05) is None
    assert pilot.worth("template", 2, "item") is None
    assert pilot.required("template", 0.05) > 100


@pytest.mark.long
@pytest.mark.parametrize("levels", [{"item": 60, "template": 8}, {"item": 200, "template": 5}])
def test_the_power_is_the_proportion_of_samples_that_find_the_effect(levels):
    rng = np.random.default_rng(1)
    pilot = planned(2000, 60)
    labels = labels_of(*levels.values())
    crossed = CrossedClusters.of_labels(labels, math.prod(levels.values()))
    found = 0
    for _ in range(600):
        low, _ = crossed.sums(drawn(rng, *levels.values(), effect=0.12).ravel()).ends(0.95)
        found += low > 0
    expected = pilot.power_of(0.12, levels)
    assert 0.3 < expected < 0.97
    # The standard error of 600 samples is .02, and that of the parts of the pilot as much.
    assert found / 600 == pytest.approx(expected, abs=0.07)


def test_only_two_fields_are_planned():
    labels = labels_of(3, 2)
    with pytest.raises(ValueError, match="clusters must be two fields to plan, got 1"):
        CrossedPilot([0.0] * 6, {"item": labels["item"]})
    with pytest.raises(ValueError, match="there is no row with item '2' and template '1'"):
        CrossedPilot([0.0] * 5, {name: column[:5] for name, column in labels.items()})
