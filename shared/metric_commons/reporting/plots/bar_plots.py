"""Differences of two runs by query, and scores and differences of systems with their intervals."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...evaluation.results.comparison_tables import (
    formats_of_differences,
    scored_by,
    winner_first,
)
from ...evaluation.results.records import ScoreRecord
from ...evaluation.results.rendering import PLAIN, interval_of_difference, label, p_value
from ...evaluation.results.result_tables import format_of, shown_records
from ...evaluation.results.results import Results
from ...evaluation.results.standings import Comparison
from ...retrieval.runs import QueryScores
from .panels import (
    BLUE,
    LABEL_LENGTH,
    TITLE_LENGTH,
    VERMILION,
    grid,
    gridlines,
    shortened,
)
from .pictures import render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAX_NAMES = 60  # up to this many queries, there is space for their names below the bars
_MAX_PAIRED = 12  # up to this many systems, all pairs have lines; beyond, only those with the best


class ForestLine(NamedTuple):
    """A number with its interval, beside a name."""

    name: str
    value: float
    ends: Sequence[float] | None
    text: str
    color: str = BLUE
    is_open: bool = False  # a hollow dot


Panel = tuple[str, Sequence[ForestLine]]  # with a title


def forest(path: Path, results: Results) -> bytes:
    """Return the scores of all systems with their intervals, one panel per score.

    The file extension determines the format.

    Raises:
        ValueError: there are more scores than a picture has room for.
    """
    return render(path, partial(draw_forest, panels=score_panels(results)))


def score_panels(results: Results) -> list[Panel]:
    """Return a panel for each score, with a line for each system."""
    scores: dict[tuple[str, str], list[ScoreRecord]] = {}
    for record in shown_records(results.systems, with_counts=results.shows_counts):
        if record.group is None:
            scores.setdefault(record.key, []).append(record)
    panels: list[Panel] = []
    for (module, score), records in scores.items():
        form = format_of(records, PLAIN)
        is_lower = any(score in results.systems[r.system][module].lower_is_better for r in records)
        lines = []
        for record in records:
            text = f"{form.number(record.number)} {form.interval(record.interval)}"
            name = shortened(record.system, LABEL_LENGTH)
            lines.append(ForestLine(name, record.number, record.interval, text))
        panels.append((_title(score, is_lower), lines))
    return panels


def difference_panels(results: Results) -> list[Panel]:
    """Return a panel for each score, with a line for each pair of systems.

    If there are many systems, only pairs with the best one have lines.
    """
    formats = formats_of_differences(results.comparisons, PLAIN) if results.comparisons else {}
    panels: list[Panel] = []
    for key, pairs in results.standings.families.items():
        ranks = list(results.standings.ranks.get(key, {}))
        is_lower = results.standings.is_lower_better(pairs[0])
        lines = []
        for pair in (winner_first(pair, is_lower) for pair in pairs):
            if len(ranks) <= _MAX_PAIRED or ranks[0] in (pair["a"], pair["b"]):
                form, difference = formats[scored_by(pair)], pair["diff"]
                number = form.number(difference, signed=True)
                p = p_value(pair["p_adjusted"])
                text = f"{number} {interval_of_difference(pair, form)} p {p}"
                is_first = (difference > 0) != is_lower  # not so after a one-sided test
                name = " − ".join(shortened(pair[side], LABEL_LENGTH) for side in "ab")
                color = BLUE if is_first else VERMILION
                ends = pair["confidence_interval"]
                lines.append(
                    ForestLine(name, difference, ends, text, color, not pair["significant"])
                )
        panels.append((_title(key[1], is_lower), lines))
    return panels


def _title(score: str, is_lower_better: bool) -> str:
    return f"{label(score)} ↓ lower is better" if is_lower_better else label(score)


def draw_forest(figure: "Figure", panels: Sequence[Panel], *, is_difference: bool = False) -> None:
    """Draw a dot with its interval for each line, and a line at zero for differences."""
    most = max(len(lines) for _, lines in panels)
    axes = grid(figure, len(panels), width=4.6, height=0.9 + 0.26 * most, columns=2)
    figure.set_layout_engine("tight")
    for panel, (title, lines) in zip(axes, panels, strict=True):
        if is_difference:
            panel.axvline(0, color="gray", linewidth=0.8)
        for height, line in enumerate(lines):
            if line.ends:
                panel.plot(line.ends, [height] * 2, color=line.color, linewidth=4, alpha=0.35)
            fill = "none" if line.is_open else "full"
            panel.plot(line.value, height, "o", color=line.color, markersize=5, fillstyle=fill)
            panel.annotate(
                line.text,
                (1, height),
                (4, 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                va="center",
                fontsize=7,
            )
        panel.set_yticks(range(len(lines)), [line.name for line in lines])
        panel.set(ylim=(len(lines) - 0.5, -0.5))
        panel.set_title(title, loc="left", fontweight="bold")
        panel.spines[["top", "right", "left"]].set_visible(False)
        panel.tick_params(axis="y", length=0)
        gridlines(panel)


def deltas(path: Path, runs: Mapping[str, QueryScores], comparisons: Sequence[Comparison]) -> bytes:
    """Return the differences A - B of all queries, one panel per measure, largest first.

    The file extension determines the format.
    """
    return render(path, partial(_draw_deltas, runs=runs, comparisons=comparisons))


def _draw_deltas(
    figure: "Figure", runs: Mapping[str, QueryScores], comparisons: Sequence[Comparison]
) -> None:
    a, b = runs.values()
    figure.set_size_inches(9, 0.4 + 2.8 * len(comparisons))
    figure.set_layout_engine("constrained", h_pad=0.1)
    panels = figure.subplots(len(comparisons), squeeze=False)[:, 0]
    for panel, comparison in zip(panels, comparisons, strict=True):
        measure = comparison["score"]
        differences = {query: a[query][measure] - b[query][measure] for query in a}
        _draw_differences(panel, differences, comparison)
    (test,) = {comparison["options"]["test"] for comparison in comparisons}
    panels[-1].set_xlabel(
        f"queries, in each panel from the largest difference to the smallest; p of the {test} test"
    )
    figure.align_ylabels()


def _draw_differences(
    panel: "Axes", differences: Mapping[str, float], comparison: Comparison
) -> None:
    """Draw bars up where A is higher, hatched ones down where B is, and the mean as a line.

    Above them are the measure, the mean, and the number of queries for which each is higher.
    """
    queries = sorted(differences, key=lambda query: -differences[query])
    values = [differences[query] for query in queries]
    wins, losses = sum(value > 0 for value in values), sum(value < 0 for value in values)
    has_names = len(queries) <= _MAX_NAMES
    bars: list[tuple[range, dict[str, Any]]] = [
        (range(wins), {"facecolor": BLUE}),
        (
            range(len(values) - losses, len(values)),
            {"facecolor": VERMILION, "hatch": "////", "edgecolor": "white"},
        ),
    ]
    for ranks, style in bars:
        heights = [values[rank] for rank in ranks]
        if has_names:
            panel.bar(ranks, heights, linewidth=0, **style)
        else:  # one shape without gaps, since thousands of single bars take seconds
            edges = [rank - 0.5 for rank in range(ranks.start, ranks.stop + 1)]
            panel.stairs(heights, edges, fill=True, linewidth=0, **style)
    panel.axhline(0, color="black", linewidth=0.8)
    panel.axhline(comparison["diff"], color="black", linewidth=0.8, linestyle="--")

    panel.set_ylabel("A - B")
    panel.set_xlim(-0.7, len(values) - 0.3)
    panel.spines[["top", "right", "bottom"]].set_visible(False)
    names = [shortened(query, 16) for query in queries] if has_names else []
    panel.set_xticks(range(len(names)), names, rotation=90, fontsize="x-small")
    panel.tick_params(axis="x", length=0)

    panel.set_title(comparison["score"], loc="left", fontweight="bold", pad=22)
    verdict = "significant" if comparison["significant"] else "not significant"
    kind = " (simultaneous)" if comparison.get("simultaneous") else ""
    numbers = PLAIN.format_of([comparison["confidence_interval"]])
    mean = numbers.number(comparison["diff"], signed=True)
    panel.set_title(
        f"mean {mean} {interval_of_difference(comparison, numbers)}{kind}, "
        f"corrected p {p_value(comparison['p_adjusted'])}, {verdict} (n = {comparison['rows']})",
        loc="right",
        fontsize="medium",
        pad=22,
    )
    a, b = (shortened(comparison[system], TITLE_LENGTH) for system in "ab")
    height: dict[str, Any] = {"va": "bottom", "transform": panel.transAxes}
    panel.text(0.0, 1.03, f"▲ {a} higher: {wins}", color=BLUE, ha="left", **height)
    panel.text(1.0, 1.03, f"▼ {b} higher: {losses}", color=VERMILION, ha="right", **height)
