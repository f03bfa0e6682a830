import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metric_commons.numbers.identifiers import Ids, encoded
from metric_commons.ranking.names import parse_measures
from metric_commons.ranking.order import descending, grouped, rankings
from metric_commons.ranking.ranking_measures import average, scores
from tests.rankings import MEASURES, any_ids, mean, query, ranked, readings, score, scorings

ASKED = parse_measures(MEASURES)


@pytest.mark.parametrize("rows", [1, 5, 16, 17, 60, 500])
def test_ids_come_in_descending_order_of_their_bytes(rows):
    chance = random.Random(rows)
    ids = list({"".join(chance.choices("ab-19é", k=chance.randrange(1, 25))) for _ in range(rows)})
    ids = [chance.choice(["", "FR940812-"]) + each for each in ids]
    groups = sorted(chance.randrange(3) for _ in ids)

    order = descending(np.array(groups), Ids.of(ids)).tolist()

    by_bytes = sorted(range(len(ids)), key=lambda row: ids[row].encode(), reverse=True)
    assert order == sorted(by_bytes, key=groups.__getitem__)


@given(st.lists(st.tuples(st.integers(0, 3), any_ids), unique=True, max_size=40))
def test_any_ids_come_in_descending_order_of_their_bytes(rows):
    rows.sort(key=lambda row: row[0])
    groups, ids = [group for group, _ in rows], [text for _, text in rows]

    order = descending(np.array(groups, dtype=np.int64), Ids.of(ids)).tolist()

    by_bytes = sorted(range(len(ids)), key=lambda row: encoded(ids[row]), reverse=True)
    assert order == sorted(by_bytes, key=groups.__getitem__)


@pytest.mark.parametrize("start", ["", "a", "1234567", "12345678", "123456789"])
def test_an_id_stands_before_its_beginnings(start):
    ids = [start + end for end in ("\0", "\0\0", "\0" * 9, "\0a", "a", "aa")]
    order = descending(np.zeros(6, dtype=np.int64), Ids.of(ids)).tolist()

    assert order == [5, 4, 3, 2, 1, 0]


def test_more_groups_than_sixteen_bits_stand_in_order():
    chance = np.random.default_rng(0)
    group, key = chance.integers(0, 300_000, 200_000), chance.permutation(200_000)

    assert grouped(group, key).tolist() == np.lexsort((key, group)).tolist()


# Measures, beside their definitions


def check(found, retrieved, judged, reading, scoring):
    """All measures of all queries, and their means, are those of the definitions."""
    values = scores(found, ASKED, **scoring)
    lists = [ranked(*pair, **reading) for pair in zip(retrieved, judged, strict=True)]
    for measure in ASKED:
        expected = [
            score(measure.name, relevance, [*levels.values()], **scoring)
            for relevance, levels in zip(lists, judged, strict=True)
        ]
        assert values[measure.name].tolist() == expected, measure.name
        assert average(measure)(values[measure.name]) == mean(measure.name, expected)


@settings(max_examples=150)
@given(st.lists(query(any_ids), min_size=1, max_size=5), readings, scorings)
def test_documents_with_scores(queries, reading, scoring):
    retrieved, judged = zip(*queries, strict=True)
    found = rankings(
        [{"doc_id": [*each], "score": [*each.values()]} for each in retrieved],
        [{"doc_id": [*each], "relevance": [*each.values()]} for each in judged],
        **reading,
    )
    check(found, retrieved, judged, reading, scoring)


@settings(max_examples=100)
@given(st.lists(query(any_ids), min_size=1, max_size=5), readings, scorings)
@example([({"é": 0.0}, {})], {"score_dtype": "float64"}, {})
def test_documents_best_first(queries, reading, scoring):
    predictions, references = ([[*each] for each in side] for side in zip(*queries, strict=True))
    retrieved = [{each: -rank for rank, each in enumerate(ids)} for ids in predictions]
    judged = [dict.fromkeys(ids, 1.0) for ids in references]
    check(rankings(predictions, references, **reading), retrieved, judged, reading, scoring)


@settings(max_examples=100)
@given(st.lists(query(), min_size=1, max_size=5), readings, scorings)
def test_candidates_of_which_equal_ones_keep_their_order(queries, reading, scoring):
    predictions, references, retrieved, judged = [], [], [], []
    for found, levels in queries:
        pairs = [(found[each], levels.get(each, 0)) for each in found]
        predictions.append([score for score, _ in pairs])
        references.append([level for _, level in pairs])
        names = [chr(0x10FFFF - place) for place in range(len(pairs))]  # the first one is greatest
        retrieved.append(dict(zip(names, predictions[-1], strict=True)))
        judged.append(dict(zip(names, references[-1], strict=True)))
    check(rankings(predictions, references, **reading), retrieved, judged, reading, scoring)


def test_a_ranking_may_be_long():
    chance = random.Random(0)
    retrieved = {f"D{place}": float(chance.randrange(50)) for place in range(5000)}
    judged = {f"D{place}": chance.randrange(-1, 4) for place in chance.sample(range(6000), 900)}
    found = rankings(
        [{"doc_id": [*retrieved], "score": [*retrieved.values()]}],
        [{"doc_id": [*judged], "relevance": [*judged.values()]}],
    )
    check(found, [retrieved], [judged], {}, {})


# What is refused


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        ([["a", "b", "a"]], [["a"]], r"predictions\[0\] has the document 'a' more than once"),
        ([["a"], ["b"]], [["a"], ["c", "c"]], r"references\[1\] has the document 'c' more than"),
        ([[1.0, 2.0]], [[1.0]], r"predictions\[0\] has 2 scores, but references\[0\] has 1 rele"),
        (
            [{"doc_id": ["a"], "score": []}],
            [{"doc_id": [], "relevance": []}],
            r"predictions\[0\] has 1 values of 'doc_id', but 0 of 'score'",
        ),
        ([[1.0]], [[float("inf")]], "relevance must be finite"),
        ([[1.0]], [[2.0**54]], r"at most 2\*\*53 in size"),
    ],
)
def test_rows_that_do_not_fit_are_refused(predictions, references, message):
    with pytest.raises(ValueError, match=message):
        rankings(predictions, references)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("score_dtype", "float16"),
        ("judged_only", 1),
        ("max_depth", 0),
        ("max_depth", 2.0),
        ("max_depth", True),
    ],
)
def test_a_reading_that_makes_no_sense_is_refused(option, value):
    with pytest.raises(ValueError, match=option):
        rankings([["a"]], [["a"]], **{option: value})


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("relevance_level", -1),
        ("relevance_level", float("nan")),
        ("relevance_level", True),
        ("relevance_level", "1"),
        ("map_denominator", "hits"),
    ],
)
def test_a_scoring_that_makes_no_sense_is_refused(option, value):
    with pytest.raises(ValueError, match=option):
        scores(rankings([["a"]], [["a"]]), ASKED, **{option: value})


def test_grades_beyond_the_greatest_are_refused():
    found = rankings([[1.0]], [[5.0]])
    with pytest.raises(ValueError, match="knows grades up to 4, but there is relevance 5"):
        scores(found, parse_measures("err@20"))
    assert scores(found, parse_measures("err(max_grade=5)@20"))
    with pytest.raises(ValueError, match="relevance 1001 is too great for an exponential gain"):
        scores(rankings([[1.0]], [[1001.0]]), parse_measures("ndcg_exp"))
