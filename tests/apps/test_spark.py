"""A real local Spark. What must hold: the partitions cannot be seen in the result."""

import os
import shutil
import sys

import pytest

pytest.importorskip("pyspark", reason="pyspark is not installed")
if shutil.which("java") is None:
    pytest.skip("Spark needs java", allow_module_level=True)

from metric_commons import load, score
from metric_commons.integrations.spark import scores_of_rows
from tests.result_keys import as_computed

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
        ["qa_em", "qa_f1"],
        answers.repartition(3),
        predictions=systems,
        references="gold",
        ids="id",
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


def test_clusters_may_span_partitions(answers):
    results = score(
        "qa_f1",
        answers.repartition(5),
        predictions="answer",
        references="gold",
        clusters="topic",
        confidence_level=0.9,
    )
    result = as_computed(results)
    _, texts, references, topics = zip(*ROWS, strict=True)
    expected = load("qa_f1").compute(
        predictions=texts, references=references, clusters=topics, confidence_level=0.9
    )
    assert result == expected
    assert result["n_clusters"] == 3


def test_answers_are_cut_out_of_texts(answers):
    steps = ["strip_think", {"regex": "[a-z]+", "group": -1}]
    columns = {"predictions": "answer", "references": "gold"}
    results = score("qa_em", answers.repartition(3), **columns, options={"extract": steps})
    predictions, references = [row[1] for row in ROWS], [row[2] for row in ROWS]
    expected = load("qa_em", extract=steps).compute(predictions=predictions, references=references)
    assert as_computed(results) == expected
    assert "unparsed" in expected


def test_many_states_merge_in_a_tree(answers):
    results = score("qa_em", answers.repartition(40), predictions="answer", references="gold")
    predictions, references = [row[1] for row in ROWS], [row[2] for row in ROWS]
    assert as_computed(results) == load("qa_em").compute(
        predictions=predictions, references=references
    )


def test_each_row_keeps_its_columns_and_gets_its_scores(answers):
    scored = scores_of_rows(
        "qa_f1", answers.repartition(3), predictions="answer", references="gold"
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
    with pytest.raises(ValueError, match=r"ranking 'q\d+' is there twice"):
        score("ir_ranking", rankings.union(rankings), **columns, ids="id")


def test_a_wrong_row_is_named_with_its_partition(spark):
    rows = [("a", "b")] * 5 + [("a", None)]
    df = spark.createDataFrame(rows, "answer string, gold string").coalesce(1)
    with pytest.raises(
        ValueError, match=r"^partition 0, row 5: column 'gold' is None.*the value is None$"
    ):
        score("qa_em", df, predictions="answer", references="gold")


def test_wrong_columns_are_said_before_anything_runs(answers):
    with pytest.raises(ValueError, match="there is no column 'golden'"):
        score("qa_em", answers, predictions="answer", references="golden")
    with pytest.raises(ValueError, match="references must be the name of a column, got None"):
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
