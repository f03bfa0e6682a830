"""Scores that a log holds need no processes that score rows."""

from metric_commons.evaluation.rows.logged_scores import LoggedScores
from metric_commons.evaluation.rows.rows import Rows
from metric_commons.evaluation.scoring.scored_systems import score_rows
from metric_commons.module.catalog.request import Request


def test_logged_scores_are_the_same_in_one_process_and_in_two():
    rows = [{"acc": 1.0, "bits": 3.5}, {"acc": 0.0, "bits": 1.5}]

    one, two = (
        score_rows(
            Request(modules=["logged"], jobs=jobs),
            {"logged": LoggedScores()},
            {"predictions": Rows(columns={"predictions": rows})},
        )
        for jobs in (1, 2)
    )

    assert one.systems["predictions"]["logged"].scores == {"acc": 0.5, "bits": 2.5}
    assert one.systems == two.systems
