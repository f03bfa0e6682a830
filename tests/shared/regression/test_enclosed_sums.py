"""Enclosed sums beside exact ones: they hold them, and settle a score only where it is right."""

from unittest.mock import patch

import numpy as np
import pytest

from metric_commons.evaluation.rows.states import State
from metric_commons.regression import enclosed_sums, errors
from metric_commons.regression.enclosed_sums import MEASURES, enclosing_moments
from metric_commons.regression.errors import moment_measures, regression_scores
from metric_commons.regression.moments import compute_moments, required_terms
from metric_commons.regression.pairs import Pairs
from tests.spec import nightly

TERMS = required_terms(MEASURES)


def drawn(kind, rows, rng):
    """Predictions and references of one kind."""
    references = rng.normal(size=rows)
    predictions = references + rng.normal(size=rows) * 10.0 ** rng.integers(-8, 2)
    if kind == "offset":
        return predictions + 1e9, references + 1e9
    if kind == "small offset":  # references share the unit of the errors, less a shift
        return references + 40 + rng.normal(size=rows), references + 40
    if kind == "growing":  # later blocks need a larger unit
        growth = np.exp(np.linspace(0, 20, rows))
        return predictions * growth, references * growth
    if kind == "heavy":
        return np.exp(3 * predictions), np.exp(3 * references)
    if kind == "cauchy":
        return rng.standard_cauchy(rows), rng.standard_cauchy(rows)
    if kind == "ties":
        return np.round(predictions), np.round(references)
    if kind == "huge":
        return predictions * 2.0**300, references * 2.0**300
    if kind == "tiny":
        return predictions * 2.0**-350, references * 2.0**-350
    if kind == "subnormal":
        return predictions * 2.0 ** -rng.integers(300, 1070, rows), references * 2.0**-380
    if kind == "one error":
        errors_of_rows = np.zeros(rows)
        errors_of_rows[rng.integers(rows)] = 1e-7
        return references + errors_of_rows, references
    if kind == "constant prediction":
        return np.full(rows, references.mean()), references
    if kind == "one large":
        references[-1] = 2.0**60
        return predictions, references
    if kind == "float32":
        return predictions.astype(np.float32), references.astype(np.float32)
    if kind == "columns":
        table = np.column_stack([predictions, references])
        return table[:, 0], table[:, 1]
    return predictions, references


KINDS = (
    *(
        "normal",
        "offset",
        "small offset",
        "growing",
        "heavy",
        "cauchy",
        "ties",
        "huge",
        "tiny",
        "subnormal",
        "one error",
    ),
    *("constant prediction", "one large", "float32", "columns"),
)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [2049, *nightly(2048, 4095, 9000)])
@pytest.mark.parametrize("measures", [MEASURES, ("mae",), ("mse", "r2")])
def test_exact_sums_lie_between_the_enclosing_ones(kind, rows, measures):
    rng = np.random.default_rng([KINDS.index(kind), rows])
    with patch.object(enclosed_sums, "_ROWS", 900):
        for _ in range(2):
            pairs = Pairs(*drawn(kind, rows, rng))
            ends = enclosing_moments(pairs, required_terms(measures))
            (exact,) = compute_moments(pairs, measures)
            assert ends is not None
            (best,), (worst,) = ends
            for term in {"absolute", "squared"} & {*exact.sums}:
                assert best.sums[term] <= exact.sums[term] <= worst.sums[term]
            if "r2" in measures:
                variations = [side.variation("reference") for side in (worst, exact, best)]
                assert variations == sorted(variations)
            scores = [moment_measures([side], measures) for side in (best, worst, exact)]
            for name in measures:
                values = sorted(score[name][0] for score in scores)
                assert scores[2][name][0] == values[1]  # between those of both ends


@pytest.mark.parametrize("side", [-1, 0, 1])
def test_sums_near_a_half_are_not_settled(side):
    # The mean absolute error lies halfway between two floats, or 2**-102 beside that: only the
    # exact sums tell to which it is rounded.
    references, predictions = np.full(4096, 1.0), np.zeros(4096)
    references[0] += 2.0**-53 * 4096
    predictions[1] = -side * 2.0**-90
    pairs = Pairs(predictions, references)
    best, worst = enclosing_moments(pairs, ["absolute"])

    assert moment_measures(best, ["mae"]) != moment_measures(worst, ["mae"])
    expected = 1.0 + 2.0**-52 if side > 0 else 1.0
    assert moment_measures(compute_moments(pairs, ["mae"]), ["mae"])["mae"] == [expected]
    assert regression_scores(predictions, references, measures="mae")["mae"] == expected


@pytest.mark.long
def test_usual_rows_are_settled_and_equal_the_states():
    rng = np.random.default_rng(0)
    settled = 0
    for _ in range(20):
        references = 40 + 9 * rng.normal(size=(5000, 2))
        predictions = references + rng.normal(size=(5000, 2))
        with patch.object(errors, "compute_moments", side_effect=AssertionError) as exact:
            try:
                found = regression_scores(predictions, references, measures=MEASURES)
            except AssertionError:
                continue
        assert not exact.called
        settled += 1
        state = State("regression", measures=list(MEASURES))
        for part in (slice(0, 1700), slice(1700, 5000)):
            state.update(predictions=predictions[part], references=references[part])
        assert {name: state.result()[name] for name in MEASURES} == found
    assert settled >= 15


def test_what_is_not_enclosed():
    numbers = np.arange(3000.0)
    for pairs in (
        Pairs(numbers, numbers, np.ones(3000)),
        Pairs(numbers[:100], numbers[:100]),
        Pairs(np.arange(3000) + 2**60, np.arange(3000) + 2**60 + 1),
        Pairs(numbers, np.where(numbers == 2999, 1e200, numbers)),
        Pairs(numbers, np.where(numbers == 2999, np.nan, numbers)),
        Pairs(np.where(numbers == 0, np.nan, numbers), numbers),
        Pairs(np.where(numbers == 1, -np.inf, numbers), numbers),
        Pairs(numbers * 0, numbers * 1e-200),
    ):
        assert enclosing_moments(pairs, TERMS) is None
    for predictions, references, score in (
        (numbers, numbers, 1.0),
        (numbers * 0, numbers * 0 + 7.0, 0.0),
        (numbers * 0 + 7.0, numbers * 0 + 7.0, 1.0),
    ):
        assert regression_scores(predictions, references, measures="r2")["r2"] == score
    with pytest.raises(ValueError, match=r"references\[2999\] is nan"):
        regression_scores(numbers, np.where(numbers == 2999, np.nan, numbers), measures="mae")
