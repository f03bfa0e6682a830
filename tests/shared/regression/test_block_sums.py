from fractions import Fraction

import numpy as np
import pytest

from metric_commons.regression.block_sums import BlockSums
from metric_commons.regression.pairs import Pairs
from metric_commons.regression.scaling import Scaling

TERMS = ["absolute", "squared", "reference", "reference_squared"]
SCALING = Scaling({"reference": [8.0]}, {"reference": [0], "residual": [0]}, {})


@pytest.mark.parametrize("fold", [1, 2])
def test_blocks_add_up(fold):
    references = np.arange(100_000) % 16 * 1.0
    pairs = Pairs(references + np.tile([1.0, -3.0], 50_000), references)
    scaling = SCALING._replace(exponents={term: [7] for term in TERMS})
    sums = BlockSums(scaling, TERMS, fold, {})
    sums.add_blocks(pairs.blocks())

    assert sums.totals() == {
        "absolute": [Fraction(200_000)],
        "squared": [Fraction(500_000)],
        "reference": [Fraction(-50_000)],  # about 8
        "reference_squared": [Fraction(2_150_000)],
    }
    assert sums.ranges() == {"reference": ((0.0, 15.0),), "residual": ((-1.0, 3.0),)}
    assert not sums.is_coarse()


@pytest.mark.parametrize("fold", [0, 1, 2])
def test_numbers_that_overflow_show_in_the_ranges(fold):
    scaling = SCALING._replace(exponents={term: [7] for term in TERMS})
    sums = BlockSums(scaling, TERMS, fold, {})
    sums.add_blocks(Pairs([-1e308, 1.0], [1e308, 1.0]).blocks())

    assert not sums.is_finite()


def test_few_large_rows_make_sums_coarse():
    errors = np.full(70_000, 2.0**-12)
    errors[0] = 1.0
    sums = BlockSums(SCALING._replace(exponents={"absolute": [3]}), ["absolute"], 1, {})
    sums.add_blocks(Pairs(errors, np.zeros(70_000)).blocks())

    assert sums.is_coarse()
