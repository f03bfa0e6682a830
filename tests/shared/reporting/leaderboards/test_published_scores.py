"""Files of scores: an error names the file, whatever it contains."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from metric_commons import score
from metric_commons.reporting.leaderboards.published_scores import are_saved, read_scores
from metric_commons.reporting.leaderboards.score_tables import score_table


@pytest.mark.parametrize(
    "content",
    [
        "5",
        "true",
        "[1]",
        "[null]",
        '[{"header": 1, "rows": 2}]',
        '{"header": [{"value": "Model"}], "rows": [7]}',
    ],
)
def test_a_document_without_a_table_is_an_error_that_names_it(tmp_path, content):
    path = tmp_path / "scores.json"
    path.write_text(content)

    with pytest.raises(ValueError, match=r"scores\.json"):
        read_scores([path])


@pytest.mark.parametrize("value", [61.2, -0.5, 0.612])
def test_percentages_beside_numbers_of_rows_have_no_standard_error(tmp_path, value):
    path = tmp_path / "scores.csv"
    path.write_text(f"model,task,score,rows\na,x,{value},500\n")
    table = score_table(read_scores([path]))

    assert np.isnan(table.errors[0, 0]) == (not 0 <= value <= 1)


@pytest.mark.parametrize("name", ["rows.parquet", "rows.jsonl"])
def test_scored_rows_are_told_from_a_table_of_scores(tmp_path, name):
    rows, table = tmp_path / name, tmp_path / "scores.parquet"
    score("qa_em", predictions=["a"], references=["a"], rows=True).save_rows(rows)
    pq.write_table(pa.table({"model": ["a"], "task": ["x"], "score": [0.5]}), table)

    assert are_saved([rows])
    assert not are_saved([table])
    assert [found.value for found in read_scores([table])] == [0.5]
