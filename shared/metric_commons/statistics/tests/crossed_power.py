"""How many items and templates it takes to find a difference, if each item has each template.

The variance of the mean has a part of each field and a rest: items / n + templates / m + rest / nm.
More items do nothing for the part of the templates.
"""

import math
from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from ..arguments.checks import OptionError
from ..arguments.domains import Level, Positive, check_option
from ..intervals.crossed import CrossedClusters
from .paired_tests import checked_differences
from .power import fewest

_MOST = 1 << 30  # labels of a field


class CrossedPilot:
    """The differences of crossed rows, for planning a comparison by Student's t.

    Args:
        differences: A - B, shape (rows,).
        clusters: the labels of two fields, such as item and template, one per row.

    Raises:
        ValueError: there are not two fields, or they are not crossed and balanced.

    >>> pairs = [(item, template) for item in range(40) for template in range(4)]
    >>> differences = [item % 3 + template % 2 + item * template % 5 for item, template in pairs]
    >>> labels = {"item": [item for item, _ in pairs], "template": [t for _, t in pairs]}
    >>> pilot = CrossedPilot(differences, labels)
    >>> pilot.required("item", 1.5), pilot.required("template", 1.5)
    (None, 10)
    """

    def __init__(self, differences: ArrayLike, clusters: Mapping[str, Any]) -> None:
        values = checked_differences(differences)
        if len(clusters) != 2:
            raise OptionError("clusters", f"must be two fields to plan, got {len(clusters)}")
        crossed = CrossedClusters.of_labels(clusters, values.size).mean(values)
        self.levels = dict(zip(clusters, crossed.levels, strict=True))
        self.parts = dict(crossed.parts)

    def standard_error(self, levels: Mapping[str, int]) -> tuple[float, float]:
        """Return the standard error of the mean with these numbers of labels, and its degrees."""
        (first, n), (second, m) = levels.items()
        rest = self.parts["rest"]
        squares = (rest + m * self.parts[first], n - 1), (rest + n * self.parts[second], m - 1)
        variance = max(squares[0][0] + squares[1][0] - rest, 0.0)
        total = sum(square**2 / degrees for square, degrees in squares)
        total += rest**2 / ((n - 1) * (m - 1))
        return math.sqrt(variance / (n * m)), max(variance**2 / total, 1.0) if total else 1.0

    def half_width(self, levels: Mapping[str, int], confidence_level: float = 0.95) -> float:
        """Return how far the interval reaches to either side with these numbers of labels."""
        from scipy.special import stdtrit

        error, degrees = self.standard_error(levels)
        return -float(stdtrit(degrees, (1 - confidence_level) / 2)) * error

    def power_of(self, effect: float, levels: Mapping[str, int], alpha: float = 0.05) -> float:
        """Return the probability that a two-sided test finds this mean difference."""
        from scipy.special import nctdtr, stdtrit

        error, degrees = self.standard_error(levels)
        if not error:
            return 1.0
        critical = -float(stdtrit(degrees, alpha / 2))
        return 1 - float(nctdtr(degrees, effect / error, critical))

    def required(
        self, field: str, effect: float, alpha: float = 0.05, power: float = 0.8
    ) -> int | None:
        """Return how many labels of a field find an effect with this power, all else being equal.

        None if no number does, since the other field varies too much.

        Raises:
            ValueError: an argument is out of its range.
        """
        check_option("effect", effect, Positive)
        check_option("alpha", alpha, Level)
        check_option("power", power, Level)
        return self._fewest(field, 2, lambda levels: self.power_of(effect, levels, alpha) >= power)

    def worth(self, field: str, more: int, other: str) -> int | None:
        """Return how many more labels of another field narrow the interval as much as these.

        None if no number does.
        """
        width = self.half_width({**self.levels, field: self.levels[field] + more})
        present = self.levels[other]
        found = self._fewest(other, present, lambda levels: self.half_width(levels) <= width)
        return None if found is None else found - present

    def _fewest(self, field: str, least: int, is_enough: Any) -> int | None:
        """Return the fewest labels of a field, all else being equal, that are enough."""
        return fewest(lambda number: is_enough({**self.levels, field: number}), least, _MOST)
