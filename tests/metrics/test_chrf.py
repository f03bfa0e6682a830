import pytest

from metric_commons import load
from tests.metrics.test_bleu import ROWS
from tests.spec import Spec
from tests.tables import by_table

SPEC = Spec(
    name="chrf",
    sample=ROWS,
    result={"chrf": 77.125192651992},  # sacrebleu 2.6.0
    perfect={"predictions": ["the cat"], "references": [["x", "the cat"]]},
    best={"chrf": 100.0},
    other_ranges={"chrf": (0.0, 100.0)},
    wrong={"predictions": 3, "references": ["a", 7]},
)


def score(prediction, reference, **options):
    found = load("chrf").compute(predictions=[prediction], references=[reference], **options)
    return found["chrf"]


def f_score(precision, recall, beta=2):
    return 100 * (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


# By hand: precision and recall of each order, averaged.
@by_table("prediction, reference, options, precisions, recalls")
def test_precision_and_recall_are_averaged(prediction, reference, options, precisions, recalls):
    # Orders of which a side has no n-grams are left out of the lists.
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)

    found = score(prediction, reference, **options)
    assert found == pytest.approx(f_score(precision, recall), rel=1e-14)


@pytest.mark.parametrize("beta", [0.5, 1, 2, 3])
def test_recall_counts_beta_times(beta):
    found = score("ab", "abcd", char_order=1, beta=beta)

    assert found == pytest.approx(f_score(1, 1 / 2, beta), rel=1e-14)


def test_f_scores_of_all_orders_may_be_averaged():
    found = score("ab", "abb", char_order=3, eps_smoothing=True)

    assert found == pytest.approx((f_score(1, 2 / 3) + f_score(1, 1 / 2)) / 3, rel=1e-12)


def test_a_row_takes_its_best_reference_the_first_of_equals():
    metric = load("chrf")
    rows = {"predictions": ["ab", "b"], "beta": 1, "char_order": 1}
    scores = {
        order: metric.compute(**rows, references=[list(order), "b"])["chrf"]
        for order in (("a", "abbb"), ("abbb", "a"), ("a", "abbb", "ab"))
    }

    assert score("ab", "a", beta=1, char_order=1) == score("ab", "abbb", beta=1, char_order=1)
    assert scores == {
        ("a", "abbb"): pytest.approx(80.0),
        ("abbb", "a"): pytest.approx(75.0),
        ("a", "abbb", "ab"): pytest.approx(100.0),
    }
