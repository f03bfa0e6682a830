import re

import pytest

from metric_commons.retrieval.names import (
    _ALIASES,
    NAMES,
    NO_CUTOFF,
    RankingMeasure,
    parse_measures,
)
from metric_commons.retrieval.ranking_measures import _Scoring
from tests.rankings import MEASURES
from tests.tables import tabled


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ndcg", ("ndcg", NO_CUTOFF, 0.0)),
        ("nDCG@10", ("ndcg", 10, 0.0)),
        (" MAP@1000 ", ("map", 1000, 0.0)),
        ("P@5", ("precision", 5, 0.0)),
        ("Success@1", ("hit_rate", 1, 0.0)),
        ("RBP(p=0.95)@20", ("rbp", 20, 0.95)),
        ("err@20", ("err", 20, 4.0)),
        ("ERR(max_grade=3)", ("err", NO_CUTOFF, 3.0)),
        ("err(max_grade=0.5)", ("err", NO_CUTOFF, 0.5)),
        ("err(max_grade=1000)", ("err", NO_CUTOFF, 1000.0)),
        ("ndcg_cut_10", ("ndcg", 10, 0.0)),
        ("recip_rank", ("mrr", NO_CUTOFF, 0.0)),
        ("relative_P_20", ("relative_p", 20, 0.0)),
        ("iprec_at_recall_0.25", ("iprec_at_recall", NO_CUTOFF, 0.25)),
        ("IPrec(rel=2)@.1", ("iprec", NO_CUTOFF, 0.1, 2.0)),
        ("Rprec_mult_1.20", ("rprec_mult", NO_CUTOFF, 1.2)),
        ("11pt_avg", ("11pt_avg", NO_CUTOFF, 0.0)),
        ("set_F", ("set_f", NO_CUTOFF, 1.0)),
        ("nDCG(dcg='exp-log2')@10", ("ndcg_exp", 10, 0.0)),
        ("AP(rel=2)@100", ("map", 100, 0.0, 2.0)),
        ("NumRet(rel=1)", ("num_rel_ret", NO_CUTOFF, 0.0, 1.0)),
        ("num_rel_ret", ("num_rel_ret", NO_CUTOFF, 0.0)),
    ],
)
def test_a_name_means_a_measure(name, expected):
    assert parse_measures([name]) == (RankingMeasure(name, *expected),)


@pytest.mark.parametrize(
    ("name", "expected"),
    tabled(__file__, "names_of_the_command_line_of_trec_eval_are_written_out"),
)
def test_names_of_the_command_line_of_trec_eval_are_written_out(name, expected):
    assert [measure.name for measure in parse_measures(name)] == expected


def test_a_measure_that_a_name_of_several_repeats_counts_once():
    names = [measure.name for measure in parse_measures(["map", "P.5,10", "official", "P_5"])]
    assert names[:3] == ["map", "P_5", "P_10"]
    assert len(names) == len({*names}) == len(parse_measures("official"))


@pytest.mark.parametrize(
    ("names", "message"),
    tabled(__file__, "a_name_that_means_nothing_is_refused"),
)
def test_a_name_that_means_nothing_is_refused(names, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_measures(names)


@pytest.mark.parametrize(
    ("name", "fields"),
    tabled(__file__, "a_name_has_parameters"),
)
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
