"""The measures of many queries at once, beside their definitions."""

import math
from itertools import chain, permutations, product

import pytest

from metric_commons.retrieval.names import parse_measures
from metric_commons.retrieval.order import rankings
from metric_commons.retrieval.ranking_measures import scores
from metric_commons.retrieval.runs import score_run
from tests.rankings import (
    MEASURES,
)
from tests.tables import by_table

PARSED = parse_measures(MEASURES)


# What is refused


@by_table("option, value")
def test_a_measure_option_that_makes_no_sense_is_refused(option, value):
    with pytest.raises(ValueError, match=option):
        scores(rankings([["a"]], [["a"]]), PARSED, **{option: value})


def test_grades_above_the_maximum_are_refused():
    ranking = rankings([[1.0]], [[5.0]])
    with pytest.raises(ValueError, match="supports grades up to 4, but there is relevance 5"):
        scores(ranking, parse_measures("err@20"))
    assert scores(ranking, parse_measures("err(max_grade=5)@20"))
    assert scores(rankings([[1.0]], [[0.0]]), parse_measures("err(max_grade=0.5)@20"))
    largest = scores(rankings([[1.0]], [[1000.0]]), parse_measures("ndcg_exp"))
    assert largest["ndcg_exp"].tolist() == [1.0]
    with pytest.raises(ValueError, match="relevance 1001 is too large for an exponential gain"):
        scores(rankings([[1.0]], [[1001.0]]), parse_measures("ndcg_exp"))


# Ties, condensed lists and gains


def averaged(ties, cutoff):
    """DCG at a cutoff of levels in ties, averaged over all orders of each tie."""
    rankings_of_ties = [list(permutations(tie)) for tie in ties]
    orders = [list(chain.from_iterable(order)) for order in product(*rankings_of_ties)]
    values = [
        sum(level / math.log2(rank + 1) for rank, level in enumerate(order[:cutoff], 1))
        for order in orders
    ]
    return math.fsum(values) / len(values)


@pytest.mark.parametrize("cutoff", [1, 2, 4, 9])
@pytest.mark.parametrize(
    ("options", "ties"),
    [
        ({}, [[3, 0], [1, 0, 2], [1]]),  # c has no judgment
        ({"judged_only": True}, [[3], [1, 0, 2], [1]]),
        ({"max_depth": 4}, [[3, 0], [2, 0]]),  # of the second tie b is left out, the last by id
    ],
)
def test_ties_are_averaged(options, ties, cutoff):
    run = {"a": 2.0, "c": 2.0, "b": 1.0, "e": 1.0, "f": 1.0, "g": 0.5}
    levels = {"a": 3, "b": 1, "e": 0, "f": 2, "g": 1, "z": 5}
    measure = f"dcg(ties=average)@{cutoff}"

    found = score_run({"q": levels}, {"q": run}, [measure], **options)["mean"][measure]
    assert found == pytest.approx(averaged(ties, cutoff), rel=1e-12)


def test_measures_may_look_at_condensed_lists_beside_others():
    qrels, run = {"q": {"a": 1, "b": 0, "c": 2}}, {"q": {"x": 4.0, "b": 3.0, "y": 2.0, "c": 1.0}}
    names = ["mrr", "mrr(judged_only=True)", "dcg(judged_only=True, ties=average)", "judged@2"]

    assert score_run(qrels, run, names)["mean"] == {
        "mrr": 1 / 4,
        "mrr(judged_only=True)": 1 / 2,
        "dcg(judged_only=True, ties=average)": 2 / math.log2(3),
        "judged@2": 0.5,
    }
    condensed = score_run(qrels, run, ["mrr", "ndcg"], judged_only=True)["mean"]
    names = ["mrr(judged_only=True)", "ndcg(judged_only=True)"]
    assert list(score_run(qrels, run, names)["mean"].values()) == list(condensed.values())


def test_parameters_of_trec_eval():
    qrels, run = {"q": {"a": 1, "b": 0, "c": 2}}, {"q": {"x": 3.0, "c": 2.0, "a": 1.0}}
    names = ["utility_2,-1,.5,.25(docs=10)", "ndcg_1=3,2=9", "11pt_avg_.5,1", "utility(docs=10)"]

    assert list(score_run(qrels, run, names)["mean"].values()) == [
        2 * 2 - 1 + 0.25 * (10 + 2 - 3 - 2),
        (9 / math.log2(3) + 3 / math.log2(4)) / (9 / math.log2(2) + 3 / math.log2(3)),
        (2 / 3 + 2 / 3) / 2,
        1.0,
    ]
