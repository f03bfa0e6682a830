"""UltraRAG's tables of its evaluations, and signatures that say how scores were computed."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from ...statistics.intervals.intervals import interval
from .ultrarag import Profile, summation


def signature(
    tool: str, profile: Profile, options: Mapping[str, Any], python_version: str | None = None
) -> str:
    """Return a one-line signature that says how scores were computed.

    Args:
        tool: "evaluate", "evaluate_trec" or "evaluate_trec_pvalue".
        profile: the profile of the scores.
        options: further parts, such as the number of rows; None is left out.
        python_version: of the Python whose `sum` was used for means; None for this one.

    >>> signature("evaluate", "ultrarag", {"rows": 3, "ks": None}, "3.11")  # doctest: +ELLIPSIS
    'ultrarag.evaluate|profile=ultrarag|sum=running|rows=3|metric-commons ...'
    """
    options = {"sum": summation(profile, python_version), **options}
    texts = [f"{name}={value}" for name, value in options.items() if value is not None]
    program = f"metric-commons {version('metric-commons')}"
    return "|".join([f"ultrarag.{tool}", f"profile={profile}", *texts, program])


def intervals(
    scores: Mapping[str, Sequence[float]], confidence_level: float
) -> dict[str, list[float]]:
    """Return the interval of the mean of each metric, from the scores of rows or queries.

    >>> ends = intervals({"em": [1.0, 0.0, 1.0]}, 0.95)
    >>> [round(end, 3) for end in ends["em"]]
    [0.094, 0.992]
    """
    estimates = {n: interval(row, confidence_level=confidence_level) for n, row in scores.items()}
    return {name: [estimate.low, estimate.high] for name, estimate in estimates.items()}


def table(results: Mapping[str, Any], ends: Mapping[str, Sequence[float]] | None = None) -> str:
    """Return the table of results of any of the tools, as printed by UltraRAG.

    Args:
        results: the result of `evaluate`, `evaluate_trec` or `evaluate_trec_pvalue`.
        ends: intervals, which are shown in an additional column.
    """
    from tabulate import tabulate

    header = ["Metric", "Value"]
    averages = {name: results.get(f"avg_{name}") for name in results}
    if any(isinstance(value, Mapping) for value in results.values()):
        header = ["metrics", "A_mean", "B_mean", "Diff(A-B)", "p_value", "significant"]
        rows = [[name, *list(result.values())[:5]] for name, result in results.items()]
        differences = {n: r["confidence_interval"] for n, r in results.items() if len(r) > 5}
        ends = differences or ends
    elif any(average is not None for average in averages.values()):
        rows = [[name, round(mean, 4)] for name, mean in averages.items() if mean is not None]
    else:
        rows = [[name, round(mean, 6)] for name, mean in results.items()]
    if ends:
        header.append("interval")
        rows = [[*row, f"[{ends[row[0]][0]:.4f}, {ends[row[0]][1]:.4f}]"] for row in rows]
    text: str = tabulate(rows, header, tablefmt="fancy_grid", colalign=("left",) * len(header))
    return text
