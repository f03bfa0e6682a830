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
from tests.rankings import COMPATIBILITIES, MEASURES, READER_MODELS


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
    [
        ("ndcg_cut.10", ["ndcg_cut_10"]),
        ("P.5,10", ["P_5", "P_10"]),
        ("iprec_at_recall.0.1,0.2", ["iprec_at_recall_0.1", "iprec_at_recall_0.2"]),
        ("recall.100", ["recall_100"]),
        ("utility.2,-1,0,0", ["utility_2,-1,0,0"]),
        ("ndcg.1=3,2=9", ["ndcg_1=3,2=9"]),
        ("set_F.0.5", ["set_F(beta=0.5)"]),
        ("rbp.p=0.8", ["rbp(p=0.8)"]),
        ("map_cut", [f"map_cut_{n}" for n in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]),
    ],
)
def test_names_of_the_command_line_of_trec_eval_are_written_out(name, expected):
    assert [measure.name for measure in parse_measures(name)] == expected


def test_a_measure_that_a_name_of_several_repeats_counts_once():
    names = [measure.name for measure in parse_measures(["map", "P.5,10", "official", "P_5"])]
    assert names[:3] == ["map", "P_5", "P_10"]
    assert len(names) == len({*names}) == len(parse_measures("official"))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "measures is empty"),
        (["map", "map"], "measures holds 'map' more than once"),
        (None, "measures must be names such as 'ndcg@10', got None"),
        ([10], "measures must be names"),
        ("ndgc@10", "unknown measure 'ndgc@10'; did you mean 'ndcg'?"),
        ("xyzzy", "unknown measure 'xyzzy'; the measures are ndcg, "),
        ("ndcg@0", "cannot read the measure 'ndcg@0'"),
        ("ndcg@-1", "cannot read the measure"),
        ("ndcg@1.5", "cannot read the measure"),
        ("ndcg@٣", "cannot read the measure"),
        ("ndcg@10@5", "cannot read the measure"),
        ("ndcg.10", "unknown measure 'ndcg_10'; did you mean 'ndcg@10'?"),
        ("P.x", "unknown measure 'P_x'"),
        ("", "cannot read the measure ''"),
        ("rprec@5", "'rprec@5' has a cutoff, but rprec looks at the whole ranking"),
        ("f1", "'f1' needs a cutoff, such as 'f1@10'"),
        ("judged", "'judged' needs a cutoff, such as 'judged@10'"),
        ("map(p=0.5)", "'map(p=0.5)' has the parameter 'p', but map has no parameter"),
        ("rbp(q=0.5)", "'rbp(q=0.5)' has the parameter 'q', but rbp has only 'p'"),
        ("AP(rel=x)", "'AP(rel=x)': rel must be a number, got 'x'"),
        ("nDCG(dcg='exp')@5", "has the parameter 'dcg', but ndcg has no parameter"),
        ("IPrec@1.5", "'IPrec@1.5': recall is at most 1, got 1.5"),
        ("iprec_at_recall", "'iprec_at_recall' needs a number, such as 'iprec_at_recall@0.2'"),
        ("P_0", "cannot read the measure 'P_0'"),
        ("P_5@3", "unknown measure 'P_5@3'"),
        ("relstring_10", "unknown measure 'relstring_10'"),
        ("rbp", "'rbp' needs p: 'rbp(p=0.9)' as in trec_eval 10, 'rbp(p=0.8)' as in ir_measures"),
        ("RBP@10", "'RBP@10' needs p: "),
        ("rbp(p=1.0)", "'rbp(p=1.0)': p must lie strictly between 0 and 1, got 1.0"),
        ("rbp(p=0)", "p must lie strictly between 0 and 1, got 0"),
        ("inst", "'inst' needs the highest relevance, as in 'inst(max_rel=3)'"),
        ("inst(max_rel=1,min_rel=1)", "max_rel must be above min_rel"),
        ("inst(max_rel=1,T=0)", "T must be above 0"),
        ("nerr8(max_rel=2)", "'nerr8(max_rel=2)' needs a cutoff"),
        ("compat(p=1)", "p must lie strictly between 0 and 1"),
        ("compat(normalize=no)", "normalize must be a number, got 'no'"),
        ("utility_1,2", "needs four weights"),
        ("11pt_avg_.5,.2", "needs levels of recall in ascending order, from 0 to 1"),
        ("11pt_avg_.5,2", "needs levels of recall in ascending order, from 0 to 1"),
        ("ndcg_1=-3", "gains must be a number, got '-3'"),
        ("ndcg(gains={1:})", "gains must be a number, got ''"),
        ("bpref(judged_only=True)", "has the parameter 'judged_only', but bpref has no parameter"),
        ("map(ties=average)", "has the parameter 'ties', but map has no parameter"),
        ("ndcg(ties=id)", "has the parameter 'ties'"),
        ("rbp(p=.)", "'rbp(p=.)': p must be a number, got '.'"),
        ("err(max_grade=0)", "max_grade must be above 0 and at most 1000, got "),
        ("err(max_grade=1001)", "max_grade must be above 0 and at most 1000, got "),
    ],
)
def test_a_name_that_means_nothing_is_refused(names, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_measures(names)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("ndcg(ties='average')@5", {"averages_ties": True, "cutoff": 5}),
        ("AP(judged_only=True, rel=2)", {"judged_only": True, "level": 2.0}),
        ("P(judged_only=False)@5", {"judged_only": False, "cutoff": 5}),
        ("nDCG(gains={0:1, 3:7.5})@5", {"gains": ((0.0, 1.0), (3.0, 7.5)), "cutoff": 5}),
        ("ndcg_1=3,2=9", {"gains": ((1.0, 3.0), (2.0, 9.0))}),
        ("utility_2,-1,0,.5(docs=70)", {"values": (2.0, -1.0, 0.0, 0.5)}),
        ("11pt_avg_.25,.5", {"values": (0.25, 0.5)}),
        ("SetP(relative=True)", {"kind": "set_relative_p"}),
        ("SetP(relative=False)", {"kind": "set_p"}),
        ("INST(max_rel=3,T=2)", {"arguments": (("max_rel", 3.0), ("min_rel", 0.0), ("t", 2.0))}),
    ],
)
def test_a_name_has_parameters(name, fields):
    (measure,) = parse_measures(name)

    assert {field: getattr(measure, field) for field in fields} == fields


def test_every_measure_is_computed_and_tested():
    of_trec_eval = {measure.kind for measure in parse_measures("all_trec")}  # against pytrec_eval
    others = [*MEASURES, *READER_MODELS, *COMPATIBILITIES, "IPrec@0.1"]
    tested = of_trec_eval | {measure.kind for measure in parse_measures(others)}
    computed = {name.removeprefix("_") for name in dir(_Scoring)}

    assert tested <= computed
    assert {_ALIASES.get(name, name) for name in NAMES} == tested
