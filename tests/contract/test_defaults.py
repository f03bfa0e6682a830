"""A function that a module hands an option to has the default of that option, or none."""

import ast
from importlib import import_module
from inspect import Parameter, signature

import pytest

from tests.spec import METRICS, ROOT


def imports(tree):
    """Every name that a file has from elsewhere, as itself."""
    sources = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {
        alias.asname or alias.name: getattr(import_module(source.module), alias.name)
        for source in sources
        for alias in source.names
    }


def handed_on(call, dictionaries):
    """The names that a call hands on as they are: `seed=seed`, or `**task` with `"seed": seed`."""
    pairs = [(keyword.arg, keyword.value) for keyword in call.keywords]
    for name, value in list(pairs):
        if name is None and getattr(value, "id", None) in dictionaries:
            inner = dictionaries[value.id]
            pairs += zip((key.value for key in inner.keys), inner.values, strict=True)
    return [name for name, value in pairs if name and getattr(value, "id", None) == name]


def defaults(function):
    """The default of each option of a function that has one, in Python's words."""
    options = signature(function).parameters.values()
    return {
        option.name: repr(option.default)
        for option in options
        if option.default is not Parameter.empty
    }


def comparisons(script):
    """For each option that `_compute` hands on: the function, the option, and both defaults."""
    tree = ast.parse(script)
    functions = imports(tree)
    (compute,) = (node for node in ast.walk(tree) if getattr(node, "name", "") == "_compute")
    own = {
        argument.arg: repr(ast.literal_eval(default))
        for argument, default in zip(compute.args.kwonlyargs, compute.args.kw_defaults, strict=True)
        if default is not None
    }
    dictionaries = {
        node.targets[0].id: node.value
        for node in ast.walk(compute)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
    }
    for call in ast.walk(compute):
        if isinstance(call, ast.Call) and getattr(call.func, "id", None) in functions:
            repeated = defaults(functions[call.func.id])
            for option in handed_on(call, dictionaries):
                if option in own and option in repeated:
                    yield call.func.id, option, own[option], repeated[option]


def differing(script):
    return [found for found in comparisons(script) if found[2] != found[3]]


def script(name):
    return (ROOT / "metrics" / name / f"{name}.py").read_text("utf-8")


@pytest.mark.parametrize("name", METRICS)
def test_a_function_has_the_defaults_of_the_module(name):
    assert not differing(script(name))


# The rule bites


def test_it_reads_what_is_handed_on():
    compared = {
        (function, option) for name in METRICS for function, option, *_ in comparisons(script(name))
    }

    assert ("exact_match", "normalizer") in compared


@pytest.mark.parametrize("call", ["seed=seed", "**task"])
def test_a_differing_default_is_noticed(call):
    toy = (
        "from metric_commons.statistics.intervals.summary import summarize\n"
        "def _compute(self, *, seed=1, n_resamples=10_000):\n"
        '    task = {"seed": seed}\n'
        f"    return summarize({{}}, n_resamples=n_resamples, {call})\n"
    )

    assert differing(toy) == [("summarize", "seed", "1", "0")]
