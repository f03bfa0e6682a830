"""Runs and judgments in JSON and TSV: what they hold is what TREC's files hold."""

import bz2
import json

import pytest

from metric_commons import load
from metric_commons.data.trec.trec import read_qrels, read_run
from metric_commons.evaluation.scoring.scoring import score
from tests.tables import by_table

RUN = {"q1": {"d1": 0.5, "d2": 0.25}, "q2": {"d é": 1.0}}
QRELS = {"q1": {"d1": 0, "d2": 2}, "q3": {"d3": 1}}


@pytest.mark.parametrize(("read", "content"), [(read_run, RUN), (read_qrels, QRELS)])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("compress", [bytes, bz2.compress])
def test_dictionaries(tmp_path, read, content, indent, compress):
    path = tmp_path / "x"
    path.write_bytes(compress(json.dumps(content, indent=indent).encode()))

    assert read(path).to_dict() == content


@by_table("text")
def test_judgments_of_beir(tmp_path, text):
    (tmp_path / "x.tsv").write_text(text, newline="")

    assert read_qrels(tmp_path / "x.tsv").to_dict() == QRELS


@by_table("read, content, message")
def test_what_is_no_run_is_refused(tmp_path, read, content, message):
    path = tmp_path / "x"
    path.write_text(content)

    with pytest.raises(ValueError, match=message):
        {"run": read_run, "qrels": read_qrels}[read](path)


def test_dictionaries_are_rows_of_queries():
    metric = load("ir_ranking")
    rows = {
        "predictions": [
            {"doc_id": ["d1", "d2"], "score": [0.5, 0.25]},
            {"doc_id": [], "score": []},
        ],
        "references": [
            {"doc_id": ["d1", "d2"], "relevance": [0, 2]},
            {"doc_id": ["d3"], "relevance": [1]},
        ],
    }
    dictionaries = {"predictions": RUN, "references": QRELS}

    assert metric.compute(**dictionaries) == metric.compute(**rows)
    with pytest.raises(ValueError, match="no query in common"):
        metric.compute(predictions={"x": {"d": 1.0}}, references=QRELS)

    results = score("ir_ranking", **dictionaries, options={"measures": ["mrr"]}, rows=True)
    table = results.rows["predictions"]["ir_ranking"]
    assert table.columns["mrr"].tolist() == [0.5, 0.0]
    assert table.ids == ["q1", "q3"]
    both = score("ir_ranking", predictions={"a": RUN, "b": RUN}, references=QRELS, compare=True)
    assert {comparison["diff"] for comparison in both.comparisons} == {0.0}
