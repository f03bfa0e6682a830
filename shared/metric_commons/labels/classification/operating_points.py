"""Choose a threshold by a rule, and evaluate it on rows that were not used to choose it.

A threshold that is optimal on some rows looks better on these rows than on others. So the rows are
divided into ten parts, and each part is evaluated with the threshold that the rule chooses on the
other nine. Intervals are for these held-out decisions.
"""

import re
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.arguments.checks import shown
from ...statistics.arguments.domains import Parsed
from ...statistics.intervals.cluster_sums import Clusters
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.summary import Measured
from ..thresholds.areas import RowScores
from ..thresholds.curves import ScoreCounts, score_counts
from .classified_rows import classified
from .confusion import LabelMeasures
from .label_intervals import label_intervals

_PARTS = 10
_NAMES = ("f1", "f_beta", "eer", "youden", "balanced_accuracy")
_RATES = ("recall", "precision", "specificity", "fpr")
_SYNTAX = re.compile(rf"({'|'.join(_RATES)})(>=|<=)([0-9]+\.?[0-9]*|\.[0-9]+)", re.ASCII)
_SCORES = ("precision", "recall", "f1", "f_beta", "fpr", "specificity", "balanced_accuracy")


class Rule(NamedTuple):
    """How a threshold is chosen: by a score that it maximizes, "eer", or a rate and its limit."""

    kind: str
    limit: float = 0.0


def parse_rule(rule: Any) -> Rule:
    """Parse the name of a rule.

    >>> parse_rule("recall>=0.9"), parse_rule("f1")
    (Rule(kind='recall', limit=0.9), Rule(kind='f1', limit=0.0))
    >>> parse_rule("recall<=0.9")
    Traceback (most recent call last):
    ValueError: operating_point must be 'f1', 'f_beta', 'eer', 'youden', 'balanced_accuracy', \
'recall>=0.9', 'precision>=0.9', 'specificity>=0.9' or 'fpr<=0.1', with any number from 0 to 1, \
got 'recall<=0.9'
    """
    if rule in _NAMES:
        return Rule(rule)
    parts = _SYNTAX.fullmatch(rule.replace(" ", "")) if isinstance(rule, str) else None
    if parts and parts[2] == ("<=" if parts[1] == "fpr" else ">=") and float(parts[3]) <= 1:
        return Rule(parts[1], float(parts[3]))
    raise ValueError(
        f"operating_point must be {', '.join(map(repr, _NAMES))}, 'recall>=0.9', "
        "'precision>=0.9', 'specificity>=0.9' or 'fpr<=0.1', with any number from 0 to 1, got "
        f"{shown(rule)}"
    )


_WORDS = f"{', '.join(map(repr, _NAMES))}, or as 'recall>=0.9'"
OperatingPoint = Annotated[str, Parsed(parse_rule, _WORDS)]


def point_scores(
    rows: RowScores,
    rule: str,
    *,
    beta: float = 1.0,
    zero_division: float = 0.0,
    uncertainty: Uncertainty | None = None,
    clusters: Clusters | None = None,
    seed: int = 0,
) -> Measured:
    """Return the threshold, label scores at that threshold, and held-out scores under `held_out`.

    The intervals are those of held-out scores.

    Args:
        rows: the rows of a binary task.
        rule: as in `parse_rule`.
        beta: the beta of F-beta.
        zero_division: the value of a ratio with denominator 0.
        uncertainty: of the intervals; None for none.
        clusters: the clusters of rows, which are kept together; None if rows are independent.
        seed: the seed of the division into parts.

    Source:
        Stone, Cross-validatory choice and assessment of statistical predictions (1974).

    >>> rows = RowScores(np.array([0.1, 0.4, 0.35, 0.8]), np.array([0, 0, 1, 1]) == 1, None)
    >>> point, _ = point_scores(rows, "recall>=0.9")
    >>> point["threshold"], point["recall"], point["fpr"]
    (0.35, 1.0, 0.5)
    """
    choose = partial(chosen_threshold, rule=parse_rule(rule), beta=beta)
    threshold = choose(rows.counts)
    point: dict[str, Any] = {"threshold": threshold}
    if rule == "eer":
        point["eer"] = equal_error_rate(rows.counts)
    held_out = np.zeros(rows.scores.size, np.bool_)
    parts = held_out_parts(rows, clusters, seed)
    for part in range(int(parts.max()) + 1):
        is_part = parts == part
        columns = (rows.scores, rows.positive, rows.weights)
        others = score_counts(*(None if of is None else of[~is_part] for of in columns))  # type: ignore[arg-type]
        held_out[is_part] = rows.scores[is_part] >= choose(others)
    intervals: dict[str, Any] = {}
    for decisions in (rows.scores >= threshold, held_out):
        decided = classified(decisions, rows.positive, rows.weights)
        measures = LabelMeasures(replace(decided.task, absent=frozenset()), beta, zero_division)
        counts = decided.counts()
        scores = {name: s.item() for name, s in measures.scores(counts, _SCORES).items()}
        if decisions is held_out:
            point["held_out"] = scores
            if uncertainty is not None:
                found = label_intervals(decided, measures, counts, scores, uncertainty)
                intervals["held_out"] = found
        else:
            point |= scores
    return point, intervals


def chosen_threshold(counts: ScoreCounts, rule: Rule, beta: float = 1.0) -> float:
    """Return the lowest score of positive rows.

    Infinity if no row is, NaN if no choice is possible.

    Among equally good thresholds, the highest is chosen. A limit on recall is satisfied by the
    highest threshold that can, any other limit by the lowest.

    >>> counts = score_counts(np.array([0.1, 0.4, 0.8]), np.array([False, True, True]))
    >>> [chosen_threshold(counts, parse_rule(rule)) for rule in ("f1", "recall>=0.5", "fpr<=0")]
    [0.4, 0.8, 0.4]
    """
    positives, negatives = counts.total_positives, counts.total_negatives
    needs_positives = rule.kind not in ("fpr", "specificity")
    needs_negatives = rule.kind in ("fpr", "specificity", "youden", "balanced_accuracy", "eer")
    if (needs_positives and not positives) or (needs_negatives and not negatives):
        return float("nan")
    thresholds = np.append(counts.scores, np.inf)
    true, false = np.append(counts.true_positives, 0), np.append(counts.false_positives, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = {
            "recall": true / positives,
            "precision": np.append(counts.precision, 1.0),
            "specificity": (negatives - false) / np.float64(negatives),
            "fpr": false / np.float64(negatives),
        }
    if rule.kind in rates:
        rate = rates[rule.kind]
        suits = rate <= rule.limit if rule.kind == "fpr" else rate >= rule.limit
    else:
        if rule.kind == "eer":
            scores = -np.abs(rates["fpr"] - (positives - true) / positives)
        elif rule.kind in ("f1", "f_beta"):
            square = 1.0 if rule.kind == "f1" else beta * beta
            scores = true / (square * positives + true + false)
        else:  # recall - fpr, which is 2 * balanced accuracy - 1
            scores = true * negatives - false * positives
        suits = scores == scores.max()
    suiting = thresholds[suits]
    is_highest = rule.kind not in ("precision", "specificity", "fpr")
    return float(suiting[-1] if is_highest else suiting[0])


def equal_error_rate(counts: ScoreCounts) -> float:
    """Return the rate at which both kinds of errors are equal on the ROC curve, joined by lines.

    >>> round(equal_error_rate(score_counts(np.arange(4.0), np.array([0, 1, 0, 1]) == 1)), 4)
    0.5
    """
    positives, negatives = counts.total_positives, counts.total_negatives
    if not positives or not negatives:
        return float("nan")
    fpr = np.append(counts.false_positives, 0)[::-1] / negatives
    fnr = (positives - np.append(counts.true_positives, 0)[::-1]) / positives
    return float(np.interp(0.0, fpr - fnr, fpr))


def held_out_parts(rows: RowScores, clusters: Clusters | None, seed: int) -> Integers:
    """Return the part of each row.

    Clusters at random, or positives and negatives each evenly at random.

    Rows are sorted before they are divided, so that their order does not matter.
    """
    words = np.random.PCG64(int(seed))
    if clusters is not None:
        order = np.argsort(clusters.labels)
        shuffled = order[np.argsort(words.random_raw(order.size), kind="stable")]
    else:
        keys: list[Floats | Booleans] = [rows.scores, rows.positive]
        order = np.lexsort(keys if rows.weights is None else [rows.weights, *keys])
        numbers = words.random_raw(order.size)
        shuffled = order[np.lexsort([numbers, rows.positive[order]])]
    parts = np.empty(shuffled.size, np.int64)
    parts[shuffled] = np.arange(shuffled.size) % _PARTS
    return parts if clusters is None else parts[clusters.numbers]
