"""A score beside that of the log: the same, or the reason why it is not."""

import json

import pytest

from tests.apps.files import sample_of_lm_eval, write_rows

GOLD = ["the red fox", "Paris", "a river", "42"]
ANSWERS = ["red fox", "paris", "the river", "43"]


@pytest.fixture
def log(run):
    """Writes a log of lm-eval with these scores of rows."""

    def log(scores, metric="exact_match", answers=ANSWERS):
        rows = [
            sample_of_lm_eval(number, answer, gold, **{metric: score})
            for number, (gold, answer, score) in enumerate(zip(GOLD, answers, scores, strict=True))
        ]
        return write_rows("samples.jsonl", rows)

    return log


def agreement(run, *command):
    status, out, err = run("score", "logged", *command, "--format", "json")
    assert (status, err) == (0, "")
    return json.loads(out)["provenance"]["agreement"]


def test_equal_scores_are_said_to_be_equal(run, log):
    (said,) = agreement(run, "qa_em", log([1.0, 1.0, 1.0, 0.0]))

    assert (said["metric"], said["score"], said["differing"], said["reason"]) == (
        *("exact_match", "qa_em", 0),
        "",
    )
    assert said["text"].endswith("qa_em is exact_match of the log in all 4 rows.")
    told = " ".join(run("score", "logged", "qa_em", "samples.jsonl")[1].split())
    assert said["text"] in told


def test_options_that_give_the_log_s_score_agree_with_it(run, log):
    (said,) = agreement(run, "qa_em", log([0.0, 1.0, 0.0, 0.0]))

    assert (said["differing"], said["rows"]) == (2, 4)
    (said,) = agreement(run, "qa_em", "samples.jsonl", "--set", "normalizer=lower")
    assert said["differing"] == 0


def test_rounding_is_found(run, log):
    answers = ["fox", "paris", "the wide river", "43"]  # F1 of 2/3, 1, 2/3 and 0
    (said,) = agreement(run, "qa_f1", log([0.67, 1.0, 0.67, 0.0], "f1", answers))

    assert (said["differing"], said["reason"]) == (2, "the log rounds it to 2 digits")


@pytest.mark.long
def test_what_has_no_reason_is_shown(run, log):
    (said,) = agreement(run, "qa_f1", log([0.3, 0.25, 0.25, 1.0], "f1_score"))

    assert said["reason"].startswith("reason unknown; ")
    assert "row 0 (line 1) has 0.3 in the log and 1 here, row 1 (line 2) has" in said["reason"]
    (said,) = agreement(run, "qa_em", log([0.0, 0.0, 0.0, 1.0]))
    assert "(line 4) has" not in said["reason"]  # three are enough


def test_a_metric_of_another_name_is_not_compared(run, log):
    assert agreement(run, "qa_em", log([0.0, 0.0, 0.0, 1.0], "judge")) == []
    status, out, _ = run("score", "logged", "samples.jsonl", "--format", "json")
    assert (status, "agreement" in json.loads(out)["provenance"]) == (0, False)
