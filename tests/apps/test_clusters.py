"""Clusters are one option everywhere: a column of labels gives the intervals of `compute`."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import metric_commons
from metric_commons import Results, State, load
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


RNG = np.random.default_rng(2)
COLUMNS_OF_OTHER_KINDS = {
    "classification": [RNG.integers(0, 3, ROWS).tolist() for _ in range(2)],
    "regression": [RNG.normal(size=ROWS).round(1).tolist() for _ in range(2)],
    "win_rate": [RNG.choice([0.0, 0.5, 0.75, 1.0], ROWS).tolist()],
    "truthful_mc": [RNG.random((ROWS, 3)).tolist(), [[1, 0, row % 2] for row in range(ROWS)]],
    "ir_ranking": [
        [[*"abc"][row % 3 :] for row in range(ROWS)],
        [[*"bc"][: 1 + row % 2] for row in range(ROWS)],
    ],
}


@pytest.mark.parametrize("module", COLUMNS_OF_OTHER_KINDS)
def test_states_of_other_kinds(module):
    columns = COLUMNS_OF_OTHER_KINDS[module]
    rows = dict(zip(("predictions", "references"), columns, strict=False))
    rows["clusters"] = [row % 6 for row in range(ROWS)]
    options = {"confidence_level": 0.9, "n_resamples": 50}
    expected = load(module).compute(**rows, **options)
    first, second = State(module), State(module)
    for state, part in ((first, slice(None, None, 2)), (second, slice(1, None, 2))):
        state.update(**{name: column[part] for name, column in rows.items()})
    second.merge(first)

    assert repr(second.result(**options)) == repr(expected)
    assert expected["n_clusters"] == 6


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
