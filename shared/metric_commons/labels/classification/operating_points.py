"""Choose a threshold by a rule. On other rows it is not as good as on those that chose it."""

import re
from typing import Annotated, Any, NamedTuple

import numpy as np

from ...statistics.arguments.checks import shown
from ...statistics.arguments.domains import Parsed
from ..thresholds.areas import RowScores
from ..thresholds.curves import ScoreCounts
from .classified_rows import classified
from .confusion import LabelMeasures

_NAMES = ("f1", "eer", "youden")
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
    ValueError: operating_point must be 'f1', 'eer', 'youden', 'recall>=0.9', 'precision>=0.9', \
'specificity>=0.9' or 'fpr<=0.1', with any number from 0 to 1, got 'recall<=0.9'
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
    rows: RowScores, rule: str, *, beta: float = 1.0, zero_division: float = 0.0
) -> dict[str, float]:
    """Return the threshold, and the scores of labels at that threshold.

    Args:
        rows: the rows of a binary task.
        rule: as in `parse_rule`.
        beta: the beta of F-beta.
        zero_division: the value of a ratio with denominator 0.

    >>> rows = RowScores(np.array([0.1, 0.4, 0.35, 0.8]), np.array([0, 0, 1, 1]) == 1, None)
    >>> point = point_scores(rows, "recall>=0.9")
    >>> point["threshold"], point["recall"], point["fpr"]
    (0.35, 1.0, 0.5)
    """
    threshold = chosen_threshold(rows.counts, parse_rule(rule))
    point = {"threshold": threshold}
    if rule == "eer":
        point["eer"] = equal_error_rate(rows.counts)
    decided = classified(rows.scores >= threshold, rows.positive, rows.weights)
    measures = LabelMeasures(decided.task, beta, zero_division)
    scores = measures.scores(decided.counts(), _SCORES)
    return point | {name: score.item() for name, score in scores.items()}


def chosen_threshold(counts: ScoreCounts, rule: Rule) -> float:
    """Return the lowest score of positive rows.

    Infinity if no row is, NaN if no choice is possible.

    Among equally good thresholds, the highest is chosen. A limit on recall is satisfied by the
    highest threshold that can, any other limit by the lowest.

    >>> from ..thresholds.curves import score_counts
    >>> counts = score_counts(np.array([0.1, 0.4, 0.8]), np.array([False, True, True]))
    >>> [chosen_threshold(counts, parse_rule(rule)) for rule in ("f1", "recall>=0.5", "fpr<=0")]
    [0.4, 0.8, 0.4]
    """
    positives, negatives = counts.total_positives, counts.total_negatives
    needs_positives = rule.kind not in ("fpr", "specificity")
    needs_negatives = rule.kind in ("fpr", "specificity", "youden", "eer")
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
        elif rule.kind == "f1":
            scores = true / (positives + true + false)
        else:  # recall - fpr, which is 2 * balanced accuracy - 1
            scores = true * negatives - false * positives
        suits = scores == scores.max()
    suiting = thresholds[suits]
    is_highest = rule.kind not in ("precision", "specificity", "fpr")
    return float(suiting[-1] if is_highest else suiting[0])


def equal_error_rate(counts: ScoreCounts) -> float:
    """Return the rate at which both kinds of errors are equal on the ROC curve, joined by lines.

    >>> from ..thresholds.curves import score_counts
    >>> round(equal_error_rate(score_counts(np.arange(4.0), np.array([0, 1, 0, 1]) == 1)), 4)
    0.5
    """
    positives, negatives = counts.total_positives, counts.total_negatives
    if not positives or not negatives:
        return float("nan")
    fpr = np.append(counts.false_positives, 0)[::-1] / negatives
    fnr = (positives - np.append(counts.true_positives, 0)[::-1]) / positives
    return float(np.interp(0.0, fpr - fnr, fpr))
