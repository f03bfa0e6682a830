"""The measures of many queries at once, beside their definitions."""

import math
import random
from itertools import chain, permutations, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metric_commons.retrieval.names import parse_measures
from metric_commons.retrieval.order import rankings
from metric_commons.retrieval.ranking_measures import average, scores
from metric_commons.retrieval.runs import score_run
from tests.rankings import (
    COMPATIBILITIES,
    MEASURES,
    READER_MODELS,
    READER_QRELS,
    READER_RUN,
    any_ids,
    exact_mean,
    measure_options,
    query,
    ranked,
    ranking_options,
)
from tests.rankings import score as defined
from tests.spec import drawn_examples
from tests.tables import tabled

PARSED = parse_measures(MEASURES)


def check(ranking, retrieved, judged, reading, scoring):
    """All measures of all queries, and their means, are those of the definitions."""
    values = scores(ranking, PARSED, **scoring)
    lists = [ranked(*pair, **reading) for pair in zip(retrieved, judged, strict=True)]
    for measure in PARSED:
        expected = [
            defined(measure.name, relevance, [*levels.values()], **scoring)
            for relevance, levels in zip(lists, judged, strict=True)
        ]
        assert values[measure.name].tolist() == expected, measure.name
        assert average(measure)(values[measure.name]) == exact_mean(measure.name, expected)


@pytest.mark.long
@drawn_examples(150)
@given(st.lists(query(any_ids), min_size=1, max_size=5), ranking_options, measure_options)
def test_documents_with_scores(queries, reading, scoring):
    retrieved, judged = zip(*queries, strict=True)
    ranking = rankings(
        [{"doc_id": [*row], "score": [*row.values()]} for row in retrieved],
        [{"doc_id": [*row], "relevance": [*row.values()]} for row in judged],
        **reading,
    )
    check(ranking, retrieved, judged, reading, scoring)


@pytest.mark.long
@drawn_examples(100)
@given(st.lists(query(any_ids), min_size=1, max_size=5), ranking_options, measure_options)
@example([({"é": 0.0}, {})], {"score_dtype": "float64"}, {})
def test_documents_best_first(queries, reading, scoring):
    predictions, references = ([[*row] for row in side] for side in zip(*queries, strict=True))
    retrieved = [{text: -rank for rank, text in enumerate(ids)} for ids in predictions]
    judged = [dict.fromkeys(ids, 1.0) for ids in references]
    check(rankings(predictions, references, **reading), retrieved, judged, reading, scoring)


@pytest.mark.long
@drawn_examples(100)
@given(st.lists(query(), min_size=1, max_size=5), ranking_options, measure_options)
def test_candidates_of_which_equal_ones_keep_their_order(queries, reading, scoring):
    predictions, references, retrieved, judged = [], [], [], []
    for documents, levels in queries:
        pairs = [(documents[text], levels.get(text, 0)) for text in documents]
        predictions.append([score for score, _ in pairs])
        references.append([level for _, level in pairs])
        names = [chr(0x10FFFF - row) for row in range(len(pairs))]  # the first one is greatest
        retrieved.append(dict(zip(names, predictions[-1], strict=True)))
        judged.append(dict(zip(names, references[-1], strict=True)))
    check(rankings(predictions, references, **reading), retrieved, judged, reading, scoring)


def test_a_ranking_may_be_long():
    chance = random.Random(0)
    retrieved = {f"D{number}": float(chance.randrange(50)) for number in range(5000)}
    judged = {f"D{number}": chance.randrange(-1, 4) for number in chance.sample(range(6000), 900)}
    ranking = rankings(
        [{"doc_id": [*retrieved], "score": [*retrieved.values()]}],
        [{"doc_id": [*judged], "relevance": [*judged.values()]}],
    )
    check(ranking, [retrieved], [judged], {}, {})


# What is refused


@pytest.mark.parametrize(
    ("option", "value"),
    tabled(__file__, "a_measure_option_that_makes_no_sense_is_refused"),
)
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


# Measures of ir_measures, ties, condensed lists and gains


@pytest.mark.parametrize(
    ("measure", "expected"), [*READER_MODELS.items(), *COMPATIBILITIES.items()]
)
def test_measures_with_the_values_of_a_peer(measure, expected):
    result = score_run(READER_QRELS, READER_RUN, [measure])

    found = [values[measure] for values in result["per_query"].values()]
    assert found == pytest.approx(expected, rel=1e-12)
    assert result["mean"][measure] == pytest.approx(sum(expected) / 2, rel=1e-12)
    assert (
        0 <= score_run(READER_QRELS, {"q2": {"b": 1.0}}, [measure])["per_query"]["q1"][measure] <= 0
    )


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
