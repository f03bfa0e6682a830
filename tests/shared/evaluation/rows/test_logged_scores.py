"""Scores that a log holds need no processes that score rows."""

import numpy as np

from metric_commons.evaluation.rows.logged_scores import LoggedScores
from metric_commons.evaluation.rows.rows import Rows
from metric_commons.evaluation.scoring import scored_systems


def test_logged_scores_are_the_same_in_one_process_and_in_two(monkeypatch):
    monkeypatch.setattr(scored_systems, "_ROWS", 1)
    systems = {"bot": Rows(columns={"predictions": [{"acc": 1.0}, {"acc": 0.0}]})}
    metrics = {"logged": LoggedScores()}

    for jobs in (1, 2):
        tables = scored_systems.tables_of_systems(systems, metrics, jobs)
        assert np.array_equal(tables["bot"]["logged"].columns["acc"], [1.0, 0.0])
