"""`export`: what other tools and boards read, validated by what they read it with."""

import hashlib
import json
from importlib.util import find_spec
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
    assert run(*command, "--save", "r.json", "--per-example", "r.rows")[0] == 0


def schema(name):
    """A schema of the package `every-eval-ever` 0.3.0 of the index, which needs Python 3.12.

    It is data of that package: github.com/evaleval/every_eval_ever, folder every_eval_ever/schemas.
    """
    jsonschema = pytest.importorskip("jsonschema")
    package = find_spec("every_eval_ever")
    if package is None:
        pytest.skip("every-eval-ever is not installed")
    path = Path(package.submodule_search_locations[0], "schemas", name)
    return jsonschema.Draft7Validator(json.loads(path.read_text()))


def exported(run, *options):
    status, out, err = run("export", "r.json", "--to", "eee", "--save", "eee", *options)
    assert (status, out, err) == (0, "", "")
    documents = [json.loads(path.read_text()) for path in Path("eee").glob("data/*/*/*/*.json")]
    return {each["model_info"]["name"]: each for each in documents}


def test_every_eval_ever_has_each_system_with_its_intervals(run):
    documents = exported(run, "--organization", "us")
    results = Results.read("r.json")

    assert documents.keys() == {"a", "b"}
    for system, document in documents.items():
        assert document["source_metadata"]["source_organization_name"] == "us"
        found = {
            each["metric_config"]["metric_id"]: each for each in document["evaluation_results"]
        }
        assert found.keys() == {
            f"{module}.{name}"
            for module, result in results.systems[system].items()
            for name in result.scores
        }
        em, result = found["qa_em.qa_em"], results.systems[system]["qa_em"]
        assert em["score_details"]["score"] == result.scores["qa_em"]
        uncertainty = em["score_details"]["uncertainty"]
        low, high = result.confidence_interval["qa_em"]
        expected = {"lower": low, "upper": high, "confidence_level": 0.9}
        assert uncertainty["confidence_interval"] == expected | {"method": "clopper_pearson"}
        assert uncertainty["num_samples"] == 10
        assert [em["metric_config"][end] for end in ("min_score", "max_score")] == [0.0, 1.0]
        assert em["score_details"]["details"]["signature"] == result.signature
        assert "detailed_evaluation_results" not in document


def test_every_eval_ever_has_the_rows_where_the_questions_are_named(run):
    document = exported(run, "--prompt", "ask", "--system", "b", "--scores", "qa_em")["b"]
    details = document["detailed_evaluation_results"]
    content = Path("eee", details["file_path"]).read_bytes()
    samples = [json.loads(line) for line in content.splitlines()]

    assert details["checksum"] == hashlib.sha256(content).hexdigest()
    assert details["total_rows"] == len(samples) == 10
    first, second = samples[:2]
    assert first["sample_id"] == "q0"
    assert first["input"] == {"raw": "Number 0?", "reference": ["x", "z"]}
    assert first["output"] == {"raw": ["x"]}
    assert first["evaluation"] == {"score": 1.0, "is_correct": True}
    assert second["evaluation"] == {"score": 0.0, "is_correct": False}
    with Path("data.jsonl").open("a") as file:
        file.write("\n")
    command = ("export", "r.json", "--to", "eee", "--save", "again", "--prompt", "ask")
    assert run(*command) == (1, "", "data.jsonl has changed since it was scored\n")


def test_every_eval_ever_is_valid_by_its_schema(run):
    aggregate, instance = schema("eval.schema.json"), schema("instance_level_eval.schema.json")
    for document in exported(run, "--prompt", "ask", "--relationship", "first_party").values():
        aggregate.validate(document)
        path = Path("eee", document["detailed_evaluation_results"]["file_path"])
        for line in path.read_text().splitlines():
            instance.validate(json.loads(line))


def test_scores_of_any_range_are_valid_by_the_schema(run):
    validator = schema("eval.schema.json")
    rows = {"predictions": {"m": [["a"], ["b"]]}, "references": [["a"], ["a"]]}
    score("ir_ranking", **rows, options={"measures": ["dcg@10", "map", "gm_map"]}).save("r.json")
    document = exported(run)["m"]
    validator.validate(document)
    ends = {
        each["metric_config"]["metric_name"]: each["metric_config"]["max_score"]
        for each in document["evaluation_results"]
    }
    assert ends == {"dcg@10": "Infinity", "map": 1.0, "gm_map": "Infinity"}


def test_a_board_of_the_hub_has_one_score_on_its_scale(run):
    command = ("export", "r.json", "--to", "eval-results", "--dataset", "org/data", "--save")
    message = "--to eval-results needs --scale: 1 if the leaderboard has scores like 0.412, 100 for"
    status, _, err = run(*command, "x.yaml")
    assert (status, err.startswith(message)) == (2, True)
    assert run(*command, "x.yaml", "--scale", "100")[2] == (
        "a leaderboard has one score per model; name one with --scores: qa_em, qa_f1\n"
    )
    options = ("--scale", "100", "--scores", "qa_em", "--task", "open")
    assert run(*command, "boards", *options) == (0, "", "")
    (entry,) = yaml.load(Path("boards/b.yaml").read_text())

    result = Results.read("r.json")
    assert entry == {
        "dataset": {"id": "org/data", "task_id": "open"},
        "value": 50.0,
        "date": result.provenance["created"],
        "notes": result.systems["b"]["qa_em"].signature,
    }
    assert run(*command, "one.yaml", *options, "--system", "a", "--model", "org/m")[0] == 0
    assert yaml.load(Path("one.yaml").read_text())[0]["value"] == 100.0


def test_the_hub_reads_its_evaluation_results(run):
    hub = pytest.importorskip("huggingface_hub._eval_results")
    command = ("export", "r.json", "--to", "eval-results", "--scale", "1", "--scores", "qa_em")
    assert run(*command, "--system", "b", "--save", "x.yaml")[0] == 0
    (entry,) = hub.parse_eval_result_entries(yaml.load(Path("x.yaml").read_text()))

    assert (entry.dataset_id, entry.task_id, entry.value) == ("data", "data", 0.5)


def test_the_hub_reads_the_model_index(run):
    command = ("export", "r.json", "--to", "model-index", "--save", "card.md")
    assert run(*command)[0] == 2
    options = ("--scale", "1", "--system", "b", "--model", "org/m", "--task", "question-answering")
    assert run(*command, *options) == (0, "", "")
    _, front, _ = Path("card.md").read_text().split("---\n")
    name, found = model_index_to_eval_results(yaml.load(front)["model-index"])

    assert name == "org/m"
    assert {each.metric_type: each.metric_value for each in found}["qa_em"] == 0.5
    assert {each.task_type for each in found} == {"question-answering"}
    assert {each.dataset_name for each in found} == {"data"}


def test_a_table_has_every_number(run):
    assert run("export", "r.json", "--to", "csv", "--save", "r.csv", "--scores", "qa_em")[0] == 0

    assert Path("r.csv").read_text() == Results.read("r.json").choose(["qa_em"]).to_csv()


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("--to", "xml", "--save", "x"), 2, "Invalid value for '--to'"),
        (("--to", "csv", "--save", "r.json"), 2, "r.json would be overwritten"),
        (("--to", "csv", "--save", "x", "--system", "c"), 1, "r.json: there is no system 'c'"),
        (("--to", "eee", "--save", "x", "--model", "m"), 2, "--model is for one of the systems a,"),
        (("--to", "csv", "--save", "x", "--scores", "em"), 1, "there is no score 'em'"),
    ],
)
def test_what_makes_no_sense_is_one_line(run, options, status, message):
    found, out, err = run("export", "r.json", *options)

    assert (found, out, err.count("\n")) == (status, "", 1)
    assert err.startswith(message)
    assert not Path("x").exists()


def test_what_is_undefined_is_not_exported(run):
    score("win_rate", predictions={"m": ["tie", "tie"]}).save("r.json")
    message = run("export", "r.json", "--to", "eee", "--save", "eee")[2]

    assert message.startswith("win_rate is nan, not a number; leave it out with --scores")
