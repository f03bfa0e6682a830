"""One result for a run, whether it is a file, a dict or a table, and equal to the definitions."""

import gzip
import json
import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.data.trec.identifiers import Ids
from metric_commons.data.trec.trec import Qrels, Run, read_qrels, read_run
from metric_commons.retrieval import runs
from metric_commons.retrieval.runs import score_run
from tests.rankings import (
    MEASURES,
    any_ids,
    ids,
    mean,
    measure_options,
    query,
    ranked,
    ranking_options,
    score,
)
from tests.spec import drawn_examples
from tests.tables import by_table


@st.composite
def collections(draw, ids):
    """Judgments and a run, as dicts."""
    qrels, run = {}, {}
    for name in draw(st.sets(st.sampled_from(["1", "10", "2", "é", "q\U00010000", "q\ue000"]))):
        retrieved, judged = draw(query(ids))
        side = draw(st.sampled_from(["both", "both", "both", "qrels", "run"]))
        if judged and side != "run":
            qrels[name] = judged
        if retrieved and side != "qrels":
            run[name] = retrieved
    return qrels, run


def shuffled(documents, value, seed):
    """The rows of a dict of dicts as three columns, in random order."""
    table = [
        (query, document, number)
        for query, row in documents.items()
        for document, number in row.items()
    ]
    random.Random(seed).shuffle(table)
    names = ("query_id", "doc_id", value)
    columns = zip(*table, strict=True) if table else ((), (), ())
    return {name: list(column) for name, column in zip(names, columns, strict=True)}


def defined(qrels, run, missing, reading, scoring):
    """The result by the definitions."""
    per_query = {}
    for name in sorted(qrels, key=str.encode):
        if missing == "skip" and not run.get(name):
            continue
        judged = qrels[name]
        relevance = ranked(run.get(name, {}), judged, **reading)
        per_query[name] = {
            measure: score(measure, relevance, [*judged.values()], **scoring)
            for measure in MEASURES
        }
        if reading["score_dtype"] == "float32" and not run.get(name):
            per_query[name]["yaap"] = 0.0  # trec_eval 9 adds nothing for a missing query
    means = {
        measure: mean(measure, [scores[measure] for scores in per_query.values()])
        for measure in (MEASURES if per_query else ())
    }
    if means and missing == "zero":
        means["num_rel"] = sum(level > 0 for row in qrels.values() for level in row.values())
        if reading["score_dtype"] == "float32":
            del means["gm_map"]  # see the recorded cases of trec_eval 9
    return {"mean": means, "per_query": per_query}


@pytest.mark.long
@drawn_examples(120)
@given(collections(any_ids), st.sampled_from(["zero", "skip"]), ranking_options, measure_options)
def test_dicts_and_tables_score_as_defined(data, missing, reading, scoring):
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    qrels, run = data
    options = {"missing": missing, **reading, **scoring}
    expected = defined(qrels, run, missing, reading, scoring)
    result = score_run(qrels, run, MEASURES, **options)
    text = json.dumps(result)  # where NaN is NaN

    assert result["per_query"] == expected["per_query"]
    assert list(result["per_query"]) == list(expected["per_query"])
    assert result["mean"].items() >= expected["mean"].items()
    if not qrels or not run or not all(map(encodable, (qrels, run))):
        return
    tables = shuffled(qrels, "relevance", 1), shuffled(run, "score", 2)
    for kind in (pandas.DataFrame, arrow.table):
        assert json.dumps(score_run(*map(kind, tables), MEASURES, **options)) == text
    assert json.dumps(score_run(qrels, pandas.DataFrame(tables[1]), MEASURES, **options)) == text
    assert score_run(qrels, run, MEASURES, per_query=False, **options).keys() == {"mean"}


def encodable(table):
    """Whether Arrow can hold the ids: no surrogate among them."""
    ids = (document for row in table.values() for document in row)
    return not any(0xD800 <= ord(character) < 0xE000 for text in ids for character in text)


@pytest.mark.long
@drawn_examples(120)
@given(collections(ids), st.sampled_from(["zero", "skip"]), ranking_options, measure_options)
def test_files_score_as_dicts(tmp_path_factory, data, missing, reading, scoring):
    qrels, run = data
    qrels = {name: {d: round(level) for d, level in row.items()} for name, row in qrels.items()}
    if not qrels or not run:
        return
    options = {"missing": missing, **reading, **scoring}
    result = score_run(qrels, run, MEASURES, **options)
    text = json.dumps(result)  # where NaN is NaN
    folder = tmp_path_factory.getbasetemp()
    table = shuffled(qrels, "relevance", 3)
    (folder / "qrels").write_text(
        "".join(f"{q} 0 {d} {level}\n" for q, d, level in zip(*table.values(), strict=True)),
        encoding="utf-8",
    )
    table = shuffled(run, "score", 4)
    (folder / "run.gz").write_bytes(
        gzip.compress(
            "".join(
                f"{q} Q0\t {d} 1 {value!r} t\n" for q, d, value in zip(*table.values(), strict=True)
            ).encode("utf-8")
        )
    )
    assert (
        json.dumps(score_run(folder / "qrels", str(folder / "run.gz"), MEASURES, **options)) == text
    )
    assert json.dumps(score_run(read_qrels(folder / "qrels"), run, MEASURES, **options)) == text
    assert read_run(folder / "run.gz").to_dict() == run


def as_tables(qrels, run):
    frame = pytest.importorskip("pandas").DataFrame
    judged, retrieved = shuffled(qrels, "relevance", 1), shuffled(run, "score", 2)
    return runs._table("qrels", frame(judged), Qrels), runs._table("run", frame(retrieved), Run)


def test_hashes_that_collide_change_nothing(monkeypatch):
    chance = random.Random(0)
    names = [f"D{number}" for number in range(200)]
    qrels = {q: {d: chance.randrange(3) for d in chance.sample(names, 60)} for q in "abc"}
    run = {q: {d: float(chance.randrange(9)) for d in chance.sample(names, 90)} for q in "bcd"}
    expected = score_run(qrels, run, MEASURES)
    with monkeypatch.context() as patch:
        patch.delattr(runs, "_evaluate_dicts")  # which is slow, and for collisions alone
        assert score_run(*as_tables(qrels, run), MEASURES) == expected

    monkeypatch.setattr(Ids, "hashes", lambda ids: (ids.words(0) >> np.uint64(41)) & np.uint64(7))
    tables = as_tables(qrels, run)
    hashes = tables[1].hashes
    assert len(np.unique(hashes)) < len(hashes) / 5
    assert tables[1].first_duplicate() is None
    assert score_run(*tables, MEASURES) == expected


def as_run(*rows):
    run = {"q": {}, "r": {}}
    for query_id, document in rows:
        run[query_id][document] = 1.0
    return run


@by_table("judged, retrieved")
def test_equal_hashes_of_different_rows_are_no_match(judged, retrieved):
    tables = as_tables({judged[0]: {judged[1]: 1}}, as_run(retrieved))
    for table in tables:
        vars(table)["hashes"] = np.array([7], dtype=np.uint64)

    assert score_run(*tables, ["num_rel_ret"])["mean"] == {"num_rel_ret": 0}


@pytest.mark.parametrize(
    ("qrels_hashes", "run_hashes"),
    [([5, 6], [5, 6]), ([5, 5], [5, 6]), ([5, 6], [5, 5]), ([5, 5], [5, 5])],
)
def test_equal_hashes_in_one_table_change_nothing(qrels_hashes, run_hashes):
    qrels = {"q": {"a": 1, "b": 2}}
    tables = as_tables(qrels, as_run(("q", "a"), ("q", "b")))
    vars(tables[0])["hashes"] = np.array(qrels_hashes, dtype=np.uint64)
    vars(tables[1])["hashes"] = np.array(run_hashes, dtype=np.uint64)

    assert score_run(*tables, ["num_rel_ret"])["mean"] == {"num_rel_ret": 2}


def test_the_geometric_mean_of_trec_eval_9_adds_missing_queries_last():
    chance = random.Random(0)
    qrels = {f"q{number:03}": {"a": 1, "b": chance.randrange(2)} for number in range(100)}
    run = {
        name: {"a": chance.random(), "b": chance.random(), "c": chance.random()}
        for name in chance.sample(sorted(qrels), 60)
    }
    single, double = (
        score_run(qrels, run, ["map", "gm_map"], score_dtype=score_dtype)
        for score_dtype in ("float32", "float64")
    )
    total = 0.0
    for name in sorted(run):
        total += math.log(single["per_query"][name]["map"])
    total += 40 * math.log(1e-5)

    assert single["mean"]["gm_map"] == math.exp(total / 100)
    assert double["mean"]["gm_map"] == pytest.approx(math.exp(total / 100), rel=1e-12)


def test_counts_are_integers():
    result = score_run({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["num_rel", "num_q", "map"])

    assert json.dumps(result["mean"]) == '{"num_rel": 1, "num_q": 1, "map": 1.0}'
    assert json.dumps(result["per_query"]) == '{"q": {"num_rel": 1, "num_q": 1, "map": 1.0}}'


def test_ids_may_be_strings_of_numpy():
    def of_numpy(table):
        return {
            np.str_(query): {np.str_(document): value for document, value in row.items()}
            for query, row in table.items()
        }

    qrels, run = {"q": {"a": 1, "é": 2, "c": 0}}, {"q": {"c": 1.0, "é": 1.0, "a": 1.0, "x": 1.0}}
    expected = score_run(qrels, run)
    for pair in ((of_numpy(qrels), of_numpy(run)), (qrels, of_numpy(run)), (of_numpy(qrels), run)):
        assert score_run(*pair) == expected


def test_bytes_that_are_not_utf_8_stay_apart(tmp_path):
    (tmp_path / "qrels").write_bytes(b"q\xff 0 a\xfe 1\nq\xff 0 a\xfd 0\n")
    (tmp_path / "run").write_bytes(b"q\xff Q0 a\xfe 1 2 t\nq\xff Q0 a\xfd 2 2 t\n")
    result = score_run(tmp_path / "qrels", tmp_path / "run", ["mrr"])

    assert result["per_query"] == {"q\udcff": {"mrr": 1.0}}


# What is refused


@by_table("qrels, run, message")
def test_an_input_of_another_kind_is_refused(qrels, run, message):
    with pytest.raises(ValueError, match=message):
        score_run(qrels, run)


def test_a_table_with_a_row_twice_is_refused():
    pandas = pytest.importorskip("pandas")
    run = pandas.DataFrame({"query_id": ["q"] * 2, "doc_id": ["a"] * 2, "score": [1.0, 2.0]})
    with pytest.raises(ValueError, match=r"run\[1\]: query 'q' has document 'a' already"):
        score_run({"q": {"a": 1}}, run)
    with pytest.raises(ValueError, match="run must be a path"):
        score_run({"q": {"a": 1}}, run.rename(columns={"score": "sim"}))
    with pytest.raises(ValueError, match="run must be a path"):
        score_run({"q": {"a": 1}}, as_tables({"q": {"a": 1}}, {"q": {"a": 1.0}})[0])


@pytest.mark.parametrize(("option", "value"), [("missing", "error"), ("per_query", 1)])
def test_an_option_that_makes_no_sense_is_refused(option, value):
    with pytest.raises(ValueError, match=option):
        score_run({"q": {"a": 1}}, {}, **{option: value})


def test_without_a_query_there_is_no_mean():
    result = score_run({"q": {"a": 1}}, {"r": {"a": 1.0}}, ["map", "num_q"], missing="skip")
    assert result["per_query"] == {}
    assert math.isnan(result["mean"]["map"])
    assert result["mean"]["num_q"] == 0
    assert score_run({"q": {"a": 1}}, {}, ["map", "num_q"])["mean"] == {"map": 0.0, "num_q": 1}
