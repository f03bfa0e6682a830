"""The file of looks: what earlier looks saw."""

import pytest

from metric_commons.evaluation.comparison.looks import check_looks


@pytest.mark.parametrize("content", ["", "[1]", '{"key": 5}', "{"])
def test_a_file_of_looks_that_is_damaged_is_an_error_that_names_it(tmp_path, content):
    path = tmp_path / "looks.json"
    path.write_text(content)

    with pytest.raises(ValueError, match=r"looks\.json"):
        check_looks(path, "key", [0.5])
