import re

import pytest

from metric_commons.retrieval.names import (
    _ALIASES,
    NAMES,
    RankingMeasure,
    parse_measures,
)
from metric_commons.retrieval.ranking_measures import _Scoring
from tests.rankings import MEASURES
from tests.tables import by_table


@by_table("name, expected")
def test_a_name_means_a_measure(name, expected):
    assert parse_measures([name]) == (RankingMeasure(name, *expected),)


@by_table("name, expected")
def test_names_of_the_command_line_of_trec_eval_are_written_out(name, expected):
    assert [measure.name for measure in parse_measures(name)] == expected


def test_a_measure_that_a_name_of_several_repeats_counts_once():
    names = [measure.name for measure in parse_measures(["map", "P.5,10", "official", "P_5"])]
    assert names[:3] == ["map", "P_5", "P_10"]
    assert len(names) == len({*names}) == len(parse_measures("official"))


@by_table("names, message")
def test_a_name_that_means_nothing_is_refused(names, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_measures(names)


@by_table("name, fields")
def test_a_name_has_parameters(name, fields):
    (measure,) = parse_measures(name)

    assert {field: getattr(measure, field) for field in fields} == fields


def test_every_measure_is_computed_and_tested():
    of_trec_eval = {measure.kind for measure in parse_measures("all_trec")}  # against pytrec_eval
    others = [*MEASURES, "IPrec@0.1"]
    tested = of_trec_eval | {measure.kind for measure in parse_measures(others)}
    computed = {name.removeprefix("_") for name in dir(_Scoring)}

    assert tested <= computed
    assert {_ALIASES.get(name, name) for name in NAMES} == tested
