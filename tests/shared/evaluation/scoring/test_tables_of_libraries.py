"""One call for tables of any library, and its hints at wrong arguments."""

import sys

import pandas as pd
import pyarrow as pa
import pytest
from datasets import Dataset

from metric_commons import score
from tests.apps.files import sample_of_lm_eval, write_rows

COLUMNS = {
    "answer": ["Paris", "Rome", "Oslo"],
    "other": ["Bonn", "Rome", "Bonn"],
    "gold": [["paris"], ["Rome", "Roma"], ["Bonn"]],
    "topic": ["a", "b", "a"],
}


def polars():
    return pytest.importorskip("polars").DataFrame(COLUMNS)


TABLES = {
    "dict": lambda: COLUMNS,
    "pandas": lambda: pd.DataFrame(COLUMNS, index=[7, 5, 9]),
    "polars": polars,
    "pyarrow": lambda: pa.table(COLUMNS),
    "dataset": lambda: Dataset.from_dict(COLUMNS),
    "iterable": lambda: Dataset.from_dict(COLUMNS).to_iterable_dataset(),
    "rows": lambda: (
        dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)
    ),
}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_of_any_library(table):
    results = score(
        "qa_em",
        TABLES[table](),
        predictions="answer",
        references="gold",
        groups="topic",
    )

    (result,) = results.systems["answer"].values()
    assert result.scores == {"qa_em": 2 / 3}
    assert result.groups["a"] == {"qa_em": 0.5, "n": 2}


def test_rankings_may_be_maps_of_arrow():
    maps = pa.map_(pa.string(), pa.float64())
    ranking, judged = ([("d", 0.5), ("e", 0.2)], [("d", 1.0)]), ([("e", 1.0)], [("d", 1.0)])
    table = pa.table({"ranking": pa.array(ranking, maps), "judged": pa.array(judged, maps)})

    results = score("ir_ranking", table, predictions="ranking", references="judged")

    assert results.systems["ranking"]["ir_ranking"].scores["mrr"] == 0.75


@pytest.mark.parametrize(
    ("column", "values", "problem"),
    [
        ("ranking", [[("d", 1.0)], None], "row 1: column 'ranking' is None"),
        ("topic", ["x", None], "row 1: column 'topic' is None; every row needs a label"),
    ],
)
def test_a_value_that_is_missing_is_named_with_its_row(column, values, problem):
    maps = pa.map_(pa.string(), pa.float64())
    columns = {"ranking": [[("d", 1.0)]] * 2, "judged": [[("d", 1.0)]] * 2, "topic": ["x", "y"]}
    columns[column] = values
    kinds = {"topic": pa.string()}
    table = pa.table({n: pa.array(c, kinds.get(n, maps)) for n, c in columns.items()})
    with pytest.raises(ValueError, match=f"^{problem}"):
        score("ir_ranking", table, predictions="ranking", references="judged", groups="topic")


def test_several_systems_of_a_table():
    by_names = score("qa_em", COLUMNS, predictions=["answer", "other"], references="gold")
    renamed = score("qa_em", COLUMNS, predictions={"x": "answer"}, references="gold")

    assert list(by_names.systems) == ["answer", "other"]
    assert list(renamed.systems) == ["x"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"predictions": "anser"}, "there is no column 'anser'; did you mean 'answer'"),
        ({"data": 5}, "data must be a table with columns, got int"),
        ({"data": [1]}, "data must be a table with columns, got rows of int"),
        ({"predictions": [["Paris"]]}, "predictions must name columns of data, got list"),
        ({"columns": {"sourcs": "x"}}, "columns sourcs: qa_em takes predictions, references"),
        (
            {"data": pa.table(COLUMNS), "compare": True},
            "compare needs two systems; there is only",
        ),
        ({"references": COLUMNS["gold"]}, "references must name a column of data, got"),
    ],
)
def test_what_is_no_column_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        score(
            "qa_em", **{"data": COLUMNS, "predictions": "answer", "references": "gold"} | arguments
        )


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (
            "confidence",
            r"score\(\) has no argument 'confidence'; did you mean 'confidence_level'\?",
        ),
        ("normalise", r"score\(\) has no argument 'normalise'; did you mean 'normalizer'"),
        ("reference", "did you mean 'references'"),
    ],
)
def test_the_right_argument_is_named(argument, message):
    with pytest.raises(TypeError, match=message):
        score("qa_em", predictions=["a"], **{"references": ["a"], argument: 0.95})


def test_no_library_of_tables_is_imported():
    source = sys.modules["metric_commons.evaluation.rows.libraries"].__dict__

    assert not {"pandas", "polars", "pyarrow", "pyspark"} & {*source}


@pytest.fixture
def qa(tmp_path):
    path = tmp_path / "qa.csv"
    path.write_text("topic,prediction,answer\nx,Paris,Paris\ny,Rome,Oslo\n")
    return path


@pytest.mark.parametrize("as_path", [str, lambda path: path])
def test_a_file_is_a_table_whose_obvious_columns_need_no_names(qa, as_path):
    results = score("qa_f1", as_path(qa))
    assert results["prediction"]["qa_f1"]["qa_f1"] == 0.5
    assert results.provenance["inputs"][0]["rows"] == 2
    named = {"predictions": {"bot": "prediction"}, "references": "answer", "groups": "topic"}
    results = score("qa_em", as_path(qa), **named, normalizer=str.upper)
    assert results["bot"] == {"qa_em": 0.5}
    assert results.systems["bot"]["qa_em"].groups["y"]["qa_em"] == 0.0


def test_a_table_needs_no_names_of_obvious_columns():
    assert score("qa_f1", {"output": ["a"], "gold": ["a"]})["output"]["qa_f1"]["qa_f1"] == 1.0


@pytest.mark.parametrize(
    ("header", "arguments", "message"),
    [
        ("output,answer,gold", {}, "references may be 'answer' or 'gold'; name one of them"),
        ("a,b,c", {}, "qa_f1 needs --predictions; the fields are a, b, c"),
        ("output,gold,c", {"references": ["x"]}, "references must name a field of .*, got"),
        (
            "output,gold,c",
            {"predictions": "c", "references": "c"},
            "field 'c' would be compared with",
        ),
        ("output,gold,c", {"references": "d"}, "there is no field 'd'"),
    ],
)
def test_no_column_of_a_file_is_guessed(qa, header, arguments, message):
    qa.write_text(f"{header}\nx,y,z\n")
    with pytest.raises(ValueError, match=message):
        score("qa_f1", qa, **arguments)


def test_texts_of_a_file_have_their_references_in_others(tmp_path):
    files = {name: tmp_path / f"{name}.txt" for name in ("hyp", "one", "two")}
    for path, text in zip(files.values(), ("the cat\n", "a cat\n", "the cat\n"), strict=True):
        path.write_text(text)

    hyp, one, two = files.values()
    assert score("qa_f1", hyp, answers=one, normalizer="lower")["hyp"]["qa_f1"]["qa_f1"] == 0.5
    assert (
        score("qa_f1", hyp, answers=[one, two], normalizer="lower")["hyp"]["qa_f1"]["qa_f1"] == 1.0
    )
    with pytest.raises(FileNotFoundError):
        score("bleu", tmp_path / "none.csv")
    with pytest.raises(ValueError, match="answers is about files, and data is not the path"):
        score("qa_f1", COLUMNS, predictions="answer", references="gold", answers=one)


def test_the_rows_of_a_file_are_chosen_and_joined(tmp_path):
    """As by the options of the command."""
    (tmp_path / "p.csv").write_text("q,split,answer,gold\n1,a,x,x|y\n1,a,z,x|y\n2,b,y,y\n3,a,z,z\n")
    path = tmp_path / "p.csv"
    fields = {"predictions": "answer", "references": "gold", "ids": "q"}

    chosen = score("qa_em", path, **fields, split_references="|", where={"split": "a"})
    assert chosen["answer"]["qa_em"] == {"qa_em": 0.75}
    best = score("qa_em", path, **fields, split_references="|", reduce="max").systems
    assert best["answer"]["qa_em"].scores == {"qa_em": 1.0}
    assert "reduce=max" in best["answer"]["qa_em"].signature
    assert "split_references=" in best["answer"]["qa_em"].signature
    (tmp_path / "g.csv").write_text("q,right\n3,z\n2,?\n1,x\n")
    fields["references"] = "right"
    joined = score("qa_em", path, **fields, answers=[tmp_path / "g.csv"], reduce="max")
    assert joined["answer"]["qa_em"] == {"qa_em": 2 / 3}
    named = {"predictions": "answer", "columns": {"references": "gold"}, "preset": "squad"}
    assert "preset=squad" in score("qa_em", path, **named).signatures()[0]


def test_a_log_needs_no_names(tmp_path):
    samples = [
        sample_of_lm_eval(row, answer, "x", acc=1.0) | {"filter": name, "resps": [["x"]]}
        for name, answers in (("strict", "xy"), ("loose", "xx"))
        for row, answer in enumerate(answers)
    ]
    path = write_rows(tmp_path / "samples_task_2026-01-01T00-00-00.jsonl", samples)

    (strict,) = score("qa_em", path, filter="strict").systems.values()
    assert strict["qa_em"].scores == {"qa_em": 0.5}
    (logged,) = score("logged", path, filter="loose").systems.values()
    assert logged["logged"].scores == {"acc": 1.0}
    with pytest.raises(ValueError, match="choose with --filter"):
        score("qa_em", path)
