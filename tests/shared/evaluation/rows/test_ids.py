"""Ids of rows: whether an id is there already is seen for many at once."""

from copy import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metric_commons import State


def rankings(ids):
    state = State("ir_ranking", measures="mrr")
    state.update(predictions=[["a"]] * len(ids), references=[["a"]] * len(ids), ids=ids)
    return state


@pytest.mark.long
@settings(max_examples=20)
@given(
    st.lists(
        st.text(max_size=20) | st.text("ab", min_size=60) | st.integers(0).map("n{}".format),
        min_size=2,
        unique=True,
    )
)
def test_ids_that_differ_are_all_taken(ids):
    total = rankings(ids[:1])
    total.merge(rankings(ids[1:]))

    assert len(total) == len(ids)
    with pytest.raises(ValueError, match="occurs 2 times"):
        total.merge(copy(total))


def test_many_ids_are_told_apart():
    total = State("ir_ranking", measures="mrr")
    for part in range(20):
        total.merge(
            rankings([*range(part * 500, part * 500 + 250), *(f"q{part}-{i}" for i in range(250))])
        )

    assert len(total) == 10_000
    for twice in (4_600, "q7-249"):
        with pytest.raises(ValueError, match=f"the id '{twice}' occurs 2 times"):
            total.merge(rankings(["new", twice]))
