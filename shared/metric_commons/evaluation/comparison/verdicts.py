"""Decisions: whether a system is inferior to a baseline, and whether a score reaches a floor."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from ...module.catalog.usage import UsageError
from ...statistics.arguments.domains import Finite, Level, Positive, check_option
from ..results.comparisons import Comparison, Pair, compare_pairs, is_crossed
from ..results.module_results import module_result
from ..results.rendering import counted, label, p_value
from ..results.results import Results, find_score

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
    check_option("margin", margin, Positive)
    check_option("alpha", alpha, Level)
    if confidence_level is None:
        confidence_level = level_of(alpha)
    sides = {"new": new, "baseline": baseline}
    chosen = {side: only_system(results, side) for side, results in sides.items()}
    pool = Results(
        systems={side: results.systems[chosen[side]] for side, results in sides.items()},
        rows={
            side: results.rows[chosen[side]]
            for side, results in sides.items()
            if chosen[side] in results.rows
        },
    )
    from .pairing import paired_scores  # imports numpy, so only on use

    pairs = list(paired_scores(pool, [("new", "baseline")], [score]))
    if len(pairs) == 1 and pairs[0].score in pool.systems["new"][pairs[0].module].lower_is_better:
        # The test expects the system whose score should be higher first.
        pairs = list(paired_scores(pool, [("baseline", "new")], [score]))
    if len(pairs) != 1:
        modules = ", ".join(f"{pair.module}.{pair.score}" for pair in pairs)
        problem = f"is in several modules: {modules}" if pairs else "is not in both results"
        raise ValueError(f"score {score!r} {problem}")
    (pair,) = pairs
    comparisons = compare_pairs(
        pairs, margin=margin, alpha=alpha, confidence_level=confidence_level, correction="none"
    )
    if not comparisons:
        raise ValueError(f"there is no row that counts for {score} in both systems")
    (comparison,) = comparisons
    p_not_inferior, p_inferior = comparison["p_non_inferior"], comparison["p_inferior"]
    if p_not_inferior < alpha:
        verdict = NOT_INFERIOR
    else:
        verdict = INFERIOR if p_inferior < alpha else UNDECIDED
    sentences = [
        _summary(comparison, pair.a == "baseline", confidence_level),
        _explained(verdict, comparison, margin, p_not_inferior, p_inferior),
    ]
    if verdict == UNDECIDED:
        sentences.append(_advice(pair, comparison, margin, alpha))
        sentences.append("Looking again with more rows needs --sequential.")
    return ComparisonVerdict(verdict, comparison, p_not_inferior, p_inferior, sentences)


def only_system(results: Results, side: str) -> str:
    """Return the name of the only system of a result."""
    names = list(results.systems)
    if len(names) > 1:
        raise ValueError(f"the {side} result has the systems {', '.join(names)}; a gate is for one")
    return names[0]


def _summary(comparison: Comparison, lower: bool, confidence_level: float) -> str:
    """Return both means and their difference, new minus baseline."""
    means = {comparison["a"]: comparison["A_mean"], comparison["b"]: comparison["B_mean"]}
    difference, (low, high) = comparison["diff"], comparison["confidence_interval"]
    if lower:
        difference, low, high = -difference, -high, -low
    ends = f"[{low:+.4f}, {high:+.4f}] at {100 * confidence_level:g} %"
    return (
        f"{label(comparison['score'])}: new {means['new']:.4f}, baseline {means['baseline']:.4f}, "
        f"difference {difference:+.4f} {'without an interval' if math.isnan(low) else ends}"
        f"{'; lower is better' if lower else ''}."
    )


def _explained(
    verdict: str, comparison: Comparison, margin: float, p_not_inferior: float, p_inferior: float
) -> str:
    """Return the verdict with its p-values and the number of rows and clusters."""
    if verdict == UNDECIDED:
        claim = f"neither shown to be worse by less than {margin:g}, nor by more"
        words = f"p = {p_not_inferior:.4f} and {p_inferior:.4f}"
        if math.isnan(p_inferior):
            words = "all rows differ by the same, which says nothing about others"
    else:
        is_inferior = verdict == INFERIOR
        claim = f"worse by {'more' if is_inferior else 'less'} than {margin:g}"
        claim += "" if is_inferior else ", or better"
        text = p_value(p_inferior if is_inferior else p_not_inferior)
        words = f"p {text}" if text.startswith("<") else f"p = {text}"
    units = counted(comparison["rows"], "row")
    if "n_clusters" in comparison:
        units += f" in {counted(comparison['n_clusters'], 'cluster')}"
    return f"{verdict}: {claim} ({words}, {units})."


def deviation_of(comparison: Comparison) -> tuple[int, float]:
    """Return the number of rows or clusters, and the standard deviation of one of them."""
    units = comparison.get("n_clusters") or comparison["rows"]
    return units, comparison["standard_error"] * math.sqrt(units)


def _advice(pair: Pair, comparison: Comparison, margin: float, alpha: float) -> str:
    """Return the number of rows that would decide, with the assumption it rests on."""
    units, deviation = deviation_of(comparison)
    name = "clusters" if comparison.get("n_clusters") else "rows"
    if math.isnan(deviation):
        shown = f"One {name[:-1]} does" if units == 1 else f"These {name} do"
        return f"{shown} not show how much {name} vary; score more."
    assumptions = {
        False: "both systems are equally good",
        True: "the difference is what was observed",
    }
    for as_observed, words in assumptions.items():
        needed = _needed(pair, comparison, margin, alpha, as_observed=as_observed)
        if needed is not None and needed > units:
            chance = f"with a probability of {100 * _POWER:g} %"
            return f"If {words}, {needed:,} {name} would tell {chance}."
    return f"Twice as many {name} may tell."


def _needed(
    pair: Pair, comparison: Comparison, margin: float, alpha: float, *, as_observed: bool
) -> int | None:
    """Return the number of rows, or clusters, that would show that a system is not inferior.

    By Student's t, and as many as equal rows with an unseen one take.
    """
    from ...statistics.tests.power import rows_needed

    if is_crossed(pair.clusters):
        return None  # it depends on how many of each field there are
    _, deviation = deviation_of(comparison)
    distance = margin + comparison["diff"] if as_observed else margin
    if not distance > 0:
        return None
    low, high = pair.bounds or (0.0, 1.0)
    share = margin / (high - low)
    equal = math.ceil(math.log(alpha) / math.log1p(-share)) if 0 < share < 1 else 1
    if not deviation:
        return equal
    needed = rows_needed(distance, deviation, min(2 * alpha, 0.99), _POWER)
    return needed and max(needed, equal)


class FloorVerdict(NamedTuple):
    """Whether a score reaches a floor, by its interval."""

    verdict: str  # NOT_INFERIOR, UNDECIDED or INFERIOR
    score: str
    value: float
    confidence_interval: tuple[float, float]
    floor: float
    sentence: str


def level_of(alpha: float) -> float:
    """Return the level of the interval that decides, with alpha on either side."""
    return 1 - 2 * min(alpha, 0.499)


def reaches(
    results: Results,
    *,
    score: str,
    floor: float,
    alpha: float = 0.05,
) -> FloorVerdict:
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
    name_of_system = only_system(results, "new")
    result = results.systems[name_of_system][module]
    level = level_of(alpha)
    table = results.rows.get(name_of_system, {}).get(module)
    if table is not None:
        result = module_result(table, {"confidence_level": level})
    if result.options.get("confidence_level") == level and name in result.confidence_interval:
        low, high = result.confidence_interval[name]
    else:
        raise UsageError(
            f"a floor of {score} needs its interval at {level:g}; score with --confidence {level:g}"
        )
    value = result.scores[name]
    is_lower_better = name in result.lower_is_better
    worst, best = (high, low) if is_lower_better else (low, high)
    sign = -1 if is_lower_better else 1
    verdict, words = UNDECIDED, f"neither shown to reach {floor:g}, nor to miss it"
    if math.isnan(low) or math.isnan(high):
        pass
    elif sign * worst >= sign * floor:
        verdict, words = NOT_INFERIOR, f"{'at most' if is_lower_better else 'at least'} {floor:g}"
    elif sign * best < sign * floor:
        verdict, words = INFERIOR, f"{'above' if is_lower_better else 'below'} {floor:g}"
    sentence = (
        f"{label(name)}: {value:.4f} [{low:.4f}, {high:.4f}] at {100 * level:g} %; {verdict}: "
        f"{words} ({result.rows:,} rows)."
    )
    return FloorVerdict(verdict, name, value, (low, high), floor, sentence)
