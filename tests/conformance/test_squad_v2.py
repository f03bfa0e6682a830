"""SQuAD v2 beside the official script: recorded cases, and the answers of two published systems."""

import gzip
import json
import random
from functools import cache

import pytest

from metric_commons import load
from tests.spec import GIVEN, recorded
from tests.squad import official, squad

ANSWERS = GIVEN / "data" / "answers"
PEER = "SQuAD evaluate-v2.0.py and evaluate squad_v2"
CASES = [case for case in recorded("answers") if case["module"] == "squad_v2"]

given = pytest.mark.skipif(not ANSWERS.is_dir(), reason=f"no real answers at {ANSWERS}")


def approximately(values):
    return pytest.approx(values, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_recorded_values(case):
    squad_v2 = load("squad_v2", **case["options"])
    official = squad_v2.compute(**case["inputs"])

    assert official == approximately(case["peers"][PEER])
    assert list(official) == list(case["peers"][PEER])  # in the order of the peer, too
    grouped = squad_v2.compute(**case["inputs"], threshold_ties="grouped")
    assert grouped == approximately(official | case["grouped"])


@cache
def published():
    with gzip.open(ANSWERS / "squad2_cs224n_dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        return list(map(json.loads, lines))


def columns(system, probabilities):
    rows = published()
    return {
        "predictions": [
            {
                "id": row["id"],
                "prediction_text": row[system],
                "no_answer_probability": row["pseudo_no_answer_probability"][system]
                if probabilities
                else 0.0,
            }
            for row in rows
        ],
        "references": [
            {
                "id": row["id"],
                "answers": {"text": row["answers"], "answer_start": [0] * len(row["answers"])},
            }
            for row in rows
        ],
    }


@pytest.mark.long
@given
@pytest.mark.parametrize("system", ["val", "qanet"])
@pytest.mark.parametrize(
    ("script", "threshold"),
    [
        ("official script, no probabilities", None),
        ("official script, pseudo probabilities, threshold 1.0", 1.0),
        ("official script, pseudo probabilities, threshold 0.8", 0.8),
    ],
)
def test_published_answers_have_the_thirteen_values_of_the_script(system, script, threshold):
    figures = json.loads((ANSWERS / "figures.json").read_text())[f"squad2_{system}"][script]
    options = {} if threshold is None else {"no_answer_threshold": threshold}
    result = load("squad_v2").compute(**columns(system, threshold is not None), **options)

    assert len(figures) == 13
    assert result == approximately(
        {
            key: value if key.endswith(("total", "thresh")) else value / 100
            for key, value in figures.items()
        }
    )


@pytest.mark.parametrize("seed", range(20))
def test_random_answers_have_the_values_of_the_script(seed):
    chance = random.Random(seed)

    def text():
        return " ".join(chance.choices(["the", "cat", "sat", "New", "York", "a", ""], k=3))

    rows = range(chance.randrange(1, 40))
    columns = squad(
        [text() if chance.random() < 0.7 else "" for _ in rows],
        [[text() for _ in range(chance.randrange(4))] for _ in rows],
    )
    for row in columns["predictions"]:
        row["no_answer_probability"] = chance.choice([0.0, 0.25, 0.5, chance.random()])
    threshold = chance.choice([0.0, 0.3, 0.5, 1.0])
    result = load("squad_v2").compute(**columns, no_answer_threshold=threshold)

    assert result == approximately(official(columns, threshold))


@pytest.mark.long
@given
def test_without_probabilities_the_official_best_score_is_that_of_no_threshold():
    rows = columns("val", probabilities=False)
    official = load("squad_v2").compute(**rows)
    grouped = load("squad_v2").compute(**rows, threshold_ties="grouped")

    assert official["best_exact"] > official["exact"] == grouped["best_exact"]
