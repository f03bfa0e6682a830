import pytest
from datasets import Dataset

from metric_commons.evaluation.catalog import load
from metric_commons.integrations.datasets import score

ROWS = {
    "id": [f"q{i:03}" for i in range(60)],
    "answer": [("Paris", "the Rhine", "42", "")[i % 4] for i in range(60)],
    "gold": [[("Paris", "Rhine")[i % 2], "41"] for i in range(60)],
    "topic": [i % 3 for i in range(60)],
}
COLUMNS = {"predictions": "answer", "references": "gold"}


@pytest.fixture(scope="module")
def dataset():
    return Dataset.from_dict(ROWS)


@pytest.mark.parametrize("num_proc", [None, 2])
@pytest.mark.parametrize("batch_size", [7, 20_000])
def test_the_result_is_that_of_compute(dataset, num_proc, batch_size):
    options = {"normalizer": "lower", "confidence_level": 0.9, "n_resamples": 100}
    parts = {"num_proc": num_proc, "batch_size": batch_size}
    expected = load("qa_f1").compute(
        predictions=ROWS["answer"], references=ROWS["gold"], groups=ROWS["topic"], **options
    )
    assert score(dataset, "qa_f1", **COLUMNS, groups="topic", **parts, **options) == expected


def test_a_regression_has_intervals_too():
    rows = {"guess": [i * 7 % 10 / 2 for i in range(40)], "truth": [i % 10 / 2 for i in range(40)]}
    options = {"confidence_level": 0.9, "n_resamples": 50}
    columns = {"predictions": "guess", "references": "truth"}
    result = score(Dataset.from_dict(rows), "regression", **columns, batch_size=7, **options)
    assert result == load("regression").compute(
        predictions=rows["guess"], references=rows["truth"], **options
    )


def test_each_row_keeps_its_columns_and_gets_its_scores(dataset):
    scored = score(dataset, "qa_f1", **COLUMNS, per_example=True, batch_size=7, num_proc=2)
    expected = load("qa_f1").compute(
        predictions=ROWS["answer"], references=ROWS["gold"], per_example=True
    )["per_example"]
    assert scored.to_dict() == ROWS | expected


def test_rankings_are_told_apart_by_id():
    found = [["a", "b", "c"][i % 3 :] for i in range(20)]
    rankings = Dataset.from_dict(
        {
            "id": list(range(20)),
            "found": found,
            "gold": [["b", "c"][: 1 + i % 2] for i in range(20)],
        }
    )
    columns = {"predictions": "found", "references": "gold"}
    result = score(rankings.shuffle(seed=3), "ir_ranking", **columns, ids="id", batch_size=6)
    assert result == load("ir_ranking").compute(predictions=found, references=rankings["gold"])


def test_a_wrong_row_is_named(dataset):
    wrong = Dataset.from_dict({"answer": ["a"] * 6, "gold": ["b"] * 5 + [None]})
    with pytest.raises(ValueError, match=r"^row 5: column 'gold' is None.*the value is None$"):
        score(wrong, "qa_em", **COLUMNS, batch_size=2)
    with pytest.raises(ValueError, match="there is no column 'golden'"):
        score(dataset, "qa_em", predictions="answer", references="golden")
    with pytest.raises(ValueError, match="the dataset is empty"):
        score(dataset.select([]), "qa_em", **COLUMNS)
