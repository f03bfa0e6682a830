"""Tables of scores that are there already: what is taken for a system, an id and a score."""

import json

import numpy as np
import pandas as pd
import pytest

from metric_commons import compare, compare_rows
from metric_commons.evaluation.rows.given_scores import tables_of_scores

WIDE = {"question": ["q1", "q2", "q3"], "old": [0, 1, 0], "new": [1, 1, 0.5]}


def scores(tables):
    return {
        system: next(iter(table["scores"].columns.values())).tolist()
        for system, table in tables.items()
    }


def test_the_columns_of_numbers_of_a_wide_table_are_systems():
    assert scores(tables_of_scores(WIDE)) == {"old": [0, 1, 0], "new": [1, 1, 0.5]}


@pytest.mark.parametrize("name", ["id", "Index", "row", "seed", "Unnamed: 0", "", "query"])
def test_ids_and_seeds_are_no_systems(name):
    table = {name: [5, 5, 6], **WIDE}
    assert list(tables_of_scores(table)) == ["old", "new"]


def test_whole_numbers_that_are_all_different_are_ids():
    assert list(tables_of_scores({"number": [10, 11, 12], **WIDE})) == ["old", "new"]
    assert "number" in tables_of_scores({"number": [1, 0, 1], **WIDE})


def test_a_long_table_is_the_wide_one_whatever_the_order_of_its_rows():
    rows = [
        {"model": system, "id": name, "score": WIDE[system][row]}
        for system in ("old", "new")
        for row, name in enumerate(WIDE["question"])
    ]
    mixed = [rows[i] for i in (0, 4, 2, 3, 1, 5)]
    long = {name: [row[name] for row in mixed] for name in mixed[0]}
    tables = tables_of_scores(long)
    by_id = {
        system: dict(zip(table["scores"].ids, table["scores"].columns["score"], strict=True))
        for system, table in tables.items()
    }
    assert by_id == {
        system: dict(zip(WIDE["question"], WIDE[system], strict=True)) for system in ("old", "new")
    }


def test_seeds_of_one_system_and_id_are_averaged():
    long = {"system": list("aabb"), "item": [1, 1, 1, 1], "value": [0.0, 1.0, 0.25, 0.75]}
    assert scores(tables_of_scores(long)) == {"a": [0.5], "b": [0.5]}


def test_a_column_metric_tells_scores_apart():
    long = {"name": list("aabb"), "id": [1, 1, 1, 1], "metric": ["f1", "em"] * 2}
    tables = tables_of_scores({**long, "score": [0.5, 0, 1, 1]})
    assert {n: column.tolist() for n, column in tables["a"]["scores"].columns.items()} == {
        "f1": [0.5],
        "em": [0],
    }


def test_columns_can_be_named():
    table = {"who": list("xxyy"), "which": [1, 2, 2, 1], "points": [3, 4, 5, 6]}
    tables = tables_of_scores(table, system="who", ids="which", score="points")
    assert scores(tables) == {"x": [3, 4], "y": [6, 5]}
    assert list(tables_of_scores({**WIDE, "other": [0, 0, 1]}, system=["new", "other"])) == [
        "new",
        "other",
    ]


@pytest.mark.parametrize(
    ("missing", "old", "new"),
    [("skip", [0, 0], [1, 0.5]), ("zero", [0, 0, 0], [1, 1, 0.5])],
)
def test_scores_that_a_system_lacks(missing, old, new):
    table = {**WIDE, "old": [0, None, 0]}
    assert scores(tables_of_scores(table, missing=missing)) == {"old": old, "new": new}


def test_a_lacking_score_is_refused_or_bounded():
    table = {**WIDE, "old": [0, "", 0]}
    with pytest.raises(
        ValueError, match=r"system 'old': of 3 samples, 1 have no score; .* --missing skip"
    ):
        compare(table)
    with pytest.raises(ValueError, match="needs bounds"):
        compare(table, missing="bounds")
    compared = compare(table, missing="bounds", bounds=(0, 1))
    assert "0.0000 to 0.3333" in str(compared)


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (WIDE, {"system": ["old", "nwe"]}, "no column 'nwe'; did you mean 'new'"),
        (WIDE, {"clusters": ["topic"]}, "no column 'topic'"),
        ({"id": ["a"], "only": [1]}, {}, "the scores of two systems"),
        (WIDE, {"bounds": (1, 0)}, "bounds must be"),
        (
            {"id": ["a", "b"], "old": [1, None], "new": [None, 0]},
            {"missing": "skip"},
            "no samples remain to be scored",
        ),
        (
            {"id": ["a", "a"], "old": [1, 0], "new": [1, 1], "topic": ["u", "v"]},
            {"clusters": ["topic"]},
            r"topic\[1\] is 'v', but an earlier row of 'a' has 'u'",
        ),
        (
            {"model": ["x", "y"], "id": [1, 1], "score": [1, 0], "topic": ["u", "v"]},
            {"clusters": ["topic"]},
            r"topic\[1\] is 'v', but an earlier row of 1 has 'u'",
        ),
        (
            {**WIDE, "old": [0, "x", 1]},
            {"system": ["old", "new"]},
            r"old\[1\].*a score is a number",
        ),
    ],
)
def test_what_cannot_be_read_is_refused(table, options, message):
    with pytest.raises(ValueError, match=message):
        compare(table, **options)


@pytest.mark.parametrize("kind", ["dict", "pandas", "csv", "jsonl", "parquet"])
def test_every_kind_of_table_gives_the_comparison_of_the_rows(kind, tmp_path):
    rng = np.random.default_rng(1)
    table = {
        "id": [f"q{i}" for i in range(40)],
        "old": rng.integers(0, 2, 40).tolist(),
        "new": rng.random(40).round(3).tolist(),
        "topic": [f"t{i % 7}" for i in range(40)],
    }
    frame = pd.DataFrame(table)
    path = tmp_path / f"scores.{kind}"
    if kind == "csv":
        frame.to_csv(path)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in frame.to_dict("records")))
    elif kind == "parquet":
        frame.to_parquet(path)
    source = {"dict": table, "pandas": frame}.get(kind, path)
    (found,) = compare(source, clusters=["topic"]).comparisons
    expected = compare_rows(table["old"], table["new"], clusters=table["topic"])
    for name in ("diff", "p_value", "confidence_interval", "n_clusters"):
        assert found[name] == expected[name]


def test_the_lowest_scores_can_be_the_best():
    compared = compare(WIDE, lower_is_better=True)
    assert [*compared.sort("score").systems] == ["old", "new"]
