"""Every module, saved and read again, whichever statistics are 0 in all rows of a system."""

import random
import re
from pathlib import Path

import pytest

from metric_commons import Results, compare, score
from metric_commons.data.files.stored import to_jsonable
from metric_commons.evaluation.comparison.saved_results import read_results
from metric_commons.module.catalog.catalog import load_without_evaluate
from tests.generators.rows import draw_rows
from tests.spec import METRICS, nightly, specs

MODULES = {name: load_without_evaluate(name) for name in METRICS}
OF_ROWS = [name for name, metric in MODULES.items() if "predictions" in metric.input_names]
OF_SUMS = [name for name, metric in MODULES.items() if metric.score_kind == "sums"]
# Statistics that are 0 in no row, and those of fields that a reference always has.
NEVER_ZERO = {
    "instruction_following": {"instructions", "rows"},
    "json_match": {"expected", "rows"},
    "span_f1": {"tags"},
    "tool_calls": {"rows"},
}


def scored(name, columns, options):
    """Return the results of the predictions, and of other predictions for the same references."""
    sides = [columns["predictions"], columns["others"]]
    shared = {key: column for key, column in columns.items() if key in MODULES[name].input_names}
    return [
        score(name, **shared | {"predictions": side}, options=options, rows=True) for side in sides
    ]


def sums_of(result, name):
    return result.rows["predictions"][name].statistics


def sample(name, number):
    """The columns and options of an ordinary call."""
    values = specs(name)[number].sample
    columns = {key: values[key] for key in MODULES[name].input_names if key in values}
    options = {key: value for key, value in values.items() if key not in columns}
    first, *others = columns["predictions"]
    return columns | {"others": [*others, first]}, options


def tables_of_one_row(name):
    """For each statistic a table in which it is 0 in all rows, which are equal."""
    chance, drawn, names = random.Random(1), [], set()
    for _ in range(60):
        pair, options = draw_rows(name, MODULES[name].input_names, chance, 2)
        columns = {column: rows[:1] * 4 for column, rows in pair.items()}
        columns["others"] = pair["predictions"][1:] * 4
        try:
            sums = [sums_of(result, name) for result in scored(name, columns, options)]
        except ValueError:  # texts without any tag
            continue
        pairs = [pair for s in sums for pair in zip(s.names, s.values.any(axis=0), strict=True)]
        names.update(dict(pairs))
        drawn.append(({statistic for statistic, is_used in pairs if not is_used}, columns, options))
    zeros = set()
    for zeros_of_table, columns, options in sorted(drawn, key=lambda table: -len(table[0])):
        if not zeros_of_table <= zeros:
            zeros |= zeros_of_table
            yield columns, options
    assert names - zeros == NEVER_ZERO.get(name, set())


def saved_and_compared(name, columns, options):
    """Save results, and expect the same of them as of results in memory; return the comparison."""
    results = scored(name, columns, options)
    read = []
    for side, result in zip(("new", "old"), results, strict=True):
        named = result.save_rows(f"{side}.jsonl")
        named.save(f"{side}.json")
        read.append(read_results(Path(f"{side}.json")))
        assert read[-1].to_dict() == named.to_dict()
        if name in OF_SUMS:
            saved, kept = sums_of(result, name), sums_of(read[-1], name)
            assert (kept.names, kept.values.tolist()) == (saved.names, saved.values.tolist())
    try:
        expected = compare(*results).comparisons
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            compare(*read)
        return False
    assert to_jsonable(compare(*read).comparisons) == to_jsonable(expected)
    return True


SHAPES = [(name, number) for name in OF_ROWS for number in range(len(specs(name)))]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "number"),
    [shape for shape in SHAPES if not shape[1]] + nightly(*(each for each in SHAPES if each[1])),
)
def test_every_command_takes_a_saved_sample(name, number, run):
    columns, options = sample(name, number)
    is_compared = saved_and_compared(name, columns, options)
    main = MODULES[name].main_score or next(iter(Results.read("new.json")["predictions"]))
    for command, *arguments in (
        ("compare", "old.json"),
        ("gate", "--baseline", "old.json", "--score", main, "--margin", 0.1),
        ("power", "old.json", "--effect", 0.1),
        ("leaderboard", "old.json", "--by", main),
    ):
        status, out, err = run(command, "new.json", *arguments)
        if is_compared or command == "leaderboard":
            assert status in ((0, 3, 4) if command == "gate" else (0,)), (command, err)
            assert err == ""
            assert out
        else:
            assert (status, out, err.count("\n")) == (1, "", 1)


@pytest.mark.long
@pytest.mark.usefixtures("run")  # for its folder
@pytest.mark.parametrize("name", OF_SUMS)
def test_a_statistic_that_is_always_zero_is_saved(name):
    for columns, options in tables_of_one_row(name):
        saved_and_compared(name, columns, options)
