"""A real local Spark, classic and Connect. What must hold: partitions cannot be seen in results."""

import sys
from decimal import Decimal

import pyarrow as pa
import pytest

from metric_commons import load, score
from metric_commons.evaluation.rows import libraries
from metric_commons.evaluation.rows.rows import Fields
from tests.apps.spark_sessions import (
    MARKS,
    blocks_of_guide,
    python_without_metric_commons,
    spark_sessions,
)
from tests.result_keys import as_computed

pytestmark = MARKS

ROWS = [
    (f"q{i:03}", ("Paris", "the Rhine", "42", "")[i % 4], [("Paris", "Rhine")[i % 2], "41"], i % 3)
    for i in range(60)
]
IDS, ANSWERS, GOLD, TOPICS = map(list, zip(*ROWS, strict=True))
KINDS = "id string, answer string, gold array<string>, topic int"
COLUMNS = {"predictions": "answer", "references": "gold"}


@pytest.fixture(scope="module")
def sessions():
    """Both sessions; a task reads several batches."""
    settings = {"spark.sql.execution.arrow.maxRecordsPerBatch": "9"}
    with spark_sessions("local[1]", **settings) as both:
        yield both


@pytest.fixture(scope="module", params=["connect", pytest.param("classic", marks=pytest.mark.slow)])
def spark(sessions, request):
    return sessions[request.param]


@pytest.fixture(scope="module")
def answers(spark):
    return spark.createDataFrame(ROWS, KINDS)


def test_the_result_is_that_of_compute(answers):
    reporting = {"confidence_level": 0.9, "n_resamples": 100}
    partitions = answers.repartition(8, "topic")  # of which at most three have rows
    options = {"normalizer": "lower"}
    results = score("qa_f1", partitions, **COLUMNS, options=options, groups="topic", **reporting)

    expected = load("qa_f1", normalizer="lower").compute(
        predictions=ANSWERS, references=GOLD, groups=TOPICS, **reporting
    )
    assert as_computed(results) == expected


def test_systems_and_modules_share_one_pass(answers):
    names = {"predictions": {"bot": "answer", "id": "id"}, "references": "gold", "ids": "id"}
    local = {"answer": ANSWERS, "id": IDS, "gold": GOLD}
    expected = score(["qa_em", "qa_f1"], local, **names, rows=True)

    results = score(["qa_em", "qa_f1"], answers.repartition(3), **names, rows=True)

    assert results.provenance["digests"] == expected.provenance["digests"]
    for system, modules in expected.rows.items():
        for module, table in modules.items():
            found = results.rows[system][module]
            assert results.systems[system][module].scores == expected.systems[system][module].scores
            for name, values in table.row_scores.items():
                by_id = dict(zip(found.ids, found.row_scores[name], strict=True))
                assert by_id == dict(zip(IDS, values, strict=True))


def test_no_rows_have_no_score(answers):
    with pytest.raises(ValueError, match="a score of no rows is undefined"):
        score("qa_em", answers.where("topic > 9"), **COLUMNS)


def test_rankings_are_maps_and_an_id_occurs_once(spark):
    rows = [(i, {"a": 0.5 * i, "b": 1.0}, {"a": i % 2, "b": 1}) for i in range(20)]
    kinds = "id int, `of.it` map<string,double>, judged map<string,int>"
    rankings = spark.createDataFrame(rows, kinds)
    columns = {"predictions": "of.it", "references": "judged"}
    run, judged = ({str(row[0]): row[place] for row in rows} for place in (1, 2))
    expected = load("ir_ranking").compute(predictions=run, references=judged)

    result = score("ir_ranking", rankings.repartition(5), **columns, ids="id")

    assert as_computed(result) == expected
    assert as_computed(score("ir_ranking", rankings, **columns)) == expected
    with pytest.raises(ValueError, match=r"the id '\d+' occurs 2 times"):
        score("ir_ranking", rankings.union(rankings), **columns, ids="id")


def test_a_wrong_row_is_named_with_its_partition(spark):
    rows = [("a", "b")] * 20 + [("a", None)]  # in the third batch
    df = spark.createDataFrame(rows, "answer string, gold string").coalesce(1)
    with pytest.raises(ValueError, match=r"^partition 0, row 20: column 'gold' is None"):
        score("qa_em", df, **COLUMNS)


def test_decimals_are_labels_and_no_scores():
    """Spark sends them as decimals of Arrow."""
    year = pa.array([Decimal("0.50"), Decimal("0.25"), Decimal("0.50")], pa.decimal128(4, 2))
    table = pa.table({"guess": [1.5, 2.5, 0.5], "truth": [1.0, 2.0, 2.0], "year": year})
    result = score("regression", table, predictions="guess", references="truth", groups="year")
    groups = result.systems["guess"]["regression"].groups
    assert {label: group["n"] for label, group in groups.items()} == {"0.50": 2, "0.25": 1}
    problem = r"row 0: column 'year' is Decimal\('0.50'\) \(Decimal\); expected float"
    with pytest.raises(ValueError, match=problem):
        score("regression", table, predictions="year", references="truth")


def test_executors_that_cannot_import_say_what_to_install(monkeypatch):
    fields = Fields(inputs={"": {"qa_em": {"predictions": "answer", "references": "gold"}}})
    run = libraries.on_executors({"qa_em": {}}, fields, "refuse")
    monkeypatch.setitem(sys.modules, libraries.__name__, None)
    (row,) = next(run([])).to_pylist()
    assert "import of metric_commons" in row["error"]
    assert "pip install 'metric-commons[spark]'" in row["error"]


@pytest.mark.slow
def test_executors_without_metric_commons_say_what_to_install(spark, answers, tmp_path):
    python = python_without_metric_commons(tmp_path)
    spark.conf.set("spark.sql.execution.pyspark.python", python)
    try:
        with pytest.raises(ValueError, match="No module named 'metric_commons'") as caught:
            score("qa_em", answers, **COLUMNS)
    finally:
        spark.conf.unset("spark.sql.execution.pyspark.python")
    assert "pip install 'metric-commons[spark]'" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wrong_columns_are_said_before_anything_runs(answers):
    with pytest.raises(ValueError, match="there is no column 'golden'"):
        score("qa_em", answers, predictions="answer", references="golden")
    with pytest.raises(ValueError, match=r"qa_em needs the columns .*; references is missing"):
        score("qa_em", answers.drop("gold"), predictions="answer")
    with pytest.raises(ValueError, match="no option 'normaliser'"):
        score("qa_em", answers, **COLUMNS, options={"normaliser": "lower"})


def test_usual_columns_are_found(answers):
    named = answers.withColumnRenamed("answer", "prediction")
    (found,) = score("qa_em", named).systems.values()
    (expected,) = score("qa_em", answers, **COLUMNS).systems.values()
    assert found["qa_em"].scores == expected["qa_em"].scores


def test_the_guide_runs(spark):
    table, *_ = blocks_of_guide()
    names = {"spark": spark, "__name__": "__main__"}
    exec(table, names)
    assert names["results"].systems["answer"]["qa_em"].scores == {"qa_em": 2 / 3}


@pytest.mark.slow  # Spark waits ten seconds for a Python of a stream, which is little beside others
def test_the_streams_of_the_guide_run(spark, tmp_path):
    table, stream, total, _ = blocks_of_guide()
    names = {"spark": spark, "__name__": "__main__"}
    exec(table, names)
    names["df"].repartition(2).write.json(str(tmp_path / "answers"))
    exec(stream.replace("/mnt/shared", str(tmp_path)), names)
    exec(total, names)
    assert names["total"].result() == {"qa_em": 2 / 3}
    assert len(names["total"]) == 3
