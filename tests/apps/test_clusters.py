"""Clusters are one option everywhere: a column of labels gives the intervals of `compute`."""

from types import SimpleNamespace

import numpy as np
import pytest

import metric_commons
from metric_commons import load

ROWS = 40


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(4)
    return {
        "answer": rng.choice(["Paris", "the river Rhine", "42", ""], ROWS).tolist(),
        "gold": rng.choice(["Paris", "Rhine"], ROWS).tolist(),
        "passage": [f"p{row % 7}" for row in range(ROWS)],
        "topic": rng.choice(["x", "y"], ROWS).tolist(),
    }


@pytest.fixture(scope="module")
def expected(table):
    return load("qa_f1").compute(
        predictions=table["answer"],
        references=table["gold"],
        clusters=table["passage"],
        groups=table["topic"],
        confidence_level=0.9,
    )


def test_clusters_change_intervals_and_not_scores(table, expected):
    columns = {"predictions": table["answer"], "references": table["gold"]}
    plain = load("qa_f1").compute(**columns, confidence_level=0.9)

    assert expected["n_clusters"] == 7
    assert expected["groups"]["x"]["n_clusters"] <= 7
    for name in ("qa_f1", "qa_precision", "qa_recall"):
        assert expected[name] == plain[name]
        assert expected["confidence_interval"][name] != plain["confidence_interval"][name]


def test_the_hook_of_a_trainer():
    rng = np.random.default_rng(0)
    logits, labels = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    clusters = [row % 5 for row in range(30)]
    hook = metric_commons.trainer_hook(
        "classification", task="classification", clusters=clusters, confidence_level=0.9
    )
    result = hook(SimpleNamespace(predictions=logits, label_ids=labels))
    expected = load("classification").compute(
        predictions=logits.argmax(axis=1),
        references=labels,
        clusters=clusters,
        confidence_level=0.9,
    )
    ends = [result["accuracy_low"], result["accuracy_high"]]
    assert ends == expected["confidence_interval"]["accuracy"]
    assert result["n_clusters"] == 5.0
