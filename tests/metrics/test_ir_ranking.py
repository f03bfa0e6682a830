from math import log2

from tests.spec import Spec

MEASURES = ("ndcg@10", "map", "mrr", "recall@10", "precision@10")

SPEC = Spec(
    name="ir_ranking",
    sample={
        "predictions": [
            {"doc_id": ["a", "b", "c", "d"], "score": [4.0, 3.0, 2.0, 1.0]},
            {"doc_id": ["a", "b"], "score": [1.0, 1.0]},  # a tie: b stands first
            {"doc_id": ["c", "b"], "score": [0.25, 0.5]},
            {"doc_id": [], "score": []},
        ],
        "references": [
            {"doc_id": ["b", "d"], "relevance": [1.0, 1.0]},
            {"doc_id": ["a"], "relevance": [1.0]},
            {"doc_id": ["b", "c"], "relevance": [0.0, -1.0]},
            {"doc_id": ["a"], "relevance": [2.0]},
        ],
    },
    result={
        "ndcg@10": ((1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3)) + 1 / log2(3)) / 4,
        "map": 0.25,
        "mrr": 0.25,
        "recall@10": 0.5,
        "precision@10": 0.3 / 4,
    },
    perfect={"predictions": [["a", "b"]], "references": [["b", "a"]]},
    best={"ndcg@10": 1.0, "map": 1.0, "mrr": 1.0, "recall@10": 1.0, "precision@10": 0.2},
    ranges=dict.fromkeys(MEASURES, (0.0, 1.0)),
    wrong={"predictions": ["a", 1], "references": [0.5, "b"]},
)
