"""One list of what can be asked: every place where it is asked for agrees with it."""

import inspect
from dataclasses import fields
from pathlib import Path

import pytest
from metric_commons.evaluation.scoring.evaluations import Evaluation

import metric_commons
from metric_commons.__main__ import program
from metric_commons.apps.cli import run as run_command
from metric_commons.apps.cli import score as score_command
from metric_commons.apps.console.commands import FLAGS, parameters_of
from metric_commons.apps.mcp.schemas import TOOLS, description
from metric_commons.apps.mcp.tools import evaluate_file
from metric_commons.evaluation.scoring.scoring import score
from metric_commons.module.catalog.request import DEFAULTS, HELP, Request, annotations
from metric_commons.module.declaration.declarations import arguments
from metric_commons.statistics.arguments.domains import schema
from metric_commons.statistics.resampling.progress import watched

NAMES = {item.name for item in fields(Request)}
COLUMNS = {"references", "groups", "clusters", "ids"}
OF_READING = {"where", "filter", "answers", "reduce", "split_references"}


def test_every_field_has_a_help():
    assert HELP.keys() == NAMES


def test_score_has_the_fields_with_their_defaults_and_their_help():
    parameters = inspect.signature(metric_commons.score, eval_str=True).parameters
    told = arguments(inspect.getdoc(metric_commons.score))

    others = {"data", "predictions", "inputs", "progress", "module_options"}
    assert parameters.keys() - NAMES == OF_READING | others
    assert parameters.keys() >= NAMES
    for name in NAMES - {"modules"}:
        assert parameters[name].default == DEFAULTS[name], name
        if name not in COLUMNS:
            assert told[name].startswith(HELP[name].removesuffix(".")), name


def test_the_command_has_an_option_for_every_field():
    command = program().get_command(None, "score")
    options = {option.name: option for option in command.params}
    taken = {p.name: p for p in parameters_of(score_command.score, score_command.ASKED)}

    for name in NAMES - {"modules"}:
        flag = FLAGS.get(name, f"--{name.replace('_', '-')}").split()[0]
        assert flag in options[name].opts
        if name not in {"rows", "jobs"}:
            assert taken[name].default == DEFAULTS[name], name
    assert set(FLAGS.values()) >= {
        *("--confidence", "--cluster-by", "--group-by", "--id", "--from", "--set", "--column"),
    }


def test_a_configuration_has_a_key_for_every_field():
    content = {"modules": "qa_em", "data": "x", "xyz": 1}
    with pytest.raises(ValueError, match="unknown key") as raised:
        run_command._values(Path("c.yaml"), content)

    assert set(str(raised.value).partition("are ")[2].split(", ")) >= NAMES


def test_the_server_has_an_argument_for_every_field():
    properties = description("evaluate_file")["inputSchema"]["properties"]

    for name in NAMES - {"rows", "jobs"}:
        assert name in properties
    for name in set(TOOLS[evaluate_file]) - {"references"}:
        assert properties[name]["description"] == HELP[name]
        limits = schema(annotations()[name])
        members = [limits, *limits.get("anyOf", [])]
        for kind in properties[name].get("anyOf", [properties[name]]):
            kept = {
                key: value for key, value in kind.items() if key not in ("description", "default")
            }
            assert any(kept.items() <= member.items() for member in members)


def test_an_evaluation_of_files_is_a_request():
    assert issubclass(Evaluation, Request)


def test_progress_of_a_comparison_leaves_room_for_its_tests():
    reported = []
    systems = {"a": ["x", "y"], "b": ["x", "z"]}
    with watched(reported.append):
        score("qa_em", predictions=systems, references=["x", "y"], compare=True)

    assert reported == [0.25, 0.5, 1.0]
