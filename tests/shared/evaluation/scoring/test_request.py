"""One declaration: options of commands, keys of files and arguments of tools are parameters."""

import inspect
from pathlib import Path

import pytest

import metric_commons
from metric_commons.__main__ import program
from metric_commons.apps.cli import run as run_command
from metric_commons.apps.cli.app import COMMANDS, spec_of
from metric_commons.apps.console.commands import FLAGS, OF_FILES, options_of
from metric_commons.apps.console.outputs import WithRows
from metric_commons.apps.mcp.schemas import description
from metric_commons.evaluation.scoring.scoring import score

PYTHON_ONLY = {"module_options"}
PARAMETERS = inspect.signature(score).parameters.keys() - PYTHON_ONLY
PUBLIC = {"score", "compare", "leaderboard", "gate", "report", "plot", "audit", "power", "verify"}


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"hub"}))
def test_options_of_commands_are_the_parameters_of_functions(name):
    spec = spec_of(name)
    options = {option.name: option for option in program().get_command(None, name).params}
    shown = options_of(spec.presentation) if spec.presentation else {}
    taken = inspect.signature(spec.function).parameters.keys() - PYTHON_ONLY - {*spec.hidden}
    taken |= {*(spec.arguments or ())}

    assert options.keys() - {"help_all", "quiet", "help"} - shown.keys() == taken
    for parameter in taken - {*(spec.arguments or ())}:
        flag = {**FLAGS, **spec.flags}.get(parameter, f"--{parameter.replace('_', '-')}")
        assert flag.split()[0] in options[parameter].opts or len(options[parameter].opts) == 1
    if name in PUBLIC:
        assert getattr(metric_commons, name) is spec.function


def test_keys_of_files_are_the_parameters_of_score():
    taken = options_of(score, OF_FILES) | options_of(WithRows)
    content = {"modules": "qa_em", "data": "x", "xyz": 1}
    with pytest.raises(ValueError, match="unknown key") as raised:
        run_command._values(Path("c.yaml"), content, taken)

    printed = {"format", *options_of(WithRows)} - {"format_name"}
    assert {*str(raised.value).partition("are ")[2].split(", ")} == PARAMETERS | printed


def test_the_server_has_an_argument_for_every_parameter():
    properties = description("evaluate_file")["inputSchema"]["properties"]
    texts = {name: option.help for name, option in options_of(score, OF_FILES).items()}

    assert properties.keys() == PARAMETERS - {"data", "rows", "jobs"} | {
        *("path", "rows_path", "save_path")
    }
    for name in PARAMETERS & properties.keys() - {"modules", "predictions"}:
        assert properties[name]["description"] == texts[name]
