"""States of parts, merged in any way, give the result of one `compute`."""

import copy
import json
import pickle
import random

import numpy as np
import pytest

from metric_commons import load
from metric_commons.evaluation.rows.states import State
from tests.contract.test_bad_input import ODD, tried
from tests.contract.test_behaviour import scores_alone
from tests.spec import METRICS, nightly, specs
from tests.threads import THREADS, at_once

# These score single rows, so there is a score of each group.
OF_ROWS = [name for name in METRICS if "groups" in load(name).options]


def inputs_and_options(name, shape=0):
    sample = specs(name)[shape].sample
    metric = load(name)
    columns = {key: list(sample[key]) for key in metric.checked(**columns_of(name, metric, shape))}
    options = {key: value for key, value in sample.items() if key not in columns}
    return columns, options


def columns_of(name, metric, shape=0):
    sample = specs(name)[shape].sample
    return {key: value for key, value in sample.items() if key not in metric.options}


def taken(columns, rows):
    return {name: [column[row] for row in rows] for name, column in columns.items()}


def many_rows(columns, seed, rows=60):
    size = len(next(iter(columns.values())))
    chance = random.Random(seed)
    return taken(columns, [chance.randrange(size) for _ in range(rows)])


def again(state, folder, number):
    """The state from a file of Parquet, or of JSON Lines."""
    path = folder / f"{number}{'.parquet' if number % 2 else '.jsonl'}"
    state.save(path)
    return State.read(path)


def contents(state, folder):
    """What a file of a state holds."""
    state.save(folder / "state.jsonl")
    return (folder / "state.jsonl").read_text()


def in_parts(folder, name, options, columns, seed, groups=None):
    """Rows dealt out to some states at random, which are merged in random order."""
    chance = random.Random(seed)
    rows = len(next(iter(columns.values())))
    parts = chance.randrange(1, 8)
    owner = [chance.randrange(parts) for _ in range(rows)]
    states = []
    for part in range(parts):
        state = State(name, **options)
        own = [row for row in range(rows) if owner[row] == part]
        for some in (own[: len(own) // 2], own[len(own) // 2 :]):
            if some:
                ids = {"ids": some} if name == "ir_ranking" else {}
                labels = {} if groups is None else {"groups": [groups[row] for row in some]}
                state.update(**taken(columns, some), **ids, **labels)
        states.append(again(state, folder, part))
    total = State(name, **options)
    total.merge(*chance.sample(states, len(states)))
    return total


SHAPES = [(name, shape) for name in METRICS for shape in range(len(specs(name)))]
# Rows of SQuAD are matched by ids inside them, and scores of samples are one for each row.
SHAPES = [
    (n, k)
    for n, k in SHAPES
    if not (k and ("SQuAD" in specs(n)[k].shape or "scores" in specs(n)[k].sample))
]


@pytest.mark.parametrize(("name", "shape"), SHAPES)
@pytest.mark.parametrize("seed", [0, *nightly(1, 2, 3)])
def test_parts_give_the_result_of_the_whole(name, shape, seed, tmp_path):
    columns, options = inputs_and_options(name, shape)
    columns = many_rows(columns, seed)
    reporting = {"n_resamples": 200, "seed": seed}
    if name not in ("paired_significance", "regression"):  # the one has one, the other none
        reporting["confidence_level"] = 0.9
    merged = in_parts(tmp_path, name, options, columns, seed)
    metric = load(name)
    reporting = {option: reporting[option] for option in reporting if option in metric.options}
    result = metric.compute(**columns, **options, **reporting)
    assert repr(merged.result(**reporting)) == repr(scores_alone(metric, result))  # of NaN too


@pytest.mark.parametrize("name", OF_ROWS)
def test_groups_of_parts_are_those_of_the_whole(name, tmp_path):
    columns, options = inputs_and_options(name)
    columns = many_rows(columns, seed=1)
    groups = [random.Random(row).choice("abc") for row in range(60)]
    merged = in_parts(tmp_path, name, options, columns, 5, groups)
    metric = load(name)
    result = metric.compute(**columns, **options, groups=groups)
    assert merged.result() == scores_alone(metric, result)


@pytest.mark.long
@pytest.mark.parametrize("level", [0.9, None])
@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_regression_has_intervals_of_all_rows(level, outputs, weighted, tmp_path):
    rng = np.random.default_rng(6)
    shape = (40, outputs) if outputs > 1 else 40
    references = rng.normal(size=shape).round(1)
    columns = {
        "predictions": references + rng.normal(size=shape).round(1),
        "references": references,
        "groups": rng.integers(0, 2, 40),
    }
    if weighted:
        columns["sample_weight"] = rng.integers(0, 3, 40)
    if level is None:  # then clusters alone say that rows are needed
        columns["clusters"] = rng.integers(0, 5, 40)
    states = [State("regression", confidence_level=level) for _ in range(3)]
    for state, rows in zip(states, np.array_split(rng.permutation(40), 3), strict=True):
        state.update(**{name: column[rows] for name, column in columns.items()})
    total = State("regression")
    for number, state in enumerate(states):
        total.merge(again(state, tmp_path, number))
    reporting = {"confidence_level": 0.9, "n_resamples": 30}
    expected = load("regression").compute(**columns, **reporting)

    assert repr(total.result(**reporting)) == repr(expected)
    single = State("regression", confidence_level=level)
    single.update(**columns)
    assert ("confidence_interval" in single.result(n_resamples=30)) == (level is not None)


def test_a_state_may_have_a_level_of_its_own():
    state = State("win_rate", confidence_level=0.5)
    state.update(predictions=["win", "loss", "win"])
    assert state.result() == State.result(state, confidence_level=0.5)
    assert "confidence_interval" in state.result()
    with pytest.raises(ValueError, match="confidence_level must be a number strictly between"):
        State("regression", confidence_level=90)


def test_weights_are_of_rows():
    columns = {"predictions": [0, 1, 1, 0], "references": [0, 1, 0, 0]}
    weights = [0.5, 2.0, 0.25, 0.0]
    for name in ("classification", "regression"):
        states = [State(name) for _ in range(2)]
        states[0].update(**taken(columns, [0, 3]), sample_weight=[0.5, 0.0])
        states[1].update(**taken(columns, [1, 2]), sample_weight=[2.0, 0.25])
        states[0].merge(states[1])
        assert states[0].result() == load(name).compute(**columns, sample_weight=weights)
    unweighted, weighted = State("classification"), State("classification")
    unweighted.update(**columns)
    weighted.update(**columns, sample_weight=weights)
    with pytest.raises(ValueError, match="some rows have"):
        unweighted.merge(weighted)


def filled(name="qa_em", **options):
    state = State(name, **options)
    state.update(predictions=["a", "b"], references=["a", "a"])
    return state


def test_an_update_with_a_wrong_row_changes_nothing(tmp_path):
    state = filled()
    before = contents(state, tmp_path)
    with pytest.raises(ValueError, match=r"predictions\[1\] is None"):
        state.update(predictions=["a", None], references=["a", "b"])
    with pytest.raises(ValueError, match="some rows have groups"):
        state.update(predictions=["a"], references=["a"], groups=["x"])
    assert contents(state, tmp_path) == before


@pytest.mark.parametrize("name", sorted({*METRICS} - {*OF_ROWS}))
def test_a_module_without_groups_refuses_them(name):
    columns, options = inputs_and_options(name)
    state = State(name, **options)
    labels = ["x"] * len(next(iter(columns.values())))
    with pytest.raises(ValueError, match=f"^groups is not an option of {name}$"):
        state.update(**columns, groups=labels)
    assert len(state) == 0


def test_states_that_do_not_belong_together_are_not_merged():
    with pytest.raises(ValueError, match="normalizer is 'squad' in some and 'lower' in others"):
        filled().merge(filled(normalizer="lower"))
    with pytest.raises(ValueError, match="rows of qa_f1 cannot be merged with rows of qa_em"):
        filled().merge(filled("qa_f1"))
    grouped, empty = State("qa_em"), State("qa_em")
    grouped.update(predictions=["a"], references=["a"], groups=["x"])
    for one, other in ((filled(), grouped), (grouped, filled())):
        with pytest.raises(ValueError, match=r"^some rows have groups, others have none$"):
            one.merge(other)
    empty.merge(grouped, State("qa_em"))  # which has no rows, with groups or without
    assert empty.result() == grouped.result()


def test_a_row_counts_once():
    states = [State("ir_ranking", measures="mrr") for _ in range(2)]
    for state in states:
        state.update(predictions=[["a", "b"]], references=[["b"]], ids=["q1"])
    with pytest.raises(ValueError, match="the id 'q1' occurs 2 times"):
        states[0].merge(states[1])
    assert states[0].result() == {"mrr": 0.5}
    with pytest.raises(ValueError, match="ids has 2 labels, but there are 1 rows"):
        states[0].update(predictions=[["a"]], references=[["a"]], ids=["q2", "q3"])


def test_what_a_state_cannot_hold_or_report_is_said():
    with pytest.raises(ValueError, match="normalizer is a function"):
        State("qa_em", normalizer=str.lower)
    with pytest.raises(ValueError, match="the state has no rows"):
        State("qa_em").result()
    assert filled().result(per_example=True)["per_example"] == {"qa_em": [1.0, 0.0]}
    with pytest.raises(ValueError, match="normalizer is not an option of a result of qa_em"):
        filled().result(normalizer="lower")


@pytest.mark.parametrize("name", METRICS)
def test_threads_that_update_one_state_lose_no_rows(name, hasty_threads):
    columns, options = inputs_and_options(name)
    rows = many_rows(columns, 5, rows=8 * THREADS)
    threads = State(name, **options)

    def work(thread):
        for row in range(8 * thread, 8 * thread + 8):
            ids = {"ids": [row]} if name == "ir_ranking" else {}
            threads.update(**taken(rows, [row]), **ids)

    at_once(work)

    whole = State(name, **options)
    whole.update(**rows)
    assert len(threads) == 8 * THREADS
    assert json.dumps(threads.result()) == json.dumps(whole.result())


def test_threads_may_merge_two_states_into_each_other(hasty_threads):
    states = filled(), filled()
    rows = [len(state) for state in states]

    def work(thread):
        into, other = states if thread % 2 else states[::-1]
        into.merge(other)

    at_once(work)

    # Each merge adds the rows of one to the other, so the sums of rows are those of some order.
    assert sum(map(len, states)) > THREADS * sum(rows)


def test_a_copy_of_a_state_goes_its_own_way():
    state = filled()
    other = copy.deepcopy(state)
    other.update(predictions=["a"], references=["b"])

    assert (len(state), len(other), len(pickle.loads(pickle.dumps(other)))) == (2, 3, 3)


@pytest.mark.long
@pytest.mark.parametrize("name", METRICS)
def test_an_odd_column_is_taken_or_is_a_value_error_about_it(name):
    inputs = columns_of(name, load(name))
    if not all(isinstance(column, list) for column in inputs.values()):
        pytest.skip("its inputs are no lists")
    pair = {key: column[:2] for key, column in inputs.items()}
    for kind, odd in ODD.items():
        for key in inputs:
            column = iter([1, 2]) if kind == "generator" else odd
            tried(kind, State(name).update, key, **pair | {key: column})
