"""Public functions of texts name what is wrong with their columns, whatever their length."""

import re

import pytest

from metric_commons import structured, text

FUNCTIONS = [
    text.exact_match,
    text.token_f1,
    text.contained,
    text.rouge,
    text.bleu_statistics,
    text.chrf_statistics,
    text.ter_statistics,
    text.error_statistics,
    text.error_alignments,
    structured.tool_call_scores,
    structured.json_statistics,
]
OF_SETS = FUNCTIONS[:3]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("rows", [1, 10_000])
def test_columns_of_different_lengths(function, rows):
    problem = f"predictions has {rows} rows, references has {rows + 1} rows"
    with pytest.raises(ValueError, match=problem):
        function(["a"] * rows, ["a"] * (rows + 1))


@pytest.mark.parametrize("function", OF_SETS)
def test_columns_of_different_lengths_with_sets(function):
    with pytest.raises(ValueError, match="predictions has 1 rows, references has 2 rows"):
        function(["a"], [[["a"]], [["b"]]])


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("rows", [2, 10_000])
def test_a_text_is_no_column(function, rows):
    problem = "predictions must hold one text per row, got a str; pass a list"
    with pytest.raises(ValueError, match=re.escape(problem)):
        function("a" * rows, ["a"] * rows)


@pytest.mark.parametrize("function", OF_SETS)
def test_a_score_of_no_rows_is_undefined(function):
    with pytest.raises(ValueError, match="predictions is empty; a score of no rows is undefined"):
        function([], [])
