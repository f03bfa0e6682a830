"""What scikit-learn returns, recorded on tricky points and labels and live on generated ones."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from metric_commons import load
from tests.spec import GIVEN

CASES = GIVEN / "cases" / "tabular.jsonl"
POINT_PEERS = {
    "silhouette": metrics.silhouette_score,
    "davies_bouldin": metrics.davies_bouldin_score,
    "calinski_harabasz": metrics.calinski_harabasz_score,
}
LABEL_PEERS = {
    "ari": metrics.adjusted_rand_score,
    "nmi": metrics.normalized_mutual_info_score,
    "v_measure": metrics.v_measure_score,
    "homogeneity": metrics.homogeneity_score,
    "completeness": metrics.completeness_score,
}
NO_ROWS = "nmi-06"  # scikit-learn says that no rows agree; here they have no score


@pytest.fixture(scope="module")
def clustering():
    return load("clustering")


def finite(value):
    if isinstance(value, list):
        return [finite(item) for item in value]
    return float(value) if value in ("NaN", "Infinity", "-Infinity") else value


def expected_score(case):
    """What a case should return, or None for an error."""
    if case["id"] == NO_ROWS:
        return None
    if "recommend" in case:
        first, *_ = str(case["recommend"]).split()
        return None if first == "raise" else float(first)
    return finite(case["exact"] if case["exact"] is not None else case["sklearn"].get("value"))


@pytest.mark.skipif(not CASES.exists(), reason="the cases are not part of the project")
def test_cases(clustering):
    compared = 0
    for line in CASES.read_text("utf-8").splitlines():
        case = json.loads(line)
        measure = case["metric"].removesuffix("_samples")
        if measure not in POINT_PEERS | LABEL_PEERS:
            continue
        inputs = case["inputs"]
        references = inputs["references"] if "references" in inputs else finite(inputs["X"])
        call = {
            "predictions": inputs["predictions"] if "references" in inputs else inputs["labels"],
            "references": np.array(references, inputs["dtype_X"])
            if inputs.get("dtype_X")
            else references,
            "measures": measure,
            "per_example": True,
        }
        expected = expected_score(case)
        if expected is None:
            with pytest.raises(ValueError, match=r"^(predictions|references)"):
                clustering.compute(**call, **case["kwargs"])
        else:
            result = clustering.compute(**call, **case["kwargs"])
            scores = result["per_example"] if case["metric"] != measure else result
            assert scores[measure] == pytest.approx(expected, rel=1e-12, abs=1e-15), case["id"]
        compared += 1

    assert compared > 30


@st.composite
def clustered_points(draw):
    """Points with ties and gaps, and labels of them that make at least two clusters."""
    rows, dimensions = draw(st.integers(5, 40)), draw(st.integers(1, 4))
    clusters = draw(st.integers(2, 4))
    labels = [*range(clusters), *draw(st.lists(st.integers(0, clusters - 1), min_size=rows))]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    points = rng.normal(size=(len(labels), dimensions))
    if draw(st.booleans()):
        points = rng.integers(-3, 4, size=(len(labels), dimensions)).astype(float)
    return points + 3 * rng.integers(0, 2), labels


@settings(deadline=None)
@given(clustered_points())
def test_generated_points(clustering, columns):
    points, labels = columns
    result = clustering.compute(predictions=labels, references=points, per_example=True)
    # Where centroids coincide, or clusters are points, the conventions differ.
    if np.isfinite(result["davies_bouldin"]) and np.isfinite(result["calinski_harabasz"]):
        for measure, peer in POINT_PEERS.items():
            # A point on its centroid is up to 1e-8 from it there.
            tolerance = 1e-6 if measure == "davies_bouldin" else 1e-9
            expected = peer(points, labels)
            assert result[measure] == pytest.approx(expected, rel=tolerance, abs=1e-12), measure
    expected = metrics.silhouette_samples(points, labels)
    assert result["per_example"]["silhouette"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@settings(deadline=None)
@given(clustered_points(), st.sampled_from(["sqeuclidean", "cosine"]))
def test_generated_points_of_other_distances(clustering, columns, metric):
    points, labels = columns
    if not np.abs(points).max(axis=1).all():
        return
    result = clustering.compute(
        predictions=labels, references=points, metric=metric, measures="silhouette"
    )
    # Points in one direction are at distance 0, which the peer rounds.
    distances = metrics.pairwise_distances(points, metric=metric)
    distances[distances < 1e-14] = 0.0
    expected = metrics.silhouette_score(distances, labels, metric="precomputed")
    assert result["silhouette"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("rows", "clusters", "dimensions"),
    # 200 clusters in one dimension have centroids so close that the peer's distances cancel.
    [(700, 3, 1), (3000, 4, 16), (3000, 200, 16), (900, 2, 600)],
)
def test_larger_clusters(clustering, rows, clusters, dimensions):
    rng = np.random.default_rng(rows + clusters)
    labels = rng.integers(0, clusters, rows)
    points = rng.normal(size=(clusters, dimensions))[labels] + rng.normal(size=(rows, dimensions))
    result = clustering.compute(predictions=labels, references=points, per_example=True)

    for measure, peer in POINT_PEERS.items():
        assert result[measure] == pytest.approx(peer(points, labels), rel=1e-9), measure
    expected = metrics.silhouette_samples(points, labels)
    assert result["per_example"]["silhouette"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@settings(deadline=None)
@given(st.integers(1, 40).flatmap(lambda rows: st.tuples(*[column(rows), column(rows)])))
def test_generated_labels(clustering, columns):
    references, predictions = columns
    result = clustering.compute(predictions=predictions, references=references)

    for measure, peer in LABEL_PEERS.items():
        expected = peer(references, predictions)
        assert result[measure] == pytest.approx(expected, rel=1e-12, abs=1e-12), measure


def column(rows):
    numbers = st.lists(st.integers(-2, 3), min_size=rows, max_size=rows)
    texts = st.lists(st.sampled_from(["a", "b", "a "]), min_size=rows, max_size=rows)
    return numbers | texts
