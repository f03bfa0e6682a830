"""Every state that can be written can be read, however odd its rows are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.evaluation.scoring.states import Part, State
from metric_commons.module.catalog.catalog import load
from tests.spec import METRICS, drawn_examples, specs

ALL = [spec for name in METRICS for spec in specs(name)]
# Rows that the samples of the contract do not have: of these alone some score is undefined.
ODD_ROWS = {
    "win_rate": [{"predictions": "tie"}, {"predictions": 0.5}],
    "classification": [
        {"predictions": 0, "references": 0},
        {"predictions": 0.25, "references": 0},
        {"predictions": [0, 0], "references": [0, 0]},
    ],
    "regression": [{"predictions": 1.0, "references": 1.0}],
    "qa_f1": [{"predictions": "", "references": ""}],
    "rouge_n_l": [{"predictions": "", "references": ""}],
    "bleu": [{"predictions": "", "references": [""]}],
    "chrf": [{"predictions": "", "references": [""]}],
    "ter": [{"predictions": "", "references": [""]}],
    "error_rate": [{"predictions": "a", "references": ""}],
    "span_f1": [{"predictions": ["O"], "references": ["O"]}],
    "ir_ranking": [{"predictions": [], "references": []}],
}


def sample_of(spec):
    """The input columns of a sample, and its options."""
    options = load(spec.name).options
    columns = {key: list(value) for key, value in spec.sample.items() if key not in options}
    return columns, {key: value for key, value in spec.sample.items() if key in options}


def shards():
    """A module, its options, and a few rows of which most are alike."""
    cases = [(spec.name, *sample_of(spec)[::-1]) for spec in ALL]
    cases += [
        (name, {}, {key: [value] for key, value in row.items()})
        for name, rows in ODD_ROWS.items()
        for row in rows
    ]
    return st.sampled_from(cases).flatmap(
        lambda case: st.tuples(
            st.just(case),
            st.lists(st.integers(0, len(next(iter(case[2].values()))) - 1), min_size=1, max_size=4),
            st.sampled_from([None, "one", "each"]),
            st.sampled_from([None, "one", "each"]),
        )
    )


def labels(kind, rows):
    return None if kind is None else ["a" if kind == "one" else str(row) for row in range(rows)]


@pytest.mark.long
@drawn_examples(250)
@given(shards())
def test_what_can_be_written_can_be_read(shard):
    (name, options, columns), rows, clusters, groups = shard
    state = State(name, **options)
    taken = {key: [column[row] for row in rows] for key, column in columns.items()}
    known = state.metric.options
    extra = {
        key: labels(kind, len(rows))
        for key, kind in (("clusters", clusters), ("groups", groups))
        if key in known and kind is not None
    }
    ids = {"ids": list(range(len(rows)))} if state.metric.score_kind == "rankings" else {}
    try:
        state.update(**taken, **extra, **ids)
    except ValueError:  # a module refuses some of these rows, and then has no state of them
        return
    part = Part({"bot": {name: state}})
    for again in (Part.from_json(part.to_json()), Part.from_bytes(part.to_bytes())):
        other = again.states["bot"][name]
        assert len(other) == len(rows)
        assert repr(result_of(other)) == repr(result_of(state))
        merged = Part({"bot": {name: State(name, **options)}})
        merged.merge(again)
        assert repr(result_of(merged.states["bot"][name])) == repr(result_of(state))


def result_of(state):
    try:
        return state.result()
    except ValueError as error:  # of so few rows there may be no result, and the reason is the same
        return str(error)


def test_shards_of_ties_alone_in_clusters_are_merged():
    shard, other = State("win_rate"), State("win_rate")
    shard.update(predictions=["tie", "tie"], clusters=["a", "b"])
    other.update(predictions=["win", "tie"], clusters=["a", "c"])
    other.merge(State.from_bytes(shard.to_bytes()))
    expected = load("win_rate").compute(
        predictions=["win", "tie", "tie", "tie"], clusters=["a", "c", "a", "b"]
    )
    assert repr(other.result()) == repr(expected)


@pytest.mark.parametrize(
    ("scores", "problem"),
    [
        ({"qa_f1": 0.5, "qa_precision": 0.5}, "qa_recall is missing"),
        ({"qa_precision": 0.5, "qa_recall": 0.5}, "qa_f1 is missing"),
    ],
)
def test_scores_that_no_rows_have_together_are_refused(scores, problem):
    state = State("qa_f1")
    state.update(predictions=["a b"], references=["a"])
    content = state.to_dict()
    columns = {name: [[value], [1]] for name, value in scores.items()}
    content["statistics"] = [[None, [columns, None]]]
    with pytest.raises(ValueError, match=problem):
        State.from_dict(content)


def test_statistics_of_sums_that_are_missing_are_refused():
    state = State("error_rate")
    state.update(predictions=["a b"], references=["a"])
    content = state.to_dict()
    del content["statistics"]["columns"]["=hits"]
    with pytest.raises(ValueError, match="hits is missing"):
        State.from_dict(content)


@pytest.mark.parametrize("spec", ALL, ids=lambda spec: f"{spec.name}-{spec.shape}")
def test_scores_that_a_module_always_has_are_in_its_results(spec):
    assert load(spec.name).always_scored <= load(spec.name).compute(**spec.sample).keys()
