"""From columns of labels to scores, and intervals against the distribution of resamples."""

import math

import numpy as np
import pytest
from scipy import stats

from metric_commons.labels.classification.labels import label_scores, label_table
from metric_commons.statistics import Interval
from metric_commons.statistics.resampling import resampled_totals


def test_labels_choose_what_is_averaged_and_shown():
    references, predictions = ["a", "b", "c", "a"], ["a", "c", "c", "b"]
    table, task = label_table(predictions, references, labels=["c", "a"])
    scores = label_scores(table, task, confusion_matrix=True)

    assert scores["labels"] == ["c", "a"]
    assert scores["confusion_matrix"] == [[1, 0], [0, 1]]
    assert scores["recall"] == (1 + 1 / 2) / 2
    assert scores["accuracy"] == 1 / 2


@pytest.mark.parametrize("container", [list, np.array])
def test_a_column_of_labels_is_a_flat_list(container):
    column, flat = container([[3], [5], [5]]), [3, 5, 5]
    table, task = label_table(column, container([[3], [3], [5]]))

    assert label_scores(table, task) == label_scores(*label_table(flat, [3, 3, 5]))


# Intervals


@pytest.mark.parametrize("few", [32, 0])
def test_resamples_are_multinomial(few, monkeypatch):
    monkeypatch.setattr(resampled_totals, "_BINOMIAL_KINDS", few)
    counts = np.array([700, 1, 40, 259])
    places = np.arange(4)[:, None]
    (drawn,) = resampled_totals.resampled_totals(counts, places, 4, n_resamples=20_000, seed=1)
    rate = counts / 1000

    assert (drawn.sum(axis=0) == 1000).all()
    assert (drawn >= 0).all()
    covariance = 1000 * (np.diag(rate) - np.outer(rate, rate))
    error = np.sqrt(np.diag(covariance) / 20_000)
    assert (np.abs(drawn.mean(axis=1) - counts) < 5 * error).all()
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert (np.abs(np.cov(drawn) - covariance) < 0.05 * scale).all()
    for place, count in enumerate(counts):  # a whole distribution, not just two moments
        distribution = stats.binom(1000, count / 1000)
        edges = np.unique(distribution.ppf([0.1, 0.3, 0.5, 0.7, 0.9]))
        share = np.mean(drawn[place][:, None] <= edges, axis=0)
        assert np.abs(share - distribution.cdf(edges)).max() < 0.02


def test_amounts_and_places_of_a_row_add_up():
    counts = np.array([3, 5])
    places = np.array([[0, 2], [1, 2]])
    (drawn,) = resampled_totals.resampled_totals(
        counts, places, 3, amounts=np.array([[0.5], [2.0]]), n_resamples=100, seed=0
    )
    (plain,) = resampled_totals.resampled_totals(counts, places, 3, n_resamples=100, seed=0)

    assert (drawn[0] == plain[0] * 0.5).all()
    assert (drawn[1] == plain[1] * 2).all()
    assert (drawn[2] == drawn[0] + drawn[1]).all()


@pytest.mark.long
@pytest.mark.parametrize("average", ["binary", "macro", "micro", "weighted"])
def test_intervals_are_those_of_resampled_rows(average):
    rng = np.random.default_rng(0)
    references = rng.integers(0, 2, 400)
    predictions = np.where(rng.random(400) < 0.8, references, 1 - references)
    table, task = label_table(predictions, references, average=average)
    result = label_scores(table, task, confidence_level=0.9, interval="bootstrap", n_resamples=4000)
    resamples = []
    for _ in range(1000):
        rows = rng.integers(0, 400, 400)
        resampled = label_table(predictions[rows], references[rows], average=average)
        resamples.append(label_scores(*resampled))

    for name, (low, high) in result["confidence_interval"].items():
        assert low <= result[name] <= high
        values = [scores[name] for scores in resamples]
        width = high - low
        assert (low, high) == pytest.approx(
            np.quantile(values, [0.05, 0.95]).tolist(), abs=width / 8
        )


@pytest.mark.long
def test_intervals_of_equal_weights_are_those_without_weights():
    rng = np.random.default_rng(0)
    references, predictions = rng.integers(0, 3, (2, 100))
    several = rng.integers(0, 2, (2, 60, 3))
    options = {"confidence_level": 0.9, "interval": "bootstrap"}
    for pair in ((predictions, references), tuple(several)):
        plain, weighted = (
            label_scores(*label_table(*pair, sample_weight=weights), **options)
            for weights in (None, np.full(len(pair[0]), 1e250))
        )
        for name, ends in plain["confidence_interval"].items():
            assert weighted["confidence_interval"][name] == pytest.approx(ends, rel=1e-12)


def test_intervals_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    references, predictions = rng.integers(0, 8, (2, 100))
    weights = rng.random(100)
    order = rng.permutation(100)
    result, reordered = (
        label_scores(
            *label_table(predictions[rows], references[rows], sample_weight=weights[rows]),
            confidence_level=0.9,
            n_resamples=50,
        )
        for rows in (slice(None), order)
    )

    assert result == reordered
    low, high = result["confidence_interval"]["f1"]
    assert low < result["f1"] < high


def test_a_score_that_is_not_defined_has_no_interval():
    table, task = label_table([1, 1], [1, 1])
    options = {"confidence_level": 0.9, "interval": "bootstrap"}
    intervals = label_scores(table, task, **options)["confidence_interval"]

    assert intervals["accuracy"] == [1.0, 1.0]
    assert label_scores(table, task, confidence_level=0.9)["interval"]["fpr"] == "clopper_pearson"
    assert all(map(math.isnan, intervals["fpr"]))
    assert all(map(math.isnan, intervals["kappa"]))


def test_scores_of_several_labels_have_an_interval_each():
    rng = np.random.default_rng(0)
    references, predictions = rng.integers(0, 3, (2, 200))
    options = {"confidence_level": 0.9, "n_resamples": 2000, "interval": "bootstrap"}
    listed = label_scores(*label_table(predictions, references, average="none"), **options)

    for label in range(3):
        single = label_scores(
            *label_table(predictions, references, labels=[label], average="macro"), **options
        )
        for name in ("precision", "recall", "f1", "fpr", "specificity"):
            ends = listed["confidence_interval"][name][label]
            assert ends == single["confidence_interval"][name]


def test_resamples_without_a_score_are_left_out_of_its_interval():
    # A third of the resamples of two rows have no positive at all.
    table, task = label_table([1, 0], [1, 0])
    options = {"confidence_level": 0.9, "n_resamples": 100, "interval": "bootstrap"}
    scores = label_scores(table, task, zero_division=math.nan, **options)

    assert scores["confidence_interval"]["recall"] == [1.0, 1.0]


def test_further_scores_and_their_intervals_stand_with_the_others():
    table, task = label_table([1, 0], [1, 1])
    found = Interval(0.25, 0.75, "korn_graubard", 0.1, 9.0)
    scores = label_scores(
        table,
        task,
        further_scores={"roc_auc": 0.5},
        further_estimators={"roc_auc": lambda **options: found},
        confidence_level=0.9,
    )

    assert scores["roc_auc"] == 0.5
    assert scores["confidence_interval"]["roc_auc"] == [0.25, 0.75]
    assert scores["interval"]["roc_auc"] == "korn_graubard"
    assert scores["confidence_interval"].keys() > {"roc_auc", "accuracy"}


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
    table, task = label_table([1, 0], [1, 1])
    with pytest.raises(ValueError, match=option):
        label_scores(table, task, **{option: value})
