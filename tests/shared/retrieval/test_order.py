import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.data.trec.identifiers import Ids, encoded
from metric_commons.retrieval.order import (
    UNJUDGED,
    Documents,
    Judgments,
    RankingOptions,
    rank,
    rankings,
    sort_groups,
    sort_ids,
)
from tests.rankings import any_ids
from tests.tables import by_table


@pytest.mark.parametrize("rows", [1, 5, 16, 17, 60, 500])
def test_ids_come_in_descending_order_of_their_bytes(rows):
    chance = random.Random(rows)
    ids = list({"".join(chance.choices("ab-19é", k=chance.randrange(1, 25))) for _ in range(rows)})
    ids = [chance.choice(["", "FR940812-"]) + text for text in ids]
    groups = sorted(chance.randrange(3) for _ in ids)

    order = sort_ids(np.array(groups), Ids.from_texts(ids)).tolist()

    by_bytes = sorted(range(len(ids)), key=lambda row: ids[row].encode(), reverse=True)
    assert order == sorted(by_bytes, key=groups.__getitem__)


@pytest.mark.long
@given(st.lists(st.tuples(st.integers(0, 3), any_ids), unique=True, max_size=40))
def test_any_ids_come_in_descending_order_of_their_bytes(rows):
    rows.sort(key=lambda row: row[0])
    groups, ids = [group for group, _ in rows], [text for _, text in rows]

    order = sort_ids(np.array(groups, dtype=np.int64), Ids.from_texts(ids)).tolist()

    by_bytes = sorted(range(len(ids)), key=lambda row: encoded(ids[row]), reverse=True)
    assert order == sorted(by_bytes, key=groups.__getitem__)


@pytest.mark.parametrize("prefix", ["", "a", "1234567", "12345678", "123456789"])
def test_an_id_precedes_its_prefixes(prefix):
    ids = [prefix + end for end in ("\0", "\0\0", "\0" * 9, "\0a", "a", "aa")]
    order = sort_ids(np.zeros(6, dtype=np.int64), Ids.from_texts(ids)).tolist()

    assert order == [5, 4, 3, 2, 1, 0]


def test_more_groups_than_sixteen_bits_are_sorted():
    chance = np.random.default_rng(0)
    group, key = chance.integers(0, 300_000, 200_000), chance.permutation(200_000)

    assert sort_groups(group, key).tolist() == np.lexsort((key, group)).tolist()


# Ranks, in the three shapes of a module


def test_candidates_with_equal_scores_keep_their_order():
    levels = [[2.0, 1.0, 0.0, 3.0], [1.0, 0.0, 1.0, 0.0]]
    candidates = [[0.5, 0.5, 2.0, 0.5], [1.0, 1.0, 1.0, 1.0]]
    expected = [0.0, 2.0, 1.0, 3.0, 1.0, 0.0, 1.0, 0.0]

    for container in (list, np.array):
        ranking = rankings(container(candidates), container(levels))
        assert ranking.judged.query.tolist() == [0] * 4 + [1] * 4
        assert ranking.judged.rank.tolist() == [1, 2, 3, 4] * 2
        assert ranking.judged.relevance.tolist() == expected


def test_ids_in_arrays_are_ids():
    ranking = rankings(np.array([["a", "b"], ["b", "c"]]), np.array([["b"], ["c"]]))

    assert ranking.judged.rank.tolist() == [2, 2]
    with pytest.raises(ValueError, match=r"predictions\[0\] has the document 'a' more than once"):
        rankings(np.array([["a", "a"]]), np.array([["b"]]))


def test_ids_are_looked_at_only_where_they_matter():
    """Sorting by id is what takes the time in a run with many equal scores."""
    judgments = Judgments(1, np.array([0]), np.array([1.0]))
    score, relevance = np.array([3.0, 2.0, 2.0, 1.0, 1.0]), np.full(5, UNJUDGED)
    relevance[1] = 1.0
    rows, options = [], RankingOptions()

    def take_ids(indices):
        rows.extend(indices.tolist())
        return Ids.from_texts([f"d{row}" for row in indices.tolist()])

    query_of_rows = np.zeros(5, dtype=np.int64)
    ranking = rank(query_of_rows, score, relevance, judgments, take_ids, options)

    assert rows == [1, 2]
    assert ranking.judged.rank.tolist() == [3]


def test_documents_are_cut_at_a_rank():
    documents = Documents(np.array([0, 0, 1]), np.array([1, 4, 2]), np.array([1.0, 2.0, 3.0]))

    assert [column.tolist() for column in documents.top(2)] == [[0, 1], [1, 2], [1.0, 3.0]]
    assert documents.top(4).rank.tolist() == [1, 4, 2]


# What is refused


@by_table("predictions, references, message")
def test_rows_that_do_not_fit_are_refused(predictions, references, message):
    with pytest.raises(ValueError, match=message):
        rankings(predictions, references)


def test_the_largest_relevance_is_accepted():
    ranking = rankings([[1.0, 2.0]], [[2.0**53, -(2.0**53)]])

    assert ranking.judged.relevance.tolist() == [-(2.0**53), 2.0**53]


@by_table("option, value")
def test_a_ranking_option_that_makes_no_sense_is_refused(option, value):
    with pytest.raises(ValueError, match=option):
        rankings([["a"]], [["a"]], **{option: value})
