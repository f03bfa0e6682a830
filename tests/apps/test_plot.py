"""Pictures are tested by the numbers in what is drawn, not by their pixels."""

import json
import math
import sys
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

from metric_commons import load
from metric_commons.reporting.plots import label_plots
from tests.apps.files import write_rows
from tests.spec import ROOT, nightly
from tests.tables import by_table

pytestmark = pytest.mark.long

KINDS = ["roc", "pr", "confusion", "calibration", "residuals"]
MUSHROOMS, RENTS = (ROOT / "examples" / f"{name}.jsonl" for name in ("mushrooms", "rents"))
GUIDES = ["forager", "field_guide"]
GUIDED = (
    *(MUSHROOMS, *(f"--predictions={name}" for name in GUIDES), "--references", "edible"),
    *("--set", "pos_label=yes"),
)
RENTED = (RENTS, "--predictions=by_area", "--predictions=by_area_and_floor", "--references=rent")
ROWS = {
    **dict.fromkeys(KINDS, GUIDED),
    "residuals": RENTED,
}


def kept_figures(run, monkeypatch, *, is_painted):
    """Run the command and return the figure that it saves.

    Painting takes most of the time, and what is tested mostly stands in the figure before.
    """
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    saved = []
    save = Figure.savefig

    def kept(figure, content, **options):
        saved.append(figure)
        if is_painted:
            save(figure, content, **options | {"dpi": 30, "bbox_inches": None})  # which is quick
        else:
            content.write(b"\x89PNG")

    monkeypatch.setattr(Figure, "savefig", kept)

    def drawn(*arguments):
        saved.clear()
        status, out, err = run("plot", *arguments, "--save", "out.png")
        assert (status, out, err) == (0, "", "")
        assert Path("out.png").read_bytes().startswith(b"\x89PNG")
        return saved[0]

    return drawn


@pytest.fixture
def drawn(run, monkeypatch):
    """Run the command and return its figure, which is not painted."""
    return kept_figures(run, monkeypatch, is_painted=False)


@pytest.fixture
def painted(run, monkeypatch):
    """Run the command and return its figure once it is painted."""
    return kept_figures(run, monkeypatch, is_painted=True)


@pytest.fixture
def refused(refused):
    pytest.importorskip("matplotlib")
    return lambda *arguments: refused("plot", *arguments)


def columns(path, *fields):
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [[row[field] for row in rows] for field in fields]


def write(name, **fields):
    rows = (dict(zip(fields, values, strict=True)) for values in zip(*fields.values(), strict=True))
    return write_rows(Path(name), rows)


def lines(panel):
    """The lines of systems, as points: those that have a name."""
    return {
        line.get_label(): line.get_xydata()
        for line in panel.get_lines()
        if not line.get_label().startswith("_")
    }


def rendered(figure):
    """What knows the size of texts, once everything has its place."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure.draw_without_rendering()
    return FigureCanvasAgg(figure).get_renderer()


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def interval(result, score):
    low, high = result["confidence_interval"][score]
    return f"{result[score]:.3f} [{low:.3f}, {high:.3f}]"


@cache
def guided(name, **options):
    predictions, references = columns(MUSHROOMS, name, "edible")
    options = {"pos_label": "yes", "confidence_level": 0.95} | options
    return load("classification").compute(predictions=predictions, references=references, **options)


def of_classes(count, rows=60, systems=("a", "b")):
    """Rows of probabilities and labels, some of which have long names."""
    random = np.random.default_rng(count)
    names = sorted(f"a rather long name of a label, number {i:02}" for i in range(count))
    truth = np.arange(rows) % count
    fields = {"gold": [names[i] for i in truth]}
    for system in systems:
        weights = random.random((rows, count)) + np.eye(count)[truth]
        shares = weights / weights.sum(axis=1, keepdims=True)
        fields[system] = shares.tolist()
        fields[f"{system}_label"] = [names[i] for i in shares.argmax(axis=1)]
    return write("rows.jsonl", **fields), names


# Curves


@pytest.mark.parametrize(
    ("kind", "curve", "axes", "score", "short"),
    [
        ("roc", "roc_curve", ("fpr", "tpr"), "roc_auc", "AUC"),
        ("pr", "pr_curve", ("recall", "precision"), "average_precision", "AP"),
    ],
)
def test_a_curve_is_that_of_the_module(drawn, kind, curve, axes, score, short):
    figure = drawn(kind, *GUIDED)
    (panel,) = figure.axes
    results = {name: guided(name, curves=True) for name in GUIDES}

    for name, points in zip(GUIDES, lines(panel).values(), strict=True):
        expected = [results[name][curve][axis] for axis in axes]
        assert points.T.tolist() == expected
    texts = [f"{name}: {short} {interval(results[name], score)}" for name in GUIDES]
    assert legend(figure) == [*texts, "chance"]
    chance = {"roc": [[0, 0], [1, 1]], "pr": [[0, 0.5], [1, 0.5]]}[kind]  # half are positive
    assert [line.get_xydata().tolist() for line in panel.get_lines()].count(chance) == 1
    assert "(positive: yes)" in panel.get_ylabel()
    assert panel.get_aspect() == 1
    assert panel.get_xlim() == panel.get_ylim()


def test_curves_of_several_systems_differ_in_three_ways(drawn):
    truth = [0, 1] * 10
    scores = np.random.default_rng(0).random((5, 20)).tolist()
    write("rows.jsonl", y=truth, **{f"s{i}": column for i, column in enumerate(scores)})
    figure = drawn(
        "roc", "rows.jsonl", "--references=y", *(f"--predictions=s{i}" for i in range(5))
    )
    curves = [line for line in figure.axes[0].get_lines() if line.get_label()[0] != "_"]

    assert len({line.get_color() for line in curves}) == 5
    assert len({line.get_marker() for line in curves}) == 5
    looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in curves}
    assert len(looks) == 5
    assert all(one.get_linestyle() != other.get_linestyle() for one, other in pairwise(curves))


MEASURES = 'measures=["mae","mse","rmse","r2","mape","max_error","explained_variance"]'


def check_layout(figure):
    """No panel covers another, or is too small."""
    renderer = rendered(figure)
    for one, other in combinations([panel.get_tightbbox(renderer) for panel in figure.axes], 2):
        across = min(one.x1, other.x1) - max(one.x0, other.x0)
        along = min(one.y1, other.y1) - max(one.y0, other.y0)
        assert min(across, along) < 2
    for panel in figure.axes:
        extent = panel.get_window_extent(renderer)
        is_bar = extent.height > 5 * extent.width
        assert is_bar or extent.width > figure.dpi * 1.3


@pytest.mark.parametrize("count", [10, *nightly(1, 3)])
def test_every_label_has_room(painted, count):
    path, _ = of_classes(max(count, 3))
    systems = [f"--predictions={name}_label" for name in "ab"]

    check_layout(painted("confusion", path, *systems[: 1 + (count > 1)], "--references=gold"))


@pytest.mark.parametrize("options", [["--set", MEASURES], *nightly([], ["--confidence", "0.9"])])
def test_every_score_has_room(painted, options):
    check_layout(painted("residuals", *RENTED, *options))


# Confusion matrices


def contrast(one, other):
    """As the Web Content Accessibility Guidelines 2 define it."""

    def luminance(color):
        linear = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color)
        return sum(map(math.prod, zip((0.2126, 0.7152, 0.0722), linear, strict=True)))

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("count", [3, *nightly(2, 10, 30)])
def test_cells_hold_counts_and_shares_of_their_row_and_can_be_read(drawn, count):
    from matplotlib.colors import to_rgb

    path, names = of_classes(count, rows=400)
    figure = drawn("confusion", path, "--predictions=a_label", "--references=gold")
    predictions, references = columns(path, "a_label", "gold")
    result = load("classification").compute(
        predictions=predictions, references=references, confidence_level=0.95, confusion_matrix=True
    )
    table = np.array(result["confusion_matrix"])
    panel, _ = figure.axes
    (image,) = panel.images
    shares = table / table.sum(axis=1, keepdims=True)

    assert image.get_array().tolist() == shares.tolist()
    texts = {text.get_position(): text for text in panel.texts if "\n" in text.get_text()}
    assert len(texts) == np.count_nonzero(table)
    for (column, row), text in texts.items():
        number, share = text.get_text().split("\n")
        assert number == str(table[row, column])
        if share[0] not in "<>":
            assert abs(float(share.rstrip("%")) / 100 - shares[row, column]) <= 0.005
        cell = image.cmap(image.norm(shares[row, column]))[:3]
        assert contrast(to_rgb(text.get_color()), cell) >= 4.5
    zeros = [text for text in panel.texts if text.get_text() == "0"]
    assert len(zeros) == (np.count_nonzero(table == 0) if count <= 10 else 0)
    assert f"accuracy {interval(result, 'accuracy')}" in [text.get_text() for text in panel.texts]
    ticks = [label.get_text() for label in panel.get_yticklabels()]
    assert len(set(ticks)) == count
    assert all(tick[-2:] == name[-2:] for tick, name in zip(ticks, names, strict=True))
    renderer = rendered(figure)
    of_cell = panel.get_window_extent(renderer).width / count
    assert max(text.get_window_extent(renderer).width for text in texts.values()) < of_cell


def test_options_move_what_is_drawn(drawn):
    def counts(*options):
        figure = drawn("confusion", *GUIDED, *options)
        return [
            [int(text.get_text().split("\n")[0]) for text in panel.texts[:4]]
            for panel in figure.axes[:2]
        ]

    for threshold in (0.3, 0.7):
        asked_for = {"threshold": threshold, "confusion_matrix": True}
        tables = [guided(name, **asked_for)["confusion_matrix"] for name in GUIDES]
        expected = [[*first, *second] for first, second in tables]
        assert counts("--set", f"threshold={threshold}") == expected
    assert drawn("confusion", *GUIDED).axes[0].get_xlabel() == "predicted label, threshold 0.5"
    (no, yes) = counts()[0][:2], counts()[0][2:]
    assert counts("--set", 'labels=["yes","no"]')[0] == [*yes[::-1], *no[::-1]]


# Calibration


@pytest.mark.parametrize("strategy", ["quantile", *nightly("uniform")])
def test_bins_are_those_of_the_module(drawn, strategy):
    options = ["--set", "calibration_bins=5", "--set", f"calibration_strategy={strategy}"]
    figure = drawn("calibration", *GUIDED, *options)
    above, below = figure.axes
    curves = lines(above)
    heights = [line.get_xydata().T.tolist() for line in below.get_lines()]

    for place, name in enumerate(GUIDES):
        result = guided(name, calibration_bins=5, calibration_strategy=strategy)
        bins = result["calibration"]
        text = f"{name}: ECE {interval(result, 'ece')}"
        assert legend(figure)[place] == text
        assert curves[text].T.tolist() == [bins["predicted"], bins["observed"]]
        assert heights[place] == [bins["predicted"], bins["rows"]]
    assert above.get_ylabel() == "observed rate of yes"
    assert below.get_ylim()[0] == 0


def test_each_bin_has_the_interval_of_its_rate(drawn):
    figure = drawn("calibration", *GUIDED, "--set", "calibration_bins=5")
    segments = [
        line.get_xydata().tolist()
        for line in figure.axes[0].get_lines()
        if len(line.get_xdata()) == 2
    ]
    for name in GUIDES:
        bins = guided(name, calibration_bins=5)["calibration"]
        for predicted, observed, rows in zip(
            bins["predicted"], bins["observed"], bins["rows"], strict=True
        ):
            low, high = binomtest(round(observed * rows), round(rows)).proportion_ci()
            assert any(
                segment == [[predicted, pytest.approx(low)], [predicted, pytest.approx(high)]]
                for segment in segments
            )
    assert "95% interval of the rate in a bin" in legend(figure)


# Numbers


def test_every_row_is_a_dot_and_counted_once(drawn):
    figure = drawn("residuals", *RENTED)
    actual, *systems = columns(RENTS, "rent", "by_area", "by_area_and_floor")

    for place, predicted in enumerate(systems):
        panel, beside = figure.axes[2 * place : 2 * place + 2]
        residuals = [a - p for a, p in zip(actual, predicted, strict=True)]
        (dots,) = panel.collections
        assert dots.get_offsets().tolist() == [
            [p, r] for p, r in zip(predicted, residuals, strict=True)
        ]
        (bars,) = beside.patches
        counts, edges = bars.get_data().values, bars.get_data().edges
        assert counts.tolist() == np.histogram(residuals, edges)[0].tolist()
        assert counts.sum() == len(actual)
        scores = load("regression").compute(predictions=predicted, references=actual)
        shown = panel.texts[0].get_text()
        assert f"RMSE {scores['rmse']:.2f}" in shown
        assert f"R² {scores['r2']:.3f}" in shown
    assert len({panel.get_ylim() for panel in figure.axes}) == 1


def test_many_rows_are_pixels_that_lose_none(drawn):
    write("rows.jsonl", y=[0.0] * 6000, p=[float(row) for row in range(6000)])
    figure = drawn("residuals", "rows.jsonl", "--predictions=p", "--references=y")

    (dots,) = figure.axes[0].collections
    assert len(dots.get_offsets()) == 6000
    assert dots.get_rasterized()


@pytest.mark.parametrize("value", [0.0, -3.5, 2**60, 1e-300])
def test_equal_numbers_can_be_drawn(painted, value):
    write("rows.jsonl", p=[value] * 3, y=[value] * 3)
    figure = painted("residuals", "rows.jsonl", "--predictions=p", "--references=y")

    offsets = figure.axes[0].collections[0].get_offsets()
    assert offsets.tolist() == [[value, 0.0]] * 3


# Files


@pytest.mark.parametrize(
    ("kind", "name", "start", "times"),
    [
        ("calibration", "d.png", b"\x89PNG", 1),
        ("confusion", "x/d.PDF", b"%PDF", 2),
        ("residuals", "d.svg", b"<?xml", 2),
        *nightly(*((kind, "d.png", b"\x89PNG", 2) for kind in KINDS)),
    ],
)
def test_a_picture_is_of_the_kind_of_its_name_and_always_the_same(run, kind, name, start, times):
    pytest.importorskip("matplotlib")
    command = ("plot", kind, *ROWS[kind], "--save", name)
    contents = set()
    for _ in range(times):
        assert run(*command) == (0, "", "")
        contents.add(Path(name).read_bytes())

    (content,) = contents
    assert content.startswith(start)


def test_any_name_can_be_drawn(painted):
    write("rows.jsonl", **{"$x^2_{": [0.1, 0.9], "日\n本" + "b" * 99: [0.3, 0.2]}, y=["$a_", "%"])
    names = [f"--predictions={name}" for name in ("$x^2_{", "日\n本" + "b" * 99)]
    painted("confusion", "rows.jsonl", *names, "--references=y", "--set", "pos_label=$a_")


def test_without_matplotlib_it_is_said_before_a_file_is_read(refused, monkeypatch):
    Path("rows.jsonl").write_text("not a row")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    status, said = refused("roc", "rows.jsonl", "--predictions=p", "--references=y", "--save=d.png")

    assert status == 1
    assert said.endswith("pip install 'metric-commons[plot]'")


# What goes wrong


@by_table("kind, p, y, option, status, message")
def test_what_cannot_be_drawn_is_one_line(refused, kind, p, y, option, status, message):
    write("rows.jsonl", p=p, y=y)
    settings = [] if option is None else ["--set", option]
    found, said = refused(
        *(kind, "rows.jsonl", "--predictions=p", "--references=y", "--save=d.png", *settings)
    )

    assert found == status
    assert message in said


@by_table("options, status, message")
def test_a_command_that_makes_no_sense_is_one_line(refused, options, status, message):
    write("rows.jsonl", p=[0.1, 0.9], y=[0, 1])
    found, said = refused("roc", "rows.jsonl", "--predictions=p", "--references=y", *options)

    assert found == status
    assert message in said


def test_systems_on_one_picture_have_the_same_labels(refused):
    write("a.jsonl", p=[0.1, 0.9], y=["no", "yes"])
    write("b.jsonl", p=[0.1, 0.9], y=["no", "oui"])
    status, said = refused(
        *("roc", "a.jsonl", "b.jsonl", "--predictions=p", "--references=y", "--save=d.png"),
        *("--set", "pos_label=no"),
    )

    assert status == 1
    assert said.startswith("system 'b' has the labels 'no', 'oui', but 'a' has 'no', 'yes'")


def test_more_panels_than_can_be_read_are_refused(refused):
    write("rows.jsonl", y=["a", "b"], **{f"s{number}": ["a", "b"] for number in range(65)})
    named = [f"--predictions=s{number}" for number in range(65)]
    status, said = refused("confusion", "rows.jsonl", *named, "--references=y", "--save=d.png")

    assert (status, said) == (1, "there are 65 panels to draw, but room for 64")


def test_of_several_labels_the_positive_one_is_drawn(drawn, refused):
    path, names = of_classes(3, rows=30)
    named = [path, "--predictions=a", "--references=gold"]
    (panel,) = drawn("roc", *named, "--set", f"pos_label={names[1]}").axes
    predictions, references = columns(path, "a", "gold")
    result = load("classification").compute(
        predictions=predictions, references=references, curves=True, average="none"
    )
    points = [result["roc_curve"][1][axis] for axis in ("fpr", "tpr")]
    assert next(iter(lines(panel).values())).T.tolist() == points
    status, said = refused("roc", *named, "--set", "pos_label=?", "--save=d.png")
    assert status == 1
    assert said.startswith("pos_label is '?'; of several labels it names the one to draw")
    write("many.jsonl", p=[[1, 0], [1, 1]], y=[[1, 0], [0, 1]])
    many = ("many.jsonl", "--predictions=p", "--references=y", "--save=d.png")
    assert "rows with several labels have no one matrix" in refused("confusion", *many)[1]
    write("two.jsonl", p=[[1.0, 1.0], [2.0, 3.0]], y=[[1.5, 1.0], [2.0, 2.0]])
    assert "a row has 2 numbers" in refused("residuals", "two.jsonl", *many[1:])[1]


# Saved results


def test_a_forest_has_the_scores_of_a_result_with_their_intervals(run, monkeypatch):
    drawn = kept_figures(run, monkeypatch, is_painted=True)
    write("rows.jsonl", y=["x"] * 9, a=["x"] * 8 + ["y"], b=["x"] * 5 + ["y"] * 4)
    fields = ("-p", "a", "-p", "b", "-r", "y", "--confidence", "0.9", "--save", "r.json")
    assert run("score", "qa_em", "rows.jsonl", *fields)[0] == 0
    (panel,) = drawn("forest", "r.json").axes

    systems = json.loads(Path("r.json").read_text())["records"]
    shown = [line.get_xdata() for line in panel.get_lines()]
    assert [list(map(float, ends)) for ends in shown[::2]] == [
        [r["low"], r["high"]] for r in systems
    ]
    assert [float(value) for (value,) in shown[1::2]] == [8 / 9, 5 / 9]
    assert [label.get_text() for label in panel.get_yticklabels()] == ["a", "b"]
    assert run("plot", "forest", "r.json", "-p", "a", "--save", "f.png")[0] == 2
    assert run("plot", "roc", "rows.jsonl", "--save", "f.png")[0] == 2


def test_numbers_of_very_many_labels_are_left_to_the_colours(drawn):
    path, names = of_classes(60, rows=300)
    panel, _ = drawn("confusion", path, "--predictions=a_label", "--references=gold").axes

    assert panel.images[0].get_array().shape == (60, 60)
    assert not [text for text in panel.texts if "\n" in text.get_text()]
    assert len(panel.get_yticklabels()) == len(names[::2])


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0%"), (1, "100%"), (0.004, "<1%"), (0.996, ">99%"), (0.126, "13%")]
)
def test_a_share_is_none_or_all_only_where_it_is(share, text):
    assert label_plots.percent(share) == text


def test_of_several_labels_the_predicted_one_is_calibrated(drawn):
    path, _ = of_classes(4)
    panel, _ = drawn("calibration", path, "--predictions=a", "--references=gold").axes

    assert panel.get_ylabel() == "observed rate of right predictions"
