"""Moments: exact sums over rows, from which most regression measures are computed.

No sum is rounded, so results depend neither on the order of rows nor on how they are divided into
parts, nothing overflows, and variances do not suffer from cancellation, however far from zero the
numbers are. Columns are divided into digits: whole numbers of so few bits that the sums of their
products over a block of rows are exact in any order, so one product of matrices adds up all
moments. The absolute error is reference times sign minus prediction times sign.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..statistics.arguments.arrays import Floats, equal_blocks
from ..statistics.arithmetic.exact_sums import exact_ldexp, quotient, whole_digits
from .pairs import Numbers, Pairs, check_finite
from .row_losses import relative_errors

_ROWS = 1 << 12  # of a block
_LARGE = 2.0**900
# Products of two digits, or three, have room for the sum over a block: see `whole_digits`.
_PAIRS, _TRIPLES = 1 << 32, 1 << 39

# Each term as a sum of products of two columns, with factors
_TERMS = {
    "reference": {("one", "reference"): 1},
    "prediction": {("one", "prediction"): 1},
    "reference_squared": {("reference", "reference"): 1},
    "prediction_squared": {("prediction", "prediction"): 1},
    "product": {("reference", "prediction"): 1},
    "absolute": {("sign", "reference"): 1, ("sign", "prediction"): -1},
    "squared": {
        ("reference", "reference"): 1,
        ("reference", "prediction"): -2,
        ("prediction", "prediction"): 1,
    },
    "mape": {("one", "mape"): 1},
    "smape": {("one", "smape"): 1},
}
_RELATIVE = ("mape", "smape")
_COVARIANCE = ("reference", "prediction", "reference_squared", "prediction_squared", "product")
_MEASURES = {
    "mae": ("absolute",),
    "mse": ("squared",),
    "rmse": ("squared",),
    "r2": ("squared", "reference", "reference_squared"),
    "mape": ("mape",),
    "smape": ("smape",),
    "explained_variance": _COVARIANCE,
    "pearson": _COVARIANCE,
    "concordance": _COVARIANCE,
}


@dataclass(frozen=True)
class Moments:
    """Weighted sums over the rows of one output, without rounding.

    Attributes:
        rows: the number of rows, including those of weight 0.
        weight: the sum of the weights, or the number of rows if there are none.
        sums: the weighted sum of each term.
        constant: those of "reference", "prediction" and "residual" that are equal in all rows with
            a positive weight.
    """

    rows: int
    weight: Fraction
    sums: Mapping[str, Fraction]
    constant: Collection[str] = ()

    def mean(self, term: str) -> Fraction:
        """Return the weighted mean of a term."""
        return self.sums[term] / self.weight

    def mean_float(self, term: str) -> float:
        """Return the same, rounded once."""
        return quotient(self.sums[term], self.weight)

    def variation(self, name: str) -> Fraction:
        """Return the sum of squared deviations of references or predictions from their mean."""
        return self.sums[f"{name}_squared"] - self.sums[name] ** 2 / self.weight

    def covariation(self) -> Fraction:
        """Return the sum of products of the deviations of references and of predictions."""
        product = self.sums["reference"] * self.sums["prediction"]
        return self.sums["product"] - product / self.weight


def compute_moments(pairs: Pairs, measures: Sequence[str]) -> list[Moments]:
    """Return the moments of each output that these measures need.

    Raises:
        ValueError: a number is not finite; names the row.

    >>> (moments,) = compute_moments(Pairs([2.5, 0.0], [3.0, -0.5]), ["mae"])
    >>> moments.sums["absolute"], moments.weight
    (Fraction(1, 1), Fraction(2, 1))
    """
    terms = {term for name in measures for term in _MEASURES[name]}
    if not terms or not len(pairs.references):
        return [Moments(pairs.rows, Fraction(0), dict.fromkeys(terms, Fraction(0)))] * pairs.outputs
    check_finite(predictions=pairs.predictions, references=pairs.references)
    needed = {pair for term in terms for pair in _TERMS[term]} | {("one", "one")}
    predictions, references = pairs.tables()
    residuals = pairs.columns().residuals
    tables = {
        "one": np.ones(references.shape),
        "prediction": predictions,
        "reference": references,
        "residual": residuals,
        "sign": np.sign(residuals),
    }
    exponents = dict.fromkeys(terms, pairs.weight_exponent)
    for term in terms.intersection(_RELATIVE):
        tables[term], exponent = relative_errors(pairs, term)
        exponents[term] += exponent
    outputs = []
    for output in range(pairs.outputs):
        columns = {name: table[output] for name, table in tables.items()}
        products = exact_products(columns, needed, pairs.weights)
        sums = {}
        for term in terms:
            factors = _TERMS[term].items()
            total = sum((factor * products[pair] for pair, factor in factors), Fraction(0))
            sums[term] = exact_ldexp(total, exponents[term])
        weight = exact_ldexp(products["one", "one"], pairs.weight_exponent)
        equal = {name for name, column in columns.items() if (column == column[0]).all()}
        outputs.append(Moments(pairs.rows, weight, sums, equal))
    return outputs


def exact_products(
    columns: Mapping[str, Numbers], pairs: Collection[tuple[str, str]], weights: Floats | None
) -> dict[tuple[str, str], Fraction]:
    """Return the sums over rows of products of two columns, and of weights, without rounding.

    >>> columns = {"x": np.array([1e200, 1.0]), "y": np.array([1e-200, 0.5])}
    >>> products = exact_products(columns, [("x", "y")], None)
    >>> products["x", "y"] == Fraction(1e200) * Fraction(1e-200) + Fraction(1, 2)
    True
    """
    names = sorted({name for pair in pairs for name in pair})
    room = _PAIRS if weights is None else _TRIPLES
    sums: dict[tuple[str, str], defaultdict[int, int]] = {pair: defaultdict(int) for pair in pairs}
    for part in equal_blocks(columns[names[0]].size, _ROWS):
        digits = {name: _digits(columns[name][part], room) for name in names}
        places: dict[str, range] = {}
        rows: list[Floats] = []
        powers: list[int] = []
        for name in names:
            places[name] = range(len(rows), len(rows) + len(digits[name]))
            rows += [values for values, _ in digits[name]]
            powers += [power for _, power in digits[name]]
        table = np.array(rows)
        for factor, shift in [(None, 0)] if weights is None else _digits(weights[part], room):
            products = ((table if factor is None else table * factor) @ table.T).tolist()
            for (first, second), total in sums.items():
                for i in places[first]:
                    for j in places[second]:
                        total[powers[i] + powers[j] + shift] += int(products[i][j])
    return {pair: _total(by_power) for pair, by_power in sums.items()}


def _digits(column: Numbers, room: int) -> list[tuple[Floats, int]]:
    """Return whole numbers and powers of two that add up to the numbers."""
    parts = [(column, 0)]
    if column.dtype.kind != "f":
        halves = column >> 32, column & np.int64(2**32 - 1)
        parts = [(halves[0].astype(np.float64), 32), (halves[1].astype(np.float64), 0)]
    elif np.abs(column).max() > _LARGE:  # rounded up, numbers might exceed the floats
        large = np.where(np.abs(column) > _LARGE, column, 0.0)
        parts = [(large * 2.0**-32, 32), (column - large, 0)]
    return [
        (digits, power + shift)
        for part, shift in parts
        for digits, power in whole_digits(part, room)
    ]


def _total(by_power: Mapping[int, int]) -> Fraction:
    lowest = min(by_power, default=0)
    return exact_ldexp(sum(total << power - lowest for power, total in by_power.items()), lowest)
