import re

import pytest

from metric_commons.ranking.names import _NAMES, NO_CUTOFF, Measure, parse_measures
from metric_commons.ranking.ranking_measures import _Scoring
from tests.rankings import MEASURES


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ndcg", ("ndcg", NO_CUTOFF, 0.0)),
        ("nDCG@10", ("ndcg", 10, 0.0)),
        (" MAP@1000 ", ("map", 1000, 0.0)),
        ("P@5", ("precision", 5, 0.0)),
        ("Success@1", ("hit_rate", 1, 0.0)),
        ("rbp", ("rbp", NO_CUTOFF, 0.8)),
        ("RBP(p=0.95)@20", ("rbp", 20, 0.95)),
        ("err@20", ("err", 20, 4.0)),
        ("ERR(max_grade=3)", ("err", NO_CUTOFF, 3.0)),
        ("err(max_grade=0.5)", ("err", NO_CUTOFF, 0.5)),
        ("err(max_grade=1000)", ("err", NO_CUTOFF, 1000.0)),
        ("num_rel_ret", ("num_rel_ret", NO_CUTOFF, 0.0)),
    ],
)
def test_a_name_means_a_measure(name, expected):
    assert parse_measures([name]) == (Measure(name, *expected),)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "measures is empty"),
        (["map", "map"], "measures holds 'map' more than once"),
        (None, "measures must be names such as 'ndcg@10', got None"),
        ([10], "measures must be names"),
        ("ndgc@10", "there is no measure 'ndgc@10'; did you mean 'ndcg'?"),
        ("xyzzy", "there is no measure 'xyzzy'; there are ndcg, "),
        ("ndcg@0", "cannot read the measure 'ndcg@0'"),
        ("ndcg@-1", "cannot read the measure"),
        ("ndcg@1.5", "cannot read the measure"),
        ("ndcg@٣", "cannot read the measure"),
        ("ndcg@10@5", "cannot read the measure"),
        ("ndcg.10", "cannot read the measure"),
        ("", "cannot read the measure ''"),
        ("rprec@5", "'rprec@5' has a cutoff, but rprec looks at the whole ranking"),
        ("P", "'P' needs a cutoff, such as 'p@10'"),
        ("judged", "'judged' needs a cutoff, such as 'judged@10'"),
        ("map(p=0.5)", "'map(p=0.5)' has the parameter 'p', but map has no parameter"),
        ("rbp(q=0.5)", "'rbp(q=0.5)' has the parameter 'q', but rbp has only 'p'"),
        ("rbp(p=1.0)", "'rbp(p=1.0)': p must lie strictly between 0 and 1, got 1.0"),
        ("rbp(p=0)", "p must lie strictly between 0 and 1, got 0"),
        ("rbp(p=.)", "'rbp(p=.)': p must be a number, got '.'"),
        ("err(max_grade=0)", "max_grade must be above 0 and at most 1000, got "),
        ("err(max_grade=1001)", "max_grade must be above 0 and at most 1000, got "),
    ],
)
def test_a_name_that_means_nothing_is_refused(names, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        parse_measures(names)


def test_every_measure_is_computed_and_tested():
    tested = {measure.kind for measure in parse_measures(MEASURES)}
    computed = {name.removeprefix("_") for name in vars(_Scoring)}

    assert tested <= computed
    assert {
        parse_measures(name + "@3")[0].kind if name in ("p", "success") else name for name in _NAMES
    } == tested
