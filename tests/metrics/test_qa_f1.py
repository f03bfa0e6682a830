from tests.spec import Spec

SPEC = Spec(
    name="qa_f1",
    sample={
        "predictions": ["cat sat on", "the dog", "Paris"],
        "references": [["a dog", "the cat sat"], "dog", ["London"]],
    },
    result={"qa_f1": 0.6, "qa_precision": (2 / 3 + 1 + 0) / 3, "qa_recall": 2 / 3},
    perfect={"predictions": ["a b"], "references": [["c", "b a"]]},
    best={"qa_f1": 1.0, "qa_precision": 1.0, "qa_recall": 1.0},
    ranges={"qa_f1": (0.0, 1.0), "qa_precision": (0.0, 1.0), "qa_recall": (0.0, 1.0)},
    wrong={"predictions": 1889, "references": ["Paris", 7]},
)
