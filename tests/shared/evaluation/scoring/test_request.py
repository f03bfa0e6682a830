"""One list of what can be asked: every place where it is asked for agrees with it."""

import inspect
from dataclasses import fields

from typer.main import get_command

import metric_commons
from metric_commons.__main__ import program
from metric_commons.apps.console.config import Config, Fields
from metric_commons.apps.mcp.tools import TOOLS
from metric_commons.evaluation.scoring.evaluations import Evaluation
from metric_commons.evaluation.scoring.scoring import score
from metric_commons.module.catalog.request import DEFAULTS, HELP, Reporting, Request, annotations
from metric_commons.module.declaration.declarations import arguments
from metric_commons.statistics.arguments.domains import schema
from metric_commons.statistics.resampling.progress import watched

NAMES = {item.name for item in fields(Request)}
COLUMNS = {"references", "groups", "clusters", "ids"}
OF_FILES = {"preset", "columns"}  # Python has these as options and as columns by their names
TYPED = {
    "columns": "--column",
    "options": "--set",
    "confidence_level": "--confidence",
    "clusters": "--cluster-by",
    "groups": "--group-by",
    "n_resamples": "--resamples",
    "ids": "--id",
}


def test_every_field_has_a_help():
    assert HELP.keys() == NAMES


def test_score_has_the_fields_with_their_defaults_and_their_help():
    parameters = inspect.signature(metric_commons.score, eval_str=True).parameters
    told = arguments(inspect.getdoc(metric_commons.score))

    assert parameters.keys() - NAMES == {
        *("data", "predictions", "inputs", "progress", "module_options"),
    }
    assert NAMES - parameters.keys() == OF_FILES
    for name in NAMES - OF_FILES - {"modules"}:
        assert parameters[name].default == DEFAULTS[name], name
        if name not in COLUMNS:
            assert told[name].startswith(HELP[name].removesuffix(".")), name


def test_the_command_has_an_option_for_every_field():
    parameters = get_command(program("score")).commands["score"].params
    options = {flag: parameter for parameter in parameters for flag in parameter.opts}

    for name in NAMES - {"modules"}:
        option = options[TYPED.get(name, f"--{name.replace('_', '-')}")]
        if name not in {"options", "columns", "rows", "jobs"}:
            assert option.default == DEFAULTS[name], name


def test_configuration_files_have_a_key_for_every_field():
    keys = {item.name for item in fields(Config)}

    reporting = {item.name for item in fields(Reporting)}
    assert keys == {"data", "systems", "modules", *reporting, "outputs"}
    named = {item.name for item in fields(Fields)} - {"predictions"}
    assert named == COLUMNS - {"ids"} | {"id", "columns"}


def test_the_server_has_an_argument_for_every_field():
    tool = TOOLS["evaluate_file"]
    properties = tool.description()["inputSchema"]["properties"]

    for name in NAMES - {"rows", "jobs", "ids"}:
        assert name in properties
    assert properties["n_resamples"]["maximum"] == 1_000_000  # a limit of the server alone
    for name in set(tool.request) - {"references", "n_resamples"}:
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
