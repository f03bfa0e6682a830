"""Scores that a log holds need no processes that score rows."""

from metric_commons.evaluation.results.logged_scores import LoggedScores
from metric_commons.evaluation.scoring.system_scores import score_columns
from metric_commons.module.catalog.request import Request

LABELS = dict.fromkeys(("references", "groups", "clusters", "ids"))


def test_logged_scores_are_the_same_in_one_process_and_in_two():
    rows = [{"acc": 1.0, "bits": 3.5}, {"acc": 0.0, "bits": 1.5}]

    one, two = (
        score_columns(
            Request(modules=["logged"], jobs=jobs), {"logged": LoggedScores()}, rows, LABELS
        )
        for jobs in (1, 2)
    )

    assert one.systems["predictions"]["logged"].scores == {"acc": 0.5, "bits": 2.5}
    assert one.systems == two.systems
