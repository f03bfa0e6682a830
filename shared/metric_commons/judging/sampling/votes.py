"""The value of k samples of a problem together: the majority of their answers, or the best one.

A problem has more than k samples. Each score is the exact mean over all subsets of k samples, with
integers of any size and one rounding at the end, instead of an average over random subsets.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import comb
from numbers import Integral
from typing import Annotated, Any, Literal

import numpy as np

from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.checks import OptionError, RowError, check_measures, check_sizes
from ...statistics.arguments.domains import Parsed, PerRow, checked_options
from ...statistics.arguments.shapes import ListOf, Scalar, checked_column
from .answer_clusters import SampledAnswers

MEASURES = ("maj@k", "best_of@k", "self_consistency")
Measures = Annotated[
    str | Sequence[str],
    Parsed(partial(check_measures, supported=MEASURES), "a measure, or a list of them"),
]
Ties = Literal["expected", "first", "optimistic", "pessimistic"]
SampleScores = Annotated[Sequence[Sequence[float]], PerRow("list of numbers")]


def sample_sizes(k: Any) -> tuple[int, ...]:
    """Return the sizes that an option names, without repetitions.

    >>> sample_sizes([4, 2, 4])
    (4, 2)
    """
    plain = k.tolist() if hasattr(k, "tolist") else k
    if isinstance(plain, Sequence) and all(isinstance(size, Integral) for size in plain):
        plain = list(dict.fromkeys(plain))
    return check_sizes("k", plain)


Sizes = Annotated[
    int | Sequence[int], Parsed(sample_sizes, "an integer, at least 1, or a list of them")
]


@checked_options
def sampling_scores(
    problems: Sequence[SampledAnswers],
    *,
    k: Sizes | None = None,
    measures: Measures = ("maj@k",),
    ties: Ties = "expected",
    scores: SampleScores | None = None,
) -> dict[str, Floats]:
    """Return the scores of each problem by name, such as "maj@8"; shape (problems,).

    * "maj@k" is the probability that the most frequent of k answers is right.
    * "best_of@k" is the probability that the sample of k with the highest score is right.
    * "self_consistency" is the proportion of samples that give the most frequent answer.

    Ties are between equally frequent answers, or samples with equal scores. "expected": each of
    them wins equally often, which is also the mean over all orders of "first". "optimistic": a
    right one wins, "pessimistic": a wrong one. "first": the first in the list; k must then be all
    samples, since subsets have no order.

    Args:
        problems: the samples of each problem, from `sampled_answers` or `sampled_outcomes`.
        k: the number of samples drawn, one size or several; None for all samples of each problem,
            named "maj@n" and "best_of@n".
        measures: one or several.
        ties: "expected", "first", "optimistic" or "pessimistic".
        scores: for each problem, a number for each sample, for "best_of@k".

    Raises:
        ValueError: a problem has fewer than k samples; there is not one score per sample; or the
            measure needs answers and there are only outcomes.

    >>> answers = SampledAnswers([0, 0, 1], [True, True, False])
    >>> {name: values.tolist() for name, values in sampling_scores([answers], k=[1, 3]).items()}
    {'maj@1': [0.6666666666666666], 'maj@3': [1.0]}
    >>> best = {"measures": "best_of@k", "scores": [[0.5, 0.9, 0.1]]}
    >>> sampling_scores([answers], k=2, **best)["best_of@2"].tolist()
    [1.0]
    """
    names = check_measures(measures, MEASURES)
    sizes = {"n": None} if k is None else {str(size): size for size in sample_sizes(k)}
    numbers = None if scores is None else _checked_scores(scores, problems)
    result: dict[str, Floats] = {}
    for name in names:
        if name != "best_of@k" and not all(problem.clusters for problem in problems):
            raise OptionError(
                "measures", f"holds {name!r}, which takes answers and references, not outcomes"
            )
        if name == "self_consistency":
            result[name] = np.array([_largest_fraction(problem.clusters) for problem in problems])
            continue
        for label, size in sizes.items():
            key = name.removesuffix("k") + label
            _check_sample_counts(problems, key, size, ties)
            if name == "best_of@k":
                if numbers is None:
                    raise OptionError("scores", "is None, but best_of@k chooses samples by them")
                values = [
                    best_chance(row, problem.right, size or len(row), ties)
                    for row, problem in zip(numbers, problems, strict=True)
                ]
            elif ties == "first":
                values = [_first_majority(problem) for problem in problems]
            else:
                values = [
                    majority_chance(
                        *problem.vote_counts(), len(problem.right), size or len(problem.right), ties
                    )
                    for problem in problems
                ]
            result[key] = np.array(values)
    return result


@lru_cache(maxsize=4096)  # few problems have unique counts
def majority_chance(
    right: tuple[int, ...], wrong: tuple[int, ...], n: int, k: int, ties: Ties = "expected"
) -> float:
    """Return the probability that a right answer has the most votes among k of n samples.

    If v votes win, answers with fewer than v samples cannot win, so these samples are drawn freely.
    Of each other answer, fewer than v samples are drawn, or exactly v, which makes it one of the
    winners. The numbers of ways to do so are the coefficients of a product of polynomials, in which
    the exponent of x is the number of samples drawn. A polynomial is one integer here (Kronecker's
    substitution): no coefficient exceeds C(n, u) <= 2**n, so with x = 2**(n + 1) they do not
    overlap, and Python multiplies integers fast.

    Args:
        right: the count of each right answer.
        wrong: the count of each wrong answer.
        n: the number of samples, including those that do not vote.
        k: the number of samples drawn.
        ties: "expected", "optimistic" or "pessimistic", as in `sampling_scores`.

    With answers A, A, B, where A is right, two samples are AA, AB or AB:

    >>> majority_chance((2,), (1,), n=3, k=2), majority_chance((2,), (1,), 3, 2, "pessimistic")
    (0.6666666666666666, 0.3333333333333333)
    """
    counts = [(count, True) for count in right] + [(count, False) for count in wrong]
    width = n + 1
    mask = (1 << (k + 1) * width) - 1  # terms beyond x**k do not matter
    wins = Fraction(0)
    for votes in range(1, min(max(right, default=0), k) + 1):
        free = n - sum(count for count, _ in counts if count >= votes)
        ways = {(0, 0): _polynomial(free, min(free, k), width)}  # by right and wrong winners
        for count, is_right in counts:
            if count < votes:
                continue
            fewer = _polynomial(count, votes - 1, width)
            tied = comb(count, votes) << votes * width
            longer: dict[tuple[int, int], int] = defaultdict(int)
            for (rights, wrongs), product in ways.items():
                longer[rights, wrongs] += product * fewer & mask
                winners = (rights + 1, wrongs) if is_right else (rights, wrongs + 1)
                if sum(winners) * votes <= k:
                    longer[winners] += product * tied & mask
            ways = longer
        for winners, product in ways.items():
            wins += (product >> k * width) * _right_fraction(*winners, ties)
    return float(wins / comb(n, k))


def best_chance(scores: Sequence[float], right: Sequence[bool], k: int, ties: Ties) -> float:
    """Return the probability that the sample with the highest score among k is right.

    C(lesser + size, k) - C(lesser, k) subsets have their highest score at a level with `size`
    samples and `lesser` samples below it.

    >>> best_chance([0.5, 0.9, 0.9], [False, True, False], 2, "expected")
    0.5
    """
    if ties == "first":  # among all samples
        return float(right[max(range(len(scores)), key=scores.__getitem__)])
    levels: dict[float, list[bool]] = defaultdict(list)
    for score, is_right in zip(scores, right, strict=True):
        levels[score].append(is_right)
    lesser, wins = 0, Fraction(0)
    for score in sorted(levels):
        size, rights = len(levels[score]), sum(levels[score])
        subsets = comb(lesser + size, k) - comb(lesser, k)
        without_right = comb(lesser + size - rights, k) - comb(lesser, k)
        without_wrong = comb(lesser + rights, k) - comb(lesser, k)
        if ties == "expected":
            wins += Fraction(subsets * rights, size)
        else:
            wins += subsets - without_right if ties == "optimistic" else without_wrong
        lesser += size
    return float(wins / comb(lesser, k))


def _polynomial(n: int, degree: int, width: int) -> int:
    """Return the sum of C(n, u) * x**u up to a degree, for x = 2**width.

    >>> divmod(_polynomial(2, 1, width=8), 256)
    (2, 1)
    """
    return sum(comb(n, u) << u * width for u in range(degree + 1))


def _right_fraction(rights: int, wrongs: int, ties: Ties) -> Fraction:
    """The value of a subset in which these numbers of right and wrong answers tie for the win."""
    if not rights:
        return Fraction(0)
    if ties == "expected":
        return Fraction(rights, rights + wrongs)
    return Fraction(ties == "optimistic" or not wrongs)


def _first_majority(problem: SampledAnswers) -> float:
    """Return whether the most frequent answer is right; in a tie, the first one."""
    votes = [*filter(lambda cluster: cluster is not None, problem.clusters)]
    if not votes:
        return 0.0
    ((winner, _),) = Counter(votes).most_common(1)  # ties stay in the order of the list
    return float(problem.right[problem.clusters.index(winner)])


def _largest_fraction(clusters: Sequence[int | None]) -> float:
    """Return the proportion of samples that give the most frequent answer."""
    votes = Counter(cluster for cluster in clusters if cluster is not None)
    return max(votes.values(), default=0) / len(clusters)


def _check_sample_counts(
    problems: Sequence[SampledAnswers], name: str, k: int | None, ties: Ties
) -> None:
    """Check that each problem has enough samples, and that all are drawn if order matters."""
    if k is None:
        return
    for row, problem in enumerate(problems):
        n = len(problem.right)
        if n < k:
            raise RowError("predictions", row, f"has {n} samples, {name} needs at least {k}")
        if ties == "first" and n > k:
            raise RowError(
                "predictions", row, f"has {n} samples; ties='first' takes all of them, not {k}"
            )


def _checked_scores(scores: Any, problems: Sequence[SampledAnswers]) -> list[list[float]]:
    """Return a number for each sample of each problem.

    Raises:
        ValueError: there are more or fewer, or one is not a number.
    """
    rows = checked_column("scores", scores, ListOf(Scalar(float)))
    if len(rows) != len(problems):
        raise OptionError("scores", f"has {len(rows)} rows, but there are {len(problems)} problems")
    for row, (values, problem) in enumerate(zip(rows, problems, strict=True)):
        samples = len(problem.right)
        if len(values) != samples:
            raise RowError("scores", row, f"has {len(values)} scores for {samples} samples")
    return [*map(list, rows)]
