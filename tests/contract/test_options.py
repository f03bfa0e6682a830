"""An option is declared once, in the signature of `_compute`; all else follows from that."""

import json
import math
from typing import Any, get_args

import pytest
from evaluate import load as load_from

from metric_commons.statistics.arguments.checks import OptionError
from metric_commons.statistics.arguments.domains import (
    PerRow,
    Range,
    choices,
    schema,
)
from metric_commons.statistics.intervals.methods import Method
from tests.generators.annotations import marker, parts
from tests.spec import METRICS, ROOT, spec

FOREIGN = object()  # of no type that an option may have


def options(name):
    return load_from(str(ROOT / "metrics" / name)).declared_options.values()


def wrong_values(annotation):
    """Values that an annotation does not allow: of a wrong type, of a wrong name, out of range."""
    yield FOREIGN
    if choices(annotation):
        yield "no such choice"
        yield choices(annotation)[0] + "x"
    kind, members = parts(annotation)
    for mark in map(marker, members if kind == "union" else [annotation]):
        if isinstance(mark, Range):
            yield from (end for end in (mark.low - 1, mark.high + 1) if math.isfinite(end))
            yield from () if mark.nan else (math.nan,)
            yield from () if mark.infinite else (math.inf,)
        if mark is not None:
            yield b"bytes"
            takes_objects = kind == "union" and "object" in map(_kind_of_values, members)
            yield from () if takes_objects else ({},)
            yield from () if isinstance(mark, PerRow) else ([],)
    if annotation is bool or kind == "literal":
        yield from ([], {}, b"bytes")
    if annotation is bool:
        yield from (0, 1, "yes")


def _kind_of_values(annotation):
    kind, members = parts(annotation)
    return parts(members[0])[0] if kind == "annotated" else kind


@pytest.mark.parametrize("name", METRICS)
def test_every_option_says_what_it_may_be_and_what_it_is_for(name):
    for option in options(name):
        assert option.annotation is not Any, option.name
        assert option.help, option.name
        assert json.dumps(option.schema), option.name
        option.check(option.default)


@pytest.mark.parametrize("name", METRICS)
def test_a_wrong_value_is_refused_before_any_row_is_scored(name):
    loaded = load_from(str(ROOT / "metrics" / name))

    for option in options(name):
        for value in wrong_values(option.annotation):
            with pytest.raises(OptionError, match=option.name) as caught:
                loaded.compute(
                    **{option.name: value}
                )  # without rows: the option is looked at first
            assert caught.value.option == option.name
    assert len(loaded) == 0


# Loading takes a while, so each annotation is tried with one module that has it.
ANNOTATIONS = {
    repr(option.annotation): (name, option) for name in METRICS for option in options(name)
}


@pytest.mark.parametrize(
    ("name", "option"),
    [pytest.param(*pair, id=f"{pair[0]}-{pair[1].name}") for pair in ANNOTATIONS.values()],
)
def test_a_wrong_value_is_refused_at_load(load, name, option):
    for value in wrong_values(option.annotation):
        with pytest.raises(OptionError, match=option.name) as caught:
            load(name, **{option.name: value})
        assert caught.value.option == option.name


@pytest.mark.parametrize("name", METRICS)
def test_the_defaults_are_those_that_compute_takes(name):
    sample = spec(name).sample
    loaded = load_from(str(ROOT / "metrics" / name))
    spelled = {option.name: option.default for option in options(name)}

    assert repr(loaded.compute(**{**spelled, **sample})) == repr(loaded.compute(**sample))


def test_an_annotation_is_a_schema():
    assert schema(bool) == {"type": "boolean"}


def test_a_request_may_name_every_method_of_intervals_of_a_module():
    methods = {
        method
        for name in METRICS
        for option in options(name)
        if option.name == "interval"
        for method in choices(option.annotation)
    }
    assert methods == {*get_args(Method)}
