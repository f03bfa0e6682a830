"""Risk and coverage of answers in descending order of confidence.

The most confident answers are given, the others withheld. Coverage is the proportion of answers
that are given, risk the error rate among the given ones.

Confidences that models verbalize are mostly tied. Tied answers are averaged here: if a level has 10
answers and 4 errors, its first 5 answers count 2 errors. This is the mean over all orders of the
ties; with any single order, the order of rows would matter.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers


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
    """Coverage and risk at the end of each level, and the confidence of the level.

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
