"""The distinct answers among the samples of a problem, and which of them are right.

Equivalent answers are grouped before votes are counted; otherwise "1/2" and "0.5" would split the
majority.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from ...statistics.arguments.arrays import Column
from ...statistics.arguments.checks import RowError

Equal = Callable[[str, str], object]
Equivalence = Literal["normalized", "math"] | Equal


class SampledAnswers(NamedTuple):
    """The samples of one problem.

    `right` says for each sample whether it is right, and `clusters` contains the number of its
    answer: None for a sample that does not vote; empty if only outcomes are known.
    """

    clusters: list[int | None]
    right: list[bool]

    def vote_counts(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the counts of each right answer, and of each wrong one; both in ascending order.

        >>> SampledAnswers([0, 1, 0, None], [True, False, True, False]).vote_counts()
        ((2,), (1,))
        """
        votes = Counter(zip(self.clusters, self.right, strict=True))
        counts: dict[bool, list[int]] = {True: [], False: []}
        for (cluster, is_right), count in votes.items():
            if cluster is not None:
                counts[is_right].append(count)
        return tuple(sorted(counts[True])), tuple(sorted(counts[False]))


def sampled_outcomes(predictions: Column) -> list[SampledAnswers]:
    """Return the samples of each problem, from outcomes 0 and 1.

    Raises:
        ValueError: a problem has no samples, or an outcome is neither 0 nor 1.

    >>> sampled_outcomes([[1, 0]])
    [SampledAnswers(clusters=[], right=[True, False])]
    >>> sampled_outcomes([[1, 0], [1, 2]])
    Traceback (most recent call last):
    ValueError: predictions[1][1] is 2; an outcome is 0 or 1
    """
    for row, outcomes in enumerate(predictions):
        if not outcomes:
            raise RowError("predictions", row, "has no samples")
        for sample, outcome in enumerate(outcomes):
            if outcome not in (0, 1):
                raise RowError("predictions", row, f"[{sample}] is {outcome}; an outcome is 0 or 1")
    return [SampledAnswers([], list(map(bool, outcomes))) for outcomes in predictions]


def sampled_answers(
    predictions: Column,
    references: Column,
    *,
    normalizer: Callable[[str], str] = str,
    equal: Equal | None = None,
    blank_votes: bool = True,
) -> list[SampledAnswers]:
    """Group the answers of each problem into clusters.

    Answers are compared after normalization, or in pairs by `equal`, which gets the original texts.
    If it calls a and b equal, and b and c, all three are one answer, which is right if one of them
    equals a reference; so the order of samples does not matter. `equal` is called at most once for
    any two texts of a problem, with the smaller text first, and with a reference before an answer.

    A blank sample is not an answer and is never right. All blank samples of a problem vote together
    for "no answer", or do not vote if `blank_votes` is False.

    Args:
        predictions: the texts of the samples of each problem.
        references: one or more accepted answers for each problem.
        normalizer: a function from text to text.
        equal: whether two answers are equal; None compares normalized texts.
        blank_votes: whether samples without an answer vote.

    Raises:
        ValueError: a problem has no samples, or no reference. The message names the row.

    >>> from fractions import Fraction
    >>> equal = lambda left, right: Fraction(left) == Fraction(right)
    >>> sampled_answers([["1/2", "0.5", "2"]], ["0.5"], equal=equal)
    [SampledAnswers(clusters=[0, 0, 1], right=[True, True, False])]
    >>> sampled_answers([["A", "a", ""]], [["A", "B"]], normalizer=str.lower, blank_votes=False)
    [SampledAnswers(clusters=[0, 0, None], right=[True, True, False])]
    """
    problems = []
    for row, (samples, accepted) in enumerate(zip(predictions, references, strict=True)):
        if not samples:
            raise RowError("predictions", row, "has no samples")
        if accepted == []:
            raise RowError("references", row, "is empty; every row needs at least one reference")
        texts = sorted(text for text in set(samples) if text.strip())
        answers = [accepted] if isinstance(accepted, str) else accepted
        if equal is None:
            names = {text: normalizer(text) for text in texts}
            right = set(map(normalizer, answers))
        else:
            names = _components(texts, equal)
            right = {
                name
                for text, name in names.items()
                if any(equal(answer, text) for answer in answers)
            }
        problems.append(
            SampledAnswers(
                clusters=_numbered([names.get(text) for text in samples], blank_votes),
                right=[names.get(text) in right for text in samples],
            )
        )
    return problems


def _components(texts: Sequence[str], equal: Equal) -> dict[str, str]:
    """For each text, the first text of its cluster.

    >>> _components(["1", "10", "2", "20"], lambda left, right: left[0] == right[0])
    {'1': '1', '10': '1', '2': '2', '20': '2'}
    """
    names = {text: text for text in texts}
    for left, right in combinations(texts, 2):
        if names[left] != names[right] and equal(left, right):
            first, second = sorted((names[left], names[right]))
            names = {text: first if name == second else name for text, name in names.items()}
    return names


def _numbered(names: Sequence[str | None], blank_votes: bool) -> list[int | None]:
    """Return the numbers of the clusters, in order of first occurrence."""
    numbers: dict[str | None, int] = {}
    return [
        numbers.setdefault(name, len(numbers)) if blank_votes or name is not None else None
        for name in names
    ]
