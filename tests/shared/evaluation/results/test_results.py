import csv
import io
import json
import math
import os
import re
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import metric_commons
from metric_commons.apps.console.outputs import Presentation
from metric_commons.data.files.stored import to_jsonable, write_whole
from metric_commons.evaluation.comparison.combined_results import compare
from metric_commons.evaluation.comparison.saved_results import read_results
from metric_commons.evaluation.results.module_results import ModuleResult, signature
from metric_commons.evaluation.results.module_results import module_result as result_of_table
from metric_commons.evaluation.results.rendering import p_value
from metric_commons.evaluation.results.results import Results
from metric_commons.evaluation.rows.rows import InputError
from metric_commons.evaluation.rows.states import State
from metric_commons.evaluation.scoring import scoring
from metric_commons.evaluation.scoring.scoring import score
from metric_commons.module.catalog import catalog
from metric_commons.module.catalog.usage import noted
from metric_commons.reporting.report.examples import find_examples
from metric_commons.reporting.report.page import render
from metric_commons.statistics.tests import corrections, significance

SYSTEMS = {"a": ["Paris", "Rome"], "b": ["Paris", "Oslo"]}
REFERENCES = ["paris", ["oslo", "Christiania"]]


class Lengths:
    """A module that is none: it knows only undefined, infinite and whole scores."""

    lower_is_better = frozenset({"undefined", "error"})
    aggregation = {}  # noqa: RUF012
    score_kind = "counts"
    main_score = None
    reports = row_texts = frozenset()
    name = "lengths"
    declared_options = options_of_all_rows = {}  # noqa: RUF012

    def __init__(self, **settings):
        self.feature_sets = [{"predictions": "string"}]
        self.input_names = self.required_inputs = ["predictions"]
        self.options = {"beta": 1.0, "curves": (1, 2), "by": str.lower} | settings

    def as_rows(self, columns):
        return columns

    def with_nan(self, column):
        return column

    def checked(self, **columns):
        return columns

    def compute(self, *, predictions, **options):
        assert set(options) <= set(self.options)
        Lengths.taken = self.options
        return {
            "undefined": math.nan,
            "threshold": math.inf,
            "rows": len(predictions),
            "curve": [0.5, -math.inf],
        }


@pytest.fixture
def lengths(monkeypatch):
    metric = Lengths()
    load = scoring.load_without_evaluate
    monkeypatch.setattr(
        scoring, "load_without_evaluate", lambda name: metric if name == "lengths" else load(name)
    )
    return metric


def scores(scored):
    return {
        (system, name): value
        for system, modules in scored.systems.items()
        for result in modules.values()
        for name, value in result.scores.items()
    }


def test_every_module_scores_every_system():
    modules = ["qa_em", "substring_recall"]
    scored = score(modules, predictions=SYSTEMS, references=REFERENCES)
    assert scores(scored) == {
        (system, module): value for system, value in (("a", 0.5), ("b", 1.0)) for module in modules
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"modules": []}, "at least one module and one system"),
        ({"predictions": {}}, "at least one module and one system"),
        ({"references": {"a": REFERENCES}}, "references must hold one value per row, got dict"),
        ({"options": {"normaliser": 1}}, "no option 'normaliser'; did you mean 'normalizer'"),
        ({"options": {"qa_em.overlap": 1}}, "there is no option 'qa_em.overlap'; did you mean"),
        ({"options": {"zzz": 1}}, "'zzz'; the options are normalizer, reference_aggregation"),
        ({"options": {"per_example": 1}}, "there is no option 'per_example'"),
    ],
)
def test_what_cannot_be_scored_is_an_error(arguments, message):
    rows = {"modules": ["qa_em", "qa_f1"], "predictions": ["a"], "references": ["a"]}
    with pytest.raises(ValueError, match=message):
        score(**rows | arguments)


def test_an_option_goes_to_the_modules_that_have_it():
    scored = score(
        ["qa_em", "qa_f1"],
        predictions=["The cat", ""],
        references=["cat", ""],
        options={"qa_f1.normalizer": "squad", "normalizer": "lower", "qa_f1.both_empty": 0},
    )
    em, f1 = scored.systems["predictions"].values()

    extraction = dict.fromkeys(("extract", "extract_references", "choices"))
    of_texts = {"normalizer": "lower", "reference_aggregation": "max"}
    assert em.options == {**of_texts, **extraction, "thoughts": "keep"}
    assert (f1.options["normalizer"], f1.options["both_empty"]) == ("squad", 0.0)
    assert (em.scores["qa_em"], f1.scores["qa_f1"]) == (0.5, 0.5)
    assert "|both_empty=0.0|" in f1.signature


@pytest.mark.long
def test_the_signature_has_the_options_that_can_move_a_shown_number():
    plainly = score("qa_f1", predictions=SYSTEMS, references=REFERENCES)
    fully = score(
        "qa_f1",
        predictions=SYSTEMS,
        references=REFERENCES,
        n_resamples=100,
        seed=1,
        groups=["x", "y"],
        clusters=["c", "d"],
        rows=True,
    )
    assert fully.signatures() == plainly.signatures()

    shown = {"confidence_level": 0.9, "interval": "auto", "clusters": 2}
    drawn = {"confidence_level": 0.9, "interval": "bootstrap", "n_resamples": 100, "seed": 1}
    for options in (shown, drawn):
        labels = {"clusters": ["c", "d"]} if "clusters" in options else {}
        fully = score(
            "qa_f1",
            predictions=SYSTEMS,
            references=REFERENCES,
            groups=["x", "y"],
            rows=True,
            **{"n_resamples": 100, "seed": 1} | options | labels,
        )
        result = fully.systems["a"]["qa_f1"]
        assert result.options == plainly.systems["a"]["qa_f1"].options | options
        texts = "|".join(f"{name}={value}" for name, value in options.items())
        assert f"|{texts}|rows=2|" in result.signature
    assert fully.rows["a"]["qa_f1"].columns["qa_f1"].tolist() == [1.0, 0.0]
    assert set(result.confidence_interval) == set(result.scores)
    assert list(result.groups) == ["x", "y"]


def test_bad_input_names_the_system():
    with pytest.raises(InputError, match=r"system 'b': predictions\[1\] is None") as caught:
        score("qa_em", predictions={"a": ["x", "y"], "b": ["x", None]}, references=["x", "y"])

    assert caught.value.system == "b"


def test_a_module_gets_the_columns_and_options_it_has(lengths):
    scored = score(
        ["lengths", "qa_em"],
        predictions=["a"],
        references=["a"],
        options={"beta": 2},
        confidence_level=0.9,
        rows=True,
        groups=["x"],
    )

    assert lengths.taken["beta"] == 2.0
    assert scored.systems["predictions"]["lengths"].options["beta"] == 2.0
    group = scored.systems["predictions"]["qa_em"].groups["x"]
    assert (group["qa_em"], group["n"]) == (1.0, 1)
    assert group["confidence_interval"]["qa_em"] == [pytest.approx(0.05), 1.0]


@pytest.mark.parametrize("asked", [{"confidence_level": 0.9}, {"groups": ["x"]}])
def test_what_no_module_can_report_is_an_error(lengths, asked):
    with pytest.raises(ValueError, match="is not an option of any of the modules: lengths"):
        score("lengths", predictions=["a"], **asked)


class Exclaim:
    def __call__(self, text):
        return text + "!"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"x": str.lower}, "x=str.lower"),
        ({"x": Exclaim()}, f"x={__name__}:Exclaim"),
        ({"x": ("a", 1)}, "x=a,1"),
        ({"pattern": "a\n", "name": 'ü"'}, 'pattern=a\\n|name=ü"'),
    ],
)
def test_the_signature_is_one_line_of_text(options, text):
    program = f"metric-commons {version('metric-commons')}"
    assert signature("m", options, 3) == f"m|{text}|rows=3|{program}"


def test_numbers_that_json_lacks_are_null(lengths, tmp_path):
    scored = score("lengths", predictions={"a": ["x"], "b": ["x", "y"]})
    content = json.loads(scored.to_json(), parse_constant=pytest.fail)

    records = {(r["system"], r["score"]): r["value"] for r in content["records"]}
    assert records["b", "undefined"] is records["b", "threshold"] is None
    assert records["b", "rows"] == 2
    assert content["runs"]["b"]["lengths"]["values"] == {
        "curve": [0.5, None],
        "threshold": "inf",
    }
    assert content["runs"]["a"]["lengths"]["options"]["by"] == "str.lower"

    scored.save(tmp_path / "r.json")
    again = Results.read(tmp_path / "r.json")
    assert math.isnan(again.systems["a"]["lengths"].scores["undefined"])
    assert again.systems["a"]["lengths"].scores["threshold"] == math.inf
    assert again.to_dict() == scored.to_dict()


@pytest.mark.long
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_plain_values_are_json(value):
    text = json.dumps(to_jsonable(value), allow_nan=False)

    assert json.loads(text) == to_jsonable(value)


def test_the_file_has_the_documented_shape():
    content = score(
        "qa_em",
        predictions=SYSTEMS,
        references=REFERENCES,
        confidence_level=0.95,
        groups=["x", "y"],
        rows=True,
    ).to_dict()

    assert list(content) == ["format", "runs", "records", "comparisons", "provenance"]
    assert content["format"] == "metric-commons/2"
    run = content["runs"]["a"]["qa_em"]
    assert (run["rows"], run["options"]["normalizer"]) == (2, "squad")
    assert len(content["records"]) == 2 * 3  # of all rows and of two groups
    assert content["records"][2] == {
        "system": "a",
        "module": "qa_em",
        "score": "qa_em",
        "group": "y",
        "value": 0.0,
        "low": 0.0,
        "high": 0.975,
        "level": 0.95,
        "method": "clopper_pearson",
        "standard_error": None,
        "effective_n": None,
        "design_effect": None,
        "n": 1,
        "n_clusters": None,
    }
    assert content["comparisons"] == []
    assert content["provenance"]["inputs"] == []
    programs = "metric-commons python numpy evaluate datasets"
    assert set(content["provenance"]["versions"]) == {*programs.split()}
    created = datetime.fromisoformat(content["provenance"]["created"])
    assert abs((datetime.now(UTC) - created).total_seconds()) < 60


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", '{"format": "other/1"}', "\x80", '{"format": "metric-commons/2"}'),
        '{"format": "metric-commons/2", "runs": {"a": {"m": {}}}, "comparisons": []}',
        '{"format": "metric-commons/2", "runs": [], "records": [], "comparisons": []}',
    ],
)
def test_another_file_is_no_result(text, tmp_path):
    path = tmp_path / "r.json"
    path.write_text(text, "latin-1")

    with pytest.raises(ValueError, match=r"r\.json: "):
        Results.read(path)


def test_the_table_has_a_row_a_system_and_a_column_a_score():
    scored = score(["qa_em", "qa_f1"], predictions=SYSTEMS, references=REFERENCES)
    header, rule, *rows, blank, em, f1 = scored.to_table().splitlines()

    assert header.split() == ["system", "qa_em", "qa_f1", "qa_precision", "qa_recall"]
    assert [row.split() for row in rows] == [["a", *["0.5000"] * 4], ["b", *["1.0000"] * 4]]
    assert ({*rule}, blank) == ({"-", " "}, "")
    assert [em, f1] == scored.signatures()
    _, groups = score(
        "qa_em", predictions=SYSTEMS, references=REFERENCES, groups=["x", "y"]
    ).tables()
    assert groups.header == ["system", "group", "rows", "qa_em"]
    values = ["1.0000", "0.0000", "1.0000", "1.0000"]
    assert groups.rows == [
        [*names, "1", value] for names, value in zip(product("ab", "xy"), values, strict=True)
    ]


def test_a_single_system_is_not_the_best_and_undefined_never_is(lengths):
    assert "**" not in score("qa_em", predictions=["a"], references=["a"]).to_markdown()

    results = score("lengths", predictions={"a": ["x"], "b": ["x", "y"]})
    assert "rows" not in results.to_markdown().splitlines()[0]  # a count is no score
    table = results.choose(["undefined", "threshold", "rows"]).to_markdown()
    assert [row.split() for row in table.splitlines()[2:4]] == [
        ["|", "a", "|", "nan", "|", "inf", "|", "1", "|"],  # both alike: neither is the best
        ["|", "b", "|", "nan", "|", "inf", "|", "2", "|"],  # a count is neither good nor bad
    ]


def test_csv_has_every_number_in_full():
    predictions = ["the cat sat", "cat", "a dog"]
    scored = score(
        "qa_f1",
        predictions=predictions,
        references=["cat sat down", "cat", "dog bone"],
        confidence_level=0.95,
        groups=["x", "y, z", "x"],
    )
    result = scored.systems["predictions"]["qa_f1"]
    rows = list(csv.DictReader(io.StringIO(scored.to_csv())))
    whole = {row["score"]: row for row in rows if not row["group"]}

    assert {name: float(row["value"]) for name, row in whole.items()} == result.scores
    assert {
        name: [float(row["low"]), float(row["high"])] for name, row in whole.items()
    } == result.confidence_interval
    assert {(row["group"], row["rows"]) for row in rows} == {("", "3"), ("x", "2"), ("y, z", "1")}


def test_csv_has_no_text_where_there_is_no_number(lengths):
    lines = score("lengths", predictions=["x"]).to_csv().splitlines()

    assert lines[1:] == [
        "predictions,,lengths,undefined,,,,1,,,,,,,,",
        "predictions,,lengths,threshold,,,,1,,,,,,,,",
        "predictions,,lengths,rows,1,,,1,,,,,,,,",
    ]


# Systems are compared

QUESTIONS = 40
GOLD = [f"word{row} end" for row in range(QUESTIONS)]
BOTS = {  # right in the first rows, half right after that, and then wrong
    "good": [*GOLD[:30], *["word end"] * 10],
    "fair": [*GOLD[:15], *["end"] * 15, *["no"] * 10],
    "poor": [*GOLD[:2], *["no"] * 38],
}


def compared(modules="qa_f1", predictions=BOTS, references=GOLD, **options):
    return score(modules, predictions=predictions, references=references, compare=True, **options)


def test_the_main_score_of_each_module_is_compared_and_corrected_together():
    rows = score(["qa_em", "qa_f1"], predictions=BOTS, references=GOLD, rows=True).rows
    found = compared(["qa_em", "qa_f1"]).comparisons

    assert [(each["a"], each["b"], each["score"]) for each in found] == [
        (a, b, score) for a, b in combinations(BOTS, 2) for score in ("qa_em", "qa_f1")
    ]
    for each in found:
        a, b = (rows[each[side]][each["module"]].columns[each["score"]] for side in "ab")
        alone = significance.compare(a, b)
        apart = ("significant", "confidence_interval")
        assert {name: each[name] for name in alone if name not in apart} == {
            name: value for name, value in alone.items() if name not in apart
        }
        low, high = each["confidence_interval"]
        assert (low > 0 or high < 0) == each["significant"]
        assert each["significant"] == (each["p_adjusted"] < 0.05)
        assert each["rows"] == QUESTIONS
        assert each["options"]["tests"] == 6
    assert [each["p_adjusted"] for each in found] == [min(6 * e["p_value"], 1) for e in found]


def test_other_scores_are_compared_if_they_are_named():
    for names in (["qa_recall", "qa_precision"], ["qa_f1.qa_recall", "qa_precision"]):
        found = compared(["qa_em", "qa_f1"], scores=names).comparisons
        assert [each["score"] for each in found] == ["qa_precision", "qa_recall"] * 3
    with pytest.raises(ValueError, match="there is no score 'qa_f'; did you mean 'qa_f1'"):
        compared("qa_f1", scores=["qa_f"])
    with pytest.raises(ValueError, match="there is no score of single rows"):
        compared(
            "ir_ranking",
            {"a": [["x"]], "b": [["y"]]},
            [["x"]],
            options={"measures": ["map", "num_ret"]},
            scores=["num_ret"],
        )


@pytest.mark.parametrize("correction", ["holm", "benjamini_hochberg", "none"])
def test_p_values_are_corrected_as_asked(correction):
    found = compared(correction=correction, confidence_level=0.5, n_resamples=99).comparisons
    expected = corrections.adjusted([each["p_value"] for each in found], correction)

    assert [each["p_adjusted"] for each in found] == expected.tolist()
    assert f"|correction={correction}|tests=3|" in found[0]["signature"]
    law = {"test": "permutation", "alternative": "two-sided", "assume": "exchangeable"}
    assert found[0]["options"] == {
        **law,
        "alpha": 0.05,
        "correction": correction,
        "tests": 3,
        "confidence_level": 0.5,
    }


def test_clusters_are_units_of_comparisons():
    labels = [row // 5 for row in range(QUESTIONS)]
    results = compared(clusters=labels, rows=True)
    for each in results.comparisons:
        a, b = (results.rows[each[side]]["qa_f1"].columns["qa_f1"] for side in "ab")
        alone = significance.compare(a, b, clusters=labels)
        for name in set(alone) - {"significant", "confidence_interval"}:
            assert each[name] == alone[name]
        assert each["n_clusters"] == 8
        assert "|clusters=8|" in each["signature"]
    assert "on 40 rows in 8 clusters" in results.to_table()
    assert scores(results) == scores(compared())
    with pytest.raises(ValueError, match="clusters has 3 labels, but there are 40 rows"):
        compared(clusters=[1, 2, 3])


def test_rows_that_do_not_count_for_one_system_are_left_out_for_both():
    games = {"a": ["win", "tie", "win", "win"], "b": ["loss", "win", "loss", "tie"]}
    (first,) = compared("win_rate", games, None).comparisons

    assert (first["score"], first["rows"]) == ("win_rate", 2)
    assert (first["A_mean"], first["B_mean"], first["diff"]) == (1.0, 0.0, 1.0)
    results = compared("win_rate", {"a": ["tie", "win"], "b": ["win", "tie"]}, None)
    assert results.comparisons == []
    reason = ["a and b are not compared by win_rate: no row counts for both"]
    assert Results.from_json(results.to_json()).provenance["not_compared"] == reason
    with noted() as notes:
        Presentation().show(results)
    assert notes == reason


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["x", "y"], "have 1 and 2 rows"),
        (["y"], "different references in row 0"),
    ],
)
def test_systems_with_other_rows_are_not_compared(rows, message):
    results = [
        score("qa_em", predictions={name: answers}, references=answers, rows=True)
        for name, answers in (("a", ["x"]), ("b", rows))
    ]
    with pytest.raises(ValueError, match=message):
        compare(*results)
    with pytest.raises(ValueError, match="needs two systems"):
        compared("qa_em", {"a": ["x"]}, ["x"])


def test_tables_mark_what_is_significantly_better():
    results = compared("qa_f1")
    scores, ranks, comparisons = results.tables()

    assert ranks.rows[0] == ["qa_f1", "good", "0.8750", "1", "1"]
    assert [row[:2] for row in scores.rows] == [
        ["good", "0.8750ᵃ"],
        ["fair", "0.6250ᵇ"],
        ["poor", "0.0500ᶜ"],
    ]
    note = "Systems whose scores share a letter cannot be told apart. Bold: tier 1"
    assert scores.note.startswith(note)
    listed = compared("qa_f1", dict(reversed(BOTS.items()))).tables()[0]
    assert sorted(row[:2] for row in listed.rows) == sorted(row[:2] for row in scores.rows)
    assert comparisons.header == [
        *("A", "B", "score", "A_mean", "B_mean", "Diff(A-B)"),
        *("95% interval", "p_adjusted"),
    ]
    first = results.comparisons[0]
    low, high = first["confidence_interval"]
    assert comparisons.rows[0] == [
        *("good", "fair", "qa_f1", "0.875", "0.625", "+0.250", f"[{low:+.3f}, {high:+.3f}]"),
        p_value(first["p_adjusted"]),
    ]
    assert comparisons.best == {(0, 5), (1, 5), (2, 5)}
    assert r"\textbf{0.8750\textsuperscript{a}}" in results.to_latex()
    assert "**0.8750ᵃ**" in results.to_markdown()
    assert "<b>0.8750ᵃ</b>" in results.to_html()


def test_lower_is_better_where_the_module_says_so(lengths, tmp_path):
    def scored(error):
        values = {"error": error, "rows": 1}
        return {"lengths": module_result(scores=values, lower_is_better=["error"])}

    difference = {"a": "x", "b": "y", "score": "error", "A_mean": 0.5, "B_mean": 0.25, "diff": 0.25}
    difference |= {"p_value": 0.01, "p_adjusted": 0.01, "significant": True}
    difference |= {"confidence_interval": [0.1, 0.4], "rows": 1, "module": "lengths"}
    results = Results(systems={"x": scored(0.5), "y": scored(0.25)}, comparisons=[difference])
    results.save(tmp_path / "r.json")

    for each in (results, Results.read(tmp_path / "r.json")):
        table, comparisons = each.tables()
        assert [row[1] for row in table.rows] == ["0.5000", "0.2500"]
        assert table.best == {(1, 1)}
        assert comparisons.best == {(0, 5)}
        assert comparisons.rows[0][:7] == [
            *("y", "x", "error", "0.25", "0.50", "-0.25", "[-0.40, -0.10]")
        ]  # the better system first
    loaded = score("lengths", predictions={"a": ["x"]})
    assert loaded.systems["a"]["lengths"].lower_is_better == ["undefined"]


@pytest.mark.parametrize("name", catalog.names())
def test_what_is_better_low_is_a_score_that_the_module_describes(name):
    module = metric_commons.load(name)

    assert all(re.search(rf"\b{score}\b", module.__doc__) for score in module.lower_is_better)


def module_result(scores, **header):
    return ModuleResult(values=scores, rows=1, signature="s", **header)


def test_the_better_system_comes_first_unless_a_test_asks_about_the_other():
    poor, good = BOTS["poor"], BOTS["good"]
    both = compared("qa_em", {"poor": poor, "good": good})

    assert both.comparisons[0]["a"] == "poor"  # in files, the order is that of the input
    assert both.tables()[-1].rows[0][:2] == ["good", "poor"]
    less = [each | {"options": {"alternative": "less"}} for each in both.comparisons]
    assert replace(both, comparisons=less).tables()[-1].rows[0][:2] == ["poor", "good"]


def test_more_than_eight_systems_have_ranks_in_place_of_pairs():
    answers = {f"bot-{n}": GOLD[: 4 * n] + ["-"] * (len(GOLD) - 4 * n) for n in range(9)}
    results = compared("qa_em", answers)
    scores, ranks = results.tables()

    assert [row[1] for row in ranks.rows] == list(results.ranks["qa_em"])
    assert "36 comparisons are in CSV and JSON" in ranks.note
    assert scores.rows[-1][1].startswith("0.8000ᵃ")


SIMILAR = {**BOTS, "same": [*GOLD[:29], *["word end"] * 11]}  # as good has, but for one row


def test_ranks_tiers_and_letters_of_several_systems():
    results = compared("qa_em", SIMILAR)
    expected = {
        "good": {"rank_interval": [1, 2], "tier": 1, "letters": "a"},
        "same": {"rank_interval": [1, 2], "tier": 1, "letters": "a"},
        "fair": {"rank_interval": [3, 3], "tier": 2, "letters": "b"},
        "poor": {"rank_interval": [4, 4], "tier": 3, "letters": "c"},
    }

    assert results.ranks == {"qa_em": expected}
    assert list(results.ranks["qa_em"]) == list(expected)
    assert results.to_dict()["ranks"] == {"qa_em": expected}
    assert Results.from_json(results.to_json()).ranks == results.ranks
    scores, ranks, _ = results.tables()
    assert scores.best == {(0, 1), (3, 1)}  # the first tier, not the highest score
    assert [row[1][-1] for row in scores.rows] == ["ᵃ", "ᵇ", "ᶜ", "ᵃ"]
    assert ranks.rows[2] == ["qa_em", "fair", "0.3750", "2", "3"]
    latex = results.to_latex("all")
    for text in (results.to_table(), results.to_markdown(), latex, results.to_html()):
        assert "1-2" in text
        assert "does not show that the systems are equal" in " ".join(text.split())
    ranked = list(csv.DictReader(io.StringIO(results.to_csv())))[3]
    assert [ranked[name] for name in ("system", "tier", "best_rank", "worst_rank", "letters")] == [
        *("same", "1", "1", "2", "a")
    ]


def test_nothing_is_bold_where_no_system_is_told_from_another():
    alike = {"a": GOLD, "b": [*GOLD[1:], "no"], "c": [*GOLD[:-2], "no", "no"]}
    alike["b"] = [*GOLD[:-1], "no"]
    results = compared("qa_em", alike)
    scores, ranks, _ = results.tables()

    assert {rank["tier"] for rank in results.ranks["qa_em"].values()} == {1}
    assert scores.best == ranks.best == set()
    equal = score("qa_em", predictions={"a": GOLD, "b": GOLD}, references=GOLD)
    assert equal.tables()[0].best == set()


def test_ranks_need_all_pairs_and_both_sides():
    rows = {"references": GOLD, "rows": True}
    one, two = (
        score("qa_em", predictions={name: BOTS[name] for name in names}, **rows)
        for names in (("good", "fair"), ("poor",))
    )
    assert compare(one, two).ranks == {}  # the first two are not compared
    assert compare(two, one, alternative="less").ranks == {}
    three = [score("qa_em", predictions={name: BOTS[name]}, **rows) for name in BOTS]
    assert len(compare(*three).comparisons) == 3
    assert compare(*three).ranks == compared("qa_em").ranks
    assert list(compare(three[0], *three)) == ["1: good", "2: good", "fair", "poor"]


def test_rows_are_compared_by_their_ids(tmp_path):
    ids = [f"q{row}" for row in range(QUESTIONS)]
    backwards = {"predictions": {"fair": BOTS["fair"][::-1]}, "references": GOLD[::-1]}
    one = score("qa_em", predictions={"good": BOTS["good"]}, references=GOLD, ids=ids, **ROWS)
    two = score("qa_em", **backwards, ids=ids[::-1], clusters=[1, 2] * 20, **ROWS)
    two = relabelled(two, clusters={})
    expected = compare(
        *(
            score("qa_em", predictions={n: BOTS[n]}, references=GOLD, **ROWS)
            for n in ("good", "fair")
        )
    )

    assert compare(one, two).comparisons == expected.comparisons
    for name, each in (("one", one), ("two", two)):
        each.save_rows(tmp_path / f"{name}.jsonl").save(tmp_path / f"{name}.json")
    again = [read_results(tmp_path / f"{name}.json") for name in ("one", "two")]
    assert again[0].rows["good"]["qa_em"].ids == ids
    assert compare(*again).comparisons == expected.comparisons
    assert compare(
        *(read_results(tmp_path / f"{n}.jsonl") for n in ("one", "two"))
    ).comparisons == (expected.comparisons)
    with pytest.raises(
        ValueError, match=r"'good' has no row for 1 id \('x'\) of 'fair'; 'fair' has no"
    ):
        compare(one, relabelled(two, ids=[*ids[1:], "x"]))
    with pytest.raises(ValueError, match="rows of 'good' have ids, those of 'fair' do not"):
        compare(one, relabelled(two, ids=None))
    with pytest.raises(ValueError, match="have different clusters"):
        compare(one, relabelled(two, clusters={"item": ids}))


ROWS = {"rows": True}


def relabelled(results, **labels):
    """The results with other ids or clusters of their rows."""
    rows = {
        system: {name: replace(table, **labels) for name, table in tables.items()}
        for system, tables in results.rows.items()
    }
    return replace(results, rows=rows)


def test_two_results_are_compared_by_the_names_of_systems():
    by_name = {
        name: score("qa_em", predictions={name: answers}, references=GOLD, rows=True)
        for name, answers in BOTS.items()
    }
    together = compared("qa_em", {name: BOTS[name] for name in ("good", "fair")})
    apart = compare(by_name["good"], by_name["fair"])

    assert apart.comparisons == together.comparisons
    assert list(apart.systems) == ["good", "fair"]
    (same,) = compare(by_name["good"], by_name["good"], test="t").comparisons
    assert "|assume=" not in same["signature"]  # only the permutation test has several laws
    assert (same["a"], same["b"], same["diff"]) == ("A: good", "B: good", 0.0)
    assert same["p_value"] == 1.0


@pytest.mark.parametrize(
    ("options", "rows", "message"),
    [
        ({"rows": False}, 2, "no score of single rows that two systems share"),
        (
            {"options": {"normalizer": "none"}},
            2,
            "different options: qa_em.*squad.*normalizer=none",
        ),
        ({}, 1, "systems 'A: x' and 'B: x' have 2 and 1 rows"),
    ],
)
def test_results_that_cannot_be_compared(options, rows, message):
    given = {"modules": "qa_em", "rows": True}
    one = score(**given, predictions={"x": ["a", "b"]}, references=["a", "b"])
    other = score(**given | options, predictions={"x": ["a"] * rows}, references=["a"] * rows)

    with pytest.raises(ValueError, match=message):
        compare(one, other)


def test_comparisons_are_saved_and_read(tmp_path):
    results = compared("qa_em", {"a": ["x"], "b": ["x"]}, ["x"])
    results.comparisons[0]["p_value"] = math.nan
    results.save(tmp_path / "r.json")
    again = Results.read(tmp_path / "r.json")

    assert math.isnan(again.comparisons[0]["p_value"])
    assert again.to_dict() == results.to_dict()
    assert again.to_table() == results.to_table()


def test_scored_rows_are_read_with_the_results(tmp_path):
    results = score(["win_rate"], predictions={"a": ["win", "tie"], "b": ["win", "win"]}, rows=True)
    results.save_rows(tmp_path / "rows.jsonl").save(tmp_path / "r.json")
    again = read_results(tmp_path / "r.json")

    header, first, *_ = map(json.loads, (tmp_path / "rows.jsonl").read_text().splitlines())
    assert header["format"] == "metric-commons-rows/1"
    assert (first["system"], first["win_rate"]) == ("a", {"predictions": "win"})
    rows = again.rows["a"]["win_rate"].row_scores["win_rate"]
    assert rows[0] == 1.0
    assert math.isnan(rows[1])
    assert compare(again, again).comparisons[0]["rows"] == 1


HOSTILE = "</td><script>alert(1)</script>&\"'|*`_\\x\u202e\x00\ud800\n%"


def test_names_from_data_stay_text():
    results = score("qa_em", predictions={HOSTILE: ["a"]}, references=["a"], groups=[HOSTILE])

    page = results.to_html()
    assert results._repr_html_() == page
    assert "<script" not in page
    page.encode()
    for text in (page, results.to_markdown(), results.to_latex(), results.to_table()):
        assert not {"\u202e", "\x00"} & {*text}
    assert "<script" not in results.to_markdown()
    assert r"\ensuremath{<}script" in results.to_latex()
    assert json.loads(results.to_json())["runs"].keys() == {HOSTILE}
    label = "one\ntwo | \ud800"
    results = score("qa_em", predictions={label: ["a"]}, references=["a"], groups=[label])
    assert "one\\ntwo | \\ud800" in results.to_table()
    assert "one\\ntwo \\| \\ud800" in results.to_markdown()


@pytest.mark.parametrize(
    ("predictions", "references", "options", "positive"),
    [
        ([0.9, 0.2], [2, 1], {"pos_label": 2}, "2"),
        ([1, 2], [2, 1], {}, "1"),
        (["a", "b"], ["b", "b"], {}, "b"),
        ([0.9, 0.2], [1, 0], {"average": "macro"}, "1"),
        ([1, 2], [2, 1], {"average": "macro"}, None),
        ([1, 2, 3], [2, 1, 1], {}, "1"),  # 3 is wrong, and no third label
        ([1, 2, 1], [2, 1, 3], {}, None),
    ],
)
def test_a_signature_names_the_positive_label(predictions, references, options, positive):
    columns = {"predictions": predictions, "references": references}
    results = score("classification", **columns, options=options)
    state = State("classification", **options)
    state.update(**columns)

    of_state = result_of_table(state.table(), {})
    for result in (results.systems["predictions"]["classification"], of_state):
        words = dict(word.split("=") for word in result.signature.split("|") if "=" in word)
        assert words.get("positive") == positive


# Files are written whole or not at all


def test_folders_are_made_and_links_are_followed(tmp_path):
    link = tmp_path / "link.json"
    link.symlink_to("new/deep/file.json")
    write_whole(link, ["one ", "two"])

    assert link.is_symlink()
    assert (tmp_path / "new" / "deep" / "file.json").read_text() == "one two"


def pieces(error):
    yield "half"
    raise error


def no_space(_):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RuntimeError, "^$"),
        (KeyboardInterrupt, "^$"),
        (None, r"No space left on device: .*/r\.json'"),
    ],
)
def test_what_breaks_off_leaves_the_old_file(error, message, monkeypatch, tmp_path):
    (tmp_path / "r.json").write_text("old")
    if error is None:
        monkeypatch.setattr(os, "fsync", no_space)

    with pytest.raises(error or OSError, match=message):
        write_whole(tmp_path / "r.json", pieces(error) if error else ["new"])

    assert (tmp_path / "r.json").read_text() == "old"
    assert os.listdir(tmp_path) == ["r.json"]
    for path in (tmp_path, os.devnull):
        with pytest.raises(ValueError, match="is not a file"):
            write_whole(path, ["x"])


def test_generators_are_read():
    results = score(
        ["qa_em", "qa_f1"],
        predictions={"a": (answer for answer in ["x", "y"])},
        references=(answer for answer in ["x", "x"]),
    )

    assert results["a"]["qa_em"] == {"qa_em": 0.5}
    assert results["a"]["qa_recall"] == 0.5


def test_a_score_is_found_by_its_system_and_name():
    results = compared(["qa_em", "qa_f1"])

    assert results["good"]["qa_recall"] == results.systems["good"]["qa_f1"].scores["qa_recall"]
    assert results["good"]["qa_f1"] == results.systems["good"]["qa_f1"].scores
    classes = score("classification", predictions=[1, 0], references=[1, 1])["predictions"]
    assert classes["classification"]["accuracy"] == classes["accuracy"] == 0.5
    with pytest.raises(KeyError, match="no score or module 'acuracy'; did you mean 'accuracy'"):
        classes["acuracy"]
    assert list(results) == ["good", "fair", "poor"]
    with pytest.raises(KeyError, match="there is no system 'god'; did you mean 'good'"):
        results["god"]
    results = Results(systems={"a": {"m": module_result({"f": 1}), "n": module_result({"f": 2})}})
    assert results["a"] == {"m.f": 1, "n.f": 2}


def test_a_result_shows_in_one_line_what_it_holds():
    line = "<Results of good, fair, poor: qa_em, qa_f1; 6 comparisons>"
    results = compared(["qa_em", "qa_f1"])
    assert (repr(results), str(results)) == (line, results.to_table())
    many = {f"s{number}": ["x"] for number in range(9)}
    results = score("qa_em", predictions=many, references=["x"])
    assert repr(results) == "<Results of 9 systems: qa_em>"


def test_a_data_frame_has_the_lines_of_the_csv_also_of_differences():
    results = compared(["qa_em", "qa_f1"], confidence_level=0.9, groups=["x", "y"] * 20)
    frame = results.to_pandas()
    lines = list(csv.DictReader(io.StringIO(results.to_csv())))

    assert list(frame.columns) == list(lines[0])
    assert frame["value"].tolist() == [float(line["value"]) for line in lines]
    assert frame["tier"].isna().tolist() == [not line["tier"] for line in lines]
    differences = [line for line in lines if line["versus"]]
    for line, each in zip(differences, results.comparisons, strict=True):
        assert [line[name] for name in ("system", "versus", "score")] == [
            each[name] for name in ("a", "b", "score")
        ]
        assert [float(line["low"]), float(line["high"])] == each["confidence_interval"]
        assert [float(line["value"]), float(line["p_value"])] == [each["diff"], each["p_value"]]


@pytest.mark.long
def test_simultaneous_intervals_are_said_to_be_and_show_their_signs():
    # The third pair has p = .031, so its interval at a third of the level contains 0.
    right = {"good": 60, "fair": 51, "bad": 45}
    systems = {name: ["x"] * number + ["y"] * (60 - number) for name, number in right.items()}
    results = score("qa_em", predictions=systems, references=["x"] * 60, rows=True)
    compared = compare(results)
    ends = {
        (comparison["a"], comparison["b"]): comparison["confidence_interval"]
        for comparison in compared.comparisons
    }

    assert [low > 0 for low, _ in ends.values()] == [c["significant"] for c in compared.comparisons]
    assert ends["fair", "bad"][0] < 0
    statement = "The intervals are simultaneous for all comparisons and agree with the corrected p."
    for text in (compared.to_table(), compared.to_markdown(), compared.to_latex("differences")):
        plain = " ".join(text.replace(r"\ensuremath{>}", ">").replace("$+$", "+").split())
        assert statement in plain
        assert "+0.0000" not in plain
    page = render(compared, find_examples(compared))
    assert statement in " ".join(page.split())
    (single,) = compare(
        *(replace(results, systems={n: results.systems[n]}) for n in ("good", "bad"))
    ).comparisons
    assert "simultaneous" not in single
