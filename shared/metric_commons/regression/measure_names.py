"""Names of regression measures: mae, pinball(alpha=0.9), tweedie(power=1.5)."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from ..statistics.arguments.checks import OptionError, check_measures, measure_parts
from ..statistics.arguments.domains import Parsed

# Measures of errors of numbers; of rows; of prediction intervals, which are rows of two numbers
MOMENT_NAMES = (
    *("mae", "mse", "rmse", "r2", "mape", "smape"),
    *("max_error", "explained_variance", "pearson", "concordance"),
)
LOSS_NAMES = ("msle", "rmsle", "pinball", "poisson_deviance", "gamma_deviance", "tweedie")
D2_NAMES = ("d2_absolute_error", "d2_pinball", "d2_tweedie")
ORDER_NAMES = ("median_ae", "spearman", "kendall")
INTERVAL_NAMES = ("coverage", "interval_width", "winkler")

# The parameter that a measure needs, an example, and its valid values
_PARAMETERS = {
    "pinball": ("alpha", "0.9", "a number from 0 to 1"),
    "d2_pinball": ("alpha", "0.9", "a number from 0 to 1"),
    "winkler": ("alpha", "0.1", "a number above 0 and below 1"),
    "tweedie": ("power", "1.5", "0 or less, or 1 or more"),
    "d2_tweedie": ("power", "1.5", "0 or less, or 1 or more"),
}
_PLAIN = [
    name
    for name in (*MOMENT_NAMES, *LOSS_NAMES, *D2_NAMES, *ORDER_NAMES, *INTERVAL_NAMES)
    if name not in _PARAMETERS
]
_LOSSES = {
    "d2_absolute_error": "pinball",
    "d2_pinball": "pinball",
    "d2_tweedie": "tweedie",
    "rmsle": "msle",
    "poisson_deviance": "tweedie",
    "gamma_deviance": "tweedie",
}
_FIXED = {"d2_absolute_error": 0.5, "poisson_deviance": 1.0, "gamma_deviance": 2.0}
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?|-?\.[0-9]+", re.ASCII)


class RegressionMeasure(NamedTuple):
    """One measure, as parsed from its name."""

    name: str  # as the caller wrote it; the key of the result
    kind: str  # such as "pinball"
    parameter: float = 0.0  # alpha, the rate below a quantile or outside an interval; or power

    @property
    def loss(self) -> str:
        """Return the loss of rows that the measure is based on: its own kind, or another."""
        return _LOSSES.get(self.kind, self.kind)


def parse_measures(measures: Any) -> list[RegressionMeasure]:
    """Parse the names of one or several measures, checked to be known and distinct.

    >>> parse_measures(["mae", "pinball(alpha=0.9)"])[1]
    RegressionMeasure(name='pinball(alpha=0.9)', kind='pinball', parameter=0.9)
    >>> parse_measures("pinball")
    Traceback (most recent call last):
    ValueError: measures holds 'pinball', which needs alpha, as in 'pinball(alpha=0.9)'
    """
    return [
        _with_parameter(name) or RegressionMeasure(name, name, _FIXED.get(name, 0.0))
        for name in check_measures(measures, _PLAIN, _with_parameter)
    ]


Measures = Annotated[str | Sequence[str], Parsed(parse_measures, "a measure, or a list of them")]


def _with_parameter(name: str) -> RegressionMeasure | None:
    """Return the measure, if it has a parameter."""
    kind, written, number = measure_parts(name)
    if kind not in _PARAMETERS:
        return None
    parameter, example, domain = _PARAMETERS[kind]
    if written != parameter or not _NUMBER.fullmatch(number):
        problem = f"holds {name!r}, which needs {parameter}, as in '{kind}({parameter}={example})'"
        raise OptionError("measures", problem)
    value = float(number)
    is_power = parameter == "power"
    is_valid = not 0 < value < 1 if is_power else 0 <= value <= 1
    if not is_valid or (kind == "winkler" and value in (0, 1)):
        raise OptionError("measures", f"holds {name!r}, but {parameter} is {domain}")
    return RegressionMeasure(name, kind, value)


def are_of_intervals(measures: Sequence[RegressionMeasure]) -> bool:
    """Return whether these are measures of prediction intervals.

    Raises:
        ValueError: only some of them are.
    """
    of_intervals = [measure.name for measure in measures if measure.kind in INTERVAL_NAMES]
    numeric = [measure.name for measure in measures if measure.kind not in INTERVAL_NAMES]
    if of_intervals and numeric:
        raise OptionError(
            "measures",
            f"holds {of_intervals[0]!r}, for which predictions are [low, high], and "
            f"{numeric[0]!r}, for which they are not",
        )
    return bool(of_intervals)
