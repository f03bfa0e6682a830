"""Agreement of judges: worked examples, edge cases and what is refused."""

import math

import numpy as np
import pytest

from metric_commons import load
from tests.spec import Spec

NAN = math.nan
KAPPAS = ("cohen_kappa", "fleiss_kappa", "gwet_ac", "brennan_prediger", "krippendorff_alpha")
FURTHER = (
    *("fleiss_kappa", "gwet_ac", "brennan_prediger"),
    *("kendall_tau_b", "spearman", "pearson"),
)
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
OTHER_SHAPES = (
    Spec(
        name="judge_agreement",
        shape="any number of raters",
        sample={"predictions": [[1, 1, 1], [2, 2, 3], [3, 3, 3]]},
        # Disagreement 4 / (3 - 1) / 9 observed, and 1 - (3*2 + 2*1 + 4*3) / (9*8) expected.
        result={"percent_agreement": 7 / 9, "krippendorff_alpha": 9 / 13},
        perfect={"predictions": [["a", "a"], ["b", "b"]]},
        best={"percent_agreement": 1.0, "krippendorff_alpha": 1.0},
        other_ranges={"krippendorff_alpha": (-1.0, 1.0)},
        wrong={"predictions": {"a": 1}},
        whole=True,
    ),
    Spec(
        name="judge_agreement",
        shape="numbers, further measures",
        sample={
            "predictions": [1.0, 2.0, 3.0, 3.0],
            "references": [1.0, 3.0, 3.0, 2.0],
            "measures": FURTHER,
        },
        # Half of the pairs are equal. Labels occur in the proportions 1/4, 1/4 and 1/2.
        result={
            "fleiss_kappa": (1 / 2 - 3 / 8) / (1 - 3 / 8),
            "gwet_ac": (1 / 2 - 5 / 16) / (1 - 5 / 16),
            "brennan_prediger": (1 / 2 - 1 / 3) / (1 - 1 / 3),
            "kendall_tau_b": (3 - 1) / 5,
            "spearman": 2.25 / 4.5,
            "pearson": 1.75 / 2.75,
            "constant_agreement": 0.5,
        },
        perfect={"predictions": [1.0, 2.0], "references": [1.0, 2.0], "measures": FURTHER},
        best=dict.fromkeys(FURTHER, 1.0) | {"constant_agreement": 0.5},
        other_ranges=dict.fromkeys(FURTHER, (-1.0, 1.0)) | {"constant_agreement": (0.0, 1.0)},
        wrong={"predictions": {"a": 1}, "references": {"a": 1}},
        whole=True,
    ),
    Spec(
        name="judge_agreement",
        shape="verdicts in both orders",
        sample={
            "predictions": ["A", "A", "B", "tie"],
            "references": ["A", "B", "A", "tie"],
            "swapped": True,
        },
        result={
            "swap_consistency": 0.75,
            "first_position_share": 0.25,
            "second_position_share": 0.0,
            "first_position_rate": 0.625,
            "win_rate_a": 0.5,
            "position_p_value": 1.0,
        },
        perfect={"predictions": ["A", "B"], "references": ["B", "A"], "swapped": True},
        best={
            "swap_consistency": 1.0,
            "first_position_share": 0.0,
            "second_position_share": 0.0,
            "first_position_rate": 0.5,
            "win_rate_a": 0.5,
            "position_p_value": 1.0,
        },
        wrong={"predictions": 0.5, "references": 0.5},
        whole=True,
    ),
    Spec(
        name="judge_agreement",
        shape="a panel",
        sample={
            "predictions": [[1, 1, 0], [0, 1, 0], [1, 1, 1], [0, 0, 1]],
            "references": [1, 0, 1, 1],
        },
        # Errors: judge 1 in row 3, judge 2 in rows 1 and 3, judge 3 in row 0.
        result={
            "agreement": 8 / 12,
            "best_agreement": 0.75,
            "majority_agreement": 0.75,
            "tied_majorities": 0,
            "constant_agreement": 0.75,
            "error_correlation": (math.sqrt(1 / 3) - math.sqrt(1 / 3) - 1 / 3) / 3,
            "effective_judges": 3 / (1 - 2 / 9),
            "all_wrong": 0.0,
            "judges": 3,
        },
        perfect={"predictions": [["a", "a"], ["b", "b"]], "references": ["a", "b"]},
        best={
            "agreement": 1.0,
            "best_agreement": 1.0,
            "majority_agreement": 1.0,
            "tied_majorities": 0,
            "constant_agreement": 0.5,
            "error_correlation": NAN,
            "effective_judges": NAN,
            "all_wrong": 0.0,
            "judges": 2,
        },
        other_ranges={"error_correlation": (-1.0, 1.0), "effective_judges": (0.0, math.inf)},
        wrong={"predictions": {"a": 1}, "references": {"a": 1}},
        whole=True,
    ),
)


@pytest.fixture(scope="module")
def judge_agreement():
    return load("judge_agreement")


@pytest.mark.parametrize(
    ("columns", "options", "scores"),
    [
        # One label only: chance agrees always.
        (([1, 1], [1, 1]), {}, {"agreement": 1.0, "cohen_kappa": NAN, "constant_agreement": 1.0}),
        (([[1, 1], [1, 1]],), {}, {"percent_agreement": 1.0, "krippendorff_alpha": NAN}),
        # No unit has two ratings.
        (([[1], [2]],), {}, {"percent_agreement": NAN, "krippendorff_alpha": NAN}),
        (([[], [None, None]],), {}, {"percent_agreement": NAN, "krippendorff_alpha": NAN}),
        # Kappa 0 with 90 % agreement: a constant judge does as well.
        (([1] * 9 + [0], [1] * 10), {}, {"agreement": 0.9, "cohen_kappa": 0.0}),
        # A constant column has no correlation.
        (([1, 1, 1], [1, 2, 3]), {"measures": ["pearson", "spearman"]}, {"pearson": NAN}),
        (
            ([1e9 + 1, 1e9 + 2, 1e9 + 3], [3.0, 1.0, 2.0]),
            {"measures": ["pearson", "spearman", "kendall_tau_b"]},
            {"pearson": -0.5, "spearman": -0.5, "kendall_tau_b": -1 / 3},
        ),
        # One step of four rows, where chance would have 7/8 of a step a row.
        (
            ([1, 2, 2, 3], [1, 3, 2, 3]),
            {"measures": "cohen_kappa", "weights": "linear"},
            {"cohen_kappa": 1 - (1 / 4) / (7 / 8)},
        ),
        (
            (["A", "A", "B", "tie"], ["A", "B", "A", "tie"]),
            {"swapped": True},
            {
                "swap_consistency": 0.75,
                "first_position_share": 0.25,
                "first_position_rate": 0.625,
                "position_p_value": 1.0,
            },
        ),
    ],
)
def test_edge_cases(judge_agreement, columns, options, scores):
    names = ("predictions", "references")
    result = judge_agreement.compute(**dict(zip(names, columns, strict=False)), **options)

    for name, score in scores.items():
        assert result[name] == pytest.approx(score, rel=1e-12, abs=1e-12, nan_ok=True), name


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"predictions": [1, 2]}, {}, "references is missing"),
        ({"predictions": [[1, 2]]}, {"measures": "cohen_kappa"}, "measures holds 'cohen_kappa'"),
        (
            {"predictions": [[1, 1], [0, None]], "references": [1, 0]},
            {},
            r"predictions\[1\] lacks a verdict; every judge must give one",
        ),
        (
            {"predictions": [[1, 1], [0]], "references": [1, 0]},
            {},
            r"\[1\] has 1 verdicts, but the first",
        ),
        (
            {"predictions": ["a", "b"], "references": ["a", "c"]},
            {"labels": ["a", "b"]},
            r"references\[1\] is 'c', which is not a label",
        ),
        ({"predictions": [[1, 5]]}, {"labels": [1, 2]}, r"predictions\[0\] holds 5, which is not"),
        ({"predictions": [1], "references": [1]}, {"labels": [1, 1]}, "labels holds a label twice"),
        ({"predictions": [1.0], "references": [NAN]}, {}, r"references\[0\] is nan; every row"),
        (
            {"predictions": ["a"], "references": ["b"]},
            {"measures": "pearson"},
            "pearson needs numbers, but the labels are texts",
        ),
        ({"predictions": [["a", "b"]]}, {"level": "interval"}, "level='interval' needs numbers"),
        (
            {"predictions": [[1.0, -1e308], [1e308, 1.0]]},
            {"measures": "gwet_ac", "weights": "quadratic"},
            r"weights='quadratic' by value needs labels up to 1e\+75, got -1e\+308",
        ),
        (
            {"predictions": [["a", "b"]]},
            {"measures": "gwet_ac", "weights": "linear"},
            "weights='linear' by value needs numbers",
        ),
        (
            {"predictions": ["A"], "references": ["C"]},
            {"swapped": True},
            r"references\[0\] is 'C', which is not a label",
        ),
        (
            {"predictions": [1], "references": [1]},
            {"measures": ["kappa"]},
            "holds 'kappa', which is not a measure; did you mean 'cohen_kappa'",
        ),
        ({"predictions": [["A"]]}, {"swapped": True}, "swapped needs one verdict per row"),
    ],
)
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
