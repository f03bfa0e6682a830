"""Tool calls and JSON from the files of harnesses, by the command."""

import json
import math

import pytest

from tests.apps.files import sample_of_lm_eval, write_rows
from tests.apps.saved import systems_of
from tests.tables import tabled

TOOLS = tabled(__file__, "TOOLS")
COSTS = {"input_token_count": 1, "output_token_count": 1, "latency": 0.5}


@pytest.fixture
def bfcl(tmp_path):
    """Results, possible answers and questions, in BFCL's folders."""
    name = "BFCL_v4_simple_python.json"
    results = {
        "simple_python_0": "[area(base=10)]",
        "simple_python_1": [{"area": '{"base": 3, "unit": "m"}'}],
        "multiple_2": "[area(base=10.0)]",
        "multiple_3": "I cannot.",
    }
    accepted = {"base": [10], "unit": ["cm", ""]}
    answers = dict.fromkeys(results, accepted) | {"simple_python_1": {"base": [3], "unit": ["m"]}}
    write_rows(
        tmp_path / "data" / name,
        [{"id": key, "question": [[]], "function": TOOLS} for key in results],
    )
    return (
        write_rows(
            tmp_path / "result" / "BFCL_v4_simple_python_result.json",
            [{"id": key, "result": result, **COSTS} for key, result in results.items()],
        ),
        write_rows(
            tmp_path / "data" / "possible_answer" / name,
            [{"id": key, "ground_truth": [{"area": values}]} for key, values in answers.items()],
        ),
    )


def saved(tmp_path):
    return systems_of((tmp_path / "saved.json").read_text("utf-8"))


def test_results_and_possible_answers_of_bfcl(run, bfcl, tmp_path):
    results, answers = bfcl
    status, _, err = run(
        *("score", "tool_calls", results, "--answers", answers),
        *("--group-by", "task", "--save", "saved.json", "--confidence", "0.95"),
    )
    assert (status, err) == (0, "")
    (result,) = (modules["tool_calls"] for modules in saved(tmp_path).values())

    assert result["scores"]["exact_match"] == 0.5
    assert math.isnan(result["scores"]["irrelevance_accuracy"])
    by_category = {name: group["exact_match"] for name, group in result["groups"].items()}
    assert by_category == {"simple_python": 1.0, "multiple": 0.0}


def test_questions_without_a_tool(run, tmp_path):
    rows = [("irrelevance_0", "No tool will do."), ("irrelevance_1", "[area(base=1)]")]
    file = write_rows(
        tmp_path / "r.json", [{"id": key, "result": text, **COSTS} for key, text in rows]
    )
    status, _, _ = run("score", "tool_calls", file, "--save", "saved.json")
    (result,) = (modules["tool_calls"] for modules in saved(tmp_path).values())

    assert status == 0
    assert result["scores"]["irrelevance_accuracy"] == 0.5


def test_answers_of_bfcl_are_in_another_file(run, bfcl):
    status, _, err = run("score", "tool_calls", bfcl[0])

    assert status != 0
    assert "name it with --references" in err


@pytest.mark.parametrize("target", ['{"a": 1}', "{'a': 1}", {"a": 1}])
def test_samples_of_lm_eval(run, tmp_path, target):
    rows = [sample_of_lm_eval(0, '{"a": 1}', target)]
    file = write_rows(tmp_path / "samples.jsonl", rows)
    status, _, err = run("score", "json_match", file, "--from", "lm-eval", "--save", "saved.json")
    assert (status, err) == (0, "")
    (result,) = (modules["json_match"] for modules in saved(tmp_path).values())

    assert result["scores"]["exact_match"] == 1.0


def test_samples_of_inspect(run, tmp_path):
    call = {"id": "1", "type": "function", "function": "area", "arguments": {"base": 3}}
    turns = [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "7"},
        {"role": "assistant", "content": "It is 7."},
    ]
    sample = {
        "id": 1,
        "epoch": 1,
        "target": '[{"name": "area", "arguments": {"base": 3}}]',
        "messages": turns,
        "output": {"completion": "It is 7."},
        "scores": {},
    }
    log = {"status": "success", "eval": {"task": "t", "model": "m"}, "samples": [sample]}
    file = tmp_path / "log.json"
    file.write_text(json.dumps(log), "utf-8")
    status, _, err = run("score", "tool_calls", file, "--save", "saved.json")
    assert (status, err) == (0, "")
    (result,) = (modules["tool_calls"] for modules in saved(tmp_path).values())

    assert result["scores"]["exact_match"] == 1.0
