"""Risk and coverage of answers in descending order of confidence.

The most confident answers are given, the others withheld. Coverage is the proportion of answers
that are given, risk the error rate among the given ones.

Confidences that models verbalize are mostly tied. Tied answers are averaged here: if a level has 10
answers and 4 errors, its first 5 answers count 2 errors. This is the mean over all orders of the
ties; with any single order, the order of rows would matter.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

import numpy as np

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.intervals import ratio_interval
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.weighted_units import DrawnScore, unit_intervals
from ...statistics.resampling.row_units import RowUnits


def rank_scores(
    answers: Integers, errors: Integers, coverages: Sequence[float] = ()
) -> dict[str, Floats]:
    """Return how well confidence orders answers: areas, and accuracies of the most confident ones.

    * "aurc" is the area under the risk-coverage curve: the error rate among the k most confident
      answers, averaged over k from 1 to the number of answers.
    * "e_aurc" is the excess of this area over the area if all errors came last.
    * "augrc" is the mean number of errors among the k most confident, divided by all answers.
    * "auroc" is the probability that a correct answer is more confident than a wrong one; ties
      count half.
    * "accuracy@0.5" is the accuracy among the most confident half: at least one answer, and at
      least this proportion of all, read as a decimal number.

    Args:
        answers: the number of answers at each confidence, highest first, shape (..., levels). A
            level may be empty.
        errors: the number of wrong answers at each confidence.
        coverages: the coverages of the accuracies.

    Returns:
        Arrays of shape (...), NaN if a score is undefined: without answers, and "auroc" without
        correct or without wrong answers.

    Source:
        Geifman et al., Bias-Reduced Uncertainty Estimation for Deep Neural Classifiers (2019), for
        AURC and E-AURC, whose optimum is exact here; Traub et al., Overcoming Common Flaws in the
        Evaluation of Selective Classification Systems (2024), for AUGRC.

    >>> scores = rank_scores(np.array([1, 2]), np.array([0, 1]), [0.5])
    >>> {name: round(float(score), 4) for name, score in scores.items()}
    {'aurc': 0.1944, 'e_aurc': 0.0833, 'augrc': 0.1667, 'auroc': 0.75, 'accuracy@0.5': 0.75}
    """
    if not answers.shape[-1]:  # without levels, one that is empty
        answers = errors = np.zeros((*answers.shape[:-1], 1), np.int64)
    n, wrong = answers.sum(axis=-1), errors.sum(axis=-1)
    right = n - wrong
    answers_before = answers.cumsum(axis=-1) - answers
    errors_before = errors.cumsum(axis=-1) - errors
    errors_behind = wrong[..., np.newaxis] - errors_before - errors
    share = errors / np.maximum(answers, 1)
    # After B errors among N answers, a level has e errors among m answers. The i-th of these adds
    # the risk (B + i e / m) / (N + i), and all together e + (B - N e / m) times the sum of 1 / (N +
    # i).
    risks = errors + (errors_before - answers_before * share) * _reciprocals(
        answers_before, answers_before + answers
    )
    # The errors among the first i answers of a level are B + i e / m, and are added up likewise.
    error_sums = 2 * errors_before * answers + errors * (answers + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        aurc = risks.sum(axis=-1) / n
        optimal_aurc = (wrong - right * _reciprocals(right, n)) / n
        scores = {
            "aurc": aurc,
            "e_aurc": aurc - optimal_aurc,
            "augrc": error_sums.sum(axis=-1) / (2 * n * n),
            "auroc": ((answers - errors) * (2 * errors_behind + errors)).sum(axis=-1)
            / (2 * right * wrong),
        }
        for coverage in coverages:
            decimal = Fraction(repr(float(coverage)))
            answer_count = np.maximum(-(-n * decimal.numerator // decimal.denominator), 1)
            level = (answers.cumsum(axis=-1) >= answer_count[..., np.newaxis]).argmax(axis=-1)
            rank, wrong_before, m, e = (
                np.take_along_axis(column, level[..., np.newaxis], axis=-1)[..., 0]
                for column in (answers_before, errors_before, answers, errors)
            )
            correct = (answer_count - wrong_before) * m - (answer_count - rank) * e
            scores[f"accuracy@{float(coverage)!r}"] = correct / (answer_count * m)
    return scores


def risk_coverage_curve(
    confidences: Floats, answers: Integers, errors: Integers
) -> dict[str, list[float]]:
    """Return coverage and risk at the end of each level, and the confidence of the level.

    >>> risk_coverage_curve(np.array([0.9, 0.5]), np.array([1, 3]), np.array([0, 2]))
    {'coverage': [0.25, 1.0], 'risk': [0.0, 0.5], 'thresholds': [0.9, 0.5]}
    """
    totals = answers.cumsum()
    return {
        "coverage": (totals / answers.sum()).tolist(),
        "risk": (errors.cumsum() / totals).tolist(),
        "thresholds": confidences.tolist(),
    }


def _reciprocals(start: Integers, end: Integers) -> Floats:
    """1 / (start + 1) + ... + 1 / end, accurate to some units in the last place.

    It is a difference of cumulative sums. The rounding error of each step is known exactly (Knuth's
    two-sum), and is accumulated separately.

    >>> _reciprocals(np.array([0, 2]), np.array([3, 2])).tolist()
    [1.8333333333333333, 0.0]
    """
    terms = 1 / np.arange(1, int(end.max(initial=0)) + 1)
    sums = np.append(0.0, np.cumsum(terms))
    steps = np.diff(sums)
    rounding = (sums[:-1] - (sums[1:] - steps)) + (terms - steps)
    corrections = np.append(0.0, np.cumsum(rounding))
    values: Floats = (sums[end] - sums[start]) + (corrections[end] - corrections[start])
    return values


@dataclass(frozen=True)
class GradedAnswers:
    """Return whether each row is correct, and whether there was an answer at all; shape (rows,).

    `confidences` are None if only grades are known.
    """

    correct: Booleans
    attempted: Booleans
    confidences: Floats | None = None

    def __len__(self) -> int:
        return self.correct.size

    def take(self, rows: Integers) -> Self:
        """Return some of the rows."""
        confidences = None if self.confidences is None else self.confidences[rows]
        return type(self)(self.correct[rows], self.attempted[rows], confidences)


@dataclass(frozen=True)
class AnswerKinds:
    """The kinds of equal rows, with their counts.

    Kinds are in a fixed order, highest confidence first, so that results do not depend on the order
    of rows.
    """

    counts: Integers
    index: Integers  # the kind of each row
    correct: Booleans
    attempted: Booleans
    levels: Integers  # the start of the kinds of each confidence among attempted answers
    confidences: Floats | None  # of the levels
    coverages: tuple[float, ...]

    @classmethod
    def of_answers(cls, answers: GradedAnswers, coverages: Sequence[float]) -> Self:
        """Return the kinds of these answers."""
        keys = np.zeros(len(answers))
        if answers.confidences is not None:  # not needed for answers not attempted
            keys = np.where(answers.attempted, -answers.confidences, 0.0)
        levels, level = np.unique(keys, return_inverse=True)
        # Answers that were not attempted come last: they are not ordered by confidence.
        codes = 2 * np.where(answers.attempted, level, levels.size) + answers.correct
        kinds, index, counts = np.unique(codes, return_inverse=True, return_counts=True)
        attempted = kinds < 2 * levels.size
        level_numbers, starts = np.unique(kinds[attempted] // 2, return_index=True)
        confidences = None if answers.confidences is None else 0.0 - levels[level_numbers]
        return cls(counts, index, kinds % 2 == 1, attempted, starts, confidences, tuple(coverages))

    def scores(self, counts: Integers) -> dict[str, Floats]:
        """The scores of each resample that are not means of rows, from the counts of kinds."""
        correct = counts[:, self.correct].sum(axis=1)
        attempted = counts[:, self.attempted].sum(axis=1)
        with np.errstate(invalid="ignore"):  # where all weights of a draw are rounded to 0
            scores: dict[str, Floats] = {"f1": 2 * correct / (attempted + counts.sum(axis=1))}
        if self.confidences is not None:
            scores |= rank_scores(*self._levels(counts), self.coverages)
        return scores

    def curve(self) -> dict[str, list[float]]:
        """Return the risk-coverage curve."""
        answers, errors = self._levels(self.counts[np.newaxis])
        confidences = np.zeros(0) if self.confidences is None else self.confidences
        return risk_coverage_curve(confidences, answers[0], errors[0])

    def _levels(self, counts: Integers) -> tuple[Integers, Integers]:
        """The numbers of answers and errors of each confidence, shape (resamples, levels)."""
        answers = counts[:, self.attempted]
        errors = np.where(self.correct[self.attempted], 0, answers)
        if not self.levels.size:
            return answers, errors
        return (
            np.add.reduceat(answers, self.levels, axis=1),
            np.add.reduceat(errors, self.levels, axis=1),
        )


_JOINED = 1 << 8  # different confidences, beyond which neighbours are joined
_PARTS = 1 << 14  # of all weight, in which weighted answers are counted


def answer_intervals(
    answers: GradedAnswers,
    coverages: Sequence[float],
    scores: Mapping[str, float],
    uncertainty: Uncertainty,
) -> dict[str, Interval]:
    """Return the intervals of scores by random weights of answers, the same for all scores.

    The unseen answer has a confidence that occurs, and is right or wrong: such that it lowers, or
    raises, a score most. F1 is a ratio of sums, and has an exact interval.

    Args:
        answers: the rows.
        coverages: the coverages of the accuracies.
        scores: the values of the scores.
        uncertainty: the level, the method and the clusters.
    """
    clusters, levels = uncertainty.clusters, np.zeros(1)
    if answers.confidences is not None:
        joined = _joined(answers.confidences)
        answers, attempted = replace(answers, confidences=joined), joined[answers.attempted]
        levels = np.unique(attempted) if attempted.size else levels
    confidences = answers.confidences
    extended = GradedAnswers(
        np.append(answers.correct, np.repeat([False, True], levels.size)),
        np.append(answers.attempted, np.ones(2 * levels.size, bool)),
        None if confidences is None else np.concatenate([confidences, levels, levels]),
    )
    kinds = AnswerKinds.of_answers(extended, coverages)
    observed, candidates = np.split(kinds.index, [len(answers)])
    candidates, size = np.unique(candidates), kinds.counts.size
    if not isinstance(clusters, Clusters):
        counts = np.bincount(observed, minlength=size)
        present = np.flatnonzero(counts)
        units = RowUnits(counts[present], np.eye(size)[present])
    else:
        table = np.zeros((len(clusters.labels), size))
        np.add.at(table, (clusters.numbers, observed), 1)
        units = RowUnits.of_rows(table, np.arange(len(table)))
    amounts = units.of_kinds()
    sizes = amounts.sum(axis=1)
    rows = float(units.counts @ sizes)
    unseen_size = float(units.counts @ (sizes * sizes)) / rows if rows else 1.0
    intervals: dict[str, Interval] = {}
    scale = 1
    if uncertainty.method != "bootstrap":
        scale = max(1, math.ceil(_PARTS / max(rows, 1.0)))  # makes weights whole numbers
        intervals["f1"] = ratio_interval(
            amounts @ (2.0 * kinds.correct),
            amounts @ (1.0 + kinds.attempted),
            replace(uncertainty, method="auto"),
            counts=units.counts.astype(np.float64),
        )

    def measure(sums: Floats, names: Collection[str]) -> Mapping[str, Floats]:
        return kinds.scores(np.rint(sums.T * scale).astype(np.int64))

    drawn_names = sorted(scores.keys() - intervals.keys())
    unseen_units = np.zeros((candidates.size, size))
    unseen_units[np.arange(candidates.size), candidates] = unseen_size
    drawn_scores = {
        name: DrawnScore(
            scores[name],
            unseen_units,
            bounds=(0.0, 0.5 if name == "augrc" else 1.0),
        )
        for name in drawn_names
    }
    return intervals | unit_intervals(units, drawn_scores, measure, uncertainty)


def _joined(confidences: Floats) -> Floats:
    """Return confidences in the same order, of which neighbours are joined if there are many."""
    levels, numbers = np.unique(confidences, return_inverse=True)
    width = levels.size // _JOINED + 1
    joined = levels[numbers // width * width]
    # The highest one stays, since a wrong answer there is the worst.
    return np.where(numbers == levels.size - 1, levels[-1:], joined)
