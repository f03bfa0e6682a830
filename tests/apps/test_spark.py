"""A real local Spark. What must hold: the partitions cannot be seen in the result."""

import os
import shutil
import sys

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")
if shutil.which("java") is None:
    pytest.skip("Spark needs java", allow_module_level=True)

from metric_commons.evaluation.catalog import load
from metric_commons.integrations.spark import score

pytestmark = pytest.mark.filterwarnings(
    "ignore:PySpark does not yet fully support pandas:FutureWarning",  # no pandas is used here
    "ignore:.*:ResourceWarning",  # py4j closes its sockets when it is collected
    "ignore:.*:DeprecationWarning",  # pyspark's own
)

ROWS = [
    (f"q{i:03}", ("Paris", "the Rhine", "42", "")[i % 4], [("Paris", "Rhine")[i % 2], "41"], i % 3)
    for i in range(60)
]


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2,3]")  # a failed task is tried three times
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "OFF")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="module")
def answers(spark):
    return spark.createDataFrame(ROWS, "id string, answer string, gold array<string>, topic int")


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_the_result_is_that_of_compute(answers, partitions):
    reporting = {"confidence_level": 0.9, "n_resamples": 100}
    result = score(
        answers.repartition(partitions),
        "qa_f1",
        predictions="answer",
        references="gold",
        normalizer="lower",
        groups="topic",
        **reporting,
    )
    _, predictions, references, topics = map(list, zip(*ROWS, strict=True))
    assert result == load("qa_f1").compute(
        predictions=predictions,
        references=references,
        normalizer="lower",
        groups=topics,
        **reporting,
    )


def test_a_regression_has_intervals_and_clusters_too(spark):
    rows = [(i * 7 % 10 / 2, i % 10 / 2, i % 4) for i in range(30)]
    guesses, truths, clusters = map(list, zip(*rows, strict=True))
    frame = spark.createDataFrame(rows, "guess double, truth double, page int").repartition(2)
    columns = {"predictions": "guess", "references": "truth", "clusters": "page"}
    options = {"confidence_level": 0.9, "n_resamples": 50}
    expected = load("regression").compute(
        predictions=guesses, references=truths, clusters=clusters, **options
    )
    assert score(frame, "regression", **columns, **options) == expected


def test_clusters_may_span_partitions(answers):
    result = score(
        answers.repartition(5),
        "qa_f1",
        predictions="answer",
        references="gold",
        clusters="topic",
        confidence_level=0.9,
    )
    _, texts, references, topics = zip(*ROWS, strict=True)
    expected = load("qa_f1").compute(
        predictions=texts, references=references, clusters=topics, confidence_level=0.9
    )
    assert result == expected
    assert result["n_clusters"] == 3


def test_answers_are_cut_out_of_texts(answers):
    steps = ["strip_think", {"regex": "[a-z]+", "group": -1}]
    columns = {"predictions": "answer", "references": "gold"}
    result = score(answers.repartition(3), "qa_em", **columns, extract=steps)
    predictions, references = [row[1] for row in ROWS], [row[2] for row in ROWS]
    expected = load("qa_em", extract=steps).compute(predictions=predictions, references=references)
    assert result == expected
    assert "unparsed" in result


def test_many_states_merge_in_a_tree(answers):
    result = score(answers.repartition(40), "qa_em", predictions="answer", references="gold")
    predictions, references = [row[1] for row in ROWS], [row[2] for row in ROWS]
    assert result == load("qa_em").compute(predictions=predictions, references=references)


def test_each_row_keeps_its_columns_and_gets_its_scores(answers):
    scored = score(
        answers.repartition(3),
        "qa_f1",
        predictions="answer",
        references="gold",
        per_example=True,
    )
    assert scored.columns == [*answers.columns, "qa_f1", "qa_precision", "qa_recall"]
    expected = load("qa_f1").compute(
        predictions=[row[1] for row in ROWS],
        references=[row[2] for row in ROWS],
        per_example=True,
    )["per_example"]["qa_f1"]
    got = {row.id: row.qa_f1 for row in scored.collect()}
    assert got == {row[0]: value for row, value in zip(ROWS, expected, strict=True)}


def test_rankings_are_told_apart_by_id(spark):
    rows = [(f"q{i}", ["a", "b", "c"][i % 3 :], ["b", "c"][: 1 + i % 2]) for i in range(20)]
    rankings = spark.createDataFrame(rows, "id string, found array<string>, gold array<string>")
    columns = {"predictions": "found", "references": "gold"}
    results = [
        score(rankings.repartition(n), "ir_ranking", **columns, ids="id", measures=["ndcg@10"])
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
        score(rankings, "ir_ranking", **columns)
    with pytest.raises(ValueError, match=r"ranking 'q\d+' is there twice"):
        score(rankings.union(rankings), "ir_ranking", **columns, ids="id")


def test_a_wrong_row_is_named_with_its_partition(spark):
    rows = [("a", "b")] * 5 + [("a", None)]
    df = spark.createDataFrame(rows, "answer string, gold string").coalesce(1)
    with pytest.raises(
        ValueError, match=r"^partition 0, row 5: column 'gold' is None.*the value is None$"
    ):
        score(df, "qa_em", predictions="answer", references="gold")


def test_wrong_columns_are_said_before_anything_runs(answers):
    with pytest.raises(ValueError, match="there is no column 'golden'"):
        score(answers, "qa_em", predictions="answer", references="golden")
    with pytest.raises(ValueError, match="references must be the name of a column, got None"):
        score(answers, "qa_em", predictions="answer")
    with pytest.raises(TypeError, match="no option 'normaliser'"):
        score(answers, "qa_em", predictions="answer", references="gold", normaliser="lower")


def test_a_killed_task_counts_once(spark, answers, tmp_path):
    killed = tmp_path / "killed"

    def die_once(batches):
        for batch in batches:
            yield batch
            if not killed.exists():
                killed.touch()
                os._exit(1)  # as an executor that runs out of memory

    dying = answers.coalesce(1).mapInArrow(die_once, answers.schema)
    result = score(dying, "qa_em", predictions="answer", references="gold")
    assert killed.exists()
    assert result == score(answers, "qa_em", predictions="answer", references="gold")
