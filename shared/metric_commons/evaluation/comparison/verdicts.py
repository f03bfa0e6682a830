"""Decisions: whether a system is inferior to a baseline, and whether a score reaches a floor."""

from collections.abc import Sequence
from typing import NamedTuple

from ...module.catalog.usage import UsageError
from ...statistics.arguments.domains import Finite, Level, Positive, check_option
from ..results.module_results import module_result
from ..results.rendering import counted, label, p_value
from ..results.results import Results, find_score
from ..results.standings import Comparison

NOT_INFERIOR, UNDECIDED, INFERIOR = "not inferior", "cannot tell", "inferior"


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
    from .comparisons import compare_pairs, paired_scores  # imports numpy

    check_option("margin", margin, Positive)
    check_option("alpha", alpha, Level)
    sides = {"new": new, "baseline": baseline}
    names = {side: only_system(results, side) for side, results in sides.items()}
    pool = Results(
        systems={side: sides[side].systems[name] for side, name in names.items()},
        rows={side: sides[side].rows.get(name, {}) for side, name in names.items()},
    )
    module, name = find_score(score, pool.systems)
    scored = [modules[module] for modules in pool.systems.values() if module in modules]
    is_lower_better = any(name in result.lower_is_better for result in scored)
    # The test expects the system whose score should be higher first.
    first = ("baseline", "new") if is_lower_better else ("new", "baseline")
    pairs = list(paired_scores(pool, [first], [f"{module}.{name}"]))
    problem = pairs[0].problem if pairs else "it is not in both results"
    if problem:
        raise ValueError(f"the two are not compared by {score}: {problem}")
    level = 1 - 2 * min(alpha, 0.499) if confidence_level is None else confidence_level
    (comparison,) = compare_pairs(
        pairs, margin=margin, alpha=alpha, confidence_level=level, correction="none"
    )
    p_not_inferior, p_inferior = comparison["p_non_inferior"], comparison["p_inferior"]
    verdict, p = UNDECIDED, f"{p_not_inferior:.4f} and {p_inferior:.4f}"
    claim = f"neither shown to be worse by less than {margin:g}, nor by more"
    if p_inferior < alpha:
        verdict, p = INFERIOR, p_value(p_inferior)
        claim = f"worse by more than {margin:g}"
    if p_not_inferior < alpha:
        verdict, p = NOT_INFERIOR, p_value(p_not_inferior)
        claim = f"worse by less than {margin:g}, or better"
    means, (low, high) = [comparison[f"{s}_mean"] for s in "AB"], comparison["confidence_interval"]
    if is_lower_better:
        means, low, high = means[::-1], -high, -low
    units = counted(comparison["rows"], "row")
    if "n_clusters" in comparison:
        units += f" in {counted(comparison['n_clusters'], 'cluster')}"
    summary = (
        f"{label(name)}: new {means[0]:.4f}, baseline {means[1]:.4f}, difference "
        f"{means[0] - means[1]:+.4f} [{low:+.4f}, {high:+.4f}] at {100 * level:g} %"
        f"{'; lower is better' if is_lower_better else ''}."
    )
    sentences = [summary, f"{verdict}: {claim} (p {p}, {units})."]
    if verdict == UNDECIDED:
        sentences.append(
            "metric-commons power says how many rows a difference takes; looking again with more "
            "rows needs --sequential."
        )
    return ComparisonVerdict(verdict, comparison, p_not_inferior, p_inferior, sentences)


def only_system(results: Results, side: str) -> str:
    """Return the name of the only system of a result."""
    names = list(results.systems)
    if len(names) > 1:
        raise ValueError(f"the {side} result has the systems {', '.join(names)}; a gate is for one")
    return names[0]


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
    is_above, is_below, words = low >= floor, high < floor, ("at least", "below")
    if name in result.lower_is_better:
        is_above, is_below, words = high <= floor, low > floor, ("at most", "above")
    verdict, claim = UNDECIDED, f"neither shown to reach {floor:g}, nor to miss it"
    if is_above or is_below:
        verdict = NOT_INFERIOR if is_above else INFERIOR
        claim = f"{words[is_below]} {floor:g}"
    sentence = (
        f"{label(name)}: {value:.4f} [{low:.4f}, {high:.4f}] at {100 * level:g} %; {verdict}: "
        f"{claim} ({result.rows:,} rows)."
    )
    return FloorVerdict(verdict, name, value, (low, high), floor, sentence)
