"""What a caller may rely on, whichever module is loaded.

The tests take the module by `load` and what it promises by `spec`; `test_the_contract.py` gives
them modules that are sound, and modules that are not.
"""

import copy
import doctest
import json
import math
import pickle
import re
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from threading import Barrier

import datasets
import evaluate
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from metric_commons.evaluation.results.module_results import aggregation_of
from metric_commons.statistics.arguments.checks import UnexpectedError
from tests.generators.options import PARSED
from tests.spec import METRICS, PATIENCE
from tests.spec import spec as spec_of
from tests.threads import THREADS, at_once

PER_ROW = ("groups", "sample_weight", "scores")  # options that hold a value a row

# Copies, threads and processes are a matter of the class that all modules derive from: by day, of
# modules of texts, labels, rankings, JSON, ratings with holes, sums and comparisons.
KINDS = {
    *("qa_em", "classification", "ir_ranking", "json_match", "judge_agreement"),
    *("error_rate", "paired_significance"),
}
of_each_kind = pytest.mark.parametrize(
    "spec",
    [
        pytest.param(spec_of(name), id=name, marks=() if name in KINDS else pytest.mark.slow)
        for name in METRICS
    ],
)


# Taking calls and results apart


def split(metric, call):
    """The inputs of a call and its options."""
    options = dict(call)
    names = [name for name in metric._feature_names() if name in options]
    return {name: options.pop(name) for name in names}, options


def rows_of(inputs):
    """The rows of some columns."""
    return [dict(zip(inputs, row, strict=True)) for row in zip(*inputs.values(), strict=True)]


def divided(metric, call):
    """The rows of a call, each with what options hold for it, and the other options."""
    inputs, options = split(metric, call)
    per_row = {name: options.pop(name) for name in PER_ROW if options.get(name) is not None}
    return rows_of(inputs | per_row), options


def columns_of(rows):
    """The columns of some rows, at least one."""
    return {name: [row[name] for row in rows] for name in rows[0]}


def one(row):
    """A row by the names that `add` has for the inputs."""
    names = {"predictions": "prediction", "references": "reference"}
    return {names.get(name, name): value for name, value in row.items()}


def leaves(value, path=()):
    """Each value inside a result, by the way that leads to it."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            yield from leaves(inner, (*path, key))
    else:
        yield path, value


class Close:
    """What is equal to a result, up to the rounding of its numbers."""

    def __init__(self, expected):
        self.expected = dict(leaves(expected))

    def __eq__(self, found):
        return found.keys() == self.expected.keys() and all(
            value == (self.expected[key] if isinstance(value, str) else about(self.expected[key]))
            for key, value in found.items()
        )

    def __repr__(self):
        return repr(self.expected)


def about(number):
    """Equal to a number, up to rounding."""
    return pytest.approx(number, rel=1e-12, abs=1e-12, nan_ok=True)


def close(expected):
    """Equal to `expected` leaf by leaf, up to rounding."""
    return Close(expected)


def exactly(result):
    """A result as text in which equal numbers are equal, NaN too."""
    return json.dumps(result, sort_keys=True)


def summary(metric):
    """Options with which the module says all that it can, if it has such."""
    asked = {"per_example": True, "confidence_level": 0.9, "n_resamples": 20}
    return {name: value for name, value in asked.items() if name in metric.options}


def more(metric):
    """An option with which the module says more: scores of rows, or else intervals, which cost."""
    asked = summary(metric)
    return {"per_example": True} if "per_example" in asked else asked


def scores_alone(metric, result):
    """The result without what it reports on single rows."""
    return {key: value for key, value in result.items() if key not in metric.reports}


def has(metric, option):
    if option not in metric.options:
        pytest.skip(f"no option {option}")


# Scores


def test_it_is_named_after_its_folder(load, spec):
    assert load(spec.name).name == spec.name


def test_the_sample_gives_the_stated_result(load, spec):
    result = load(spec.name).compute(**spec.sample)

    assert dict(leaves(result)) == close(spec.result)


def test_perfect_inputs_give_the_best_result(load, spec):
    result = load(spec.name).compute(**spec.perfect)

    assert dict(leaves(result)) == close(spec.best)


def test_scores_stay_in_their_range(load, spec):
    metric = load(spec.name)
    asked = {"per_example": True} if "per_example" in metric.options else {}
    for call in (spec.sample, spec.perfect):
        result = metric.compute(**call, **asked)
        of_rows = result.pop("per_example", {})

        assert {key for key in result if isinstance(result[key], float)} <= spec.ranges.keys()
        for key, (low, high) in spec.ranges.items():
            for _, score in leaves([result[key], *of_rows.get(key, [])]):
                assert low <= score <= high or math.isnan(score)


def test_results_are_plain_python(load, spec):
    metric = load(spec.name)
    result = metric.compute(**spec.sample, **summary(metric))

    assert {type(leaf) for _, leaf in leaves(result)} <= {float, int, str, bool}
    errors = result.pop("standard_error", {})  # of one row there is none
    assert exactly(json.loads(json.dumps(errors))) == exactly(errors)
    for key in spec.no_interval:
        assert all(math.isnan(end) for _, end in leaves(result["confidence_interval"].pop(key)))
    assert json.loads(json.dumps(result, allow_nan=False)) == result


def test_the_order_of_rows_does_not_matter(load, spec):
    metric = load(spec.name)
    asked = {name: value for name, value in summary(metric).items() if name != "per_example"}
    expected = exactly(scores_alone(metric, metric.compute(**spec.sample, **asked)))

    rows, options = divided(metric, {**spec.sample, **asked})
    for order in ([*rows[1:], rows[0]], rows[::-1]):
        result = metric.compute(**columns_of(order), **options)
        assert exactly(scores_alone(metric, result)) == expected


# Ways to add rows


def test_rows_may_be_added_one_by_one(load, spec):
    metric = load(spec.name)
    inputs, options = split(metric, spec.sample)
    options |= more(metric)
    expected = exactly(metric.compute(**inputs, **options))
    for row in rows_of(inputs):
        metric.add(**one(row))

    assert exactly(metric.compute(**options)) == expected


def test_rows_may_be_added_in_batches(load, spec):
    metric = load(spec.name)
    inputs, options = split(metric, spec.sample)
    options |= more(metric)
    expected = exactly(metric.compute(**inputs, **options))
    for cut in range(len(rows_of(inputs)) + 1):
        metric.add_batch(**{name: column[:cut] for name, column in inputs.items()})
        metric.add_batch(**{name: column[cut:] for name, column in inputs.items()})

        assert exactly(metric.compute(**options)) == expected


def test_rows_may_come_in_all_ways_at_once(load, spec):
    metric = load(spec.name)
    inputs, options = split(metric, spec.sample)
    options |= more(metric)
    expected = exactly(metric.compute(**inputs, **options))
    metric.add(**one(rows_of(inputs)[0]))
    metric.add_batch(**{name: column[1:2] for name, column in inputs.items()})

    rest = {name: column[2:] for name, column in inputs.items()}
    assert exactly(metric.compute(**rest, **options)) == expected


def test_the_length_is_the_number_of_rows_added(load, spec):
    metric = load(spec.name)
    inputs, options = split(metric, spec.sample)
    rows = rows_of(inputs)
    metric.add_batch(**inputs)
    metric.add(**one(rows[0]))
    assert len(metric) == len(rows) + 1

    metric.reset()
    assert len(metric) == 0

    metric.add_batch(**inputs)
    metric.compute(**options)
    assert len(metric) == 0


def test_rows_are_forgotten_at_reset(load, spec):
    metric = load(spec.name)
    metric.add(**one(rows_of(split(metric, spec.perfect)[0])[0]))
    metric.reset()

    assert dict(leaves(metric.compute(**spec.sample))) == close(spec.result)


def series(column):
    """A pandas Series whose index counts neither from zero nor up."""
    return pd.Series(column, index=range(len(column), 0, -1))


def objects(column):
    """A numpy array of Python's own values, whatever they are."""
    array = np.empty(len(column), object)
    array[:] = column
    return array


def chunks(column):
    """A pyarrow column in two pieces."""
    array = pa.array(column)
    return pa.chunked_array([array[:1], array[1:]])


CONTAINERS = {
    "tuple": tuple,
    "numpy": np.array,
    "numpy objects": objects,
    "pandas": series,
    "pyarrow": pa.array,
    "pyarrow chunks": chunks,
    "datasets": lambda column: datasets.Dataset.from_dict({"column": column})["column"],
}


def held(container, column):
    """The column in a container, or as it is where the container cannot hold it."""
    try:
        return container(column)
    except (pa.ArrowInvalid, pa.ArrowTypeError, ValueError):
        return column


def test_columns_may_be_of_any_container(load, spec):
    metric = load(spec.name)
    for call in (spec.sample, spec.perfect):
        inputs, options = split(metric, call)
        expected = exactly(metric.compute(**inputs, **options))
        for kind, container in CONTAINERS.items():
            columns = {name: held(container, column) for name, column in inputs.items()}
            assert any(columns[name] is not inputs[name] for name in inputs), kind

            assert exactly(metric.compute(**columns, **options)) == expected, kind


def test_inputs_are_left_alone(load, spec):
    metric = load(spec.name)
    for container in (list, objects, lambda column: held(np.array, column)):
        inputs, options = split(metric, copy.deepcopy(spec.sample))
        columns = {name: container(column) for name, column in inputs.items()}
        before = repr(columns)
        metric.add_batch(**columns)
        metric.compute(**options)
        metric.compute(**columns, **options | summary(metric))

        assert repr(columns) == before


def blank(value):
    """Empty whatever can be emptied, inside first."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            blank(inner)
        value.clear()
    elif isinstance(value, np.ndarray):
        value[...] = np.zeros_like(value)


@of_each_kind
def test_a_caller_may_reuse_a_buffer(load, spec):
    metric = load(spec.name)
    inputs, options = split(metric, spec.sample)
    expected = exactly(metric.compute(**inputs, **options))
    for container in (list, lambda column: held(np.array, column)):
        buffers = {name: container(copy.deepcopy(column)) for name, column in inputs.items()}
        metric.add_batch(**buffers)
        blank(buffers)
        assert exactly(metric.compute(**options)) == expected

    for row in rows_of(copy.deepcopy(inputs)):
        metric.add(**one(row))
        blank(row)
    assert exactly(metric.compute(**options)) == expected


# Options


def test_options_at_load_are_those_of_compute(load, spec):
    metric = load(spec.name)
    asked = more(metric) | ({"groups": groups_of(spec)} if "groups" in metric.options else {})
    inputs, options = split(metric, spec.sample)
    settled = load(spec.name, **options, **asked)

    expected = exactly(metric.compute(**spec.sample, **asked))
    assert exactly(settled.compute(**inputs)) == expected
    assert exactly(settled.compute(**inputs)) == expected, "a setting holds for one call alone"


def test_an_option_of_compute_comes_before_one_of_load(load, spec):
    metric = load(spec.name)
    asked = more(metric)
    settled = load(spec.name, **asked)
    defaults = {name: metric.options[name] for name in asked}

    expected = exactly(metric.compute(**spec.sample))
    assert exactly(settled.compute(**spec.sample, **defaults)) == expected
    assert exactly(settled.compute(**spec.sample)) != expected


def test_its_options_tell_their_values(load, spec):
    metric = load(spec.name)
    asked = more(metric)
    settled = load(spec.name, **asked)

    assert metric.options.keys().isdisjoint(metric._feature_names())
    assert settled.options == metric.options | asked
    assert settled.options != metric.options


def test_an_unknown_option_is_refused_with_a_hint(load, spec):
    metric = load(spec.name)
    option = max(metric.options, key=len)
    wrong = {f"{option}x": 1}
    hint = f"{type(metric).__name__} has no option '{option}x'; did you mean '{option}'"

    with pytest.raises(TypeError, match=hint):
        load(spec.name, **wrong)
    with pytest.raises(TypeError, match=hint):
        metric.compute(**spec.sample, **wrong)


def test_there_are_no_configurations(load, spec):
    with pytest.raises(ValueError, match="no configuration 'other'"):
        load(spec.name, config_name="other")


def groups_of(spec):
    """A label a row, numbers whose order is not that of their digits."""
    rows = len(next(iter(spec.sample.values())))
    return [10 if row % 2 else 9 for row in range(rows)]


def test_scores_of_rows_come_in_input_order(load, spec):
    metric = load(spec.name)
    has(metric, "per_example")
    if spec.whole:
        pytest.skip("a row has no score without the others")
    inputs, options = split(metric, spec.sample)
    result = metric.compute(**inputs, **options, per_example=True)
    of_rows = result.pop("per_example")
    rows, options = divided(metric, spec.sample)
    alone = [metric.compute(**columns_of([row]), **options) for row in rows]

    assert exactly(result) == exactly(metric.compute(**spec.sample))
    assert of_rows
    for key, scores in of_rows.items():
        assert scores == pytest.approx([each[key] for each in alone], rel=1e-12, nan_ok=True)
        if aggregation_of([key], metric.aggregation):
            continue  # of the rows together, and no mean of theirs
        assert math.fsum(scores) / len(scores) == pytest.approx(result[key], rel=1e-12)


def restricted(result, plain):
    """Those entries of a result that another one has, too, at any depth."""
    if not isinstance(plain, dict):
        return result
    return {key: restricted(result[key], plain[key]) for key in plain}


def points_among(result):
    """The scores of a result whose interval is a point."""
    return [
        path[:-1]
        for path, low in leaves(result.get("confidence_interval", {}))
        if path[-1] == 0
        for high in [dict(leaves(result["confidence_interval"]))[*path[:-1], 1]]
        if low == high
    ]


def test_no_interval_of_equal_or_perfect_rows_is_a_point(load, spec):
    metric = load(spec.name)
    if metric.options.get("confidence_level", "") is not None:
        pytest.skip("no intervals that one may ask for")
    perfect, options = divided(metric, spec.perfect)
    if any(isinstance(value, dict) and "id" in value for value in perfect[0].values()):
        pytest.skip("rows with one id are the same row")
    if spec.no_intervals:
        pytest.skip("scores without an interval")
    asked = {"confidence_level": 0.95, "n_resamples": 500}
    options |= {name: value for name, value in asked.items() if name in metric.options}
    measures = [{}, *({"measures": value} for value in PARSED.get(f"{spec.name}.measures", ()))]
    calls = [perfect * -(-30 // len(perfect)), [divided(metric, spec.sample)[0][0]] * 30]
    widths = 0
    for rows, further in product(calls, measures):
        try:
            result = metric.compute(**columns_of(rows), **options | further)
        except ValueError:  # one cluster of points, or measures of other inputs
            continue
        assert not points_among(result), further
        widths += bool(result["confidence_interval"])
    assert widths


def test_intervals_hold_the_score(load, spec):
    metric = load(spec.name)
    if metric.options.get("confidence_level", "") is not None:
        pytest.skip("no intervals that one may ask for")
    asked = {name: value for name, value in summary(metric).items() if name != "per_example"}
    result = metric.compute(**spec.sample, **asked)
    plain, intervals = metric.compute(**spec.sample), result["confidence_interval"]
    if spec.no_intervals:
        assert intervals == {}
        pytest.skip("scores without an interval")

    assert exactly(restricted(result, plain)) == exactly(plain)
    assert intervals.keys() > spec.no_interval
    for key in spec.no_interval:
        assert all(math.isnan(end) for _, end in leaves(intervals.pop(key)))
    for key, found in intervals.items():
        least, greatest = spec.ranges[key]
        pairs = [(result[key], found)]
        if isinstance(found, dict):  # a score of each system
            pairs = [(result[key][system], ends) for system, ends in found.items()]
        elif isinstance(result[key], list):  # a score of each class or output
            pairs = list(zip(result[key], found, strict=True))
        for score, (low, high) in pairs:
            assert least <= low <= score <= high <= greatest


def test_results_are_the_same_elsewhere(load, spec, elsewhere):
    metric = load(spec.name)
    call = summary(metric) | spec.sample

    assert exactly(elsewhere(metric, **call)) == exactly(metric.compute(**call))


def test_the_seed_at_load_is_the_seed_of_compute(load, spec):
    metric = load(spec.name)
    has(metric, "seed")
    call = summary(metric) | spec.sample
    seeded = load(spec.name, seed=3)

    assert seeded.options["seed"] == 3
    assert exactly(seeded.compute(**call)) == exactly(metric.compute(**call, seed=3))


def test_groups_are_what_their_rows_alone_give(load, spec):
    metric = load(spec.name)
    has(metric, "groups")
    rows, options = divided(metric, spec.sample)
    labels = groups_of(spec)
    groups = metric.compute(**spec.sample, groups=labels)["groups"]
    if spec.shape == "probabilities":  # columns keep their labels, whichever a group has
        options["labels"] = sorted({row["references"] for row in rows})

    assert list(groups) == ["10", "9"]
    for label, found in groups.items():
        members = [row for row, own in zip(rows, labels, strict=True) if str(own) == label]
        alone = scores_alone(metric, metric.compute(**columns_of(members), **options))
        assert exactly(found) == exactly(alone | {"n": len(members)})


def test_groups_are_those_of_all_rows_added(load, spec):
    metric = load(spec.name)
    has(metric, "groups")
    inputs, options = split(metric, spec.sample)
    options["groups"] = groups_of(spec)
    expected = exactly(metric.compute(**inputs, **options))
    *before, last = rows_of(inputs)
    for row in before:
        metric.add(**one(row))

    assert exactly(metric.compute(**columns_of([last]), **options)) == expected


# Copies, and several at once


def test_a_pickle_holds_settings_and_rows(load, spec):
    metric = load(spec.name, **more(load(spec.name)))
    inputs, options = split(metric, spec.sample)
    metric.add_batch(**inputs)
    revived = pickle.loads(pickle.dumps(metric))

    assert revived.options == metric.options
    assert exactly(revived.compute(**options)) == exactly(metric.compute(**options))
    assert exactly(revived.compute(**spec.sample)) == exactly(metric.compute(**spec.sample))


@of_each_kind
def test_a_pickle_opens_in_another_process(load, spec, elsewhere):
    metric = load(spec.name, **more(load(spec.name)))
    inputs, options = split(metric, spec.sample)
    metric.add_batch(**inputs)

    assert exactly(elsewhere(metric, **options)) == exactly(metric.compute(**options))


@of_each_kind
def test_a_copy_goes_its_own_way(load, spec):
    metric = load(spec.name)
    inputs, options = split(metric, spec.sample)
    metric.add(**one(rows_of(inputs)[0]))
    other = copy.deepcopy(metric)
    rest = {name: column[1:] for name, column in inputs.items()}
    other.add_batch(**rest)

    assert len(metric) == 1
    assert len(other) == len(rows_of(inputs))
    assert dict(leaves(other.compute(**options))) == close(spec.result)
    assert len(metric) == 1
    assert dict(leaves(metric.compute(**rest, **options))) == close(spec.result)


@of_each_kind
def test_two_live_side_by_side_without_a_file(load, spec, tmp_path):
    first, second = (load(spec.name, cache_dir=str(tmp_path)) for _ in range(2))
    inputs, options = split(first, spec.sample)
    first.add(**one(rows_of(inputs)[0]))
    second.add_batch(**inputs)
    first.add_batch(**{name: column[1:] for name, column in inputs.items()})

    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert exactly(first.compute(**options)) == exactly(second.compute(**options))


@of_each_kind
def test_it_may_be_kept_in_memory(load, spec):
    metric = load(spec.name, keep_in_memory=True)
    inputs, options = split(metric, spec.sample)
    metric.add_batch(**inputs)

    assert dict(leaves(metric.compute(**options))) == close(spec.result)


# Several processes


def processes(load, name, folder):
    """A module as each of two processes has it."""
    shared = {"num_process": 2, "experiment_id": folder.name, "cache_dir": str(folder)}
    return [load(name, process_id=rank, timeout=PATIENCE, **shared) for rank in range(2)]


def together(metrics, work):
    """What each process gets from its work; threads play them, as locks keep these apart too."""
    with ThreadPoolExecutor(len(metrics)) as threads:
        return list(threads.map(work, metrics, range(len(metrics))))


@of_each_kind
def test_two_processes_score_as_one(load, spec, tmp_path):
    inputs, options = split(load(spec.name), spec.sample)
    rows = rows_of(inputs)

    def work(metric, rank):
        for row in rows[1:] if rank else rows[:1]:
            metric.add(**one(row))
        return metric.compute(**options)

    first, second = together(processes(load, spec.name, tmp_path), work)
    assert exactly(first) == exactly(load(spec.name).compute(**spec.sample))
    assert second is None


@of_each_kind
def test_two_processes_go_on_after_an_error(load, spec, tmp_path):
    inputs, options = split(load(spec.name), spec.sample)
    parts = [{name: column[:1] for name, column in inputs.items()}]
    parts += [{name: column[1:] for name, column in inputs.items()}]
    both = Barrier(2, timeout=PATIENCE)

    def work(metric, rank):
        metric.add_batch(**parts[rank])
        both.wait()  # for who waits for the lock of one that has failed
        with pytest.raises(ValueError, match="is None"):
            metric.compute(**{name: [None] for name in inputs}, **options)
        both.wait()
        return metric.compute(**parts[rank], **options)

    first, second = together(processes(load, spec.name, tmp_path), work)
    assert exactly(first) == exactly(load(spec.name).compute(**spec.sample))
    assert second is None


@of_each_kind
def test_two_processes_leave_no_rows_behind(load, spec, tmp_path):
    inputs, _ = split(load(spec.name), spec.sample)
    metrics = processes(load, spec.name, tmp_path)
    metrics[0]._compute = divide_by_zero

    def work(metric, rank):
        metric.add_batch(**inputs)
        if rank:
            return metric.compute()
        with pytest.raises(UnexpectedError, match="ZeroDivisionError"):
            metric.compute()
        return None

    together(metrics, work)
    assert not list(tmp_path.rglob("*.arrow"))


def divide_by_zero(**_):
    raise ZeroDivisionError


@of_each_kind
def test_a_failure_leaves_no_rows_behind(load, spec, monkeypatch):
    metric = load(spec.name)
    inputs, _ = split(metric, spec.perfect)
    metric.add_batch(**inputs)
    with monkeypatch.context() as patch:
        patch.setattr(metric, "_compute", divide_by_zero)
        with pytest.raises(UnexpectedError, match="ZeroDivisionError"):
            metric.compute(**inputs)

    assert len(metric) == 0
    assert dict(leaves(metric.compute(**spec.sample))) == close(spec.result)


# Many threads


def test_threads_that_compute_get_the_scores_of_their_own_rows(load, spec, hasty_threads):
    metric = load(spec.name)
    calls = [spec.sample, spec.perfect]
    expected = [exactly(metric.compute(**call)) for call in calls]

    def work(thread):
        return [exactly(metric.compute(**calls[(thread + call) % 2])) for call in range(4)]

    for thread, results in enumerate(at_once(work)):
        assert results == [expected[(thread + call) % 2] for call in range(4)]


@of_each_kind
def test_threads_that_add_lose_no_rows(load, spec, hasty_threads):
    metric = load(spec.name)
    inputs, _ = split(metric, spec.sample)
    rows = rows_of(inputs)

    def work(thread):
        for row in rows:
            metric.add(**one(row))
            metric.add_batch(**inputs)

    at_once(work)

    assert len(metric) == THREADS * (len(rows) + len(rows) ** 2)


@of_each_kind
def test_threads_that_add_and_compute_count_each_row_once(load, spec, hasty_threads):
    metric, rows = load(spec.name), []
    inputs, _ = split(metric, spec.sample)
    count = len(next(iter(inputs.values())))

    def counted(**call):
        rows.append(len(call[next(iter(inputs))]))
        return {}

    metric._compute = counted

    def work(thread):
        for _ in range(4):
            metric.add_batch(**inputs)
            metric.compute(**inputs)

    at_once(work)

    assert (sum(rows), len(metric)) == (THREADS * 4 * 2 * count, 0)


# Beside other modules


@of_each_kind
def test_it_combines_with_one_of_other_settings(load, spec):
    parts = {"one": load(spec.name), "other": load(spec.name, **more(load(spec.name)))}
    inputs, options = split(parts["one"], spec.sample)
    combined = evaluate.combine(parts, force_prefix=True)
    expected = exactly(
        {
            f"{part}_{key}": value
            for part, metric in parts.items()
            for key, value in metric.compute(**spec.sample).items()
        }
    )

    assert exactly(combined.compute(**spec.sample)) == expected
    for row in rows_of(inputs):
        combined.add(**one(row))
    assert exactly(combined.compute(**options)) == expected
    combined.add_batch(**inputs)
    assert exactly(combined.compute(**options)) == expected


def test_modules_of_the_same_inputs_combine(load):
    families = {}
    for name in METRICS:
        metric = load(name)
        if not metric.json_inputs:  # texts of a form of their own
            families.setdefault(str(metric.features), []).append(name)
    for names in families.values():
        plain = [load(name) for name in names]
        inputs, _ = split(plain[0], spec_of(names[0]).sample)
        asked = min(map(summary, plain), key=len)  # what all of them have
        settled = [load(name, **asked) for name in names]
        results = {metric.name: metric.compute(**inputs) for metric in settled}
        times = Counter(key for result in results.values() for key in result)
        expected = exactly(
            {
                f"{name}_{key}" if times[key] > 1 else key: value
                for name, result in results.items()
                for key, value in result.items()
            }
        )

        assert exactly(evaluate.combine(settled).compute(**inputs)) == expected
        assert exactly(evaluate.combine(plain).compute(**inputs, **asked)) == expected


# As a script and a page of help


def test_it_loads_from_any_folder(load, spec, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert dict(leaves(load(spec.name).compute(**spec.sample))) == close(spec.result)


def test_its_examples_run(load, spec, monkeypatch):
    script = sys.modules[type(load(spec.name)).__module__]

    def from_the_root(path, **settings):
        assert path == f"./metrics/{spec.name}"
        return load(spec.name, **settings)

    monkeypatch.setattr(evaluate, "load", from_the_root)
    outcome = doctest.testmod(script)

    assert outcome.attempted > 1
    assert outcome.failed == 0


def test_its_help_names_every_input_and_option(load, spec):
    metric = load(spec.name)

    assert metric.inputs_description
    for method in (metric.compute, metric.add, metric.add_batch):
        assert method.__doc__.endswith(metric.inputs_description)
    for name in metric._feature_names():
        assert re.search(rf"\b{name}\b", metric.inputs_description), name
    for option in metric.declared_options.values():
        assert option.help, option.name
        assert option.accepts in " ".join(metric.inputs_description.split()), option.name
