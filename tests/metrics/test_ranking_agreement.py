from metric_commons import load
from tests.spec import Spec
from tests.tables import other_shapes

SPEC = Spec(
    name="ranking_agreement",
    shape="scores",
    sample={
        "predictions": [0.61, 0.58, 0.55, 0.31, 0.3, 0.2],
        "references": [1120.0, 1090.0, 1105.0, 980.0, 900.0, 850.0],
    },
    result={"kendall_tau_b": 13 / 15, "tau_ap_b": 0.8},
    perfect={"predictions": [0.2, 0.1], "references": [2.0, 1.0]},
    best={"kendall_tau_b": 1.0, "tau_ap_b": 1.0},
    other_ranges={"kendall_tau_b": (-1.0, 1.0), "tau_ap_b": (-1.0, 1.0)},
    wrong={"predictions": {}, "references": {}},
    whole=True,
)


OTHER_SHAPES = other_shapes(__file__)


def test_pearson_of_the_largest_floats_does_not_overflow():
    large, small = [1.7e308, -1e308, 3.0, 4.0], [1.7, -1.0, 3e-308, 4e-308]
    agreement = load("ranking_agreement", measures=["pearson"])
    found = agreement.compute(predictions=large, references=[4.0, 1.0, 2.0, 3.0])["pearson"]

    assert found == agreement.compute(predictions=small, references=[4.0, 1.0, 2.0, 3.0])["pearson"]
