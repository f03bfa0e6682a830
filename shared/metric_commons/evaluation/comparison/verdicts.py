"""Tests of non-inferiority, and the number of rows that a benchmark requires."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...statistics.arguments.domains import Level, Positive, check_option
from ..results.comparisons import Comparison, Pair, compare_pairs, is_crossed
from ..results.rendering import Table, counted, label, p_value
from ..results.results import Results
from .pairing import paired_scores

NOT_INFERIOR, UNDECIDED, INFERIOR = "not inferior", "cannot tell", "inferior"


class ComparisonVerdict(NamedTuple):
    """Whether a new system is worse than a baseline by less than a margin."""

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
    system: str | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    confidence_level: float | None = None,
) -> ComparisonVerdict:
    """Test whether a new system is inferior to a baseline, by the interval of their difference.

    The interval has the level 1 - 2 alpha. The new system is not inferior if the whole interval
    lies above the loss that matters, and inferior if the whole interval lies below. Otherwise these
    rows cannot tell, which is not evidence for either. The p-values invert the interval. Rows, or
    clusters of rows, are weighted together with an unseen one, so a few equal rows never decide.

    Args:
        new: a result with the scores of its rows.
        baseline: a result with the scores of the same rows.
        score: which score, as `score` or `module.score`; lower may be better.
        margin: the loss that would matter, above 0.
        system: which system, if a result has several.
        alpha: the level of each of the two tests.
        power: the probability that the recommended number of rows will decide.
        confidence_level: of the displayed interval; None for the level of the test, 1 - 2 alpha.

    Raises:
        ValueError: an option is out of its range, or the results cannot be compared.

    >>> from ..scoring.scoring import score
    >>> rows = {"references": ["x"] * 80, "per_example": True}
    >>> old, new = (
    ...     score("qa_em", predictions=["x"] * n + ["y"] * (80 - n), **rows) for n in (40, 41)
    ... )
    >>> gate(new, old, score="qa_em", margin=0.05).verdict
    'not inferior'
    >>> gate(old, new, score="qa_em", margin=0.01).verdict
    'cannot tell'
    """
    check_option("margin", margin, Positive)
    check_option("power", power, Level)
    check_option("alpha", alpha, Level)
    if confidence_level is None:
        confidence_level = 1 - 2 * min(alpha, 0.499)
    sides = {"new": new, "baseline": baseline}
    chosen = {side: chosen_system(results, system, side) for side, results in sides.items()}
    pool = Results(
        systems={side: results.systems[chosen[side]] for side, results in sides.items()},
        row_labels={
            side: results.row_labels[chosen[side]]
            for side, results in sides.items()
            if chosen[side] in results.row_labels
        },
    )
    pairs = list(paired_scores(pool, [("new", "baseline")], [score]))
    if len(pairs) != 1:
        modules = ", ".join(f"{pair.module}.{pair.score}" for pair in pairs)
        problem = f"is in several modules: {modules}" if pairs else "is not in both results"
        raise ValueError(f"score {score!r} {problem}")
    (pair,) = pairs
    lower = pair.score in pool.systems["new"][pair.module].lower_is_better
    if lower:  # the test expects the system with the higher mean first
        pair = pair.swapped()
    comparisons = compare_pairs(
        pair.fillings(),
        margin=margin,
        alpha=alpha,
        confidence_level=confidence_level,
        correction="none",
        **_cautious(pair),
    )
    if not comparisons:
        raise ValueError(f"there is no row that counts for {score} in both systems")
    # Rows that are missing count against each of the verdicts.
    p_not_inferior, p_inferior = (
        max(comparison[name] for comparison in comparisons)
        for name in ("p_non_inferior", "p_inferior")
    )
    lows, highs = zip(*(c["confidence_interval"] for c in comparisons), strict=True)
    comparison = comparisons[0] | {"confidence_interval": [min(lows), max(highs)]}
    if p_not_inferior < alpha:
        verdict = NOT_INFERIOR
    else:
        verdict = INFERIOR if p_inferior < alpha else UNDECIDED
    sentences = [
        _summary(comparison, lower, confidence_level),
        _explained(verdict, comparison, margin, p_not_inferior, p_inferior),
    ]
    if verdict == UNDECIDED:
        sentences.append(_advice(pair, comparison, margin, alpha, power))
        sentences.append("Looking again with more rows needs --sequential.")
    return ComparisonVerdict(verdict, comparison, p_not_inferior, p_inferior, sentences)


def _cautious(pair: Pair) -> dict[str, Any]:
    """Return the options of a comparison that assumes nothing, or is Student's.

    The latter for crossed rows and without bounds.
    """
    values = [value for side in (pair.scores_a, pair.scores_b) for value in side if value == value]
    is_bounded = not values or (min(values) >= 0 and max(values) <= 1)
    if is_bounded and not is_crossed(pair.clusters):
        return {"assume": "nothing"}
    return {"test": "t"}


def chosen_system(results: Results, system: str | None, side: str) -> str:
    """Return the system of this name, or the only one."""
    names = list(results.systems)
    if system in results.systems:
        return str(system)
    if len(names) == 1:
        return names[0]
    problem = "name one with --system" if system is None else f"none of them is {system!r}"
    raise ValueError(f"the {side} result has the systems {', '.join(names)}; {problem}")


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


def _deviation(comparison: Comparison) -> tuple[int, float]:
    """Return the number of rows or clusters, and the standard deviation of one of them."""
    units = comparison.get("n_clusters") or comparison["rows"]
    return units, comparison["standard_error"] * math.sqrt(units)


def _advice(pair: Pair, comparison: Comparison, margin: float, alpha: float, power: float) -> str:
    """Return the number of rows that would decide, with the assumption it rests on."""
    units, deviation = _deviation(comparison)
    name = "clusters" if comparison.get("n_clusters") else "rows"
    if math.isnan(deviation):
        shown = f"One {name[:-1]} does" if units == 1 else f"These {name} do"
        return f"{shown} not show how much {name} vary; score more."
    assumptions = {
        False: "both systems are equally good",
        True: "the difference is what was observed",
    }
    for as_observed, words in assumptions.items():
        needed = _needed(pair, comparison, margin, alpha, power, as_observed=as_observed)
        if needed is not None and needed > units:
            chance = f"with a probability of {100 * power:g} %"
            return f"If {words}, {needed:,} {name} would tell {chance}."
    return f"Twice as many {name} may tell."


def _needed(
    pair: Pair,
    comparison: Comparison,
    margin: float,
    alpha: float,
    power: float,
    *,
    as_observed: bool,
) -> int | None:
    """Return the number of rows, or clusters, that would show that a system is not inferior.

    Computed from the distribution of the interval for bounded means, else from Student's t.
    """
    from ...statistics.tests.differences import rows_that_show_margin

    if is_crossed(pair.clusters):
        return None  # of which field, `power` says
    if pair.has_rows:
        options: dict[str, Any] = {"alpha": alpha, "power": power, "as_observed": as_observed}
        bounded, needed = rows_that_show_margin(
            pair.scores_a, pair.scores_b, margin, clusters=pair.clusters, **options
        )
        if bounded:
            return needed
    from ...statistics.tests.power import required_rows

    _, deviation = _deviation(comparison)
    distance = margin + comparison["diff"] if as_observed else margin
    if not distance or not deviation:
        return None
    return required_rows(distance, deviation, min(2 * alpha, 0.99), power)


class Plan(NamedTuple):
    """The number of rows needed to find an effect, from the differences of two systems."""

    a: str
    b: str
    module: str
    score: str
    rows: int
    n_clusters: int | None
    deviation: float  # of the differences of rows, or of clusters
    power: float  # of these rows for the effect; NaN if it cannot be estimated
    mde: float  # minimum detectable effect of these rows at the desired power
    required_rows: int | None  # or clusters; None if these rows do not differ by the effect
    test: str  # "permutation", or "t" for scores that follow from sums


def plans(
    pairs: Sequence[Pair], effect: float, *, alpha: float = 0.05, power: float = 0.8
) -> list[Plan]:
    """Return the power of the rows of each pair for an effect, and the number that would be enough.

    The test is that of `compare`: of means of rows the two-sided sign-flip test, of rows like these
    (see `statistics.Pilot`). Scores that follow from sums have no differences of rows; their
    plan is that of the two-sided t-test with the standard error of the difference. Where rows come
    in clusters, these are counted.

    Args:
        pairs: the systems with their scores of each row.
        effect: the mean difference to be found, above 0.
        alpha: the level of the test.
        power: the desired probability of finding it.

    Raises:
        ValueError: an argument is out of its range.
    """
    check_option("effect", effect, Positive)
    check_option("alpha", alpha, Level)
    check_option("power", power, Level)
    planned = []
    for pair in pairs:
        for comparison in compare_pairs([pair], alpha=alpha, correction="none"):
            units, deviation = _deviation(comparison)
            numbers: tuple[float, float, int | None] = math.nan, math.nan, None
            if units > 1 and not math.isnan(deviation):
                numbers = _planned(pair, units, deviation, effect, alpha, power)
            a, b, module, score, rows = (
                comparison[name] for name in ("a", "b", "module", "score", "rows")
            )
            test = "permutation" if pair.has_rows else "t"
            of_rows = a, b, module, score, rows, comparison.get("n_clusters"), deviation
            planned.append(Plan(*of_rows, *numbers, test))
    return planned


def _planned(
    pair: Pair, units: int, deviation: float, effect: float, alpha: float, power: float
) -> tuple[float, float, int | None]:
    """Return the power of these rows or clusters, what they can find, and how many are needed."""
    from ...statistics.tests.power import Pilot, minimum_detectable, power_of, required_rows

    if not pair.has_rows:
        return (
            power_of(effect, deviation, units, alpha),
            minimum_detectable(deviation, units, alpha, power),
            required_rows(effect, deviation, alpha, power),
        )
    scored = [
        (a - b, number)
        for number, (a, b) in enumerate(zip(pair.scores_a, pair.scores_b, strict=True))
        if not (math.isnan(a) or math.isnan(b))
    ]
    clusters = None
    if pair.clusters is not None:
        clusters = [pair.clusters[number] for _, number in scored]
    pilot = Pilot([difference for difference, _ in scored], clusters)
    return (
        pilot.power_of(effect, units, alpha),
        pilot.minimum_detectable(units, alpha, power),
        pilot.required_rows(effect, alpha, power),
    )


def plan_table(rows: Sequence[Plan], effect: float, alpha: float, power: float) -> Table:
    """Return one row per pair of systems and score."""
    has_clusters = any(plan.n_clusters for plan in rows)
    units = "clusters" if has_clusters else "rows"
    return Table(
        [
            *("A", "B", "score", "rows"),
            *(["clusters"] if has_clusters else []),
            *("deviation", f"power for {effect:g}", "mde", f"{units} needed"),
        ],
        [_plan_cells(plan, has_clusters) for plan in rows],
        3,
        set(),
        f"{_tests_of_plans(rows)} at {alpha:g}. deviation: standard deviation of the differences "
        f"of {units}. mde: the difference that this number of {units} detects with a power of "
        f"{power:g}. {units} needed: to detect {effect:g} with that power, if further {units} are "
        "like these; empty if these differ by less.",
    )


def _tests_of_plans(rows: Sequence[Plan]) -> str:
    """Return the tests that are planned, for the line below the table."""
    names = {
        "permutation": "Two-sided permutation test of means of rows",
        "t": "Two-sided t-test of scores that follow from sums",
    }
    return "; ".join(name for test, name in names.items() if any(r.test == test for r in rows))


def _plan_cells(plan: Plan, has_clusters: bool) -> list[str]:
    clusters: list[Any] = [f"{plan.n_clusters:,}" if plan.n_clusters else ""]
    return [
        *(label(plan.a), label(plan.b), label(plan.score), f"{plan.rows:,}"),
        *(clusters if has_clusters else []),
        f"{plan.deviation:.4f}",
        "" if math.isnan(plan.power) else f"{plan.power:.3f}",
        "" if math.isnan(plan.mde) else f"{plan.mde:.4f}",
        "" if plan.required_rows is None else f"{plan.required_rows:,}",
    ]
