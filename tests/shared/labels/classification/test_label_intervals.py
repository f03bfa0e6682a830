"""Intervals of scores of labels, beside the obvious way: the rows that a score is a share of."""

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
    accuracy = interval(RIGHT, method=method, **options)
    assert result["confidence_interval"]["accuracy"] == [accuracy.low, accuracy.high]
    assert result["standard_error"]["accuracy"] == accuracy.standard_error

    for label in (0, 1) if average == "none" else (1,):
        for name, (rows, hits) in shares(label).items():
            found = expected(rows, hits, name, clusters, confidence_level=0.9, method=method)
            values = result["confidence_interval"][name], result["effective_n"][name]
            ends, trials = (value[label] for value in values) if average == "none" else values
            assert ends == pytest.approx([found.low, found.high], rel=1e-12)
            assert trials == pytest.approx(found.effective_n, rel=1e-12)


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
        assert default["interval"][name] == "unseen_row"
        wider_low, wider_high = default["confidence_interval"][name]
        assert -1 <= wider_low < low < result[name] < high < wider_high <= 1
    assert result["n_clusters"] == 15


@pytest.mark.parametrize("weights", [None, RNG.random(ROWS)])
def test_the_order_of_rows_does_not_show(weights):
    order = np.random.default_rng(3).permutation(ROWS)
    options = {"confidence_level": 0.9, "n_resamples": 60, "average": "macro"}
    results = [
        classification_scores(
            PREDICTIONS[rows],
            REFERENCES[rows],
            clusters=[CLUSTERS[row] for row in rows],
            sample_weight=None if weights is None else weights[rows],
            **options,
        )
        for rows in (np.arange(ROWS), order)
    ]
    assert results[0] == results[1]


def test_the_order_of_rows_of_several_labels_does_not_show():
    rng = np.random.default_rng(4)
    references, predictions = rng.integers(0, 2, (2, 60, 3))
    labels, order = rng.integers(0, 9, 60), rng.permutation(60)
    options = {"average": "samples", "confidence_level": 0.9, "n_resamples": 50}
    results = [
        classification_scores(
            predictions[rows], references[rows], clusters=labels[rows].tolist(), **options
        )
        for rows in (np.arange(60), order)
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
        assert ends == pytest.approx([found.low, found.high], rel=1e-12)
    every = (predictions == references).all(axis=1).astype(float)
    found = interval(every, **options)
    assert result["confidence_interval"]["accuracy"] == [found.low, found.high]
