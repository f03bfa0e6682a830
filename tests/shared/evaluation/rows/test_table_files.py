"""Every table of rows that can be written can be read, however odd its rows are."""

import json
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons import State, load, score
from metric_commons.evaluation.rows.table_files import read_tables, write_tables
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
def test_what_can_be_written_can_be_read(tmp_path_factory, shard):
    (name, options, columns), rows, clusters, groups = shard
    state = State(name, **options)
    taken = {key: [column[row] for row in rows] for key, column in columns.items()}
    known = state.metric.options
    extra = {
        key: labels(kind, len(rows))
        for key, kind in (("clusters", clusters), ("groups", groups))
        if key in known and kind is not None
    }
    try:
        state.update(**taken, **extra, ids=list(range(len(rows))))
    except ValueError:  # a module refuses some of these rows, and then has no state of them
        return
    folder = tmp_path_factory.mktemp("tables")
    for ending in ("parquet", "jsonl"):
        state.save(folder / f"rows.{ending}")
        other = State.read(folder / f"rows.{ending}")
        assert len(other) == len(rows)
        assert repr(result_of(other)) == repr(result_of(state))
        merged = State(name, **options)
        merged.merge(other)
        assert repr(result_of(merged)) == repr(result_of(state))


def result_of(state):
    try:
        return state.result()
    except ValueError as error:  # of so few rows there may be no result, and the reason is the same
        return str(error)


SYSTEMS = {"bot": ["Paris", "É", "x"], "dog": ["Rome", "a", "x"]}


def two_systems(**options):
    return score(
        ["qa_em", "chrf", "classification"],
        predictions=SYSTEMS,
        references=["Paris", "b", "x"],
        ids=["é", 2, "3"],
        groups=["g", "h", "g"],
        clusters={"item": [1, 1, 2]},
        rows=True,
        **options,
    ).rows


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_systems_modules_and_labels_are_read_as_they_were(ending, tmp_path):
    tables = two_systems()
    path = tmp_path / f"rows.{ending}"
    digest = write_tables(path, tables, {"inputs": []})
    assert len(digest) == 64
    for system, modules in read_tables(path).tables.items():
        for name, table in modules.items():
            expected = tables[system][name]
            assert [*table.columns] == [*expected.columns]
            assert (table.ids, table.groups) == (["é", "2", "3"], ["g", "h", "g"])
            assert table.clusters == {"item": ["1", "1", "2"]}
            assert table.digests.tolist() == expected.digests.tolist()
            assert table.options == expected.options
            for column, values in table.columns.items():
                assert list(values) == list(expected.columns[column])


def test_a_file_can_be_read_by_other_programs(tmp_path):
    path = tmp_path / "rows.parquet"
    write_tables(path, two_systems())
    table = pq.read_table(path)
    assert table.column_names[:5] == ["system", "id", "group", "clusters", "digest"]
    assert table.column("qa_em").to_pylist()[0] == {"qa_em": 1.0}
    assert table.column("system").to_pylist() == ["bot"] * 3 + ["dog"] * 3


def damaged(path, change):
    lines = path.read_text().splitlines()
    header = json.loads(lines[0])
    change(header)
    path.write_text("\n".join([json.dumps(header), *lines[1:]]))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda h: h.update(format="other"), "not in the format metric-commons-rows/1"),
        (lambda h: h.update(format="metric-commons-rows/9"), "in metric-commons-rows/9, but this"),
        (lambda h: h.update(version="0.0.1"), r"rows of metric-commons 0\.0\.1 in"),
        (lambda h: h.pop("runs"), "not a complete metric-commons-rows/1: 'runs'"),
        (
            lambda h: h["runs"]["bot"]["qa_em"]["columns"].append("x"),
            "not a complete metric-commons-rows/1: 'x'",
        ),
        (lambda h: h["runs"].pop("bot"), "line 2: 'bot' is unknown or missing"),
    ],
)
def test_a_changed_header_is_refused_in_one_line(change, fault, tmp_path):
    path = tmp_path / "rows.jsonl"
    write_tables(path, two_systems())
    damaged(path, change)
    with pytest.raises(ValueError, match=f"^{path}: .*{fault}") as raised:
        read_tables(path)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_a_cut_file_is_refused_in_one_line(ending, tmp_path):
    path = tmp_path / f"rows.{ending}"
    write_tables(path, two_systems())
    content = path.read_bytes()
    for size in (0, 3, 10, len(content) // 2, len(content) - 5):
        path.write_bytes(content[:size])
        with pytest.raises(ValueError, match=f"^{path}: ") as raised:
            read_tables(path)
        assert "\n" not in str(raised.value)


def test_another_parquet_file_is_refused(tmp_path):
    path = tmp_path / "other.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(ValueError, match=r"not in the format metric-commons-rows/1"):
        read_tables(path)


def test_an_id_that_occurs_twice_is_not_written(tmp_path):
    table = two_systems()["bot"]["qa_em"]
    twice = replace(table, ids=["x", "x", "y"])
    with pytest.raises(ValueError, match="the id 'x' occurs 2 times"):
        write_tables(tmp_path / "rows.parquet", {"bot": {"qa_em": twice}})
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("spec", ALL, ids=lambda spec: f"{spec.name}-{spec.shape}")
def test_scores_that_a_module_always_has_are_in_its_results(spec):
    assert load(spec.name).always_scored <= load(spec.name).compute(**spec.sample).keys()
