import json
import re

import pytest

import metric_commons
from metric_commons import load
from metric_commons.evaluation.rows.states import State
from metric_commons.evaluation.rows.table_files import read_tables
from metric_commons.evaluation.scoring import files
from metric_commons.mathematics import equivalent
from tests.spec import ROOT, Spec
from tests.tables import by_table

SPEC = Spec(
    name="math_equivalence",
    sample={
        "predictions": ["0.5", r"\sqrt{12}", "x = 3", "f(2)"],
        "references": [r"\frac12", [r"2\sqrt{3}", "3.46"], "2", "2f"],
    },
    result={"math_equivalence": 0.5, "undecided": 0.25, "unreadable": 0.0},
    perfect={"predictions": ["2/4"], "references": [["1", "0.5"]]},
    best={"math_equivalence": 1.0, "undecided": 0.0, "unreadable": 0.0},
    wrong={"predictions": 0.5, "references": ["1/2", 7]},
)


def compute(prediction, reference, **options):
    """The result of one problem."""
    metric = load("math_equivalence")
    return metric.compute(predictions=[prediction], references=[reference], **options)


@by_table("prediction, reference, score, undecided")
def test_any_reference_will_do_and_open_questions_are_counted(
    prediction, reference, score, undecided
):
    assert compute(prediction, reference) == {
        "math_equivalence": score,
        "undecided": undecided,
        "unreadable": 0.0,
    }


def test_references_that_cannot_be_read_are_counted():
    result = load("math_equivalence").compute(
        predictions=["1", "1", "1", r"\frac{1"],
        references=[r"\frac{1", ["1 +", "1"], [r"\int", "(("], r"\frac{1"],
        per_example=True,
        explain=True,
    )

    assert result["unreadable"] == 0.5
    assert result["per_example"]["unreadable"] == [1.0, 0.0, 1.0, 0.0]
    assert [row["reason"] for row in result["explanations"]] == [
        "unreadable reference",
        "proved equal",
        "unreadable reference",
        "proved equal",
    ]


@by_table("prediction, reference, reason")
def test_why_nothing_is_decided(prediction, reference, reason):
    result = compute(prediction, reference, explain=True)

    assert result["explanations"][0]["reason"] == reason
    assert result["explanations"][0]["verdict"] is (False if reason == "proved different" else None)


@by_table("prediction, reference, options, score")
def test_options_of_the_exact_backend(prediction, reference, options, score):
    assert compute(prediction, reference, **options)["math_equivalence"] == score


def test_a_prediction_without_an_answer_is_neither_right_nor_undecided():
    result = load("math_equivalence").compute(
        predictions=[r"so \boxed{\frac{1}{2}}", "so what", r"\boxed{f(2)}"],
        references=[r"It is \boxed{0.5}", r"\boxed{}", r"\boxed{2f}"],
        extract="boxed",
        extract_references="boxed",
        per_example=True,
    )

    assert result.pop("per_example") == {
        "math_equivalence": [1.0, 0.0, 0.0],
        "undecided": [0.0, 0.0, 1.0],
        "unreadable": [0.0, 1.0, 0.0],
        "unparsed": [0.0, 1.0, 0.0],
    }
    assert result == dict.fromkeys(result, 1 / 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"backend": "hendrycks", "absolute_tolerance": 0.1}, "absolute_tolerance applies to"),
        ({"backend": "hendrycks", "percent": "value"}, "percent applies to backend='exact'"),
    ],
)
def test_an_option_of_another_backend_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        compute("1", "1", **options)


def edge_cases():
    """The rows of the card's table: prediction, reference, options and verdict."""
    card = (ROOT / "metrics" / "math_equivalence" / "README.md").read_text("utf-8")
    table = card.partition("## Edge cases")[2].partition("## Conformance")[0]
    rows = re.findall(r"^\| `(.*?)` \| `(.*?)` \| (.*?) ?\| (\w+) \|", table, re.MULTILINE)
    return [
        (prediction, reference, eval(f"dict({options.strip('` ')})"), verdict)
        for prediction, reference, options, verdict in rows
    ]


@pytest.mark.parametrize(("prediction", "reference", "options", "verdict"), edge_cases())
def test_the_edge_cases_of_the_card(prediction, reference, options, verdict):
    verdicts = {True: "equal", False: "different", None: "undecided"}

    assert verdicts[equivalent(reference, prediction, **options)] == verdict


def test_the_card_has_edge_cases():
    assert len(edge_cases()) > 30


EXPLAINED = {"predictions": ["2f", "3", "4"] * 3, "references": ["f(2)", r"\frac{9}{3", "5"] * 3}
REASONS = ["two readings", "unreadable reference", "proved different"] * 3


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_reasons_are_kept_in_the_file_of_rows(jobs, ending, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_ROWS", 4)
    rows = [dict(zip(EXPLAINED, row, strict=True)) for row in zip(*EXPLAINED.values(), strict=True)]
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, rows)))
    columns = {name: name for name in EXPLAINED}
    options = {"options": {"explain": True}, "rows": True, "jobs": jobs}
    results = metric_commons.score(
        "math_equivalence", data=tmp_path / "data.jsonl", **columns, **options
    )
    table = results.rows["predictions"]["math_equivalence"]
    assert [row["reason"] for row in table.texts["explanations"]] == REASONS
    assert "explanations" not in table.columns
    assert "explain" not in results.systems["predictions"]["math_equivalence"].options

    results.save_rows(tmp_path / f"rows.{ending}")
    stored = read_tables(tmp_path / f"rows.{ending}").tables["predictions"]["math_equivalence"]
    assert stored.texts == table.texts
    assert [*map(list, stored.columns.values())] == [*map(list, table.columns.values())]


def test_reasons_are_refused_where_single_rows_are_not_kept():
    with pytest.raises(ValueError, match="explain is about single rows; ask compute"):
        State("math_equivalence", explain=True)
    state = State("math_equivalence", explain=False)
    state.update(**EXPLAINED)
    with pytest.raises(ValueError, match="explain is not an option of a result"):
        state.result(explain=True)
    columns = {"predictions": "predictions", "references": "references"}
    for rows in (EXPLAINED, {"data": EXPLAINED} | columns):
        with pytest.raises(ValueError, match=r"explain.* is about single rows"):
            metric_commons.score("math_equivalence", **rows, options={"explain": True})


def test_reasons_are_refused_where_rows_of_one_id_become_one():
    columns = {name: [*column, None] for name, column in EXPLAINED.items()}
    with pytest.raises(ValueError, match="explain is about single rows, and here"):
        metric_commons.score("math_equivalence", **columns, explain=True, missing="zero", rows=True)
