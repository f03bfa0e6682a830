"""Agreement of judges: worked examples, edge cases and what is refused."""

import numpy as np
import pytest

from metric_commons import load
from tests.spec import Spec
from tests.tables import by_table, other_shapes

KAPPAS = ("cohen_kappa", "fleiss_kappa", "gwet_ac", "brennan_prediger", "krippendorff_alpha")
# Two raters, three equal pairs of four: both say "yes" twice, or three times.
SPEC = Spec(
    name="judge_agreement",
    shape="two raters",
    sample={"predictions": ["yes", "yes", "no", "yes"], "references": ["yes", "no", "no", "yes"]},
    # By chance 3/4 * 1/2 + 1/4 * 1/2 = 1/2 of the pairs are equal.
    result={"agreement": 0.75, "cohen_kappa": 0.5, "constant_agreement": 0.5},
    perfect={"predictions": [1, 2, 1], "references": [1, 2, 1]},
    best={"agreement": 1.0, "cohen_kappa": 1.0, "constant_agreement": 2 / 3},
    other_ranges={"cohen_kappa": (-1.0, 1.0)},
    wrong={"predictions": {"a": 1}, "references": {"a": 1}},
    whole=True,
)
OTHER_SHAPES = other_shapes(__file__)


@pytest.fixture(scope="module")
def judge_agreement():
    return load("judge_agreement")


@by_table("columns, options, scores")
def test_edge_cases(judge_agreement, columns, options, scores):
    names = ("predictions", "references")
    result = judge_agreement.compute(**dict(zip(names, columns, strict=False)), **options)

    for name, score in scores.items():
        assert result[name] == pytest.approx(score, rel=1e-12, abs=1e-12, nan_ok=True), name


@by_table("columns, options, message")
def test_what_is_refused(judge_agreement, columns, options, message):
    with pytest.raises(ValueError, match=message):
        judge_agreement.compute(**columns, **options)


def test_arrays_have_nan_where_lists_have_none(judge_agreement):
    ratings = [[1.0, None, 2.0], [1.0, 1.0, None], [2.0, 2.0, 2.0], [3.5, 2.0, 3.5]]
    array = np.array(ratings, float)
    options = {"measures": KAPPAS[1:], "confidence_level": 0.9}

    assert judge_agreement.compute(predictions=array, **options) == judge_agreement.compute(
        predictions=ratings, **options
    )


def test_the_order_of_raters_and_rows_leaves_every_bit(judge_agreement):
    rng = np.random.default_rng(0)
    ratings = [
        [None if rng.random() < 0.2 else int(rng.integers(1, 4)) for _ in range(rng.integers(1, 5))]
        for _ in range(60)
    ]
    labels = [int(number) for number in rng.integers(0, 9, 60)]
    options = {"confidence_level": 0.95}
    names = ["percent_agreement", *KAPPAS[1:]]
    expected = judge_agreement.compute(
        predictions=ratings, clusters=labels, measures=names, **options
    )
    order = rng.permutation(60)
    shuffled = [list(rng.permutation(np.array(ratings[row], object))) for row in order]
    shuffled_labels = [labels[row] for row in order]

    assert expected == judge_agreement.compute(
        predictions=shuffled, clusters=shuffled_labels, measures=names, **options
    )


def test_intervals_count_clusters(judge_agreement):
    columns = {"predictions": [0, 1, 1, 0] * 10, "references": [0, 1, 0, 0] * 10}
    alone = judge_agreement.compute(**columns, confidence_level=0.95)
    rows = [row % 5 for row in range(40)]
    clustered = judge_agreement.compute(**columns, confidence_level=0.95, clusters=rows)
    assert clustered["n_clusters"] == 5
    assert clustered["cohen_kappa"] == alone["cohen_kappa"]
    for name in ("agreement", "cohen_kappa"):
        low, high = alone["confidence_interval"][name]
        wide_low, wide_high = clustered["confidence_interval"][name]
        assert wide_low < low
        assert wide_high - wide_low > high - low

    one = judge_agreement.compute(**columns, confidence_level=0.95, clusters=[1] * 40)
    low, high = one["confidence_interval"]["agreement"]
    assert [low, high] == pytest.approx([0.75 * 0.025, 1 - 0.25 * 0.025])  # one weight of two
