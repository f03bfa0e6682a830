"""Which samples of a log have nothing to score, and what is said of them."""

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
from metric_commons.evaluation.rescoring.samples import Samples, system_rows

from metric_commons.data.harness_logs.logs import PLAIN_ROWS
from metric_commons.data.tables.selection import Selection


def samples(form, predictions, errors=None, ids=None):
    """Samples of a file of this format, with one accepted answer each."""
    source = SimpleNamespace(
        path=Path("x.jsonl"),
        excluded=Counter(),
        selection=Selection(conditions={"split": "test"}),
        log=SimpleNamespace(format_name=form, repeated_ids_allowed=True),
        location=lambda row: f"row {row}",
    )
    labels = {"id": ids or list(range(len(predictions)))}
    if errors:
        labels["error"] = errors
    columns = {"predictions": predictions, "references": ["a"] * len(predictions)}
    return Samples(source, range(len(predictions)), {"qa_em": columns}, labels, {})


def test_an_answer_that_is_missing_is_a_matter_of_logs_alone():
    log = samples("lm-eval", ["a", None])
    with pytest.raises(ValueError, match="of 2 samples, 1 have no answer; exclude them"):
        system_rows(log, reduce=None, metric=None)
    skipped = system_rows(log, missing="skip", reduce=None, metric=None)
    assert skipped.inputs["qa_em"]["predictions"] == ["a"]
    assert skipped.excluded == {"unanswered": 1}

    # In plain rows it is a wrong value, which the module refuses with its row.
    rows = system_rows(samples(PLAIN_ROWS, ["a", None]), reduce=None, metric=None)
    assert rows.inputs["qa_em"]["predictions"] == ["a", None]
    assert not rows.excluded


def test_samples_that_ended_in_an_error_are_counted_as_such():
    log = samples("lm-eval", ["a", "b", None], errors=[False, True, True])
    zero = system_rows(log, missing="zero", reduce=None, metric=None)
    assert zero.choices == {"where": ["split=test"], "missing": ["zero:2"]}
    assert zero.samples["qa_em"].reduce == "mean"
    skipped = system_rows(log, missing="skip", reduce=None, metric=None)
    assert skipped.excluded == {"error": 2}
    with pytest.raises(ValueError, match="no samples remain to be scored"):
        system_rows(
            samples("lm-eval", ["a"], errors=[True]), missing="skip", reduce=None, metric=None
        )


def test_samples_of_one_id_are_one_unit():
    rows = system_rows(samples("lm-eval", ["a", "b", "c"], ids=[7, 7, 8]), reduce=None, metric=None)
    assert rows.choices["reduce"] == "mean"
    assert rows.ids == [7, 8]
