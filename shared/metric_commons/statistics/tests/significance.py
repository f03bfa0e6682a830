"""Whether one system scores higher than another on the same rows by more than chance.

A comparison is a test on one number for each row, whose mean is the difference of both scores: the
difference of the scores of the row, or of its influences on them. p-value and interval follow from
one law; see `laws`. No digit depends on the order of rows.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arguments.arrays import Floats
from ..arguments.checks import OptionError
from ..arguments.domains import (
    CrossedLabels,
    Labels,
    Level,
    Positive,
    checked_options,
)
from ..arithmetic.exact_sums import group_sums
from ..intervals.cluster_sums import Clusters
from ..intervals.crossed import CrossedClusters
from ..intervals.intervals import ratio_error
from ..intervals.methods import Assumption, ScoreBounds, score_bounds
from ..intervals.spreads import finite_scores
from ..intervals.summary import mean
from .corrections import significance_level
from .laws import (
    Alternative,
    Drawn,
    Either,
    Ends,
    Law,
    Outcomes,
    Student,
    UnseenRow,
)
from .power import detectable
from .sign_flips import SignedRanks, SignFlips

Test = Literal["permutation", "t", "wilcoxon", "mcnemar"]
_TIE = 1e-12  # a sum of at most this part of all sizes is rounding
_WORSE = 1.5  # times the largest score: an unseen one of a score without bounds


@dataclass(frozen=True)
class Differences:
    """One number for each row, whose mean is the difference of the scores of two systems.

    Args:
        numbers: shape (rows,).
        scores: of both systems.
        bounds: of the number of a row that was not seen.
        limits: of the difference.
        kind: "outcomes" if scores are 0 and 1, "means" if they have a known range, "numbers" if
            not, "influences" if the score is no mean of rows, and "slopes" if the mean of its
            influences is not the difference.
        law: the law, if it is not one of the numbers.
        clusters: one label for each row, or labels by field.
    """

    numbers: Floats
    scores: tuple[float, float]
    bounds: Ends
    limits: Ends
    kind: Literal["outcomes", "means", "numbers", "influences", "slopes"] = "means"
    law: Drawn | None = None
    clusters: CrossedLabels | None = None

    @classmethod
    def of_scores(
        cls,
        a: Floats,
        b: Floats,
        bounds: Sequence[float] | None = None,
        clusters: CrossedLabels | None = None,
    ) -> "Differences":
        """Return the differences of the scores of rows.

        Args:
            a: the scores of system A.
            b: the scores of system B on the same rows.
            bounds: the lowest and the highest possible score; infinite ones, or None, if unknown.
                Those of scores of 0 and 1 are known.
            clusters: one label for each row, or labels by field.

        Raises:
            ValueError: a score is out of bounds.
        """
        both = finite_scores("scores", np.concatenate([a, b]))
        kind: Literal["outcomes", "means"] = "means"
        if bool(((both == 0) | (both == 1)).all()) and bounds in (None, (0.0, 1.0)):
            kind, (low, high) = "outcomes", (0.0, 1.0)
        elif bounds is None or not np.isfinite(bounds).all():
            worst = _WORSE * float(np.abs(both).max())
            reach = worst if float(both.min()) >= 0 else 2 * worst
            ends, limits = (-reach, reach), (-math.inf, math.inf)
            return cls(a - b, (mean(a), mean(b)), ends, limits, "numbers", clusters=clusters)
        else:
            low, high = bounds
            rounding = 1e-9 * (high - low)
            outside = (both < low - rounding) | (both > high + rounding)
            if outside.any():
                row = int(outside.argmax())
                raise OptionError(
                    "bounds",
                    f"are {low:g} and {high:g}, but a score of row {row % a.size} is {both[row]:g}",
                )
        limits = low - high, high - low
        return cls(a - b, (mean(a), mean(b)), limits, limits, kind, clusters=clusters)

    @property
    def difference(self) -> float:
        """Return the difference of both scores."""
        if self.kind in ("influences", "slopes"):
            return self.scores[0] - self.scores[1]
        return mean(self.numbers)


class PairedUnits(NamedTuple):
    """The sums of rows, or of clusters of them, and their sizes, in an order of their own."""

    numbers: Floats
    sizes: Floats
    clusters: int | None = None

    @classmethod
    def of(cls, numbers: Floats, clusters: Labels | None) -> "PairedUnits":
        """Return the rows, or clusters by their labels, whose sums without rounding are 0 or not.

        Raises:
            ValueError: there is not one label for each row.
        """
        sums, sizes, count = numbers, np.ones(numbers.size), None
        if clusters is not None:
            found = Clusters.of_labels(clusters, numbers.size)
            count = len(found.labels)
            sums = group_sums(numbers, found.numbers, count)
            sums = np.where(np.abs(sums) <= _TIE * np.abs(numbers).sum(), 0.0, sums)
            sizes = np.bincount(found.numbers).astype(np.float64)
        order = np.lexsort((sizes, sums))
        return cls(sums[order], sizes[order], count)

    def student(self) -> tuple[Student, float]:
        """Return Student's distribution of the mean, and its classical standard error.

        Clusters of different sizes count as their Kish number of equal ones.
        """
        number, total = self.sizes.size, float(self.sizes.sum())
        kish = total * total / float(np.square(self.sizes).sum())
        error = ratio_error(self.numbers, self.sizes)
        of_kish = math.nan
        if kish > 1:
            of_kish = error * math.sqrt((number - 1) / number * kish / (kish - 1))
        difference = math.fsum(self.numbers.tolist()) / total
        return Student(difference, of_kish if self.numbers.any() else 0.0, kish - 1), error


class Tested(NamedTuple):
    """The laws of a p-value and of the interval that agrees with it."""

    law: Law
    of_interval: Law
    name: str
    statistic: float
    standard_error: float
    clusters: int | None


def law_of(
    rows: Differences,
    *,
    alpha: float,
    test: Test = "permutation",
    alternative: Alternative = "two-sided",
    assume: Assumption = "exchangeable",
) -> Tested:
    """Return the test of the differences of rows.

    Args:
        rows: the differences.
        alpha: one minus the level of the interval.
        test: as in `compared`, like all other arguments.
        alternative: for the statistic of "wilcoxon".
        assume: the law of "permutation".

    Raises:
        ValueError: the test does not suit the rows.
    """
    clusters = rows.clusters
    if isinstance(clusters, Mapping):
        return _crossed(rows, test, assume, clusters)
    _check(rows, test, assume)
    units = PairedUnits.of(rows.numbers, clusters)
    student, error = units.student()
    of_rows = rows.kind == "outcomes" and clusters is None
    unseen = (Outcomes if of_rows else UnseenRow)(units.numbers, units.sizes, rows.bounds)
    if rows.law is not None:
        error = float(rows.law.lower.std())

    def tested(name: str, statistic: float, law: Law, of_interval: Law | None = None) -> Tested:
        return Tested(law, of_interval or law, name, statistic, error, units.clusters)

    if rows.law is not None or assume == "nothing":
        return tested("unseen_row", rows.difference, rows.law or unseen)
    if test == "t":
        return tested("t", student.t, student)
    if test == "wilcoxon":
        ranks = SignedRanks(rows.numbers)
        return tested("wilcoxon", ranks.statistic(alternative), ranks)
    if test == "mcnemar":
        fewer = min((rows.numbers > 0).sum(), (rows.numbers < 0).sum())
        return tested("mcnemar", float(fewer), unseen)
    flips = SignFlips(units.numbers, units.sizes)
    name = "sign_flip_exact" if flips.exact else "sign_flip_saddlepoint"
    shares = units.numbers / (float(np.abs(units.numbers).max()) or 1.0)
    length = math.sqrt(math.fsum(np.square(shares).tolist()))
    statistic = math.fsum(shares.tolist()) / length if length else 0.0
    if of_rows:
        return tested(name, statistic, unseen)
    either = Either([flips, unseen])
    if rows.kind == "slopes":
        return tested(name, statistic, either)
    level = alpha / 2 if alternative == "two-sided" else alpha
    is_few = 0.5 ** np.count_nonzero(units.numbers) >= level  # too few to reject anything
    return tested(name, statistic, flips, either if is_few else None)


def _check(rows: Differences, test: Test, assume: Assumption) -> None:
    """Check that the test suits rows that are not crossed."""
    if assume == "nothing" and test != "permutation":
        raise OptionError("assume", f"'nothing' has a test of its own, which is not {test!r}")
    if assume == "nothing" and rows.kind not in ("outcomes", "means"):
        raise OptionError(
            "assume",
            "'nothing' is for means of rows in a known range; give bounds, the lowest and the "
            "highest score, such as (0, 1)",
        )
    if test != "permutation" and rows.law is not None:
        raise OptionError("test", f"{test!r} is for a number of each row, which there is not")
    if test in ("wilcoxon", "mcnemar") and rows.clusters is not None:
        raise OptionError(
            "test", f"{test!r} is for independent rows, but there are clusters; take 't'"
        )
    if test == "mcnemar" and rows.kind != "outcomes":
        raise OptionError(
            "test", "'mcnemar' is for scores 0 and 1, but there are others among the scores"
        )


def _crossed(
    rows: Differences, test: Test, assume: Assumption, clusters: Mapping[str, Any]
) -> Tested:
    """Return the test of crossed rows: Student's t of their random effects."""
    if assume != "exchangeable":
        raise OptionError("assume", "is not for crossed clusters, which are tested by Student's t")
    if test not in ("permutation", "t"):
        raise OptionError("test", f"{test!r} is not for crossed clusters; take 't'")
    fields = CrossedClusters.of_labels(clusters, rows.numbers.size)
    crossed = fields.sums(rows.numbers)
    error = crossed.standard_error
    law = Student(crossed.mean, error or (math.nan if crossed.mean else 0.0), crossed.degrees)
    return Tested(law, law, "crossed_t", law.t, error, len(fields))


def compared(
    rows: Differences,
    fillings: Sequence[Differences] = (),
    *,
    interval_alpha: float | None,
    alternative: Alternative = "two-sided",
    margin: float | None = None,
    power: float | None = None,
    alpha: float = 0.05,
    **testing: Any,
) -> dict[str, Any]:
    """Return the result of `compare` and, with a margin, `p_inferior`, by which gates refuse.

    Equivalence needs two tests: that no system is better by the margin. Its p-value is the greater.

    Args:
        rows: the differences of the rows.
        fillings: the same with missing rows that have the lowest and the highest score: p is the
            larger one of these, and the interval covers both.
        interval_alpha: one minus the level of the interval; None for no interval.
        alternative: as in `compare`, like all other arguments.
        margin: the difference that matters.
        power: that of the detectable difference.
        alpha: the level.
        **testing: `test` and `assume`.

    Source:
        Schuirmann, A comparison of the two one-sided tests procedure and the power approach (1987).
    """
    testing |= {"alternative": alternative, "alpha": interval_alpha or alpha}
    found = law_of(rows, **testing)
    laws = [law_of(filled, **testing) for filled in fillings]
    law = Either([part.law for part in laws]) if laws else found.law
    of_interval = Either([part.of_interval for part in laws]) if laws else found.of_interval
    p_value, error = law.p_value(alternative), found.standard_error
    result: dict[str, Any] = {
        "A_mean": rows.scores[0],
        "B_mean": rows.scores[1],
        "diff": rows.difference,
        "p_value": p_value,
        "significant": bool(p_value < alpha),
    }
    if interval_alpha is not None:
        ends = of_interval.interval(interval_alpha, alternative, rows.limits)
        result["confidence_interval"] = [*ends]
    result |= {"test": found.name, "statistic": found.statistic, "standard_error": error}
    if found.clusters is not None:
        result["n_clusters"] = found.clusters
    units = found.clusters or rows.numbers.size
    if power is not None:
        result["mde"] = math.nan
        if not math.isnan(error):
            result["mde"] = detectable(error * math.sqrt(units), units, alpha, power)
    if margin is not None:
        not_inferior = of_interval.tail(-margin)
        result["p_equivalent"] = max(not_inferior, of_interval.mirrored.tail(-margin))
        result["p_non_inferior"] = not_inferior
        result["p_inferior"] = of_interval.mirrored.tail(margin)
    return result


@checked_options
def compare(
    predictions1: ArrayLike,
    predictions2: ArrayLike,
    *,
    test: Test = "permutation",
    alternative: Alternative = "two-sided",
    assume: Assumption = "exchangeable",
    bounds: ScoreBounds | None = None,
    clusters: CrossedLabels | None = None,
    margin: Positive | None = None,
    power: Level | None = None,
    alpha: Level = 0.05,
    confidence_level: Level | None = 0.95,
) -> dict[str, Any]:
    """Return both means, their difference, and its uncertainty.

    p-value and interval follow from one law: p is less than alpha exactly if the interval at the
    level 1 - alpha excludes 0. A difference that is not significant does not show that systems are
    equal; `margin` tests that.

    The tests:

    * "permutation" flips the signs of differences, or of the sums of clusters, and needs no draws:
      "sign_flip_exact" or, for many differences without a common unit, an approximation that is
      within a few percent of the exact p-value, however small ("sign_flip_saddlepoint"). The
      interval holds the shifts that are not rejected. For single rows of 0 and 1 that is McNemar's
      exact test, with the interval of rows weighted at random together with an unseen one. The
      statistic is the sum of differences over the root of the sum of their squares.
    * "t" is Student's, as `scipy.stats.ttest_rel`; with clusters the cluster-robust one.
    * "wilcoxon" is the signed-rank test, as `scipy.stats.wilcoxon`, without zeros; its interval is
      of the pseudomedian, the median of the means of two rows. The statistic is the lesser of both
      rank sums, or the positive one where the alternative has a side.
    * "mcnemar" is exact, for scores 0 and 1. The statistic is the number of wins or of losses,
      whichever is less.

    Args:
        predictions1: the scores of system A, shape (rows,).
        predictions2: the scores of system B on the same rows, in the same order.
        test: one of the above.
        alternative: "two-sided", "greater" (A scores higher) or "less"; the interval of a side
            reaches to the end of the range.
        assume: of the permutation test: "exchangeable", that systems could be exchanged row by row,
            or "nothing" but the bounds: p and interval are then those of rows weighted at random
            together with an unseen one, on which A loses or wins all. It needs more rows, and does
            not err where rare rows are much worse than others.
        bounds: the lowest and the highest possible score; "nothing" needs them.
        clusters: one label per row; the units of the test, interval and error are then clusters.
            Two or three fields, `{"item": labels, "template": labels}`, are crossed: p and interval
            are then those of random effects, by Student's t.
        margin: also test whether A is worse by less than this, and whether both are equivalent.
        power: also return the difference that the t-test finds with this probability.
        alpha: a p-value less than this is significant.
        confidence_level: the level of the interval of the difference; None for no interval.

    Returns:
        `A_mean`, `B_mean`, `diff` (the mean difference A - B), `p_value`, `significant`,
        `confidence_interval` (the two ends), `test` (the method), `statistic`, `standard_error` of
        `diff`; with clusters `n_clusters`; with a power `mde`, the minimum detectable effect of the
        two-sided t-test at `alpha`; with a margin `p_equivalent` and `p_non_inferior`.

    Raises:
        ValueError: no rows, or different numbers of them; a score that is not a finite number; an
            option out of its range, or a test that the scores cannot take.

    Source:
        Fisher, The Design of Experiments (1935), section 21. McNemar, Note on the sampling error of
        the difference between correlated proportions (1947).

    >>> result = compare([0.9, 0.8, 0.7, 0.6, 0.5, 1.0], [0.5, 0.5, 0.5, 0.5, 0.0, 0.5])
    >>> print(f"{result['diff']:.3f}, p = {result['p_value']}, {result['test']}")
    0.333, p = 0.03125, sign_flip_exact
    >>> ends = compare([1] * 10, [1] * 10)["confidence_interval"]
    >>> [round(end, 4) for end in ends]
    [-0.3085, 0.3085]
    >>> compare([1.0, 0.5], [0.5, float("inf")])
    Traceback (most recent call last):
    ValueError: predictions2[1] is inf; a score is finite, and at most 1e+280 in size
    """
    a, b = _pair(predictions1, predictions2)
    result = compared(
        Differences.of_scores(a, b, None if bounds is None else score_bounds(bounds), clusters),
        test=test,
        alternative=alternative,
        assume=assume,
        margin=margin,
        power=power,
        alpha=alpha,
        interval_alpha=confidence_level and significance_level(confidence_level),
    )
    result.pop("p_inferior", None)
    return result


def _pair(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    """Return the scores of two systems, if they can be compared row by row."""
    a, b = finite_scores("predictions1", first), finite_scores("predictions2", second)
    if a.size != b.size:
        raise ValueError(
            f"predictions1 has {a.size} rows, but predictions2 has {b.size}; rows are pairs"
        )
    if not a.size:
        raise ValueError("predictions1 is empty; the mean of nothing is undefined")
    return a, b
