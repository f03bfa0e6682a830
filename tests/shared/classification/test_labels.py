"""Scores of labels against fractions, and their intervals against the law they follow."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metric_commons.classification.classes import as_labels, classes
from metric_commons.classification.labels import Multilabel, label_scores, tabulated
from metric_commons.numbers.contingency import contingency
from metric_commons.statistics import bootstrap as resampling
from metric_commons.statistics.bootstrap import resampled_totals

WEIGHTS = st.integers(0, 3) | st.floats(0, 1e300) | st.just(1e-300)
SOME = settings(max_examples=60)


def obvious(references, predictions, label, weights, beta):
    """The scores of one label, in fractions; None where there is nothing to divide by."""
    cells = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for truth, guess, weight in zip(references, predictions, weights, strict=True):
        cells[truth == label, guess == label] += Fraction(weight)
    hits, missed, false = cells[True, True], cells[True, False], cells[False, True]
    square = Fraction(beta) ** 2
    parts = {
        "precision": (hits, hits + false),
        "recall": (hits, hits + missed),
        "f1": (2 * hits, 2 * hits + missed + false),
        "f_beta": ((1 + square) * hits, (1 + square) * hits + square * missed + false),
        "fpr": (false, false + cells[False, False]),
        "specificity": (cells[False, False], false + cells[False, False]),
    }
    return {name: Fraction(a) / b if b else None for name, (a, b) in parts.items()}


def beyond_chance(references, predictions, weights):
    """Accuracy, squared correlation with its sign, and kappa, in fractions."""
    labels = sorted({*references, *predictions})
    rows = list(zip(references, predictions, map(Fraction, weights), strict=True))
    total = sum(weight for _, _, weight in rows)
    hits = sum(weight for truth, guess, weight in rows if truth == guess)
    truths = [sum(w for truth, _, w in rows if truth == label) for label in labels]
    guesses = [sum(w for _, guess, w in rows if guess == label) for label in labels]
    chance = sum(one * other for one, other in zip(truths, guesses, strict=True))
    covariance = hits * total - chance
    spread = (total**2 - sum(t**2 for t in truths)) * (total**2 - sum(g**2 for g in guesses))
    squared = covariance**2 / spread if spread else Fraction(0)
    return {
        "accuracy": float(hits / total),
        "mcc": math.sqrt(squared) * (-1 if covariance < 0 else 1),
        "kappa": float(covariance / (total**2 - chance)) if total**2 != chance else math.nan,
    }


@SOME
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), WEIGHTS), min_size=1, max_size=30),
    st.booleans(),
    st.sampled_from([0.0, 0.5, 1.0, 2.0, 1e200]),
)
def test_scores_are_rounded_once(rows, weighed, beta):
    references, predictions, weights = (list(column) for column in zip(*rows, strict=True))
    given_weights = weights if weighed else None
    weights = weights if weighed else [1] * len(rows)
    table, among = tabulated(
        predictions, references, labels=[0, 1, 2, 3], average="none", sample_weight=given_weights
    )
    scores = label_scores(table, among, beta=beta, zero_division=math.nan)
    if not sum(weights):
        assert all(map(math.isnan, [scores["accuracy"], *scores["f1"], scores["mcc"]]))
        return

    # Sums of weights are rounded to floats, one for each pair of labels.
    exact = given_weights is None or all(weight in (0, 1, 2, 3) for weight in weights)
    for place, label in enumerate(range(4)):
        for name, value in obvious(references, predictions, label, weights, beta).items():
            if name in scores:
                found = scores[name][place]
                assert found == pytest.approx(
                    math.nan if value is None else float(value),
                    rel=0 if exact else 1e-14,
                    abs=0 if exact else 1e-14,
                    nan_ok=True,
                ), name
    for name, value in beyond_chance(references, predictions, weights).items():
        assert scores[name] == pytest.approx(value, rel=1e-14, abs=1e-14, nan_ok=True)


def test_counts_of_a_billion_rows_are_exact():
    table = contingency([0, 0, 1, 1], [0, 1, 0, 1])
    many = np.array([3 * 10**9 + 1, 10**9, 10**9, 5 * 10**9 + 3])
    large = type(table)(table.first, table.second, table.rows, table.columns, many)
    a, b, c, d = map(int, many)
    scores = label_scores(large, classes([0, 1]))

    assert scores["kappa"] == 2 * (a * d - b * c) / ((a + b) * (b + d) + (a + c) * (c + d))
    squared = Fraction((a * d - b * c) ** 2, (a + b) * (c + d) * (a + c) * (b + d))
    assert scores["mcc"] == pytest.approx(math.sqrt(squared), rel=1e-15)


def test_labels_choose_what_is_averaged_and_shown():
    references, predictions = ["a", "b", "c", "a"], ["a", "c", "c", "b"]
    table, among = tabulated(predictions, references, labels=["c", "a"])
    scores = label_scores(table, among)

    assert scores["labels"] == ["c", "a"]
    assert scores["confusion_matrix"] == [[1, 0], [0, 1]]
    assert scores["recall"] == (1 + 1 / 2) / 2
    assert scores["accuracy"] == 1 / 2


def test_labels_too_many_for_a_matrix_are_refused():
    many = np.arange(40_000)
    with pytest.raises(ValueError, match="40000 labels, too many for a confusion matrix; labels="):
        label_scores(*tabulated(many, many))

    assert label_scores(*tabulated(many, many, labels=[5, 7]))["confusion_matrix"] == [
        [1, 0],
        [0, 1],
    ]


def test_a_false_positive_rate_without_negatives_is_not_perfect():
    table, among = tabulated([1, 0], [1, 1])

    for zero, expected in ((0.0, math.nan), (1.0, 1.0), (math.nan, math.nan)):
        scores = label_scores(table, among, zero_division=zero)
        assert scores["fpr"] == pytest.approx(expected, nan_ok=True)
        assert scores["specificity"] == pytest.approx(zero, nan_ok=True)


@pytest.mark.parametrize(
    ("present", "options", "labels", "positive", "average"),
    [
        ([0, 1], {}, [0, 1], 1, "binary"),
        ([0], {}, [0, 1], 1, "binary"),
        ([1], {}, [0, 1], 1, "binary"),
        ([5], {}, [1, 5], 1, "binary"),
        ([True], {}, [False, True], True, "binary"),
        ([-1, 1], {}, [-1, 1], 1, "binary"),
        ([2, 7], {}, [2, 7], 7, "binary"),
        (["no", "yes"], {}, ["no", "yes"], "yes", "binary"),
        (["no", "yes"], {"pos_label": "no"}, ["no", "yes"], "no", "binary"),
        (["ham"], {"pos_label": "spam"}, ["ham", "spam"], "spam", "binary"),
        (["spam"], {"pos_label": "spam"}, ["spam"], "spam", "binary"),
        (["spam"], {}, ["spam"], None, "macro"),
        ([0, 1], {"average": "macro"}, [0, 1], 1, "macro"),
        ([0, 1, 2], {}, [0, 1, 2], None, "macro"),
        ([0, 1], {"labels": [2, 1, 0]}, [2, 1, 0], None, "macro"),
        ([0, 1], {"labels": np.array([1, 0])}, [1, 0], 1, "binary"),
    ],
)
def test_which_label_is_positive(present, options, labels, positive, average):
    found = classes(present, **options)

    assert found.labels == labels
    assert found.average == average
    assert (None if found.positive is None else found.every[found.positive]) == positive


@pytest.mark.parametrize(
    ("present", "options", "message"),
    [
        ([0, 1], {"pos_label": 2}, "pos_label must be one of the labels 0, 1, got 2"),
        ([0, 1], {"pos_label": None}, "pos_label must be a label, got None"),
        (["a", "b"], {"average": "binary"}, "pos_label must be one of the labels 'a', 'b', got 1"),
        ([0, 1, 2], {"average": "binary"}, "is of two labels, but there are 0, 1, 2"),
        ([0, 1], {"average": "macros"}, "average must be one of .* did you mean 'macro'"),
        ([0, 1], {"labels": [0, 0]}, r"labels\[1\] is 0, which stands there already"),
        ([0, 1], {"labels": ["a"]}, "mixed types: int, str"),
        ([0, 1], {"labels": "ab"}, "labels must be a list of labels, got 'ab'"),
        ([0, 1], {"labels": []}, "labels must be a list of labels"),
        ([0, 1], {"labels": [0.5]}, r"labels\[0\] must be a label, got 0.5"),
    ],
)
def test_what_is_no_label_is_refused(present, options, message):
    with pytest.raises(ValueError, match=message):
        classes(present, **options)


def test_whole_numbers_in_floats_are_labels():
    assert as_labels("x", [0.0, 2.0]).tolist() == [0, 2]
    assert as_labels("x", ["a"]) == ["a"]
    with pytest.raises(ValueError, match=r"x\[1\] is 1e\+300; a label is a whole number"):
        as_labels("x", np.array([0.0, 1e300]))


# Rows of several labels


def test_several_labels_a_row_are_tasks_of_their_own():
    rng = np.random.default_rng(0)
    references, predictions = rng.integers(0, 2, (2, 50, 3))
    weights = rng.random(50)
    for weight in (None, weights):
        rows, among = tabulated(predictions, references, sample_weight=weight, average="none")
        scores = label_scores(rows, among)
        for column in range(3):
            table, alone = tabulated(
                predictions[:, column], references[:, column], sample_weight=weight
            )
            single = label_scores(table, alone)
            for name in ("precision", "recall", "f1", "fpr", "specificity"):
                assert scores[name][column] == single[name]
            assert scores["confusion_matrix"][column] == single["confusion_matrix"]
    assert scores.keys() == single.keys() - {"balanced_accuracy", "mcc", "kappa"}


@pytest.mark.parametrize("container", [list, np.array])
def test_a_column_of_labels_is_a_flat_list(container):
    column, flat = container([[3], [5], [5]]), [3, 5, 5]
    table, among = tabulated(column, container([[3], [3], [5]]))

    assert label_scores(table, among) == label_scores(*tabulated(flat, [3, 3, 5]))


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        ([[0, 1], [1]], [[0, 1], [1, 1]], r"predictions\[1\] has 1 labels, but the rows before 2"),
        ([[0, 1]], [[0, 1, 1]], "predictions have 2 labels a row, references 3"),
        ([[0, 1]], [[0, -1]], r"references\[0\]\[1\] is -1; each label is 0 or 1"),
        ([[]], [[]], r"predictions\[0\] has no labels"),
    ],
)
def test_rows_of_other_numbers_are_refused(predictions, references, message):
    with pytest.raises(ValueError, match=message):
        Multilabel(predictions, references)


# Intervals


@pytest.mark.parametrize("few", [32, 0])
def test_resamples_are_multinomial(few, monkeypatch):
    monkeypatch.setattr(resampling, "_FEW", few)
    counts = np.array([700, 1, 40, 259])
    places = np.arange(4)[:, None]
    drawn = resampled_totals(counts, places, 4, n_resamples=20_000, seed=1)
    rate = counts / 1000

    assert (drawn.sum(axis=0) == 1000).all()
    assert (drawn >= 0).all()
    covariance = 1000 * (np.diag(rate) - np.outer(rate, rate))
    error = np.sqrt(np.diag(covariance) / 20_000)
    assert (np.abs(drawn.mean(axis=1) - counts) < 5 * error).all()
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert (np.abs(np.cov(drawn) - covariance) < 0.05 * scale).all()
    for place, count in enumerate(counts):  # a whole distribution, not just two moments
        law = stats.binom(1000, count / 1000)
        edges = np.unique(law.ppf([0.1, 0.3, 0.5, 0.7, 0.9]))
        share = np.mean(drawn[place][:, None] <= edges, axis=0)
        assert np.abs(share - law.cdf(edges)).max() < 0.02


def test_amounts_and_places_of_a_row_add_up():
    counts = np.array([3, 5])
    places = np.array([[0, 2], [1, 2]])
    drawn = resampled_totals(
        counts, places, 3, amounts=np.array([0.5, 2.0]), n_resamples=100, seed=0
    )
    plain = resampled_totals(counts, places, 3, n_resamples=100, seed=0)

    assert (drawn[0] == plain[0] * 0.5).all()
    assert (drawn[1] == plain[1] * 2).all()
    assert (drawn[2] == drawn[0] + drawn[1]).all()


@pytest.mark.parametrize("average", ["binary", "macro", "micro", "weighted"])
def test_intervals_are_those_of_resampled_rows(average):
    rng = np.random.default_rng(0)
    references = rng.integers(0, 2, 400)
    predictions = np.where(rng.random(400) < 0.8, references, 1 - references)
    table, among = tabulated(predictions, references, average=average)
    found = label_scores(table, among, confidence_level=0.9, n_resamples=4000)
    obvious = []
    for _ in range(1000):
        rows = rng.integers(0, 400, 400)
        resampled, again = tabulated(predictions[rows], references[rows], average=average)
        obvious.append(label_scores(resampled, again))

    for name, (low, high) in found["confidence_interval"].items():
        assert low <= found[name] <= high
        values = [each[name] for each in obvious]
        width = high - low
        assert (low, high) == pytest.approx(
            np.quantile(values, [0.05, 0.95]).tolist(), abs=width / 8
        )


def test_intervals_of_equal_weights_are_those_without_weights():
    rng = np.random.default_rng(0)
    references, predictions = rng.integers(0, 3, (2, 100))
    several = rng.integers(0, 2, (2, 60, 3))
    for pair in ((predictions, references), tuple(several)):
        plain, weighed = (
            label_scores(*tabulated(*pair, sample_weight=weights), confidence_level=0.9)
            for weights in (None, np.full(len(pair[0]), 1e250))
        )
        for name, ends in plain["confidence_interval"].items():
            assert weighed["confidence_interval"][name] == pytest.approx(ends, rel=1e-12)


def test_intervals_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    references, predictions = rng.integers(0, 8, (2, 100))
    weights = rng.random(100)
    order = rng.permutation(100)
    one, other = (
        label_scores(
            *tabulated(predictions[rows], references[rows], sample_weight=weights[rows]),
            confidence_level=0.9,
            n_resamples=50,
        )
        for rows in (slice(None), order)
    )

    assert one == other
    assert one["confidence_interval"]["f1"][0] < one["f1"] < one["confidence_interval"]["f1"][1]


def test_a_score_that_is_not_defined_has_no_interval():
    table, among = tabulated([1, 1], [1, 1])
    intervals = label_scores(table, among, confidence_level=0.9)["confidence_interval"]

    assert intervals["accuracy"] == [1.0, 1.0]
    assert all(map(math.isnan, intervals["fpr"]))
    assert all(map(math.isnan, intervals["kappa"]))


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("beta", -1),
        ("beta", math.nan),
        ("zero_division", "warn"),
        ("zero_division", 2),
        ("confidence_level", 95),
        ("n_resamples", 0),
        ("seed", -1),
    ],
)
def test_a_bad_option_is_named(option, value):
    table, among = tabulated([1, 0], [1, 1])
    with pytest.raises(ValueError, match=option):
        label_scores(table, among, **{option: value})
