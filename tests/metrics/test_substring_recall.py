from tests.spec import Spec

SPEC = Spec(
    name="substring_recall",
    sample={
        "predictions": ["The answer is Barack Obama.", "It is Obama.", "in NYC"],
        "references": ["Barack Obama", ["Barack Obama"], ["New York City", "NYC"]],
    },
    result={"substring_recall": 2 / 3},
    perfect={"predictions": ["a b c"], "references": [["d", "b c"]]},
    best={"substring_recall": 1.0},
    ranges={"substring_recall": (0.0, 1.0)},
    wrong={"predictions": 1889, "references": ["Paris", 7]},
)
