import math
from pathlib import Path

import evaluate
import numpy as np
import pytest

from tests.spec import ROOT, Spec

# Six of eight differences are 0.5, the others 0. Of 64 combinations of signs, 2 are as extreme; the
# statistic is 6 / sqrt(6). Squared deviations add up to 6 / 16 + ... = 0.375, so the error is
# sqrt(0.375 / 7 / 8). Of 256 subsets 4 have the mean 0 or are empty, which are less than 0.025 of
# them; the next smallest means are 1 of 3 rows times 0.5, of which there are 6.
SPEC = Spec(
    name="paired_significance",
    sample={
        "predictions1": [1.0, 1.0, 0.5, 1.0, 0.75, 1.0, 0.5, 0.25],
        "predictions2": [0.5, 0.5, 0.0, 0.5, 0.25, 0.5, 0.5, 0.25],
    },
    result={
        "A_mean": 0.75,
        "B_mean": 0.375,
        "diff": 0.375,
        "p_value": 2 / 64,
        "significant": True,
        "confidence_interval": [0.16666666666666666, 0.5],
        "test": "sign_flip_exact",
        "statistic": 2.4494897427831783,
        "standard_error": 0.08183170883849714,
    },
    perfect={"predictions1": [1.0] * 10, "predictions2": [0.0] * 10},
    best={
        "A_mean": 1.0,
        "B_mean": 0.0,
        "diff": 1.0,
        "p_value": 2 / 1024,
        "significant": True,
        "confidence_interval": [0.3830057843624784, 1.0],  # 0.025 of Beta(10, 1) less the rest
        "test": "sign_flip_exact",
        "statistic": 3.162277660168379,
        "standard_error": 0.0,
    },
    other_ranges={
        "diff": (-1.0, 1.0),
        "confidence_interval": (-1.0, 1.0),
        "statistic": (-math.inf, math.inf),
    },
    wrong={"predictions1": "0.5", "predictions2": [0.5]},
)


@pytest.fixture(scope="module")
def paired_significance():
    return evaluate.load(str(Path(ROOT, "metrics", "paired_significance")))


def test_it_is_a_comparison(paired_significance):
    assert isinstance(paired_significance, evaluate.Comparison)
    assert paired_significance.module_type == "comparison"


def test_significant_is_less_than_alpha(paired_significance):
    for alpha, expected in ((2 / 64, False), (np.nextafter(2 / 64, 1), True), (0.01, False)):
        assert paired_significance.compute(**SPEC.sample, alpha=alpha)["significant"] is expected


def test_equal_systems(paired_significance):
    result = paired_significance.compute(predictions1=[0.3, 0.7], predictions2=[0.3, 0.7])

    assert result == {
        "A_mean": 0.5,
        "B_mean": 0.5,
        "diff": 0.0,
        "p_value": 1.0,
        "significant": False,
        "confidence_interval": [-math.inf, math.inf],  # no shift is rejected by two rows
        "test": "sign_flip_exact",
        "statistic": 0.0,
        "standard_error": 0.0,
    }


@pytest.mark.parametrize(
    ("test", "p_value"), [("permutation", 1.0), ("wilcoxon", 1.0), ("t", math.nan)]
)
def test_one_row_says_nothing(paired_significance, test, p_value):
    result = paired_significance.compute(predictions1=[0.9], predictions2=[0.1], test=test)

    assert result["p_value"] == pytest.approx(p_value, nan_ok=True)
    assert result["significant"] is False
    assert result["confidence_interval"] == [-math.inf, math.inf]
    if test == "permutation":
        nothing = paired_significance.compute(
            predictions1=[0.9], predictions2=[0.1], assume="nothing", bounds=(0, 1)
        )
        # The unseen row is as heavy as this one: from 0.8 - 1.8 * 0.975 to 0.8 + 0.2 * 0.975.
        assert nothing["confidence_interval"] == pytest.approx([-0.955, 0.995])
        assert nothing["p_value"] == 1.0


def test_without_an_interval(paired_significance):
    result = paired_significance.compute(**SPEC.sample, confidence_level=None)

    assert "confidence_interval" not in result
    assert result["p_value"] == SPEC.result["p_value"]


def test_the_scores_of_other_modules_are_its_inputs(paired_significance):
    qa_em = evaluate.load(str(Path(ROOT, "metrics", "qa_em")))
    references = ["Paris", "London", "Rome", "Berlin", "Bern", "Oslo", "Riga"]
    scores = [
        qa_em.compute(predictions=predictions, references=references, per_example=True)
        for predictions in (references, [*references[:1], *"abcdef"])
    ]

    a, b = (score["per_example"]["qa_em"] for score in scores)
    assert paired_significance.compute(predictions1=a, predictions2=b)["p_value"] == 2 / 64


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"predictions1": [0.5, math.inf]}, r"predictions1\[1\] is inf; a score is finite"),
        ({"predictions2": [-math.inf, 1.0]}, r"predictions2\[0\] is -inf"),
        ({"predictions1": [0.5, 1e281]}, r"predictions1\[1\] is 1e\+281; .*at most 1e\+280"),
        ({"alpha": 5}, "alpha must be a number strictly between 0 and 1, got 5; for 5 % pass 0.05"),
        ({"power": 80}, "power must be .* for 80 % pass 0.8"),
        ({"clusters": ["a"]}, "clusters has 1 labels, but there are 2 rows"),
        ({"clusters": ["a", None]}, r"clusters\[1\] is None; every row needs a label"),
        ({"test": "mcnemar"}, "test 'mcnemar' is for scores 0 and 1"),
        ({"test": "wilcoxon", "clusters": ["a", "b"]}, "for independent rows, but there are"),
        ({"assume": "nothing", "test": "t"}, "assume 'nothing' has a test of its own"),
        ({"bounds": (0.2, 0.1)}, "bounds must be the lowest and the highest score, such as"),
        ({"bounds": (-0.2, 0.9)}, "bounds are -0.2 and 0.9, but a score of row 1 is 1"),
        ({"assume": "nothing"}, "assume 'nothing' is for means of rows in a known range; give"),
    ],
)
def test_bad_input_is_named(paired_significance, wrong, message):
    sound = {"predictions1": [0.5, 1.0], "predictions2": [0.5, 0.25]}

    with pytest.raises(ValueError, match=message):
        paired_significance.compute(**sound | wrong)
