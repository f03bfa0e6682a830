"""What scikit-learn returns, recorded on tricky points and labels and live on generated ones."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from metric_commons import load
from tests.conformance.test_judges import plain
from tests.spec import drawn_examples, recorded

OF_POINTS = {
    "silhouette": metrics.silhouette_score,
    "davies_bouldin": metrics.davies_bouldin_score,
    "calinski_harabasz": metrics.calinski_harabasz_score,
}
OF_LABELS = {
    "ari": metrics.adjusted_rand_score,
    "nmi": metrics.normalized_mutual_info_score,
    "v_measure": metrics.v_measure_score,
    "homogeneity": metrics.homogeneity_score,
    "completeness": metrics.completeness_score,
}
FURTHER = {
    "ami": metrics.adjusted_mutual_info_score,
    "ami(average_method=max)": partial(metrics.adjusted_mutual_info_score, average_method="max"),
    "rand": metrics.rand_score,
    "fowlkes_mallows": metrics.fowlkes_mallows_score,
    **{
        f"nmi(average_method={name})": partial(
            metrics.normalized_mutual_info_score, average_method=name
        )
        for name in ("geometric", "min", "max")
    },
    "v_measure(beta=0)": partial(metrics.v_measure_score, beta=0.0),
    "v_measure(beta=2.5)": partial(metrics.v_measure_score, beta=2.5),
}
NOTHING = "nmi-06"  # no rows, of which scikit-learn says that they agree; nothing has no score

SOME = drawn_examples(40)


@pytest.fixture(scope="module")
def clustering():
    return load("clustering")


def wanted(case):
    """What a case should return, or None for an error."""
    if case["id"] == NOTHING:
        return None
    if "recommend" in case:
        first, *_ = str(case["recommend"]).split()
        return None if first == "raise" else float(first)
    return plain(case["exact"] if case["exact"] is not None else case["sklearn"].get("value"))


def test_cases(clustering):
    compared = 0
    for case in recorded("tabular"):
        measure = case["metric"].removesuffix("_samples")
        if measure not in OF_POINTS | OF_LABELS:
            continue
        inputs = case["inputs"]
        references = inputs["references"] if "references" in inputs else plain(inputs["X"])
        call = {
            "predictions": inputs["predictions"] if "references" in inputs else inputs["labels"],
            "references": np.array(references, inputs["dtype_X"])
            if inputs.get("dtype_X")
            else references,
            "measures": measure,
            "per_example": True,
        }
        expected = wanted(case)
        if expected is None:
            with pytest.raises(ValueError, match=r"^(predictions|references)"):
                clustering.compute(**call, **case["kwargs"])
        else:
            result = clustering.compute(**call, **case["kwargs"])
            found = result["per_example"] if case["metric"] != measure else result
            assert found[measure] == pytest.approx(expected, rel=1e-12, abs=1e-15), case["id"]
        compared += 1

    assert compared > 30


@st.composite
def partitions(draw):
    """Points with ties and gaps, and labels of them that make at least two clusters."""
    rows, dimensions = draw(st.integers(5, 40)), draw(st.integers(1, 4))
    clusters = draw(st.integers(2, 4))
    labels = [*range(clusters), *draw(st.lists(st.integers(0, clusters - 1), min_size=rows))]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    points = rng.normal(size=(len(labels), dimensions))
    if draw(st.booleans()):
        points = rng.integers(-3, 4, size=(len(labels), dimensions)).astype(float)
    return points + 3 * rng.integers(0, 2), labels


@pytest.mark.long
@given(partitions())
def test_generated_points(clustering, drawn):
    points, labels = drawn
    result = clustering.compute(predictions=labels, references=points, per_example=True)
    # Where centroids coincide, or clusters are points, the conventions differ.
    if np.isfinite(result["davies_bouldin"]) and np.isfinite(result["calinski_harabasz"]):
        for measure, peer in OF_POINTS.items():
            # A point on its centroid is up to 1e-8 from it there.
            close = 1e-6 if measure == "davies_bouldin" else 1e-9
            expected = peer(points, labels)
            assert result[measure] == pytest.approx(expected, rel=close, abs=1e-12), measure
    expected = metrics.silhouette_samples(points, labels)
    assert result["per_example"]["silhouette"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.long
@given(partitions(), st.sampled_from(["sqeuclidean", "cosine"]))
def test_generated_points_of_other_distances(clustering, drawn, metric):
    points, labels = drawn
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


@pytest.mark.long
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

    for measure, peer in OF_POINTS.items():
        assert result[measure] == pytest.approx(peer(points, labels), rel=1e-9), measure
    expected = metrics.silhouette_samples(points, labels)
    assert result["per_example"]["silhouette"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.long
@given(st.integers(1, 40).flatmap(lambda rows: st.tuples(*[column(rows), column(rows)])))
def test_generated_labels(clustering, drawn):
    references, predictions = drawn
    result = clustering.compute(predictions=predictions, references=references)

    for measure, peer in OF_LABELS.items():
        expected = peer(references, predictions)
        assert result[measure] == pytest.approx(expected, rel=1e-12, abs=1e-12), measure


@pytest.mark.long
@SOME
@given(st.integers(1, 40).flatmap(lambda rows: st.tuples(*[column(rows), column(rows)])))
def test_further_measures_of_generated_labels(clustering, drawn):
    references, predictions = drawn
    result = clustering.compute(
        predictions=predictions,
        references=references,
        measures=[*FURTHER, "purity", "pair_confusion"],
    )
    table = metrics.cluster.contingency_matrix(references, predictions)

    for measure, peer in FURTHER.items():
        # Of clusters of single rows rounding makes any number of its AMI.
        if "ami" in measure and len(references) in table.shape:
            continue
        try:
            expected = peer(references, predictions)
        except ZeroDivisionError:  # with beta=0, of which the limit is the homogeneity
            expected = metrics.homogeneity_score(references, predictions)
        assert result[measure] == pytest.approx(expected, rel=1e-9, abs=1e-9), measure
    assert result["purity"] == table.max(axis=0).sum() / table.sum()
    pairs = metrics.cluster.pair_confusion_matrix(references, predictions)
    assert result["pair_confusion"] == pairs.tolist()


@pytest.mark.long
@SOME
@given(partitions())
def test_generated_distances(clustering, drawn):
    points, labels = drawn
    distances = metrics.pairwise_distances(points, metric="manhattan")
    result = clustering.compute(
        predictions=labels, references=distances, metric="precomputed", per_example=True
    )
    expected = metrics.silhouette_samples(distances, labels, metric="precomputed")
    assert result["per_example"]["silhouette"] == pytest.approx(expected, rel=1e-9, abs=1e-12)
    order = np.random.default_rng(0).permutation(len(labels))
    shuffled = clustering.compute(
        predictions=np.array(labels)[order],
        references=distances[np.ix_(order, order)],
        metric="precomputed",
    )
    assert shuffled["silhouette"] == result["silhouette"]


def column(rows):
    numbers = st.lists(st.integers(-2, 3), min_size=rows, max_size=rows)
    texts = st.lists(st.sampled_from(["a", "b", "a "]), min_size=rows, max_size=rows)
    return numbers | texts
