"""Answers of a model that may abstain, graded, and possibly with a confidence."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Booleans, Column, Floats
from ...statistics.arguments.checks import OptionError, RowError
from ...statistics.arguments.domains import Level, Proportion, checked_options
from ...statistics.intervals.intervals import mean_interval
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import UNDEFINED, Interval
from ...statistics.intervals.summary import Measured, mean, summarize_inputs
from .risk_coverage import AnswerKinds, GradedAnswers, answer_intervals

GRADES = {"correct": (True, True), "incorrect": (False, True), "not_attempted": (False, False)}
_LETTERS = dict(zip("ABC", GRADES.values(), strict=True))


def graded_answers(predictions: Column) -> GradedAnswers:
    """Parse rows from grades or from records.

    Args:
        predictions: "correct", "incorrect" or "not_attempted", or A, B or C for these; or records
            with `correct`, `confidence` and optionally `attempted`.

    Raises:
        ValueError: a grade is unknown, or a row is correct but not attempted.

    >>> graded_answers(["correct", "C"]).attempted.tolist()
    [True, False]
    >>> graded_answers(["correct", "wrong"])
    Traceback (most recent call last):
    ValueError: predictions[1] is 'wrong'; expected 'correct', 'incorrect' or 'not_attempted'
    """
    if isinstance(predictions[0], Mapping):
        correct = np.array([row["correct"] for row in predictions], dtype=bool)
        attempted = np.array([row.get("attempted", True) for row in predictions], dtype=bool)
        if (correct & ~attempted).any():
            row = int((correct & ~attempted).argmax())
            raise RowError("predictions", row, "is correct, but not attempted")
        confidences = np.array([row["confidence"] for row in predictions], dtype=np.float64)
        return GradedAnswers(correct, attempted, confidences + 0.0)  # -0.0 becomes 0.0
    grades = GRADES | _LETTERS
    for row, grade in enumerate(predictions):
        if grade not in grades:
            expected = "expected 'correct', 'incorrect' or 'not_attempted'"
            raise RowError("predictions", row, f"is {grade[:60]!r}; {expected}")
    correct, attempted = np.array([grades[grade] for grade in predictions]).T
    return GradedAnswers(correct, attempted)


@checked_options
def selective_scores(
    predictions: Column,
    *,
    confidence_targets: Sequence[Level] = (),
    coverages: Sequence[Proportion] = (),
    curve: bool = False,
    **uncertainty: Any,
) -> dict[str, Any]:
    """The rates of correct, wrong and withheld answers, and how well confidence predicts them.

    `correct`, `incorrect` and `not_attempted` are proportions of all rows. `f1` is the harmonic
    mean of `correct` and `accuracy_given_attempted`, as in SimpleQA. All scores based on confidence
    are over the attempted rows.

    Args:
        predictions: as in `graded_answers`.
        confidence_targets: for each t the score `penalized@t`: a correct answer counts 1, a wrong
            one -t / (1 - t), so that answering pays off above the confidence t.
        coverages: for each proportion the accuracy of the most confident answers, `accuracy@share`.
        curve: also return `risk_coverage`: coverage and risk at each threshold of confidence.
        **uncertainty: the options of `summarize_inputs`; scores that are not means of rows are
            drawn.

    Raises:
        ValueError: a row is not valid; coverages or a curve are requested of grades without
            confidences; or there is not one label per row.

    >>> scores = selective_scores(["correct", "incorrect", "C"], confidence_targets=[0.75])
    >>> round(scores["f1"], 3), scores["accuracy_given_attempted"], scores["penalized@0.75"]
    (0.4, 0.5, -0.6666666666666666)
    """
    answers = graded_answers(predictions)
    if answers.confidences is None and (coverages or curve):
        option = "coverages" if coverages else "curve"
        raise OptionError(option, "needs confidences, but these rows are only grades")

    def measured(*, uncertainty: Uncertainty | None, **columns: Any) -> Measured:
        part = GradedAnswers(**columns)
        means = _means(part, confidence_targets)
        kinds = AnswerKinds.of_answers(part, coverages)
        rank_results = kinds.scores(kinds.counts[np.newaxis])
        values = {name: float(scores[0]) for name, scores in rank_results.items()}
        result: dict[str, Any] = {name: score.value() for name, score in means.items()} | values
        if curve:
            result["risk_coverage"] = kinds.curve()
        if uncertainty is None:
            return result, {}
        intervals = {name: score.interval(uncertainty) for name, score in means.items()}
        return result, intervals | answer_intervals(part, coverages, values, uncertainty)

    columns = {
        "correct": answers.correct,
        "attempted": answers.attempted,
        "confidences": answers.confidences,
    }
    return summarize_inputs(measured, columns, **uncertainty)


@dataclass(frozen=True)
class _Mean:
    """A score that is a mean over some of the rows; NaN if there are none."""

    values: Floats  # of these rows
    rows: Booleans  # which of all rows are included
    bounds: tuple[float, float] = (0.0, 1.0)

    def value(self) -> float:
        return mean(self.values) if self.values.size else math.nan

    def interval(self, uncertainty: Uncertainty) -> Interval:
        if math.isnan(self.value()):
            return UNDEFINED
        rows, clusters = np.flatnonzero(self.rows), uncertainty.clusters
        is_binary = clusters is None and np.isin(self.values, self.bounds).all()
        if uncertainty.method == "wilson" and not is_binary:
            uncertainty = replace(uncertainty, method="auto")  # the result names the method used
        uncertainty = replace(uncertainty, clusters=clusters and clusters.take(rows))
        found = mean_interval(self.values, uncertainty, bounds=self.bounds)
        return found._replace(rows=rows.size)


def _means(answers: GradedAnswers, targets: Sequence[float]) -> dict[str, _Mean]:
    """Return the scores that are means of rows."""
    correct, attempted = answers.correct.astype(np.float64), answers.attempted
    rows = np.ones(len(answers), dtype=bool)
    wrong = attempted & ~answers.correct
    means = {
        "correct": _Mean(correct, rows),
        "incorrect": _Mean(wrong.astype(np.float64), rows),
        "not_attempted": _Mean((~attempted).astype(np.float64), rows),
        "accuracy_given_attempted": _Mean(correct[attempted], attempted),
    }
    for target in targets:
        target_fraction = Fraction(repr(float(target)))
        penalty = float(target_fraction / (1 - target_fraction))
        means[f"penalized@{float(target)!r}"] = _Mean(
            np.where(wrong, -penalty, correct), rows, (-penalty, 1.0)
        )
    if answers.confidences is not None:
        confidences = answers.confidences[attempted]
        losses = (confidences - correct[attempted]) ** 2
        if ((confidences < 0) | (confidences > 1)).any():
            losses = np.full(losses.size, math.nan)
        means["accuracy"] = means["accuracy_given_attempted"]
        means["brier"] = _Mean(losses, attempted)
    return means
