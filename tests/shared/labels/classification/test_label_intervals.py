"""Intervals of scores of labels, beside the obvious way: the rows that a score is a share of."""

import math

import numpy as np
import pytest

from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.statistics import interval

RNG = np.random.default_rng(8)
ROWS = 120
REFERENCES = RNG.integers(0, 2, ROWS)
PREDICTIONS = np.where(RNG.random(ROWS) < 0.8, REFERENCES, 1 - REFERENCES)
CLUSTERS = [f"c{number}" for number in RNG.integers(0, 15, ROWS)]
RIGHT = (PREDICTIONS == REFERENCES).astype(float)


def shares(positive):
    """The rows of each score, and which of them count as hits."""
    predicted, true = positive == PREDICTIONS, positive == REFERENCES
    return {
        "precision": (predicted, predicted & true),
        "recall": (true, predicted & true),
        "specificity": (~true, ~true & ~predicted),
        "fpr": (~true, ~true & predicted),
        "f1": (predicted | true, predicted & true),
    }


def expected(rows, hits, name, clusters, **options):
    labels = None if clusters is None else np.array(clusters)[rows]
    if clusters is not None:
        options["method"] = "auto"  # "wilson" is for single rows
    found = interval(hits[rows].astype(float), clusters=labels, **options)
    if name != "f1":
        return found
    low, high = (2 * end / (1 + end) for end in (found.low, found.high))
    return found._replace(low=low, high=high)


@pytest.mark.long
@pytest.mark.parametrize("clusters", [None, CLUSTERS])
@pytest.mark.parametrize("method", ["auto", "wilson"])
@pytest.mark.parametrize("average", ["binary", "none"])
def test_shares_of_rows_are_means_of_rows(clusters, method, average):
    options = {"confidence_level": 0.9, "clusters": clusters}
    result = classification_scores(
        PREDICTIONS, REFERENCES, average=average, interval=method, **options
    )
    accuracy = interval(RIGHT, method="auto" if clusters else method, **options)
    ends = result["confidence_interval"]["accuracy"]
    assert ends == pytest.approx([accuracy.low, accuracy.high], rel=1e-9)
    assert result["standard_error"]["accuracy"] == pytest.approx(accuracy.standard_error)

    for label in (0, 1) if average == "none" else (1,):
        for name, (rows, hits) in shares(label).items():
            found = expected(rows, hits, name, clusters, confidence_level=0.9, method=method)
            ends = result["confidence_interval"][name]
            ends = ends[label] if average == "none" else ends
            assert ends == pytest.approx([found.low, found.high], rel=1e-9)


@pytest.mark.long
def test_scores_that_are_not_shares_are_resampled_by_clusters():
    options = {"confidence_level": 0.9, "clusters": CLUSTERS, "average": "macro"}
    result = classification_scores(
        PREDICTIONS, REFERENCES, n_resamples=4000, interval="bootstrap", **options
    )
    default = classification_scores(PREDICTIONS, REFERENCES, n_resamples=4000, **options)
    rng = np.random.default_rng(1)
    members = [np.flatnonzero(np.array(CLUSTERS) == label) for label in sorted(set(CLUSTERS))]
    resamples = []
    for _ in range(1500):
        rows = np.concatenate([members[number] for number in rng.integers(0, 15, 15)])
        resamples.append(
            classification_scores(PREDICTIONS[rows], REFERENCES[rows], average="macro")
        )
    for name in ("f1", "mcc", "kappa", "balanced_accuracy"):
        assert result["interval"][name] == "bootstrap"
        low, high = result["confidence_interval"][name]
        ends = np.quantile([scores[name] for scores in resamples], [0.05, 0.95])
        assert [low, high] == pytest.approx(ends.tolist(), abs=(high - low) / 8)
        # By default a cluster that was not seen widens it: the worst of 16 clusters, or the best.
        assert default["interval"][name] == "law"
        wider_low, wider_high = default["confidence_interval"][name]
        assert -1 <= wider_low < low < result[name] < high < wider_high <= 1
    assert result["n_clusters"] == 15


SEVERAL = RNG.integers(0, 2, (2, ROWS, 3))


@pytest.mark.parametrize("weights", [None, RNG.random(ROWS)])
@pytest.mark.parametrize("clusters", [None, CLUSTERS])
@pytest.mark.parametrize(
    ("columns", "average"), [((PREDICTIONS, REFERENCES), "macro"), (SEVERAL, "samples")]
)
def test_the_order_of_rows_does_not_show(columns, average, clusters, weights):
    order = np.random.default_rng(3).permutation(ROWS)
    options = {"confidence_level": 0.9, "n_resamples": 60, "average": average}
    results = [
        classification_scores(
            *(column[rows] for column in columns),
            clusters=None if clusters is None else [clusters[row] for row in rows],
            sample_weight=None if weights is None else weights[rows],
            **options,
        )
        for rows in (np.arange(ROWS), order)
    ]
    assert results[0] == results[1]


def test_rows_of_several_labels_have_clusters():
    rng = np.random.default_rng(2)
    references, predictions = rng.integers(0, 2, (2, 60, 3))
    labels = (np.arange(60) // 4).tolist()
    options = {"confidence_level": 0.9, "clusters": labels}
    result = classification_scores(predictions, references, average="none", **options)
    for label in range(3):
        rows = predictions[:, label] == 1
        hits = (references[:, label] == 1).astype(float)
        found = interval(hits[rows], clusters=np.array(labels)[rows], confidence_level=0.9)
        ends = result["confidence_interval"]["precision"][label]
        assert ends == pytest.approx([found.low, found.high], rel=1e-9)
    every = (predictions == references).all(axis=1).astype(float)
    found = interval(every, **options)
    ends = result["confidence_interval"]["accuracy"]
    assert ends == pytest.approx([found.low, found.high], rel=1e-9)


@pytest.mark.long
def test_intervals_of_equal_weights_are_those_without_weights():
    rng = np.random.default_rng(0)
    references, predictions = rng.integers(0, 3, (2, 100))
    several = rng.integers(0, 2, (2, 60, 3))
    options = {"confidence_level": 0.9, "interval": "bootstrap"}
    for pair in ((predictions, references), tuple(several)):
        plain, weighted = (
            classification_scores(*pair, sample_weight=weights, **options)
            for weights in (None, np.full(len(pair[0]), 1e250))
        )
        for name, ends in plain["confidence_interval"].items():
            assert weighted["confidence_interval"][name] == pytest.approx(ends, rel=1e-12)


def test_a_score_that_is_not_defined_has_no_interval():
    resampled, default = (
        classification_scores([1, 1], [1, 1], confidence_level=0.9, interval=method)
        for method in ("bootstrap", "auto")
    )
    intervals = resampled["confidence_interval"]

    assert intervals["accuracy"] == [1.0, 1.0]
    assert default["interval"]["fpr"] == "clopper_pearson"
    assert all(map(math.isnan, intervals["fpr"]))
    assert all(map(math.isnan, intervals["kappa"]))


def test_scores_of_several_labels_have_an_interval_each():
    rng = np.random.default_rng(0)
    references, predictions = rng.integers(0, 3, (2, 200))
    options = {"confidence_level": 0.9, "n_resamples": 2000, "interval": "bootstrap"}
    listed = classification_scores(predictions, references, average="none", **options)

    for label in range(3):
        single = classification_scores(
            predictions, references, labels=[label], average="macro", **options
        )
        for name in ("precision", "recall", "f1", "fpr", "specificity"):
            ends = listed["confidence_interval"][name][label]
            assert ends == single["confidence_interval"][name]


def test_resamples_without_a_score_are_left_out_of_its_interval():
    # A third of the resamples of two rows have no positive at all.
    options = {"confidence_level": 0.9, "n_resamples": 100, "interval": "bootstrap"}
    scores = classification_scores([1, 0], [1, 0], zero_division=math.nan, **options)

    assert scores["confidence_interval"]["recall"] == [1.0, 1.0]


@pytest.mark.parametrize("label", [0, 1, "a"])
def test_rows_of_one_label_may_be_followed_by_another(label):
    rows = [label] * 10
    for average in ("macro", "weighted"):
        result = classification_scores(rows, rows, average=average, confidence_level=0.95)
        for name in ("f1", "precision", "recall", "balanced_accuracy"):
            low, high = result["confidence_interval"][name]
            assert (result[name], high) == (1.0, 1.0)
            assert low < (0.5 if average == "macro" and name != "balanced_accuracy" else 0.85)
