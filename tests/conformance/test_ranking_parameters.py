"""Condensed lists and gains beside pytrec_eval, and averages over ties beside scikit-learn."""

import random

import numpy as np
import pytest

from metric_commons.retrieval import score_run
from tests.tables import by_table

LEVELS = [-1, 0, 0, 1, 2, 3]


def random_run(chance, *, queries=12, documents=40, ties=False):
    """Judgments and a run; of 40 documents some are judged and some retrieved."""
    qrels, run = {}, {}
    names = [f"d{number}" for number in range(documents)]
    for number in range(queries):
        judged = chance.sample(names, chance.randrange(1, documents))
        qrels[f"q{number}"] = {document: chance.choice(LEVELS) for document in judged}
        retrieved = chance.sample(names, chance.randrange(1, documents))
        run[f"q{number}"] = {
            document: float(chance.randrange(4) if ties else place + 1)
            for place, document in enumerate(retrieved)
        }
    return qrels, run


def by_query(measure, qrels, run, **options):
    found = score_run(qrels, run, [measure], missing="skip", **options)["per_query"]
    return {query: values[measure] for query, values in found.items()}


def peer_values(measure, qrels, run, provider=None):
    ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    source = getattr(ir_measures, provider) if provider else ir_measures
    parsed = ir_measures.parse_measure(measure)
    return {value.query_id: value.value for value in source.iter_calc([parsed], qrels, run)}


@by_table("measure")
def test_condensed_lists_and_gains(measure):
    pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed")
    qrels, run = random_run(random.Random(4), ties=True)

    expected = peer_values(measure, qrels, run, "pytrec_eval")
    assert by_query(measure, qrels, run, score_dtype="float32") == expected


@pytest.mark.parametrize("cutoff", [None, 1, 3, 10])
@pytest.mark.parametrize("name", ["ndcg", "dcg"])
def test_ties_are_averaged_as_in_scikit_learn(name, cutoff):
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    numbers = np.random.default_rng(6)
    levels = numbers.integers(0, 4, (60, 15)).astype(float)
    scores = numbers.integers(0, 4, (60, 15)).astype(float)
    measure = f"{name}(ties=average)" + (f"@{cutoff}" if cutoff else "")
    peer = getattr(metrics, f"{name}_score")
    ids = [f"d{number}" for number in range(15)]
    qrels, run = (
        {f"q{row}": dict(zip(ids, values.tolist(), strict=True)) for row, values in enumerate(rows)}
        for rows in (levels, scores)
    )

    for query, value in by_query(measure, qrels, run).items():
        row = int(query[1:])
        expected = peer(levels[row : row + 1], scores[row : row + 1], k=cutoff)
        assert value == pytest.approx(expected, rel=1e-12)
