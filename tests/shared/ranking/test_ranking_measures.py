"""The measures of many queries at once, beside their definitions."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metric_commons.ranking.names import parse_measures
from metric_commons.ranking.order import rankings
from metric_commons.ranking.ranking_measures import average, scores
from tests.rankings import MEASURES, any_ids, mean, measure_options, query, ranked, ranking_options
from tests.rankings import score as defined

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
        assert average(measure)(values[measure.name]) == mean(measure.name, expected)


@settings(max_examples=150)
@given(st.lists(query(any_ids), min_size=1, max_size=5), ranking_options, measure_options)
def test_documents_with_scores(queries, reading, scoring):
    retrieved, judged = zip(*queries, strict=True)
    ranking = rankings(
        [{"doc_id": [*row], "score": [*row.values()]} for row in retrieved],
        [{"doc_id": [*row], "relevance": [*row.values()]} for row in judged],
        **reading,
    )
    check(ranking, retrieved, judged, reading, scoring)


@settings(max_examples=100)
@given(st.lists(query(any_ids), min_size=1, max_size=5), ranking_options, measure_options)
@example([({"é": 0.0}, {})], {"score_dtype": "float64"}, {})
def test_documents_best_first(queries, reading, scoring):
    predictions, references = ([[*row] for row in side] for side in zip(*queries, strict=True))
    retrieved = [{text: -rank for rank, text in enumerate(ids)} for ids in predictions]
    judged = [dict.fromkeys(ids, 1.0) for ids in references]
    check(rankings(predictions, references, **reading), retrieved, judged, reading, scoring)


@settings(max_examples=100)
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
    [
        ("relevance_level", -1),
        ("relevance_level", float("nan")),
        ("relevance_level", float("inf")),
        ("relevance_level", True),
        ("relevance_level", "1"),
        ("map_denominator", "hits"),
    ],
)
def test_a_measure_option_that_makes_no_sense_is_refused(option, value):
    with pytest.raises(ValueError, match=option):
        scores(rankings([["a"]], [["a"]]), PARSED, **{option: value})


def test_grades_above_the_maximum_are_refused():
    ranking = rankings([[1.0]], [[5.0]])
    with pytest.raises(ValueError, match="knows grades up to 4, but there is relevance 5"):
        scores(ranking, parse_measures("err@20"))
    assert scores(ranking, parse_measures("err(max_grade=5)@20"))
    assert scores(rankings([[1.0]], [[0.0]]), parse_measures("err(max_grade=0.5)@20"))
    largest = scores(rankings([[1.0]], [[1000.0]]), parse_measures("ndcg_exp"))
    assert largest["ndcg_exp"].tolist() == [1.0]
    with pytest.raises(ValueError, match="relevance 1001 is too great for an exponential gain"):
        scores(rankings([[1.0]], [[1001.0]]), parse_measures("ndcg_exp"))
