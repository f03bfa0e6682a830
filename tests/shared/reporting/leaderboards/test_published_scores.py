"""Files of scores and of benchmarks: an error names the file, whatever it contains."""

import pytest

from metric_commons.reporting.leaderboards.published_scores import read_benchmark, read_scores


@pytest.mark.parametrize(
    "content",
    [
        "5",
        "true",
        "[1]",
        "[null]",
        '[{"header": 1, "rows": 2}]',
        '[{"header": [{"value": 1}], "rows": [[]]}]',
        '[{"header": [{"value": "Model"}], "rows": [[{"value": "m"}, {"value": 1}]]}]',
        '{"header": [{"value": "Model"}], "rows": [7]}',
    ],
)
def test_a_document_without_a_table_is_an_error_that_names_it(tmp_path, content):
    path = tmp_path / "scores.json"
    path.write_text(content)

    with pytest.raises(ValueError, match=r"scores\.json"):
        read_scores([path])


@pytest.mark.parametrize(
    "content", ["", "5", '{"a": 1}', "[", '[{"task": "t", "subsets": 5}]', "[[1]]"]
)
def test_a_benchmark_that_is_not_a_list_of_tasks_is_an_error_that_names_it(tmp_path, content):
    path = tmp_path / "benchmark.json"
    path.write_text(content)

    with pytest.raises(ValueError, match=r"benchmark\.json"):
        read_benchmark(path)
