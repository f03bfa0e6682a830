"""`export`: the front matter of model cards, read by the library of the Hub."""

from pathlib import Path

import pytest
from huggingface_hub.repocard_data import model_index_to_eval_results
from ruamel.yaml import YAML

from metric_commons.evaluation.results.results import Results
from metric_commons.evaluation.scoring.scoring import score
from tests.apps.files import write_rows

yaml = YAML(typ="safe")

ROWS = [
    {"id": f"q{row}", "ask": f"Number {row}?", "gold": ["x", "z"], "a": "x", "b": "xy"[row % 2]}
    for row in range(10)
]


@pytest.fixture(autouse=True)
def _saved(run):
    write_rows("data.jsonl", ROWS)
    fields = ("--predictions", "a", "--predictions", "b", "--references", "gold", "--id", "id")
    command = ("score", "qa_em", "qa_f1", "data.jsonl", *fields, "--confidence", "0.9")
    assert run(*command, "--save", "r.json", "--rows", "r.rows")[0] == 0


def test_the_hub_reads_the_model_index(run):
    command = ("export", "r.json", "--save", "card.md")
    status, _, err = run(*command)
    assert (status, err.startswith("Missing option '--scale'")) == (2, True)
    assert run(*command, "--scale", "100") == (0, "", "")
    _, front, _ = Path("card.md").read_text().split("---\n")
    first, second = yaml.load(front)["model-index"]
    name, found = model_index_to_eval_results([second])

    assert (first["name"], name) == ("a", "b")
    assert {each.metric_type: each.metric_value for each in found}["qa_em"] == 50.0
    assert {each.dataset_name for each in found} == {"data"}
    signature = Results.read("r.json").systems["b"]["qa_em"].signature
    assert signature in {each.metric_args["signature"] for each in found}
    assert run(*command, "--scale", "1", "--dataset", "org/data")[0] == 0
    assert "type: org/data" in Path("card.md").read_text()


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("--scale", "1", "--save", "r.json"), 2, "r.json would be overwritten"),
        (("--scale", "1", "--save", "x", "--scores", "em"), 1, "there is no score 'em'"),
    ],
)
def test_what_makes_no_sense_is_one_line(run, options, status, message):
    found, out, err = run("export", "r.json", *options)

    assert (found, out, err.count("\n")) == (status, "", 1)
    assert err.startswith(message)
    assert not Path("x").exists()


def test_what_is_undefined_is_not_exported(run):
    score("win_rate", predictions={"m": ["tie", "tie"]}).save("r.json")
    command = ("export", "r.json", "--scale", "1", "--save", "card.md")

    assert run(*command)[2] == "the score is nan, which no leaderboard accepts\n"
