"""Whichever module is loaded, bad input is a ValueError of one line, and no row of it stays."""

import datetime
import decimal
import math
import re
from itertools import cycle, islice

import numpy as np
import pytest

from tests.contract.test_behaviour import (
    close,
    columns_of,
    divided,
    has,
    held,
    leaves,
    one,
    rows_of,
    split,
)


def refused(message, call, **arguments):
    """Check that a call raises a ValueError of one line that begins with a message."""
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - matched below, from the beginning
        call(**arguments)
    assert re.match(message, str(caught.value)), str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def sound(metric, spec):
    """Check that a module holds no rows, and scores as ever."""
    assert len(metric) == 0
    assert dict(leaves(metric.compute(**spec.sample))) == close(spec.result)


def refused_both_ways(metric, spec, message, inputs):
    """Check that columns are refused, by `compute` and `add_batch`, and that no row stays."""
    refused(message, metric.compute, **inputs, **split(metric, spec.sample)[1])
    refused(message, metric.add_batch, **inputs)
    assert len(metric) == 0


def with_row(inputs, name, row, value):
    """The columns with another value in one row."""
    column = list(inputs[name])
    column[row] = value
    return inputs | {name: column}


def with_leaf(value, kind, new):
    """A value, in copies of which each leaf of a kind, in turn, is a new one."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            for other in with_leaf(inner, kind, new):
                copied = value.copy()
                copied[key] = other
                yield copied
    elif isinstance(value, kind):
        yield new


def suffice(metric, columns):
    """Whether the module takes these columns without the others."""
    names = [features.keys() for features in metric.feature_sets]
    try:
        return columns.keys() in names and bool(metric.checked(**columns))
    except ValueError:
        return False


def spoilt(inputs, kind, new):
    """Name, row and all columns, for each leaf of a kind in them that is made a new one."""
    for name, column in inputs.items():
        for row, value in enumerate(column):
            for other in with_leaf(value, kind, new):
                yield name, row, with_row(inputs, name, row, other)


# Rows that are not there


def test_no_rows_at_all_are_refused(load, spec):
    metric = load(spec.name)
    inputs, options = split(metric, spec.sample)
    empty = {name: [] for name in inputs}
    message = f"{next(iter(inputs))} is empty"

    refused(message, metric.compute, **options)
    refused(message, metric.compute, **empty, **options)
    metric.add_batch(**empty)
    refused(message, metric.compute, **options)
    sound(metric, spec)


def test_a_missing_input_is_named(load, spec):
    metric = load(spec.name)
    inputs, options = split(metric, spec.sample)
    for name in inputs:
        rest = {other: column for other, column in inputs.items() if other != name}
        if rest and name not in metric.required_inputs and suffice(metric, rest):
            continue
        message = f"{name} is missing"

        refused(message, metric.add_batch, **rest)
        refused(rf"{name}\[0\] is None", metric.add, **one({key: rest[key][0] for key in rest}))
        if rest:  # without any input, `compute` scores the rows that were added
            refused(message, metric.compute, **rest, **options)
    sound(metric, spec)


def test_inputs_of_unequal_length_are_refused(load, spec):
    metric = load(spec.name)
    inputs, _ = split(metric, spec.sample)
    if len(inputs) == 1:
        pytest.skip("one input")
    rows = len(rows_of(inputs))
    for name in inputs:
        shorter = inputs | {name: inputs[name][:-1]}
        listed = ", ".join(f"{name} has {len(column)} rows" for name, column in shorter.items())
        refused_both_ways(metric, spec, f"the inputs differ in length: {listed}$", shorter)

        none = inputs | {name: []}
        refused_both_ways(metric, spec, f"the inputs differ in length.*\\b{rows} rows", none)
    sound(metric, spec)


def test_what_is_no_column_is_refused(load, spec):
    metric = load(spec.name)
    inputs, _ = split(metric, spec.sample)
    for name in inputs:
        for value in ("text", b"bytes", 3, {"a": 1}, {1, 2}, np.array(1)):
            message = f"{name} must hold one value per row, got {type(value).__name__}"
            refused_both_ways(metric, spec, message, inputs | {name: value})
    sound(metric, spec)


def test_what_is_no_input_is_refused(load, spec):
    metric = load(spec.name)
    inputs, _ = split(metric, spec.sample)
    (row, *_) = rows_of(inputs)

    refused("answers is not an input", metric.add_batch, **inputs, answers=[""])
    refused("answer is not an input", metric.add, **one(row), answer="")
    sound(metric, spec)


# Rows that are not what they may be


def test_none_is_refused_wherever_it_stands(load, spec):
    metric = load(spec.name)
    inputs, _ = split(metric, spec.sample)
    for name in inputs:
        columns = with_row(inputs, name, 1, None)
        refused_both_ways(metric, spec, rf"{name}\[1\] is None", columns)
    for name, row, columns in spoilt(inputs, object, None):
        if metric.holes_allowed and isinstance(inputs[name][row], list):
            continue  # None is a rating that is missing there, as the module's own tests show
        refused_both_ways(metric, spec, rf"{name}\[{row}\](\[.+\])* is None", columns)
    sound(metric, spec)


def test_half_of_a_surrogate_pair_is_refused_wherever_it_stands(load, spec):
    metric = load(spec.name)
    inputs, _ = split(metric, spec.sample)
    cases = list(spoilt(inputs, str, "a\ud800"))
    if not cases:
        pytest.skip("no text among its inputs")
    for name, row, columns in cases:
        refused_both_ways(metric, spec, rf"{name}\[{row}\](\[.+\])* holds half of a surr", columns)
    sound(metric, spec)


def test_nan_is_refused_wherever_it_stands(load, spec):
    metric = load(spec.name)
    inputs, _ = split(metric, spec.sample)
    cases = list(spoilt(inputs, float, math.nan))
    if not cases or metric.nan_allowed:
        pytest.skip("no floats among its inputs, or NaN is one of them")
    for name, row, columns in cases:
        refused_both_ways(metric, spec, rf"{name}\[{row}\](\[.+\])* is NaN;", columns)
        arrays = columns | {name: held(np.array, columns[name])}
        refused_both_ways(metric, spec, rf"{name}\[{row}\](\[.+\])* is NaN;", arrays)
    sound(metric, spec)


def refused_in_row(row, load, spec):
    metric = load(spec.name)
    inputs, options = split(metric, spec.sample)
    many = {name: list(islice(cycle(column), row + 1)) for name, column in inputs.items()}

    assert spec.wrong.keys() == inputs.keys()
    for name, value in spec.wrong.items():
        columns = with_row(many, name, row, value)
        refused(rf"{name}\[{row}\]", metric.compute, **columns, **options)
        sound(metric, spec)


def test_a_wrong_type_is_refused_in_every_row(load, spec):
    refused_in_row(1_500, load, spec)


@pytest.mark.slow
def test_a_wrong_type_is_refused_in_rows_far_away(load, spec):
    refused_in_row(70_000, load, spec)


class Verse:
    def __repr__(self):
        return "one\ntwo"


def accepts_values(metric, name):
    """Whether rows of an input may be any values of JSON."""
    return name in metric.json_inputs and metric.json_inputs[name].accepted == "values"


def test_a_row_of_any_kind_is_named(load, spec):
    metric = load(spec.name)
    inputs, _ = split(metric, spec.sample)
    for name in inputs:
        for value in (Verse(), 10**5000, b"bytes", [[[[]]]]):
            if isinstance(value, list) and accepts_values(metric, name):
                continue  # JSON may be nested
            refused_both_ways(metric, spec, rf"{name}\[1\]", with_row(inputs, name, 1, value))
    sound(metric, spec)


@pytest.mark.parametrize(
    "name",
    ["bleu", "chrf", "math_equivalence", "qa_em", "qa_f1", "rouge_n_l", "substring_recall", "ter"],
)
def test_a_row_without_references_is_named(load, name):
    metric = load(name)
    rows = {"predictions": ["a", "b"], "references": [["a"], []]}

    refused(r"references\[1\] is empty; every row needs at least", metric.compute, **rows)
    assert len(metric) == 0


# What stays


def test_a_bad_batch_leaves_earlier_rows_as_they_were(load, spec):
    metric = load(spec.name)
    inputs, options = split(metric, spec.sample)
    metric.add_batch(**inputs)
    for name in inputs:
        columns = with_row(inputs, name, -1, None)
        refused(rf"{name}\[\d+\] is None", metric.add_batch, **columns)
        rest = {other: column[-1:] for other, column in inputs.items() if other != name}
        if rest and name not in metric.required_inputs and suffice(metric, rest):
            continue  # for `add`, None is an input that is absent
        refused(rf"{name}\[0\] is None", metric.add, **one(rows_of(columns)[-1]))

    assert dict(leaves(metric.compute(**options))) == close(spec.result)


def test_a_bad_call_of_compute_takes_earlier_rows_with_it(load, spec):
    metric = load(spec.name)
    inputs, options = split(metric, spec.sample)
    perfect, _ = split(metric, spec.perfect)
    for name in inputs:
        metric.add_batch(**perfect)
        columns = with_row(inputs, name, 0, None)
        refused(rf"{name}\[0\] is None", metric.compute, **columns, **options)
        sound(metric, spec)


def test_an_unknown_option_takes_earlier_rows_with_it(load, spec):
    metric = load(spec.name)
    metric.add_batch(**split(metric, spec.perfect)[0])

    with pytest.raises(TypeError, match="no_such_option"):
        metric.compute(no_such_option=1)
    sound(metric, spec)


# Options that every module has in the same way

WRONG = {
    "per_example": [1, "yes", None],
    "confidence_level": [0, 1, 95, "0.95", math.nan],
    "n_resamples": [0, 1.5, "10"],
    "seed": [-1, 0.5, "0"],
    "groups": [["a"], "ab", 3],
}


def test_a_bad_option_is_named(load, spec):
    metric = load(spec.name)
    inputs, options = split(metric, spec.sample)
    on = {"confidence_level": 0.9} if "confidence_level" in metric.options else {}
    for option in WRONG.keys() & metric.options.keys():
        for value in WRONG[option]:
            metric.add_batch(**inputs)
            refused(option, metric.compute, **options | on | {option: value})
            assert len(metric) == 0
    sound(metric, spec)


def test_a_row_without_a_label_is_refused(load, spec):
    metric = load(spec.name)
    has(metric, "groups")
    inputs, options = split(metric, spec.sample)
    for missing in (None, math.nan):
        labels = ["a" for _ in rows_of(inputs)]
        labels[1] = missing
        metric.add_batch(**inputs)
        refused(rf"groups\[1\] is {missing}", metric.compute, **options, groups=labels)
        sound(metric, spec)


def test_labels_that_would_become_one_are_refused(load, spec):
    metric = load(spec.name)
    has(metric, "groups")
    rows, options = divided(metric, spec.sample)
    two = columns_of(rows[:2]) | options | {"groups": [1, "1"]}

    refused(r"groups\[1\] is '1', but an earlier row has 1", metric.compute, **two)


IN_ITSELF = []
IN_ITSELF.append(IN_ITSELF)

ODD = {
    "nested": [[1, 2], [3, 4]],
    "ragged": [[1], [2, 3]],
    "objects": np.array([1, "a"], object),
    "ragged objects": np.array([[1], [2, 3]], object),
    "dates": np.array(["2024-01-01", "2024-01-02"], "M8[D]"),
    "durations": np.array([1, 2], "m8[s]"),
    "days": [datetime.date(2024, 1, 1)] * 2,
    "complex": [1j, 2],
    "complex array": np.array([1j, 2]),
    "set": {1, 2},
    "sets": [{1}, {2}],
    "bytes": b"ab",
    "rows of bytes": [b"a", b"b"],
    "array of bytes": np.array([b"a", b"b"]),
    "text": "ab",
    "texts": ["1", "x"],
    "records": np.array([(1, 2.0)] * 2, [("a", int), ("b", float)]),
    "no dimension": np.array(3.0),
    "no object": np.array(None, object),
    "three dimensions": np.zeros((2, 2, 2)),
    "generator": iter([1, 2]),
    "huge integers": [10**400, -(10**30)],
    "decimals": [decimal.Decimal(1)] * 2,
    "arrays": [np.array([1, 2]), np.zeros((2, 2))],
    "masked": np.ma.MaskedArray([1, 0], [False, True]),
    "masked rows": np.ma.MaskedArray([[1, 2], [1, 2]], [[False, True]] * 2),
    "masked inside": [np.ma.MaskedArray([1, 2], [False, True])] * 2,
    "masked values": [np.ma.masked, 1],
    "dictionary": {0: 1, 1: 2},
    "dictionaries": [{"a": 1}] * 2,
    "nothing": [],
    "number": 3,
    "function": len,
    "in itself": [IN_ITSELF] * 2,
    "half of a letter": ["\ud800"] * 2,
}


def tried(kind, call, name, **columns):
    """Check that a call with an odd column returns, or raises an error about this column."""
    try:
        call(**columns)
    except ValueError as error:
        said = str(error)
        assert not re.search("ambiguous|inhomogeneous|maximum number of dim", said), said
        is_about = name in said or "the inputs" in said or "labels" in said
        assert "mask" not in kind or is_about, said
    else:
        assert "mask" not in kind, f"{name} is taken"


@pytest.mark.long
def test_an_odd_column_is_taken_or_is_a_value_error_about_it(load, spec):
    metric = load(spec.name)
    inputs, options = split(metric, spec.sample)
    if not all(isinstance(column, list) for column in inputs.values()):
        pytest.skip("its inputs are no lists")
    pair = {name: column[:2] for name, column in inputs.items()}
    labels = [name for name in ("sample_weight", "clusters", "groups") if name in metric.options]
    for kind, odd in ODD.items():
        for name in [*inputs, *([] if kind == "masked rows" else labels)]:
            column = iter([1, 2]) if kind == "generator" else odd
            tried(kind, metric.compute, name, **pair | options | {name: column})
