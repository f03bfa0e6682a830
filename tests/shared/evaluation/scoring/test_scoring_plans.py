import pyarrow as pa
import pytest

from metric_commons import load
from metric_commons.evaluation.scoring.scoring_plans import ScoringPlan, plan_of_columns
from metric_commons.module.catalog.request import Request

RUN = [{"a": 0.5, "b": 1.0}, {"c": 0.25, "a": 0.75}, {}]
JUDGED = [{"a": 1, "b": 0}, {"a": 0, "c": 2}, {"a": 1}]


def maps(rows, kind):
    return pa.array([list(row.items()) for row in rows], pa.map_(pa.string(), kind))


def test_rows_of_rankings_may_be_maps():
    plan = ScoringPlan({"ir_ranking": {}}, {"bot": "run"}, {"references": "judged", "ids": "id"})
    batch = {
        "run": maps(RUN, pa.float64()),
        "judged": maps(JUDGED, pa.int32()),
        "id": pa.array(["x", "y", "z"]),
    }
    expected = load("ir_ranking").compute(
        predictions=dict(zip("xyz", RUN, strict=True)),
        references=dict(zip("xyz", JUDGED, strict=True)),
    )
    assert plan.part([batch]).results().systems["bot"]["ir_ranking"].scores == expected


def test_a_map_that_is_missing_is_named_with_its_row():
    plan = ScoringPlan({"ir_ranking": {}}, {"bot": "run"}, {"references": "judged", "ids": "id"})
    kind = pa.map_(pa.string(), pa.float64())
    batch = {"run": pa.array([[("a", 1.0)], None], kind), "judged": maps(JUDGED[:2], pa.int32())}
    with pytest.raises(ValueError, match=r"^row 11: column 'run' is None.*; the value is None$"):
        plan.part([batch | {"id": pa.array(["x", "y"])}], before=10)


def test_a_label_that_is_missing_is_named_with_its_row():
    plan = ScoringPlan({"qa_em": {}}, {"bot": "answer"}, {"references": "gold", "groups": "topic"})
    rows = {"answer": ["a", "b"], "gold": ["a", "b"]}
    batches = [rows | {"topic": ["x", "y"]}, rows | {"topic": ["x", None]}]
    with pytest.raises(ValueError, match=r"^row 3: column 'topic' is None; every row needs"):
        plan.part(batches)


def test_an_input_without_a_column_is_said_before_rows_are_read():
    metrics = {"qa_em": load("qa_em")}
    with pytest.raises(ValueError, match=r"^references must be the name of a column, got None$"):
        plan_of_columns(
            Request(modules=["qa_em"]), metrics, {"bot": "answer"}, {"references": None}
        )
