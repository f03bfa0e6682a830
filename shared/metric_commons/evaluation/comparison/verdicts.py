"""Decisions: whether a system is inferior to a baseline, and whether a score reaches a floor."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...module.catalog.usage import UsageError
from ...statistics.arguments.domains import Finite, Level, Positive, check_option
from ..results.module_results import module_result
from ..results.rendering import counted, label, p_value
from ..results.results import Results, find_score
from ..results.standings import Comparison

if TYPE_CHECKING:  # since it imports numpy
    from .comparisons import Pair

NOT_INFERIOR, UNDECIDED, INFERIOR = "not inferior", "cannot tell", "inferior"
_POWER = 0.8  # the probability that the recommended number of rows will decide


class ComparisonVerdict(NamedTuple):
    """Whether a new system is worse than a baseline, by less or more than a margin."""

    verdict: str  # NOT_INFERIOR, UNDECIDED or INFERIOR
    comparison: Comparison  # of the system whose mean should be higher (A) with the other (B)
    p_not_inferior: float
    p_inferior: float
    sentences: Sequence[str]


def gate(
    new: Results,
    baseline: Results,
    *,
    score: str,
    margin: float,
    alpha: float = 0.05,
    confidence_level: float | None = None,
) -> ComparisonVerdict:
    """Test whether a new system is inferior to a baseline, by the interval of their difference.

    The interval has the level 1 - 2 alpha. The new system is not inferior if the whole interval
    lies above the loss that matters, and inferior if the whole interval lies below. Otherwise these
    rows cannot tell, which is evidence for neither. The p-values invert the interval, which is that
    of `compare`; missing rows count against each of the verdicts.

    Args:
        new: a result with the scores of its rows.
        baseline: a result with the scores of the same rows.
        score: which score, as `score` or `module.score`; lower may be better.
        margin: the loss that would matter, above 0.
        alpha: the level of each of the two tests.
        confidence_level: of the displayed interval; None for the level of the test, 1 - 2 alpha.

    Raises:
        ValueError: an option is out of its range, or the results cannot be compared.

    >>> from ..scoring.scoring import score
    >>> rows = {"references": ["x"] * 80, "rows": True}
    >>> old, new = (
    ...     score("qa_em", predictions=["x"] * n + ["y"] * (80 - n), **rows) for n in (40, 41)
    ... )
    >>> gate(new, old, score="qa_em", margin=0.05).verdict
    'not inferior'
    >>> gate(old, new, score="qa_em", margin=0.01).verdict
    'cannot tell'
    """
    from .comparisons import compare_pairs, paired_scores

    check_option("margin", margin, Positive)
    check_option("alpha", alpha, Level)
    pool = _sides(new, baseline)
    pairs = list(paired_scores(pool, [("new", "baseline")], [score]))
    is_lower_better = len(pairs) == 1 and (
        pairs[0].score in pool.systems["new"][pairs[0].module].lower_is_better
    )
    if is_lower_better:  # the test expects the system whose score should be higher first
        pairs = list(paired_scores(pool, [("baseline", "new")], [score]))
    if len(pairs) != 1:
        modules = ", ".join(f"{pair.module}.{pair.score}" for pair in pairs)
        problem = f"is in several modules: {modules}" if pairs else "is not in both results"
        raise ValueError(f"score {score!r} {problem}")
    if pairs[0].problem:
        raise ValueError(f"the two are not compared by {score}: {pairs[0].problem}")
    level = 1 - 2 * min(alpha, 0.499) if confidence_level is None else confidence_level
    (comparison,) = compare_pairs(
        pairs, margin=margin, alpha=alpha, confidence_level=level, correction="none"
    )
    p_not_inferior, p_inferior = comparison["p_non_inferior"], comparison["p_inferior"]
    verdict = INFERIOR if p_inferior < alpha else UNDECIDED
    if p_not_inferior < alpha:
        verdict = NOT_INFERIOR
    sentences = [_summary(comparison, is_lower_better, level)]
    sentences.append(_explained(verdict, comparison, margin))
    if verdict == UNDECIDED:
        sentences.append(_advice(pairs[0], comparison, margin, alpha))
        sentences.append("Looking again with more rows needs --sequential.")
    return ComparisonVerdict(verdict, comparison, p_not_inferior, p_inferior, sentences)


def _sides(new: Results, baseline: Results) -> Results:
    """Return both results in one, with their only systems under the names of the sides."""
    sides = {"new": new, "baseline": baseline}
    names = {side: only_system(results, side) for side, results in sides.items()}
    return Results(
        systems={side: sides[side].systems[name] for side, name in names.items()},
        rows={side: sides[side].rows.get(name, {}) for side, name in names.items()},
    )


def only_system(results: Results, side: str) -> str:
    """Return the name of the only system of a result."""
    names = list(results.systems)
    if len(names) > 1:
        raise ValueError(f"the {side} result has the systems {', '.join(names)}; a gate is for one")
    return names[0]


def _summary(comparison: Comparison, lower: bool, level: float) -> str:
    """Return both means and their difference, new minus baseline."""
    means, (low, high) = [comparison[f"{s}_mean"] for s in "AB"], comparison["confidence_interval"]
    if lower:
        means, low, high = means[::-1], -high, -low
    difference = -comparison["diff"] if lower else comparison["diff"]
    ends = f"[{low:+.4f}, {high:+.4f}] at {100 * level:g} %"
    return (
        f"{label(comparison['score'])}: new {means[0]:.4f}, baseline {means[1]:.4f}, "
        f"difference {difference:+.4f} {'without an interval' if math.isnan(low) else ends}"
        f"{'; lower is better' if lower else ''}."
    )


def _explained(verdict: str, comparison: Comparison, margin: float) -> str:
    """Return the verdict with its p-values and the number of rows and clusters."""
    p_not_inferior, p_inferior = comparison["p_non_inferior"], comparison["p_inferior"]
    claim = f"neither shown to be worse by less than {margin:g}, nor by more"
    words = f"p = {p_not_inferior:.4f} and {p_inferior:.4f}"
    if verdict != UNDECIDED:
        is_inferior = verdict == INFERIOR
        claim = f"worse by less than {margin:g}, or better"
        if is_inferior:
            claim = f"worse by more than {margin:g}"
        text = p_value(p_inferior if is_inferior else p_not_inferior)
        words = f"p {text}" if text.startswith("<") else f"p = {text}"
    elif math.isnan(p_inferior):
        words = "all rows differ by the same, which says nothing about others"
    units = counted(comparison["rows"], "row")
    if "n_clusters" in comparison:
        units += f" in {counted(comparison['n_clusters'], 'cluster')}"
    return f"{verdict}: {claim} ({words}, {units})."


def deviation_of(comparison: Comparison) -> tuple[int, float]:
    """Return the number of rows or clusters, and the standard deviation of one of them."""
    units = comparison.get("n_clusters") or comparison["rows"]
    return units, comparison["standard_error"] * math.sqrt(units)


def _advice(pair: "Pair", comparison: Comparison, margin: float, alpha: float) -> str:
    """Return the number of rows that would decide, with the assumption it rests on.

    By Student's t, and as many as equal rows with an unseen one take.
    """
    from ...statistics.tests.power import rows_needed

    units, deviation = deviation_of(comparison)
    name = "clusters" if comparison.get("n_clusters") else "rows"
    if math.isnan(deviation):
        shown = f"One {name[:-1]} does" if units == 1 else f"These {name} do"
        return f"{shown} not show how much {name} vary; score more."
    share = 2 * margin / (pair.limits[1] - pair.limits[0])
    equal = math.ceil(math.log(alpha) / math.log1p(-share)) if 0 < share < 1 else 1
    distances = {
        "both systems are equally good": margin,
        "the difference is what was observed": margin + comparison["diff"],
    }
    for words, distance in distances.items():
        if pair.is_crossed or not distance > 0:  # crossed: it depends on how many of each there are
            continue
        needed: int | None = equal
        if deviation:
            needed = rows_needed(distance, deviation, min(2 * alpha, 0.99), _POWER)
        if needed and max(needed, equal) > units:
            chance = f"with a probability of {100 * _POWER:g} %"
            return f"If {words}, {max(needed, equal):,} {name} would tell {chance}."
    return f"Twice as many {name} may tell."


class FloorVerdict(NamedTuple):
    """Whether a score reaches a floor, by its interval."""

    verdict: str  # NOT_INFERIOR, UNDECIDED or INFERIOR
    score: str
    value: float
    confidence_interval: tuple[float, float]
    floor: float
    sentence: str


def reaches(results: Results, *, score: str, floor: float, alpha: float = 0.05) -> FloorVerdict:
    """Test whether a score reaches a floor, by its interval at the level 1 - 2 alpha.

    It does if the whole interval is at the floor or above, and does not if the whole interval is
    below. Otherwise these rows cannot tell. If lower is better, the floor is the highest value that
    passes.

    Args:
        results: a result with its scored rows, or with intervals at this level.
        score: which score, as `score` or `module.score`.
        floor: the number to reach.
        alpha: the level of the test on either side.

    Raises:
        ValueError: the score is unknown, or has no interval at this level.

    >>> from ..scoring.scoring import score
    >>> answers = {"predictions": ["x"] * 90 + ["y"] * 10, "references": ["x"] * 100}
    >>> rows = score("qa_em", **answers, rows=True)
    >>> [reaches(rows, score="qa_em", floor=floor).verdict for floor in (0.8, 0.9, 0.99)]
    ['not inferior', 'cannot tell', 'inferior']
    """
    check_option("floor", floor, Finite)
    check_option("alpha", alpha, Level)
    module, name = find_score(score, results.systems)
    system, level = only_system(results, "new"), 1 - 2 * min(alpha, 0.499)
    result = results.systems[system][module]
    if table := results.rows.get(system, {}).get(module):
        result = module_result(table, {"confidence_level": level})
    if result.options.get("confidence_level") != level or name not in result.confidence_interval:
        raise UsageError(
            f"a floor of {score} needs its interval at {level:g}; score with --confidence {level:g}"
        )
    value, (low, high) = result.scores[name], result.confidence_interval[name]
    above, below, ends = "at least", "below", (low, high)
    sign = 1
    if name in result.lower_is_better:
        above, below, ends = "at most", "above", (high, low)
        sign = -1
    verdict, words = UNDECIDED, f"neither shown to reach {floor:g}, nor to miss it"
    if sign * ends[0] >= sign * floor:
        verdict, words = NOT_INFERIOR, f"{above} {floor:g}"
    elif sign * ends[1] < sign * floor:
        verdict, words = INFERIOR, f"{below} {floor:g}"
    sentence = (
        f"{label(name)}: {value:.4f} [{low:.4f}, {high:.4f}] at {100 * level:g} %; {verdict}: "
        f"{words} ({result.rows:,} rows)."
    )
    return FloorVerdict(verdict, name, value, (low, high), floor, sentence)
