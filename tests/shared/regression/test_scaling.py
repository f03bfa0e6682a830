import math
from fractions import Fraction

from hypothesis import given

from metric_commons.regression.scaling import choose_scaling
from tests.number_rows import number_rows

TERMS = ("absolute", "squared", "reference", "reference_squared", "prediction", "product")


@given(number_rows())
def test_summands_stay_below_their_bins(rows):
    predictions, references, _ = ([*map(Fraction, column or [])] for column in rows)
    residuals = [a - b for a, b in zip(references, predictions, strict=True)]
    columns = {"reference": references, "residual": residuals, "prediction": predictions}
    ranges = {name: ((min(column), max(column)),) for name, column in columns.items()}
    scaling = choose_scaling(ranges, TERMS, {})

    def summand(term, a, b):
        shifts = zip(("reference", "prediction"), (a, b), strict=True)
        reference, prediction = (
            (x - Fraction(scaling.centres[name][0])) / power(scaling.scales[name][0])
            for name, x in shifts
        )
        residual = (a - b) / power(scaling.scales["residual"][0])
        return {
            "absolute": abs(residual),
            "squared": residual**2,
            "reference": reference,
            "reference_squared": reference**2,
            "prediction": prediction,
            "product": reference * prediction,
        }[term]

    for term in TERMS:
        bound = power(scaling.exponents[term][0])
        for a, b in zip(references, predictions, strict=True):
            assert abs(summand(term, a, b)) < bound
        assert math.isfinite(float(bound))


def power(exponent):
    return Fraction(2) ** exponent


def test_a_range_that_grows_a_little_keeps_its_scaling():
    terms = ("squared", "reference", "reference_squared")
    ranges = {"reference": ((90.0, 110.5),), "residual": ((-2.5, 3.0),)}
    grown = {"reference": ((89.1, 111.0),), "residual": ((-2.75, 3.25),)}

    assert choose_scaling(ranges, terms, {}) == choose_scaling(grown, terms, {})
    assert choose_scaling(ranges, terms, {}).centres == {"reference": [96.0]}
