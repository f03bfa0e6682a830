"""Which samples of a log have nothing to score, and what is said of them."""

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from metric_commons.data.harness_logs.logs import PLAIN_ROWS
from metric_commons.data.tables.selection import Selection
from metric_commons.evaluation.rows.rows import Rows
from metric_commons.evaluation.scoring.log_samples import LogRows, rows_to_score


def samples(form, predictions, errors=None, ids=None):
    """Samples of a file of this format, with one accepted answer each."""
    source = SimpleNamespace(
        path=Path("x.jsonl"),
        excluded=Counter(),
        selection=Selection(conditions={"split": "test"}),
        log=SimpleNamespace(format_name=form, repeated_ids_allowed=True),
        location=lambda row: f"row {row}",
    )
    number = len(predictions)
    columns = {"predictions": predictions, "references": ["a"] * number}
    rows = Rows(columns=columns, ids=ids or list(range(number)))
    return LogRows(source, range(number), {"qa_em": rows}, errors or [False] * number, {})


def test_an_answer_that_is_missing_is_a_matter_of_logs_alone():
    log = samples("lm-eval", ["a", None])
    with pytest.raises(ValueError, match="of 2 samples, 1 have no answer; exclude them"):
        rows_to_score(log)
    skipped = rows_to_score(log, missing="skip")
    assert skipped.rows["qa_em"].columns["predictions"] == ["a"]
    assert skipped.conditions["left_out"] == {"unanswered": 1}

    # In plain rows it is a wrong value, which the module refuses with its row.
    rows = rows_to_score(samples(PLAIN_ROWS, ["a", None]))
    assert rows.rows["qa_em"].columns["predictions"] == ["a", None]
    assert "left_out" not in rows.conditions


def test_samples_that_ended_in_an_error_are_counted_as_such():
    log = samples("lm-eval", ["a", "b", None], errors=[False, True, True])
    zero = rows_to_score(log, missing="zero")
    assert zero.conditions == {"where": ["split=test"], "missing": {"zero": 2}}
    assert zero.samples["qa_em"].reduce == "mean"
    skipped = rows_to_score(log, missing="skip")
    assert skipped.conditions["left_out"] == {"error": 2}
    with pytest.raises(ValueError, match="no samples remain to be scored"):
        rows_to_score(samples("lm-eval", ["a"], errors=[True]), missing="skip")


def test_samples_of_one_id_are_one_unit():
    rows = rows_to_score(samples("lm-eval", ["a", "b", "c"], ids=[7, 7, 8]))
    assert rows.conditions["reduce"] == "mean"
    assert rows.samples["qa_em"].labels.ids == [7, 8]
