from tests.spec import Spec

SPEC = Spec(
    name="qa_em",
    sample={
        "predictions": ["The Eiffel Tower!", "1889", "Paris"],
        "references": [["Eiffel Tower", "La tour Eiffel"], "1887", ["paris, France", "Paris"]],
    },
    result={"qa_em": 2 / 3},
    perfect={"predictions": ["a b"], "references": [["b a", "a b"]]},
    best={"qa_em": 1.0},
    ranges={"qa_em": (0.0, 1.0)},
    wrong={"predictions": 1889, "references": ["Paris", 7]},
)
