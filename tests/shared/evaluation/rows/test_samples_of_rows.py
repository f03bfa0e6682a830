"""Which samples have nothing to score, which are one unit, and what is said of them."""

import numpy as np
import pytest

from metric_commons import load
from metric_commons.evaluation.rows.row_tables import scored
from metric_commons.evaluation.rows.rows import Rows
from metric_commons.evaluation.rows.samples import samples_of_rows


def samples(predictions, reasons=(), ids=None, topics=None, **how):
    columns = {"predictions": predictions, "references": ["a"] * len(predictions)}
    rows = Rows(columns=columns, reasons=reasons, ids=ids, groups=topics)
    return samples_of_rows({"qa_em": scored(load("qa_em"), rows)}, **how)["qa_em"]


ABSENT = {"predictions": ["a", "b", None], "reasons": ["", "error", "unanswered"]}


def test_rows_without_an_answer_are_refused_left_out_or_counted():
    with pytest.raises(ValueError, match="of 3 samples, 1 ended in an error, 1 have no answer;"):
        samples(**ABSENT)
    skipped = samples(**ABSENT, missing="skip", conditions={"left_out": {"cut": 2}})
    assert skipped.columns["qa_em"].tolist() == [1.0]
    assert skipped.conditions["left_out"] == {"cut": 2, "error": 1, "unanswered": 1}
    zero = samples(**ABSENT, missing="zero", conditions={"where": ["split=test"]})
    assert zero.columns["qa_em"].tolist() == [1.0, 0.0, 0.0]
    assert zero.conditions == {"where": ["split=test"], "missing": {"zero": 2}}
    bounded = samples(**ABSENT, missing="bounds").columns["qa_em"]
    assert np.isnan(bounded).tolist() == [False, True, True]
    with pytest.raises(ValueError, match="no samples remain to be scored"):
        samples(["a"], ["error"], missing="skip")


def test_rows_of_one_id_are_one_unit():
    rows = {"predictions": ["a", "b", "a"], "ids": [7, 7, 8]}
    table = samples(**rows, repeats_allowed=True)
    assert (table.ids, table.columns["qa_em"].tolist()) == (["7", "8"], [0.5, 1.0])
    assert table.conditions["reduce"] == "mean"
    assert samples(**rows, reduce="max").columns["qa_em"].tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="the id '7' occurs 2 times"):
        samples(**rows)
    with pytest.raises(ValueError, match="row 1: 'y' in groups differs from the label of"):
        samples(**rows, topics=["x", "y", "x"], reduce="max")
