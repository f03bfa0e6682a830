"""A real local Spark, classic and Connect. What must hold: partitions cannot be seen in results."""

import os
import subprocess
import sys
from decimal import Decimal

import pytest

from metric_commons import load, score
from metric_commons.evaluation.scoring import table_parts
from metric_commons.evaluation.scoring.scoring_plans import ScoringPlan
from metric_commons.frameworks.harnesses.spark import scores_of_rows
from tests.apps.spark_sessions import (
    MARKS,
    blocks_of_guide,
    python_without_metric_commons,
    spark_sessions,
)
from tests.result_keys import as_computed
from tests.spec import PATIENCE, ROOT, nightly

pytestmark = MARKS

ROWS = [
    (f"q{i:03}", ("Paris", "the Rhine", "42", "")[i % 4], [("Paris", "Rhine")[i % 2], "41"], i % 3)
    for i in range(60)
]


KINDS = "id string, answer string, gold array<string>, topic int"
COLUMNS = {"predictions": "answer", "references": "gold"}
SCORES_OF_F1 = ["qa_f1", "qa_precision", "qa_recall"]


@pytest.fixture(scope="module")
def sessions():
    with spark_sessions("local[2,3]") as both:  # a failed task is tried three times
        yield both


@pytest.fixture(scope="module", params=["connect", pytest.param("classic", marks=pytest.mark.slow)])
def spark(sessions, request):
    return sessions[request.param]


@pytest.fixture(scope="module")
def answers(spark):
    return spark.createDataFrame(ROWS, KINDS)


@pytest.mark.parametrize(
    ("kind", "partitions"), [("connect", 3), *nightly(("classic", 4), ("connect", 1))]
)
def test_the_result_is_that_of_compute(sessions, kind, partitions):
    answers = sessions[kind].createDataFrame(ROWS, KINDS)
    reporting = {"confidence_level": 0.9, "n_resamples": 100}
    results = score(
        "qa_f1",
        answers.repartition(partitions),
        predictions="answer",
        references="gold",
        options={"normalizer": "lower"},
        groups="topic",
        **reporting,
    )
    _, predictions, references, topics = map(list, zip(*ROWS, strict=True))
    assert as_computed(results) == load("qa_f1").compute(
        predictions=predictions,
        references=references,
        normalizer="lower",
        groups=topics,
        **reporting,
    )


def test_systems_and_modules_share_one_pass(answers):
    systems = {"bot": "answer", "id": "id"}
    results = score(
        ["qa_em", "qa_f1"], answers.repartition(3), predictions=systems, references="gold", ids="id"
    )
    columns = dict(zip(("id", "answer", "gold", "topic"), zip(*ROWS, strict=True), strict=True))
    expected = score(
        ["qa_em", "qa_f1"],
        predictions={name: columns[column] for name, column in systems.items()},
        references=columns["gold"],
        ids=columns["id"],
    )
    assert results.systems == expected.systems
    assert results.provenance["rows"] == expected.provenance["rows"]


def test_a_regression_has_intervals_and_clusters_too(spark):
    rows = [(i * 7 % 10 / 2, i % 10 / 2, i % 4) for i in range(30)]
    guesses, truths, clusters = map(list, zip(*rows, strict=True))
    frame = spark.createDataFrame(rows, "guess double, truth double, page int").repartition(2)
    columns = {"predictions": "guess", "references": "truth", "clusters": "page"}
    options = {"confidence_level": 0.9, "n_resamples": 50}
    expected = load("regression").compute(
        predictions=guesses, references=truths, clusters=clusters, **options
    )
    assert as_computed(score("regression", frame, **columns, **options)) == expected


def test_partitions_may_be_many_and_empty_and_unequal(answers):
    partitions = answers.repartition(8, "topic")  # of which at most three have rows
    predictions, references = [row[1] for row in ROWS], [row[2] for row in ROWS]
    assert as_computed(score("qa_em", partitions, **COLUMNS)) == load("qa_em").compute(
        predictions=predictions, references=references
    )
    with pytest.raises(ValueError, match="a score of no rows is undefined"):
        score("qa_em", answers.where("topic > 9"), **COLUMNS)


def test_scores_of_each_row_come_to_the_driver(answers):
    results = score("qa_f1", answers.repartition(3), **COLUMNS, ids="id", per_example=True)
    _, predictions, references, _ = zip(*ROWS, strict=True)
    expected = load("qa_f1").compute(
        predictions=predictions, references=references, per_example=True
    )["per_example"]["qa_f1"]
    result = results.systems["answer"]["qa_f1"]
    ids = results.row_labels["answer"]["id"]
    assert dict(zip(ids, result.per_example["qa_f1"], strict=True)) == {
        row[0]: value for row, value in zip(ROWS, expected, strict=True)
    }


def test_each_row_keeps_its_columns_and_gets_its_scores(answers):
    scored = scores_of_rows(
        "qa_f1", answers.repartition(3), predictions="answer", references="gold"
    )
    assert scored.columns == [*answers.columns, *SCORES_OF_F1]
    expected = load("qa_f1").compute(
        predictions=[row[1] for row in ROWS], references=[row[2] for row in ROWS], per_example=True
    )["per_example"]["qa_f1"]
    got = {row.id: row.qa_f1 for row in scored.collect()}
    assert got == {row[0]: value for row, value in zip(ROWS, expected, strict=True)}


def test_rankings_are_told_apart_by_id(spark):
    rows = [(f"q{i}", ["a", "b", "c"][i % 3 :], ["b", "c"][: 1 + i % 2]) for i in range(20)]
    rankings = spark.createDataFrame(rows, "id string, found array<string>, gold array<string>")
    columns = {"predictions": "found", "references": "gold"}
    options = {"measures": ["ndcg@10"]}
    results = [
        as_computed(
            score("ir_ranking", rankings.repartition(n), **columns, ids="id", options=options)
        )
        for n in (1, 5)
    ]
    in_order = sorted(rows)
    assert results == 2 * [
        load("ir_ranking").compute(
            predictions=[found for _, found, _ in in_order],
            references=[gold for *_, gold in in_order],
            measures=["ndcg@10"],
        )
    ]
    with pytest.raises(ValueError, match="name the column of the queries' ids"):
        score("ir_ranking", rankings, **columns)
    with pytest.raises(ValueError, match=r"ranking 'q\d+' occurs twice"):
        score("ir_ranking", rankings.union(rankings), **columns, ids="id")


def test_a_wrong_row_is_named_with_its_partition(spark):
    rows = [("a", "b")] * 5 + [("a", None)]
    df = spark.createDataFrame(rows, "answer string, gold string").coalesce(1)
    with pytest.raises(
        ValueError, match=r"^partition 0, row 5: column 'gold' is None.*the value is None$"
    ):
        score("qa_em", df, predictions="answer", references="gold")


def test_maps_are_rankings_and_counts(spark):
    rows = [(i, {"a": 0.5 * i, "b": 1.0}, {"a": i % 2, "b": 1}, {"n": 4, "c": i}) for i in range(5)]
    kinds = "id int, run map<string,double>, judged map<string,int>, `of.it` map<string,int>"
    frame = spark.createDataFrame(rows, kinds).repartition(2)
    columns = {"predictions": "run", "references": "judged", "ids": "id"}
    by_query = [{str(row[0]): row[column] for row in rows} for column in (1, 2)]
    assert as_computed(score("ir_ranking", frame, **columns)) == load("ir_ranking").compute(
        predictions=by_query[0], references=by_query[1]
    )
    assert as_computed(score("pass_at_k", frame, predictions="of.it")) == load("pass_at_k").compute(
        predictions=[row[3] for row in rows]
    )


def test_decimals_are_labels_and_no_scores(spark):
    rows = [(1.5, 1.0, Decimal("0.50")), (2.5, 2.0, Decimal("0.25")), (0.5, 2.0, Decimal("0.50"))]
    frame = spark.createDataFrame(rows, "guess double, truth double, year decimal(4,2)").coalesce(1)
    columns = {"predictions": "guess", "references": "truth"}
    result = as_computed(score("regression", frame, **columns, groups="year"))
    assert {label: group["n"] for label, group in result["groups"].items()} == {
        "0.50": 2,
        "0.25": 1,
    }
    problem = r"row 0: column 'year' is Decimal\('0.50'\) \(Decimal\); expected float"
    with pytest.raises(ValueError, match=problem):
        score("regression", frame, predictions="year", references="truth")


def test_a_label_that_is_missing_is_named_with_its_row(spark):
    rows = [("a", "a", "x")] * 12_000 + [("a", "a", None)]  # more than one batch
    frame = spark.createDataFrame(rows, "answer string, gold string, topic string").coalesce(1)
    with pytest.raises(ValueError, match="partition 0, row 12000: column 'topic' is None; every"):
        score("qa_em", frame, **COLUMNS, groups="topic")


def test_executors_without_metric_commons_say_what_to_install(spark, answers, tmp_path):
    python = python_without_metric_commons(tmp_path)
    spark.conf.set("spark.sql.execution.pyspark.python", python)
    try:
        with pytest.raises(ValueError, match="No module named 'metric_commons'") as caught:
            score("qa_em", answers, **COLUMNS)
        with pytest.raises(Exception, match=r"No module named 'metric_commons'.*pip install"):
            scores_of_rows("qa_em", answers, **COLUMNS).collect()
    finally:
        spark.conf.unset("spark.sql.execution.pyspark.python")
    assert "pip install 'metric-commons[spark]'" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_states_travel_in_pieces(monkeypatch):
    monkeypatch.setattr(table_parts, "_CHUNK", 100)
    plan = ScoringPlan({"qa_f1": {}}, {"bot": "answer"}, {"references": "gold"})
    batch = {"answer": [row[1] for row in ROWS], "gold": [row[2] for row in ROWS]}
    rows = [row for piece in table_parts._rows(plan.part([batch])) for row in piece.to_pylist()]
    assert len(rows) > 5
    assert max(len(row["state"]) for row in rows) == 100
    total = plan.total(table_parts._states(rows)).results()
    assert total.systems == plan.part([batch]).results().systems


def test_wrong_columns_are_said_before_anything_runs(answers):
    with pytest.raises(ValueError, match="there is no column 'golden'"):
        score("qa_em", answers, predictions="answer", references="golden")
    with pytest.raises(ValueError, match=r"qa_em needs the columns .*; references is missing"):
        score("qa_em", answers, predictions="answer")
    columns = {"predictions": "answer", "references": "gold"}
    with pytest.raises(ValueError, match="no option 'normaliser'"):
        score("qa_em", answers, **columns, options={"normaliser": "lower"})


def test_a_killed_task_counts_once(spark, answers, tmp_path):
    killed = tmp_path / "killed"

    def die_once(batches):
        for batch in batches:
            yield batch
            if not killed.exists():
                killed.touch()
                os._exit(1)  # as an executor that runs out of memory

    dying = answers.coalesce(1).mapInArrow(die_once, answers.schema)
    result = score("qa_em", dying, predictions="answer", references="gold")
    assert killed.exists()
    expected = score("qa_em", answers, predictions="answer", references="gold")
    assert result.systems == expected.systems


def test_the_guide_runs(spark):
    table, *_ = blocks_of_guide()
    names = {"spark": spark, "__name__": "__main__"}
    exec(table, names)
    assert names["results"].systems["answer"]["qa_em"].scores == {"qa_em": 2 / 3}
    assert names["scored"].columns == ["answer", "gold", "topic", *SCORES_OF_F1]


@pytest.mark.slow  # Spark waits ten seconds for a Python of a stream, which is little beside others
def test_the_streams_of_the_guide_run(spark, tmp_path):
    table, stream, total, _ = blocks_of_guide()
    names = {"spark": spark, "__name__": "__main__"}
    exec(table, names)
    names["df"].repartition(2).write.json(str(tmp_path / "answers"))
    exec(stream.replace("/mnt/shared", str(tmp_path)), names)
    exec(total, names)
    assert names["results"].systems["answer"]["qa_em"].scores == {"qa_em": 2 / 3}
    assert names["results"].systems["answer"]["qa_em"].rows == 3


LOCAL_SERVER = """
from pyspark.sql import SparkSession

from metric_commons import score
from metric_commons.frameworks.harnesses.spark import scores_of_rows

spark = SparkSession.builder.remote("local[2]").getOrCreate()  # it starts a server of Connect
df = spark.createDataFrame([("Paris", "paris"), ("Rome", "Oslo")], ["answer", "gold"])
columns = {"predictions": "answer", "references": "gold"}
print(score("qa_em", df, **columns)["answer"])
print(scores_of_rows("qa_em", df, **columns).toArrow()["qa_em"].to_pylist())
spark.stop()
"""


@pytest.mark.slow
def test_a_local_server_of_connect():
    done = subprocess.run(
        [sys.executable, "-c", LOCAL_SERVER],
        env=os.environ | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT / "shared")},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == ["{'qa_em': 0.5}", "[1.0, 0.0]"]
