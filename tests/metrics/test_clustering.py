import math

import numpy as np
import pytest

from metric_commons import load
from tests.spec import Spec
from tests.tables import by_table, other_shapes, tabled

POINTS = [[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [5.0, 6.0]]
NEAR, FAR = math.sqrt(50), math.sqrt(61)
AT_ENDS = 1 - 1 / ((NEAR + FAR) / 2)
INSIDE = 1 - 1 / ((math.sqrt(41) + NEAR) / 2)

SPEC = Spec(
    name="clustering",
    shape="points",
    no_intervals=True,
    sample={"predictions": ["a", "a", "b", "b"], "references": POINTS},
    result={
        "silhouette": (AT_ENDS + INSIDE) / 2,
        "davies_bouldin": 1 / NEAR,
        "calinski_harabasz": 100.0,
    },
    perfect={"predictions": [3, 3, 10, 10], "references": [[0.0], [0.0], [1.0], [1.0]]},
    best={"silhouette": 1.0, "davies_bouldin": 0.0, "calinski_harabasz": math.inf},
    other_ranges={
        "silhouette": (-1.0, 1.0),
        "davies_bouldin": (0.0, math.inf),
        "calinski_harabasz": (0.0, math.inf),
    },
    wrong={"predictions": 0.5, "references": [0.0, "1"]},
    whole=True,
)
OTHER_SHAPES = other_shapes(__file__)


@pytest.fixture(scope="module")
def clustering():
    return load("clustering")


def test_the_definitions_of_the_chapter(clustering):
    result = clustering.compute(**SPEC.sample, per_example=True)

    # (b - a) / max(a, b) with a = 1, the other point, and b the mean distance to the others
    assert result["per_example"] == {
        "silhouette": pytest.approx([AT_ENDS, INSIDE, INSIDE, AT_ENDS], rel=1e-14)
    }
    # points half a unit from centroids that are NEAR apart: (1/2 + 1/2) / NEAR, for both clusters
    assert result["davies_bouldin"] == pytest.approx(1 / NEAR, rel=1e-14)


@by_table("labels, points, scores")
def test_edge_cases_of_points(clustering, labels, points, scores):
    result = clustering.compute(predictions=labels, references=points, measures=list(scores))

    assert result == pytest.approx(scores, rel=1e-14, nan_ok=True)


@by_table("predictions, references, ari, nmi, homogeneity, completeness")
def test_edge_cases_of_labels(
    clustering, predictions, references, ari, nmi, homogeneity, completeness
):
    result = clustering.compute(predictions=predictions, references=references)

    assert result["ari"] == ari
    assert result["nmi"] == result["v_measure"] == pytest.approx(nmi, rel=1e-14)
    assert result["homogeneity"] == pytest.approx(homogeneity, abs=1e-4)
    assert result["completeness"] == pytest.approx(completeness, abs=1e-4)


def test_many_labels_do_not_overflow(clustering):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 3_000_000)
    result = clustering.compute(predictions=labels, references=labels, measures=["ari", "nmi"])

    assert result == {"ari": 1.0, "nmi": 1.0}


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine"])
@pytest.mark.parametrize("container", [list, np.array])
def test_points_and_labels_of_any_kind(clustering, metric, container):
    points = [[1, 2], [2, 3], [9, 1], [8, 1], [7, 2]]
    results = [
        clustering.compute(predictions=container(labels), references=container(rows), metric=metric)
        for labels in ([0, 0, 1, 1, 1], ["a", "a", "b", "b", "b"], [7, 7, 2**40, 2**40, 2**40])
        for rows in (points, [[float(x) for x in row] for row in points])
    ]

    assert all(result == results[0] for result in results)


def blobs(rows, clusters=4, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, clusters, rows)
    return rng.normal(size=(clusters, 3))[labels] * 3 + rng.normal(size=(rows, 3)), labels


def test_a_sample_estimates_the_whole(clustering):
    points, labels = blobs(2000)
    complete = clustering.compute(
        predictions=labels, references=points, measures="silhouette", per_example=True
    )
    sample = clustering.compute(
        predictions=labels,
        references=points,
        measures="silhouette",
        per_example=True,
        sample_size=300,
        confidence_level=0.99,
        interval="bootstrap",
        seed=5,
    )
    values = np.array(sample["per_example"]["silhouette"])
    sampled = ~np.isnan(values)
    low, high = sample["confidence_interval"]["silhouette"]

    assert np.count_nonzero(sampled) == 300
    exact = np.array(complete["per_example"]["silhouette"])[sampled]
    assert values[sampled] == pytest.approx(exact, rel=1e-11)
    assert sample["silhouette"] == pytest.approx(exact.mean())
    assert low < complete["silhouette"] < high


def test_a_sample_does_not_depend_on_the_order(clustering):
    points, labels = blobs(500)
    order = np.random.default_rng(3).permutation(500)
    options = {"sample_size": 50, "confidence_level": 0.9, "n_resamples": 100}
    result = clustering.compute(predictions=labels, references=points, **options)
    moved = clustering.compute(predictions=labels[order], references=points[order], **options)
    another_seed = clustering.compute(predictions=labels, references=points, **options, seed=1)

    assert moved == result
    assert another_seed["silhouette"] != result["silhouette"]


@by_table("predictions, references, options, message")
def test_what_makes_no_sense_is_refused(clustering, predictions, references, options, message):
    with pytest.raises(ValueError, match=rf"^{message}"):
        clustering.compute(predictions=predictions, references=references, **options)


def test_pairs_and_purity_by_hand(clustering):
    """Of six pairs two are together in both columns, two in references alone, none in clusters."""
    result = clustering.compute(
        predictions=[0, 0, 1, 1, 2],
        references=["x", "x", "y", "z", "z"],
        measures=["pair_confusion", "purity", "rand"],
        confidence_level=0.9,
        n_resamples=50,
    )
    assert result["pair_confusion"] == [[14, 2], [2, 2]]
    assert result["purity"] == 4 / 5
    assert result["rand"] == 8 / 10
    assert result["confidence_interval"].keys() == {"purity", "rand"}


REFUSED = tabled(__file__, "REFUSED")


@pytest.mark.parametrize(("measure", "message"), REFUSED)
def test_measures_that_there_are_not(clustering, measure, message):
    with pytest.raises(ValueError, match=f"^measures holds .*{message}"):
        clustering.compute(predictions=[0, 1], references=[0, 1], measures=measure)


DISTANCES = [[0.0, 1.0, 5.0], [1.0, 0.0, 4.0], [5.0, 4.0, 0.0]]


def test_distances_in_place_of_points(clustering):
    result = clustering.compute(
        predictions=["a", "a", "b"], references=DISTANCES, metric="precomputed", per_example=True
    )
    assert result == {
        "silhouette": pytest.approx((0.8 + 0.75) / 3),
        "per_example": {"silhouette": pytest.approx([0.8, 0.75, 0.0])},
    }


@by_table("predictions, references, options, message")
def test_what_are_no_distances(clustering, predictions, references, options, message):
    with pytest.raises(ValueError, match=message):
        clustering.compute(
            predictions=predictions, references=references, metric="precomputed", **options
        )
