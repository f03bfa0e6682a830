"""Scores of several samples of one question: avg@k, pass@k and maj@k, where k is their number."""

from collections.abc import Sequence
from itertools import groupby
from math import fsum, inf, nan
from typing import Any

from ...judging.sampling.answer_clusters import sampled_answers
from ...judging.sampling.votes import majority_chance
from ...statistics.arguments.domains import Level, check_option
from ...statistics.intervals.intervals import interval
from ...statistics.intervals.methods import Method
from ...statistics.intervals.proportions import Interval
from .verdicts import Task, Verdict

NAMES = ("avg", "pass", "maj")


def sample_scores(task: Task, verdicts: Sequence[Verdict]) -> dict[str, float]:
    r"""Return the scores of a question whose samples were judged; empty if no sample has a score.

    "avg@k" is the mean score, "pass@k" says whether a sample reaches the best score, and "maj@k"
    whether the most frequent answer does: of equally frequent ones, the proportion that do. Samples
    without an answer do not vote; answers of mathematics are one answer if they are equal.

    >>> from .named_tasks import task
    >>> samples = [r"\boxed{1/2}", r"\boxed{0.5}", r"\boxed{3}", "?"]
    >>> sample_scores(task("math"), task("math").verdicts(samples, ["0.5"] * 4))
    {'avg@4': 0.5, 'pass@4': 1.0, 'maj@4': 1.0}
    """
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    if not scores:
        return {}
    right = [task.scale().passes(verdict.score) for verdict in verdicts]
    answers = [" ".join((verdict.answer or "").split()) for verdict in verdicts]
    (votes,) = sampled_answers([answers], [""], equal=task.equal_answers(), blank_votes=False)
    counts = votes._replace(right=right).vote_counts()
    k = len(verdicts)
    majority = majority_chance(*counts, k, k) if any(counts) else 0.0
    values = (fsum(scores) / len(scores), float(any(right)), majority)
    return {f"{name}@{k}": value for name, value in zip(NAMES, values, strict=True)}


def scores_of_groups(
    task: Task, verdicts: Sequence[Verdict], questions: Sequence[Any]
) -> dict[str, float]:
    r"""Return the means over questions, with ends of the interval of the mean score.

    Rows of a question stand together, as the generations of a trainer do; the interval takes
    questions as units. Empty if the questions do not have the same number of samples, above one.

    >>> from .named_tasks import task
    >>> verdicts = task("found").verdicts([r"\boxed{2}", "2"] * 2, [None] * 4)
    >>> found = scores_of_groups(task("found"), verdicts, ["a", "a", "b", "b"])
    >>> found["avg@2"], found["pass@2"], sorted(found)
    (0.5, 1.0, ['avg@2', 'avg@2_high', 'avg@2_low', 'maj@2', 'pass@2'])
    """
    rows = groupby(range(len(verdicts)), key=lambda row: repr(questions[row]))
    groups = [[verdicts[row] for row in members] for _, members in rows]
    if len({len(group) for group in groups}) != 1 or len(groups[0]) < 2:
        return {}
    of_questions = [scores for group in groups if (scores := sample_scores(task, group))]
    if not of_questions:
        return {}
    columns = {name: [scores[name] for scores in of_questions] for name in of_questions[0]}
    means = {name: fsum(column) / len(column) for name, column in columns.items()}
    if len(of_questions) > 1:
        name = next(iter(columns))
        estimated = mean_estimate(columns[name])
        means |= {f"{name}_low": estimated.low, f"{name}_high": estimated.high}
    return means


def check_interval_options(level: Any, method: Any = "auto") -> None:
    """Check the options of an interval before there are scores.

    >>> check_interval_options(95)
    Traceback (most recent call last):
    ValueError: level must be a number strictly between 0 and 1, got 95; for 95 % pass 0.95
    """
    check_option("method", method, Method)
    check_option("level", level, Level)


def mean_estimate(
    scores: Sequence[float],
    level: float = 0.95,
    clusters: Sequence[Any] | None = None,
    method: Method = "auto",
) -> Interval:
    """Return the interval of a mean: within [0, 1] if the scores are, else without an upper bound.

    Without scores all numbers are NaN.

    >>> "{:.2f} to {:.2f}".format(*mean_estimate([1.0] * 10)[:2])
    '0.69 to 1.00'
    >>> mean_estimate([0.0, 3.0]).high > 1
    True
    """
    if not scores:
        return Interval(nan, nan, method, nan, None)
    low = -inf if min(scores) < 0 else 0.0
    bounds = (low, inf if low < 0 or max(scores) > 1 else 1.0)
    return interval(scores, confidence_level=level, method=method, clusters=clusters, bounds=bounds)
