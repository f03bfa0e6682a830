"""Pictures of results."""

import io
import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..classification.classes import classes
from ..evaluation.rendering import label, p_value
from ..evaluation.results import ModuleResult
from ..evaluation.usage import UsageError, extra
from ..numbers.arrays import Floats
from ..ranking.runs import QueryScores
from ..regression.residuals import Pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from matplotlib.ticker import EngFormatter

_Points = Mapping[str, Sequence[float]]  # of a curve, as results have them

# What is left out differs from kind to kind: without dates the same input gives the same file.
_FORMATS: Mapping[str, Mapping[str, None]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
_STYLE: dict[Any, Any] = {
    "text.parse_math": False,  # a $ in a name is a $
    "font.size": 9,
    "pdf.fonttype": 42,  # outlines that every printer and publisher takes
    "svg.hashsalt": "metric-commons",
}
_UP, _DOWN = "#0072B2", "#D55E00"  # blue and vermilion, which all eyes tell apart
_HATCH = {"hatch": "////", "edgecolor": "white"}
_NAMED = 60  # up to so many queries there is room for the name of each

# Systems differ in three ways, the numbers of which have no common divisor: 140 combinations.
_COLORS = (_UP, _DOWN, "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")  # Okabe and Ito
_LINES = ("-", "--", "-.", (0, (1, 1)))
_MARKERS = ("o", "s", "^", "D", "v")
_BY_CHANCE: Mapping[str, Any] = {"color": "#767676", "linewidth": 0.8, "linestyle": ":"}

_ACROSS = 5  # panels beside each other
_PANELS = 64  # more cannot be read
_FINE = 2000  # points in a line across a panel that can be told apart, in print as well
_NUMBERED = 40  # up to so many labels there is room for numbers in a confusion matrix
_WIDE = 40  # characters above a panel
_LONGEST = 24  # characters of the name of a label
_DOTS = 5000  # more would hide each other
_CELLS = 60  # across a panel, in which they are counted then

_NAMES = {"mae": "MAE", "mse": "MSE", "rmse": "RMSE", "r2": "R²", "mape": "MAPE", "smape": "SMAPE"}


class System(NamedTuple):
    """What is drawn of a system: its scores, and its rows."""

    result: ModuleResult
    predictions: Any
    references: Any


def check(path: Path) -> None:
    """Nothing, if a picture can be drawn into a file of this name."""
    if path.suffix.lower() not in _FORMATS:
        raise UsageError(f"{path}: unknown kind of picture; a name ends in {', '.join(_FORMATS)}")
    with extra("plot"):
        import matplotlib.figure  # noqa: F401


def deltas(
    path: Path, runs: Mapping[str, QueryScores], comparisons: Sequence[Mapping[str, Any]]
) -> bytes:
    """The differences A - B of each query, a panel a measure, greatest first.

    The kind of picture is the one that the name of its file says.
    """
    return _rendered(path, partial(_draw_deltas, runs=runs, comparisons=comparisons))


def picture(path: Path, kind: str, systems: Mapping[str, System]) -> bytes:
    """One of the pictures of `PICTURES`, as a file of this name holds it.

    Raises:
        ValueError: what would be drawn is not defined, or too much.
    """
    return _rendered(path, partial(PICTURES[kind], systems=systems))


def _rendered(path: Path, draw: Callable[["Figure"], None]) -> bytes:
    """A figure as a file of this name holds it."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    content = io.BytesIO()
    kind = path.suffix.lower()
    with (
        rc_context(_STYLE),
        warnings.catch_warnings(action="ignore"),  # of characters that the font lacks
    ):
        figure = Figure(layout="constrained")
        draw(figure)
        figure.savefig(
            content, format=kind[1:], dpi=150, bbox_inches="tight", metadata={**_FORMATS[kind]}
        )
    return content.getvalue()


# Differences of two runs


def _draw_deltas(
    figure: "Figure",
    runs: Mapping[str, QueryScores],
    comparisons: Sequence[Mapping[str, Any]],
) -> None:
    first, second = runs.values()
    figure.set_size_inches(9, 0.4 + 2.8 * len(comparisons))
    figure.set_layout_engine("constrained", h_pad=0.1)
    panels = figure.subplots(len(comparisons), squeeze=False)[:, 0]
    for panel, comparison in zip(panels, comparisons, strict=True):
        name = comparison["score"]
        of_queries = {query: first[query][name] - second[query][name] for query in first}
        _draw(panel, of_queries, comparison)
    panels[-1].set_xlabel("queries, in each panel from the greatest difference to the least")
    figure.align_ylabels()


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


# Curves


def _roc(figure: "Figure", systems: Mapping[str, System]) -> None:
    """The true positive rate over the false one, a panel a label if there are more than two."""

    def draw(panel: "Axes", points: _Points, style: Mapping[str, Any]) -> None:
        panel.plot(*thinned(points["fpr"], points["tpr"]), **style)

    def chance(_: _Points) -> tuple[float, float]:
        return 0.0, 1.0

    axes = "false positive rate", "true positive rate"
    _draw_curves(figure, systems, "roc_curve", ("roc_auc", "AUC"), axes, draw, chance)


def _pr(figure: "Figure", systems: Mapping[str, System]) -> None:
    """Precision over recall, in steps, the area under which is the average precision."""

    def draw(panel: "Axes", points: _Points, style: Mapping[str, Any]) -> None:
        # Recall descends, and is thinned as it ascends.
        recall, precision = thinned(points["recall"][::-1], points["precision"][::-1])
        panel.plot(recall[::-1], precision[::-1], drawstyle="steps-post", **style)

    def chance(points: _Points) -> tuple[float, float]:
        # All rows are positive at the lowest threshold: precision is the share of positives.
        return points["precision"][0], points["precision"][0]

    axes = "recall", "precision"
    _draw_curves(figure, systems, "pr_curve", ("average_precision", "AP"), axes, draw, chance)


def _draw_curves(
    figure: "Figure",
    systems: Mapping[str, System],
    kind: str,
    area: tuple[str, str],
    axes: tuple[str, str],
    draw: Callable[["Axes", _Points, Mapping[str, Any]], None],
    chance: Callable[[_Points], tuple[float, float]],
) -> None:
    """The curves of all systems in one panel, or in one for each of several labels.

    `draw` draws a curve, and `chance` says between which heights the line of chance runs.
    """
    labels, positive = _common_labels(systems), _positive(systems)
    several = len(labels) > 2
    score, short = area
    styles = _styles(systems, markevery=0.12)
    panels = (
        _grid(figure, len(labels), width=2.4, height=2.6 + 0.15 * len(systems))
        if several
        else _grid(figure, 1, width=4.6, height=4.8)
    )
    undefined = dict.fromkeys(systems, 0)
    areas: dict[str, str] = {}
    for place, panel in enumerate(panels):
        heights: dict[tuple[float, float], None] = {}
        for name, system in systems.items():
            scores, intervals = system.result.scores, system.result.confidence_interval
            found: list[Any] = [scores[score], intervals[score], scores[kind]]
            value, interval, points = [each[place] for each in found] if several else found
            areas[name] = _with_interval(value, interval)
            if math.isnan(value):
                undefined[name] += 1
                areas[name] = "undefined"
                points = {axis: [] for axis in points}
            else:
                heights[chance(points)] = None
            draw(panel, points, styles[name] | {"label": areas[name]})
        for ends in heights:
            panel.plot([0, 1], ends, **_BY_CHANCE)
        _unit_square(panel)
        if several:
            panel.legend(
                title=_short(str(labels[place]), _LONGEST),
                loc="lower left",
                bbox_to_anchor=(0, 1),
                alignment="left",
                fontsize="x-small",
                handlelength=3,
                frameon=False,
            )
    for name in systems:
        if undefined[name] == len(panels):
            raise ValueError(
                f"system {name!r}: {score} is undefined, and so is the curve: all references are "
                "the same label"
            )
    _label_axes(panels, axes[0], f"{axes[1]} (positive: {positive})" if positive else axes[1])
    entries = [
        (_short(name, _WIDE) + ("" if several else f": {short} {areas[name]}"), style)
        for name, style in styles.items()
    ]
    title = f"each label against the others, {short} in its panel" if several else None
    _legend(figure, [*entries, ("chance", _BY_CHANCE)], title)


def thinned(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """The points of a line that can be told apart, the x of which ascend from 0 to 1.

    Of the points in each of many columns the first, the last, the lowest and the highest stay, so
    that the line leaves out no peak, and moves by less than the width of a column.

    >>> x, y = thinned(np.linspace(0, 1, 10**6), np.linspace(0, 1, 10**6) ** 2)
    >>> x.size < 10_000, x[0], x[-1], y[-1]
    (True, np.float64(0.0), np.float64(1.0), np.float64(1.0))
    """
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if x.size <= 4 * _FINE:  # no more than would stay
        return x, y
    column = np.floor(x * _FINE)
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    ends = np.append(starts[1:], x.size) - 1
    rising = np.lexsort((y, column))  # within each column
    kept = np.unique(np.concatenate([starts, ends, rising[starts], rising[ends]]))
    return x[kept], y[kept]


# Confusion matrices


def _confusion(figure: "Figure", systems: Mapping[str, System]) -> None:
    """How many rows of each label were given which; a panel a system, colours as shares of rows."""
    tables = _tables(systems)
    size = max(len(labels) for _, labels, _ in tables)
    font = 11 if size <= 3 else 9 if size <= 10 else 6.5
    cell = 0.12  # inches
    if size <= _NUMBERED:
        longest = max(
            len(_count(number)) for *_, table in tables for row in table for number in row
        )
        cell = max(0.042 * font, 0.0095 * font * longest + 0.14)
    side = max(size * cell, 2.2)
    every = [str(name) for _, labels, _ in tables for name in labels]
    room = 0.075 * min(max(map(len, every)), _LONGEST)  # for names of labels, if they are long
    panels = _grid(figure, len(tables), width=side + 0.5 + room, height=side + 1 + room, across=3)
    figure.set_figwidth(figure.get_figwidth() + 1)  # for the colours
    for panel, (title, labels, table) in zip(panels, tables, strict=True):
        shares = _draw_table(panel, table, font if size <= _NUMBERED else None)
        step = -(-len(labels) // _NUMBERED)
        places = range(0, len(labels), step)
        names = [_short(str(labels[place]), _LONGEST) for place in places]
        panel.set_xticks(places, names, fontsize=min(font, 9))
        panel.set_yticks(places, names, fontsize=min(font, 9))
        if max(map(len, names)) * 0.08 > step * side / size:
            for tick in panel.get_xticklabels():
                tick.set(rotation=45, ha="right", rotation_mode="anchor")
        _title(panel, title)
    _label_axes(panels, "predicted label", "true label")
    bar = figure.colorbar(
        shares, ax=panels, shrink=0.6, aspect=30, format=lambda share, _: f"{share:.0%}"
    )
    bar.set_label("share of the row")
    bar.outline.set_visible(False)


def _draw_table(panel: "Axes", table: Sequence[Sequence[Any]], font: float | None) -> "AxesImage":
    """A cell for each number, the darker the more of its row it is; with numbers, if of some size.

    Where there are many labels, zeros would hide what else there is.
    """
    numbers = np.array(table, np.float64)
    totals = numbers.sum(axis=1, keepdims=True)
    shares = np.divide(numbers, totals, out=np.zeros_like(numbers), where=totals > 0)
    image = panel.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for (row, column), share in np.ndenumerate(shares):
        number = table[row][column]
        if font and (number or len(table) <= 10):
            text = f"{_count(number)}\n{_percent(share)}" if number else "0"
            ink = _ink(image.cmap(share)[:3])
            panel.text(column, row, text, color=ink, fontsize=font, ha="center", va="center")
    edges = np.arange(1, len(table)) - 0.5
    panel.set_xticks(edges, minor=True)
    panel.set_yticks(edges, minor=True)
    panel.grid(which="minor", color="white", linewidth=1 if len(table) <= 10 else 0.5)
    panel.tick_params(which="both", length=0)
    panel.spines[:].set_visible(False)
    return image


def _tables(systems: Mapping[str, System]) -> list[tuple[str, Sequence[Any], list[list[Any]]]]:
    """Title, labels and counts of each panel; of rows of several labels each has its own."""
    found: list[tuple[str, Sequence[Any], list[list[Any]]]] = []
    for name, system in systems.items():
        scores, intervals = system.result.scores, system.result.confidence_interval
        accuracy = f"accuracy {_with_interval(scores['accuracy'], intervals['accuracy'])}"
        title, table, labels = _short(name, _WIDE), scores["confusion_matrix"], scores["labels"]
        if np.ndim(table) == 3:
            pairs = zip(labels, table, strict=True)
            found += [(f"{title}\nlabel {each}", [0, 1], of) for each, of in pairs]
        else:
            found.append((f"{title}\n{accuracy}", labels, table))
    return found


def _count(number: float) -> str:
    """Rows, or the sum of their weights."""
    return f"{number:,}" if isinstance(number, int) else f"{number:.4g}"


def _percent(share: float) -> str:
    """A share in whole percent, which are 0 and 100 only where the share is 0 and 1.

    >>> _percent(0.5), _percent(0.999), _percent(0.001)
    ('50%', '>99%', '<1%')
    """
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"


def _ink(color: Iterable[float]) -> str:
    """Black or white, whichever stands out more from a colour, as WCAG 2 reckons contrast.

    >>> _ink([1.0, 1.0, 0.8]), _ink([0.0, 0.2, 0.4])
    ('black', 'white')
    """
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color]
    red, green, blue = linear
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "black" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "white"


# Calibration


def _calibration(figure: "Figure", systems: Mapping[str, System]) -> None:
    """How often what is given some probability comes true, above the rows of each bin."""
    from matplotlib.ticker import NullFormatter

    labels, positive = _common_labels(systems), _positive(systems)
    figure.set_size_inches(5, 6.2 + 0.17 * len(systems))
    panel, below = figure.subplots(2, sharex=True, height_ratios=[1, 0.28])
    panel.plot([0, 1], [0, 1], **_BY_CHANCE)
    entries: list[tuple[str, Mapping[str, Any]]] = []
    counts: list[float] = []
    for (name, style), system in zip(_styles(systems).items(), systems.values(), strict=True):
        scores, intervals = system.result.scores, system.result.confidence_interval
        bins = scores["calibration"]
        if not bins["rows"]:
            raise ValueError(f"system {name!r}: calibration is of probabilities, from 0 to 1")
        text = f"{_short(name, _WIDE)}: ECE {_with_interval(scores['ece'], intervals['ece'])}"
        panel.plot(bins["predicted"], bins["observed"], label=text, **style)
        below.plot(bins["predicted"], bins["rows"], **style)
        entries.append((text, style))
        counts += bins["rows"]
    low, high = min(counts), max(counts)
    if high > 50 * low:  # few rows would not be seen
        below.set(yscale="log", ylim=(low / 2, high * 2))
        below.yaxis.set_minor_formatter(NullFormatter())
    else:
        below.set_ylim(0, high * 1.1)
    below.yaxis.set_major_formatter(_thousands())
    _unit_square(panel)
    _gridlines(below)
    below.set_box_aspect(0.28)
    of, seen = "the predicted label", "right predictions"
    if len(labels) <= 2:
        of = seen = positive or "the positive label"
    panel.set_ylabel(f"observed share of {seen}")
    below.set(xlabel=f"mean predicted probability of {of}", ylabel="rows")
    figure.align_ylabels()
    _legend(figure, [*entries, ("perfectly calibrated", _BY_CHANCE)])


# Predicted numbers


class _Numbers(NamedTuple):
    """The numbers of one panel, of a system and one of its outputs."""

    title: str
    predicted: Floats
    actual: Floats
    residual: Floats


def _residuals(figure: "Figure", systems: Mapping[str, System]) -> None:
    """What was left over against what was predicted, and how often; a row of panels a system."""
    parts = _numbers(systems)
    across = _range(*(part.predicted for part in parts))
    reach = _range(*(part.residual for part in parts), *(-part.residual for part in parts))
    figure.set_size_inches(7.5, 0.5 + len(parts) * (2.3 + _headroom(parts)))
    panels = figure.subplots(
        len(parts), 2, squeeze=False, sharex="col", sharey=True, width_ratios=[3, 1]
    )
    rows = max(part.residual.size for part in parts)
    edges = np.linspace(*reach, 2 * min(100, math.ceil(rows ** (1 / 3))) + 1)
    pairs = [(part.predicted, part.residual) for part in parts]
    cells = _draw_pairs(panels[:, 0], pairs, (across, reach))
    _explain(figure, panels.ravel(), cells)
    for part, color, (panel, beside) in zip(parts, _COLORS * len(parts), panels, strict=False):
        _title(panel, part.title)
        panel.set_ylabel("residual (actual - predicted)")
        counts, _ = np.histogram(part.residual, edges)
        beside.stairs(counts, edges, orientation="horizontal", fill=True, color=color, alpha=0.8)
        for each in (panel, beside):
            each.axhline(0, **_BY_CHANCE)
            each.spines[["top", "right"]].set_visible(False)
        beside.tick_params(labelleft=False)
    panels[-1][0].set(xlabel="predicted", xlim=across, ylim=reach)
    panels[-1][1].set(xlabel="rows")
    panels[-1][1].xaxis.set_major_formatter(_thousands())


def _actual(figure: "Figure", systems: Mapping[str, System]) -> None:
    """What was predicted against what was true, a panel a system."""
    parts = _numbers(systems)
    both = _range(*(numbers for part in parts for numbers in (part.predicted, part.actual)))
    width = 4.6 if len(parts) == 1 else 3.4
    panels = _grid(figure, len(parts), width=width, height=width + _headroom(parts), across=3)
    pairs = [(part.actual, part.predicted) for part in parts]
    _explain(figure, panels, _draw_pairs(panels, pairs, (both, both)))
    for part, panel in zip(parts, panels, strict=True):
        panel.plot(both, both, **_BY_CHANCE)
        panel.set(xlim=both, ylim=both, aspect="equal")
        _title(panel, part.title)
        panel.spines[["top", "right"]].set_visible(False)
    _label_axes(panels, "actual", "predicted")


def _numbers(systems: Mapping[str, System]) -> list[_Numbers]:
    """What the panels show, in the order of systems and outputs."""
    parts = []
    for name, system in systems.items():
        pairs = Pairs(system.predictions, system.references)
        *_, residual = pairs.columns()
        guess, target = (
            np.atleast_2d(table.T).astype(np.float64) for table in (pairs.guess, pairs.target)
        )
        for output in range(pairs.outputs):
            title = _short(name, _WIDE) + (f", output {output}" if pairs.outputs > 1 else "")
            intervals: dict[str, Any] = system.result.confidence_interval
            shown = [
                f"{_NAMES.get(score, score)} "
                + _with_interval(of[output], intervals[score][output] if intervals else None)
                for score, of in system.result.scores.items()
            ]
            parts.append(
                _Numbers(
                    f"{title}\n{_wrapped(shown)}", guess[output], target[output], residual[output]
                )
            )
    if len(parts) > _PANELS:
        raise ValueError(f"there are {len(parts)} panels to draw, but room for {_PANELS}")
    return parts


def _headroom(parts: Sequence[_Numbers]) -> float:
    """Inches for the titles."""
    return 0.17 * max(part.title.count("\n") + 1 for part in parts)


def _range(*numbers: Floats) -> tuple[float, float]:
    """From the least to the greatest number, with a margin."""
    low = min(float(each.min()) for each in numbers)
    high = max(float(each.max()) for each in numbers)
    margin = 0.04 * (high - low) or max(0.04 * abs(high), 0.5)
    if not math.isfinite(4 * (high - low) + 4 * abs(high)):
        raise ValueError(f"numbers from {low:g} to {high:g} are too large to be drawn")
    return low - margin, high + margin


def _draw_pairs(
    panels: Iterable["Axes"],
    pairs: Sequence[tuple[Floats, Floats]],
    ranges: tuple[tuple[float, float], tuple[float, float]],
) -> "PolyCollection | None":
    """A dot a row; of many rows how many are in each cell, in the same colours in all panels."""
    from matplotlib.colors import LogNorm

    most = max(x.size for x, _ in pairs)
    if most <= _DOTS:
        size, opaque = (14, 0.7) if most <= 500 else (6, 0.3)
        for (x, y), panel, color in zip(pairs, panels, _COLORS * len(pairs), strict=False):
            panel.scatter(x, y, s=size, color=color, alpha=opaque, linewidth=0)
        return None
    extent = (*ranges[0], *ranges[1])
    drawn = [
        panel.hexbin(x, y, gridsize=_CELLS, extent=extent, mincnt=1, linewidths=0.1)
        for (x, y), panel in zip(pairs, panels, strict=True)
    ]
    fullest = max(float(np.max(np.asarray(cells.get_array()))) for cells in drawn)
    norm = LogNorm(1, max(10.0, fullest))
    for cells in drawn:
        cells.set_norm(norm)
    return drawn[0]


def _explain(figure: "Figure", panels: Iterable["Axes"], cells: "PolyCollection | None") -> None:
    """Say how many rows the colours of cells stand for."""
    from matplotlib.ticker import NullFormatter

    if cells is not None:
        bar = figure.colorbar(cells, ax=[*panels], shrink=0.8, aspect=30, format=_thousands())
        bar.minorformatter = NullFormatter()
        bar.set_label("rows in a cell")


def _thousands() -> "EngFormatter":
    """Numbers of rows as 500, 50k and 5M."""
    from matplotlib.ticker import EngFormatter

    return EngFormatter(sep="")


# What pictures have in common


def _grid(
    figure: "Figure", count: int, *, width: float, height: float, across: int = _ACROSS
) -> list["Axes"]:
    """So many panels; width and height are in inches, of a panel with all around it."""
    if count > _PANELS:
        raise ValueError(f"there are {count} panels to draw, but room for {_PANELS}")
    columns = min(count, across, math.ceil(math.sqrt(count)) + (count < 4))
    rows = math.ceil(count / columns)
    figure.set_layout_engine("compressed")  # as squares leave room that others can take
    figure.set_size_inches(columns * width + 0.4, rows * height + 0.4)
    panels = figure.subplots(rows, columns, squeeze=False).ravel().tolist()
    for panel in panels[count:]:
        panel.remove()
    return panels[:count]


def _label_axes(panels: Sequence["Axes"], x: str, y: str) -> None:
    """Name the axes where no other panel is below, or to the left."""
    places = [panel.get_subplotspec() for panel in panels]
    for panel, place in zip(panels, places, strict=True):
        if place is not None:
            below = place.rowspan.start + 1, place.colspan.start
            if not any(o and (o.rowspan.start, o.colspan.start) == below for o in places):
                panel.set_xlabel(x)
            if place.is_first_col():
                panel.set_ylabel(y)


def _unit_square(panel: "Axes") -> None:
    panel.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    _gridlines(panel)


def _gridlines(panel: "Axes") -> None:
    panel.grid(color="#e5e5e5", linewidth=0.6)
    panel.set_axisbelow(True)


def _styles(systems: Mapping[str, System], **marking: float) -> dict[str, dict[str, Any]]:
    """Colour, dashes and marker of each system; one alone needs no marker on its curve."""
    several = len(systems) > 1
    return {
        name: {
            "color": _COLORS[place % len(_COLORS)],
            "linestyle": _LINES[place % len(_LINES)],
            "marker": _MARKERS[place % len(_MARKERS)] if several or not marking else None,
            "markersize": 4.5,
            "linewidth": 1.5,
        }
        | {
            # not all at the same places
            name: (every * place / len(systems), every)
            for name, every in marking.items()
        }
        for place, name in enumerate(systems)
    }


def _legend(
    figure: "Figure", entries: Sequence[tuple[str, Mapping[str, Any]]], title: str | None = None
) -> None:
    """Names of lines, below the panels, where they hide nothing."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], label=text, **style) for text, style in entries]
    figure.legend(
        handles=handles, loc="outside lower center", title=title, frameon=False, handlelength=3
    )


def _title(panel: "Axes", text: str) -> None:
    """A name in bold type, and below it lines of scores."""
    name, *scores = text.splitlines()
    above = 6 + 12 * len(scores)  # points
    panel.set_title(name, loc="left", fontweight="bold", fontsize="medium", pad=above)
    panel.annotate(
        "\n".join(scores),
        *((0, 1), (0, 4)),
        xycoords="axes fraction",
        textcoords="offset points",
        va="bottom",
    )


def _common_labels(systems: Mapping[str, System]) -> list[Any]:
    """The labels of all systems, which are the same."""
    labels = {name: system.result.scores["labels"] for name, system in systems.items()}
    for (one, of_one), (other, of_other) in pairwise(labels.items()):
        if of_one != of_other:
            raise ValueError(
                f"system {other!r} has the labels {_listed(of_other)}, but {one!r} has "
                f"{_listed(of_one)}; on one picture they must be the same"
            )
    return next(iter(labels.values()))


def _listed(labels: Sequence[Any]) -> str:
    return ", ".join(map(repr, labels[:10])) + (", ..." if len(labels) > 10 else "")


def _positive(systems: Mapping[str, System]) -> str:
    """The positive one of two labels; nothing if there are more, or only one is known."""
    result = next(iter(systems.values())).result
    found = classes(result.scores["labels"], pos_label=result.options["pos_label"])
    if len(found.all_labels) > 2 or found.positive is None:
        return ""
    return _short(str(found.all_labels[found.positive]), 30)


def _with_interval(value: float, interval: Sequence[float] | None) -> str:
    """A score, and its interval if there is one, with digits that tell its size.

    >>> _with_interval(0.91234, [0.9, 0.92]), _with_interval(83.456, None)
    ('0.912 [0.900, 0.920]', '83.46')
    """
    if interval is None:
        return _digits(value)
    low, high = map(_digits, interval)
    return f"{_digits(value)} [{low}, {high}]"


def _wrapped(scores: Iterable[str]) -> str:
    """Scores beside and below each other, none of them broken.

    >>> print(_wrapped(["MAE 63.75 [47.50, 81.08]", "RMSE 76.35 [57.95, 92.98]", "R² 0.924"]))
    MAE 63.75 [47.50, 81.08]
    RMSE 76.35 [57.95, 92.98]  R² 0.924
    """
    kept = "  ".join(score.replace(" ", "\N{NO-BREAK SPACE}") for score in scores)
    return fill(kept, _WIDE).replace("\N{NO-BREAK SPACE}", " ")


def _digits(value: float) -> str:
    if 0.001 <= abs(value) <= 1 or value == 0:
        return f"{value:.3f}"
    return f"{value:#.4g}".rstrip(".")


def _short(name: str, length: int) -> str:
    """The name on one line; of a long one both ends, since either may be what tells it apart.

    >>> _short("a system with a long name, run 12", 12)
    'a syst…un 12'
    """
    name = label(name)
    if len(name) <= length:
        return name
    return f"{name[: length // 2]}…{name[len(name) - (length - 1) // 2 :]}"


PICTURES: Mapping[str, Callable[..., None]] = {
    "roc": _roc,
    "pr": _pr,
    "confusion": _confusion,
    "calibration": _calibration,
    "residuals": _residuals,
    "actual": _actual,
}
