"""Clustering against scikit-learn: CPU time, and peak memory.

    OPENBLAS_NUM_THREADS=1 python benchmarks/clustering.py

Without the variable scikit-learn's matrix products may use all cores; this project's stay in one
thread. Of scikit-learn's silhouette of 100,000 points only a tenth is timed.
"""

import numpy as np
from _measure import cpu_seconds, peak_megabytes, ratio
from sklearn import metrics

from metric_commons.labels.clustering.clustering_measures import clustering_scores

CLUSTERS = 10


def points(rows, dimensions=16):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, CLUSTERS, rows)
    centres = rng.normal(size=(CLUSTERS, dimensions)) * 2
    return centres[labels] + rng.normal(size=(rows, dimensions)), labels


def tenth_of_silhouette(coordinates, labels):
    """Do a tenth of scikit-learn's work: distances, and sums of each cluster."""
    for start in range(0, len(labels) // 10, 1000):
        distances = metrics.pairwise_distances(coordinates[start : start + 1000], coordinates)
        for row in distances:
            np.bincount(labels, weights=row, minlength=CLUSTERS)


def main():
    coordinates, labels = points(10_000)

    def compute(measures):
        return clustering_scores(labels, coordinates, measures=measures)

    ratio(
        "silhouette of 10,000 points",
        lambda: compute("silhouette"),
        lambda: metrics.silhouette_score(coordinates, labels),
    )
    print(
        f"  peak memory: {peak_megabytes(lambda: compute('silhouette')):.1f} MB, scikit-learn "
        f"{peak_megabytes(lambda: metrics.silhouette_score(coordinates, labels)):.1f} MB"
    )
    coordinates, labels = points(1_000_000)
    ratio(
        "Davies-Bouldin of 1,000,000 points",
        lambda: compute("davies_bouldin"),
        lambda: metrics.davies_bouldin_score(coordinates, labels),
    )
    ratio(
        "Davies-Bouldin and Calinski-Harabasz",
        lambda: compute(["davies_bouldin", "calinski_harabasz"]),
        lambda: (
            metrics.davies_bouldin_score(coordinates, labels),
            metrics.calinski_harabasz_score(coordinates, labels),
        ),
    )
    rng = np.random.default_rng(1)
    clusters = np.where(rng.random(labels.size) < 0.8, labels, rng.integers(0, 12, labels.size))
    for measure, peer in (
        ("ari", metrics.adjusted_rand_score),
        ("nmi", metrics.normalized_mutual_info_score),
        ("v_measure", metrics.v_measure_score),
    ):
        ratio(
            f"{measure} of 1,000,000 labels",
            lambda name=measure: clustering_scores(clusters, labels, measures=name),
            lambda peer=peer: peer(labels, clusters),
        )
    coordinates, labels = points(100_000)
    seconds = cpu_seconds(lambda: compute("silhouette"))
    peer_seconds = 10 * cpu_seconds(lambda: tenth_of_silhouette(coordinates, labels))
    print(
        f"silhouette of 100,000 points: {peer_seconds / seconds:.1f}x "
        f"({seconds:.1f} s, {peer_seconds:.1f} s)"
    )
    peak = peak_megabytes(lambda: clustering_scores(labels, coordinates, measures="silhouette"))
    print(f"  peak memory: {peak:.1f} MB")


if __name__ == "__main__":
    main()
