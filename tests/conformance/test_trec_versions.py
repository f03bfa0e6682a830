"""The smallest inputs on which trec_eval 9 and 10, pytrec_eval and ir_measures disagree.

Values of trec_eval were printed by its C programs (9.0.8 and 10.0-rc3) with all digits.
"""

import math

import pytest
import pytrec_eval

from metric_commons.retrieval.runs import score_run
from tests.spec import ROOT

CARD = (ROOT / "metrics" / "ir_ranking" / "README.md").read_text("utf-8")
VERSION_9, VERSION_10 = {"score_dtype": "float32"}, {"score_dtype": "float64"}
WITHOUT_QUERY_2 = {"1": {"a": 1}, "2": {"c": 1}}, {"1": {"x": 3.0, "a": 2.0}}
NOTHING_JUDGED = {"1": {"a": 1}, "2": {"c": 1}}, {"1": {"x": 1.0}, "2": {"c": 1.0}}
TWELVE_RELEVANT = {"1": {f"d{n}": 1 for n in range(12)}}, {"1": {"d0": 3.0, "x": 2.0, "d1": 1.0}}


def values(name, data, **options):
    """One measure of each query and of all."""
    result = score_run(*data, [name], **options)
    by_query = {query: scores[name] for query, scores in result["per_query"].items()}
    return [*by_query.values(), result["mean"][name]]


def test_yaap_of_an_empty_ranking():
    odds = -0.69314718055994529

    assert values("yaap", WITHOUT_QUERY_2, **VERSION_10) == [0.0, odds, odds / 2]
    assert values("yaap", WITHOUT_QUERY_2, **VERSION_9) == [0.0, 0.0, 0.0]
    for version in (VERSION_9, VERSION_10):
        scores = values("yaap", NOTHING_JUDGED, judged_only=True, **version)
        assert scores == [odds, -odds, 0.0]


def test_utility_of_a_missing_query_is_that_of_no_document():
    """Version 10 counts a document that does not exist, unless no weights are named."""
    of_trec_eval_10 = {"utility": 0.0, "utility_1,-1,0,0": -1.0, "utility_1,-1,0.5,0": -0.5}
    here = {name: values(name, WITHOUT_QUERY_2)[1] for name in of_trec_eval_10}
    of_9 = {name: values(name, WITHOUT_QUERY_2, **VERSION_9)[1] for name in of_trec_eval_10}

    assert here == {"utility": 0.0, "utility_1,-1,0,0": 0.0, "utility_1,-1,0.5,0": 0.5}
    assert of_9 == dict.fromkeys(of_trec_eval_10, 0.0)
    assert "`utility` with weights and the `rbp_resid` with a parameter" in CARD


def test_recall_is_rounded_as_in_the_program_whose_name_a_measure_has():
    of_pytrec_eval = pytrec_eval.RelevanceEvaluator(
        TWELVE_RELEVANT[0], {"iprec_at_recall"}
    ).evaluate(TWELVE_RELEVANT[1])["1"]["iprec_at_recall_0.10"]

    assert of_pytrec_eval == 0.66666666666666663  # so has trec_eval 9
    assert values("iprec_at_recall_0.10", TWELVE_RELEVANT, **VERSION_10)[1] == 1.0
    assert values("iprec_at_recall_0.10", TWELVE_RELEVANT, **VERSION_9)[1] == of_pytrec_eval
    for version in (VERSION_9, VERSION_10):  # ir_measures asks pytrec_eval
        assert values("IPrec@0.1", TWELVE_RELEVANT, **version)[1] == of_pytrec_eval


@pytest.mark.parametrize("name", ["iprec_at_recall_0.00", "11pt_avg"])
def test_nothing_out_of_nothing_is_0(name):
    qrels, run = NOTHING_JUDGED
    peer = pytrec_eval.RelevanceEvaluator(
        qrels, {"iprec_at_recall", "11pt_avg"}, judged_docs_only_flag=True
    ).evaluate(run)["1"][name]

    assert math.isnan(peer)
    assert values(name, NOTHING_JUDGED, judged_only=True) == [0.0, 1.0, 0.5]
    assert "trec_eval divides 0 by 0" in CARD


def test_rndcg_of_gains_of_0_is_0():
    """Where level 0 is relevant trec_eval divides 0 by 0 here too, and prints -nan."""
    data = {"1": {"a": 0}}, {"1": {"a": 1.0}}

    assert values("Rndcg", data, relevance_level=0) == [0.0, 0.0]


def test_rbp_is_that_of_trec_eval_but_for_the_last_digits():
    run = {f"x{n}": 20.0 - n for n in range(10)} | {"a": 0.0}
    (_, here) = values("rbp(p=0.9)", ({"1": {"a": 1}}, {"1": run}))

    assert here == (1 - 0.9) * 0.9**10
    assert here == pytest.approx(0.03486784401000001, rel=1e-12)
    assert "except for the last digits: it multiplies by p at every rank" in CARD


def test_all_measures_of_either_version():
    versions = {
        name: list(score_run({"1": {"a": 1}}, {"1": {"a": 1.0}}, name)["mean"])
        for name in ("all_trec", "all_trec_9", "all_trec_10")
    }
    added = ["rbp(p=0.9)", "rbp_resid(p=0.9)", "unj_5", "unj_10", "unj_20"]

    assert versions["all_trec"] == versions["all_trec_9"]
    assert versions["all_trec_10"] == [*versions["all_trec_9"], *added]
