"""Pictures of results."""

import io
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from metric_commons.rendering import label, p_value

from .outputs import Misuse
from .trec import OfQueries

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FORMATS = (".png", ".svg", ".pdf")
_UP, _DOWN = "#0072B2", "#D55E00"  # blue and vermilion, which all eyes tell apart
_HATCH = {"hatch": "////", "edgecolor": "white"}
_NAMED = 60  # up to so many queries there is room for the name of each


def check(path: Path) -> None:
    """Nothing, if a picture can be drawn into a file of this name."""
    if path.suffix.lower() not in _FORMATS:
        raise Misuse(f"{path}: unknown kind of picture; a name ends in {', '.join(_FORMATS)}")
    try:
        import matplotlib.figure  # noqa: F401
    except ModuleNotFoundError as error:
        message = f"{error}; it comes with: pip install 'metric-commons[plot]'"
        raise typer.TyperException(message) from error


def deltas(
    path: Path, runs: Mapping[str, OfQueries], comparisons: Sequence[Mapping[str, Any]]
) -> bytes:
    """The differences A - B of each query, a panel a measure, greatest first.

    The kind of picture is the one that the name of its file says.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    first, second = runs.values()
    picture = io.BytesIO()
    with (
        rc_context({"text.parse_math": False, "font.size": 9}),  # a $ in a name is a $
        warnings.catch_warnings(action="ignore"),  # of characters that the font lacks
    ):
        figure = Figure(
            figsize=(9, 0.4 + 2.8 * len(comparisons)), layout=ConstrainedLayoutEngine(h_pad=0.1)
        )
        panels = figure.subplots(len(comparisons), squeeze=False)[:, 0]
        for panel, comparison in zip(panels, comparisons, strict=True):
            name = comparison["score"]
            of_queries = {query: first[query][name] - second[query][name] for query in first}
            _draw(panel, of_queries, comparison)
        panels[-1].set_xlabel("queries, in each panel from the greatest difference to the least")
        figure.align_ylabels()
        figure.savefig(picture, format=path.suffix[1:].lower(), dpi=150)
    return picture.getvalue()


def _draw(panel: "Axes", of_queries: Mapping[str, float], comparison: Mapping[str, Any]) -> None:
    """Bars up where A is higher and down, hatched, where B is; how many of each, and the mean."""
    order = sorted(of_queries, key=lambda query: -of_queries[query])
    values = [of_queries[query] for query in order]
    wins, losses = (sum(value * sign > 0 for value in values) for sign in (1, -1))
    few = len(order) <= _NAMED
    parts: list[tuple[range, dict[str, Any]]] = [
        (range(wins), {"facecolor": _UP}),
        (range(len(values) - losses, len(values)), {"facecolor": _DOWN, **_HATCH}),
    ]
    for part, style in parts:
        heights = [values[i] for i in part]
        if few:
            panel.bar(part, heights, linewidth=0, **style)
        else:  # bars without gaps, in one piece: thousands of single ones take seconds
            edges = [i - 0.5 for i in range(part.start, part.stop + 1)]
            panel.stairs(heights, edges, fill=True, linewidth=0, **style)
    panel.axhline(0, color="black", linewidth=0.8)
    panel.axhline(comparison["diff"], color="black", linewidth=0.8, linestyle="--")

    panel.set_title(comparison["score"], loc="left", fontweight="bold", pad=22)
    panel.set_title(_caption(comparison), loc="right", fontsize="medium", pad=22)
    for place, color, text in (
        ("left", _UP, f"▲ {_short(comparison['a'], 40)} higher: {wins}"),
        ("right", _DOWN, f"▼ {_short(comparison['b'], 40)} higher: {losses}"),
    ):
        x = float(place == "right")
        panel.text(x, 1.03, text, color=color, ha=place, va="bottom", transform=panel.transAxes)
    panel.set_ylabel("A - B")
    panel.set_xlim(-0.7, len(values) - 0.3)
    panel.spines[["top", "right", "bottom"]].set_visible(False)
    names = [_short(query, 16) for query in order] if few else []
    panel.set_xticks(range(len(names)), names, rotation=90, fontsize="x-small")
    panel.tick_params(axis="x", length=0)


def _caption(comparison: Mapping[str, Any]) -> str:
    low, high = comparison["confidence_interval"]
    verdict = "significant" if comparison["significant"] else "not significant"
    return (
        f"mean {comparison['diff']:+.4f} [{low:+.4f}, {high:+.4f}], "
        f"corrected p {p_value(comparison['p_adjusted'])}, {verdict}"
    )


def _short(name: str, length: int) -> str:
    name = label(name)
    return name if len(name) <= length else f"{name[: length - 1]}…"
