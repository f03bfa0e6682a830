import pyarrow as pa
import pytest
from datasets import Dataset

from metric_commons import load, score
from metric_commons.evaluation.scoring import scoring
from tests.result_keys import as_computed

ROWS = {
    "id": [f"q{i:03}" for i in range(60)],
    "answer": [("Paris", "the Rhine", "42", "")[i % 4] for i in range(60)],
    "gold": [[("Paris", "Rhine")[i % 2], "41"] for i in range(60)],
    "topic": [i % 3 for i in range(60)],
    "passage": [f"p{i // 7}" for i in range(60)],
}
COLUMNS = {"predictions": "answer", "references": "gold"}


def stream(rows):
    return Dataset.from_dict(rows).to_iterable_dataset(num_shards=3)


@pytest.fixture(scope="module")
def dataset():
    return Dataset.from_dict(ROWS)


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(scoring, "ROWS", 7)


@pytest.mark.long
def test_the_result_is_that_of_compute(dataset, small_batches):
    options = {"normalizer": "lower"}
    reporting = {"confidence_level": 0.9, "n_resamples": 100}
    expected = load("qa_f1").compute(
        predictions=ROWS["answer"],
        references=ROWS["gold"],
        groups=ROWS["topic"],
        clusters=ROWS["passage"],
        **options,
        **reporting,
    )
    labels = {"groups": "topic", "clusters": "passage"}
    results = score("qa_f1", dataset, **COLUMNS, **labels, options=options, **reporting)
    assert as_computed(results) == expected
    assert "|clusters=9|" in results.systems["answer"]["qa_f1"].signature


@pytest.mark.long
@pytest.mark.parametrize("table", [Dataset.from_dict, stream, pa.table])
def test_the_result_is_that_of_columns(table, small_batches):
    modules = ["qa_em", "qa_f1", "substring_recall"]
    results = score(modules, table(ROWS), **COLUMNS, groups="topic", ids="id")
    expected = score(modules, ROWS, **COLUMNS, groups="topic", ids="id")

    assert results.systems == expected.systems
    assert results.provenance["digests"] == expected.provenance["digests"]


@pytest.mark.parametrize("module", ["regression", "win_rate", "classification"])
def test_scores_that_are_no_means_are_those_of_columns(module, small_batches):
    rows = {"a": [i * 7 % 3 / 2 for i in range(40)], "b": [i % 3 for i in range(40)]}
    arguments = {"predictions": "a", "references": None if module == "win_rate" else "b"}
    if module == "classification":
        rows["a"] = [int(2 * value) for value in rows["a"]]
    expected = score(module, rows, **arguments, confidence_level=0.9, n_resamples=50)
    for table in (Dataset.from_dict(rows), stream(rows), pa.table(rows)):
        results = score(module, table, **arguments, confidence_level=0.9, n_resamples=50)
        assert as_computed(results) == as_computed(expected)
        assert results.provenance.get("digests") == expected.provenance.get("digests")


@pytest.mark.parametrize(
    "arguments",
    [
        {"rows": True},
        {"predictions": ["answer", "id"], "compare": True},
        {"options": {"normalizer": str.lower}},
    ],
)
def test_what_needs_rows_reads_columns(dataset, arguments):
    arguments = COLUMNS | arguments
    expected = score("qa_em", ROWS, **arguments).systems
    assert score("qa_em", dataset, **arguments).systems == expected


def test_rankings_are_scored_in_any_order(small_batches):
    found = [["a", "b", "c"][i % 3 :] for i in range(20)]
    rankings = Dataset.from_dict(
        {
            "id": list(range(20)),
            "found": found,
            "gold": [["b", "c"][: 1 + i % 2] for i in range(20)],
        }
    )
    columns = {"predictions": "found", "references": "gold"}
    expected = load("ir_ranking").compute(predictions=found, references=rankings["gold"])
    shuffled = rankings.shuffle(seed=3)

    assert as_computed(score("ir_ranking", shuffled, **columns, ids="id")) == expected
    assert as_computed(score("ir_ranking", rankings, **columns)) == expected


@pytest.mark.parametrize("table", [Dataset.from_dict, stream, pa.table])
def test_a_wrong_row_is_named(table, small_batches):
    wrong = table({"answer": ["a"] * 20, "gold": ["b"] * 15 + [None] * 5})
    with pytest.raises(ValueError, match=r"row 15: column 'gold' is None"):
        score("qa_em", wrong, **COLUMNS)


def test_wrong_columns_and_no_rows_are_named(dataset):
    for table in (dataset, stream(ROWS), pa.table(ROWS)):
        with pytest.raises(ValueError, match="there is no column 'golden'; did you mean 'gold'"):
            score("qa_em", table, predictions="answer", references="golden")
    with pytest.raises(ValueError, match=r"qa_em needs the columns .*; references is missing"):
        score("qa_em", dataset.remove_columns("gold"), predictions="answer")
    for empty in (dataset.select([]), pa.table(ROWS).slice(0, 0)):
        with pytest.raises(ValueError, match="a score of no rows is undefined"):
            score("qa_em", empty, **COLUMNS)
