"""Ordinary calls with odd rows: huge and inexact numbers, empty texts, ties, one class, one row."""

import contextlib
import io
import math
import traceback
import warnings
from inspect import signature

from metric_commons import score
from metric_commons.__main__ import program
from tests.generators.calls import draw_call
from tests.spec import METRICS

_MODULES = [name for name in METRICS if name != "code_eval"]  # which starts programs
_OF_SCORE = signature(score).parameters.keys() - {"scores"}
# What takes the place of numbers and texts, of one kind for a whole call: of many kinds at once,
# most calls would be refused.
_KINDS = (
    *([1e308, -1e308], [1e308, 1.0], [1e200, -1e200, 1e-200], [5e-324, 0.0, -0.0]),
    *([math.nan], [math.inf, -math.inf], [1e9, 1e9 + 2**-20], [2**53 + 1, 2**53 + 3], [2**63, 0]),
    *([10**30, -(10**30)], [0.0, 1.0], [0, 1], [0.5], [""], [" ", "the"], ["\0", "\u0130"]),
    *(["a" * 2000, "a"], ["1e308", "nan"], [None], [True, False], [[]]),
)


def _replaced(dice, value, kind, share):
    """Return the value with some of its numbers or texts, or all of it, replaced."""
    if isinstance(value, dict):
        return {key: _replaced(dice, item, kind, share) for key, item in value.items()}
    if isinstance(value, list) and kind != [[]]:
        return [_replaced(dice, item, kind, share) for item in value]
    is_alike = isinstance(value, str) == isinstance(kind[0], str) or kind[0] is None
    return dice.choice(kind) if is_alike and dice.random() < share else value


def _odd(dice, column, kind):
    """Return a column with odd rows, with ties, moved by one, or as it is."""
    way = dice.randrange(5)
    if way < 2:
        return [_replaced(dice, row, kind, dice.choice((0.1, 0.5, 1.0))) for row in column]
    return [column, [column[0]] * len(column), [*column[1:], column[0]]][way - 2]


def _command(dice, paths, name):
    """Return the words of a command that takes the saved results of two systems."""
    form = ("--format", dice.choice(("table", "json")))
    tests = ("permutation", "t", "wilcoxon")
    law = dice.choice(
        (["--assume", "nothing"], ["--correction", "holm"], ["--alternative", "less"])
    )
    looks = dice.choice(([], ["--sequential"], ["--sequential", "--total", "50"]))
    margin = dice.choice(("0.05", "1e-9", "1e300"))
    against = ["--baseline", paths[1], "--score", name, "--margin", margin]
    commands = [
        ["compare", *paths, *form, "--test", dice.choice(tests)],
        ["compare", *paths, *form, *law],
        ["gate", paths[0], *form, *against, *looks],
        ["gate", paths[0], "--floor", f"{name}={margin}", "--confidence", "0.9"],
        ["leaderboard", *paths, *form, *dice.choice(([], ["--by", name]))],
        ["power", *paths, *form, "--effect", margin],
        ["report", *paths, "-o", paths[0].with_suffix(".html")],
    ]
    return dice.choice(commands)


def _run(words):
    """Run a command, whose errors are raised and named."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            program()([*map(str, words)], standalone_mode=False)
        except Exception as error:
            error.add_note(" ".join(map(str, words)))
            raise


def _is_taken(function, *arguments, **named):
    """Whether a call is taken; a ValueError has to be one that we raise."""
    try:
        with warnings.catch_warnings(action="error"):
            function(*arguments, **named)
    except ValueError as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        if not last.line.startswith("raise"):
            raise AssertionError(f"of {last.filename}:{last.lineno}: {error}") from error
        return False
    return True


def odd_calls(dice, folder):
    """A module with odd rows of two systems; then a command that takes their results."""
    call = draw_call(dice.choice(_MODULES), dice.random())
    kind = dice.choice(_KINDS)
    columns = {name: _odd(dice, column, kind) for name, column in call.columns.items()}
    predictions = columns.pop("predictions", None)
    systems = {"a": predictions, "b": _odd(dice, predictions, kind)} if predictions else {}
    settings = {**call.reporting, **call.labels}
    of_score = {name: settings.pop(name) for name in settings.keys() & _OF_SCORE}
    shared = {"n_resamples": 20, **columns, **of_score, "rows": True}
    shared["options"] = call.options | settings
    try:
        return _are_taken(dice, folder, call.module, systems, shared)
    except Exception as error:
        error.add_note(f"score({call.module!r}, predictions={systems}, **{shared})")
        raise


def _are_taken(dice, folder, module, systems, shared):
    """Whether systems are taken alone, together and, once they are saved, by a command."""

    def save(name, rows):
        results = score(module, predictions=rows, **shared)
        path = folder / f"{name}.json"
        results.save_rows(path.with_suffix(".jsonl")).save(path)
        saved[path] = results.systems[name][module].scores

    saved = {}
    for name, rows in systems.items() or [("rows", None)]:
        _is_taken(save, name, {name: rows} if systems else None)
    if systems:
        _is_taken(score, module, predictions=systems, compare=True, **shared)
    if len(saved) == 2:
        _is_taken(_run, _command(dice, [*saved], dice.choice([*next(iter(saved.values()))])))
    return bool(saved)
