import pyarrow as pa
import pytest

from metric_commons import load
from metric_commons.evaluation.results.module_results import module_result
from metric_commons.evaluation.rows.plans import Plan

RUN = [{"a": 0.5, "b": 1.0}, {"c": 0.25, "a": 0.75}, {}]
JUDGED = [{"a": 1, "b": 0}, {"a": 0, "c": 2}, {"a": 1}]


def maps(rows, kind):
    return pa.array([list(row.items()) for row in rows], pa.map_(pa.string(), kind))


def test_rows_of_rankings_may_be_maps():
    plan = Plan(
        modules={"ir_ranking": {}},
        systems={"bot": "run"},
        columns={"references": "judged"},
        ids="id",
    )
    batch = {
        "run": maps(RUN, pa.float64()),
        "judged": maps(JUDGED, pa.int32()),
        "id": pa.array(["x", "y", "z"]),
    }
    expected = load("ir_ranking").compute(
        predictions=dict(zip("xyz", RUN, strict=True)),
        references=dict(zip("xyz", JUDGED, strict=True)),
    )
    table = plan.tables(batch)["bot"]["ir_ranking"]
    assert module_result(table, {}).scores == expected


def test_a_map_that_is_missing_is_named_with_its_row():
    plan = Plan(
        modules={"ir_ranking": {}},
        systems={"bot": "run"},
        columns={"references": "judged"},
        ids="id",
    )
    kind = pa.map_(pa.string(), pa.float64())
    batch = {"run": pa.array([[("a", 1.0)], None], kind), "judged": maps(JUDGED[:2], pa.int32())}
    with pytest.raises(ValueError, match=r"^row 11: column 'run' is None"):
        plan.tables(batch | {"id": pa.array(["x", "y"])}, 10)


def test_a_label_that_is_missing_is_named_with_its_row():
    plan = Plan(
        modules={"qa_em": {}},
        systems={"bot": "answer"},
        columns={"references": "gold"},
        groups="topic",
    )
    rows = {"answer": ["a", "b"], "gold": ["a", "b"], "topic": ["x", None]}
    with pytest.raises(ValueError, match=r"^row 3: column 'topic' is None; every row needs"):
        plan.tables(rows, 2)
