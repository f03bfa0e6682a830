"""Results whose comparisons lack what later versions write."""

import json

import pytest

from metric_commons.evaluation.results.results import FORMATS, Results
from metric_commons.evaluation.scoring.scoring import score


@pytest.fixture
def saved(tmp_path):
    """A file of results whose comparisons have no corrected p-values."""
    systems = {"a": ["x"] * 8, "b": ["y"] * 8, "c": ["x", "y"] * 4}
    content = score("qa_em", predictions=systems, references=["x"] * 8, compare=True).to_dict()
    for comparison in content["comparisons"]:
        del comparison["p_adjusted"]
    content["format"] = "metric-commons/4"
    path = tmp_path / "r.json"
    path.write_text(json.dumps(content))
    return path


@pytest.mark.long
def test_a_comparison_without_a_corrected_p_value_is_reported_and_exported(run, saved):
    for words in (
        ("report", saved, "--save", "page.html"),
        ("export", saved, "--to", "csv", "--save", "r.csv"),
    ):
        assert run(*words)[:2] == (0, "")
    assert Results.read(saved).ranks == {}
    for form in FORMATS.values():  # each prints what is there
        assert form(Results.read(saved))
