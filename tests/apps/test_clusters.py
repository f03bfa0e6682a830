"""Clusters are one option everywhere: a column of labels gives the intervals of `compute`."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import metric_commons
from metric_commons import Results, load
from tests.apps.files import write_rows

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


@pytest.fixture
def lines(run, table):
    """A file of the rows, in the folder in which `run` runs commands."""
    rows = zip(*table.values(), strict=True)
    return write_rows("rows.jsonl", [dict(zip(table, row, strict=True)) for row in rows])


def test_clusters_change_intervals_and_not_scores(table, expected):
    columns = {"predictions": table["answer"], "references": table["gold"]}
    plain = load("qa_f1").compute(**columns, confidence_level=0.9)

    assert expected["n_clusters"] == 7
    assert expected["groups"]["x"]["n_clusters"] <= 7
    for name in ("qa_f1", "qa_precision", "qa_recall"):
        assert expected[name] == plain[name]
        assert expected["confidence_interval"][name] != plain["confidence_interval"][name]


def test_the_file_of_an_evaluation(run, lines, expected):
    fields = {"references": "gold", "groups": "topic", "clusters": "passage"}
    config = {
        "data": str(lines),
        "predictions": {"bot": "answer"},
        "modules": "qa_f1",
        "confidence_level": 0.9,
        "save": "r.json",
        **fields,
    }
    with open("e.yaml", "w") as file:
        json.dump(config, file)
    status, _, err = run("run", "e.yaml")
    assert status == 0, err
    assert Results.read("r.json").systems["bot"]["qa_f1"].values == expected


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
