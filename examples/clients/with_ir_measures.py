"""Our measures in ir_measures, and in an experiment of PyTerrier.

    pip install metric-commons ir-measures python-terrier
    python examples/clients/with_ir_measures.py

PyTerrier is left out if it is not installed.
"""

from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path

import ir_measures
import pandas as pd
from ir_measures import AP, ERR, RBP, RR, P, R, nDCG

import metric_commons
from metric_commons.frameworks.harnesses.ir_measures import register

EXAMPLES = Path(__file__).resolve().parents[1]
MEASURES = [nDCG @ 10, nDCG(dcg="exp-log2") @ 10, AP, RR @ 10, R @ 100, P @ 5, ERR @ 20, RBP(p=0.9)]


def main() -> None:
    qrels = list(ir_measures.read_trec_qrels(str(EXAMPLES / "qrels.txt")))
    run = list(ir_measures.read_trec_run(str(EXAMPLES / "bm25.run.txt")))
    theirs = ir_measures.pytrec_eval.calc_aggregate([nDCG @ 10, AP, RR, P @ 5], qrels, run)

    provider = register()
    found = ir_measures.calc_aggregate(MEASURES, qrels, run)
    assert all(found[measure] == theirs[measure] for measure in (nDCG @ 10, AP, P @ 5))
    assert all(provider.supports(measure) for measure in MEASURES)

    scores, grades = defaultdict(dict), defaultdict(dict)
    for document in run:
        scores[document.query_id][document.doc_id] = document.score
    for document in qrels:
        grades[document.query_id][document.doc_id] = document.relevance
    expected = metric_commons.load("ir_ranking").compute(
        predictions={query: scores[query] for query in grades},  # a missing one scores 0
        references=dict(grades),
        measures=[str(measure) for measure in MEASURES],
        score_dtype="float32",
    )
    for measure in MEASURES:
        assert abs(found[measure] - expected[str(measure)]) < 1e-12
        print(measure, f"{found[measure]:.4f}")

    if find_spec("pyterrier"):
        check_experiment(found, qrels, run)


def check_experiment(found: dict, qrels: list, run: list) -> None:
    """The same numbers in a table of `pt.Experiment`, without Java."""
    import pyterrier as pt

    rankings = pd.DataFrame(run).rename(
        columns={"query_id": "qid", "doc_id": "docno", "score": "score"}
    )
    judgments = pd.DataFrame(qrels).rename(
        columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    )
    topics = pd.DataFrame({"qid": judgments["qid"].unique()})
    topics["query"] = topics["qid"]
    table = pt.Experiment([rankings], topics, judgments, eval_metrics=MEASURES, names=["bm25"])
    for measure in MEASURES:
        assert abs(table[str(measure)][0] - found[measure]) < 1e-12
    print(table.T)


if __name__ == "__main__":
    main()
