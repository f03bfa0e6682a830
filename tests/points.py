"""Scores of clustered points as they are defined, in decimals of sixty digits; and points."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np


def decimal(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def squared_distance(left, right):
    return sum((a - b) ** 2 for a, b in zip(left, right, strict=True))


def distance(left, right):
    return decimal(squared_distance(left, right)).sqrt()


def silhouette(a, b):
    """Rousseeuw's formula, of exact numbers."""
    greater = max(a, b)
    return float((b - a) / greater) if greater else 0.0


def exact_scores(points, labels):
    """Silhouette of each point, Davies-Bouldin and Calinski-Harabasz, by their definitions."""
    with localcontext() as context:
        context.prec = 60
        rows = [[Fraction(x) for x in point] for point in points.tolist()]
        clusters = {label: [] for label in labels}
        for row, label in zip(rows, labels, strict=True):
            clusters[label].append(row)
        centroids = {
            label: [sum(axis) / len(members) for axis in zip(*members, strict=True)]
            for label, members in clusters.items()
        }
        silhouettes = []
        for row, label in zip(rows, labels, strict=True):
            sums = {
                cluster: sum(distance(row, member) for member in members)
                for cluster, members in clusters.items()
            }
            if len(clusters[label]) == 1:
                silhouettes.append(0.0)
                continue
            a = sums.pop(label) / (len(clusters[label]) - 1)
            b = min(total / len(clusters[cluster]) for cluster, total in sums.items())
            silhouettes.append(silhouette(a, b))
        mean_distances = {
            label: sum(distance(member, centroids[label]) for member in members) / len(members)
            for label, members in clusters.items()
        }
        worst = [
            max(
                (mean_distances[i] + mean_distances[j]) / distance(centroids[i], centroids[j])
                for j in clusters
                if j != i
            )
            for i in clusters
        ]
        centre = [sum(axis) / len(rows) for axis in zip(*rows, strict=True)]
        between = sum(len(clusters[i]) * squared_distance(centroids[i], centre) for i in clusters)
        scatter = sum(
            squared_distance(row, centroids[label]) for row, label in zip(rows, labels, strict=True)
        )
        freedom = Fraction(len(rows) - len(clusters), len(clusters) - 1)
        return silhouettes, float(sum(worst) / len(worst)), float(between / scatter * freedom)


def blobs(seed, rows=40, clusters=3, dimensions=2, width=1.0):
    """Points about a centre for each cluster, and the labels of their clusters."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(rows) % clusters)
    centres = rng.normal(size=(clusters, dimensions)) * 3
    return centres[labels] + width * rng.normal(size=(rows, dimensions)), labels.tolist()
