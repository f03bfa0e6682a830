import math

from tests.spec import Spec
from tests.tables import other_shapes

RANGES = {
    "ratings": (-math.inf, math.inf),
    **dict.fromkeys(("win_rate", "average_win_rate", "win_matrix"), (0.0, 1.0)),
}

SPEC = Spec(
    name="pairwise_ranking",
    sample={
        "model_a": ["ada", "ada", "bob", "bob", "bob", "ada"],
        "model_b": ["bob", "bob", "ada", "ada", "ada", "bob"],
        "winner": ["model_a", "model_a", "model_a", "tie", "both_bad", "model_a"],
    },
    result={
        "win_rate": {"ada": 4 / 6, "bob": 2 / 6},
        "average_win_rate": {"ada": 4 / 6, "bob": 2 / 6},
        "wins": {"ada": 3, "bob": 1},
        "losses": {"ada": 1, "bob": 3},
        "ties": {"ada": 2, "bob": 2},
        "ratings": {"ada": 1000 + 200 * math.log10(2), "bob": 1000 - 200 * math.log10(2)},
        "win_matrix": {"ada": {"ada": 0.5, "bob": 2 / 3}, "bob": {"ada": 1 / 3, "bob": 0.5}},
    },
    ordered=({"method": "elo"}, frozenset({"ratings"})),
    perfect={"model_a": ["x"], "model_b": ["y"], "winner": ["tie"]},
    best={
        "win_rate": {"x": 0.5, "y": 0.5},
        "average_win_rate": {"x": 0.5, "y": 0.5},
        "wins": {"x": 0, "y": 0},
        "losses": {"x": 0, "y": 0},
        "ties": {"x": 1, "y": 1},
        "ratings": {"x": 1000.0, "y": 1000.0},
        "win_matrix": {"x": {"x": 0.5, "y": 0.5}, "y": {"x": 0.5, "y": 0.5}},
    },
    other_ranges=RANGES,
    wrong={"model_a": 0.5, "model_b": 0.5, "winner": ["model_a"]},
    whole=True,
)
OTHER_SHAPES = other_shapes(__file__)
